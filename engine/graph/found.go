package graph

import (
	"errors"
	"fmt"
	"net/url"
	"strconv"
	"strings"

	"github.com/cayleygraph/quad"
)

// Plugin is who found something; its identity is the SHA-256 of its file, in hexadecimal.
type Plugin struct{ Name, Version, Hash string }

// iri names one version of a plugin.
func (p Plugin) iri() quad.IRI { return quad.IRI("urn:awarc:plugin:" + p.Hash) }

// graphOf names the graph of what the plugin says of a capture.
func (p Plugin) graphOf(c *Capture) quad.IRI { return quad.IRI(Said(c.ID, p.Name)) }

// Said names the graph of the results of a plugin, of any version, for a capture.
func Said(capture, plugin string) string {
	return IRI("urn:awarc:said:" + strings.TrimPrefix(capture, "urn:uuid:") + ":" + url.PathEscape(plugin))
}

// Addition is what a plugin found on a page.
type Addition struct {
	Plugin  Plugin
	Objects []Found
	Triples []Triple
	// Page is how many bytes the page has, by which its quads are bounded.
	Page int
}

// Found is a typed object that a plugin found.
type Found struct {
	Class      string  // an IRI, or a prefixed name
	ID         string  // an IRI; empty names it by the page and its number
	Confidence float32 // 0: not given
	Fields     []FoundField
}

// Title is the first value of the object's title, name or headline, or "".
func (o *Found) Title() string {
	for _, f := range o.Fields {
		switch f.Name {
		case "title", "name", "headline":
			return f.Text
		}
	}
	return ""
}

// FoundField is a named value. A name without a prefix is a property of schema.org
// where the object's class is, and otherwise as [Property] has it.
type FoundField struct {
	Name string
	Value
}

// Triple is a statement of a plugin. Blank nodes ("_:x") become IRIs of the page.
type Triple struct {
	Subject, Predicate string
	Object             Value
}

// ValueKind says what a value is.
type ValueKind uint8

// The kinds of values.
const (
	Literal  ValueKind = iota // of Datatype or Lang, where one is given
	Resource                  // an IRI, or a blank node
)

// Value is a value of a field or the object of a triple.
type Value struct {
	Text     string
	Kind     ValueKind
	Datatype string // an IRI or a prefixed name
	Lang     string
}

// What a plugin says of a page may take this many bytes, and this many for each byte of the page.
const (
	mostFound   = 256 << 10
	mostTimes   = 8
	mostRemarks = 20
)

// ErrTooMuch is returned for an addition with more bytes of quads than its page allows.
var ErrTooMuch = errors.New("graph: a plugin found too much on one page")

// Encoding is an addition as N-Quads.
type Encoding struct {
	Quads   []byte
	IDs     []string // the names of the objects
	Triples int      // statements in the plugin's graph, each counted once
	// Remarks say what was left out or written otherwise, the first of them.
	Remarks []string
}

// EncodeFound encodes the result of a plugin. The plugin is described in the graph Meta. The objects and triples are in a separate graph,
// named by [Said]: so statements of a plugin about a post are distinguished from the knowledge base's,
// and both from statements of others. Statements about captures, crawls and plugins are dropped. The statements are
// checked by the host of plugins; here any strings are accepted. The error is ErrTooMuch where it takes more than 256 KiB and eight times
// the bytes of its page.
func EncodeFound(c Capture, a Addition) (Encoding, error) {
	e := newEncoder(&c)
	e.most = mostFound + mostTimes*a.Page
	by, in := a.Plugin.iri(), a.Plugin.graphOf(&c)
	e.add(quad.IRI(c.ID), NS+"plugin", by)
	e.add(by, rdf+"type", quad.IRI(prov+"SoftwareAgent"))
	e.add(by, schema+"name", text(a.Plugin.Name))
	e.add(by, schema+"softwareVersion", text(a.Plugin.Version))
	e.add(by, NS+"sha256", text(a.Plugin.Hash))
	e.add(in, prov+"wasDerivedFrom", quad.IRI(c.ID))
	e.add(in, prov+"wasAttributedTo", by)
	e.graph = in
	about := len(e.seen)
	var out Encoding
	for i, o := range a.Objects {
		id := e.found(a.Plugin, o.ID)
		if IRI(string(id)) == "" {
			id = quad.IRI(e.ownName(a.Plugin) + "object-" + strconv.Itoa(i+1))
		}
		out.IDs = append(out.IDs, IRI(string(id)))
		out.say(e, id, rdf+"type", quad.IRI(expand(o.Class)))
		out.say(e, id, NS+"extractedBy", by)
		if o.Confidence > 0 {
			out.say(e, id, NS+"confidence", number(strconv.FormatFloat(float64(o.Confidence), 'f', -1, 32)))
		}
		for _, f := range o.Fields {
			out.say(e, id, foundProperty(o.Class, f.Name), e.foundValue(a.Plugin, f.Value))
		}
	}
	for _, t := range a.Triples {
		s := e.found(a.Plugin, t.Subject)
		out.say(e, s, expand(t.Predicate), e.foundValue(a.Plugin, t.Object))
		out.say(e, s, NS+"extractedBy", by)
	}
	out.Triples = len(e.seen) - about
	var err error
	if out.Quads, err = e.end(); err != nil {
		return Encoding{}, fmt.Errorf("the result of the plugin %s on %s: %w", a.Plugin.Name, c.URL, err)
	}
	return out, nil
}

// say states what a plugin says, and remarks what cannot be stated as it is.
func (out *Encoding) say(e *encoder, s quad.IRI, p string, o quad.Value) {
	said := quad.Quad{Subject: s, Predicate: quad.IRI(p), Object: o, Label: e.graph}
	written, ok := e.strict(said)
	remark := ""
	switch {
	case reserved(string(s)):
		remark = "describes a reserved IRI of awarc, ignored: "
	case !ok && o != quad.String(""):
		remark = "is not a valid RDF statement, ignored: "
	case ok && (written.Subject != said.Subject || written.Predicate != said.Predicate || !alike(written.Object, o)):
		remark = "was normalised: "
	}
	if remark != "" && len(out.Remarks) < mostRemarks {
		out.Remarks = append(out.Remarks, remark+said.NQuad())
	}
	if !reserved(string(s)) {
		e.add(s, p, o)
	}
}

// alike reports whether a value is written as it was said, but for characters that are no text.
func alike(written, said quad.Value) bool {
	switch s := said.(type) {
	case quad.IRI:
		return written == said
	case quad.LangString:
		w, ok := written.(quad.LangString)
		return ok && w.Lang == s.Lang
	case quad.TypedString:
		w, ok := written.(quad.TypedString)
		return ok && w.Type == s.Type
	}
	return true
}

// ownEntity begins the names that a plugin may give to what has no other.
const ownEntity = "urn:awarc:entity:"

// reserved reports whether a name is one of those that captures, crawls, plugins and their graphs have.
func reserved(name string) bool {
	scheme, rest, _ := strings.Cut(strings.ToLower(name), ":")
	return scheme == "urn" && (strings.HasPrefix(rest, "uuid:") || strings.HasPrefix(rest, "awarc:")) &&
		!strings.HasPrefix(name, ownEntity)
}

// ownName begins the names of what a plugin finds on the page and gives no name.
func (e *encoder) ownName(p Plugin) string {
	page, _, _ := strings.Cut(e.page, "#")
	return page + "#" + p.Name + "-"
}

// found gives the name of what a plugin names, which may be no IRI yet.
func (e *encoder) found(p Plugin, name string) quad.IRI {
	if label, blank := strings.CutPrefix(name, "_:"); blank {
		name = e.ownName(p) + "node-" + label
	}
	return quad.IRI(expand(name))
}

func (e *encoder) foundValue(p Plugin, v Value) quad.Value {
	switch {
	case v.Kind == Resource:
		return e.found(p, v.Text)
	case v.Datatype != "":
		return quad.TypedString{Value: quad.String(v.Text), Type: quad.IRI(expand(v.Datatype))}
	case v.Lang != "":
		return quad.LangString{Value: quad.String(v.Text), Lang: v.Lang}
	}
	return quad.String(v.Text)
}

// expand writes a prefixed name in full; what has no prefix that is known is an IRI
// already.
func expand(name string) string {
	prefix, local, _ := strings.Cut(name, ":")
	if ns := namespaces[prefix]; ns != "" {
		return ns + local
	}
	return name
}

// foundProperty is the property of a field of a plugin's object.
func foundProperty(class, name string) string {
	if strings.Contains(name, ":") {
		return expand(name)
	}
	if strings.HasPrefix(expand(class), schema) {
		return schema + name
	}
	if p, err := Property(name); err == nil {
		return p
	}
	return NS + name
}

// Prefixed is a class or a property with the prefix of its namespace, if that has one.
func Prefixed(name string) string {
	full := expand(name)
	for prefix, ns := range namespaces {
		if local, ok := strings.CutPrefix(full, ns); ok && localName(local) {
			return prefix + ":" + local
		}
	}
	return full
}
