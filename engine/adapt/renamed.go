package adapt

import (
	"fmt"
	"slices"

	"github.com/awarc/awarc/engine/extract"
	"github.com/awarc/awarc/kb"
	"github.com/awarc/awarc/relax"
	"github.com/awarc/awarc/yfilter/xpath"
)

// rename is a name of a template and its present one, as a repaired expression shows them.
type rename struct {
	from, to relax.Term
	sure     float64 // the confidence of the repaired expression
}

func (r rename) same(o rename) bool { return r.from == o.from && r.to == o.to }

// mostRenames bounds the renames that are kept of a site. The value is arbitrary.
const mostRenames = 20

// renamesOf lists the renames that entries for a level show: those that explain the difference between
// an entry and the expression that it stands for.
func renamesOf(v *kb.Level, entries []kb.Entry) (out []rename) {
	for _, e := range entries {
		spot, ok := v.Spot(e.Place)
		if !ok {
			continue
		}
		i := slices.IndexFunc(spot.Tries, func(t *kb.Try) bool { return t.Expr.Source == e.From })
		is, err := kb.NewExpr(e.Expr)
		if i < 0 || err != nil {
			continue
		}
		was, now := termsOf(spot.Tries[i].Expr.Tree), termsOf(is.Tree)
		old := slices.DeleteFunc(slices.Clone(was), func(t relax.Term) bool { return slices.Contains(now, t) })
		now = slices.DeleteFunc(now, func(t relax.Term) bool { return slices.Contains(was, t) })
		if len(old) == 1 && len(now) == 1 && old[0].Pred.Value == now[0].Pred.Value {
			out = append(out, rename{old[0], now[0], e.Confidence})
		}
	}
	return out
}

// termsOf lists the terms that an expression tests, each once.
func termsOf(n xpath.Node) (out []relax.Term) {
	for _, alternatives := range relax.Steps(n) {
		for _, step := range alternatives {
			for _, p := range step.Preds {
				if t := termOf(step, p); !slices.Contains(out, t) {
					out = append(out, t)
				}
			}
		}
	}
	return out
}

// carry repairs further actions of a level by renames that another action showed: fields, objects
// inside, links and totals whose expressions test the old name. It keeps an entry only if the page
// gives more values with it and loses none.
func (s *session) carry(v *kb.Level, h extract.Harvest, renames []rename, site string) (extract.Harvest, []kb.Entry) {
	var out []kb.Entry
	page := s.page
	for _, r := range renames {
		for _, spot := range v.Spots() {
			if s.spent() {
				return h, out
			}
			for _, t := range spot.Tries {
				tree, ok := relax.Substitute(t.Expr.Tree, r.from, r.to)
				if !ok || t.Learned != nil {
					continue
				}
				e := kb.Entry{Place: spot.Place, Expr: tree.String(), Provenance: kb.Provenance{
					From: t.Expr.Source, Cost: 1, Site: site, Pages: 1, Confidence: r.sure,
					Evidence: fmt.Sprintf("another action shows that %s became %s", r.from, r.to),
				}}
				if t.Match != nil {
					e.Match = t.Match.String()
				}
				is, err := e.Try()
				if err != nil || s.lex.base.Rejected(e) {
					continue
				}
				s.tried++
				page.Levels = []*kb.Level{v.With(e.Place, is)}
				if now := s.harvest(page); weight(now) > weight(h) && harm(h, now) == "" {
					v, h, out = page.Levels[0], now, append(out, e)
					break
				}
			}
		}
	}
	return h, out
}
