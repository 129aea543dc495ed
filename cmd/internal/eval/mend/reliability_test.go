package mend

import (
	"strings"
	"testing"

	"github.com/awarc/awarc/kb"
)

// What is stated is as sure as the least sure of what it was found by.
func TestConfidence(t *testing.T) {
	entry := func(part string, sure float64) *kb.Entry {
		return &kb.Entry{Place: kb.Place{Part: part}, Provenance: kb.Provenance{Confidence: sure}}
	}
	learned := []*kb.Entry{
		entry("sioc:Thread/sioc:Post[2] creator", 0.9), entry("sioc:Thread/sioc:Post[2]", 0.7), entry("follow topic", 0.1),
	}
	for field, want := range map[string]float64{"creator": 0.7, "created": 0.7} {
		if sure, known := confidence(learned, "sioc:Post", field); !known || sure != want {
			t.Errorf("%s: %v %v, want %v", field, sure, known, want)
		}
	}
	if _, known := confidence(learned, "sioc:Thread", "title"); known {
		t.Error("nothing was learned of the thread")
	}
}

// A board of many pages does not hide that what is stated of another site is wrong.
func TestReliabilityCountsSitesAlike(t *testing.T) {
	var stated []Stated
	for range 100 {
		stated = append(stated, Stated{"name", "large", 0.95, true})
	}
	stated = append(stated, Stated{"name", "small", 0.97, true}, Stated{"name", "small", 0.72, false})
	var out strings.Builder
	PrintReliability(&out, stated)
	want := "name - - - - - - - 0.0 - 100.0 75.0 102 1 | 0.95, 101"
	if lines := strings.Split(out.String(), "\n"); strings.Join(strings.Fields(lines[3]), " ") != want {
		t.Errorf("%s\nwant %s", out.String(), want)
	}
}
