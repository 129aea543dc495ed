package yfilter

import (
	"fmt"
	"hash/maphash"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/awarc/awarc/yfilter/xpath"
)

// matcherOf makes a matcher of literals, each of every kind, and what leads to its
// guards.
func matcherOf(literals []string) (*matcher, []xpath.Pred) {
	var preds []xpath.Pred
	for _, s := range literals {
		for _, kind := range []xpath.PredKind{xpath.Equals, xpath.Contains, xpath.StartsWith} {
			if s != "" || kind == xpath.Equals {
				preds = append(preds, xpath.Pred{Kind: kind, Literal: s})
			}
		}
	}
	guards := make([]*guard, len(preds))
	for i := range preds {
		guards[i] = &guard{id: int32(i), pred: &preds[i], number: int32(i)}
	}
	return newMatcher(maphash.MakeSeed(), guards[:len(guards)/2], guards[len(guards)/2:]), preds
}

// checkMatch compares a matcher with comparing one by one.
func checkMatch(t *testing.T, m *matcher, preds []xpath.Pred, s string) {
	t.Helper()
	for _, parts := range []bool{true, false} {
		var want []*comparison
		for i := range m.comparisons {
			if c := &m.comparisons[i]; preds[i].Compare(s) && (parts || c.pred.Kind != xpath.Contains) {
				want = append(want, c)
			}
		}
		if got := m.match(nil, s, parts); !slices.Equal(got, want) {
			t.Fatalf("parts %v, stride %d, short %v: %q: %s, want %s", parts, m.stride, m.short, s, predsOf(got), predsOf(want))
		}
	}
}

func predsOf(list []*comparison) string {
	var out []string
	for _, c := range list {
		out = append(out, c.pred.String())
	}
	return fmt.Sprint(out)
}

// literalSets are one for each way in which a matcher arranges its grams.
func literalSets() map[string][]string {
	letters := "abcdefghijklmnopqrstuvwxyzß-"
	ofLengths := func(from, to int) (list []string) {
		for n := from; n <= to; n++ {
			for at := 0; at+n <= len(letters); at += 5 {
				list = append(list, letters[at:at+n])
			}
		}
		return list
	}
	many := func(n, count int) (list []string) {
		r := rand.New(rand.NewPCG(uint64(n), 5))
		for len(list) < count {
			s := make([]byte, n)
			for i := range s {
				s[i] = byte('a' + r.IntN(26))
			}
			list = append(list, string(s))
		}
		slices.Sort(list)
		return slices.Compact(list)
	}
	return map[string][]string{
		"long":                append(ofLengths(5, 26), ""),
		"a few of four":       ofLengths(4, 20),
		"a few of three":      ofLengths(3, 20),
		"many of four":        append(many(4, 500), ofLengths(5, 12)...),
		"many of three":       append(many(3, 500), ofLengths(4, 12)...),
		"many of three, four": append(append(many(3, 500), many(4, 500)...), ofLengths(5, 12)...),
		"all":                 ofLengths(1, 26),
		"short":               {"a", "b", "ab", "\x00", "\xff", "ß"},
		"zeros":               {"\x00\x00\x00", "\x00\x00\x00\x00", "a\x00\x00\x00\x00", "\x00\x00\x00\x00\x00\x00"},
		"one":                 {"viewtopic.php"},
	}
}

// TestMatcherAnywhere puts literals of every set at each place of strings of many
// lengths: at the beginning, at the end and across the words in which they are read.
func TestMatcherAnywhere(t *testing.T) {
	seen := map[string]bool{}
	for name, literals := range literalSets() {
		m, preds := matcherOf(literals)
		seen[fmt.Sprint(m.stride, m.anyShort)] = true
		for i := 0; i < len(literals); i += 1 + len(literals)/12 {
			for before := range 14 {
				for _, after := range []int{0, 1, 2, 3, 5, 8, 13} {
					checkMatch(t, m, preds, strings.Repeat("~", before)+literals[i]+strings.Repeat(".", after))
				}
			}
		}
		checkMatch(t, m, preds, "")
		if t.Failed() {
			t.Fatal(name)
		}
	}
	for _, want := range []string{"0 true", "1 false", "1 true", "2 false", "2 true"} {
		if !seen[want] {
			t.Errorf("no set with stride and short literals %s: %v", want, seen)
		}
	}
}

// TestMatcherPassesOverMost: of a string that holds none of the literals, the filter lets
// little pass, however many there are.
func TestMatcherPassesOverMost(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	random := func(n int) string {
		s := make([]byte, n)
		for i := range s {
			s[i] = byte('a' + r.IntN(26))
		}
		return string(s)
	}
	text := random(100_000)
	for _, n := range []int{10, 1000, 10_000} {
		var literals []string
		for range n {
			literals = append(literals, random(8+r.IntN(10)))
		}
		m, _ := matcherOf(literals)
		passed := 0
		for i := 0; i+8 < len(text); i += m.stride {
			if m.gramFilter.view().has4(load(text, i)) {
				passed++
			}
		}
		if share := float64(passed) / float64(len(text)/m.stride); share > 0.1 {
			t.Errorf("%d literals: the filter lets %.2f of the text pass", n, share)
		}
	}
}

// FuzzMatcher compares a matcher with strings.Contains and the like, for literals
// cut from a text and a string put together from them.
func FuzzMatcher(f *testing.F) {
	f.Add("viewtopic.php?t=12 viewforum.php", "xviewtopic.php?t=1", uint64(1))
	f.Add("aaaaaaaaaaaaaaaaaaaaaaaa", "aaaaaaaaaaaaaaaa", uint64(2))
	f.Add("\x00\x00\x00\x00a\xff\xff\xff\xff", "\x00\x00\x00\x00\xff\xff\xff\xff\xff", uint64(3))
	f.Add("größere Übersicht über Größen", "die Größe über alles", uint64(4))
	f.Fuzz(func(t *testing.T, source, s string, seed uint64) {
		if len(source) > 2000 || len(s) > 5000 {
			t.Skip()
		}
		r := rand.New(rand.NewPCG(seed, 1))
		least, most := r.IntN(7), 1+r.IntN(30)
		known := map[string]bool{}
		var literals []string
		for range 1 + r.IntN(200) {
			from := r.IntN(len(source) + 1)
			lit := source[from : from+min(len(source)-from, least+r.IntN(most))]
			if !known[lit] {
				known[lit] = true
				literals = append(literals, lit)
			}
		}
		m, preds := matcherOf(literals)
		for range 20 {
			lit := literals[r.IntN(len(literals))]
			cut := r.IntN(len(s) + 1)
			checkMatch(t, m, preds, []string{s, lit, lit + s, s + lit, s[:cut] + lit + s[cut:], lit[:r.IntN(len(lit)+1)]}[r.IntN(6)])
		}
	})
}
