package dates

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// TestWord compares the longest entry of a text with all entries that it begins with.
func TestWord(t *testing.T) {
	table := words()
	entries := make([]string, 0, len(table.words))
	for w, means := range table.words {
		if means != nil && !strings.ContainsRune(w, 0x2018) { // word reads no such sign
			entries = append(entries, w)
		}
	}
	slices.Sort(entries)
	longest := func(s string) (length int) {
		for _, e := range entries {
			if strings.HasPrefix(s, e) && wordEnds(s, len(e)) {
				length = max(length, len(e))
			}
		}
		return length
	}
	random := rand.New(rand.NewPCG(1, 2))
	for range 2000 {
		s := entries[random.IntN(len(entries))]
		switch random.IntN(4) {
		case 0:
			s += entries[random.IntN(len(entries))]
		case 1:
			s += " " + entries[random.IntN(len(entries))]
		case 2:
			s = s[:1+random.IntN(len(s))] + " 7"
		}
		if s = strings.ToValidUTF8(s, ""); s == "" || !isWord([]rune(s)[0]) {
			continue
		}
		if got, _ := table.word(s); got != longest(s) {
			t.Errorf("%q begins with %d bytes, want %d", s, got, longest(s))
		}
	}
}
