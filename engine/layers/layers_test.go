package layers

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

func stems(words ...string) (all []Stem) {
	for _, w := range words {
		all = append(all, Stem{w, 2})
	}
	return all
}

// chain makes 20 chains home -> faculty -> staff -> paper, in which papers are the targets, and 20
// sports pages that lead nowhere.
func chain(l *Learner) {
	for i := range 20 {
		at := func(kind string) string { return fmt.Sprint(kind, i) }
		l.Add(at("home"), stems("university", "welcome", at("h")), []string{at("faculty"), at("sport")}, 0)
		l.Add(at("faculty"), stems("faculty", "science", at("f")), []string{at("staff")}, 0)
		l.Add(at("staff"), stems("professor", "telephone", at("s")), []string{at("paper")}, 0)
		l.Add(at("paper"), stems("abstract", "theorem", "professor", at("p")), nil, 1)
		l.Add(at("sport"), stems("football", "team", at("t")), []string{at("home")}, 0)
	}
}

// TestPagesAreClassifiedByTheirDistance: pages that the learner has not seen belong to the layer of
// pages like them, nearer layers have higher scores, and pages like none are "other". The
// dictionary has no stem of pages more than one link away, as in the paper.
func TestPagesAreClassifiedByTheirDistance(t *testing.T) {
	l := New(2)
	if _, ok := l.Score(stems("professor")); ok {
		t.Error("a page has a score before anything was learned")
	}
	chain(l)
	if got, want := l.Train(), []int{20, 20, 20, 40}; !slices.Equal(got, want) {
		t.Fatalf("layers of %v pages, want %v", got, want)
	}
	last := math.Inf(1)
	for layer, words := range [][]string{{"abstract", "theorem"}, {"professor", "telephone"}} {
		s, ok := l.Score(stems(words...))
		if !ok || LayerOf(s, 2) != layer || s >= last {
			t.Errorf("%v: score %v of layer %d, want %d", words, s, LayerOf(s, 2), layer)
		}
		last = s
	}
	if s, ok := l.Score(stems("football", "team")); !ok || s != 0 || LayerOf(s, 2) != 3 {
		t.Errorf("a page like none near a target has the score %v", s)
	}
}

// TestLayersAreDistances compares the layers with distances by exhaustive search, on random graphs.
func TestLayersAreDistances(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 50 {
		const n, depth = 30, 3
		l, links := New(depth), [n][n]bool{}
		for i := range n {
			var keys []string
			for j := range n {
				if links[i][j] = r.IntN(15) == 0; links[i][j] {
					keys = append(keys, fmt.Sprint(j))
				}
			}
			worth := 0.1
			if i < 3 {
				worth = 0.7
			}
			l.Add(fmt.Sprint(i), stems("a"), keys, worth)
		}
		of, _ := l.layers()
		var distance func(i, most int) int
		distance = func(i, most int) int {
			if i < 3 {
				return 0
			}
			best := most + 1
			for j := range n {
				if most > 0 && links[i][j] && i != j {
					best = min(best, 1+distance(j, most-1))
				}
			}
			return best
		}
		for i := range n {
			if want := distance(i, depth); of[i] != want {
				t.Fatalf("page %d is in layer %d, want %d", i, of[i], want)
			}
		}
	}
}

// TestStateIsKept: learners with the state of another, or with each of its examples, give the same
// scores.
func TestStateIsKept(t *testing.T) {
	l, other, single := New(2), New(2), New(2)
	chain(l)
	l.Train()
	if err := other.Restore(l.State()); err != nil {
		t.Fatal(err)
	}
	for _, p := range l.pages {
		if err := single.Restore(encode([]example{p})); err != nil {
			t.Fatal(err)
		}
	}
	a, _ := l.Score(stems("professor"))
	for _, again := range []*Learner{other, single} {
		again.Train()
		if b, ok := again.Score(stems("professor")); !ok || a != b {
			t.Errorf("scores %v and %v", a, b)
		}
	}
	if err := other.Restore([]byte("torn")); err == nil {
		t.Error("a torn state is accepted")
	}
	if l.Add("new", stems("professor"), nil, 0) == nil || l.Add("new", stems("professor"), nil, 0) != nil {
		t.Error("a page counts twice, or a new one does not count")
	}
}

func TestWorthsAreSplit(t *testing.T) {
	for _, c := range []struct {
		worths []float64
		least  float64
	}{
		{nil, 0}, {[]float64{0, 0}, 0}, {[]float64{0, 1, 0, 1}, 0}, {[]float64{0.1, 0.12, 0.4, 0.11, 0.5}, 0.12},
	} {
		if got := split(c.worths); got != c.least {
			t.Errorf("%v: split at %v, want %v", c.worths, got, c.least)
		}
	}
}
