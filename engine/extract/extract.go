package extract

import (
	"net/url"
	"strings"
	"time"

	"golang.org/x/net/html"

	"github.com/awarc/awarc/kb"
)

// Page is one page to harvest.
type Page struct {
	// Doc is the virtual document of the page. It is not changed.
	Doc *html.Node
	// URL is where the page came from; relative links are resolved against it,
	// or against the page's <base>.
	URL *url.URL
	// Captured is when the page was fetched; relative dates ("yesterday") count
	// from it. When zero they are left out.
	Captured time.Time
	// Type and Levels are what detection found: the variants of the level, the
	// preferred one first. Without a level all links are extracted.
	Type   *kb.Type
	Levels []*kb.Level
}

// Object is one object or one part of it.
type Object struct {
	Class  string // prefixed RDF class
	ID     string // absolute IRI
	Parent string // id of what it belongs or replies to; may be empty
	Rel    string // has_container or reply_of; empty without a parent
	Fields []Field
}

// Field is one property with its values, in the order of the page.
type Field struct {
	Name   string
	As     kb.As
	Values []string
}

// Value returns the first value of the field with the name, or "".
func (o *Object) Value(name string) string {
	for _, f := range o.Fields {
		if f.Name == name && len(f.Values) > 0 {
			return f.Values[0]
		}
	}
	return ""
}

// Link is one link that an action, or generic extraction, selected.
type Link struct {
	URL      string // absolute, without fragment
	Text     string // anchor text, folded
	To       kb.LevelID
	Action   string // empty for generic extraction
	Paging   bool
	Optional bool
}

// Miss is a required field that is not on the page where its object is.
type Miss struct {
	Object string // class
	Field  string
	ID     string // of the object without it
}

// Total is what the page itself claims to hold.
type Total struct {
	Of     string // class that is counted
	Object string // id of the object it belongs to
	Count  int
}

// Harvest is what one page yields.
type Harvest struct {
	// Level is the variant whose actions ran; nil for an unknown application.
	Level   *kb.Level
	Objects []Object
	Links   []Link
	Misses  []Miss
	Totals  []Total
}

// Run harvests a page. The first variant of the level that yields an object
// (on intermediate levels: a link) is used; where none does, the first.
func Run(p Page) Harvest {
	base := baseURL(p.Doc, p.URL)
	if len(p.Levels) == 0 {
		return Harvest{Links: Links(p.Doc, base)}
	}
	var first *Harvest
	for _, v := range p.Levels {
		h := runLevel(p, v, base)
		if len(h.Objects) > 0 && hasContent(v, h) || v.Kind == kb.Intermediate && len(h.Links) > 0 {
			return h
		}
		if first == nil {
			first = &h
		}
	}
	return *first
}

// hasContent tells whether the actions of a variant fit the page: where it
// describes objects inside the page's object, at least one of them is there or
// the page's object has a content of its own.
func hasContent(v *kb.Level, h Harvest) bool {
	inner := map[string]bool{}
	for _, o := range v.Objects {
		for _, c := range o.Objects {
			inner[c.Class] = true
		}
	}
	if len(inner) == 0 {
		return true
	}
	for _, o := range h.Objects {
		if inner[o.Class] || o.Value("content") != "" {
			return true
		}
	}
	return false
}

func runLevel(p Page, v *kb.Level, base *url.URL) Harvest {
	h := Harvest{Level: v}
	for _, f := range v.Follow {
		h.Links = append(h.Links, follow(p.Doc, v, f, base)...)
	}
	if len(v.Objects) > 0 {
		r := &run{page: p, base: base, h: &h, dates: newDates(p.Doc, p.Captured), claimed: map[*html.Node]bool{}}
		r.key = p.Type.URLs.ObjectKey(p.URL)
		for _, o := range v.Objects {
			r.objects(o, p.Doc, "")
		}
	}
	return h
}

// follow runs one navigation action.
func follow(doc *html.Node, v *kb.Level, f *kb.Follow, base *url.URL) []Link {
	for _, t := range f.Tries {
		var links []Link
		for _, val := range t.Expr.Select(doc) {
			href, node := hrefOf(val)
			u := Resolve(base, cut(t, href))
			if u == "" {
				continue
			}
			links = append(links, Link{URL: u, Text: anchorText(node), To: f.To, Action: f.Name(v), Paging: f.Paging, Optional: f.Optional})
		}
		if len(links) > 0 {
			return links
		}
	}
	return nil
}

// hrefOf gives the address in a selected value: an attribute's value, an
// element's href, or computed text.
func hrefOf(v kb.Value) (string, *html.Node) {
	if v.Attr == "" && v.Node != nil && v.Node.Type == html.ElementNode {
		if h := attr(v.Node, "href"); h != "" {
			return h, v.Node
		}
	}
	return v.Text, v.Node
}

func cut(t *kb.Try, s string) string {
	if t.Match != nil {
		return t.Match.Cut(s)
	}
	return s
}

// run is the state of one level's extraction actions on one page.
type run struct {
	page Page
	base *url.URL
	key  string // the page's URL without paging: {url} in ids
	h    *Harvest

	dates *dates
	// claimed holds the nodes of objects that were found, so that fields of an
	// object do not reach into objects inside it.
	claimed map[*html.Node]bool
}

// objects harvests all objects of one declaration below a node.
func (r *run) objects(o *kb.Object, scope *html.Node, parent string) {
	nodes := []*html.Node{scope}
	if len(o.At) > 0 {
		nodes = nodesAt(o.At, scope)
	}
	for _, n := range nodes {
		r.claimed[n] = true
	}
	ids := map[*html.Node]string{}
	for _, n := range nodes {
		up := parent
		if o.Nests {
			for a := n.Parent; a != nil && a != scope; a = a.Parent {
				if id := ids[a]; id != "" {
					up = id
					break
				}
			}
		}
		ids[n] = r.object(o, n, parent, up)
	}
}

// nodesAt gives the element nodes that the first yielding expression selects.
func nodesAt(tries []*kb.Try, scope *html.Node) []*html.Node {
	for _, t := range tries {
		var nodes []*html.Node
		for _, v := range t.Expr.Select(scope) {
			if v.Node != nil && v.Attr == "" && v.Node.Type == html.ElementNode {
				nodes = append(nodes, v.Node)
			}
		}
		if len(nodes) > 0 {
			return nodes
		}
	}
	return nil
}

// object harvests one object and those inside it, and returns its id. outer is
// the object that it is declared in, parent the one that it belongs to.
func (r *run) object(o *kb.Object, n *html.Node, outer, parent string) string {
	id := r.id(o, n, kb.Names{URL: r.key, Outer: outer, Parent: parent})
	if id == "" {
		return ""
	}
	out := Object{Class: o.Class, ID: id, Parent: parent}
	if parent != "" {
		out.Rel = o.Rel
	}
	at := len(r.h.Objects)
	r.h.Objects = append(r.h.Objects, out)
	for _, c := range o.Objects {
		r.objects(c, n, id)
	}
	for _, f := range o.Fields {
		fields := r.field(f, n)
		if len(fields) == 0 && f.Required {
			r.h.Misses = append(r.h.Misses, Miss{Object: o.Class, Field: f.Name, ID: id})
		}
		out.Fields = append(out.Fields, fields...)
	}
	r.h.Objects[at].Fields = out.Fields
	for _, t := range o.Totals {
		if n, ok := total(t, n); ok {
			r.h.Totals = append(r.h.Totals, Total{Of: t.Of, Object: id, Count: n})
		}
	}
	return id
}

// id builds an object's id by the first template that can be filled.
func (r *run) id(o *kb.Object, n *html.Node, names kb.Names) string {
	for _, t := range o.ID {
		if id, ok := t.Build(n, names); ok {
			return resolveID(r.base, id)
		}
	}
	return ""
}

// inner tells whether a value lies inside another object below n. Values
// outside n were reached by an axis and are meant: a post may be several rows of
// one table.
func (r *run) inner(v kb.Value, n *html.Node) bool {
	in := false
	for a := v.Node; a != nil; a = a.Parent {
		if a == n {
			return in
		}
		in = in || r.claimed[a]
	}
	return false
}

// field runs the expressions of one field; an HTML field gives two, the text
// and the markup.
func (r *run) field(f *kb.Field, n *html.Node) []Field {
	for _, t := range f.Tries {
		var texts, markups []string
		found := false
		for _, v := range t.Expr.Select(n) {
			if r.inner(v, n) {
				continue
			}
			found = true
			if f.As == kb.HTML {
				text, markup := r.rich(f, v)
				texts, markups = append(texts, text), append(markups, markup)
			} else if s := r.value(f, cut(t, v.Text), v); s != "" {
				texts = append(texts, s)
			}
			if !f.Many && f.As != kb.HTML && len(texts) > 0 {
				break
			}
		}
		switch {
		case f.As == kb.HTML && found:
			return []Field{
				{Name: f.Name, As: f.As, Values: []string{strings.Trim(strings.Join(texts, "\n"), "\n")}},
				{Name: f.Name + "_html", As: f.As, Values: []string{strings.Join(markups, "\n")}},
			}
		case len(texts) > 0:
			return []Field{{Name: f.Name, As: f.As, Values: texts}}
		}
	}
	return nil
}

func (r *run) rich(f *kb.Field, v kb.Value) (text, markup string) {
	if v.Node == nil || v.Attr != "" || v.Node.Type != html.ElementNode {
		s := fold(v.Text)
		return s, html.EscapeString(s)
	}
	drop := map[*html.Node]bool{}
	for _, w := range f.Without {
		for _, d := range w.Select(v.Node) {
			if d.Node != nil && d.Node != v.Node {
				drop[d.Node] = true
			}
		}
	}
	for n := range r.claimed {
		if n != v.Node && !contains(n, v.Node) {
			drop[n] = true
		}
	}
	if f.Until != "" {
		dropFrom(v.Node, f.Until, drop)
	}
	return blockText(v.Node, drop), innerHTML(v.Node, drop)
}

// dropFrom drops the first text below n that holds a mark, and all after it.
func dropFrom(n *html.Node, mark string, drop map[*html.Node]bool) {
	over := false
	for d := range n.Descendants() {
		if d.Type == html.TextNode && !over {
			over = strings.Contains(d.Data, mark)
		}
		if over && (d.Type == html.TextNode || d.FirstChild == nil) {
			drop[d] = true
		}
	}
}

// contains tells whether outer is n or above it.
func contains(outer, n *html.Node) bool {
	for ; n != nil; n = n.Parent {
		if n == outer {
			return true
		}
	}
	return false
}

func (r *run) value(f *kb.Field, s string, v kb.Value) string {
	s = fold(s)
	switch f.As {
	case kb.Date:
		return r.dates.parse(s, f.Order)
	case kb.URL:
		if v.Attr == "" {
			s, _ = hrefOf(v)
		}
		return resolveID(r.base, s)
	case kb.Number:
		return number(s)
	default:
		return s
	}
}
