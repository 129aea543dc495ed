package yfilter

import (
	"hash/maphash"
	"slices"

	"github.com/awarc/awarc/yfilter/xpath"
	"golang.org/x/net/html"
)

// A plan is what is asked of every element with one tag, or of every element,
// whatever lies above it: the first steps of patterns that begin with "//", as most
// do. It is taken from the asks of their guards and turned around: instead of going
// from guard to guard, each of which asks for its values, the walk reads each value
// of an element once, and what is found in it tells which guards it leads to.
type plan struct {
	test  *guard // that the elements pass
	attrs byNumber[cell]
	text  bool   // text() is asked
	texts bool   // text()= is asked: of all texts, not of the first
	self  bool   // the string-value of the element is asked
	rest  *guard // the test again, if there is anything else behind it
}

// cell is what is asked of one attribute.
type cell struct {
	exists  []*guard
	matcher *matcher // nil if nothing more is asked
}

// taken are the predicates on one value that are asked of all elements with a tag,
// or of all but those that a not() excludes.
type taken struct{ exists, compared []*guard }

// takings are all that were taken from asks, by value and tag: by the number of an
// attribute, or ofTexts, and by the number of a tag, or 0 for "*".
type takings map[int32]map[int32]*taken

const ofTexts = 0

// onceTags are the elements of which a page has one: what is asked of them need
// not be looked for in all others.
var onceTags = []string{"html", "head", "body"}

// makePlans makes the plans of an automaton.
func (a *NFA) makePlans(seed maphash.Seed) {
	if a.start.desc == nil {
		return
	}
	from := takings{}
	a.plans = make([]*plan, len(a.tags.list)+1)
	a.plans[0] = &plan{}
	for _, t := range a.start.desc.all {
		tag := int32(0)
		switch t.test.Kind {
		case xpath.Tag:
			tag = a.tags.number(t.test.Name)
		case xpath.AnyTag:
		default:
			continue
		}
		p := &plan{test: t.guard}
		a.plans[tag] = p
		from.take(t.guard, tag, p)
		if t.guard.to != nil || t.guard.asks != nil {
			p.rest = t.guard
		}
	}
	var texts []*guard
	for value := range int32(len(a.attrs.list) + 1) {
		byTag := from[value]
		if value == ofTexts {
			for tag := range a.plans {
				if t := byTag[int32(tag)]; t != nil {
					texts = append(texts, t.compared...)
				}
			}
		} else if byTag != nil {
			a.planAttr(seed, value, byTag)
		}
	}
	if len(texts) > 0 {
		a.texts = newMatcher(seed, texts)
	}
	for _, p := range a.plans {
		if p != nil {
			p.attrs.arrange()
		}
	}
}

// planAttr plans one attribute. What is asked of elements with some tag is looked
// for together with what is asked of all.
func (a *NFA) planAttr(seed maphash.Seed, value int32, byTag map[int32]*taken) {
	everywhere := byTag[0]
	var together []*guard
	for tag, p := range a.plans {
		t := byTag[int32(tag)]
		if t == nil {
			continue
		}
		c := &cell{exists: t.exists}
		switch {
		case everywhere == nil || len(everywhere.compared) == 0 || slices.Contains(onceTags, a.tags.name(int32(tag))):
			if len(t.compared) > 0 {
				c.matcher = newMatcher(seed, t.compared)
			}
		default:
			together = append(together, t.compared...)
		}
		if tag == 0 || len(c.exists) > 0 || c.matcher != nil {
			p.attrs.add(value, c)
		}
	}
	if len(together) > 0 {
		a.plans[0].attrs.last().matcher = newMatcher(seed, together)
	}
}

// take takes from the asks of a guard, and of what not() leads to from there, what
// a plan can find by reading values.
func (from takings) take(g *guard, tag int32, p *plan) {
	q := g.asks
	if q == nil {
		return
	}
	for _, e := range q.attrs.few {
		t := from.of(e.number, tag)
		if e.value.exists != nil {
			t.exists = append(t.exists, e.value.exists)
		}
		t.compared = append(t.compared, e.value.few...)
	}
	if q.self != nil {
		p.self = true
		t := from.of(ofTexts, tag)
		t.compared = append(t.compared, q.self.few...)
	}
	if q.text != nil {
		p.text, p.texts = true, p.texts || q.text.equals
		t := from.of(ofTexts, tag)
		t.compared = append(t.compared, q.text.few...)
	}
	q.attrs, q.self, q.text = byNumber[valueAsks]{}, nil, nil
	q.checks = slices.DeleteFunc(q.checks, func(c check) bool {
		if c.to.pred.Kind != xpath.Not {
			return false
		}
		from.take(c.to, tag, p)
		return c.to.to == nil && c.to.asks == nil
	})
	if len(q.checks) == 0 {
		g.asks = nil
	}
}

func (from takings) of(value, tag int32) *taken {
	byTag := from[value]
	if byTag == nil {
		byTag = map[int32]*taken{}
		from[value] = byTag
	}
	if byTag[tag] == nil {
		byTag[tag] = &taken{}
	}
	return byTag[tag]
}

// follow plans tries the first steps that begin with "//" on an element.
func (r *runner) followPlans(n *html.Node, symbol int32) {
	every, own := r.nfa.plans[0], (*plan)(nil)
	if symbol > 0 {
		own = r.nfa.plans[symbol]
	}
	e := asked{every: every, own: own, at: point{n, itself}}
	from := len(r.holding)
	if len(n.Attr) > 0 {
		r.readNames(n)
		for i := range r.names {
			if number := r.names[i].number; number != 0 {
				if c := every.attrs.get(number); c != nil {
					r.readCell(&e, c, i)
				}
				if own != nil {
					if c := own.attrs.get(number); c != nil {
						r.readCell(&e, c, i)
					}
				}
			}
		}
	}
	if every.text || every.self || own != nil && (own.text || own.self) {
		r.readTexts(&e)
	}
	if len(r.holding) > from {
		r.follow(from, e.at)
	}
	if every.rest != nil {
		r.guard(every.rest, e.at)
	}
	if own != nil && own.rest != nil {
		r.guard(own.rest, e.at)
	}
}

// asked is an element and the plans that apply to it; own may be nil.
type asked struct {
	every, own *plan
	at         point
}

// passes tells whether the element passes the test and the predicates in front of
// the last one that leads to g.
func (r *runner) passes(e *asked, g *guard) bool {
	g = g.up
	for ; g.pred != nil; g = g.up {
		if !r.holds(g.pred, e.at) {
			return false
		}
	}
	return g == e.every.test || e.own != nil && g == e.own.test
}

// readCell holds what is asked of the i-th attribute of an element.
func (r *runner) readCell(e *asked, c *cell, i int) {
	for _, g := range c.exists {
		if r.passes(e, g) {
			r.hold(g)
		}
	}
	if c.matcher != nil {
		r.match(c.matcher, e.at.n.Attr[i].Val, r.names[i].first)
		r.holdMatched(e, r.names[i].first, func(*guard) bool { return true })
	}
}

// holdMatched holds those of the guards found by the latest match whose element
// and value are the ones looked at. Only "=" looks at other nodes than the first.
func (r *runner) holdMatched(e *asked, first bool, asks func(g *guard) bool) {
	if len(r.matched) > 8 {
		r.sortMatched()
	}
	for _, g := range r.matched {
		if (first || g.pred.Kind == xpath.Equals) && asks(g) && r.passes(e, g) {
			r.hold(g)
		}
	}
}

func asksText(g *guard) bool { return g.pred.Value.Kind == xpath.Text }
func asksSelf(g *guard) bool { return g.pred.Value.Kind == xpath.Self }

// readTexts holds what is asked of the text of an element.
func (r *runner) readTexts(e *asked) {
	n, m := e.at.n, r.nfa.texts
	if c := onlyText(n); c != nil { // the same for text() and the element
		r.match(m, c.Data, true)
		r.holdMatched(e, true, func(*guard) bool { return true })
		return
	}
	if e.every.text || e.own != nil && e.own.text {
		first, all := true, e.every.texts || e.own != nil && e.own.texts
		for c := n.FirstChild; c != nil && (first || all); c = c.NextSibling {
			if c.Type == html.TextNode {
				r.match(m, c.Data, first)
				r.holdMatched(e, first, asksText)
				first = false
			}
		}
	}
	if e.every.self || e.own != nil && e.own.self {
		r.readSelf(e)
	}
}

// readSelf holds what is asked of the string-value of an element with children. If
// the text is long, many other such elements may lie in it, and what occurs nowhere
// in the page is not asked of each.
func (r *runner) readSelf(e *asked) {
	n, m := e.at.n, r.nfa.texts
	if s, ok := r.text.value(n); ok {
		r.match(m, s, true)
		r.holdMatched(e, true, asksSelf)
		return
	}
	r.match(m, r.text.long(n), false)
	r.holdMatched(e, true, asksSelf)
	for _, g := range r.occurring(m) {
		if asksSelf(g) && g.pred.Kind == xpath.Contains && r.passes(e, g) && r.text.matches(g.pred, n) {
			r.hold(g)
		}
	}
}
