package archive

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// A search finds what reading all lines finds, wherever the lines lie and however long they are.
func TestSortedFileFindsWhatReadingFinds(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for round := range 60 {
		var all []string
		for range r.IntN(40 * (1 + round%3)) {
			line := fmt.Sprintf("k%d %s", r.IntN(30), strings.Repeat("x", r.IntN(3)*r.IntN(4000)))
			all = append(all, line)
		}
		slices.Sort(all)
		text := strings.Join(all, "\n")
		if len(all) > 0 && round%2 == 0 {
			text += "\n"
		}
		name := filepath.Join(t.TempDir(), "index")
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		s, err := openSorted(name)
		if err != nil {
			t.Fatal(err)
		}
		for n := range 31 {
			prefix := fmt.Sprintf("k%d ", n)
			var want, got []string
			for _, line := range all {
				if strings.HasPrefix(line, prefix) {
					want = append(want, line)
				}
			}
			if err := s.from(prefix, func(line []byte) bool {
				got = append(got, string(line))
				return true
			}); err != nil || !slices.Equal(got, want) {
				t.Fatalf("round %d, %q: %d lines, want %d, %v", round, prefix, len(got), len(want), err)
			}
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
}
