package yfilter

import (
	"fmt"
	"strings"
	"sync"

	"github.com/awarc/awarc/yfilter/xpath"
)

// An NFA matches all its patterns against a tree in one walk. It is made by
// [Builder.Build], never changes, and may be used by many goroutines at once.
type NFA struct {
	start    *state
	states   int              // state ids are below this
	slots    int              // place slots are below this
	weights  []int32          // by guard: how many patterns lie behind it
	ends     []*state         // by pattern: where it is accepted; nil if nothing can match it
	possible int              // patterns with an end
	symbols  map[string]int32 // tag names that occur in a step, from 1
	text     bool             // some step is text()
	runners  sync.Pool        // of *runner
}

// Patterns returns how many patterns were added: their numbers are below it.
func (a *NFA) Patterns() int { return len(a.ends) }

// A state means: the steps so far match, and this node is what they select.
// States form a tree, as the shared prefixes of the patterns do.
type state struct {
	id     int
	guard  *guard // that leads here; nil at the start
	child  *steps // what may follow "/"; nil if nothing does
	desc   *steps // what may follow "//"
	accept []int  // patterns that end here, in rising order
}

// steps is where the next steps of one axis part, by test.
type steps struct {
	tags    map[int32]*guard // by symbol
	any     *guard
	text    *guard
	attrs   map[string]*guard
	anyAttr *guard
	all     []testGuard // the same in the order of adding, for printing
}

type testGuard struct {
	test  xpath.Test
	guard *guard
}

func (st *steps) hasAttrs() bool { return st.anyAttr != nil || len(st.attrs) > 0 }

// A guard stands between the test of a step and the state behind it: the test
// and some predicates hold, and these are the predicates that may come next.
// Guards form a tree too, so that steps share their leading predicates.
type guard struct {
	id       int
	up       *guard                       // the guard that leads here, of the step before if need be
	to       *state                       // reached when nothing more is asked; nil if no pattern stops asking here
	branches []branch                     // the predicates that may come next, for printing; split up into:
	equal    map[string]map[string]*guard // @name='literal' on elements, by name and literal
	checks   []check                      // the others
}

type branch struct {
	pred xpath.Pred
	to   *guard
}

type check struct {
	branch
	place *place // of a positional predicate, else nil
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
	var b strings.Builder
	for id, s := range a.ends {
		if s == nil {
			fmt.Fprintf(&b, "nothing matches => %d\n", id)
		}
	}
	a.start.print(&b, 0)
	return b.String()
}

func (s *state) print(b *strings.Builder, depth int) {
	for _, axis := range []struct {
		sign string
		*steps
	}{{"/", s.child}, {"//", s.desc}} {
		if axis.steps == nil {
			continue
		}
		for _, t := range axis.all {
			t.guard.print(b, axis.sign+t.test.String(), depth)
		}
	}
}

func (g *guard) print(b *strings.Builder, label string, depth int) {
	b.WriteString(strings.Repeat("  ", depth) + label)
	if g.to != nil && len(g.to.accept) > 0 {
		fmt.Fprintf(b, " => %s", strings.Trim(fmt.Sprint(g.to.accept), "[]"))
	}
	b.WriteString("\n")
	for _, br := range g.branches {
		br.to.print(b, "["+br.pred.String()+"]", depth+1)
	}
	if g.to != nil {
		g.to.print(b, depth+1)
	}
}
