package main

import (
	"encoding/json"
	"net/http"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/awarc/awarc/engine/crawl"
	"github.com/awarc/awarc/testsites"
)

// watchedSite is a board that changes, with a clock that moves on by a day when a watch waits.
type watchedSite struct {
	*gate
	site *testsites.Site

	mu      sync.Mutex
	now     time.Time
	waiting bool                   // the clock was read since the watch was started
	fetched map[string][]time.Time // pages of topics that were sent, by address
}

func (s *watchedSite) clock() time.Time {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.now
}

// start sets the clock on, as before another process or after a reboot.
func (s *watchedSite) start(after time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.now, s.waiting = s.now.Add(after), false
}

func (s *watchedSite) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path == "/_clock" {
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.waiting {
			s.now = s.now.Add(24 * time.Hour)
		}
		s.waiting = true
		_ = json.NewEncoder(w).Encode(map[string]int64{"unix": s.now.Unix(), "speed": 0}) // a killed client is gone
		return
	}
	if !s.enter(r.Context()) {
		return
	}
	if page, _, _ := strings.Cut(r.URL.RequestURI(), "&sid="); strings.HasPrefix(page, "/viewtopic.php?t=") {
		s.mu.Lock()
		s.fetched[page] = append(s.fetched[page], s.now)
		s.mu.Unlock()
	}
	s.site.ServeHTTP(w, r)
}

// TestKilledWatch kills a watch during sessions and continues it days later, as after a reboot. Each new post
// is archived all the same.
func TestKilledWatch(t *testing.T) {
	heavy(t)
	begin := time.Date(2012, 2, 1, 0, 0, 0, 0, time.UTC)
	s := &watchedSite{gate: newGate(nil, -1), now: begin, fetched: map[string][]time.Time{}}
	site, err := testsites.New("phpbb", "prosilver", testsites.Options{Seed: 1, Posts: 600, Clock: s.clock})
	if err != nil {
		t.Fatal(err)
	}
	s.site = site
	base := serve(t, s)
	t.Setenv(crawl.ClockVariable, base+"/_clock")
	dir := filepath.Join(t.TempDir(), "crawl")
	awarc(t, "", "crawl", "--delay", "0", "--min-space", "0", "--out", dir, base+"/").want(t, exitDone)
	clear(s.fetched)
	until := begin.AddDate(0, 0, 34)
	watch := []string{"watch", dir, "--budget", "30/day", "--every", "1d", "--until", until.Format(time.RFC3339)}
	const kills = 3
	for n := range kills {
		s.start(0)
		c := command(t, watch...)
		s.pass(30 + 5*n)
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		s.wait(t)
		if err := c.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		_ = c.Wait() // killed
		s.start(3 * 24 * time.Hour)
		s.open()
	}
	s.start(0)
	if now := s.clock(); !now.Before(until.AddDate(0, 0, -5)) {
		t.Fatalf("the last process starts only on %v", now)
	}
	awarc(t, "", watch...).want(t, exitDone)
	checkArchive(t, dir)
	s.check(t, site.Changes("", until.AddDate(0, 0, -2)), begin)
}

// check checks that each post was fetched after it appeared.
func (s *watchedSite) check(t *testing.T, changes []testsites.Change, begin time.Time) {
	t.Helper()
	posted := 0
	for _, c := range changes {
		if c.Time.Before(begin) || c.Kind != "posted" {
			continue
		}
		posted++
		if all := s.fetched[c.URL]; len(all) == 0 || all[len(all)-1].Before(c.Time) {
			t.Errorf("a post of %v on %s was not fetched: %v", c.Time, c.URL, all)
		}
	}
	if posted < 5 {
		t.Errorf("only %d posts", posted)
	}
}
