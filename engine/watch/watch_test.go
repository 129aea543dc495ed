package watch

import (
	"math"
	"math/rand/v2"
	"testing"
)

// freshness is the share of fresh time of pages under these refresh rates at even distances.
func freshness(rates, weights, refresh []float64) (sum float64) {
	for i, r := range rates {
		if refresh[i] > 0 {
			x := r / refresh[i]
			sum += weights[i] * -math.Expm1(-x) / x
		}
	}
	return sum
}

// poissonFreshness is the objective of Azar et al.: fetches at random moments.
func poissonFreshness(rates, weights, refresh []float64) (sum float64) {
	for i, r := range rates {
		sum += weights[i] * refresh[i] / (refresh[i] + r)
	}
	return sum
}

// TestAllocateIsOptimal compares the closed form with small moves of the budget between two pages.
func TestAllocateIsOptimal(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 50 {
		n := 2 + random.IntN(8)
		rates, weights := make([]float64, n), make([]float64, n)
		for i := range n {
			rates[i], weights[i] = math.Exp(4*random.NormFloat64()), 0.5+random.Float64()
		}
		budget := 3 * random.Float64()
		refresh := Allocate(rates, weights, budget)
		sum := 0.0
		for _, f := range refresh {
			sum += f
		}
		if math.Abs(sum-budget) > 1e-6*budget {
			t.Fatalf("rates %v: refresh rates %v sum up to %g, not %g", rates, refresh, sum, budget)
		}
		best := poissonFreshness(rates, weights, refresh)
		for i := range n {
			for j := range n {
				if i == j {
					continue
				}
				move := min(refresh[i], 0.01*budget)
				refresh[i], refresh[j] = refresh[i]-move, refresh[j]+move
				if f := poissonFreshness(rates, weights, refresh); f > best+1e-9 {
					t.Fatalf("rates %v: moving %g from page %d to %d raises the freshness from %g to %g", rates, move, i, j, best, f)
				}
				refresh[i], refresh[j] = refresh[i]+move, refresh[j]-move
			}
		}
	}
}

// TestGainIsMarginalFreshness compares Gain with the numeric derivative of the freshness.
func TestGainIsMarginalFreshness(t *testing.T) {
	for _, rate := range []float64{1e-6, 0.01, 1, 30} {
		for _, days := range []float64{0.1, 1, 40} {
			at := func(f float64) float64 { return freshness([]float64{rate}, []float64{1}, []float64{f}) }
			f := 1 / days
			slow := (at(f*1.0001) - at(f*0.9999)) / (f * 0.0002)
			if got := Gain(rate, days); math.Abs(got-slow) > 1e-3*slow+1e-6 {
				t.Errorf("Gain(%g, %g) = %g, the derivative is %g", rate, days, got, slow)
			}
			if got := After(rate, Gain(rate, days)); rate*days < 20 && math.Abs(got-days) > 1e-3*days {
				t.Errorf("After(%g, Gain) = %g, want %g", rate, got, days)
			}
		}
	}
}

// TestRatesAreLearned observes pages of a Gamma distribution at even distances.
func TestRatesAreLearned(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	var pages []*Page
	truth := map[*Page]float64{}
	for i := range 400 {
		p := &Page{}
		truth[p] = 0.002
		if i%10 == 0 {
			truth[p] = 0.2
		}
		pages = append(pages, p)
	}
	prior := Fit(nil)
	for now := 10.0; now <= 300; now += 10 {
		for _, p := range pages {
			changed := random.Float64() < -math.Expm1(-truth[p]*10)
			p.Observe(now, changed, 0, p.Rate(prior))
		}
		prior = Fit(pages)
	}
	for _, rate := range []float64{0.002, 0.2} {
		sum, n := 0.0, 0.0
		for _, p := range pages {
			if truth[p] == rate {
				sum, n = sum+p.Rate(prior), n+1
			}
		}
		if mean := sum / n; mean < rate/2 || mean > rate*2 {
			t.Errorf("pages with %g changes a day are estimated at %g on average", rate, mean)
		}
	}
}

// site is a schedule with a list and ten pages, all fetched on day 100.
func site(o Options) *Schedule {
	o.Every = 1
	s := NewSchedule(o)
	for _, key := range []string{"a", "b", "c", "d", "e", "f", "g", "h", "i", "j"} {
		p := &Page{URL: key, Place: "host board/topic", Object: key, Validators: Validators{Digest: key}, Sketch: []uint32{1, 2}}
		p.Begin(100, 0)
		s.Add(key, p)
	}
	list := &Page{URL: "list", Place: "host board/forum", Object: "list", Source: true}
	list.Begin(100, 0)
	s.Add("list", list)
	return s
}

func next(t *testing.T, s *Schedule, now float64, want ...string) {
	t.Helper()
	got := s.Next(now)
	for i := 0; i < max(len(got), len(want)); i++ {
		if i >= len(got) || i >= len(want) || got[i] != want[i] {
			t.Fatalf("on day %g, %q is fetched; want %q", now, got, want)
		}
	}
}

func listed(now float64, signals ...Signal) Visit {
	return Visit{Key: "list", URL: "list", Place: "host board/forum", Object: "list", Now: now, Source: true, Signals: signals,
		Pieces: []uint32{uint32(now)}}
}

// TestSignalled: what a list reports is fetched in the same session, and once.
func TestSignalled(t *testing.T) {
	s := site(Options{Budget: 5, Signals: true})
	s.Begin(101)
	next(t, s, 101, "list")
	s.Visited(listed(101, Signal{Object: "a", Time: 100.5, Exact: true, Said: "x"}, Signal{Object: "b", Time: 99, Exact: true, Said: "y"},
		Signal{Object: "c", Counted: true, Count: 3}))
	next(t, s, 101, "a")
	s.Visited(Visit{Key: "a", Place: "host board/topic", Object: "a", Now: 101, Pieces: []uint32{1, 3}, Described: true})
	next(t, s, 101) // the others changed with a small probability, and signals would report it
	if s.Changed != 1 || s.Tokens != 3 {
		t.Errorf("%d changes, %g fetches left; want 1 and 3", s.Changed, s.Tokens)
	}
	s.End()
	s.Begin(102)
	next(t, s, 102, "list")
	s.Visited(listed(102, Signal{Object: "a", Time: 100.5, Exact: true, Said: "x"}, Signal{Object: "c", Counted: true, Count: 4}))
	next(t, s, 102, "c")
}

// TestShrunk: when a list counts fewer posts, all pages of the topic are fetched.
func TestShrunk(t *testing.T) {
	s := site(Options{Budget: 50, Signals: true})
	second := &Page{URL: "a2", Place: "host board/topic", Object: "a", Part: 20}
	second.Begin(100, 0)
	s.Add("a2", second)
	s.Begin(101)
	next(t, s, 101, "list")
	s.Visited(listed(101, Signal{Object: "a", Counted: true, Count: 30}))
	s.Begin(102)
	next(t, s, 102, "list")
	s.Visited(listed(102, Signal{Object: "a", Counted: true, Count: 29}))
	next(t, s, 102, "a", "a2")
	for _, key := range []string{"a", "a2"} {
		s.Visited(Visit{Key: key, Place: "host board/topic", Object: "a", Part: s.Pages[key].Part, Now: 102, Pieces: []uint32{9}})
	}
	s.Begin(103)
	next(t, s, 103, "list")
	s.Visited(listed(103, Signal{Object: "a", Counted: true, Count: 31}))
	next(t, s, 103, "a2")
}

// TestListsInLists: an index counts topics and posts of a forum with three pages. While both stay, no
// page of the forum is fetched; when one rises, the first page is, and the next one only if the last row
// of the first changed.
func TestListsInLists(t *testing.T) {
	s := site(Options{Budget: 50, Signals: true})
	s.Pages["list"].List = true
	for i, key := range []string{"list2", "list3"} {
		p := &Page{URL: key, Place: "host board/forum", Object: "list", Part: 25 * (i + 1), Source: true, List: true}
		p.Begin(100, 0)
		s.Add(key, p)
	}
	index := &Page{URL: "index", Place: "host board/index", Object: "index", Source: true, List: true}
	index.Begin(100, 0)
	s.Add("index", index)
	counts := func(day float64, posts int) {
		s.Visited(Visit{Key: "index", Place: index.Place, Object: "index", Now: day, Source: true, List: true,
			Pieces: []uint32{uint32(day)}, Signals: []Signal{{Object: "list", Counted: true, Said: "thread", Count: 70},
				{Object: "list", Counted: true, Said: "post", Count: posts}}})
	}
	forum := func(day float64, of string, rows ...Signal) {
		v := listed(day, append(rows, Signal{Object: "j", Counted: true, Said: "post", Count: int(day)})...)
		v.Key, v.List, v.Part, v.Next = of, true, s.Pages[of].Part, []string{"list2"}
		s.Visited(v)
	}
	row := func(object, said string, time float64) Signal {
		return Signal{Object: object, Time: time, Exact: true, Said: said, Newest: true}
	}
	s.Begin(101)
	next(t, s, 101, "index", "list")
	counts(101, 500)
	forum(101, "list", row("a", "x", 99), row("b", "x", 98))
	s.End()
	s.Pages["list"].Announced = true // as if the index had reported a change before
	s.Begin(102)
	next(t, s, 102, "index")
	counts(102, 500)
	next(t, s, 102)
	s.End()
	s.Begin(103)
	next(t, s, 103, "index")
	counts(103, 501)
	next(t, s, 103, "list")
	forum(103, "list", row("c", "y", 102.5), row("a", "x", 99))
	next(t, s, 103, "c", "j")
	for _, key := range []string{"c", "j"} {
		s.Visited(Visit{Key: key, Place: "host board/topic", Object: key, Now: 103, Pieces: []uint32{9}})
	}
	s.End()
	s.Begin(104)
	next(t, s, 104, "index")
	counts(104, 502)
	next(t, s, 104, "list")
	forum(104, "list", row("d", "z", 103.5), row("e", "z", 103.4))
	next(t, s, 104, "list2", "d", "e", "j")
}

// TestSilence: pages of a level that signals cover are not fetched without one after a year in which none came.
func TestSilence(t *testing.T) {
	s := site(Options{Budget: 50, Signals: true})
	s.Pages["a"].Changes, s.Pages["a"].Days = 20, 100
	s.group("host board/topic").Told = 1
	s.Begin(101)
	if o := s.Outlook(s.Pages["b"], 465); !o.Covered || o.Changed >= LeastChanged {
		t.Errorf("after a year without a signal: %+v", o)
	}
	if o := s.Outlook(s.Pages["a"], 465); o.Changed < LeastChanged {
		t.Errorf("a page with 20 known changes: %+v", o)
	}
}

// TestUnchangingRow: a list is polled although another one lists it, while this one shows nothing that
// changes.
func TestUnchangingRow(t *testing.T) {
	for _, dated := range []bool{true, false} {
		s := site(Options{Budget: 50, Signals: true})
		forum := &Page{URL: "forum", Place: "host board/forum", Object: "forum", Source: true, List: true}
		forum.Begin(100, 0)
		s.Add("forum", forum)
		row := Signal{Object: "forum", Said: "A forum about boats"}
		if dated {
			row.Time = 99
		}
		polls := 0
		for day := 101.0; day < 111; day++ {
			s.Begin(day)
			for keys := s.Next(day); len(keys) > 0; keys = s.Next(day) {
				for _, key := range keys {
					v := listed(day, row)
					if key == "forum" {
						polls++
						v = listed(day, Signal{Object: "a", Time: day - 0.5, Exact: true, Said: string(rune(int(day)))})
						v.Key, v.Object, v.List = "forum", "forum", true
					}
					s.Visited(v)
				}
			}
			s.End()
		}
		if dated && polls > 1 || !dated && polls != 10 {
			t.Errorf("row with a time: %v; the list in it was polled %d times in 10 days", dated, polls)
		}
	}
}

// TestBehind: a budget that is too small is reported.
func TestBehind(t *testing.T) {
	s := site(Options{Budget: 2, Signals: true, Sweep: 50})
	s.Begin(110)
	next(t, s, 110, "list")
	s.Visited(listed(110, Signal{Object: "a", Time: 104, Exact: true, Said: "x"}, Signal{Object: "b", Time: 105, Exact: true, Said: "y"}))
	next(t, s, 110, "a")
	if b := s.Behind; b.Signalled != 1 || math.Abs(b.Oldest-5) > 0.01 {
		t.Errorf("%+v; want 1 page, 5 days", b)
	}
	for _, p := range s.Pages {
		p.State, p.Tried = Walled, 150
	}
	s.Begin(206)
	s.Next(206)
	if b := s.Behind; b.Unswept == 0 || math.Abs(b.Late-6) > 0.01 {
		t.Errorf("%+v; want pages that were tried 56 days ago to be 6 days late", b)
	}
}

// TestDullSources: of two lists that say the same, one is polled less and less.
func TestDullSources(t *testing.T) {
	s := site(Options{Budget: 50, Signals: true})
	feed := &Page{URL: "feed", Place: "host", Object: "feed", Source: true}
	feed.Begin(100, 0)
	s.Add("feed", feed)
	polls := 0
	for day := 101.0; day < 165; day++ {
		s.Begin(day)
		for keys := s.Next(day); len(keys) > 0; keys = s.Next(day) {
			for _, key := range keys {
				v := Visit{Key: key, Now: day, Unchanged: true, Place: s.Pages[key].Place, Object: s.Pages[key].Object}
				if key == "list" {
					v = listed(day, Signal{Object: "a", Time: day - 0.5, Exact: true, Said: string(rune(int(day)))})
				}
				if key == "feed" {
					polls++
				}
				s.Visited(v)
			}
		}
		s.End()
	}
	if polls > 10 {
		t.Errorf("the feed, which reports nothing first, was polled %d times in 64 days; want at most 10", polls)
	}
}

// TestEarlySource: a large sitemap that is read after the list in each session has changes that the
// list reports one session later. It is polled less and less, and a sitemap that the list does not
// confirm is polled each time.
func TestEarlySource(t *testing.T) {
	for _, confirmed := range []bool{true, false} {
		s := site(Options{Budget: 50, Signals: true})
		sitemap := &Page{URL: "sitemap", Place: "host", Object: "sitemap", Source: true, Size: 1 << 20}
		sitemap.Begin(100, 0)
		s.Add("sitemap", sitemap)
		polls := 0
		for day := 101.0; day < 165; day++ {
			change := func(of string, day float64) Signal {
				return Signal{Object: of, Time: day - 0.5, Exact: true, Said: string(rune(int(day)))}
			}
			s.Begin(day)
			for keys := s.Next(day); len(keys) > 0; keys = s.Next(day) {
				for _, key := range keys {
					v := Visit{Key: key, Now: day, Unchanged: true, Place: s.Pages[key].Place, Object: s.Pages[key].Object}
					switch {
					case key == "list" && confirmed:
						v = listed(day, change("a", day-1), change("b", day))
					case key == "list":
						v = listed(day, change("b", day))
					case key == "sitemap":
						polls++
						v = listed(day, change("a", day), change("b", day))
						v.Key, v.Object, v.Size = "sitemap", "sitemap", 1<<20
					}
					s.Visited(v)
				}
			}
			s.End()
		}
		if confirmed && polls > 16 || !confirmed && polls < 60 {
			t.Errorf("confirmed by the list: %v; the sitemap was polled %d times in 64 days", confirmed, polls)
		}
	}
}

// TestStates: a page that is gone, behind a login or failing keeps its evidence and is tried again.
func TestStates(t *testing.T) {
	s := site(Options{Budget: 50})
	s.Begin(101)
	s.Visited(Visit{Key: "a", Now: 101, State: Gone})
	s.Visited(Visit{Key: "b", Now: 101, State: Walled})
	s.Visited(Visit{Key: "c", Now: 101, State: Failing})
	x := s.Summary(101)
	if x.Gone != 1 || x.Walled != 1 || x.Failing != 1 || x.Pages != 11 {
		t.Errorf("%+v", x)
	}
	due := func(day float64) map[string]bool {
		s.Begin(day)
		out := map[string]bool{}
		for keys := s.Next(day); len(keys) > 0; keys = s.Next(day) {
			for _, k := range keys {
				out[k] = true
			}
		}
		return out
	}
	if d := due(102); d["a"] || d["b"] || d["c"] || !d["d"] {
		t.Errorf("on the next day these are due: %v", d)
	}
	if d := due(103); d["a"] || !d["b"] || !d["c"] {
		t.Errorf("two days later these are due: %v", d)
	}
	if d := due(140); !d["a"] {
		t.Errorf("a deleted page is not requested again after a month: %v", d)
	}
}

// TestLasting: content that never lasts lowers the weight of a page.
func TestLasting(t *testing.T) {
	ad, edit := &Page{Sketch: []uint32{1, 2, 3}}, &Page{Sketch: []uint32{1, 2, 3}}
	for i := range uint32(8) {
		next := []uint32{1, 2, 3, 100 + i}
		ad.lasting(next)
		ad.Sketch = next
		more := append(append([]uint32{}, edit.Sketch...), 200+i)
		edit.lasting(more)
		edit.Sketch = more
	}
	if ad.weight() > 0.4 || edit.weight() < 0.9 {
		t.Errorf("an advertisement has the weight %g, text that stays %g", ad.weight(), edit.weight())
	}
}

// TestTimeAndNumber: a list that shows a time and a number for each page reports nothing while both
// stay as they are.
func TestTimeAndNumber(t *testing.T) {
	s := site(Options{Budget: 50, Signals: true})
	for day := 101.0; day < 105; day++ {
		s.Begin(day)
		next(t, s, day, "list")
		s.Visited(listed(day, Signal{Object: "a", Time: 90, Said: "May 3"}, Signal{Object: "a", Counted: true, Count: 3}))
		if p := s.Pages["a"]; p.Signal != 0 {
			t.Fatalf("day %g: a signal about a, whose time and number stayed", day)
		}
		s.End()
	}
	s.Begin(105)
	s.Visited(listed(105, Signal{Object: "a", Time: 90, Said: "May 3"}, Signal{Object: "a", Counted: true, Count: 4}))
	if s.Pages["a"].Signal == 0 {
		t.Error("no signal after the number rose")
	}
}

// TestWrongSignals: the level whose signals are often wrong is learned, so that with a budget for one fetch the signalled
// page of the other level is fetched.
func TestWrongSignals(t *testing.T) {
	s := site(Options{Budget: 3, Signals: true})
	for _, key := range []string{"a", "b"} {
		s.Pages[key].Place = "host board/post"
	}
	for range 10 {
		s.group("host board/post").Learn(true, false)
		s.group("host board/topic").Learn(true, true)
	}
	s.Begin(101)
	s.Tokens = 2
	next(t, s, 101, "list")
	s.Visited(listed(101, Signal{Object: "a", Time: 100.5, Exact: true, Said: "x"},
		Signal{Object: "j", Time: 100.5, Exact: true, Said: "x"}))
	next(t, s, 101, "j")
	if wrong, right := s.group("host board/post").Precision(), s.group("host board/topic").Precision(); wrong > 0.2 || right < 0.9 {
		t.Errorf("the signals are right with %.2f and %.2f", wrong, right)
	}
}
