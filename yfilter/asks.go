package yfilter

import (
	"hash/maphash"
	"slices"

	"github.com/awarc/awarc/yfilter/xpath"
	"golang.org/x/net/html"
)

// asks are the predicates that may come next behind a guard, arranged by what
// they look at, so that a node is asked what it has, and not each predicate
// whether it holds.
type asks struct {
	attrs  byNumber[valueAsks] // @name
	having attrBits            // of attrs: an element with one of these is asked
	found  attrBits            // or one where a plan found something in the value
	self   *valueAsks          // .
	text   *valueAsks          // text()
	checks []check             // the others, one by one
}

// attrBits are attributes by their numbers; several may share a bit.
type attrBits uint64

func attrBit(number int32) attrBits { return 1 << (uint32(number) % 64) }

// valueAsks are the predicates on one value. Which of them hold is answered by
// what a plan found, by comparing, where there are few, or by a matcher.
type valueAsks struct {
	exists  *guard
	few     []*guard        // Equals, Contains, StartsWith
	equals  bool            // some of them are Equals
	matcher *matcher        // of the same, instead of few
	planned byNumber[guard] // the same by number of the comparison, instead of few
}

// fewAsks are compared as fast as they are looked up.
const fewAsks = 3

// check is a predicate that is asked by itself.
type check struct {
	to    *guard
	place *place // of a positional predicate, else nil
}

// add enters the predicate that leads to a guard. Asked by themselves are positions,
// not(), what also holds where the value names nothing, and what looks at children or
// at any attribute.
func (q *asks) add(nfa *NFA, to *guard, at *place) {
	p := to.pred
	simple := at == nil && (p.Kind == xpath.Exists || p.Kind == xpath.Equals || p.Kind <= xpath.StartsWith && p.Literal != "")
	switch {
	case simple && p.Value.Kind == xpath.Attr:
		n := nfa.attrs.number(p.Value.Name)
		v := q.attrs.get(n)
		if v == nil {
			v = &valueAsks{}
			q.attrs.add(n, v)
		}
		v.add(to)
	case simple && p.Kind != xpath.Exists && p.Value.Kind == xpath.Self:
		if q.self == nil {
			q.self = &valueAsks{}
		}
		q.self.add(to)
	case simple && p.Kind != xpath.Exists && p.Value.Kind == xpath.Text:
		if q.text == nil {
			q.text = &valueAsks{}
		}
		q.text.add(to)
	default:
		q.checks = append(q.checks, check{to, at})
	}
}

func (v *valueAsks) add(g *guard) {
	if g.pred.Kind == xpath.Exists {
		v.exists = g
		return
	}
	v.few = append(v.few, g)
	v.equals = v.equals || g.pred.Kind == xpath.Equals
}

// plan leaves it to a plan to read the value, and returns what it is asked.
func (v *valueAsks) plan() []*guard {
	asked := v.few
	for _, g := range asked {
		v.planned.add(g.number, g)
	}
	v.planned.arrange()
	v.few = nil
	return asked
}

// arrange makes what was added findable.
func (q *asks) arrange(seed maphash.Seed) {
	for _, e := range q.attrs.few {
		if e.value.exists != nil || e.value.few != nil {
			q.having |= attrBit(e.number)
		} else {
			q.found |= attrBit(e.number)
		}
		e.value.arrange(seed)
	}
	q.attrs.arrange()
	for _, v := range []*valueAsks{q.self, q.text} {
		if v != nil {
			v.arrange(seed)
		}
	}
}

// arrange gives matchers to what are too many to be compared.
func (v *valueAsks) arrange(seed maphash.Seed) {
	if len(v.few) > fewAsks {
		v.matcher, v.few = newMatcher(seed, v.few, nil), nil
	}
}

// ask follows the predicates of q that hold at the point, which is the current
// node or one of its attributes.
func (r *runner) ask(q *asks, at point) {
	element := at.attr == itself && at.n.Type == html.ElementNode
	if element && len(at.n.Attr) > 0 && q.having&r.having|q.found&r.foundIn != 0 {
		r.askAttrs(q, at)
	}
	from := len(r.holding)
	if q.self != nil {
		r.askSelf(q.self, at)
		r.follow(from, at)
	}
	if q.text != nil && element {
		first := true
		for c := at.n.FirstChild; c != nil && (first || q.text.equals); c = c.NextSibling {
			if c.Type == html.TextNode {
				r.ofValue(q.text, c.Data, first)
				first = false
			}
		}
		r.follow(from, at)
	}
	for i := range q.checks {
		c := &q.checks[i]
		if c.place != nil && r.isAt(c.place, at) || c.place == nil && r.holds(c.to.pred, at) {
			r.guard(c.to, at)
		}
	}
}

// askAttrs follows the predicates on attributes of the current element.
func (r *runner) askAttrs(q *asks, at point) {
	from := len(r.holding)
	for i := range r.names {
		name := &r.names[i]
		v := q.attrs.get(name.number)
		if v == nil {
			continue
		}
		if v.exists != nil {
			r.hold(v.exists)
		}
		for _, found := range &name.found {
			for _, c := range found {
				if g := v.planned.get(c.number); g != nil && (name.first || c.pred.Kind == xpath.Equals) {
					r.hold(g)
				}
			}
		}
		r.ofValue(v, at.n.Attr[i].Val, name.first)
	}
	r.follow(from, at)
}

// attrName is what is known of an attribute of the current element.
type attrName struct {
	number int32            // of its name
	first  bool             // no attribute of the element before it has the name
	found  [2][]*comparison // that are true of its value, of those asked of every element and of such ones
}

// readNames looks up the names of the attributes of the current element.
func (r *runner) readNames(n *html.Node) {
	if r.named == n {
		return
	}
	r.named = n
	r.elements++
	r.names, r.having, r.foundIn = r.names[:0], 0, 0
	for i := range n.Attr {
		number := r.nfa.attrs.of(n.Attr[i].Key)
		r.having |= attrBit(number)
		first := number == 0 || r.nameSeen[number] != r.elements
		r.nameSeen[number] = r.elements
		r.names = append(r.names, attrName{number: number, first: first})
	}
}

// askSelf collects the predicates that hold for the string-value of a point.
func (r *runner) askSelf(v *valueAsks, at point) {
	n := at.n
	switch {
	case at.attr != itself:
		r.ofValue(v, n.Attr[at.attr].Val, true)
		return
	case n.Type == html.TextNode:
		r.ofValue(v, n.Data, true)
		return
	}
	if s, ok := r.text.value(n); ok {
		r.ofValue(v, s, true)
		return
	}
	for _, g := range v.few {
		if r.text.matches(g.pred, n) {
			r.hold(g)
		}
	}
	if v.matcher != nil {
		r.askLong(v.matcher, n)
	}
}

// askLong is ofValue for an element with much text, in which many other such
// elements may lie: what occurs nowhere in the page is not asked of each.
func (r *runner) askLong(m *matcher, n *html.Node) {
	r.matched = m.match(r.matched[:0], r.text.long(n), false)
	r.holdAll(r.matched, true)
	for _, c := range r.occurring(m) {
		if r.text.matches(c.pred, n) {
			r.holdAll([]*comparison{c}, true)
		}
	}
}

// occurrence is what a matcher finds in the text of the whole tree.
type occurrence struct {
	walk  uint64
	found []*comparison
}

// occurring returns the Contains of a matcher whose literals occur in the text of the
// whole tree.
func (r *runner) occurring(m *matcher) []*comparison {
	o := r.occur[m]
	if o == nil {
		if r.occur == nil {
			r.occur = map[*matcher]*occurrence{}
		}
		o = &occurrence{}
		r.occur[m] = o
	}
	if o.walk != r.walks {
		o.walk = r.walks
		o.found = slices.DeleteFunc(m.match(o.found[:0], r.text.all(), true),
			func(c *comparison) bool { return c.pred.Kind != xpath.Contains })
	}
	return o.found
}

// ofValue holds the predicates that are true of a string-value of one of the nodes
// that they name. Only "=" looks at others than the first.
func (r *runner) ofValue(v *valueAsks, s string, first bool) {
	for _, g := range v.few {
		if (first || g.pred.Kind == xpath.Equals) && g.pred.Compare(s) {
			r.hold(g)
		}
	}
	if v.matcher != nil {
		r.matched = v.matcher.match(r.matched[:0], s, first)
		r.holdAll(r.matched, first)
	}
}

// holdAll holds the guards behind comparisons.
func (r *runner) holdAll(found []*comparison, first bool) {
	for _, c := range found {
		if first || c.pred.Kind == xpath.Equals {
			for _, g := range c.guards {
				r.hold(g)
			}
		}
	}
}

// hold notes a predicate that holds, once.
func (r *runner) hold(g *guard) {
	if !r.held.has(g.id) {
		r.held.set(g.id)
		r.holding = append(r.holding, g)
	}
}

// follow goes on behind the predicates collected since from, and forgets them.
func (r *runner) follow(from int, at point) {
	for i, to := from, len(r.holding); i < to; i++ {
		r.guard(r.holding[i], at)
	}
	r.forget(from)
}

func (r *runner) forget(from int) {
	for _, g := range r.holding[from:] {
		r.held.clear(g.id)
	}
	r.holding = r.holding[:from]
}

// bitset is a set of numbers below a bound.
type bitset []uint64

func newBitset(n int) bitset { return make(bitset, (n+63)/64) }

func (b bitset) has(i int32) bool { return b[i>>6]&(1<<(i&63)) != 0 }
func (b bitset) set(i int32)      { b[i>>6] |= 1 << (i & 63) }
func (b bitset) clear(i int32)    { b[i>>6] &^= 1 << (i & 63) }
