package extract

import (
	"net/url"
	"slices"
	"strings"
	"time"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/awarc/awarc/engine/dates"
	"github.com/awarc/awarc/kb"
)

// Page is one page to harvest.
type Page struct {
	// Doc is the virtual document of the page. It is not changed.
	Doc *html.Node
	// URL is where the page came from; relative links are resolved against it,
	// or against the page's <base>.
	URL *url.URL
	// Charset is the encoding that the page was in, by a label of the Encoding
	// Standard: queries of its links are encoded in it. Empty means UTF-8.
	Charset string
	// Captured is when the page was fetched; relative dates ("yesterday") count
	// from it. When zero they are left out.
	Captured time.Time
	// Type and Levels are what detection found: the variants of the level, the
	// preferred one first. Without a level all links are extracted.
	Type   *kb.Type
	Levels []*kb.Level
	// Expected is the level that the link to the page promised; empty when nothing
	// did. Extraction does not use it; adaptation does.
	Expected kb.LevelID
	// Generic asks for generic reading where the actions give no content.
	Generic bool
	// Around asks where links stand on the page.
	Around bool
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

// Values returns the values of the field with the name; has is false where the
// object has no such field.
func (o *Object) Values(name string) (values []string, has bool) {
	for _, f := range o.Fields {
		if f.Name == name {
			return f.Values, true
		}
	}
	return nil, false
}

// Link is one link that an action, or generic extraction, selected.
type Link struct {
	URL      string // absolute, without fragment
	Text     string // anchor text, folded
	To       kb.LevelID
	Action   string // empty for generic extraction
	Paging   bool
	Optional bool
	Around   Around // zero unless the page asks for it
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
	// Learned are the learned entries that yielded, where what an author wrote did
	// not.
	Learned []*kb.Entry
	// Cut tells that the page asked for more than one page may have, in work,
	// objects, links or bytes: the rest of it is missing here.
	Cut bool
	// Generic tells that an object, or its content, comes from generic reading
	// and not from an action.
	Generic bool
}

// What one page may have. Real pages stay far below; hostile ones are cut.
const (
	maxWork    = 1 << 27  // steps, see [kb.Work]
	maxObjects = 20_000   // objects
	maxValues  = 64 << 20 // bytes of values
)

// Run harvests a page. The first variant of the level that yields an object
// (on intermediate levels: a link) is used; where none does, the first.
func Run(p Page) Harvest { return runWithin(p, kb.NewWork(maxWork), nil) }

// runWithin is Run with some work, and with dates of the page that were read before; nil
// for none.
func runWithin(p Page, work *kb.Work, read *dates.Reader) Harvest {
	h := byActions(p, work, read)
	if p.Generic {
		complete(p, &h, work)
	}
	return h
}

// byActions runs the actions of the page's level.
func byActions(p Page, work *kb.Work, read *dates.Reader) Harvest {
	if len(p.Levels) == 0 {
		c := &collector{p: p, around: newSurroundings(p)}
		return Harvest{Links: c.pages(), Cut: c.cut || c.resolve.size >= maxValues}
	}
	r := newRun(p, work, read)
	var first *Harvest
	for _, v := range p.Levels {
		h := r.level(v)
		if len(h.Objects) > 0 && hasContent(v, h) || v.Kind == kb.Intermediate && len(h.Links) > 0 {
			return h
		}
		if first == nil {
			first = &h
		}
	}
	return *first
}

func newRun(p Page, work *kb.Work, read *dates.Reader) *run {
	if read == nil {
		read = datesOf(p)
	}
	return &run{
		page: p, resolve: newResolver(p), key: p.Type.URLs.ObjectKey(p.URL), work: work,
		dates: read, anchors: map[*html.Node]string{}, moved: map[*html.Node]bool{}, around: newSurroundings(p),
	}
}

// hasContent reports whether the actions of a variant fit the page: where it
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

// level runs the actions of one variant.
func (r *run) level(v *kb.Level) Harvest {
	r.h, r.nodes, r.claimed, r.size = &Harvest{Level: v}, nil, map[*html.Node]bool{}, 0
	r.moved = map[*html.Node]bool{}
	for _, f := range v.Follow {
		r.h.Links = append(r.h.Links, r.follow(v, f)...)
	}
	r.objects(v.Objects, r.page.Doc, "")
	r.sortObjects()
	r.rename(v)
	r.h.Cut = r.h.Cut || r.work.Spent() || r.resolve.size >= maxValues
	return *r.h
}

// follow runs one navigation action.
func (r *run) follow(v *kb.Level, f *kb.Follow) []Link {
	for _, t := range r.tries(f.Tries) {
		var links []Link
		for _, val := range t.Expr.Select(r.page.Doc, r.work) {
			href, node := hrefOf(val)
			u := r.resolve.link(cut(t, href))
			switch {
			case u == "":
				continue
			case !r.keep(len(u)):
				return links
			}
			links = append(links, Link{URL: u, Text: r.anchorText(node), To: f.To, Action: f.Name(v), Paging: f.Paging,
				Optional: f.Optional, Around: r.around.of(node)})
		}
		if len(links) > 0 {
			r.used(t)
			return links
		}
	}
	return nil
}

// tries leaves out those that were learned on other sites.
func (r *run) tries(all []*kb.Try) []*kb.Try {
	elsewhere := func(t *kb.Try) bool { return !t.AppliesTo(r.page.URL) }
	if !slices.ContainsFunc(all, elsewhere) {
		return all
	}
	return slices.DeleteFunc(slices.Clone(all), elsewhere)
}

// used notes a learned try that yielded.
func (r *run) used(t *kb.Try) {
	if t.Learned != nil && !slices.Contains(r.h.Learned, t.Learned) {
		r.h.Learned = append(r.h.Learned, t.Learned)
	}
}

// keep reports whether so many more bytes may be kept of the page.
func (r *run) keep(bytes int) bool {
	r.size += bytes
	if r.size > maxValues {
		r.h.Cut = true
	}
	return r.size <= maxValues
}

// hrefOf gives the address in a selected value: an attribute's value, an
// element's href, or text. An anchor without an address leads nowhere, whatever
// its text.
func hrefOf(v kb.Value) (string, *html.Node) {
	if v.Attr == "" && v.Node != nil && v.Node.Type == html.ElementNode {
		if h := attr(v.Node, "href"); h != "" || v.Node.DataAtom == atom.A {
			return h, v.Node
		}
	}
	return v.Text(), v.Node
}

func cut(t *kb.Try, s string) string {
	if t.Match != nil {
		return t.Match.Cut(s)
	}
	return s
}

// run is the state of a harvest: of the page, and of the variant that runs.
type run struct {
	page    Page
	resolve *resolver
	key     string // the page's URL without paging: {url} in ids
	work    *kb.Work
	dates   *dates.Reader
	anchors map[*html.Node]string // texts of links: several actions may select one
	around  *surroundings         // nil unless the page asks for them

	h     *Harvest
	nodes []*html.Node // of the harvest's objects
	size  int          // bytes of values so far
	// claimed holds the nodes of objects that were found, so that fields of an
	// object do not reach into objects inside it.
	claimed map[*html.Node]bool
	// moved holds the nodes that a learned expression found.
	moved map[*html.Node]bool
}

// objects harvests all objects of some declarations below a node. All nodes are
// claimed before any field is read: what one declaration finds may lie inside
// what another does.
func (r *run) objects(declared []*kb.Object, scope *html.Node, parent string) {
	nodes := make([][]*html.Node, len(declared))
	for i, o := range declared {
		nodes[i] = []*html.Node{scope}
		if len(o.At) > 0 {
			nodes[i] = r.nodesAt(o.At, scope, func(n *html.Node) bool {
				return r.id(o, n, kb.Names{URL: r.key, Outer: parent, Parent: parent}) != ""
			})
		}
		for _, n := range nodes[i] {
			r.claimed[n] = true
		}
	}
	for i, o := range declared {
		ids := map[*html.Node]string{}
		for _, n := range nodes[i] {
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
}

// sortObjects brings objects of several declarations (comments and pingbacks,
// say) into the order of the page.
func (r *run) sortObjects() {
	place := map[*html.Node]int{r.page.Doc: 0}
	for n := range r.page.Doc.Descendants() {
		if r.claimed[n] {
			place[n] = len(place)
		}
	}
	order := make([]int, len(r.nodes))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return place[r.nodes[a]] - place[r.nodes[b]] })
	sorted := make([]Object, len(order))
	for i, at := range order {
		sorted[i] = r.h.Objects[at]
	}
	r.h.Objects = sorted
}

// nodesAt gives the element nodes that the first yielding expression selects. Where
// a learned one follows, nodes of which none is named are no yield: what names them
// moved. Without named all are.
func (r *run) nodesAt(tries []*kb.Try, scope *html.Node, named func(*html.Node) bool) []*html.Node {
	tries = r.tries(tries)
	for i, t := range tries {
		var nodes []*html.Node
		for _, v := range t.Expr.Select(scope, r.work) {
			if v.Node != nil && v.Attr == "" && v.Node.Type == html.ElementNode {
				nodes = append(nodes, v.Node)
			}
		}
		if named != nil && t.Learned == nil && slices.ContainsFunc(tries[i+1:], func(t *kb.Try) bool { return t.Learned != nil }) &&
			!slices.ContainsFunc(nodes, named) {
			continue
		}
		if len(nodes) > 0 {
			r.used(t)
			if t.Learned != nil {
				for _, n := range nodes {
					r.moved[n] = true
				}
			}
			return nodes
		}
	}
	return nil
}

// object harvests one object and those inside it, and returns its id. outer is
// the object that it is declared in, parent the one that it belongs to.
func (r *run) object(o *kb.Object, n *html.Node, outer, parent string) string {
	if len(r.h.Objects) >= maxObjects {
		r.h.Cut = true
		return ""
	}
	id := r.id(o, n, kb.Names{URL: r.key, Outer: outer, Parent: parent})
	if id == "" {
		return ""
	}
	out := Object{Class: o.Class, ID: id, Parent: parent}
	if parent != "" {
		out.Rel = o.Rel
	}
	at := len(r.h.Objects)
	r.h.Objects, r.nodes = append(r.h.Objects, out), append(r.nodes, n)
	r.objects(o.Objects, n, id)
	for _, f := range o.Fields {
		if f.Unless != nil && len(f.Unless.Select(n, r.work)) > 0 {
			continue
		}
		fields := r.field(f, n)
		if len(fields) == 0 && f.Required {
			r.h.Misses = append(r.h.Misses, Miss{Object: o.Class, Field: f.Name, ID: id})
		}
		out.Fields = append(out.Fields, fields...)
	}
	r.h.Objects[at].Fields = out.Fields
	for _, t := range o.Totals {
		if n, ok := r.total(t, n); ok {
			r.h.Totals = append(r.h.Totals, Total{Of: t.Of, Object: id, Count: n})
		}
	}
	return id
}

// id builds an object's id by the first template that can be filled.
func (r *run) id(o *kb.Object, n *html.Node, names kb.Names) string {
	if r.moved[n] {
		return r.idAnyway(o, n, names)
	}
	for _, t := range o.ID {
		if id, ok := t.Build(n, names, r.work); ok {
			return r.resolve.id(id)
		}
	}
	return ""
}

// idAnyway builds the id of an object whose template changed.
func (r *run) idAnyway(o *kb.Object, n *html.Node, names kb.Names) string {
	for _, t := range o.ID {
		if id, ok := t.BuildMoved(n, names, r.work); ok {
			return r.resolve.id(id)
		}
	}
	for _, t := range o.ID {
		if id, ok := t.BuildAnyway(n, names, r.work); ok {
			return r.resolve.id(id)
		}
	}
	return ""
}

// inner reports whether a value lies inside another object below n. Values
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
	for _, t := range r.tries(f.Tries) {
		var texts, markups []string
		found := false
		for _, v := range t.Expr.Select(n, r.work) {
			if r.inner(v, n) {
				continue
			}
			found = true
			if f.As == kb.HTML {
				text, markup := r.rich(f, v, t.Learned != nil)
				texts, markups = append(texts, text), append(markups, markup)
			} else if s := r.value(f, t, v); s != "" {
				texts = append(texts, s)
			}
			if !f.Many && f.As != kb.HTML && len(texts) > 0 {
				break
			}
		}
		switch {
		case f.As == kb.HTML && found:
			r.used(t)
			return []Field{
				{Name: f.Name, As: f.As, Values: []string{strings.Trim(strings.Join(texts, "\n"), "\n")}},
				{Name: f.Name + "_html", As: f.As, Values: []string{strings.Join(markups, "\n")}},
			}
		case len(texts) > 0:
			r.used(t)
			return []Field{{Name: f.Name, As: f.As, Values: texts}}
		}
	}
	return nil
}

// value reads what was selected, cut by the try's expression, as the field is
// to be read; "" where it is nothing of the kind.
func (r *run) value(f *kb.Field, t *kb.Try, v kb.Value) string {
	s := ""
	if f.As == kb.URL {
		s, _ = hrefOf(v)
	} else {
		s = r.shown(v)
	}
	s = cut(t, fold(s))
	switch f.As {
	case kb.Date:
		s = readDate(r.dates, s, f.Order, r.work)
	case kb.URL:
		s = r.resolve.address(s)
	case kb.Number:
		s = number(s)
	default:
		s = fold(unhyphenate(s))
	}
	if !r.keep(len(s)) {
		return ""
	}
	return s
}

// shown is the text of a value as a reader sees it: of an element without its
// scripts and with space between its blocks.
func (r *run) shown(v kb.Value) string {
	if v.Node == nil || v.Attr != "" || v.Node.Type != html.ElementNode || silent[v.Node.DataAtom] {
		return v.Text()
	}
	c := &copier{work: r.work, left: func(*html.Node) bool { return false }}
	return c.blockText(v.Node)
}
