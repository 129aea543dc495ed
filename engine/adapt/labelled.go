package adapt

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/net/html"

	"github.com/awarc/awarc/kb"
	"github.com/awarc/awarc/relax"
)

// Templates without a name for the date write a word before it, "Posted: Wed Nov 30, 2005 2:56 am", and another before the day
// on which the author joined. The word tells the two apart where names of elements do not.

// dateLabel is what stands before a date, up to its colon.
var dateLabel = regexp.MustCompile(`^(\pL[\pL ]{1,24}):\s*(.+)$`)

// labelCut cuts off a label: of a date, and of a title as in "Post subject: Re: Rope for a mooring".
var labelCut = &kb.Regexp{Regexp: regexp.MustCompile(`^[^:]*:\s*(.+)$`)}

// labelled proposes the texts with a date after a label that each of several records has once.
func (s *session) labelled(sc *scope) []*candidate {
	if len(sc.records) < 2 {
		return nil
	}
	times := map[string]int{} // that a record has a label
	var order []string
	for _, rec := range sc.records {
		here := map[string]int{}
		for _, n := range s.dateSpots() {
			if !s.x.inside(n, rec) || s.innerOf(n, rec, sc.inner) {
				continue
			}
			for t := s.x.nodes[n].FirstChild; t != nil; t = t.NextSibling {
				if t.Type != html.TextNode {
					continue
				}
				if m := dateLabel.FindStringSubmatch(strings.Join(strings.Fields(t.Data), " ")); m != nil && s.dateLike(m[2]) {
					here[m[1]]++
				}
			}
		}
		for l, n := range here {
			if n == 1 {
				if times[l] == 0 {
					order = append(order, l)
				}
				times[l]++
			}
		}
	}
	slices.SortFunc(order, func(a, b string) int { return cmp.Or(cmp.Compare(times[b], times[a]), cmp.Compare(a, b)) })
	var out []*candidate
	for _, l := range order {
		if times[l] < len(sc.records) {
			break
		}
		e, err := kb.NewExpr(fmt.Sprintf(".//text()[starts-with(normalize-space(.), '%s:')]", l))
		if err != nil {
			continue
		}
		out = append(out, &candidate{try: &kb.Try{Expr: e, Match: labelCut}, expr: e.Tree, match: labelCut, proposed: true,
			cost: relax.Cost{Changes: 3, Worst: true}})
	}
	return out
}
