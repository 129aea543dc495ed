package adapt

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"golang.org/x/net/html"

	"github.com/awarc/awarc/engine/extract"
	"github.com/awarc/awarc/kb"
	"github.com/awarc/awarc/relax"
	"github.com/awarc/awarc/yfilter/xpath"
)

// Pointed is what somebody points at on a page: an element, a text in one, or an attribute of one.
type Pointed struct {
	Node *html.Node
	Attr string // "" for none
}

// PointAt finds a value on a page: the innermost element whose text it is, else an attribute, else the innermost element whose text holds
// it. ok is false where it is nowhere.
func PointAt(doc *html.Node, value string) (at Pointed, ok bool) {
	want := folded(value)
	if want == "" {
		return at, false
	}
	var attr, holds Pointed
	for n := range doc.Descendants() {
		if n.Type != html.ElementNode || unread(n) {
			continue
		}
		for _, a := range n.Attr {
			if attr.Node == nil && folded(a.Val) == want {
				attr = Pointed{n, a.Key}
			}
		}
		switch text := folded(textContent(n)); {
		case text == want && (at.Node == nil || n.Parent == at.Node):
			at = Pointed{Node: n} // one inside it says it more closely
		case at.Node == nil && strings.Contains(text, want):
			holds = Pointed{Node: n}
		}
	}
	at = cmp.Or(at, attr, holds)
	return at, at.Node != nil
}

func folded(s string) string { return strings.Join(strings.Fields(s), " ") }

// PointOptions say what is pointed at. The zero value leaves all to the page.
type PointOptions struct {
	// Class is that of the object that has the value; "" is the innermost one around it that the level gives the field, else the
	// innermost one.
	Class string
	// Field is the name of the field. Where the level has it, what is written for it is relaxed, too.
	Field string
	// As says how the value is read; "" is as the level's field is, else as text.
	As      kb.As
	Lexicon *Lexicon // of the knowledge base; nil makes one
}

// Proposal is an expression that selects what was pointed at.
type Proposal struct {
	Expr  string // as it is written for a field of the object
	Match string // the regular expression that cuts the value; mostly ""
	// From is the expression of the knowledge base that it is a relaxation of, "" where it was read off the page, and Changes how many
	// changes away that is.
	From    string
	Changes int
	Value   string // that it gives where somebody points
	Fit     Fit
	// Score is what adaptation's weights say of it on the page, in logits, and Why what spoke most for it.
	Score float64
	Why   []string
}

// Fit is how an expression holds on pages of a level.
type Fit struct {
	Pages   int // looked at
	On      int // of them: it gives a value of the kind
	Objects int // on all pages
	One     int // of them: one value, perhaps in several places
	Many    int // several different values
	Unread  int // it selects something that is no value of the kind
	// Distinct is how many different values it gives, and Examples the first of them.
	Distinct int
	Examples []string
}

// Share is in which share of the objects there is one value, from 0 to 1.
func (f Fit) Share() float64 { return float64(f.One) / float64(max(1, f.Objects)) }

// Points is what pointing came to.
type Points struct {
	Class     string // of the object that the expressions are written for; "" where they are the page's own
	Field     string
	As        kb.As
	Proposals []Proposal // the best first
	Written   []Proposal // what the level has for the field, held to the same pages
	Lacking   bool       // the level has no such field in objects of the class
}

// Action writes a proposal as the element for the object, with the name of the field, NAME if none was requested.
func (p *Points) Action(x Proposal) string {
	attr := func(name, value string) string {
		if value == "" {
			return ""
		}
		return " " + name + `="` + kb.Escape(value) + `"`
	}
	as := ""
	if p.As != kb.Text {
		as = string(p.As)
	}
	attrs := attr("name", cmp.Or(p.Field, "NAME")) + attr("as", as) + attr("match", x.Match)
	return "<field" + attrs + ">" + kb.Escape(x.Expr) + "</field>"
}

// Bounds of pointing.
const (
	maxPointed  = 80 // expressions that are held to the pages
	maxExamples = 3
	outerNames  = 2 // names of an element around that are tried
)

// Point proposes expressions for a value that somebody points at on a page, and ranks them by how they hold on other pages of the level:
// first by the share of objects that they give one value for, then by how many different ones, then by adaptation's weights. v may be
// nil: the expressions are then for the page. An error says why nothing can be proposed.
func Point(base *kb.Base, v *kb.Level, p extract.Page, at Pointed, others []extract.Page, o PointOptions) (Points, error) {
	if o.Lexicon == nil {
		o.Lexicon = NewLexicon(base)
	}
	s := newSession(base, p, Options{Lexicon: o.Lexicon})
	n, known := s.x.number[elementOf(at.Node)]
	if !known {
		return Points{}, fmt.Errorf("the node is no element of the page that can be read")
	}
	pt := pointing{session: s, n: n, spot: kb.Spot{Place: kb.Place{Part: o.Field}, Objects: []*kb.Object{{}},
		Field: &kb.Field{Name: o.Field, As: cmp.Or(o.As, kb.Text)}}}
	if at.Attr != "" {
		pt.to = xpath.Test{Kind: xpath.Attr, Name: at.Attr}
	} else if at.Node.Type == html.TextNode {
		pt.to = xpath.Test{Kind: xpath.Text}
	}
	if v != nil {
		pt.place(v, o)
	}
	pt.sc = s.scopeOf(pt.spot.Objects)
	out := Points{Class: pt.spot.Objects[len(pt.spot.Objects)-1].Class, Field: pt.spot.Field.Name, As: pt.spot.Field.As}
	if o.Class != "" && out.Class != o.Class {
		return Points{}, fmt.Errorf("it lies in no %s of the page", o.Class)
	}
	sessions := []*session{s}
	for _, other := range others {
		sessions = append(sessions, newSession(base, other, Options{Lexicon: o.Lexicon}))
	}
	out.Lacking = len(pt.spot.Tries) == 0
	for _, t := range pt.spot.Tries {
		out.Written = append(out.Written, Proposal{Expr: t.Expr.Source, Fit: pt.fit(t, sessions)})
	}
	for _, c := range pt.candidates() {
		if prop := pt.proposal(c); prop.Value != "" {
			prop.Fit = pt.fit(c.try, sessions)
			out.Proposals = append(out.Proposals, prop)
		}
	}
	slices.SortStableFunc(out.Proposals, func(a, b Proposal) int {
		return cmp.Or(cmp.Compare(b.Fit.Share(), a.Fit.Share()), cmp.Compare(b.Fit.Distinct, a.Fit.Distinct), cmp.Compare(b.Score, a.Score),
			cmp.Compare(len(a.Expr), len(b.Expr)))
	})
	return out, nil
}

// pointing is one value that somebody points at.
type pointing struct {
	*session
	n    int        // the element
	to   xpath.Test // what of it
	spot kb.Spot
	sc   *scope
}

// place finds the innermost object around the element, of the requested class and with the requested field if one has it, and that
// field.
func (pt *pointing) place(v *kb.Level, o PointOptions) {
	pt.protect(v)
	holds := func(rec int) bool { return pt.x.inside(pt.n, rec) }
	has := func(spot kb.Spot) bool { return spot.Field != nil && spot.Field.Name == o.Field }
	depth, with := 0, false
	for _, spot := range v.Spots() {
		n := len(spot.Objects)
		if better := has(spot) && !with || has(spot) == with && n > depth; better && n > 0 &&
			(o.Class == "" || spot.Objects[n-1].Class == o.Class) && slices.ContainsFunc(pt.scopeOf(spot.Objects).records, holds) {
			depth, with, pt.spot.Objects = n, has(spot), spot.Objects
		}
	}
	for _, spot := range v.Spots() {
		if f := spot.Field; f != nil && f.Name == o.Field && (o.As == "" || f.As == o.As) && slices.Equal(spot.Objects, pt.spot.Objects) {
			one := *f
			one.Many = false // what is pointed at is one
			pt.spot = spot
			pt.spot.Field = &one
		}
	}
}

// scopeOf finds the objects of a chain on the page, as declared.
func (s *session) scopeOf(chain []*kb.Object) *scope {
	sc := &scope{records: []int{-1}}
	for _, o := range chain {
		sc.records = s.within(o, sc.records)
	}
	last := chain[len(chain)-1]
	for _, o := range last.Objects {
		if len(o.At) > 0 {
			sc.inner = append(sc.inner, s.within(o, sc.records)...)
		}
	}
	if last.Nests {
		sc.inner = append(sc.inner, sc.records...)
	}
	slices.Sort(sc.inner)
	return sc
}

// within finds the nodes of an object in those of the one around it.
func (s *session) within(o *kb.Object, records []int) (nodes []int) {
	if len(o.At) == 0 || rooted(o) {
		return records
	}
	for _, rec := range records {
		nodes = append(nodes, s.nodesOf(o.At, rec)...)
	}
	slices.Sort(nodes)
	return slices.Compact(nodes)
}

// candidates lists the expressions that are tried: relaxations of what is written, the names of the element, by themselves and within
// those around it, what a label beside it says, and its place.
func (pt *pointing) candidates() []*candidate {
	ctx := contextOf(pt.x, pt.n, pt.sc.records)
	known := pt.lex.known(pt.category, purpose(pt.spot))
	sources := pt.sources(pt.spot)
	out := gathered{seen: map[string]bool{}}
	if pt.to.Kind == xpath.Attr && slices.Contains(pt.sc.records, pt.n) { // of the object's own element
		if e, err := kb.NewExpr("./" + pt.to.String()); err == nil {
			out.add(trial(e, nil, 0))
		}
	}
	for _, k := range pt.keys(pt.n, ctx) {
		g := &group{tag: k.tag, cond: k.cond, outer: k.outer, nodes: []int{pt.n}}
		for _, src := range sources {
			if src.reading.Before == nil {
				out.add(pt.relaxed(src, pt.n, ctx, pt.to, known))
			}
		}
		steps := g.expr().Steps
		out.add(pt.ending(steps...))
		last := steps[len(steps)-1]
		last.Axis = xpath.Descendant
		for up := pt.x.parent[pt.n]; up > ctx; up = pt.x.parent[up] {
			conds := pt.x.conditions(up)
			for i := range conds[:min(len(conds), outerNames)] {
				out.add(pt.ending(xpath.Step{Test: pt.tag(up), Preds: conds[i : i+1]}, last))
			}
		}
	}
	out.add(pt.beside())
	out.add(pt.byPlace(ctx))
	var ready []*candidate
	for _, c := range out.list[:min(len(out.list), maxPointed)] {
		e, err := c.compiled()
		if err != nil {
			continue
		}
		if pt.spot.Field.As == kb.Date {
			c.match = pt.dateCut(pt.raw(pt.n, pt.to), c.match)
		}
		c.try = &kb.Try{Expr: e, Match: c.match}
		ready = append(ready, c)
	}
	return ready
}

// tag asks for the tag of an element.
func (pt *pointing) tag(n int) xpath.Test {
	return xpath.Test{Kind: xpath.Tag, Name: pt.x.nodes[n].Data}
}

// ending makes a candidate of steps to the element.
func (pt *pointing) ending(steps ...xpath.Step) *candidate {
	if pt.to != (xpath.Test{}) {
		steps = append(slices.Clone(steps), xpath.Step{Axis: xpath.Child, Test: pt.to})
	}
	return proposal(relax.Reading{Expr: &xpath.Expr{Steps: steps}}, nil)
}

// beside asks for the row that a label stands in: tr[th='Author']/td.
func (pt *pointing) beside() *candidate {
	up := pt.x.parent[pt.n]
	for m := max(up, 0) + 1; up >= 0 && m < pt.x.end[up]; m = pt.x.end[m] {
		text := textContent(pt.x.nodes[m])
		if pt.tag(m) == pt.tag(pt.n) || text == "" || len(text) > longestLabel || folded(text) != text {
			continue
		}
		label := xpath.Pred{Kind: xpath.Equals, Value: pt.tag(m), Literal: text}
		return pt.ending(xpath.Step{Test: pt.tag(up), Preds: []xpath.Pred{label}}, xpath.Step{Axis: xpath.Child, Test: pt.tag(pt.n)})
	}
	return nil
}

// byPlace tells the element by its place below the next element around it that has a name or is the only one of its tag, or its object.
func (pt *pointing) byPlace(ctx int) *candidate {
	var steps []xpath.Step
	for n := pt.n; n > ctx; n = pt.x.parent[n] {
		same := pt.x.tags[pt.x.nodes[n].Data]
		if conds := pt.x.conditions(n); len(same) == 1 || len(conds) > 0 && n != pt.n {
			steps = append(steps, xpath.Step{Test: pt.tag(n), Preds: conds[:min(1, len(conds))]})
			break
		}
		at := 1
		for _, m := range same {
			if m < n && pt.x.parent[m] == pt.x.parent[n] {
				at++
			}
		}
		steps = append(steps, xpath.Step{Axis: xpath.Child, Test: pt.tag(n), Preds: []xpath.Pred{{Kind: xpath.Position, N: at}}})
	}
	slices.Reverse(steps)
	return pt.ending(steps...)
}

// record is the object around the element, or whose element it is; -1 for the page.
func (pt *pointing) record() int {
	if slices.Contains(pt.sc.records, pt.n) {
		return pt.n
	}
	return contextOf(pt.x, pt.n, pt.sc.records)
}

// proposal describes a candidate that gives what is pointed at; its value is "" for one that does not.
func (pt *pointing) proposal(c *candidate) Proposal {
	p := Proposal{Expr: c.try.Expr.Source, From: c.from}
	for _, v := range pt.selectAll(c.try.Expr, pt.record()) {
		if n, ok := pt.x.number[elementOf(v.Node)]; ok && n == pt.n && p.Value == "" {
			p.Value = pt.text(pt.spot.Field, c.try, v)
		}
	}
	if c.match != nil {
		p.Match = c.match.String()
	}
	if c.from != "" {
		p.Changes = c.cost.Changes
	}
	q := &ask{s: pt.session, spot: pt.spot, field: pt.spot.Field, sc: pt.sc, tk: newTaken(len(pt.sc.records))}
	if kind := q.kind(); p.Value != "" && q.read(c) {
		model, names := pt.weights[string(kind)], namesOf[kind]
		c.vector = evidenceOf[kind].of(q, c)
		p.Score, p.Why = model.Score(names, c.vector), spoke(model, kind, names, c.vector, true)
	}
	return p
}

// fit holds an expression to the objects of some pages.
func (pt *pointing) fit(t *kb.Try, sessions []*session) Fit {
	f := Fit{Pages: len(sessions)}
	all := map[string]bool{}
	for _, s := range sessions {
		on, sc := 0, s.scopeOf(pt.spot.Objects)
		for _, rec := range sc.records {
			values, void := s.valuesAt(t, pt.spot.Field, rec, sc)
			f.Objects++
			switch {
			case len(values) == 1 || len(values) > 1 && pt.spot.Field.As == kb.HTML:
				f.One++
			case len(values) > 1:
				f.Many++
			case void:
				f.Unread++
			}
			on += len(values)
			for _, v := range values {
				if !all[v] && len(all) < maxExamples {
					f.Examples = append(f.Examples, v)
				}
				all[v] = true
			}
		}
		f.On += min(on, 1)
	}
	f.Distinct = len(all)
	return f
}

// valuesAt gives the different values that an expression has in an object; void tells that it selects what is no value.
func (s *session) valuesAt(t *kb.Try, f *kb.Field, rec int, sc *scope) (values []string, void bool) {
	for _, v := range s.selectAll(t.Expr, rec) {
		n, ok := s.x.number[elementOf(v.Node)]
		if !ok || s.innerOf(n, rec, sc.inner) {
			continue
		}
		text := s.text(f, t, v)
		if text == "" {
			void = true
		} else if !slices.Contains(values, text) {
			values = append(values, text)
		}
	}
	return values, void
}
