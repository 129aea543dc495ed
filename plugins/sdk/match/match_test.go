package match

import (
	"math"
	"strings"
	"testing"
)

func TestCount(t *testing.T) {
	m := New([]Term{{"storm", 1}, {"Tropical  Storm", 2}, {"sale", -3},
		{"sturmflut Köln", 1}, {"ШТОРМ", 1}, {"地震", 5}, {"", 9}, {"!!", 9},
		{strings.Repeat("x", 65), 9}, {"a b c d e f g h i", 9}, {"nan", math.NaN()}})
	for _, c := range []struct {
		text   string
		weight float64
		words  int
	}{
		{"", 0, 0},
		{"Storm", 1, 1},
		{"storms", 0, 1},
		{"a STORM, a storm!", 2, 4},
		{"tropical storm", 3, 2},
		{"tropical. storm", 3, 2},
		{"storm tropical", 1, 2},
		{"tropical big storm", 1, 3},
		{"Sale of a storm", -2, 4},
		{"STURMFLUT\u00a0KÖLN", 1, 2},
		{"“шторм”…", 1, 1},
		{"東京で地震が", 5, 6},
		{"地。震", 5, 2},
		{"x-ray 42 4.2", 0, 5},
		{"\xff storm\xc3", 0, 2},
		{strings.Repeat("x", 65), 0, 1},
		{"a b c d e f g h i nan", 0, 10},
	} {
		if weight, words := m.Count(c.text); weight != c.weight || words != c.words {
			t.Errorf("%q: weight %v, %d words; want %v, %d", c.text, weight, words, c.weight, c.words)
		}
	}
}

// A phrase does not reach back into the text that was counted before.
func TestTextsAreApart(t *testing.T) {
	m := New([]Term{{"tropical storm", 1}})
	m.Count("tropical")
	if w, _ := m.Count("storm"); w != 0 {
		t.Error("a phrase matches over two texts")
	}
}

func TestScores(t *testing.T) {
	m := New([]Term{{"storm", 1}, {"sale", -1}})
	if s := m.Score("storm warning"); s != 1/(1+1+2.0/64) {
		t.Errorf("Score = %v", s)
	}
	if s := m.Score("sale sale storm"); s != 0 {
		t.Errorf("a negative sum scores %v", s)
	}
	if d := m.Density("storm", 3, "", 1); d != float32(3*m.Score("storm")/4) {
		t.Errorf("Density = %v", d)
	}
	if s := New(nil).Score("storm"); s != 0 {
		t.Errorf("without terms: %v", s)
	}
}

// plain is the definition of the package comment, as slow as it reads.
func plain(terms []Term, text string) (weight float64, words int) {
	split := func(s string) (list []string) {
		word := ""
		flush := func() {
			if word != "" {
				list = append(list, word)
			}
			word = ""
		}
		for _, r := range s {
			switch {
			case r < 0x80 && !strings.ContainsRune("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789", r),
				r >= 0x80 && r <= 0xbf, r >= 0x2000 && r <= 0x206f, r >= 0x3000 && r <= 0x303f:
				flush()
			case r >= 0x3040 && r <= 0x9fff:
				flush()
				word = string(r)
				flush()
			case r < 0x80:
				word += strings.ToLower(string(r))
			default:
				word += string(fold(r))
			}
		}
		flush()
		return list
	}
	all := split(text)
	for i := range all {
		for _, t := range terms {
			want := split(t.Text)
			n := len(want)
			if n == 0 || n > maxWords || n > i+1 {
				continue
			}
			match := true
			for j := range n {
				match = match && want[j] == all[i+1-n+j] && len(want[j]) <= maxBytes
			}
			if match {
				weight += t.Weight
			}
		}
	}
	return weight, len(all)
}

func FuzzCount(f *testing.F) {
	f.Add("tropical storm|storm|地震", "a Tropical Storm, 地震")
	f.Add("a b a|b a b|a", "a b a b a")
	f.Fuzz(func(t *testing.T, list, text string) {
		var terms []Term
		for i, s := range strings.Split(list, "|") {
			terms = append(terms, Term{s, float64(int(1) << (i % 20))})
		}
		w, n := New(terms).Count(text)
		if pw, pn := plain(terms, text); w != pw || n != pn {
			t.Errorf("terms %q in %q: %v, %d; plainly %v, %d", list, text, w, n, pw, pn)
		}
	})
}

func BenchmarkScore(b *testing.B) {
	m := New([]Term{{"storm", 1}, {"tropical storm", 2}, {"flood", 1}, {"rain", 1}})
	text := strings.Repeat("The tropical storm brought rain to the coast, and nobody slept. ", 3_000)
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		m.Score(text)
	}
}
