package adapt

import (
	"slices"

	"github.com/awarc/awarc/kb"
	"github.com/awarc/awarc/yfilter/xpath"
)

// rooted reports whether an object is the page, where something is on it: its expressions
// select the root under a condition.
func rooted(o *kb.Object) bool {
	return len(o.At) > 0 && !slices.ContainsFunc(o.At, func(t *kb.Try) bool { return !ofRoot(t.Expr.Tree) })
}

// ofRoot reports whether an expression selects the root, or what is below it, under a condition.
func ofRoot(n xpath.Node) bool {
	path, ok := xpath.First(n).(*xpath.Path)
	if !ok || path.From != nil || path.Root || len(path.Steps) == 0 {
		return false
	}
	s := path.Steps[0]
	return s.Axis == "" && s.Test == "html" && len(s.Preds) > 0
}

// whole plans such an object: its condition becomes that its content is there.
func (s *session) whole(v *kb.Level, spots []kb.Spot, o *kb.Object, spot kb.Spot, all bool) (plan, bool) {
	set := &recordSet{list: []int{-1}}
	set.from = spot.Tries[0].Expr.Source
	set.cost.Changes = 1
	p := s.fields(v, spots, o, set.list, set, all)
	if len(p.missing) > 0 {
		return p, false
	}
	i := slices.IndexFunc(p.steps, func(st planned) bool {
		return st.spot.Field != nil && st.spot.Field.As == kb.HTML && len(st.spot.Objects) == 1
	})
	if i < 0 {
		return plan{}, false
	}
	there := []xpath.Node{xpath.Below(p.steps[i].by.expr)}
	set.expr = &xpath.Path{Steps: []*xpath.PathStep{{Test: "html", Preds: there}}}
	if e, err := kb.ExprOf(set.expr); err != nil || len(s.selectAll(e, -1)) == 0 {
		return plan{}, false
	}
	set.sure, set.why = p.steps[i].by.sure, p.steps[i].by.why
	p.steps[0].margin, p.margin = p.steps[i].margin, p.steps[i].margin
	return p, true
}
