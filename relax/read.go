package relax

import (
	"slices"
	"strings"

	"github.com/awarc/awarc/yfilter/xpath"
)

// Reading is an expression of full XPath 1.0 as the fragment of package xpath can
// say it. What it cannot say was left out, so that the reading selects more.
type Reading struct {
	// Before is the path that comes before Expr and stays as it is, such as
	// "./following-sibling::tr[1]"; mostly nil.
	Before *xpath.Path
	Expr   *xpath.Expr
	// Pick is the position among all that Expr selects: Position or Last, or the zero Pred
	// for all of them.
	Pick xpath.Pred
	// Dropped counts the predicates that were left out.
	Dropped int
}

// First picks the first of what is selected.
var First = xpath.Pred{Kind: xpath.Position, N: 1}

// whole reports whether Expr is all of the reading.
func (r Reading) whole() bool { return r.Before == nil && r.Pick == xpath.Pred{} }

// String writes the reading, or a relaxation of it, as an expression of full
// XPath 1.0; as one of the fragment where it is one.
func (r Reading) String() string {
	if r.whole() {
		return r.Expr.String()
	}
	return r.Tree().String()
}

// Tree gives the reading, or a relaxation of it, as an expression of full XPath 1.0.
func (r Reading) Tree() xpath.Node {
	path := r.Expr.Tree()
	if r.whole() {
		return path
	}
	if path.Root {
		path = &xpath.Path{Steps: append([]*xpath.PathStep{{Axis: "."}}, path.Steps...)}
	} else {
		path = path.Below()
	}
	steps := path.Steps
	var tail []*xpath.PathStep
	if n := len(steps) - 1; n > 1 && !element(r.Expr.Steps[len(r.Expr.Steps)-1].Test) {
		steps, tail = steps[:n], steps[n:]
	}
	if r.Before != nil {
		before := *r.Before
		before.Steps = append(slices.Clone(before.Steps), steps[1:]...)
		path = &before
	} else {
		path.Steps = steps
	}
	if r.Pick == (xpath.Pred{}) {
		path.Steps = append(path.Steps, tail...)
		return path
	}
	return &xpath.Path{From: &xpath.Group{Of: path}, Preds: []xpath.Node{r.Pick.Tree()}, Steps: tail}
}

// maxReadings bounds what one expression is read as: each "or" doubles it.
const maxReadings = 8

// Read reads an expression of the fragment or of full XPath 1.0, each branch of
// a union and each side of an "or" by itself. It returns nothing for what has no
// path in it, such as a computed string.
func Read(n xpath.Node) []Reading {
	n = xpath.Spelled(n)
	if e, ok := xpath.Fragment(n); ok {
		return []Reading{{Expr: e}}
	}
	n = xpath.Edit(n, asPart)
	var out []Reading
	for _, branch := range xpath.Operands(n, "|") {
		if path, ok := branch.(*xpath.Path); ok {
			out = append(out, readBranch(path)...)
		}
	}
	return out[:min(len(out), maxReadings)]
}

// asPart makes of the way to ask for one token of a class in XPath 1.0 a test that the
// class contains it.
func asPart(n xpath.Node) (part xpath.Node, into bool) {
	attr, literal, ok := xpath.Padded(n)
	if !ok || len(literal) < 2 || literal[0] != ' ' || literal[len(literal)-1] != ' ' || strings.ContainsAny(literal, `'"`) {
		return n, true
	}
	p := xpath.Pred{Kind: xpath.Contains, Value: xpath.Test{Kind: xpath.Attr, Name: attr}, Literal: literal[1 : len(literal)-1]}
	return p.Tree(), false
}

// readBranch reads one branch of a union.
func readBranch(path *xpath.Path) []Reading {
	if path.From == nil {
		return readPath(path)
	}
	group, ok := path.From.(*xpath.Group)
	if !ok || len(path.Preds) != 1 {
		return nil
	}
	pick, ok := xpath.PredOf(path.Preds[0])
	if !ok || !pick.Positional() {
		return nil
	}
	var out []Reading
	for _, branch := range xpath.Operands(group.Of, "|") {
		inner, ok := branch.(*xpath.Path)
		if !ok || inner.From != nil {
			continue
		}
		whole := *inner
		whole.Steps = append(slices.Clone(inner.Steps), path.Steps...)
		for _, r := range readPath(&whole) {
			r.Pick = pick
			out = append(out, r)
		}
	}
	return out
}

// spelt reports whether the fragment has no axis for a step.
func spelt(s *xpath.PathStep) bool {
	return s.Axis != "" && s.Axis != "@" && s.Axis != "."
}

// readPath reads a path of steps.
func readPath(path *xpath.Path) []Reading {
	steps := path.Steps
	if len(steps) == 0 {
		return nil
	}
	here := steps[0].Axis == "." && !path.Root
	if here {
		steps = steps[1:]
	}
	r := Reading{}
	if i := lastSpelt(steps); i >= 0 { // what comes up to another axis is kept as it is
		r.Before = before(path, steps[:i+1])
		steps = steps[i+1:]
	}
	if len(steps) == 0 {
		return nil
	}
	alternatives := []Reading{r}
	for i, st := range steps {
		ways := readStep(st)
		if i == 0 && r.Before == nil && !here && !path.Root {
			for i := range ways {
				ways[i].step.Axis = xpath.Descendant
			}
		}
		alternatives = extended(alternatives, ways)
	}
	return slices.DeleteFunc(alternatives, func(a Reading) bool {
		_, ok := xpath.Fragment(a.Expr.Tree())
		return !ok
	})
}

func lastSpelt(steps []*xpath.PathStep) int {
	last := -1
	for i, s := range steps {
		if spelt(s) {
			last = i
		}
	}
	return last
}

// before gives the first steps of a path as one that starts at the context node.
func before(path *xpath.Path, steps []*xpath.PathStep) *xpath.Path {
	if !path.Root && spelt(path.Steps[0]) {
		return &xpath.Path{Steps: steps}
	}
	below := &xpath.Path{Steps: append([]*xpath.PathStep{{Axis: "."}}, steps...)}
	if !path.Root && path.Steps[0].Axis != "." {
		first := *steps[0]
		first.Deep = true
		below.Steps[1] = &first
	}
	return below
}

// extended adds one more step, in each of several ways, to each of several readings.
func extended(readings []Reading, ways []readStepWay) []Reading {
	var out []Reading
	for _, a := range readings {
		for _, w := range ways {
			b := a
			b.Dropped += w.dropped
			b.Expr = &xpath.Expr{}
			if a.Expr != nil {
				b.Expr.Steps = append(b.Expr.Steps, a.Expr.Steps...)
			}
			b.Expr.Steps = append(b.Expr.Steps, w.step)
			if out = append(out, b); len(out) >= maxReadings {
				break
			}
		}
	}
	return out
}

type readStepWay struct {
	step    xpath.Step
	dropped int
}

// readStep reads one step, each "or" as several ways.
func readStep(s *xpath.PathStep) []readStepWay {
	step, ok := s.Fragment()
	if !ok {
		return nil
	}
	ways := []readStepWay{{step: step}}
	for _, p := range s.Preds {
		var next []readStepWay
		for _, alternative := range xpath.Operands(p, "or") {
			for _, w := range ways {
				w.step.Preds = slices.Clone(w.step.Preds)
				for _, one := range xpath.Operands(alternative, "and") {
					w = w.with(one)
				}
				if next = append(next, w); len(next) >= maxReadings {
					break
				}
			}
		}
		ways = next
	}
	return ways
}

// with adds one condition, or leaves it out.
func (w readStepWay) with(cond xpath.Node) readStepWay {
	if path, ok := cond.(*xpath.Path); ok && w.step.Test.Kind == xpath.AnyTag && path.From == nil && !path.Root && len(path.Steps) == 1 {
		if s := path.Steps[0]; s.Axis == "self" && len(s.Preds) == 0 {
			if is, ok := (&xpath.PathStep{Test: s.Test}).Fragment(); ok {
				w.step.Test = is.Test
				return w
			}
		}
	}
	p, ok := xpath.PredOf(cond)
	if !ok {
		w.dropped++
		return w
	}
	w.step.Preds = append(w.step.Preds, p)
	return w
}
