package adapt

import (
	"cmp"
	"slices"
	"strings"

	"github.com/awarc/awarc/kb"
	"github.com/awarc/awarc/relax"
	"github.com/awarc/awarc/yfilter/xpath"
)

// change is a guess at what one element of a template became: its tag, or what an expression asks of it, is another now. An expression
// may ask for the element several times, as the node and as what its parts lie in, which relaxing one step cannot mend.
type change struct {
	try      *kb.Try
	from, to relax.Term
	cost     relax.Cost
}

// changedSets lists what could be the nodes of an object inside ctx if one element of the template changed.
func (s *session) changedSets(spot kb.Spot, ctx int) (out []*recordSet) {
	o := spot.Objects[len(spot.Objects)-1]
	anchors := s.anchors(o, ctx)
	for _, c := range s.changes(spot) {
		if s.spent() {
			break
		}
		s.tried++
		s.x.spend(exprWork)
		tree, _ := relax.Substitute(c.try.Expr.Tree, c.from, c.to)
		e, err := kb.ExprOf(tree)
		if err != nil {
			continue
		}
		list := s.selected(e, ctx)
		if len(list) == 0 {
			continue
		}
		if set := s.recordSet(o, list, ctx, anchors); set != nil {
			set.candidate = candidate{try: &kb.Try{Expr: e}, expr: tree, from: c.try.Expr.Source, cost: c.cost}
			out = append(out, set)
		}
	}
	return out
}

// changes guesses what became of the elements that expressions ask for and the page does not have, the likeliest first: what is named
// alike. An expression that misses two elements is one of another theme.
func (s *session) changes(spot kb.Spot) (out []change) {
	const most = 12
	known := s.lex.known(s.category, purpose(spot))
	for _, t := range spot.Tries {
		var missing [][]xpath.Step
		for _, alternatives := range relax.Steps(t.Expr.Tree) {
			if !slices.ContainsFunc(alternatives, func(step xpath.Step) bool { return len(s.x.step(step)) > 0 }) {
				missing = append(missing, alternatives)
			}
		}
		if len(missing) == 0 || !alike(missing) {
			continue
		}
		for _, step := range missing[0] {
			for _, c := range s.became(step, known) {
				c.try = t
				out = append(out, c)
			}
		}
	}
	slices.SortStableFunc(out, func(a, b change) int { return a.cost.Compare(b.cost) })
	return out[:min(len(out), most)]
}

// termOf is what a step asks for by one of its predicates.
func termOf(step xpath.Step, p xpath.Pred) relax.Term {
	if step.Test.Kind == xpath.AnyTag {
		return relax.Term{Tag: "*", Pred: p}
	}
	return relax.Term{Tag: step.Test.Name, Pred: p}
}

// alike reports whether all of some steps, with their alternatives, ask for the same.
func alike(list [][]xpath.Step) bool {
	same := func(a, b xpath.Step) bool { return a.Test == b.Test && slices.Equal(a.Preds, b.Preds) }
	return !slices.ContainsFunc(list, func(steps []xpath.Step) bool { return !slices.EqualFunc(steps, list[0], same) })
}

// became guesses what a step would ask for that no element of the page fulfils: for one of its conditions another, or none, or for its tag
// another.
func (s *session) became(step xpath.Step, known func(xpath.Pred) bool) (out []change) {
	bare := step.Test.Kind == xpath.AnyTag && len(step.Preds) == 1
	seen := map[relax.Term]bool{}
	add := func(from, to relax.Term) {
		if to.Tag = cmp.Or(to.Tag, from.Tag); seen[to] {
			return
		}
		seen[to] = true
		out = append(out, change{from: from, to: to, cost: from.Cost(to, known)})
	}
	for i, p := range step.Preds {
		from := termOf(step, p)
		rest := s.x.step(xpath.Step{Test: step.Test, Preds: slices.Delete(slices.Clone(step.Preds), i, i+1)})
		s.x.spend(4 * len(rest))
		for _, n := range rest {
			for _, q := range s.x.conditions(n) {
				to := relax.Term{Pred: q}
				if q.Value == p.Value || plainName(to) == plainName(from) {
					add(from, to)
				}
			}
			if _, has := s.x.attr(n, p.Value.Name); !has && !bare {
				add(from, relax.Term{})
			}
		}
		if from.Tag == "*" {
			continue
		}
		for _, n := range s.x.step(xpath.Step{Test: xpath.Test{Kind: xpath.AnyTag}, Preds: step.Preds}) {
			add(from, relax.Term{Tag: s.x.nodes[n].Data, Pred: p})
		}
	}
	return out
}

// plainName is the name that a term asks for, without what stands before its number.
func plainName(t relax.Term) string {
	return strings.TrimRight(strings.TrimSpace(t.Pred.Literal), "-_")
}
