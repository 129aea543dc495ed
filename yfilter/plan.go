package yfilter

import (
	"hash/maphash"
	"math"
	"slices"

	"github.com/awarc/awarc/yfilter/xpath"
	"golang.org/x/net/html"
)

// A plan is what is asked of every element with one tag, or of every element,
// whatever lies above it: the first steps of patterns that begin with "//", as most
// do. It is taken from the asks of their guards and turned around: instead of going
// from guard to guard, each of which asks for its values, the walk reads each value
// of an element once, and what is found in it tells which guards it leads to. What
// later steps ask of attributes is read together with that.
type plan struct {
	test  *guard // that the elements pass, or nil
	attrs byNumber[cell]
	text  bool     // text() is asked
	texts bool     // text()= is asked: of all texts, not of the first
	self  bool     // the string-value of the element is asked
	read  *matcher // of text() and the string-value, also of what every element is asked
	rest  *guard   // the test again, if there is anything else behind it
}

// cell is what is asked of one attribute.
type cell struct {
	exists  []*guard
	matcher *matcher // nil if nothing more is asked
}

// taken are the predicates on one value that are asked of all elements with a tag:
// those that were taken from plans, and those that are asked in later steps.
type taken struct{ exists, compared, asked []*guard }

func (t *taken) compares() bool { return t != nil && len(t.compared)+len(t.asked) > 0 }

// takings are all that were taken from asks, by value and tag: by the number of an
// attribute, or ofTexts, and by the number of a tag, or 0 for "*".
type takings map[int32]map[int32]*taken

const ofTexts = 0

// onceTags are the elements of which a page has one: what is asked of them need
// not be looked for in all others.
var onceTags = []string{"html", "head", "body"}

// makePlans makes the plans of an automaton.
func (a *NFA) makePlans(seed maphash.Seed) {
	from := takings{}
	a.plans = make([]*plan, len(a.tags.list)+1)
	a.plans[0] = &plan{}
	tags := map[*guard]int32{} // by guard of a test of elements
	for _, st := range a.steps {
		for _, t := range st.all {
			switch t.test.Kind {
			case xpath.Tag:
				tags[t.guard] = a.tags.number(t.test.Name)
			case xpath.AnyTag:
				tags[t.guard] = 0
			}
		}
	}
	if first := a.start.desc; first != nil {
		first.wants &^= wantsTags
		for _, t := range first.all {
			tag, ok := tags[t.guard]
			if !ok {
				continue
			}
			p := &plan{test: t.guard}
			a.plans[tag] = p
			from.take(t.guard, tag, p)
			if t.guard.to != nil || t.guard.asks != nil {
				p.rest = t.guard
			}
		}
	}
	from.ask(tags)
	a.planTexts(seed, from[ofTexts])
	for attr := range int32(len(a.attrs.list)) {
		if byTag := from[attr+1]; byTag != nil {
			a.planAttr(seed, attr+1, byTag)
		}
	}
	for _, p := range a.plans {
		if p != nil {
			p.attrs.arrange()
		}
	}
}

// ask takes note of what the first predicates of steps ask of attributes, given the
// guards of their tests and their tags. What comes behind them is asked of few elements.
func (from takings) ask(tags map[*guard]int32) {
	for g, tag := range tags {
		if g.asks == nil {
			continue
		}
		for _, e := range g.asks.attrs.few {
			t := from.of(e.number, tag)
			t.asked = append(t.asked, e.value.plan()...)
		}
	}
}

// planTexts plans texts and string-values. Much more is asked of the texts of a few
// tags, as of scripts, than of all others: so each has a matcher of its own, in which
// is, too, what is asked of every element.
func (a *NFA) planTexts(seed maphash.Seed, byTag map[int32]*taken) {
	every := a.plans[0]
	for tag, p := range a.plans {
		t := byTag[int32(tag)]
		if t == nil {
			continue
		}
		guards := t.compared
		if tag > 0 {
			p.text, p.texts, p.self = p.text || every.text, p.texts || every.texts, p.self || every.self
			if t := byTag[0]; t != nil {
				guards = slices.Concat(guards, t.compared)
			}
		}
		p.read = newMatcher(seed, guards, nil)
	}
}

// planAttr plans one attribute. What is asked of elements with some tag is looked
// for together with what is asked of all.
func (a *NFA) planAttr(seed maphash.Seed, value int32, byTag map[int32]*taken) {
	var together taken
	for tag, p := range a.plans {
		t := byTag[int32(tag)]
		if t == nil {
			continue
		}
		if p == nil {
			p = &plan{}
			a.plans[tag] = p
		}
		c := &cell{exists: t.exists}
		if byTag[0].compares() && !slices.Contains(onceTags, a.tags.name(int32(tag))) {
			together.compared = append(together.compared, t.compared...)
			together.asked = append(together.asked, t.asked...)
		} else if t.compares() {
			c.matcher = newMatcher(seed, t.compared, t.asked)
		}
		if tag == 0 || len(c.exists) > 0 || c.matcher != nil {
			p.attrs.add(value, c)
		}
	}
	if together.compares() {
		a.plans[0].attrs.last().matcher = newMatcher(seed, together.compared, together.asked)
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

// followPlans reads the values of an element and tries the first steps that begin
// with "//" on it.
func (r *runner) followPlans(n *html.Node, symbol int32) {
	every, own := r.nfa.plans[0], (*plan)(nil)
	if symbol > 0 {
		own = r.nfa.plans[symbol]
	}
	e := asked{every: every, own: own, at: point{n, itself}}
	from := len(r.holding)
	if len(n.Attr) > 0 {
		r.answers.trim()
		r.readNames(n)
		for i := range r.names {
			if name := &r.names[i]; name.number != 0 {
				name.found[0] = r.readCell(&e, every.attrs.get(name.number), n.Attr[i].Val, name.first)
				if own != nil {
					name.found[1] = r.readCell(&e, own.attrs.get(name.number), n.Attr[i].Val, name.first)
				}
				if len(name.found[0])+len(name.found[1]) > 0 {
					r.foundIn |= attrBit(name.number)
				}
			}
		}
	}
	if own != nil && own.read != nil {
		r.readTexts(&e, own)
	} else if every.read != nil {
		r.readTexts(&e, every)
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

// readCell reads the value of an attribute, holds what c asks of it and returns what
// is true of it; c may be nil.
func (r *runner) readCell(e *asked, c *cell, value string, first bool) []*comparison {
	if c == nil {
		return nil
	}
	for _, g := range c.exists {
		if r.passes(e, g) {
			r.hold(g)
		}
	}
	if c.matcher == nil {
		return nil
	}
	found := r.answers.match(c.matcher, value)
	r.holdFound(e, found, first, anyValue)
	return found
}

// anyValue, in place of the kind of a value, stands for all.
const anyValue = xpath.TestKind(math.MaxUint8)

// holdFound holds those of the guards behind comparisons whose element and value are
// the ones looked at. Only "=" looks at other nodes than the first.
func (r *runner) holdFound(e *asked, found []*comparison, first bool, value xpath.TestKind) {
	for _, c := range found {
		if !first && c.pred.Kind != xpath.Equals {
			continue
		}
		for _, g := range c.guards {
			if (value == anyValue || g.pred.Value.Kind == value) && r.passes(e, g) {
				r.hold(g)
			}
		}
	}
}

// passes reports whether the element passes the test and the predicates in front of
// the last one that leads to g.
func (r *runner) passes(e *asked, g *guard) bool {
	if t := g.test(); t != e.every.test && (e.own == nil || t != e.own.test) {
		return false
	}
	for g = g.up; g.pred != nil; g = g.up {
		if !r.holds(g.pred, e.at) {
			return false
		}
	}
	return true
}

// readTexts holds what p asks of the text of an element.
func (r *runner) readTexts(e *asked, p *plan) {
	n, m := e.at.n, p.read
	if c := onlyText(n); c != nil { // the same for text() and the element
		r.holdFound(e, r.answers.match(m, c.Data), true, anyValue)
		return
	}
	if p.text {
		first := true
		for c := n.FirstChild; c != nil && (first || p.texts); c = c.NextSibling {
			if c.Type == html.TextNode {
				r.holdFound(e, r.answers.match(m, c.Data), first, xpath.Text)
				first = false
			}
		}
	}
	if p.self {
		r.readSelf(e, m)
	}
}

// readSelf holds what is asked of the string-value of an element with children. If
// the text is long, many other such elements may lie in it, and what occurs nowhere
// in the page is not asked of each.
func (r *runner) readSelf(e *asked, m *matcher) {
	n := e.at.n
	if s, ok := r.text.value(n); ok {
		r.matched = m.match(r.matched[:0], s, true)
		r.holdFound(e, r.matched, true, xpath.Self)
		return
	}
	r.matched = m.match(r.matched[:0], r.text.long(n), false)
	r.holdFound(e, r.matched, true, xpath.Self)
	for _, c := range r.occurring(m) {
		for _, g := range c.guards {
			if g.pred.Value.Kind == xpath.Self && r.passes(e, g) && r.text.matches(g.pred, n) {
				r.hold(g)
			}
		}
	}
}
