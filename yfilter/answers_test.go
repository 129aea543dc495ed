package yfilter

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// TestAnswers compares what is remembered with matching anew: for strings that come
// again, that differ only between their ends, that two matchers are asked, and for so
// many of them that answers are replaced and forgotten.
func TestAnswers(t *testing.T) {
	var literals []string
	for i := range 300 {
		literals = append(literals, fmt.Sprintf("literal-%d-", i))
	}
	one, _ := matcherOf(literals)
	other, _ := matcherOf(literals[:100])
	r := rand.New(rand.NewPCG(3, 3))
	var a answers
	again, trimmed := 0, 0
	for range 1500 {
		s := "beginning"
		for range r.IntN(20) {
			s += literals[r.IntN(len(literals))]
		}
		s += strings.Repeat("~", r.IntN(3)) + "the end of it"
		for range 1 + r.IntN(2) {
			for _, m := range []*matcher{one, other} {
				got, want := a.match(m, strings.Clone(s)), m.match(nil, s, true)
				if !slices.Equal(got, want) {
					t.Fatalf("%q: %s, want %s", s, predsOf(got), predsOf(want))
				}
				if before := len(a.found); len(want) > 0 {
					if a.match(m, s); len(a.found) == before {
						again++
					}
				}
			}
		}
		before := len(a.found)
		if a.trim(); len(a.found) < before {
			trimmed++
		}
	}
	if again < 2000 || trimmed == 0 {
		t.Errorf("%d answers were remembered, %d times all were forgotten", again, trimmed)
	}
	a.forget()
	for i := range a.slots {
		if a.slots[i].of != "" {
			t.Fatal("a string outlives its page")
		}
	}
}
