package watching

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/awarc/awarc/engine/crawl"
	"github.com/awarc/awarc/testsites"
)

// Live is a watch of a board of phpBB that changes (see [testsites.Options.Clock]). Its clock stands still
// during a session and moves on to the next one when the watch waits.
type Live struct {
	Posts    int
	From, To time.Time
	Watch    crawl.WatchOptions
	Dir      string // of the crawl
}

// LiveResult is the result of [Live.Run].
type LiveResult struct {
	Window Window `json:"-"`
	Score  Score
	Kinds  map[string]Kind
	Found  float64       // share of the pages that appeared and were fetched
	Delay  float64       // days from the appearance of a page to its first fetch, on average
	Pages  int           // in the schedule
	Took   time.Duration // of the watch
	Heap   [4]uint64     // bytes in use after each quarter of the window, after a collection
}

// Kind counts the changes of the pages of the window of one kind (see [testsites.Change]), and the ones that a fetch
// saw before the next change of the page.
type Kind struct{ Changes, Captured int }

// liveBoard serves the board, its clock under /_clock, and notes the fetches of pages of topics.
type liveBoard struct {
	site *testsites.Site
	live *Live

	mu       sync.Mutex
	now      time.Time
	waiting  bool // the clock was read since the watch was started: the next reading moves it on
	fetches  map[string][]float64
	requests int
	heap     [4]uint64
}

func (b *liveBoard) clock() time.Time {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.now
}

func (b *liveBoard) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	b.mu.Lock()
	if r.URL.Path == "/_clock" {
		if b.waiting {
			b.now = b.now.Add(b.live.Watch.Every)
			b.measure()
		}
		b.waiting = true
		_ = json.NewEncoder(w).Encode(map[string]float64{"unix": float64(b.now.Unix()), "speed": 0}) // the client may be gone
		b.mu.Unlock()
		return
	}
	b.requests++
	if q := r.URL.Query(); strings.HasSuffix(r.URL.Path, "viewtopic.php") && q.Get("t") != "" {
		page := "/viewtopic.php?t=" + q.Get("t")
		if at := q.Get("start"); at != "" && at != "0" {
			page += "&start=" + at
		}
		b.fetches[page] = append(b.fetches[page], inDays(b.now))
	}
	b.mu.Unlock()
	b.site.ServeHTTP(w, r)
}

// measure notes the memory in use when a quarter of the window is over.
func (b *liveBoard) measure() {
	quarter := min(4, int(4*b.now.Sub(b.live.From)/b.live.To.Sub(b.live.From)))
	if quarter == 0 || b.heap[quarter-1] > 0 {
		return
	}
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	b.heap[quarter-1] = m.HeapAlloc
}

func inDays(t time.Time) float64 { return float64(t.Unix()) / day }

// Run crawls the board at the start of the window and watches it until the end.
func (l *Live) Run(ctx context.Context) (*LiveResult, error) {
	b := &liveBoard{live: l, now: l.From, fetches: map[string][]float64{}}
	site, err := testsites.New("phpbb", "prosilver", testsites.Options{Seed: 1, Posts: l.Posts, Clock: b.clock})
	if err != nil {
		return nil, err
	}
	b.site = site
	server := httptest.NewServer(b)
	defer server.Close()
	if err := os.Setenv(crawl.ClockVariable, server.URL+"/_clock"); err != nil {
		return nil, err
	}
	defer os.Unsetenv(crawl.ClockVariable)
	c, err := crawl.New(l.Dir, crawl.Options{Seeds: []string{server.URL + "/"}, Politeness: crawl.Politeness{Delay: crawl.None}})
	if err := run(ctx, c, err); err != nil {
		return nil, err
	}
	b.mu.Lock()
	b.fetches, b.requests, b.waiting = map[string][]float64{}, 0, false
	b.mu.Unlock()
	o, begun := l.Watch, time.Now()
	o.Until = l.To
	c, err = crawl.Resume(l.Dir, crawl.ResumeOptions{})
	if err == nil {
		if err = c.Watch(o); err != nil {
			err = errors.Join(err, c.Close())
		}
	}
	if err := run(ctx, c, err); err != nil {
		return nil, err
	}
	r := &LiveResult{Took: time.Since(begun), Heap: b.heap, Pages: c.WatchReport().Pages}
	r.evaluate(b, site.Changes("", l.To))
	return r, nil
}

// run runs a crawl to its end.
func run(ctx context.Context, c *crawl.Crawl, err error) error {
	if err != nil {
		return err
	}
	_, err = c.Run(ctx)
	return errors.Join(err, c.Close())
}

// evaluate compares the fetches with the changes.
func (r *LiveResult) evaluate(b *liveBoard, changes []testsites.Change) {
	start, end := inDays(b.live.From), inDays(b.live.To)
	history := History{}
	for _, c := range changes {
		history[c.URL] = append(history[c.URL], inDays(c.Time))
		if c.Empty && inDays(c.Time) < start {
			delete(history, c.URL) // it does not exist at the start
		}
	}
	r.Window = history.Window(start, end)
	fetched := 0
	for _, page := range r.Window.Pages {
		fetched += len(b.fetches[page])
	}
	r.Score = r.Window.Score("awarc watch", b.fetches, float64(b.requests-fetched))
	r.count(b.fetches, changes)
	appeared, found := 0.0, 0.0
	for _, page := range slices.Sorted(maps.Keys(history)) {
		first := history[page][0]
		if first < start {
			continue
		}
		appeared++
		if fs := b.fetches[page]; len(fs) > 0 {
			found++
			r.Delay += fs[0] - first
		}
	}
	if found > 0 {
		r.Found, r.Delay = found/appeared, r.Delay/found
	}
}

// count counts the changes by kind.
func (r *LiveResult) count(fetches map[string][]float64, changes []testsites.Change) {
	r.Kinds = map[string]Kind{}
	for _, c := range changes {
		at, next := inDays(c.Time), r.Window.End
		list := r.Window.Changes[c.URL]
		i, in := slices.BinarySearch(list, at)
		if !in {
			continue
		}
		if i+1 < len(list) {
			next = list[i+1]
		}
		k := r.Kinds[c.Kind]
		k.Changes++
		fs := fetches[c.URL]
		if j, _ := slices.BinarySearch(fs, at); j < len(fs) && fs[j] < next {
			k.Captured++
		}
		r.Kinds[c.Kind] = k
	}
}
