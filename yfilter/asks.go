package yfilter

import (
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
// comparing, where there are few, else by the index.
type valueAsks struct {
	exists *guard
	few    []*guard  // Equals, Contains, StartsWith
	set    *literals // the same, instead of few
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

// arrange gives the index what are too many to be compared.
func (q *asks) arrange(x *index) {
	for _, e := range q.attrs.few {
		e.value.arrange(x)
	}
	q.attrs.arrange()
	for _, v := range []*valueAsks{q.self, q.text} {
		if v != nil {
			v.arrange(x)
		}
	}
}

func (v *valueAsks) arrange(x *index) {
	if len(v.few) > fewAsks {
		v.set = x.add(v.few)
		v.few = nil
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
		for c := at.n.FirstChild; c != nil; c = c.NextSibling {
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
	if v.set != nil {
		r.askLong(v.set, n)
	}
}

// askLong is ofValue for an element with much text, in which many other such
// elements may lie: what occurs nowhere in the page is not asked of each.
func (r *runner) askLong(set *literals, n *html.Node) {
	candidates := r.occurring(set) // first: it needs to find what is held already, too
	s := r.text.long(n)
	if g := r.nfa.index.equal(set, s); g != nil {
		r.hold(g)
	}
	if set.maxPrefix > 0 {
		r.scan(set, s[:min(len(s), set.maxPrefix)])
	}
	for _, g := range candidates {
		if r.text.matches(g.pred, n) {
			r.hold(g)
		}
	}
}

// occurring returns the Contains of a set whose literals occur in the text of
// the whole tree; perhaps also a StartsWith.
func (r *runner) occurring(set *literals) []*guard {
	list, known := r.occur[set]
	if known || !set.parts {
		return list
	}
	from := len(r.holding)
	r.scan(set, r.text.all())
	list = slices.Clone(r.holding[from:])
	r.forget(from)
	if r.occur == nil {
		r.occur = map[*literals][]*guard{}
	}
	r.occur[set] = list
	return list
}

// ofValue holds the predicates that are true of a string-value of one of the nodes
// that they name. Only "=" looks at others than the first.
func (r *runner) ofValue(v *valueAsks, s string, first bool) {
	for _, g := range v.few {
		if (first || g.pred.Kind == xpath.Equals) && compare(g.pred, s) {
			r.hold(g)
		}
	}
	if v.set == nil {
		return
	}
	if g := r.nfa.index.equal(v.set, s); g != nil {
		r.hold(g)
	}
	if v.set.scanned && first {
		r.scan(v.set, s)
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
