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

// What a template puts into the element of a text is about the page: links that edit its sections, its table of contents, its
// address, who changed it and when. Authors cut it out by its names. Where those are gone it is told by what it says, which
// no template changes.

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
	name    string // what tells the page's address from others of its site
	address string // it with what is before it, plain
	left    map[*html.Node]bool
	sizes   map[*html.Node]size
}

// size counts the letters of an element: all, those that are about the page, and those of links into it.
type size struct{ letters, own, inside, links int }

func newFurnisher(p extract.Page) *furnisher {
	f := &furnisher{p: p, left: map[*html.Node]bool{}, sizes: map[*html.Node]size{}}
	path, query := p.URL.Path, p.URL.Query()
	f.name, f.address = path[strings.LastIndexByte(path, '/')+1:], plainTitle(path)
	for _, values := range query {
		f.name, f.address = values[0], plainTitle(values[0])
	}
	if len(query) > 1 { // which of them names the page is not known
		f.name = ""
	}
	return f
}

// in lists the largest parts of a text that are about its page; nothing where they are all of it. without selects what
// is cut out already, and notes are elements with what else is known of the page.
func (f *furnisher) in(text *html.Node, without []*kb.Try, notes []*html.Node) []*html.Node {
	for _, t := range without {
		if !t.AppliesTo(f.p.URL) {
			continue
		}
		for _, v := range t.Expr.Select(text, nil) {
			f.left[v.Node] = true
		}
	}
	all := f.measure(text)
	var out []*html.Node
	if note := common(notes); note != nil && inNode(note, text) && f.sizes[note].letters > 0 && f.sizes[note].letters <= longestNote {
		out = append(out, note)
		f.left[note] = true
	}
	cut := 0
	var walk func(*html.Node)
	walk = func(n *html.Node) {
		for c := n.FirstChild; c != nil; c = c.NextSibling {
			switch {
			case c.Type != html.ElementNode || f.left[c]:
			case f.sizes[c].furniture() && !isHeading(c):
				out = append(out, c)
				cut += f.sizes[c].letters
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
	if f.left[n] || unread(n) {
		return s
	}
	if n.Type == html.TextNode {
		s.letters = letters(n.Data)
		if f.writes(strings.TrimSpace(n.Data)) {
			s.own = s.letters
		}
		return s
	}
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		t := f.measure(c)
		s = size{s.letters + t.letters, s.own + t.own, s.inside + t.inside, s.links + t.links}
	}
	switch href := attribute(n, "href"); {
	case n.DataAtom == atom.Form && asksNothing(n):
		s.own = s.letters
	case n.DataAtom != atom.A:
	case len(href) > 1 && href[0] == '#':
		s.inside, s.links = s.letters, 1
	case f.acts(href):
		s.own = s.letters
	}
	f.sizes[n] = s
	return s
}

// asksNothing reports whether a form is a button that changes something: nobody fills in anything. One that does not post is
// a link.
func asksNothing(form *html.Node) bool {
	if !strings.EqualFold(attribute(form, "method"), "post") {
		return false
	}
	for n := range form.Descendants() {
		switch n.DataAtom {
		case atom.Select, atom.Textarea:
			return false
		case atom.Input:
			if kind := attribute(n, "type"); kind != "hidden" && kind != "submit" {
				return false
			}
		}
	}
	return true
}

// writes reports whether a text is the end of the page's address as no title is written: "rig:gaff" of "/rig/gaff".
func (f *furnisher) writes(text string) bool {
	if f.name == "" || !strings.ContainsAny(text, ":/_") || strings.ContainsAny(text, " \t\n") {
		return false
	}
	is := plainTitle(text)
	return len(is) >= len(plainTitle(f.name)) && strings.HasSuffix(f.address, is)
}

// acts reports whether a link leads to the page as it is shown in another way, or to something that is done with it: its
// address has what names the page, and more parameters.
func (f *furnisher) acts(href string) bool {
	if f.name == "" || !strings.Contains(href, "?") {
		return false
	}
	u, err := url.Parse(extract.Resolve(f.p.URL, href))
	if err != nil || u.Host != f.p.URL.Host {
		return false
	}
	params, own := u.Query(), f.p.URL.Query()
	for name, values := range own {
		if params.Get(name) != values[0] {
			return false
		}
	}
	if len(params) <= len(own) {
		return false
	}
	if len(own) > 0 || strings.HasSuffix(u.Path, "/"+f.name) {
		return true
	}
	if len(params) < 2 {
		return false
	}
	for _, values := range params { // "/Anchor" is "?title=Anchor" elsewhere
		if values[0] == f.name {
			return true
		}
	}
	return false
}

// letters counts the letters and digits of a text.
func letters(s string) (n int) {
	for _, r := range s {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			n++
		}
	}
	return n
}

// inNode reports whether a node lies in another.
func inNode(n, outer *html.Node) bool {
	for n = n.Parent; n != nil; n = n.Parent {
		if n == outer {
			return true
		}
	}
	return false
}

// common gives the smallest element around all of some; nil for none.
func common(list []*html.Node) *html.Node {
	if len(list) == 0 {
		return nil
	}
	n := list[0]
	for n != nil && slices.ContainsFunc(list, func(m *html.Node) bool { return m != n && !inNode(m, n) }) {
		n = n.Parent
	}
	return n
}

// furniture finds that the text of a page holds what an author cuts out.
func (j *judge) furniture(s kb.Spot) {
	if !cutting(s) || j.h.Generic || len(j.of(s.Objects[0].Class)) != 1 {
		return
	}
	for _, t := range s.Without.Tries {
		if !t.AppliesTo(j.p.URL) {
			continue
		}
		for _, v := range t.Expr.Select(j.p.Doc, nil) {
			if v.Node != nil && len(newFurnisher(j.p).in(v.Node, s.Without.Without, nil)) > 0 {
				j.faults = append(j.faults, Fault{Kind: Furniture, Place: s.Place})
			}
			return
		}
	}
}

// cutting reports whether a spot is what an author cuts out of the text of a page.
func cutting(s kb.Spot) bool {
	return s.Without != nil && len(s.Objects) == 1 && !essential(s.Objects[0]) && len(s.Tries) > 0
}

// furnish plans what is cut out of the text of a page, given what is planned for its fields.
func (s *session) furnish(v *kb.Level, steps []planned) (out []planned) {
	sc := &scope{records: []int{-1}}
	for _, spot := range v.Spots() {
		if !cutting(spot) {
			continue
		}
		at := func(f *kb.Field) []int {
			for _, st := range steps {
				if st.spot.Field == f && len(st.by.nodes) > 0 {
					return st.by.nodes[0]
				}
			}
			return s.working(f, f.Tries, sc).nodes[0]
		}
		text := at(spot.Without)
		if len(text) == 0 {
			continue
		}
		var notes []*html.Node
		for _, f := range spot.Objects[0].Fields {
			if f.As == kb.HTML || f.Many || f.Name == "title" {
				continue
			}
			for _, n := range at(f) {
				notes = append(notes, s.x.nodes[n])
			}
		}
		s.x.spend(4 * (s.x.end[text[0]] - text[0]))
		cuts := newFurnisher(s.page).in(s.x.nodes[text[0]], spot.Tries, notes)
		out = append(out, s.cutOut(spot, text[0], cuts)...)
	}
	return out
}

// cutOut writes elements of a text as expressions that select nothing else in it.
func (s *session) cutOut(spot kb.Spot, text int, list []*html.Node) (out []planned) {
	left := map[int]bool{}
	var rest []int
	for _, n := range list {
		for m := s.x.number[n]; m < s.x.end[s.x.number[n]]; m++ {
			left[m] = true
		}
		rest = append(rest, s.x.number[n])
	}
	for len(rest) > 0 {
		var best *group
		for _, g := range s.alike(rest[0]) {
			e := g.expr()
			if g.nodes = s.x.selectIn(e, text); slices.Contains(g.nodes, rest[0]) && (best == nil || len(g.nodes) > len(best.nodes)) &&
				!slices.ContainsFunc(g.nodes, func(n int) bool { return !left[n] }) {
				best = g
			}
		}
		if best == nil {
			rest = rest[1:]
			continue
		}
		rest = slices.DeleteFunc(rest, func(n int) bool { return slices.Contains(best.nodes, n) })
		c := proposal(relax.Reading{Expr: best.expr()}, nil)
		c.expr, c.from = wholeNames(c.expr), spot.Tries[0].Expr.Source
		c.sure, c.why = furnitureSure, []string{"it is about the page, and not of its text"}
		out = append(out, planned{spot, c})
	}
	return out
}

// alike gives the groups that an element may be of, by what it is called; by its tag alone where that is one of what
// nobody writes.
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
	for i := 0; i < len(was) && is != ""; i++ {
		if was[i] == is[0] {
			is = is[1:]
		}
	}
	return is == ""
}
