package adapt

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

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

// PointAt finds a value on a page: the innermost element whose text it is, else an attribute, else the innermost element whose text
// holds it. ok is false where it is nowhere.
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
		if text := folded(textContent(n)); text == want {
			at = Pointed{Node: n} // one inside it says it more closely
		} else if at.Node == nil && strings.Contains(text, want) {
			holds = Pointed{Node: n}
		} else if at.Node != nil && !inside(n, at.Node) {
			break
		}
	}
	at = cmp.Or(at, attr, holds)
	return at, at.Node != nil
}

func folded(s string) string { return strings.Join(strings.Fields(s), " ") }

func inside(n, outer *html.Node) bool {
	for n != nil && n != outer {
		n = n.Parent
	}
	return n != nil
}

// PointOptions say what is pointed at. The zero value leaves all to the page.
type PointOptions struct {
	// Class is that of the object that has the value; "" is the innermost one around it.
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
	pt := pointing{session: s, n: n, spot: kb.Spot{Place: kb.Place{Part: o.Field}},
		field: &kb.Field{Name: o.Field, As: cmp.Or(o.As, kb.Text)}}
	if at.Attr != "" {
		pt.to = xpath.Test{Kind: xpath.Attr, Name: at.Attr}
	} else if at.Node.Type == html.TextNode {
		pt.to = xpath.Test{Kind: xpath.Text}
	}
	if v != nil {
		pt.place(v, o)
	}
	if o.Class != "" && pt.class() != o.Class {
		return Points{}, fmt.Errorf("it lies in no %s of the page", o.Class)
	}
	if pt.sc = s.scopeOf(pt.chain); len(pt.sc.records) == 0 {
		pt.sc.records = []int{-1}
	}
	pt.spot.Field, pt.spot.Objects = pt.field, pt.chain
	if len(pt.chain) == 0 {
		pt.spot.Objects = []*kb.Object{{}}
	}
	out := Points{Class: pt.class(), Field: pt.field.Name, As: pt.field.As}
	tries := pt.tries()
	sessions := []*session{s}
	for _, other := range others {
		sessions = append(sessions, newSession(base, other, Options{Lexicon: o.Lexicon}))
	}
	for _, t := range pt.spot.Tries {
		w := Proposal{Expr: t.Expr.Source, Fit: pt.fit(t, sessions)}
		out.Written = append(out.Written, w)
	}
	for _, t := range tries {
		prop, ok := pt.proposal(t)
		if !ok {
			continue
		}
		prop.Fit = pt.fit(t.try, sessions)
		out.Proposals = append(out.Proposals, prop)
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
	n     int // the element
	to    xpath.Test
	chain []*kb.Object // around it, the outermost first
	spot  kb.Spot
	field *kb.Field
	sc    *scope
}

// class is that of the object that has the value; "" for none.
func (pt *pointing) class() string {
	if len(pt.chain) == 0 {
		return ""
	}
	return pt.chain[len(pt.chain)-1].Class
}

// place finds the object that the element lies in, and the field of it that is asked for.
func (pt *pointing) place(v *kb.Level, o PointOptions) {
	pt.protect(v)
	pt.chain = pt.around(v.Objects, nil, o.Class)
	for _, spot := range v.Spots() {
		if spot.Field == nil || spot.Field.Name != o.Field || o.As != "" && spot.Field.As != o.As || !slices.Equal(spot.Objects, pt.chain) {
			continue
		}
		f := *spot.Field
		f.Many = false // what is pointed at is one
		pt.spot, pt.field = spot, &f
	}
}

// around gives the longest chain of objects of which one on the page holds the element, down to one of a class where that is not "".
func (pt *pointing) around(objects, outer []*kb.Object, class string) []*kb.Object {
	var best []*kb.Object
	for _, o := range objects {
		chain := append(slices.Clone(outer), o)
		if !slices.ContainsFunc(pt.scopeOf(chain).records, func(rec int) bool { return pt.x.inside(pt.n, rec) }) {
			continue
		}
		deeper := pt.around(o.Objects, chain, class)
		if deeper == nil && (class == "" || o.Class == class) {
			deeper = chain
		}
		if len(deeper) > len(best) {
			best = deeper
		}
	}
	return best
}

// scopeOf finds the objects of a chain on the page, as declared.
func (s *session) scopeOf(chain []*kb.Object) *scope {
	sc := &scope{records: []int{-1}}
	for _, o := range chain {
		sc.records = s.within(o, sc.records)
	}
	if len(chain) > 0 {
		last := chain[len(chain)-1]
		for _, o := range last.Objects {
			if len(o.At) > 0 {
				sc.inner = append(sc.inner, s.within(o, sc.records)...)
			}
		}
		if last.Nests {
			sc.inner = append(sc.inner, sc.records...)
		}
	}
	slices.Sort(sc.inner)
	return sc
}

// within finds the nodes of an object in those of the one around it.
func (s *session) within(o *kb.Object, records []int) (nodes []int) {
	switch {
	case len(o.At) == 0:
		return records
	case rooted(o):
		return []int{-1}
	}
	for _, rec := range records {
		nodes = append(nodes, s.nodesOf(o.At, rec)...)
	}
	slices.Sort(nodes)
	return slices.Compact(nodes)
}

// ready is a candidate ready to run.
type ready struct {
	*candidate
	try *kb.Try
}

// tries lists the expressions that are tried: relaxations of what is written, the names of the element, by themselves and within those
// around it, what a label beside it says, and its place.
func (pt *pointing) tries() []ready {
	ctx := contextOf(pt.x, pt.n, pt.sc.records)
	var out []ready
	seen := map[string]bool{}
	add := func(c *candidate) {
		if c == nil || len(out) >= maxPointed || seen[c.written()] {
			return
		}
		seen[c.written()] = true
		e, err := pt.exact(c, pt.sc.records)
		if err != nil {
			return
		}
		if pt.field.As == kb.Date {
			c.match = pt.dateCut(pt.raw(pt.n, pt.to), c.match)
		}
		out = append(out, ready{c, &kb.Try{Expr: e, Match: c.match}})
	}
	known := pt.lex.known(pt.category, purpose(pt.spot))
	sources := pt.sources(pt.spot)
	for _, k := range pt.keys(pt.n, ctx) {
		g := &group{tag: k.tag, cond: k.cond, outer: k.outer, nodes: []int{pt.n}}
		for _, src := range sources {
			if src.reading.Before == nil {
				add(pt.relaxed(src, g, pt.n, ctx, pt.to, known))
			}
		}
		add(pt.ending(g.expr()))
		for up := pt.x.parent[pt.n]; up > ctx; up = pt.x.parent[up] {
			conds := pt.x.conditions(up)
			for _, cond := range conds[:min(len(conds), outerNames)] {
				outer := xpath.Step{Test: xpath.Test{Kind: xpath.Tag, Name: pt.x.nodes[up].Data}, Preds: []xpath.Pred{cond}}
				last := g.expr().Steps[len(g.expr().Steps)-1]
				last.Axis = xpath.Descendant
				add(pt.ending(&xpath.Expr{Steps: []xpath.Step{outer, last}}))
			}
		}
	}
	add(pt.beside())
	add(pt.byPlace(ctx))
	return out
}

// ending makes a candidate of an expression for the element.
func (pt *pointing) ending(e *xpath.Expr) *candidate {
	if pt.to != (xpath.Test{}) {
		e = &xpath.Expr{Steps: append(slices.Clone(e.Steps), xpath.Step{Axis: xpath.Child, Test: pt.to})}
	}
	return proposal(relax.Reading{Expr: e}, nil)
}

// longestLabel is how long a label may be, in bytes.
const longestLabel = 30

// beside asks for the row that a label stands in: tr[th='Author']/td.
func (pt *pointing) beside() *candidate {
	up := pt.x.parent[pt.n]
	if up < 0 {
		return nil
	}
	for sib := pt.x.nodes[up].FirstChild; sib != nil; sib = sib.NextSibling {
		text := folded(textContent(sib))
		if sib.Type != html.ElementNode || sib.Data == pt.x.nodes[pt.n].Data || text == "" || len(text) > longestLabel ||
			textContent(sib) != text {
			continue
		}
		label := xpath.Pred{Kind: xpath.Equals, Value: xpath.Test{Kind: xpath.Tag, Name: sib.Data}, Literal: text}
		return pt.ending(&xpath.Expr{Steps: []xpath.Step{
			{Test: xpath.Test{Kind: xpath.Tag, Name: pt.x.nodes[up].Data}, Preds: []xpath.Pred{label}},
			{Axis: xpath.Child, Test: xpath.Test{Kind: xpath.Tag, Name: pt.x.nodes[pt.n].Data}},
		}})
	}
	return nil
}

// byPlace tells the element by its place below the next element around it that has a name, or its object.
func (pt *pointing) byPlace(ctx int) *candidate {
	var steps []xpath.Step
	for n := pt.n; n > ctx; n = pt.x.parent[n] {
		step := xpath.Step{Axis: xpath.Child, Test: xpath.Test{Kind: xpath.Tag, Name: pt.x.nodes[n].Data}}
		if pt.x.nodes[n].DataAtom == atom.Body {
			steps = append(steps, xpath.Step{Test: step.Test})
			break
		}
		if conds := pt.x.conditions(n); len(conds) > 0 && n != pt.n {
			step.Axis, step.Preds = xpath.Descendant, conds[:1]
			steps = append(steps, step)
			break
		}
		at := 1
		for sib := pt.x.nodes[n].PrevSibling; sib != nil; sib = sib.PrevSibling {
			if sib.Type == html.ElementNode && sib.Data == step.Test.Name {
				at++
			}
		}
		step.Preds = []xpath.Pred{{Kind: xpath.Position, N: at}}
		steps = append(steps, step)
	}
	slices.Reverse(steps)
	if len(steps) == 0 {
		return nil
	}
	return pt.ending(&xpath.Expr{Steps: steps})
}

// proposal describes a candidate that gives what is pointed at; ok is false for one that does not.
func (pt *pointing) proposal(a ready) (Proposal, bool) {
	rec := contextOf(pt.x, pt.n, pt.sc.records)
	p := Proposal{Expr: a.try.Expr.Source, From: a.from}
	for _, v := range pt.selectAll(a.try.Expr, rec) {
		if n, ok := pt.x.number[elementOf(v.Node)]; ok && n == pt.n && p.Value == "" {
			p.Value = strings.TrimSpace(pt.text(pt.field, a.try, v.Node, v.Attr))
		}
	}
	if p.Value == "" {
		return p, false
	}
	if a.try.Match != nil {
		p.Match = a.try.Match.String()
	}
	if a.from != "" {
		p.Changes = a.cost.Changes
	}
	q := &ask{s: pt.session, spot: pt.spot, field: pt.field, sc: pt.sc, tk: newTaken(len(pt.sc.records))}
	if kind := q.kind(); q.read(a.candidate) {
		model, names := pt.weights[string(kind)], namesOf[kind]
		a.vector = evidenceOf[kind].of(q, a.candidate)
		p.Score, p.Why = model.Score(names, a.vector), spoke(model, kind, names, a.vector, true)
	}
	return p, true
}

// fit holds an expression to the objects of some pages.
func (pt *pointing) fit(t *kb.Try, sessions []*session) Fit {
	f := Fit{Pages: len(sessions)}
	distinct := map[string]bool{}
	for _, s := range sessions {
		on, sc := false, s.scopeOf(pt.chain)
		for _, rec := range sc.records {
			values, void := s.valuesAt(t, pt.field, rec, sc)
			f.Objects++
			switch {
			case len(values) == 1 || len(values) > 1 && pt.field.As == kb.HTML:
				f.One++
			case len(values) > 1:
				f.Many++
			case void:
				f.Unread++
			}
			on = on || len(values) > 0
			for _, v := range values {
				if distinct[v] = true; len(f.Examples) < maxExamples && !slices.Contains(f.Examples, v) {
					f.Examples = append(f.Examples, v)
				}
			}
		}
		if on {
			f.On++
		}
	}
	f.Distinct = len(distinct)
	return f
}

// valuesAt gives the different values that an expression has in an object; void tells that it selects what is no value.
func (s *session) valuesAt(t *kb.Try, f *kb.Field, rec int, sc *scope) (values []string, void bool) {
	for _, v := range s.selectAll(t.Expr, rec) {
		n, ok := s.x.number[elementOf(v.Node)]
		if !ok || s.innerOf(n, rec, sc.inner) {
			continue
		}
		text := strings.TrimSpace(s.text(f, t, v.Node, v.Attr))
		if text == "" {
			void = true
		} else if !slices.Contains(values, text) {
			values = append(values, text)
		}
	}
	return values, void
}
