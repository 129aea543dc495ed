package adapt

import (
	"slices"
	"strings"

	"github.com/awarc/awarc/kb"
)

// rooted tells whether an object is the page, where something is on it: its expressions
// select the root under a condition.
func rooted(o *kb.Object) bool {
	return len(o.At) > 0 && !slices.ContainsFunc(o.At, func(t *kb.Try) bool { return !strings.HasPrefix(t.Expr.Source, "html[") })
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
	is := p.steps[i].by.expr
	if !strings.HasPrefix(is, "(") && !strings.HasPrefix(is, ".") {
		is = ".//" + is
	}
	set.expr = "html[" + is + "]"
	if e, err := kb.NewExpr(set.expr); err != nil || len(s.selectAll(e, -1)) == 0 {
		return plan{}, false
	}
	set.candidate.score, set.why = p.steps[i].by.score, p.steps[i].by.why
	p.steps[0].margin, p.margin = p.steps[i].margin, p.steps[i].margin
	return p, true
}
