package rankmass

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
)

// graph are the links of pages, by number.
type graph [][]int

func random(r *rand.Rand, n int) graph {
	g := make(graph, n)
	for i := range g {
		for j := range n {
			if r.IntN(n) < 3 {
				g[i] = append(g[i], j)
			}
		}
	}
	return g
}

// rank computes the exact ranks slowly, by the power method.
func (g graph) rank(seeds []int) []float64 {
	r := make([]float64, len(g))
	for range 2000 {
		next := make([]float64, len(g))
		start := 1 - Damping
		for i, links := range g {
			if len(links) == 0 {
				start += Damping * r[i]
			}
			for _, to := range links {
				next[to] += Damping * r[i] / float64(len(links))
			}
		}
		for _, s := range seeds {
			next[s] += start / float64(len(seeds))
		}
		r = next
	}
	return r
}

func names(numbers []int) (all []string) {
	for _, n := range numbers {
		all = append(all, fmt.Sprint(n))
	}
	return all
}

// TestTheBoundIsTrue: at each moment of a crawl in any order, the bound is at most the exact rank
// of the fetched pages in the whole graph, and never falls. When all reachable pages are fetched,
// it is the whole rank but for a fiftieth of the allowed rest.
func TestTheBoundIsTrue(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 30 {
		g, seeds := random(r, 25), []int{0, 7}
		exact := g.rank(seeds)
		m, last, covered := New(names(seeds), 0.95), 0.0, 0.0
		for _, i := range r.Perm(len(g)) {
			if err := m.Fetched(fmt.Sprint(i), names(g[i])); err != nil {
				t.Fatal(err)
			}
			covered += exact[i]
			bound, full := m.Covered()
			if bound > covered+1e-9 || bound < last || full {
				t.Fatalf("bound %v after %v, exactly %v are covered", bound, last, covered)
			}
			last = bound
		}
		if last < 1-0.05/50-1e-9 {
			t.Errorf("all is fetched, and %v is covered", last)
		}
	}
}

// TestTheBoundIsTheSumOfPaths: on a chain the bound is the geometric sum.
func TestTheBoundIsTheSumOfPaths(t *testing.T) {
	m, want := New([]string{"0"}, 0.999999), 0.0
	for i := range 10 {
		if err := m.Fetched(fmt.Sprint(i), []string{fmt.Sprint(i + 1)}); err != nil {
			t.Fatal(err)
		}
		want += (1 - Damping) * math.Pow(Damping, float64(i))
		if got, _ := m.Covered(); math.Abs(got-want) > 1e-6 {
			t.Errorf("%d pages cover %v, want %v", i+1, got, want)
		}
	}
	if got, _ := m.Covered(); math.Abs(got-(1-math.Pow(Damping, 10))) > 1e-6 {
		t.Errorf("ten pages cover %v", got)
	}
}

// TestGraphIsKept: a later session has the bound of the earlier one, also after a torn write and
// pages that were fetched twice.
func TestGraphIsKept(t *testing.T) {
	name := filepath.Join(t.TempDir(), "graph")
	g := random(rand.New(rand.NewPCG(3, 4)), 20)
	whole := New([]string{"0"}, 0.95)
	for session := range 4 {
		m, err := Open(name, []string{"0"}, 0.95)
		if err != nil {
			t.Fatal(err)
		}
		if a, _ := m.Covered(); session > 0 {
			if b, _ := whole.Covered(); math.Abs(a-b) > 0.001 {
				t.Errorf("session %d begins with %v, want %v", session, a, b)
			}
		}
		for i := max(0, 5*session-1); i < 5*session+5; i++ {
			if err := m.Fetched(fmt.Sprint(i), names(g[i])); err != nil {
				t.Fatal(err)
			}
			whole.Fetched(fmt.Sprint(i), names(g[i]))
		}
		if err := m.Close(); err != nil {
			t.Fatal(err)
		}
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, append(data, 2, 0, 0, 0, 9), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// TestARecordThatIsNotWrittenWhole leaves no gap: the next one takes its place.
func TestARecordThatIsNotWrittenWhole(t *testing.T) {
	name := filepath.Join(t.TempDir(), "links")
	m, err := Open(name, []string{"a"}, 0.9)
	if err != nil {
		t.Fatal(err)
	}
	fetch := func(key string, links ...string) {
		t.Helper()
		if err := m.Fetched(key, links); err != nil {
			t.Fatal(err)
		}
	}
	fetch("a", "b")
	if _, err := m.file.WriteAt([]byte("torn"), m.good); err != nil { // as a full disk leaves it
		t.Fatal(err)
	}
	fetch("b", "a")
	want, _ := m.Covered()
	if err := m.Close(); err != nil {
		t.Fatal(err)
	}
	if m, err = Open(name, []string{"a"}, 0.9); err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	if got, _ := m.Covered(); got != want {
		t.Errorf("covers %v when opened again, want %v", got, want)
	}
}

// BenchmarkManySeeds fetches pages of a crawl with 10,000 seeds, half of them without links.
func BenchmarkManySeeds(b *testing.B) {
	seeds := make([]int, 10_000)
	for i := range seeds {
		seeds[i] = i
	}
	all := names(seeds)
	m := New(all, 0.95)
	for i := range b.N {
		var links []string
		if i%2 == 0 {
			links = []string{all[i*7%len(all)], all[i*13%len(all)], fmt.Sprint("further ", i)}
		}
		if err := m.Fetched(all[i%len(all)], links); err != nil {
			b.Fatal(err)
		}
	}
}
