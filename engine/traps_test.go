package engine

import (
	"fmt"
	"testing"

	"github.com/awarc/awarc/frontier"
)

// manyFamilies is a frontier with so many families in which one URL waits, and as many in which none does.
type manyFamilies int

func (n manyFamilies) Families() (all []frontier.Family) {
	for i := range int(n) {
		all = append(all, frontier.Family{Name: fmt.Sprint("waiting", i), Waiting: 1},
			frontier.Family{Name: fmt.Sprint("done", i), Drawn: 1})
	}
	return all
}

func (manyFamilies) EachPutOff(name string, _ int, fn func(frontier.Entry) error) error {
	return fn(frontier.Entry{URL: frontier.URL{URL: "http://a/" + name}})
}

// TestReportNamesAllPlacesWhereURLsWait: of other places it names some.
func TestReportNamesAllPlacesWhereURLsWait(t *testing.T) {
	for families, want := range map[manyFamilies]int{10: 20, trapsReported - 1: trapsReported, trapsReported + 500: trapsReported + 500} {
		var r Report
		if err := r.FillTraps(nil, families); err != nil {
			t.Fatal(err)
		}
		named := 0
		for _, x := range r.Traps {
			if x.Waiting > 0 && len(x.Examples) == 1 {
				named++
			}
		}
		if len(r.Traps) != want || named != int(families) {
			t.Errorf("%d places with something left: %d are reported, %d of these with what is left", families, len(r.Traps), named)
		}
	}
}
