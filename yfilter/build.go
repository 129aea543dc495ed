package yfilter

import (
	"sync"

	"github.com/awarc/awarc/yfilter/xpath"
)

// A Builder collects patterns and compiles them into an [NFA].
type Builder struct {
	nfa    *NFA
	guards map[guardKey]*guard // every guard made so far, by what leads to it
}

// guardKey names a guard by where it hangs: below a state, reached by a test
// along an axis, or below another guard, reached by a predicate.
type guardKey struct {
	from *state
	axis xpath.Axis
	test xpath.Test
	up   *guard
	pred string
}

// NewBuilder returns a builder without patterns.
func NewBuilder() *Builder {
	return &Builder{nfa: &NFA{start: &state{}, symbols: map[string]int32{}, states: 1}, guards: map[guardKey]*guard{}}
}

// Add adds a pattern and returns its number: 0, 1, 2... in the order of the
// calls. The same expression may be added several times; each has a number of
// its own and costs nothing more. The expression must not change afterwards.
func (b *Builder) Add(e *xpath.Expr) int {
	id := len(b.nfa.ends)
	b.nfa.ends = append(b.nfa.ends, nil)
	s := b.nfa.start
	for _, step := range e.Steps {
		preds, possible := simplify(step.Preds)
		if !possible {
			return id
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
		return id
	}
	s.accept = append(s.accept, id)
	b.nfa.ends[id] = s
	for g := s.guard; g != nil; g = g.up {
		b.nfa.weights[g.id]++
	}
	b.nfa.possible++
	return id
}

// simplify drops the positional predicates that follow another one. After the
// first, one node at most is left of each context, which is both the first
// and the last; a later position beyond 1 makes the step impossible.
func simplify(preds []xpath.Pred) (kept []xpath.Pred, possible bool) {
	positional := false
	for _, p := range preds {
		if !p.Positional() {
			kept = append(kept, p)
			continue
		}
		if p.Kind == xpath.Position && (p.N < 1 || positional && p.N > 1) {
			return nil, false
		}
		if !positional {
			kept = append(kept, p)
		}
		positional = true
	}
	return kept, true
}

// test returns the guard of a step from s before its predicates.
func (b *Builder) test(s *state, step xpath.Step) *guard {
	key := guardKey{from: s, axis: step.Axis, test: step.Test}
	if g := b.guards[key]; g != nil {
		return g
	}
	g := b.newGuard(key, s.guard)
	next := &s.desc
	if step.Axis == xpath.Child {
		next = &s.child
	}
	if *next == nil {
		*next = &steps{tags: map[int32]*guard{}, attrs: map[string]*guard{}}
	}
	(*next).add(step.Test, g, b.nfa)
	return g
}

// guard returns what follows g when the last of preds holds too.
func (b *Builder) guard(g *guard, test xpath.Test, preds []xpath.Pred) *guard {
	last := len(preds) - 1
	p := preds[last]
	key := guardKey{up: g, pred: p.String()}
	if to := b.guards[key]; to != nil {
		return to
	}
	to := b.newGuard(key, g)
	g.branches = append(g.branches, branch{pred: p, to: to})
	switch {
	case p.Positional():
		at := &place{slot: b.nfa.slots, test: test, before: preds[:last]}
		if p.Kind == xpath.Position {
			at.n = p.N
		}
		b.nfa.slots++
		g.checks = append(g.checks, check{branch: branch{p, to}, place: at})
	case p.Kind == xpath.Equals && p.Value.Kind == xpath.Attr && (test.Kind == xpath.Tag || test.Kind == xpath.AnyTag):
		if g.equal == nil {
			g.equal = map[string]map[string]*guard{}
		}
		if g.equal[p.Value.Name] == nil {
			g.equal[p.Value.Name] = map[string]*guard{}
		}
		g.equal[p.Value.Name][p.Literal] = to
	default:
		g.checks = append(g.checks, check{branch: branch{p, to}})
	}
	return to
}

func (b *Builder) newGuard(key guardKey, up *guard) *guard {
	g := &guard{id: len(b.nfa.weights), up: up}
	b.nfa.weights = append(b.nfa.weights, 0)
	b.guards[key] = g
	return g
}

// add enters g where a node that passes t finds it.
func (st *steps) add(t xpath.Test, g *guard, nfa *NFA) {
	st.all = append(st.all, testGuard{t, g})
	switch t.Kind {
	case xpath.Tag:
		if nfa.symbols[t.Name] == 0 {
			nfa.symbols[t.Name] = int32(len(nfa.symbols) + 1)
		}
		st.tags[nfa.symbols[t.Name]] = g
	case xpath.AnyTag:
		st.any = g
	case xpath.Text:
		st.text = g
		nfa.text = true
	case xpath.Attr:
		st.attrs[t.Name] = g
	case xpath.AnyAttr:
		st.anyAttr = g
	}
}

// Build returns the automaton of the patterns added so far and empties the
// builder, which may be used for another one.
func (b *Builder) Build() *NFA {
	nfa := b.nfa
	nfa.runners = sync.Pool{New: func() any { return newRunner(nfa) }}
	*b = *NewBuilder()
	return nfa
}
