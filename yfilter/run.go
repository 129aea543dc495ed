package yfilter

import (
	"cmp"
	"slices"

	"golang.org/x/net/html"
)

// Found receives a match: the pattern's number and the node. If the
// pattern selects an attribute, n is the element that has it and attr its
// name; otherwise attr is empty. An element of SVG may have two attributes of
// one name, href and xlink:href: they are reported alike. The walk goes on while
// Found returns true.
type Found = func(pattern int, n *html.Node, attr string) bool

// Run walks the tree below root once and calls found for every match of every
// pattern. A pattern's leading "//" or "/" starts from root, which may be any
// node: the document node of [Document], or an element within it, whose own
// attributes can match but which is not matched itself.
//
// Matches come in document order: an element, its attributes, its children;
// at one node by pattern number. found may start runs of its own, but must
// not change the tree.
func (a *NFA) Run(root *html.Node, found Found) { a.run(root, found, false) }

// RunFirst is [NFA.Run], but reports the first match of each pattern only.
// It stops once every pattern has matched, and skips
// patterns that have.
func (a *NFA) RunFirst(root *html.Node, found Found) { a.run(root, found, true) }

func (a *NFA) run(root *html.Node, found Found, first bool) {
	if root == nil || a.possible == 0 {
		return
	}
	r := a.runners.Get().(*runner)
	r.walk(root, found, first)
	// If found panics, the runner is not put back: its stacks are not empty.
	r.reset()
	a.runners.Put(r)
}

// A runner is the state of one walk. Its stacks keep their memory from one
// walk to the next.
//
// The plan of the walk: an element on the path from the root to the current
// node has a frame. The states that it reached lie in near, frame by frame;
// their child steps are tried on its children only. Those of its states that
// have descendant steps lie in open as well, unless they are there already:
// everything in open is tried on every node until the frame is left. So a node
// costs as many lookups as the frame above it has states plus open has, not
// as many as there are patterns, and a deep tree costs no more for a node than
// a flat one.
type runner struct {
	nfa   *NFA
	found Found
	first bool
	stop  bool

	firstMatches // if first

	frames []frame
	near   []*state
	open   []openState
	isOpen bitset // of states
	hits   []hit  // at the current node, not yet told of

	elementNames
	guardStack

	answers answers
	matched []*comparison            // by the latest match of what cannot be remembered
	occur   map[*matcher]*occurrence // what occurs in the text of the tree
	walks   uint64

	entered uint64  // elements entered in all walks: the latest is the id of its frame
	slots   []slot  // by place
	undo    []saved // slots as they were before the frame that changed them
	text    reader
}

// firstMatches is what a walk remembers that tells of first matches only.
type firstMatches struct {
	unseen   int             // patterns without a match
	done     bitset          // of patterns: those with one
	finished []int32         // the same as a list
	spent    bitset          // of guards: no pattern behind it is without a match
	partly   map[int32]int32 // by guard: patterns behind it with a match, where that is not all or nothing
}

// elementNames are the names of the attributes of one element.
type elementNames struct {
	named    *html.Node // the element whose attributes are in names
	names    []attrName
	having   attrBits // the same by number
	foundIn  attrBits // those of them in whose value something was found
	nameSeen []uint64 // by number of a name: the latest element that has such an attribute
	elements uint64   // whose attributes were looked at in all walks
}

// guardStack are the guards behind predicates that hold, not yet followed.
type guardStack struct {
	holding []*guard
	held    bitset // those in holding
}

type frame struct {
	node               *html.Node
	next               *html.Node // the child to visit next
	id                 uint64
	nearFrom, nearTo   int
	openFrom, undoFrom int
}

// openState is a state whose next steps are tried on every node below: those of
// descendant axis, for the symbols in wants.
type openState struct {
	wants symbols
	desc  *steps
	state *state
}

// hit is a match; attr is the index of an attribute, or itself.
type hit struct {
	attr    int
	pattern int
}

// slot remembers which node is at a place below the element of one frame.
type slot struct {
	frame uint64
	at    point
}

type saved struct {
	index int
	slot  slot
}

// point is a node, in the sense of XPath: an element, a text or an attribute.
type point struct {
	n    *html.Node
	attr int // index in n.Attr, or itself
}

// itself, in place of the index of an attribute, means the node.
const itself = -1

func newRunner(a *NFA) *runner {
	return &runner{
		nfa:    a,
		isOpen: newBitset(a.states),
		slots:  make([]slot, a.slots),
		firstMatches: firstMatches{
			done:   newBitset(len(a.ends)),
			spent:  newBitset(a.guards),
			partly: map[int32]int32{},
		},
		elementNames: elementNames{nameSeen: make([]uint64, len(a.attrs.list)+1)},
		guardStack:   guardStack{held: newBitset(a.guards)},
	}
}

// maxKeptDepth is the depth of tree beyond which a runner gives its stacks back
// after the walk; html.Parse makes none deeper than about 512.
const maxKeptDepth = 1 << 12

// reset forgets the walk and everything that points into its tree.
func (r *runner) reset() {
	for i := range r.open {
		r.isOpen.clear(int32(r.open[i].state.id))
	}
	r.forget(0)
	r.answers.forget()
	for _, id := range r.finished {
		r.done.clear(id)
		for g := r.nfa.ends[id].guard; g != nil; g = g.up {
			r.spent.clear(g.id)
		}
	}
	r.finished = r.finished[:0]
	clear(r.partly)
	r.named, r.names = nil, r.names[:0]
	if cap(r.frames) > maxKeptDepth {
		r.frames, r.near, r.undo = nil, nil, nil
	}
	clear(r.frames[:cap(r.frames)])
	clear(r.undo[:cap(r.undo)])
	clear(r.slots)
	r.frames, r.near, r.open = r.frames[:0], r.near[:0], r.open[:0]
	r.hits, r.undo = r.hits[:0], r.undo[:0]
	r.found, r.stop = nil, false
	r.text.reset()
}

func (r *runner) walk(root *html.Node, found Found, first bool) {
	r.found, r.first = found, first
	r.walks++
	r.text.root = root
	if first {
		r.unseen = r.nfa.possible
	}
	r.near = append(r.near, r.nfa.start)
	r.enter(root, 0)
	for len(r.frames) > 0 && !r.stop {
		f := &r.frames[len(r.frames)-1]
		c := f.next
		if c == nil {
			r.leave()
			continue
		}
		f.next = c.NextSibling
		switch c.Type {
		case html.ElementNode:
			from := len(r.near)
			r.step(c)
			r.enter(c, from)
		case html.TextNode:
			if r.nfa.text {
				r.stepText(c)
				r.tell(c)
			}
		}
	}
}

// step tries what is near and open on an element.
func (r *runner) step(n *html.Node) {
	f := &r.frames[len(r.frames)-1]
	symbol := r.nfa.tags.of(n.Data)
	at := point{n, itself}
	r.followPlans(n, symbol)
	for i := f.nearFrom; i < f.nearTo; i++ {
		if st := r.near[i].child; st != nil {
			r.tag(st, symbol, at)
		}
	}
	bit := symbolOf(symbol)
	for i := range r.open {
		if s := &r.open[i]; s.wants&bit != 0 {
			r.tag(s.desc, symbol, at)
		}
	}
}

func (r *runner) tag(st *steps, symbol int32, at point) {
	if symbol != 0 {
		r.guard(st.tags.get(symbol), at)
	}
	r.guard(st.any, at)
}

// stepText tries what is near and open on a text.
func (r *runner) stepText(n *html.Node) {
	f := &r.frames[len(r.frames)-1]
	at := point{n, itself}
	for i := f.nearFrom; i < f.nearTo; i++ {
		if st := r.near[i].child; st != nil {
			r.guard(st.text, at)
		}
	}
	for i := range r.open {
		if s := &r.open[i]; s.wants&wantsText != 0 {
			r.guard(s.desc.text, at)
		}
	}
}

// enter makes a frame for n, whose states lie in near from the index from on,
// tries the attribute steps that now apply and tells of all matches at n. It
// leaves again at once if nothing can match below.
func (r *runner) enter(n *html.Node, from int) {
	r.entered++
	r.frames = append(r.frames, frame{
		node: n, next: n.FirstChild, id: r.entered,
		nearFrom: from, nearTo: len(r.near),
		openFrom: len(r.open), undoFrom: len(r.undo),
	})
	for _, s := range r.near[from:] {
		if s.desc != nil && !r.isOpen.has(int32(s.id)) {
			r.isOpen.set(int32(s.id))
			r.open = append(r.open, openState{s.desc.wants, s.desc, s})
		}
	}
	if len(n.Attr) > 0 {
		r.stepAttrs(n, from)
	}
	r.tell(n)
	if len(r.open) == 0 && len(r.near) == from {
		r.leave()
	}
}

// stepAttrs tries the steps that lead from n to its own attributes: those of
// the states reached at n, and the open ones, since "//@name" begins with n.
func (r *runner) stepAttrs(n *html.Node, from int) {
	// What is reached at an attribute has nothing below it, so that neither
	// near nor open grows here.
	for _, s := range r.near[from:] {
		if s.child != nil && s.child.hasAttrs() {
			r.attrs(s.child, n)
		}
	}
	for i := range r.open {
		if s := &r.open[i]; s.wants&wantsAttrs != 0 {
			r.attrs(s.desc, n)
		}
	}
}

func (r *runner) attrs(st *steps, n *html.Node) {
	r.readNames(n)
	for i := range n.Attr {
		if number := r.names[i].number; number != 0 {
			r.guard(st.attrs.get(number), point{n, i})
		}
		r.guard(st.anyAttr, point{n, i})
	}
}

// leave ends the top frame and makes everything as it was before it.
func (r *runner) leave() {
	top := len(r.frames) - 1
	f := &r.frames[top]
	for i := f.openFrom; i < len(r.open); i++ {
		r.isOpen.clear(int32(r.open[i].state.id))
	}
	for i := len(r.undo) - 1; i >= f.undoFrom; i-- {
		r.slots[r.undo[i].index] = r.undo[i].slot
	}
	r.near, r.open, r.undo = r.near[:f.nearFrom], r.open[:f.openFrom], r.undo[:f.undoFrom]
	r.frames = r.frames[:top]
}

// guard follows all predicates that hold at the point, and reaches the states
// behind them.
func (r *runner) guard(g *guard, at point) {
	if g == nil || r.first && r.spent.has(g.id) {
		return
	}
	if g.to != nil {
		r.reach(g.to, at)
	}
	if g.asks != nil {
		r.ask(g.asks, at)
	}
}

func (r *runner) reach(s *state, at point) {
	if (s.child != nil || s.desc != nil) && at.attr == itself && at.n.Type == html.ElementNode {
		r.near = append(r.near, s)
	}
	for _, id := range s.accept {
		if !r.first || !r.done.has(id) {
			r.hits = append(r.hits, hit{at.attr, int(id)})
		}
	}
}

// tell reports the matches at n.
func (r *runner) tell(n *html.Node) {
	if len(r.hits) > 1 {
		slices.SortFunc(r.hits, func(a, b hit) int {
			return cmp.Or(cmp.Compare(a.attr, b.attr), cmp.Compare(a.pattern, b.pattern))
		})
	}
	for _, h := range r.hits {
		if r.first {
			if r.done.has(int32(h.pattern)) {
				continue
			}
			r.finish(h.pattern)
		}
		attr := ""
		if h.attr != itself {
			attr = n.Attr[h.attr].Key
		}
		if !r.found(h.pattern, n, attr) || r.first && r.unseen == 0 {
			r.stop = true
			break
		}
	}
	r.hits = r.hits[:0]
}

// finish takes a pattern out of the rest of the walk.
func (r *runner) finish(pattern int) {
	r.done.set(int32(pattern))
	r.finished = append(r.finished, int32(pattern))
	r.unseen--
	for g := r.nfa.ends[pattern].guard; g != nil; g = g.up {
		if g.weight == 1 {
			r.spent.set(g.id)
		} else if n := r.partly[g.id] + 1; n < g.weight {
			r.partly[g.id] = n
		} else {
			r.spent.set(g.id)
		}
	}
}
