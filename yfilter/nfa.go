package yfilter

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/awarc/awarc/yfilter/xpath"
)

// An NFA matches all its patterns against a tree in one walk. It is made by
// [Builder.Build], never changes, and may be used by many goroutines at once.
type NFA struct {
	start    *state
	states   int       // state ids are below this
	guards   int       // guard ids are below this
	slots    int       // place slots are below this
	ends     []*state  // by pattern: where it is accepted; nil if nothing can match it
	possible int       // patterns with an end
	tags     names     // that occur in a step
	attrs    names     // that occur in a step or predicate
	text     bool      // some step is text()
	steps    []*steps  // all, while it is built
	plans    []*plan   // by number of a tag, at 0 of every element; nil where there is none
	runners  sync.Pool // of *runner
}

// Patterns returns how many patterns were added: their numbers are below it.
func (a *NFA) Patterns() int { return len(a.ends) }

// A state means: the steps so far match, and this node is what they select.
// States form a tree, as the shared prefixes of the patterns do.
type state struct {
	id     int
	guard  *guard  // that leads here; nil at the start
	child  *steps  // what may follow "/"; nil if nothing does
	desc   *steps  // what may follow "//"
	accept []int32 // patterns that end here, in rising order
}

// steps is where the next steps of one axis part, by test.
type steps struct {
	tags    byNumber[guard]
	any     *guard
	text    *guard
	attrs   byNumber[guard]
	anyAttr *guard
	all     []testGuard // the same in the order of adding
	wants   symbols
}

// symbols is what steps look at: bits of tags, of which several may share one, and
// of texts and attributes.
type symbols uint64

const (
	wantsText symbols = 1 << (62 + iota)
	wantsAttrs
	wantsTags = wantsText - 1
)

// symbolOf returns the bit of a tag by its number; those without one share the first.
func symbolOf(number int32) symbols { return 1 << (uint32(number) % 62) }

type testGuard struct {
	test  xpath.Test
	guard *guard
}

func (st *steps) hasAttrs() bool { return st.anyAttr != nil || !st.attrs.empty() }

// A guard stands between the test of a step and the state behind it: the test
// and some predicates hold. Guards form a tree too, so that steps share their
// leading predicates.
type guard struct {
	id     int32
	weight int32       // how many patterns lie behind it
	number int32       // of its comparison, if it is one
	up     *guard      // that leads here, of the step before if need be
	pred   *xpath.Pred // that leads here; nil behind the test of a step
	to     *state      // reached when nothing more is asked; nil if no pattern stops asking here
	asks   *asks       // the predicates that may come next; nil if none may
}

// test returns the guard of the test of the same step.
func (g *guard) test() *guard {
	for g.pred != nil {
		g = g.up
	}
	return g
}

// A place is the meaning of a positional predicate: of the siblings (or the
// attributes of one element) that pass the test and the predicates before it,
// the n-th, or the last if n is 0. It does not depend on the state, only on
// the parent, so that it is found once for each parent.
type place struct {
	slot   int
	test   xpath.Test
	before []xpath.Pred // none of them positional
	n      int
}

// String prints the automaton as an outline: one line for each step and each
// predicate that follows it, indented below what they share, and behind "=>"
// the numbers of the patterns accepted there.
func (a *NFA) String() string {
	p := printer{below: map[*guard][]*guard{}}
	known := map[*guard]bool{}
	for id, s := range a.ends {
		if s == nil {
			fmt.Fprintf(&p.b, "nothing matches => %d\n", id)
			continue
		}
		for g := s.guard; g != nil && !known[g]; g = g.up {
			known[g] = true
			if g.pred != nil {
				p.below[g.up] = append(p.below[g.up], g)
			}
		}
	}
	for _, list := range p.below {
		slices.SortFunc(list, func(a, b *guard) int { return cmp.Compare(a.id, b.id) })
	}
	p.state(a.start, 0)
	return p.b.String()
}

// printer prints an automaton.
type printer struct {
	b     strings.Builder
	below map[*guard][]*guard // by guard: those behind its next predicates
}

func (p *printer) state(s *state, depth int) {
	for _, axis := range []struct {
		sign string
		*steps
	}{{"/", s.child}, {"//", s.desc}} {
		if axis.steps == nil {
			continue
		}
		for _, t := range axis.all {
			p.guard(t.guard, axis.sign+t.test.String(), depth)
		}
	}
}

func (p *printer) guard(g *guard, label string, depth int) {
	p.b.WriteString(strings.Repeat("  ", depth) + label)
	if g.to != nil && len(g.to.accept) > 0 {
		fmt.Fprintf(&p.b, " => %s", strings.Trim(fmt.Sprint(g.to.accept), "[]"))
	}
	p.b.WriteString("\n")
	for _, next := range p.below[g] {
		p.guard(next, "["+next.pred.String()+"]", depth+1)
	}
	if g.to != nil {
		p.state(g.to, depth+1)
	}
}
