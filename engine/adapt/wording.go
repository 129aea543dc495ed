package adapt

import (
	"slices"
	"strings"

	"github.com/awarc/awarc/kb"
)

// What an author cuts a value out of, as in "was last edited on 4 March 2021, at 08:07" or "10:00 by ada", is a text of the application:
// templates change where it stands, and seldom what it says.

// wordedSure is how sure such a place is: one text of the page says it, in the author's words.
const wordedSure = 0.9

// worded finds a field that a page need not have by the texts that its actions cut it out of, where just one element of the page has such
// a text and is told from others by its name; nil for none.
func (s *session) worded(spot kb.Spot) *candidate {
	for _, t := range spot.Tries {
		if t.Match == nil || t.Learned != nil {
			continue
		}
		at := s.outOf(spot.Field, &kb.Try{Match: t.Match})
		if len(at) != 1 {
			continue
		}
		for n := at[0]; n >= 0 && s.x.length(n) <= longestNote; n = s.x.parent[n] { // the element around it says it as well
			for _, g := range s.alike(n) {
				e, err := kb.ExprOf(wholeNames(g.expr().Tree()))
				if err != nil || !slices.Equal(s.selected(e, -1), []int{n}) {
					continue
				}
				c := trial(e, t.Match, 3)
				c.nodes, c.from, c.sure, c.why = [][]int{{n}}, t.Expr.Source, wordedSure, []string{"what its author cuts it out of"}
				s.values(spot.Field, c, &scope{records: []int{-1}})
				return c
			}
		}
	}
	return nil
}

// outOf lists the innermost elements with short texts out of which an expression cuts a value, and more than that value.
func (s *session) outOf(f *kb.Field, t *kb.Try) (at []int) {
	for n, node := range s.x.nodes {
		if l := s.x.length(n); l == 0 || l > longestNote || unread(node) {
			continue
		}
		text := strings.Join(strings.Fields(s.x.read(node)), " ")
		if cut := t.Match.Cut(text); cut == "" || cut == text {
			continue
		}
		before := s.r.Steps()
		v := s.r.Value(f, t, node, "")
		s.x.spend(stepWork * (s.r.Steps() - before))
		if v == "" {
			continue
		}
		if last := len(at) - 1; last >= 0 && s.x.inside(n, at[last]) {
			at = at[:last]
		}
		at = append(at, n)
	}
	return at
}
