package engine_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/awarc/awarc/engine"
	"github.com/awarc/awarc/testsites/corpora"
)

// TestAnInterruptedCrawlEndsAsAnUndisturbedOne stops blind crawls of sites with an end and of places without one every
// few pages: what was seen of words and growth is forgotten with each session, what follows from it is not.
func TestAnInterruptedCrawlEndsAsAnUndisturbedOne(t *testing.T) {
	if raceDetector {
		t.Skip("with the race detector it takes minutes; make plain runs it")
	}
	const limit = 500
	for _, c := range corpora.All() {
		if slices.Contains([]string{"lottery draws", "tide tables", "wiki with pages yet to be written"}, c.Name) {
			t.Run(c.Name, func(t *testing.T) {
				t.Parallel()
				c := c.Limit(400)
				want := c.URLs(corpora.Both)
				key := func(path string) string {
					k, _ := corpora.Key(path)
					if !slices.Contains(want, path) &&
						!slices.ContainsFunc(want, func(u string) bool { o, _ := corpora.Key(u); return o == k }) {
						return ""
					}
					return k
				}
				compareInterrupted(t, c.Handler(corpora.Both), key, len(want), 2*limit, limit)
			})
		}
	}
	for _, trap := range corpora.Traps() {
		if slices.Contains([]string{"strangers and their friends", "calendar of a weblog", "session ids of a board",
			"maze of invented words"}, trap.Name) {
			t.Run(trap.Name, func(t *testing.T) {
				t.Parallel()
				compareInterrupted(t, trap.Handler(), trap.Article, len(trap.Articles), trap.Most+limit, limit)
			})
		}
	}
}

// compareInterrupted crawls a site without and with interruptions; content names the page that an address shows, if it is one
// of those that must be fetched.
func compareInterrupted(t *testing.T, h http.Handler, content func(path string) string, want, most, limit int) {
	base := serve(t, h)
	for _, every := range []int{0, 300} {
		w := newWorld(t)
		w.options.Blind = true
		w.pace.PutOffLimit = limit
		sessions := 0
		for reason := engine.Reason(""); reason != engine.Drained && sessions < 60; sessions++ {
			e := w.open(base + "/")
			asked := 0
			w.onLog = func(engine.Exchanged) {
				w.mu.Lock()
				defer w.mu.Unlock()
				if asked++; asked == every {
					e.Stop()
				}
			}
			var err error
			if reason, err = e.Run(t.Context(), t.Context()); err != nil {
				t.Fatal(err)
			}
			w.frontier.Close()
		}
		found := make(map[string]bool)
		for _, e := range w.log {
			if k := content(strings.TrimPrefix(e.URL, base)); k != "" && e.Status == http.StatusOK {
				found[k] = true
			}
		}
		t.Logf("stopped every %d: %d sessions, %d of %d pages, %d requests", every, sessions, len(found), want, len(w.log))
		if len(found) != want {
			t.Errorf("stopped every %d pages, it found %d of %d", every, len(found), want)
		}
		if beside := len(w.log) - len(found); beside > most {
			t.Errorf("stopped every %d pages, it made %d requests beside, want at most %d", every, beside, most)
		}
	}
}
