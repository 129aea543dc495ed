package xpath

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/net/html"
)

// Most actions need more of XPath 1.0 than the fragment has: "or", tokens of a class, other
// axes, positions. They are evaluated here, on the page itself and with early ends, which
// takes a small part of the time that the XPath library takes. What [compiled] does not know
// is left to the library.

// spot is a node, or an attribute of it.
type spot struct {
	node *html.Node
	attr int // index of the attribute, or -1
}

func (at spot) text(w *Work) string {
	if at.attr >= 0 {
		return at.node.Attr[at.attr].Val
	}
	return w.text(at.node)
}

// evaluation is one run of an expression.
type evaluation struct {
	root *html.Node // the context node: "/" stays inside an object
	work *Work
	// fixed holds what paths from the root select: the same at every place, so it is computed once.
	fixed map[*locationPath]*selected
}

// selected is what a path from the root selects.
type selected struct {
	all   []spot
	texts map[string]bool // of all; nil until a comparison needs it
}

// fromRoot gives what a path from the root selects; nil for another path.
func (ev *evaluation) fromRoot(o operand) *selected {
	p, ok := o.(*locationPath)
	if !ok || !p.root {
		return nil
	}
	if ev.fixed[p] == nil {
		if ev.fixed == nil {
			ev.fixed = map[*locationPath]*selected{}
		}
		ev.fixed[p] = &selected{all: p.nodes(ev, place{})}
	}
	return ev.fixed[p]
}

// has reports whether one of the nodes has a text.
func (s *selected) has(ev *evaluation, text string) bool {
	if s.texts == nil {
		s.texts = make(map[string]bool, len(s.all))
		for _, n := range s.all {
			s.texts[n.text(ev.work)] = true
		}
	}
	return s.texts[text]
}

// step takes a step of work, and ends the run where there is none left.
func (ev *evaluation) step() {
	if !ev.work.Spend(1) {
		panic(outOfWork{})
	}
}

// place is what an operand is evaluated at. size is 0 unless an operand asks for it.
type place struct {
	spot
	position, size int
}

// operand is a part of an expression that has a value.
type operand interface {
	truth(*evaluation, place) bool
	number(*evaluation, place) float64
	text(*evaluation, place) string
}

// nodes is an operand that selects nodes.
type nodes interface {
	operand
	// each yields nodes in any order, some perhaps twice, until yield ends it.
	each(ev *evaluation, at place, yield func(spot) bool) bool
	// list gives them in the document's order, each once.
	list(ev *evaluation, at place) []spot
}

// locationPath is a path with its steps.
type locationPath struct {
	from  nodes // what it starts from, nil for the context node
	root  bool  // it starts from the root
	steps []pathStep
}

type pathStep struct {
	axis  axis
	test  nodeTest
	preds []predicate
	sized bool // a predicate asks for last()
	flat  bool // no predicate asks for a position
}

type axis int

const (
	child axis = iota
	descendant
	descendantOrSelf
	self
	parent
	ancestor
	ancestorOrSelf
	followingSibling
	precedingSibling
	following
	preceding
	attributeAxis
)

// nodeTest is what a step asks of a node besides predicates.
type nodeTest struct {
	kind testKind
	name string
}

type testKind int

const (
	anyNode testKind = iota
	anyName          // "*"
	named
	textNode
	commentNode
)

func (t nodeTest) fits(at spot) bool {
	switch t.kind {
	case anyNode:
		return true
	case textNode:
		return at.attr < 0 && at.node.Type == html.TextNode
	case commentNode:
		return at.attr < 0 && at.node.Type == html.CommentNode
	}
	if at.attr >= 0 {
		return t.kind == anyName || at.node.Attr[at.attr].Key == t.name
	}
	return at.node.Type == html.ElementNode && (t.kind == anyName || at.node.Data == t.name)
}

// predicate is a condition on a node; a number is that of its position.
type predicate struct {
	operand
	isNumber bool
}

func (p predicate) holds(ev *evaluation, at place) bool {
	ev.step()
	if p.isNumber {
		return p.number(ev, at) == float64(at.position)
	}
	return p.truth(ev, at)
}

// walk yields the nodes of an axis in its order.
func (ev *evaluation) walk(a axis, at spot, yield func(spot) bool) bool {
	if at.attr >= 0 {
		return ev.fromAttribute(a, at, yield)
	}
	try := func(n *html.Node) bool {
		ev.step()
		return yield(spot{n, -1})
	}
	n := at.node
	switch a {
	case attributeAxis:
		for i := range n.Attr {
			if !yield(spot{n, i}) {
				return false
			}
		}
	case self:
		return yield(at)
	case child:
		for c := n.FirstChild; c != nil; c = c.NextSibling {
			if !try(c) {
				return false
			}
		}
	case descendant, descendantOrSelf:
		if a == descendantOrSelf && !try(n) {
			return false
		}
		for d := n.FirstChild; d != nil; d = after(d, n, true) {
			if !try(d) {
				return false
			}
		}
	case parent:
		return n.Parent == nil || try(n.Parent)
	case ancestor:
		return along(n.Parent, func(n *html.Node) *html.Node { return n.Parent }, try)
	case ancestorOrSelf:
		return along(n, func(n *html.Node) *html.Node { return n.Parent }, try)
	case followingSibling:
		return along(n.NextSibling, func(n *html.Node) *html.Node { return n.NextSibling }, try)
	case precedingSibling:
		return along(n.PrevSibling, func(n *html.Node) *html.Node { return n.PrevSibling }, try)
	case following:
		return along(after(n, nil, false), func(n *html.Node) *html.Node { return after(n, nil, true) }, try)
	case preceding:
		for up := n; up != nil; up = up.Parent {
			for s := up.PrevSibling; s != nil; s = s.PrevSibling {
				if !ev.backward(s, try) {
					return false
				}
			}
		}
	}
	return true
}

// fromAttribute is walk for an attribute: of one, these axes are all that expressions ask for.
func (ev *evaluation) fromAttribute(a axis, at spot, yield func(spot) bool) bool {
	element := spot{at.node, -1}
	switch a {
	case self:
		return yield(at)
	case parent:
		ev.step()
		return yield(element)
	case ancestor:
		return ev.walk(ancestorOrSelf, element, yield)
	case ancestorOrSelf:
		return yield(at) && ev.walk(ancestorOrSelf, element, yield)
	}
	return true
}

// along yields a node and those that follow it in one direction.
func along(n *html.Node, next func(*html.Node) *html.Node, yield func(*html.Node) bool) bool {
	for ; n != nil; n = next(n) {
		if !yield(n) {
			return false
		}
	}
	return true
}

// backward yields a tree against the document's order.
func (ev *evaluation) backward(n *html.Node, yield func(*html.Node) bool) bool {
	last := n
	for last.LastChild != nil {
		last = last.LastChild
	}
	for d := last; ; {
		if !yield(d) {
			return false
		}
		if d == n {
			return true
		}
		if d.PrevSibling == nil {
			d = d.Parent
			continue
		}
		for d = d.PrevSibling; d.LastChild != nil; d = d.LastChild {
		}
	}
}

// after is the node that follows another in the document, inside top; into reports
// whether one of its own children may be it.
func after(n, top *html.Node, into bool) *html.Node {
	if into && n.FirstChild != nil {
		return n.FirstChild
	}
	for ; n != nil && n != top; n = n.Parent {
		if n.NextSibling != nil {
			return n.NextSibling
		}
	}
	return nil
}

// pathStepPositions counts, for each predicate of a step, the nodes that fulfil those before.
type pathStepPositions [8]int

// each yields what a step selects from a node.
func (s *pathStep) each(ev *evaluation, at spot, yield func(spot) bool) bool {
	if s.sized {
		var all []spot
		ev.walk(s.axis, at, func(n spot) bool {
			if s.test.fits(n) {
				all = append(all, n)
			}
			return true
		})
		for _, n := range filtered(ev, all, s.preds) {
			if !yield(n) {
				return false
			}
		}
		return true
	}
	var positions pathStepPositions
	return ev.walk(s.axis, at, func(n spot) bool {
		if !s.test.fits(n) {
			return true
		}
		for i := range s.preds {
			positions[i]++
			if !s.preds[i].holds(ev, place{n, positions[i], 0}) {
				return true
			}
		}
		return yield(n)
	})
}

// filtered leaves the nodes of a list that fulfil predicates, one after the other.
func filtered(ev *evaluation, list []spot, preds []predicate) []spot {
	for _, p := range preds {
		kept := list[:0:0]
		for i, n := range list {
			if p.holds(ev, place{n, i + 1, len(list)}) {
				kept = append(kept, n)
			}
		}
		list = kept
	}
	return list
}

// starts gives the nodes that a path starts from.
func (p *locationPath) starts(ev *evaluation, at place) []spot {
	switch {
	case p.from != nil:
		return p.from.list(ev, at)
	case p.root:
		return []spot{{ev.root, -1}}
	}
	return []spot{at.spot}
}

func (p *locationPath) each(ev *evaluation, at place, yield func(spot) bool) bool {
	if p.from == nil && len(p.steps) == 1 {
		from := at.spot
		if p.root {
			from = spot{ev.root, -1}
		}
		return p.steps[0].each(ev, from, yield)
	}
	set := spotSet{all: p.starts(ev, at)}
	set.nested = len(set.all) > 1
	for i := range p.steps {
		if len(set.all) == 0 {
			return true
		}
		if i == len(p.steps)-1 {
			for n, before := range set.all {
				if !set.covered(n, &p.steps[i]) && !p.steps[i].each(ev, before, yield) {
					return false
				}
			}
			return true
		}
		set = set.step(ev, &p.steps[i])
	}
	for _, n := range set.all {
		if !yield(n) {
			return false
		}
	}
	return true
}

func (p *locationPath) list(ev *evaluation, at place) []spot {
	if same := ev.fromRoot(p); same != nil {
		return same.all
	}
	return p.nodes(ev, at)
}

// nodes evaluates the path.
func (p *locationPath) nodes(ev *evaluation, at place) []spot {
	set := spotSet{all: p.starts(ev, at)}
	set.nested = len(set.all) > 1
	for i := range p.steps {
		set = set.step(ev, &p.steps[i])
	}
	if set.mixed {
		set.all = ordered(ev, set.all)
	}
	return set.all
}

// spotSet are the nodes that a path selects on its way.
type spotSet struct {
	all    []spot
	nested bool // one may lie in another
	mixed  bool // they may be out of order, or one be there twice
}

// covered reports whether a step selects nothing from a node that it does not from the one
// before it, in which it lies.
func (set *spotSet) covered(n int, s *pathStep) bool {
	if n == 0 || !set.nested || set.mixed || !s.flat || s.axis != descendant && s.axis != descendantOrSelf {
		return false
	}
	for at, outer := set.all[n].node, set.all[n-1].node; at != nil; at = at.Parent {
		if at == outer {
			return true
		}
	}
	return false
}

func (set *spotSet) step(ev *evaluation, s *pathStep) spotSet {
	var out spotSet
	single := len(set.all) == 1
	top := -1
	for n, at := range set.all {
		if top >= 0 {
			outer := spotSet{all: []spot{set.all[top], at}, nested: set.nested, mixed: set.mixed}
			if outer.covered(1, s) {
				continue
			}
		}
		top = n
		s.each(ev, at, func(found spot) bool {
			out.all = append(out.all, found)
			return true
		})
	}
	switch s.axis {
	case self, attributeAxis:
		out.nested, out.mixed = set.nested, set.mixed
	case child:
		out.nested, out.mixed = set.nested, set.mixed || set.nested && !single
	case descendant, descendantOrSelf:
		out.nested, out.mixed = true, set.mixed || set.nested && !single && !s.flat
	case followingSibling, parent:
		out.nested, out.mixed = !single, !single
	default:
		out.nested, out.mixed = true, true
	}
	if out.mixed && len(out.all) > 1 {
		out.all, out.mixed = ordered(ev, out.all), false
	}
	return out
}

// ordered gives nodes in the document's order, each once.
func ordered(ev *evaluation, all []spot) []spot {
	seen := make(map[spot]bool, len(all))
	out := all[:0:0]
	for _, n := range all {
		if !seen[n] {
			seen[n] = true
			out = append(out, n)
		}
	}
	order := func(a, b spot) int { return ev.work.compare(a.node, b.node) }
	if !slices.IsSortedFunc(out, order) {
		slices.SortStableFunc(out, order)
	}
	return out
}

func (p *locationPath) truth(ev *evaluation, at place) bool {
	if same := ev.fromRoot(p); same != nil {
		return len(same.all) > 0
	}
	return !p.each(ev, at, func(spot) bool { return false })
}

// text is that of the first node.
func (p *locationPath) text(ev *evaluation, at place) string {
	if n, ok := p.attribute(at); ok {
		if n < 0 {
			return ""
		}
		return at.node.Attr[n].Val
	}
	if len(p.steps) == 0 && p.from == nil && !p.root { // "."
		return at.spot.text(ev.work)
	}
	if list := p.list(ev, at); len(list) > 0 {
		return list[0].text(ev.work)
	}
	return ""
}

// attribute finds that of a path which is but one of the context node; ok is false for
// other paths, n is -1 where the node has none.
func (p *locationPath) attribute(at place) (n int, ok bool) {
	if p.from != nil || p.root || len(p.steps) != 1 || at.attr >= 0 {
		return 0, false
	}
	s := &p.steps[0]
	if s.axis != attributeAxis || s.test.kind != named || len(s.preds) > 0 {
		return 0, false
	}
	for i := range at.node.Attr {
		if at.node.Attr[i].Key == s.test.name {
			return i, true
		}
	}
	return -1, true
}

func (p *locationPath) number(ev *evaluation, at place) float64 { return numberOf(p.text(ev, at)) }

// numberOf reads a number as XPath does.
func numberOf(s string) float64 {
	f, err := strconv.ParseFloat(strings.TrimSpace(s), 64)
	if err != nil {
		return math.NaN()
	}
	return f
}

// numberText writes a number as XPath does.
func numberText(f float64) string {
	if math.IsNaN(f) {
		return "NaN"
	}
	return strconv.FormatFloat(f, 'f', -1, 64)
}
