package engine_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
	"time"

	"github.com/awarc/awarc/engine"
	"github.com/awarc/awarc/frontier"
)

// TestAnOutageCostsNoContent lets a host break off every connection for a while,
// for longer than one URL has tries.
func TestAnOutageCostsNoContent(t *testing.T) {
	const pages, down, up = 20, 6, 16 // requests down to up go unanswered
	var requests, refused atomic.Int64
	var all []string
	for i := range pages {
		all = append(all, fmt.Sprintf("/p%d", i))
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if n := requests.Add(1); n >= down && n < up {
			refused.Add(1)
			panic(http.ErrAbortHandler)
		}
		w.Header().Set("Content-Type", "text/html")
		if r.URL.Path == "/" {
			fmt.Fprint(w, links(all...))
		}
	}))
	defer server.Close()
	w := newWorld(t)
	w.options.Pause = time.Millisecond
	w.pace.Backoff, w.pace.MaxBackoff = 300*time.Millisecond, time.Second // others are asked meanwhile
	if reason := w.crawl(server.URL + "/"); reason != engine.Drained {
		t.Errorf("it ended by %q", reason)
	}
	if refused.Load() != up-down {
		t.Fatalf("only %d requests met the outage", refused.Load())
	}
	for _, p := range all {
		if e := w.state(server.URL + p); e.State != frontier.Fetched {
			t.Errorf("%s is %v: %s", p, e.State, e.Reason)
		}
	}
}

// TestABadURLIsNoOutage: one URL that is never answered is given up after its
// tries, and the rest of the host goes on.
func TestABadURLIsNoOutage(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		switch r.URL.Path {
		case "/bad":
			panic(http.ErrAbortHandler)
		case "/":
			fmt.Fprint(w, links("/bad", "/a", "/b", "/c"))
		}
	}))
	defer server.Close()
	w := newWorld(t)
	w.options.Pause = time.Hour // would be noticed
	w.crawl(server.URL + "/")
	if e := w.state(server.URL + "/bad"); e.State != frontier.Failed || e.Tries != 3 {
		t.Errorf("the bad URL is %v after %d tries: %s", e.State, e.Tries, e.Reason)
	}
	w.count("errors/reset", 1)
	if e := w.state(server.URL + "/c"); e.State != frontier.Fetched {
		t.Errorf("the rest is %v", e.State)
	}
}

// TestADeadHostEnds: a host that never comes back is given up.
func TestADeadHostEnds(t *testing.T) {
	var requests atomic.Int64
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if requests.Add(1) > 3 {
			panic(http.ErrAbortHandler)
		}
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprint(w, links("/a", "/b", "/c"))
	}))
	defer server.Close()
	w := newWorld(t)
	w.options.Pause = time.Microsecond
	if reason := w.crawl(server.URL + "/"); reason != engine.Drained {
		t.Errorf("it ended by %q", reason)
	}
	if n := requests.Load(); n > 60 {
		t.Errorf("a dead host was asked %d times for three URLs", n)
	}
}
