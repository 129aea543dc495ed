package yfilter

import (
	"cmp"
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
	self   *valueAsks          // .
	text   *valueAsks          // text()
	checks []check             // the others, one by one
}

// valueAsks are the predicates on one value. Which of them hold is answered by
// comparing, where there are few, else by a matcher.
type valueAsks struct {
	exists  *guard
	few     []*guard // Equals, Contains, StartsWith
	equals  bool     // some of them are Equals
	matcher *matcher // of the same, instead of few
}

// fewAsks are compared as fast as they are looked up.
const fewAsks = 3

// check is a predicate that is asked by itself.
type check struct {
	to    *guard
	place *place // of a positional predicate, else nil
}

// add enters the predicate that leads to a guard.
func (q *asks) add(nfa *NFA, to *guard, at *place) {
	p := to.pred
	if v := q.value(nfa, p); v == nil || at != nil {
		q.checks = append(q.checks, check{to, at})
	} else if p.Kind == xpath.Exists {
		v.exists = to
	} else {
		v.few = append(v.few, to)
		v.equals = v.equals || p.Kind == xpath.Equals
	}
}

// value returns where a predicate is entered, or nil if it is one of those that
// are asked by themselves: positions, not(), what also holds where the value
// names nothing, and what looks at children or at any attribute.
func (q *asks) value(nfa *NFA, p *xpath.Pred) *valueAsks {
	var v **valueAsks
	switch {
	case p.Kind > xpath.StartsWith, p.Kind > xpath.Equals && p.Literal == "":
		return nil
	case p.Value.Kind == xpath.Attr:
		n := nfa.attrs.number(p.Value.Name)
		if known := q.attrs.get(n); known != nil {
			return known
		}
		added := &valueAsks{}
		q.attrs.add(n, added)
		return added
	case p.Kind == xpath.Exists:
		return nil
	case p.Value.Kind == xpath.Self:
		v = &q.self
	case p.Value.Kind == xpath.Text:
		v = &q.text
	default:
		return nil
	}
	if *v == nil {
		*v = &valueAsks{}
	}
	return *v
}

// arrange gives matchers to what are too many to be compared.
func (q *asks) arrange(seed maphash.Seed) {
	for _, e := range q.attrs.few {
		e.value.arrange(seed)
	}
	q.attrs.arrange()
	for _, v := range []*valueAsks{q.self, q.text} {
		if v != nil {
			v.arrange(seed)
		}
	}
}

func (v *valueAsks) arrange(seed maphash.Seed) {
	if len(v.few) > fewAsks {
		v.matcher, v.few = newMatcher(seed, v.few), nil
	}
}

// ask follows the predicates of q that hold at the point, which is the current
// node or one of its attributes.
func (r *runner) ask(q *asks, at point) {
	element := at.attr == itself && at.n.Type == html.ElementNode
	if element && !q.attrs.empty() {
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

// askAttrs follows the predicates on attributes.
func (r *runner) askAttrs(q *asks, at point) {
	r.readNames(at.n)
	from := len(r.holding)
	for i := range r.names {
		number := r.names[i].number
		if number == 0 {
			continue
		}
		v := q.attrs.get(number)
		if v == nil {
			continue
		}
		if v.exists != nil {
			r.hold(v.exists)
		}
		r.ofValue(v, at.n.Attr[i].Val, r.names[i].first)
	}
	r.follow(from, at)
}

// attrName is what is known of the name of an attribute.
type attrName struct {
	number int32
	first  bool // no attribute of the element before it has the name
}

// readNames looks up the names of the attributes of the current element.
func (r *runner) readNames(n *html.Node) {
	if r.named == n {
		return
	}
	r.named = n
	r.elements++
	r.names = r.names[:0]
	for i := range n.Attr {
		number := r.nfa.attrs.of(n.Attr[i].Key)
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
	r.match(m, r.text.long(n), false)
	for _, g := range r.matched {
		r.hold(g)
	}
	for _, g := range r.occurring(m) {
		if g.pred.Kind == xpath.Contains && r.text.matches(g.pred, n) {
			r.hold(g)
		}
	}
}

// occurrence is what a matcher finds in the text of the whole tree.
type occurrence struct {
	walk   uint64
	guards []*guard
}

// occurring returns the guards of a matcher whose literals occur in the text of the
// whole tree, each once. It uses r.matched.
func (r *runner) occurring(m *matcher) []*guard {
	o := r.occur[m]
	if o == nil {
		if r.occur == nil {
			r.occur = map[*matcher]*occurrence{}
		}
		o = &occurrence{}
		r.occur[m] = o
	}
	if o.walk != r.walks {
		r.match(m, r.text.all(), true)
		r.sortMatched()
		o.walk, o.guards = r.walks, append(o.guards[:0], r.matched...)
	}
	return o.guards
}

// sortMatched leaves each guard once in r.matched.
func (r *runner) sortMatched() {
	slices.SortFunc(r.matched, func(a, b *guard) int { return cmp.Compare(a.id, b.id) })
	r.matched = slices.Compact(r.matched)
}

// ofValue holds the predicates that are true of a string-value of one of the nodes
// that they name. Only "=" looks at others than the first.
func (r *runner) ofValue(v *valueAsks, s string, first bool) {
	for _, g := range v.few {
		if (first || g.pred.Kind == xpath.Equals) && compare(g.pred, s) {
			r.hold(g)
		}
	}
	if v.matcher == nil {
		return
	}
	r.match(v.matcher, s, first)
	for _, g := range r.matched {
		if first || g.pred.Kind == xpath.Equals {
			r.hold(g)
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
