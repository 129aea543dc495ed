package yfilter

import (
	"hash/maphash"
	"sync"

	"github.com/awarc/awarc/yfilter/xpath"
)

// A Builder collects patterns and compiles them into an [NFA].
type Builder struct {
	nfa   *NFA
	tests map[testKey]*guard // every guard made so far, by what leads to it
	preds map[predKey]*guard
	made  []*guard // the same in the order of making: their ids
	known map[compared]int32
}

// testKey names a guard that hangs below a state, reached by a test along an
// axis.
type testKey struct {
	from *state
	axis xpath.Axis
	test xpath.Test
}

// predKey names a guard that hangs below another one, reached by a predicate.
type predKey struct {
	up      *guard
	kind    xpath.PredKind
	value   xpath.TestKind
	name    string // of the value
	literal string // or, of not(), how it is written
	n       int
}

// compared is what a comparison asks of a string.
type compared struct {
	kind    xpath.PredKind
	literal string
}

// NewBuilder returns a builder without patterns.
func NewBuilder() *Builder {
	return &Builder{
		nfa:   &NFA{start: &state{}, states: 1},
		tests: map[testKey]*guard{}, preds: map[predKey]*guard{}, known: map[compared]int32{},
	}
}

// Add adds a pattern and returns its number: 0, 1, 2... in the order of the
// calls. The same expression may be added several times; each has a number of
// its own and costs nothing more. The expression must not change afterwards.
func (b *Builder) Add(e *xpath.Expr) int {
	s := b.end(e)
	return b.accept(s)
}

// AddOnce is [Builder.Add] for a pattern that may have been added before: it
// then returns the number of that one, and false. Expressions that cannot
// differ in what they select, such as a[1] and a[1][last()], are one pattern.
func (b *Builder) AddOnce(e *xpath.Expr) (id int, added bool) {
	s := b.end(e)
	if s != nil && len(s.accept) > 0 {
		return int(s.accept[0]), false
	}
	return b.accept(s), true
}

func (b *Builder) accept(s *state) int {
	id := len(b.nfa.ends)
	b.nfa.ends = append(b.nfa.ends, s)
	if s == nil {
		return id
	}
	s.accept = append(s.accept, int32(id))
	for g := s.guard; g != nil; g = g.up {
		g.weight++
	}
	b.nfa.possible++
	return id
}

// end returns the state in which a pattern ends, or nil if nothing can match
// the pattern.
func (b *Builder) end(e *xpath.Expr) *state {
	s := b.nfa.start
	for _, step := range e.Steps {
		preds, possible := simplify(step.Preds)
		if !possible {
			return nil
		}
		g := b.test(s, step)
		for i := range preds {
			g = b.guard(g, step.Test, preds[:i+1])
		}
		if g.to == nil {
			g.to = &state{id: b.nfa.states, guard: g}
			b.nfa.states++
		}
		s = g.to
	}
	if s == b.nfa.start { // an expression without steps selects nothing
		return nil
	}
	return s
}

// simplify drops the positional predicates that follow another one. After the
// first, one node at most is left of each context, which is both the first
// and the last; a later position beyond 1 makes the step impossible.
func simplify(preds []xpath.Pred) (kept []xpath.Pred, possible bool) {
	kept = preds[:0:0]
	positional := false
	for i, p := range preds {
		switch {
		case p.Kind == xpath.Position && (p.N < 1 || positional && p.N > 1):
			return nil, false
		case p.Positional() && positional:
			continue
		case len(kept) == i: // nothing was dropped: no copy is needed
			kept = preds[: i+1 : i+1]
		default:
			kept = append(kept, p)
		}
		positional = positional || p.Positional()
	}
	return kept, true
}

// test returns the guard of a step from s before its predicates.
func (b *Builder) test(s *state, step xpath.Step) *guard {
	key := testKey{from: s, axis: step.Axis, test: step.Test}
	if g := b.tests[key]; g != nil {
		return g
	}
	g := b.newGuard(s.guard, nil)
	b.tests[key] = g
	next := &s.desc
	if step.Axis == xpath.Child {
		next = &s.child
	}
	if *next == nil {
		*next = &steps{}
		b.nfa.steps = append(b.nfa.steps, *next)
	}
	(*next).all = append((*next).all, testGuard{step.Test, g})
	return g
}

// guard returns what follows g when the last of preds holds too.
func (b *Builder) guard(g *guard, test xpath.Test, preds []xpath.Pred) *guard {
	last := len(preds) - 1
	p := &preds[last]
	key := predKey{up: g, kind: p.Kind, value: p.Value.Kind, name: p.Value.Name, literal: p.Literal, n: p.N}
	if p.Kind == xpath.Not {
		key.literal = p.String()
	}
	if to := b.preds[key]; to != nil {
		return to
	}
	to := b.newGuard(g, p)
	b.preds[key] = to
	if g.asks == nil {
		g.asks = &asks{}
	}
	var at *place
	if p.Positional() {
		at = &place{slot: b.nfa.slots, test: test, before: preds[:last]}
		if p.Kind == xpath.Position {
			at.n = p.N
		}
		b.nfa.slots++
	}
	g.asks.add(b.nfa, to, at)
	return to
}

func (b *Builder) newGuard(up *guard, p *xpath.Pred) *guard {
	g := &guard{id: int32(len(b.made)), up: up, pred: p}
	if p != nil && p.Kind <= xpath.StartsWith {
		g.number = b.number(compared{p.Kind, p.Literal})
	}
	b.made = append(b.made, g)
	return g
}

// number returns the number of a comparison.
func (b *Builder) number(c compared) int32 {
	n, ok := b.known[c]
	if !ok {
		n = int32(len(b.known)) + 1
		b.known[c] = n
	}
	return n
}

// arrange makes what is entered in all findable by a node that passes.
func (st *steps) arrange(nfa *NFA) {
	for _, t := range st.all {
		switch t.test.Kind {
		case xpath.Tag:
			number := nfa.tags.number(t.test.Name)
			st.tags.add(number, t.guard)
			st.wants |= symbolOf(number)
		case xpath.AnyTag:
			st.any = t.guard
			st.wants |= wantsTags
		case xpath.Text:
			st.text = t.guard
			st.wants |= wantsText
			nfa.text = true
		case xpath.Attr:
			st.attrs.add(nfa.attrs.number(t.test.Name), t.guard)
			st.wants |= wantsAttrs
		case xpath.AnyAttr:
			st.anyAttr = t.guard
			st.wants |= wantsAttrs
		}
	}
	st.tags.arrange()
	st.attrs.arrange()
}

// Build returns the automaton of the patterns added so far and empties the
// builder, which may be used for another one.
func (b *Builder) Build() *NFA {
	nfa, made := b.nfa, b.made
	*b = *NewBuilder() // its maps are not needed any more
	for _, st := range nfa.steps {
		st.arrange(nfa)
	}
	nfa.guards = len(made)
	seed := maphash.MakeSeed()
	nfa.makePlans(seed)
	nfa.steps = nil
	for _, g := range made {
		if g.asks != nil {
			g.asks.arrange(seed)
		}
	}
	nfa.tags.arrange()
	nfa.attrs.arrange()
	nfa.runners = sync.Pool{New: func() any { return newRunner(nfa) }}
	return nfa
}
