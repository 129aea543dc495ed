package conformance

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/awarc/awarc/plugins"
	"github.com/awarc/awarc/plugins/abi"
	"github.com/awarc/awarc/plugins/module"
)

// metering compares the module as it is with the one that pays fuel. That is safe on pages
// on which the second has ended.
func (t *tester) metering() error {
	if _, err := t.mod.Meter(); err != nil {
		return err
	}
	pages := append(variants(5), textPage("10 KB", 10_000, 100))
	var metered []string
	err := t.with(t.options(), func(s *plugins.Set) (err error) {
		metered, err = t.transcript(s, pages)
		return err
	})
	if err != nil {
		return err
	}
	o := t.options()
	o.Engine = plugins.Unmetered
	return t.with(o, func(s *plugins.Set) error { return t.same(s, pages, metered, "as it was built") })
}

// transcript is what the plugin answers to pages, by kind and page.
func (t *tester) transcript(s *plugins.Set, pages []page) ([]string, error) {
	var all []string
	for _, k := range t.kinds {
		for _, p := range pages {
			r := s.Probe(t.ctx, k, p.url, p.encode(k, t.needs))
			if r.Kind != plugins.KindOK && r.Kind != plugins.KindNone {
				return nil, fmt.Errorf("%s: %w", p.name, r.Err)
			}
			all = append(all, said(r))
		}
	}
	return all, nil
}

// said is an answer as one text.
func said(r plugins.Result[string]) string {
	if r.Response == nil {
		return string(r.Kind)
	}
	return string(r.Kind) + *r.Response
}

// same asks for a transcript and compares.
func (t *tester) same(s *plugins.Set, pages []page, want []string, how string) error {
	got, err := t.transcript(s, pages)
	if err != nil {
		return fmt.Errorf("%s: %w", how, err)
	}
	for i := range want {
		if got[i] != want[i] {
			return fmt.Errorf("%s its answer differs on the page %q", how, pages[i%len(pages)].name)
		}
	}
	return nil
}

func (t *tester) configured() error {
	empty := t.options()
	empty.Topic = abi.Topic{}
	if err := t.with(empty, func(*plugins.Set) error { return nil }); err != nil {
		return fmt.Errorf("with an empty topic: %w", err)
	}
	full := t.options()
	for i := range 500 {
		full.Topic.Terms = append(full.Topic.Terms,
			abi.Term{Text: fmt.Sprintf("term %d Ünï 地震", i), Weight: float32(i) / 100, Flags: abi.TermFlags(i % 8)})
		full.Topic.SeedURLs = append(full.Topic.SeedURLs, fmt.Sprintf("http://example.org/%d", i))
	}
	if err := t.with(full, func(*plugins.Set) error { return nil }); err != nil {
		return fmt.Errorf("with a topic of 500 terms: %w", err)
	}
	o := t.options()
	o.Events.Log = func(plugins.Identity, plugins.Level, string) { t.lines++ }
	var err error
	t.set, err = plugins.Open(t.ctx, []string{t.file}, o)
	return err
}

func (t *tester) emptyPages() error {
	whole := textPage("", 500, 3)
	noTitle, noText, noLinks := whole, whole, whole
	noTitle.name, noTitle.title = "a page without a title", ""
	noText.name, noText.parts = "a page without text", nil
	noLinks.name, noLinks.links = "a page without links", nil
	blank := whole
	blank.name, blank.parts, blank.links = "a page of empty texts", make([]abi.Part, 3), make([]abi.Link, 3)
	return t.each(t.set, page{name: "an empty page"}, noTitle, noText, noLinks, blank)
}

func (t *tester) manyLinks() error {
	return t.each(t.set, textPage("1 link", 500, 1), textPage("100 links", 500, 100), textPage("5,000 links", 500, 5000))
}

// sizes measures what a call costs.
func (t *tester) sizes() error {
	for _, k := range t.kinds {
		for _, size := range []struct {
			name         string
			bytes, calls int
		}{{"10 KB", 10_000, 200}, {"200 KB", 200_000, 50}, {"2 MB", 2_000_000, 5}} {
			p := textPage(size.name, size.bytes, 100)
			cost := Cost{Kind: k, Page: size.name, Calls: size.calls}
			var took []time.Duration
			for range size.calls {
				r, err := t.ask(t.set, k, p)
				if err != nil {
					return err
				}
				took = append(took, r.Time)
				cost.Units = max(cost.Units, r.Fuel)
				cost.Memory = max(cost.Memory, r.Memory)
			}
			slices.Sort(took)
			us := func(percent int) float64 { return float64(took[(len(took)-1)*percent/100].Nanoseconds()) / 1000 }
			cost.P50, cost.P99 = us(50), us(99)
			t.costs = append(t.costs, cost)
		}
	}
	return nil
}

func (t *tester) texts() error {
	var pages []page
	for _, odd := range oddTexts {
		p := page{name: odd.name, url: "http://example.org/", title: odd.text[:min(len(odd.text), 20)],
			parts: []abi.Part{{Text: odd.text}, {Text: odd.text}}}
		p.title = strings.ToValidUTF8(p.title, "")
		short := strings.ToValidUTF8(odd.text[:min(len(odd.text), 500)], "")
		p.links = []abi.Link{{URL: "http://example.org/", Anchor: short, Context: short}, {URL: short}}
		p.html = p.render()
		pages = append(pages, p)
	}
	return t.each(t.set, pages...)
}

func (t *tester) encodings() error {
	for _, k := range t.kinds {
		for _, p := range variants(6) {
			request := p.encode(k, t.needs)
			want, err := t.ask(t.set, k, p)
			if err != nil {
				return err
			}
			for how, other := range map[string][]byte{
				"with unknown fields":      withUnknown(request),
				"with fields out of order": backwards(request),
				"with fields twice":        twice(request),
				"with long varints":        longVarints(request),
			} {
				if got := t.set.Probe(t.ctx, k, p.url, other); said(got) != said(want) {
					if got.Err != nil {
						return fmt.Errorf("%s, encoded %s: %w", p.name, how, got.Err)
					}
					return fmt.Errorf("%s, encoded %s, has another answer", p.name, how)
				}
			}
		}
	}
	return nil
}

func (t *tester) garbled() error {
	r := rand.New(rand.NewPCG(1, 2))
	traps := 0
	var first error
	for _, k := range t.kinds {
		base := textPage("", 2_000, 10)
		request := base.encode(k, t.needs)
		for range 1000 {
			got := t.set.Probe(t.ctx, k, base.url, mutate(r, request))
			switch got.Kind {
			case plugins.KindOK, plugins.KindNone, plugins.KindPlugin:
			case plugins.KindTrap:
				if traps++; first == nil {
					first = got.Err
				}
			default:
				return got.Err
			}
		}
	}
	if traps > 0 {
		return warning(fmt.Sprintf("%d traps, for instance %v", traps, first))
	}
	return nil
}

// mutate changes, cuts, repeats or drops some bytes.
func mutate(r *rand.Rand, request []byte) []byte {
	b := slices.Clone(request)
	for range 1 + r.IntN(4) {
		if len(b) < 2 {
			break
		}
		at := r.IntN(len(b))
		switch r.IntN(5) {
		case 0:
			b[at] = byte(r.Uint32())
		case 1:
			b[at] ^= 1 << r.IntN(8)
		case 2:
			b = b[:at]
		case 3:
			b = slices.Delete(b, at, min(len(b), at+1+r.IntN(8)))
		default:
			b = slices.Insert(b, at, b[at:min(len(b), at+1+r.IntN(16))]...)
		}
	}
	return b
}

func (t *tester) answers() error {
	if len(t.wrong) > 0 {
		return fmt.Errorf("%d of %d answers, for instance %s", len(t.wrong), t.checked, t.wrong[0])
	}
	if t.checked == 0 {
		return warning("it abstained on every page")
	}
	return nil
}

// statements looks at what all answers so far are in the graph.
func (t *tester) statements() error {
	if len(t.loose) > 0 {
		return fmt.Errorf("%d statements, for instance %s", len(t.loose), t.loose[0])
	}
	return nil
}

func (t *tester) determinism() error {
	pages := append(variants(8), textPage("10 KB", 10_000, 100))
	want, err := t.transcript(t.set, pages)
	if err != nil {
		return err
	}
	m := &t.mod.Manifest
	unequal := func(err error, promised bool) error {
		if err == nil || promised {
			return err
		}
		return warning(err.Error())
	}
	if err := t.same(t.set, pages, want, "a second time"); err != nil {
		return unequal(err, m.Stateless)
	}
	if _, err := t.transcript(t.set, variants(100)); err != nil {
		return err
	}
	if err := t.same(t.set, pages, want, "after 100 other pages"); err != nil {
		return unequal(err, m.Stateless)
	}
	fresh := t.options()
	fresh.Limits.Calls = 1
	err = t.with(fresh, func(s *plugins.Set) error {
		want, err = t.transcript(s, pages) // of a fresh instance: what the rest is held to
		if err != nil {
			return err
		}
		defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
		return t.same(s, pages, want, "on one processor")
	})
	if err != nil {
		return unequal(err, m.Deterministic)
	}
	if err := t.same(t.set, pages, want, "on an instance that has seen other pages"); err != nil {
		return unequal(err, m.Stateless)
	}
	// Fuel alone ends these calls: interpreted ones take long.
	slow := t.options()
	slow.Deterministic = true
	few := pages[6:] // one of them large
	if err := t.with(slow, func(s *plugins.Set) error { want, err = t.transcript(s, few); return err }); err != nil {
		return err
	}
	slow.Engine = plugins.Interpreted
	err = t.with(slow, func(s *plugins.Set) error { return t.same(s, few, want, "in the interpreter") })
	return unequal(err, m.Deterministic)
}

// leaking reports whether the most memory of each quarter of the calls shows a leak. A garbage collector lets the memory grow in
// steps until the heap has its size, such as from 7,168 to 7,936 KiB: growth counts only if it goes on in the last quarter, or
// exceeds a half. The tenth and the half are arbitrary.
func leaking(most [4]uint64) bool {
	grown := most[3] - min(most[0], most[3])
	return grown > most[0]/2 || grown > most[0]/10 && most[3] > most[2]
}

// leaks gives one instance many pages of two sizes and looks at the most memory that it had in each quarter.
func (t *tester) leaks() error {
	small, large := textPage("10 KB", 10_000, 100), textPage("200 KB", 200_000, 100)
	return t.with(t.options(), func(s *plugins.Set) error {
		for _, k := range t.kinds {
			requests := [2][]byte{small.encode(k, t.needs), large.encode(k, t.needs)}
			var most [4]uint64
			n := t.o.Calls
			for i := range n {
				which := 0
				if i%50 == 0 {
					which = 1
				}
				r := s.Probe(t.ctx, k, small.url, requests[which])
				if r.Kind != plugins.KindOK && r.Kind != plugins.KindNone {
					return fmt.Errorf("call %d: %w", i, r.Err)
				}
				quarter := &most[i*4/n]
				*quarter = max(*quarter, r.Memory)
			}
			if leaking(most) {
				return fmt.Errorf("%s: the memory was at most %d KiB in the first quarter of %d calls and %d KiB in the last", k,
					most[0]>>10, n, most[3]>>10)
			}
		}
		if u := s.Report()[t.mod.Manifest.Name]; u.Instances != 1 {
			return fmt.Errorf("%d instances were replaced: the memory exceeded three quarters of its limit", u.Instances)
		}
		return nil
	})
}

// budget is that of a call by default.
func budget(k module.Kind) int64 {
	if k == module.Scorer {
		return 1e9
	}
	return 5e9
}

// fuel looks at what sizes measured; 2 MB are more than a page should be held to.
func (t *tester) fuel() error {
	for _, c := range t.costs {
		if c.Page != "2 MB" && c.Units > budget(c.Kind)/2 {
			return fmt.Errorf("%s: a page of %s takes %d units, more than half of the limit of a call", c.Kind, c.Page, c.Units)
		}
	}
	return nil
}

func (t *tester) topics() error {
	p := textPage("10 KB", 10_000, 10)
	other := abi.Topic{Name: "gardens", Terms: []abi.Term{{Text: "harbour", Weight: 3}, {Text: "garden", Weight: 1}}}
	return t.with(t.options(), func(s *plugins.Set) error {
		for _, k := range t.kinds {
			var answers [2]string
			var memory [2]uint64
			for i := range 200 {
				s.SetTopic([]abi.Topic{topic(), other}[i%2])
				r, err := t.ask(s, k, p)
				if err != nil {
					return fmt.Errorf("after %d changes: %w", i, err)
				}
				if i > 1 && answers[i%2] != said(r) {
					return fmt.Errorf("%s: after %d changes its answer on the same topic differs", k, i)
				}
				answers[i%2] = said(r)
				half := &memory[i/100]
				*half = max(*half, r.Memory)
			}
			if memory[1] > memory[0]+memory[0]/10 {
				return fmt.Errorf("%s: 200 changes take memory from %d to %d KiB", k, memory[0]>>10, memory[1]>>10)
			}
			if k == module.Scorer && answers[0] == answers[1] {
				return warning("scores ignore the topic")
			}
		}
		return nil
	})
}

func (t *tester) quota() error {
	// Every answer of the set that the other checks used is behind it.
	if err := t.each(t.set, textPage("10 KB", 10_000, 100)); err != nil {
		return err
	}
	before := t.lines
	if err := t.each(t.set, textPage("10 KB", 10_000, 100)); err != nil {
		return err
	}
	if lines := (t.lines - before) / len(t.kinds); lines >= 50 {
		return warning(fmt.Sprintf("%d lines of log for an ordinary page; the rest was dropped", lines))
	}
	return nil
}

// firstCalls returns the most fuel that the first call of an instance takes for one of the pages:
// runtimes start up in it.
func (t *tester) firstCalls(k module.Kind, pages ...page) (most int64, err error) {
	o := t.options()
	o.Deterministic = true // each page has an instance of its own
	err = t.with(o, func(s *plugins.Set) error {
		for _, p := range pages {
			r, err := t.ask(s, k, p)
			if err != nil {
				return err
			}
			most = max(most, r.Fuel)
		}
		return nil
	})
	return most, err
}

// cutOff gives calls a tenth of the fuel that they need.
func (t *tester) cutOff() error {
	for _, k := range t.kinds {
		large, empty := textPage("200 KB", 200_000, 100), page{name: "an empty page"}
		r, err := t.ask(t.set, k, large)
		if err != nil {
			return err
		}
		first, err := t.firstCalls(k, empty, textPage("a few words", 100, 1))
		if err != nil {
			return err
		}
		tenth := max(r.Fuel/10, 2*first, 100_000) // the smoke test has to pass
		if tenth >= r.Fuel {
			return skipped("a large page takes little more fuel than an empty one")
		}
		o := t.options()
		o.Limits.Score.Fuel, o.Limits.Extract.Fuel = tenth, tenth
		err = t.with(o, func(s *plugins.Set) error {
			for range 3 {
				if r := s.Probe(t.ctx, k, large.url, large.encode(k, t.needs)); r.Kind != plugins.KindFuel {
					return fmt.Errorf("%s with a tenth of the fuel it takes ends with %s, not fuel", k, r.Kind)
				}
				if _, err := t.ask(s, k, empty); err != nil {
					return fmt.Errorf("after a call that ran out of fuel: %w", err)
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}
