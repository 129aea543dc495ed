package main

import (
	"slices"
	"testing"

	"github.com/awarc/awarc/engine/trends"
)

// TestFoldedPeriods: one outlying date does not fill the table with empty rows; a short gap stays as it is.
func TestFoldedPeriods(t *testing.T) {
	all := map[string]int{"a": 1, "c": 1, "h": 2}
	var periods []trends.Period
	for _, name := range []string{"a", "b", "c", "d", "e", "f", "g", "h"} {
		periods = append(periods, trends.Period{Name: name, All: all[name]})
	}
	var names []string
	for _, p := range folded(periods) {
		names = append(names, p.Name)
	}
	if want := []string{"a", "b", "c", "d to g", "h"}; !slices.Equal(names, want) {
		t.Errorf("%q, want %q", names, want)
	}
}
