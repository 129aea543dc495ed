package adapt

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/awarc/awarc/engine/extract"
	"github.com/awarc/awarc/kb"
)

// totalPages counts the pages on which a total gave no number though they have objects or links
// that it counts.
type totalPages struct {
	pages  int
	url    string // of the first page of the level
	expr   string
	found  bool // it gave a number on some page
	listed bool // by [lessons.missingTotals]
}

// count notes which totals of the level of a page gave a number. Numbers of pages are not missed:
// short lists have none.
func (k *lessons) count(url string, h extract.Harvest) {
	for _, s := range h.Level.Spots() {
		if s.Total == nil || s.Total.Of == kb.OfPages {
			continue
		}
		t := k.totals[s.Place]
		if t == nil {
			t = &totalPages{url: url, expr: s.Total.Tries[0].Expr.Source}
			k.totals[s.Place] = t
		}
		switch {
		case slices.ContainsFunc(h.Totals, func(n extract.Total) bool { return n.Of == s.Total.Of }):
			t.found = true
		case s.Total.Link != nil && len(h.Links) > 0,
			slices.ContainsFunc(h.Objects, func(o extract.Object) bool { return o.Class == s.Total.Of }):
			t.pages++
		}
	}
}

// missingTotals lists once each total that gave no number on any page. More pages are needed than
// confirm a candidate (further).
func (k *lessons) missingTotals(further int) (out []Left) {
	for place, t := range k.totals {
		if t.found || t.listed || t.pages <= further {
			continue
		}
		t.listed = true
		out = append(out, Left{Place: place, Cause: NoNumber, URL: t.url, Pages: t.pages,
			Detail: fmt.Sprintf("%s gave no number on %d pages; "+
				"totals are not adapted: if the pages show one, add a <try>", t.expr, t.pages)})
	}
	slices.SortFunc(out, func(a, b Left) int { return cmp.Compare(a.Place.String(), b.Place.String()) })
	return out
}
