package relax

import (
	"container/heap"
	"iter"
	"slices"
	"strings"

	"github.com/awarc/awarc/yfilter/xpath"
)

// Vocabulary is what relaxations may be made of. The zero value allows only
// removing and loosening.
type Vocabulary struct {
	// Tags and Attrs are names of elements and attributes on the page.
	Tags, Attrs []string
	// Conditions are what can be asked of attributes on the page: that a class
	// contains one of its tokens, that an id is its value or begins as others do.
	Conditions []xpath.Pred
	// Known reports whether sibling types of the same category use a condition; nil
	// knows none.
	Known func(xpath.Pred) bool
	// Holds reports whether some element of the page fulfils a step by itself; a
	// relaxation with a changed step that none fulfils is never made. nil: all may
	// be.
	Holds func(xpath.Step) bool
}

// Seq yields e and then its relaxations in rising cost, equal costs in the
// order of their printed form, each expression once. The first protected steps
// stay as they are. It makes relaxations only when they are needed.
func Seq(e *xpath.Expr, protected int, v Vocabulary) iter.Seq[Relaxation] {
	return func(yield func(Relaxation) bool) {
		s := newSearch(e, protected, v)
		seen := map[string]bool{}
		for {
			batch := s.batch()
			if batch == nil {
				return
			}
			slices.SortFunc(batch, Relaxation.Compare)
			for _, r := range batch {
				if key := r.Expr.String(); !seen[key] {
					seen[key] = true
					if !yield(r) {
						return
					}
				}
			}
		}
	}
}

// search enumerates combinations of relaxed steps, the cheapest first. A state
// chooses one relaxation for each step by its number in the step's list, which
// is in rising cost; its successors choose the next one for one step. To reach each state
// once, only steps from the last raised one on are raised.
type search struct {
	steps []*bends
	open  states
	// lead is the axis of the first step: what removing it must keep.
	lead xpath.Axis
}

type state struct {
	at     []int
	raised int
	cost   Cost
	text   string // breaks ties, so that the order does not depend on the heap
}

func newSearch(e *xpath.Expr, protected int, v Vocabulary) *search {
	s := &search{lead: e.Steps[0].Axis}
	last := len(e.Steps) - 1
	for last > 0 && !element(e.Steps[last].Test) {
		last-- // the step of the element that is wanted, which cannot go
	}
	for i, st := range e.Steps {
		loosens := i > 0 // a leading "/" ties the expression to the root
		s.steps = append(s.steps, newBends(st, i < protected, i < last, loosens, v))
	}
	s.push(make([]int, len(e.Steps)), 0)
	return s
}

func element(t xpath.Test) bool { return t.Kind == xpath.Tag || t.Kind == xpath.AnyTag }

func (s *search) push(at []int, raised int) {
	var cost Cost
	var text strings.Builder
	for i, n := range at {
		b := s.steps[i].at(n)
		if b == nil {
			return
		}
		cost = cost.add(b.cost)
		text.WriteByte(byte(n))
		text.WriteByte(byte(n >> 8))
	}
	heap.Push(&s.open, state{at, raised, cost, text.String()})
}

// batch takes all states of the lowest cost; nil where none are left.
func (s *search) batch() []Relaxation {
	if len(s.open) == 0 {
		return nil
	}
	out := []Relaxation{}
	cost := s.open[0].cost
	for len(s.open) > 0 && s.open[0].cost == cost {
		st := heap.Pop(&s.open).(state)
		if e := s.expr(st.at); e != nil {
			out = append(out, Relaxation{Expr: e, Cost: st.cost})
		}
		for i := st.raised; i < len(st.at); i++ {
			next := slices.Clone(st.at)
			next[i]++
			s.push(next, i)
		}
	}
	return out
}

// expr puts the chosen steps together.
func (s *search) expr(at []int) *xpath.Expr {
	e := &xpath.Expr{}
	gap := false
	for i, n := range at {
		b := s.steps[i].at(n)
		if b.removed {
			gap = true
			continue
		}
		st := b.step
		if gap && !st.Test.IsAttr() && st.Test.Kind != xpath.Text {
			st.Axis = xpath.Descendant
		}
		gap = false
		e.Steps = append(e.Steps, st)
	}
	return e
}

type states []state

func (s states) Len() int { return len(s) }
func (s states) Less(i, j int) bool {
	if c := s[i].cost.Compare(s[j].cost); c != 0 {
		return c < 0
	}
	return s[i].text < s[j].text
}
func (s states) Swap(i, j int) { s[i], s[j] = s[j], s[i] }
func (s *states) Push(x any)   { *s = append(*s, x.(state)) }
func (s *states) Pop() any {
	old := *s
	last := old[len(old)-1]
	*s = old[:len(old)-1]
	return last
}
