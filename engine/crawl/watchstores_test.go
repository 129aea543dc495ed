package crawl_test

import (
	"net/http/httptest"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/awarc/awarc/engine/crawl"
	"github.com/awarc/awarc/frontier/cluster/clustertest"
)

// TestWatchStores: a watch with its state in Redis makes the same requests in the same sessions as one with
// its state in a file, also when it is stopped and continued.
func TestWatchStores(t *testing.T) {
	redis := clustertest.Start(t, 1, 0).URL()
	own, shared := watchedBoard(t, ""), watchedBoard(t, redis)
	if !slices.Equal(own, shared) {
		t.Errorf("the requests differ; with a file: %q; with Redis: %q", own, shared)
	}
	if len(own) < 20 {
		t.Errorf("only %d requests: %q", len(own), own)
	}
}

// watchedBoard watches a board for ten days, in three parts, and returns the pages that it sent, sorted.
func watchedBoard(t *testing.T, redis string) []string {
	t.Helper()
	t.Setenv(crawl.ClockVariable, "")
	b := newBoard()
	start := b.now
	b.script = map[int]func(){
		2: func() { b.post(7, 500, "A reply in topic seven, written on the second day.") },
		4: func() { b.post(31, 600, "A new topic, opened on the fourth day.") },
		6: func() { b.gone[3] = true },
		7: func() { b.topics[9][0].text = "Edited: topic nine says something else now." },
		8: func() { b.down[11] = true },
	}
	server := httptest.NewServer(b)
	defer server.Close()
	dir := filepath.Join(t.TempDir(), "crawl")
	o := crawl.Options{Seeds: []string{server.URL + "/"}, Politeness: crawl.Politeness{Contact: "me@example.org", Delay: crawl.None},
		Fetching: crawl.Fetching{RetryDelay: time.Millisecond}}
	if redis != "" {
		o.Frontier, o.Crawl = redis, "board"
	}
	c, err := crawl.New(dir, o)
	runSession(t, c, err)
	t.Setenv(crawl.ClockVariable, server.URL+"/clock")
	for _, day := range []int{3, 6, 10} {
		b.opened = false
		c, err = crawl.Resume(dir, crawl.ResumeOptions{})
		if err == nil {
			err = c.Watch(crawl.WatchOptions{Budget: 6, Every: 24 * time.Hour, Sweep: 20 * 24 * time.Hour,
				Until: start.AddDate(0, 0, day+1).Add(-time.Hour)})
		}
		runSession(t, c, err)
	}
	slices.Sort(b.fetched)
	return b.fetched
}
