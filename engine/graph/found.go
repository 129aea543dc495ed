package graph

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/cayleygraph/quad"
)

// Plugin is who found something; its identity is the SHA-256 of its file, in hexadecimal.
type Plugin struct{ Name, Version, Hash string }

// iri names one version of a plugin.
func (p Plugin) iri() quad.IRI { return quad.IRI("urn:awarc:plugin:" + p.Hash) }

// Addition is what a plugin found on a page.
type Addition struct {
	Plugin  Plugin
	Objects []Found
	Triples []Triple
}

// Found is a typed object that a plugin found.
type Found struct {
	Class      string  // an IRI, or a prefixed name
	ID         string  // an IRI; empty names it by the page and its number
	Confidence float32 // 0 says nothing
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

// MostFound bounds the quads of one addition, in bytes.
const MostFound = 16 << 20

// ErrTooMuch tells that an addition has more than MostFound bytes of quads.
var ErrTooMuch = errors.New("graph: a plugin found more than a page may hold")

// EncodeFound returns the N-Quads of what a plugin found: who it is, in the graph Meta; then the objects
// and triples in the graph of the capture, each subject with the plugin that speaks of it. ids
// are the names of the objects. What it says is checked by the host of plugins; here any strings are well.
func EncodeFound(c Capture, a Addition) (quads []byte, ids []string, err error) {
	e := newEncoder(&c)
	e.most = MostFound
	by := a.Plugin.iri()
	e.add(quad.IRI(c.ID), NS+"plugin", by)
	e.add(by, rdf+"type", quad.IRI(prov+"SoftwareAgent"))
	e.add(by, schema+"name", text(a.Plugin.Name))
	e.add(by, schema+"softwareVersion", text(a.Plugin.Version))
	e.add(by, NS+"sha256", text(a.Plugin.Hash))
	e.graph = quad.IRI(c.ID)
	for i, o := range a.Objects {
		id := e.found(a.Plugin, o.ID)
		if id == "" {
			id = quad.IRI(IRI(e.ownName(a.Plugin) + "object-" + strconv.Itoa(i+1)))
		}
		ids = append(ids, string(id))
		e.add(id, rdf+"type", quad.IRI(expand(o.Class)))
		e.add(id, NS+"extractedBy", by)
		if o.Confidence > 0 {
			e.add(id, NS+"confidence", number(strconv.FormatFloat(float64(o.Confidence), 'f', -1, 32)))
		}
		for _, f := range o.Fields {
			e.add(id, foundProperty(o.Class, f.Name), e.foundValue(a.Plugin, f.Value))
		}
	}
	for _, t := range a.Triples {
		s := e.found(a.Plugin, t.Subject)
		e.add(s, expand(t.Predicate), e.foundValue(a.Plugin, t.Object))
		e.add(s, NS+"extractedBy", by)
	}
	quads, err = e.end()
	if err != nil {
		return nil, nil, fmt.Errorf("what the plugin %s found on %s: %w", a.Plugin.Name, c.URL, err)
	}
	return quads, ids, nil
}

// ownName begins the names of what a plugin finds on the page and gives no name.
func (e *encoder) ownName(p Plugin) string {
	page, _, _ := strings.Cut(e.page, "#")
	return page + "#" + p.Name + "-"
}

// found makes an IRI of what a plugin names.
func (e *encoder) found(p Plugin, name string) quad.IRI {
	if label, blank := strings.CutPrefix(name, "_:"); blank {
		name = e.ownName(p) + "node-" + label
	}
	return quad.IRI(IRI(expand(name)))
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
	if ns := namespace(prefix); ns != "" {
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
	for _, prefix := range prefixList() {
		if local, ok := strings.CutPrefix(full, namespace(prefix)); ok && localName(local) {
			return prefix + ":" + local
		}
	}
	return full
}
