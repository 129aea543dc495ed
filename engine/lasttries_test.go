package engine_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/awarc/awarc/engine"
	"github.com/awarc/awarc/frontier"
)

// troubled serves pages that fail for their first requests: failures has the number for each path.
func troubled(t *testing.T, failures map[string]int) (base string, requests func(path string) int64) {
	t.Helper()
	counts := map[string]*atomic.Int64{}
	var all []string
	for path := range failures {
		counts[path] = new(atomic.Int64)
		all = append(all, path)
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		n := counts[r.URL.Path]
		switch {
		case n != nil && n.Add(1) <= int64(failures[r.URL.Path]):
			w.WriteHeader(http.StatusInternalServerError)
		case r.URL.Path == "/":
			fmt.Fprint(w, links(all...))
		case r.URL.Path == "/robots.txt":
			http.NotFound(w, r)
		default:
			fmt.Fprint(w, links("/found"))
		}
	}))
	t.Cleanup(server.Close)
	return server.URL, func(path string) int64 { return counts[path].Load() }
}

// TestWhatFailedIsRequestedAtTheEnd: a URL that fails alone gets one more try at the end. The crawl
// follows its links and takes its error back.
func TestWhatFailedIsRequestedAtTheEnd(t *testing.T) {
	base, requests := troubled(t, map[string]int{"/late": 3, "/never": 1000, "/fine": 0})
	w := newWorld(t)
	w.options.RetryDelay = time.Millisecond
	if reason := w.crawl(base + "/"); reason != engine.Drained {
		t.Errorf("it ended by %q", reason)
	}
	for _, path := range []string{"/late", "/fine", "/found"} {
		if e := w.state(base + path); e.State != frontier.Fetched {
			t.Errorf("%s is %v after %d tries: %s", path, e.State, e.Tries, e.Reason)
		}
	}
	if e := w.state(base + "/never"); e.State != frontier.Failed || !strings.Contains(e.Reason, "also at the end of the crawl") {
		t.Errorf("/never is %v after %d tries: %s", e.State, e.Tries, e.Reason)
	}
	if late, never := requests("/late"), requests("/never"); late != 4 || never != 4 {
		t.Errorf("%d requests for /late, %d for /never", late, never)
	}
	w.count("errors/http_500", 1)
	w.count("last tries/requested", 2)
	w.count("last tries/answered", 1)
	if err := w.frontier.Close(); err != nil {
		t.Fatal(err)
	}
	w.crawl(base + "/") // no further try in a later session
	if n := requests("/never"); n != 4 {
		t.Errorf("%d requests for /never after another session", n)
	}
}

// TestLastTriesOutliveTheProcess: a crawl that ends when its last tries have begun grants the
// others theirs, and no second one.
func TestLastTriesOutliveTheProcess(t *testing.T) {
	base, requests := troubled(t, map[string]int{"/a": 1000, "/b": 1000, "/c": 1000})
	w := newWorld(t)
	w.options.RetryDelay, w.options.Workers = time.Millisecond, 1
	stop, cancel := context.WithCancel(t.Context())
	w.onLog = func(engine.Exchanged) {
		if requests("/a")+requests("/b")+requests("/c") == 10 {
			cancel()
		}
	}
	if _, err := w.open(base+"/").Run(t.Context(), stop); err != nil {
		t.Fatal(err)
	}
	if err := w.frontier.Close(); err != nil {
		t.Fatal(err)
	}
	w.onLog = nil
	w.crawl(base + "/")
	if a, b, c := requests("/a"), requests("/b"), requests("/c"); a != 4 || b != 4 || c != 4 {
		t.Errorf("%d, %d and %d requests", a, b, c)
	}
	w.count("errors/http_500", 3)
}

// TestTriesOfATroubledURLAreSpaced: the wait before the second try is RetryDelay, and doubles.
func TestTriesOfATroubledURLAreSpaced(t *testing.T) {
	base, requests := troubled(t, map[string]int{"/bad": 1000})
	w := newWorld(t)
	w.options.RetryDelay, w.options.MaxTries, w.pace.MaxTries = time.Hour/2, 5, 5
	stop, cancel := context.WithCancel(t.Context())
	w.onLog = func(x engine.Exchanged) {
		if strings.HasSuffix(x.URL, "/bad") {
			cancel()
		}
	}
	if _, err := w.open(base+"/").Run(t.Context(), stop); err != nil {
		t.Fatal(err)
	}
	if e := w.state(base + "/bad"); requests("/bad") != 1 || time.Until(e.NotBefore) < 29*time.Minute {
		t.Errorf("after %d requests, /bad waits until %v", requests("/bad"), e.NotBefore)
	}
}

// lateNode is the frontier of a node that comes second: another node makes pending what failed just
// before it does, and its counts are those of a moment ago, until it looks for the next URL.
type lateNode struct {
	*frontier.Frontier
	early bool // the other node has searched before, not meanwhile
	known atomic.Pointer[frontier.Stats]
}

func (n *lateNode) Counters() map[string]int64 {
	counters := n.Frontier.Counters()
	if s := n.Frontier.Stats(); n.early && s.Failed > 0 && s.Pending+s.Leased == 0 {
		n.early = false
		n.known.Store(&s)
		_ = n.Each(frontier.Failed, func(x frontier.Entry) error {
			_, err := n.Frontier.Again(context.Background(), []frontier.Requeue{{Key: x.Key, Tries: x.Tries,
				Counters: map[string]int64{"errors/http_500": -1, "last tries/requested": 1}}}, "another node")
			return err
		})
		return n.Frontier.Counters()
	}
	return counters
}

func (n *lateNode) Again(ctx context.Context, entries []frontier.Requeue, reason string) (int, error) {
	s := n.Frontier.Stats()
	n.known.Store(&s)
	_, err := n.Frontier.Again(ctx, entries, reason)
	return 0, err
}

func (n *lateNode) Stats() frontier.Stats {
	if s := n.known.Load(); s != nil {
		return *s
	}
	return n.Frontier.Stats()
}

func (n *lateNode) Next(ctx context.Context) (frontier.Lease, error) {
	n.known.Store(nil)
	return n.Frontier.Next(ctx)
}

// TestNodeThatComesSecondWaitsForLastTries: what another node requests once more at the end belongs
// to the crawl of this node, too.
func TestNodeThatComesSecondWaitsForLastTries(t *testing.T) {
	for _, early := range []bool{false, true} {
		base, requests := troubled(t, map[string]int{"/late": 3})
		w := newWorld(t)
		w.options.RetryDelay = time.Millisecond
		w.wrap = func(f *frontier.Frontier) engine.Frontier { return &lateNode{Frontier: f, early: early} }
		if reason := w.crawl(base + "/"); reason != engine.Drained || requests("/late") != 4 {
			t.Errorf("searched before: %t; it ended by %q after %d requests for /late", early, reason, requests("/late"))
		}
		w.state(base + "/found")
		w.count("errors/http_500", 0)
	}
}

// TestRetriesFollowTheClock: on a clock that is a million times faster, a retry after an hour waits for
// some milliseconds.
func TestRetriesFollowTheClock(t *testing.T) {
	base, requests := troubled(t, map[string]int{"/late": 1})
	w := newWorld(t)
	w.options.RetryDelay, w.options.Speed = time.Hour, 1e6
	w.crawl(base + "/")
	if e := w.state(base + "/late"); e.State != frontier.Fetched || requests("/late") != 2 {
		t.Errorf("/late is %v after %d requests", e.State, requests("/late"))
	}
}
