package plugins

import (
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/awarc/awarc/plugins/abi"
	"github.com/awarc/awarc/plugins/module"
	"github.com/awarc/awarc/plugins/sdk/match"
)

// benchPage has so many bytes of text and a hundred links with context.
func benchPage(size int) *abi.ScoreRequest {
	const words = "The tropical storm brought rain to the coast, and nobody in the old harbour slept before the flood had passed. "
	p := &abi.ScoreRequest{URL: "http://example.org/weather", Title: "Storm warning for the coast", HTTPStatus: 200,
		ContentType: "text/html", Lang: "en"}
	for n := 0; n < size; n += 1000 {
		p.Parts = append(p.Parts, abi.Part{Text: strings.Repeat(words, 10)[:min(1000, size-n)]})
	}
	for i := range 100 {
		p.Links = append(p.Links, abi.Link{URL: fmt.Sprintf("http://example.org/weather/page-%d", i), Anchor: "More about the flood",
			Context: words, Flags: abi.SameHost})
	}
	return p
}

var benchTopic = abi.Topic{Terms: []abi.Term{{Text: "storm", Weight: 1}, {Text: "tropical storm", Weight: 2}, {Text: "flood", Weight: 1},
	{Text: "rain", Weight: 0.5}}}

// guests are the example scorers: that of Go is built here, the others as they are kept.
func guests(b *testing.B) map[string][]byte {
	b.Helper()
	dir := b.TempDir()
	raw := filepath.Join(dir, "go.wasm")
	c := exec.Command("go", "build", "-buildmode=c-shared", "-ldflags=-s -w", "-o", raw, "./examples/go-keywords")
	c.Env = append(os.Environ(), "GOOS=wasip1", "GOARCH=wasm")
	if out, err := c.CombinedOutput(); err != nil {
		b.Fatalf("%v\n%s", err, out)
	}
	all := map[string][]byte{"go": pack(b, raw, "examples/go-keywords/plugin.json")}
	files, err := filepath.Glob("testdata/examples/*-keywords.wasm")
	if err != nil {
		b.Fatal(err)
	}
	for _, name := range files {
		file, err := os.ReadFile(name)
		if err != nil {
			b.Fatal(err)
		}
		all[strings.TrimSuffix(filepath.Base(name), "-keywords.wasm")] = file
	}
	return all
}

func pack(b *testing.B, wasm, manifest string) []byte {
	b.Helper()
	w, err := os.ReadFile(wasm)
	if err != nil {
		b.Fatal(err)
	}
	m, err := os.ReadFile(manifest)
	if err != nil {
		b.Fatal(err)
	}
	packed, err := module.Pack(w, m)
	if err != nil {
		b.Fatal(err)
	}
	return packed
}

// benchSet opens a scorer, metered or as its author built it.
func benchSet(b *testing.B, file []byte, metered bool) *Set {
	b.Helper()
	long := Budget{5 * time.Second, 1 << 50}
	engine := Metered
	if !metered {
		engine = Unmetered
	}
	s, err := Open(b.Context(), nil, Options{Poll: -1, Engine: engine, Topic: benchTopic, Instances: 2,
		Limits: Limits{Setup: long, Score: long, Calls: 1 << 30}})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = s.Close() })
	if _, err := install(s, file); err != nil {
		b.Fatal(err)
	}
	return s
}

// score scores the page n times.
func score(b *testing.B, s *Set, page *abi.ScoreRequest, n int) (last Score) {
	b.Helper()
	for range n {
		if last = s.Score(b.Context(), page)[0]; last.Kind != KindOK {
			b.Fatal(last.Err)
		}
	}
	return last
}

// native is the example scorer as a function of this program.
func native() func(*abi.ScoreRequest) float32 {
	var terms []match.Term
	for _, t := range benchTopic.Terms {
		terms = append(terms, match.Term{Text: t.Text, Weight: float64(t.Weight)})
	}
	m := match.New(terms)
	return func(p *abi.ScoreRequest) float32 {
		sum := m.Density(p.Title, 3, p.Text(), 1)
		for _, l := range p.Links {
			sum += m.Density(l.Anchor, 2, l.Context, 1)
		}
		return sum
	}
}

// BenchmarkGuests compares, in turns in one run, a scorer with fuel and without, and the
// same as a function of the program. The least of all times counts: others that use the
// machine only add to it.
func BenchmarkGuests(b *testing.B) {
	inGo := native()
	all := guests(b)
	for _, lang := range slices.Sorted(maps.Keys(all)) {
		file := all[lang]
		plain, metered := benchSet(b, file, false), benchSet(b, file, true)
		for _, size := range []int{10_000, 200_000} {
			b.Run(fmt.Sprintf("%s/%dKB", lang, size/1000), func(b *testing.B) {
				page := benchPage(size)
				least := map[string]time.Duration{}
				timed := func(name string, f func()) {
					start := time.Now()
					f()
					if d := time.Since(start); least[name] == 0 || d < least[name] {
						least[name] = d
					}
				}
				var units int64
				for b.Loop() {
					for range 8 {
						timed("native", func() { inGo(page) })
						timed("plain", func() { score(b, plain, page, 1) })
						timed("fuel", func() { units = score(b, metered, page, 1).Fuel })
					}
				}
				us := func(name string) float64 { return float64(least[name].Nanoseconds()) / 1000 }
				b.ReportMetric(us("plain"), "µs/plain-call")
				b.ReportMetric(us("fuel"), "µs/fuel-call")
				b.ReportMetric(us("fuel")/us("plain"), "fuel/plain")
				b.ReportMetric(us("fuel")/us("native"), "fuel/native")
				b.ReportMetric(float64(units), "units/call")
			})
		}
	}
}

// BenchmarkSoak gives one instance 50,000 pages, every fiftieth of 200 KB, and
// reports its memory after the first tenth and at the end.
func BenchmarkSoak(b *testing.B) {
	all := guests(b)
	for _, lang := range slices.Sorted(maps.Keys(all)) {
		file := all[lang]
		b.Run(lang, func(b *testing.B) {
			small, large := benchPage(10_000), benchPage(200_000)
			for b.Loop() {
				s := benchSet(b, file, true)
				memory := func() float64 {
					g := s.plugins[0].mu.gen
					g.mu.Lock()
					defer g.mu.Unlock()
					return float64(g.mu.idle[0].memory()) / (1 << 20)
				}
				for i := range 1000 {
					score(b, s, large, 1)
					score(b, s, small, 49)
					if i == 99 {
						b.ReportMetric(memory(), "MiB-after-5000")
					}
				}
				b.ReportMetric(memory(), "MiB-after-50000")
				if made := s.plugins[0].mu.gen.made.Load(); made != 1 {
					b.Fatalf("%d instances were made", made)
				}
			}
		})
	}
}

// BenchmarkLoad is what putting a plugin in use costs: all steps with an empty
// cache of code, with a full one, and one more instance.
func BenchmarkLoad(b *testing.B) {
	all := guests(b)
	for _, lang := range slices.Sorted(maps.Keys(all)) {
		file := all[lang]
		load := func(b *testing.B, s *Set) *generation {
			b.Helper()
			g, err := s.load(b.Context(), file, s.config.Load())
			if err != nil {
				b.Fatal(err)
			}
			return g
		}
		s := benchSet(b, file, true)
		b.Run(lang+"/first", func(b *testing.B) {
			for b.Loop() {
				b.StopTimer()
				if err := os.RemoveAll(cacheDir(s.cacheRoot, s.plugins[0].mu.gen.mod)); err != nil {
					b.Fatal(err)
				}
				b.StartTimer()
				_ = load(b, s).close()
			}
		})
		b.Run(lang+"/cached", func(b *testing.B) {
			for b.Loop() {
				_ = load(b, s).close()
			}
		})
		b.Run(lang+"/instance", func(b *testing.B) {
			g := load(b, s)
			defer func() { _ = g.close() }()
			for b.Loop() {
				in, err := g.newInstance(b.Context(), s.config.Load())
				if err != nil {
					b.Fatal(err)
				}
				in.close()
			}
		})
	}
}
