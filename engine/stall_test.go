package engine_test

import (
	"fmt"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/awarc/awarc/engine"
	"github.com/awarc/awarc/engine/fetch"
	"github.com/awarc/awarc/frontier"
)

// patientFetcher is a client that waits for servers as long as they like.
func patientFetcher(t *testing.T) *fetch.Client {
	c, err := fetch.New(fetch.Options{SpoolDir: t.TempDir(), HeaderTimeout: time.Hour, Timeout: time.Hour})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

// TestStalledHostsHoldNobodyUp crawls a site with one worker, beside hosts that keep silent, or break
// off in the middle, until the whole site was requested.
func TestStalledHostsHoldNobodyUp(t *testing.T) {
	const size = 20
	released := make(chan struct{})
	release := sync.OnceFunc(func() { close(released) })
	t.Cleanup(release)
	pages := site{}
	for i := range size {
		pages[fmt.Sprintf("/%d", i)] = links(fmt.Sprintf("/%d", i+1))
	}
	last := fmt.Sprintf("/%d", size)
	seeds := []string{}
	for i, start := range []string{"", "<p>a drip"} {
		seeds = append(seeds, on(t, fmt.Sprintf("127.0.0.%d", 2+i), http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "text/html")
			if start != "" {
				_, _ = w.Write([]byte(start))
				_ = http.NewResponseController(w).Flush()
			}
			<-released
		}))+"/")
	}
	seeds = append(seeds, serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == last {
			release()
		}
		pages.ServeHTTP(w, r)
	}))+"/0")
	w := newWorld(t)
	w.fetcher = patientFetcher(t)
	w.options.Agent, w.options.Limits.Stall = "", 10*time.Millisecond
	if reason := w.crawl(seeds...); reason != engine.Drained {
		t.Errorf("it ended by %q", reason)
	}
	w.count("pages", size+2)
}

// TestALimitDoesNotWaitForADrip: once a limit is reached, an exchange that stalls is broken off at
// once, whatever the grace of the others, and its URL stays pending.
func TestALimitDoesNotWaitForADrip(t *testing.T) {
	begun := make(chan struct{})
	drip := on(t, "127.0.0.2", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = w.Write([]byte("d"))
		_ = http.NewResponseController(w).Flush()
		close(begun)
		<-r.Context().Done()
	})) + "/"
	page := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		<-begun
		site{"/": links("/more"), "/more": links("/")}.ServeHTTP(w, r)
	})) + "/"
	w := newWorld(t)
	w.fetcher = patientFetcher(t)
	w.options.Agent, w.options.Limits.Stall, w.options.Workers = "", 10*time.Millisecond, 2
	w.options.Limits.Pages, w.options.Limits.Grace = 1, time.Hour
	if reason := w.crawl(drip, page); reason != engine.PageLimit {
		t.Errorf("it ended by %q", reason)
	}
	if e := w.state(drip); e.State != frontier.Pending || e.Tries != 0 {
		t.Errorf("the drip is %v after %d tries", e.State, e.Tries)
	}
}
