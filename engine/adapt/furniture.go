package adapt

import (
	"net/url"
	"slices"
	"strings"
	"unicode"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/awarc/awarc/engine/extract"
	"github.com/awarc/awarc/kb"
	"github.com/awarc/awarc/relax"
	"github.com/awarc/awarc/yfilter/xpath"
)

// What a template puts into the element of a text is about the page: links that edit its sections, its table of contents, its address,
// who changed it and when. Authors cut it out by its names. Where those are gone it is told by what it says, which no template changes.

// Furniture is what is to be cut out of a text and is not.
const Furniture FaultKind = "furniture"

const (
	fewestContents = 3   // links into the page that a table of contents has at least
	longestNote    = 200 // letters of what says who changed a page and when
	furnitureSure  = 0.63
)

// furnisher tells what of a text is about its page.
type furnisher struct {
	p       extract.Page
	name    string // what tells the page's address from others of its site; "" where that is not known
	address string // it with what is before it, plain
	left    map[*html.Node]bool
	sizes   map[*html.Node]size
}

// size counts the letters of an element: all, those that are about the page, and those of links into it.
type size struct{ letters, own, inside, links int }

func newFurnisher(p extract.Page) *furnisher {
	f := &furnisher{p: p, left: map[*html.Node]bool{}, sizes: map[*html.Node]size{}}
	whole := p.URL.Path
	f.name = whole[strings.LastIndexByte(whole, '/')+1:]
	query := p.URL.Query()
	for _, values := range query {
		f.name, whole = values[0], values[0]
	}
	if f.address = plainTitle(whole); len(query) > 1 {
		f.name = ""
	}
	return f
}

// in lists the largest parts of a text that are about its page; nothing where they are all of it. without selects what is cut out
// already, and note is an element with what else is known of the page, or nil.
func (f *furnisher) in(text *html.Node, without []*kb.Try, note *html.Node) (out []*html.Node) {
	for _, t := range without {
		if !t.AppliesTo(f.p.URL) {
			continue
		}
		for _, v := range t.Expr.Select(text, nil) {
			f.left[v.Node] = true
		}
	}
	all, cut := f.measure(text), 0
	if n := f.sizes[note].letters; note != text && n > 0 && n <= longestNote {
		out = append(out, note)
		f.left[note] = true
	}
	var walk func(*html.Node)
	walk = func(n *html.Node) {
		for c := range n.ChildNodes() {
			switch is := f.sizes[c]; {
			case c.Type != html.ElementNode || f.left[c]:
			case is.furniture() && !isHeading(c):
				out = append(out, c)
				cut += is.letters
			default:
				walk(c)
			}
		}
	}
	walk(text)
	if cut >= all.letters {
		return nil
	}
	return out
}

// furniture reports whether so much of an element is about the page that all of it is.
func (s size) furniture() bool {
	return 2*s.own > s.letters || s.links >= fewestContents && 4*s.inside > 3*s.letters
}

// measure measures an element and those in it.
func (f *furnisher) measure(n *html.Node) (s size) {
	switch {
	case f.left[n] || unread(n):
		return s
	case n.Type == html.TextNode:
		for _, r := range n.Data {
			if unicode.IsLetter(r) || unicode.IsDigit(r) {
				s.letters++
			}
		}
		if f.writes(strings.TrimSpace(n.Data)) {
			s.own = s.letters
		}
		return s
	}
	for c := range n.ChildNodes() {
		t := f.measure(c)
		s = size{s.letters + t.letters, s.own + t.own, s.inside + t.inside, s.links + t.links}
	}
	href := ""
	if n.DataAtom == atom.A {
		href = attribute(n, "href")
	}
	switch {
	case len(href) > 1 && href[0] == '#':
		s.inside, s.links = s.letters, 1
	case href != "" && f.acts(href), n.DataAtom == atom.Form && asksNothing(n):
		s.own = s.letters
	}
	f.sizes[n] = s
	return s
}

// asksNothing reports whether a form is a button that changes something: nobody fills in anything. One that does not post is a link.
func asksNothing(form *html.Node) bool {
	for n := range form.Descendants() {
		kind := attribute(n, "type")
		if n.DataAtom == atom.Select || n.DataAtom == atom.Textarea || n.DataAtom == atom.Input && kind != "hidden" && kind != "submit" {
			return false
		}
	}
	return strings.EqualFold(attribute(form, "method"), "post")
}

// writes reports whether a text is the end of the page's address as no title is written: "rig:gaff" of "/rig/gaff".
func (f *furnisher) writes(text string) bool {
	if f.name == "" || !strings.ContainsAny(text, ":/_") || strings.ContainsAny(text, " \t\n") {
		return false
	}
	is := plainTitle(text)
	return len(is) >= len(plainTitle(f.name)) && strings.HasSuffix(f.address, is)
}

// acts reports whether a link leads to the page as it is shown in another way, or to something that is done with it: its address has
// what names the page, and more parameters.
func (f *furnisher) acts(href string) bool {
	u, err := url.Parse(extract.Resolve(f.p.URL, href))
	if f.name == "" || err != nil || u.Host != f.p.URL.Host {
		return false
	}
	params, own := u.Query(), f.p.URL.Query()
	for name, values := range own {
		if params.Get(name) != values[0] {
			return false
		}
	}
	if len(own) > 0 || strings.HasSuffix(u.Path, "/"+f.name) {
		return len(params) > len(own)
	}
	for _, values := range params { // "/Anchor" is "?title=Anchor" elsewhere
		if values[0] == f.name {
			return len(params) > 1
		}
	}
	return false
}

// furniture finds that the text of a page holds what an author cuts out.
func (j *judge) furniture(s kb.Spot) {
	if !cutting(s) || j.h.Generic || count(j.h, s.Objects[0].Class) != 1 {
		return
	}
	if text := j.first(s.Without); text != nil && len(newFurnisher(j.p).in(text, s.Without.Without, nil)) > 0 {
		j.faults = append(j.faults, Fault{Kind: Furniture, Place: s.Place})
	}
}

// first gives the first element that the actions of a field select on the page; nil for none.
func (j *judge) first(f *kb.Field) *html.Node {
	for _, t := range f.Tries {
		if !t.AppliesTo(j.p.URL) {
			continue
		}
		for _, v := range t.Expr.Select(j.p.Doc, nil) {
			if n := elementOf(v.Node); n != nil {
				return n
			}
		}
	}
	return nil
}

// cutting reports whether a spot is what an author cuts out of the text of a page.
func cutting(s kb.Spot) bool {
	return s.Without != nil && len(s.Objects) == 1 && !essential(s.Objects[0]) && len(s.Tries) > 0
}

// furnish plans what is cut out of the text of a page, given what is planned for its fields.
func (s *session) furnish(v *kb.Level, steps []planned) (out []planned) {
	at := func(f *kb.Field) []int {
		for _, st := range steps {
			if st.spot.Field == f && len(st.by.nodes) > 0 {
				return st.by.nodes[0]
			}
		}
		return s.working(f, f.Tries, &scope{records: []int{-1}}).nodes[0]
	}
	for _, spot := range v.Spots() {
		if !cutting(spot) {
			continue
		}
		text := at(spot.Without)
		if len(text) == 0 {
			continue
		}
		var notes []int
		for _, f := range spot.Objects[0].Fields {
			if f.As != kb.HTML && !f.Many && f.Name != "title" {
				notes = append(notes, at(f)...)
			}
		}
		s.x.spend(4 * (s.x.end[text[0]] - text[0]))
		cuts := newFurnisher(s.page).in(s.x.nodes[text[0]], spot.Tries, s.around(notes))
		out = append(out, s.cutOut(spot, text[0], cuts)...)
	}
	return out
}

// around gives the smallest element around all of some; nil for none.
func (s *session) around(nodes []int) *html.Node {
	if len(nodes) == 0 {
		return nil
	}
	up := slices.Min(nodes)
	for up >= 0 && s.x.end[up] <= slices.Max(nodes) {
		up = s.x.parent[up]
	}
	return s.node(up)
}

// cutOut writes elements of a text as expressions that select nothing else in it.
func (s *session) cutOut(spot kb.Spot, text int, list []*html.Node) (out []planned) {
	kept := func(n int) bool {
		return !slices.ContainsFunc(list, func(m *html.Node) bool { return s.x.inside(n, s.x.number[m]) })
	}
	done := map[int]bool{}
	for _, node := range list {
		n := s.x.number[node]
		for _, g := range s.alike(n) {
			nodes := s.x.selectIn(g.expr(), text)
			if done[n] || !slices.Contains(nodes, n) || slices.ContainsFunc(nodes, kept) {
				continue
			}
			for _, m := range nodes {
				done[m] = true
			}
			c := proposal(relax.Reading{Expr: g.expr()}, nil)
			c.expr, c.from = wholeNames(c.expr), spot.Tries[0].Expr.Source
			c.sure, c.why = furnitureSure, []string{"it is about the page, and not of its text"}
			out = append(out, planned{spot, c})
		}
	}
	return out
}

// alike gives the groups that an element may be of, by what it is called; by its tag alone where that is one of what nobody writes.
func (s *session) alike(n int) (out []*group) {
	for _, cond := range s.x.conditions(n) {
		out = append(out, &group{tag: s.x.nodes[n].Data, cond: cond})
	}
	if a := s.x.nodes[n].DataAtom; a == atom.Form || a == atom.Nav {
		out = append(out, &group{tag: s.x.nodes[n].Data})
	}
	return out
}

// wholeNames gives an expression that asks for whole names of classes where it asked for parts of them.
func wholeNames(n xpath.Node) xpath.Node {
	return xpath.Edit(n, func(n xpath.Node) (xpath.Node, bool) {
		p, ok := xpath.PredOf(n)
		if !ok || p.Kind != xpath.Contains || p.Value != (xpath.Test{Kind: xpath.Attr, Name: "class"}) ||
			strings.ContainsAny(p.Literal, "' ") {
			return n, true
		}
		return xpath.PaddedToken("class", p.Literal), false
	})
}

// shortened reports whether a value is what another was, but for parts that learned expressions cut out of it.
func shortened(h extract.Harvest, class, was, is string) bool {
	if len(is) >= len(was) || !slices.ContainsFunc(h.Learned, func(e *kb.Entry) bool {
		return e.Cuts() && strings.HasPrefix(e.Part, class+" ")
	}) {
		return false
	}
	for i := range len(was) {
		is = strings.TrimPrefix(is, was[i:i+1])
	}
	return is == ""
}
