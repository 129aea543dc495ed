package relax

import (
	"slices"

	"github.com/awarc/awarc/yfilter/xpath"
)

// Element is one element of a path, as far as an expression can see it.
type Element struct {
	Tag string
	// Conditions are what may be asked of it instead of what it does not fulfil:
	// what also holds of its like, so not its number.
	Conditions []xpath.Pred
	// Holds reports whether it fulfils a predicate. Positions are asked too.
	Holds func(xpath.Pred) bool
	// Bent caches how steps are relaxed to fit the element, for a caller that needs
	// many paths through it with the same expressions and the same known; nil
	// remembers nothing.
	Bent map[*xpath.Step]Bent
}

// Bent is a step relaxed to fit one element, and what that costs.
type Bent struct {
	step         xpath.Step
	changes, far int
}

// Nearest returns the cheapest relaxation of e that selects the last element of
// a path, or with target an attribute or text of it. The path leads there from
// just below the context node, the outermost element first. The zero target is
// the element itself. ok is false where there is none: an expression that selects an
// element never becomes one that selects an attribute, and protected steps must hold.
//
// A removed or loosened step may make the relaxation select more than the
// element; the caller looks at what it selects.
func Nearest(e *xpath.Expr, protected int, path []Element, target xpath.Test, known func(xpath.Pred) bool) (r Relaxation, ok bool) {
	steps := e.Steps
	var tail *xpath.Step
	var tailCost Cost
	if end := steps[len(steps)-1]; !element(end.Test) {
		steps = steps[:len(steps)-1]
		if tail, tailCost, ok = bendTail(end, target); !ok {
			return r, false
		}
	} else if target != (xpath.Test{}) {
		return r, false
	}
	if len(steps) == 0 || len(path) == 0 {
		return r, false
	}
	a := aligner{steps: steps, protected: protected, path: path, known: known}
	body, cost, ok := a.align()
	if !ok {
		return r, false
	}
	if tail != nil {
		body = append(body, *tail)
	}
	return Relaxation{Expr: &xpath.Expr{Steps: body}, Cost: cost.add(tailCost)}, true
}

// bendTail relaxes a last step that selects an attribute or text.
func bendTail(s xpath.Step, target xpath.Test) (*xpath.Step, Cost, bool) {
	switch {
	case s.Test == target:
		return &s, Cost{}, true
	case s.Test.Kind == xpath.Attr && target.Kind == xpath.Attr:
		cost := Cost{Changes: 1, Distance: distance(s.Test.Name, target.Name)}
		s.Test = target
		return &s, cost, true
	case target == (xpath.Test{}): // the element instead of a part of it
		return nil, Cost{Changes: 1, Distance: farStep}, true
	}
	return nil, Cost{}, false
}

// aligner lays the steps of an expression along a path of elements: each step
// on one element, in order, the last on the last. It is the alignment of two
// sequences; best[i][j] is the cheapest way to lay step i on element j.
type aligner struct {
	steps     []xpath.Step
	protected int
	path      []Element
	known     func(xpath.Pred) bool
	best      [][]laid
}

// laid is one step on one element.
type laid struct {
	ok    bool
	cost  Cost
	step  xpath.Step
	prior int // step before, -1 for none
	on    int // and the element it is on
}

func (a *aligner) align() ([]xpath.Step, Cost, bool) {
	last, end := len(a.steps)-1, len(a.path)-1
	a.best = make([][]laid, len(a.steps))
	for i := range a.steps {
		a.best[i] = make([]laid, len(a.path))
		for j := range a.path {
			if i < last || j == end {
				a.best[i][j] = a.lay(i, j)
			}
		}
	}
	at := a.best[last][end]
	if !at.ok {
		return nil, Cost{}, false
	}
	out := []xpath.Step{at.step}
	for at.prior >= 0 {
		at = a.best[at.prior][at.on]
		out = append(out, at.step)
	}
	slices.Reverse(out)
	return out, a.best[last][end].cost, true
}

// lay finds the cheapest way to lay step i on element j.
func (a *aligner) lay(i, j int) laid {
	var best laid
	changes, far, step, ok := a.bend(i, a.path[j])
	if !ok {
		return best
	}
	consider := func(before Cost, prior, on int, adjacent bool) {
		s, n, d := step, changes, far
		gone := i - 1 - prior
		switch {
		case s.Axis == xpath.Child && gone > 0:
			s.Axis = xpath.Descendant
		case s.Axis == xpath.Child && !adjacent:
			if i < a.protected || i == 0 {
				return
			}
			s.Axis, n, d = xpath.Descendant, n+1, d+farLoosened
		}
		cost := before.add(Cost{Changes: gone, Distance: gone * farStep}).add(Cost{Worst: n > 1, Changes: n, Distance: d})
		if !best.ok || cost.Compare(best.cost) < 0 {
			best = laid{true, cost, s, prior, on}
		}
	}
	if a.protected <= 0 || i == 0 { // all steps before are removed, or none are before
		consider(Cost{}, -1, -1, j == 0)
	}
	for prior := i - 1; prior >= 0 && prior >= a.protected-1; prior-- {
		for on := range j {
			if b := a.best[prior][on]; b.ok {
				consider(b.cost, prior, on, on == j-1)
			}
		}
	}
	return best
}

// bend relaxes a step so that an element fulfils it.
func (a *aligner) bend(i int, el Element) (changes, far int, s xpath.Step, ok bool) {
	at := &a.steps[i]
	b, known := el.Bent[at]
	if !known {
		b.changes, b.far, b.step = a.bent(*at, el)
		if el.Bent != nil {
			el.Bent[at] = b
		}
	}
	b.step.Preds = slices.Clip(b.step.Preds)
	return b.changes, b.far, b.step, b.changes == 0 || i >= a.protected
}

func (a *aligner) bent(s xpath.Step, el Element) (changes, far int, _ xpath.Step) {
	if s.Test.Kind == xpath.Tag && s.Test.Name != el.Tag {
		changes, far = 1, tagDistance(s.Test.Name, el.Tag)
		s.Test.Name = el.Tag
	}
	preds := s.Preds
	s.Preds = nil
	for _, p := range preds {
		if el.Holds(p) {
			s.Preds = append(s.Preds, p)
			continue
		}
		n, d, q := 1, farRemoved, (*xpath.Pred)(nil)
		if asksAttribute(p) {
			for k := range el.Conditions {
				m, f, differs := replaced(p, el.Conditions[k], a.known)
				if differs && (m < n || m == n && f < d) {
					n, d, q = m, f, &el.Conditions[k]
				}
			}
		}
		changes, far = changes+n, far+d
		if q != nil && !slices.ContainsFunc(s.Preds, func(p xpath.Pred) bool { return p == *q }) {
			s.Preds = append(s.Preds, *q)
		}
	}
	return changes, far, s
}
