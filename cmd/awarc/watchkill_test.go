package main

import (
	"encoding/json"
	"fmt"
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
	site http.Handler

	mu      sync.Mutex
	now     time.Time
	waiting bool                   // the clock was read since the watch was started
	last    time.Time              // the clock stops here, as if it held a request; zero for no stop
	fetched map[string][]time.Time // pages of topics that were sent, by address
}

func newWatchedSite(begin time.Time) *watchedSite {
	return &watchedSite{gate: newGate(nil, -1), now: begin, fetched: map[string][]time.Time{}}
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

// stop says where the clock stops, zero for nowhere.
func (s *watchedSite) stop(at time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.last = at
}

// sent are the pages that were sent since the last call.
func (s *watchedSite) sent() map[string][]time.Time {
	s.mu.Lock()
	defer s.mu.Unlock()
	all := s.fetched
	s.fetched = map[string][]time.Time{}
	return all
}

func (s *watchedSite) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path == "/_clock" {
		s.mu.Lock()
		defer s.mu.Unlock()
		switch {
		case s.waiting && s.now.Equal(s.last):
			select {
			case s.held <- struct{}{}:
			default:
			}
		case s.waiting:
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
	begin := time.Date(2012, 2, 1, 0, 0, 0, 0, time.UTC)
	s := newWatchedSite(begin)
	site, err := testsites.New("phpbb", "prosilver", testsites.Options{Seed: 1, Posts: 600, Clock: s.clock})
	if err != nil {
		t.Fatal(err)
	}
	s.site = site
	base := serve(t, s)
	t.Setenv(crawl.ClockVariable, base+"/_clock")
	dir := filepath.Join(t.TempDir(), "crawl")
	awarc(t, "", "crawl", "--delay", "0", "--min-space", "0", "--out", dir, base+"/").want(t, exitDone)
	s.sent()
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

// TestKilledBehind: two topics lose a post, which their list shows by a number. The budget allows one
// of them, the watch is killed before the next session, and fetches the other one when it goes on.
func TestKilledBehind(t *testing.T) {
	begin := time.Date(2020, 1, 1, 12, 0, 0, 0, time.UTC)
	s := newWatchedSite(begin)
	second := begin.AddDate(0, 0, 2)
	s.site = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { countedBoard(w, r, !s.clock().Before(second)) })
	base := serve(t, s)
	t.Setenv(crawl.ClockVariable, base+"/_clock")
	dir := filepath.Join(t.TempDir(), "crawl")
	awarc(t, "", "crawl", "--delay", "0", "--min-space", "0", "--out", dir, base+"/").want(t, exitDone)
	s.sent()
	watch := []string{"watch", dir, "--budget", "2/day", "--every", "1d", "--until", begin.AddDate(0, 0, 4).Format(time.RFC3339)}
	s.start(0)
	s.stop(second)
	c := command(t, watch...)
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	s.wait(t)
	if err := c.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = c.Wait() // killed
	all := s.sent()
	if len(all) != 1 {
		t.Fatalf("before the kill, these pages were fetched: %v", all)
	}
	s.stop(time.Time{})
	s.start(0)
	awarc(t, "", watch...).want(t, exitDone)
	later := s.sent()
	for _, page := range []string{"/viewtopic.php?t=2", "/viewtopic.php?t=3"} {
		if n := len(all[page]) + len(later[page]); n != 1 {
			t.Errorf("%s was fetched %d times, want once: %v, %v", page, n, all, later)
		}
	}
}

// countedBoard serves a list of four topics with numbers of replies, and the topics. Two of them lost a post.
func countedBoard(w http.ResponseWriter, r *http.Request, lost bool) {
	posts := func(topic int) int {
		if lost && (topic == 2 || topic == 3) {
			return 4
		}
		return 5
	}
	topic := 0
	_, _ = fmt.Sscan(r.URL.Query().Get("t"), &topic)
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	switch {
	case topic > 0:
		fmt.Fprintf(w, `<body id="phpbb" class="section-viewtopic"><div id="page-body"><h2 class="topic-title">Topic %d</h2>`, topic)
		for id := range posts(topic) {
			fmt.Fprintf(w, `<div id="p%d" class="post"><div class="postbody"><p class="author">by <a class="username">ann</a> »
<time datetime="2019-02-03T04:05:06Z">x</time></p><div class="content">Post %[1]d is about boats.</div></div></div>`, 10*topic+id)
		}
	case r.URL.Path == "/":
		fmt.Fprint(w, `<body id="phpbb" class="section-viewforum"><h2 class="forum-title">Boats</h2><ul class="topiclist topics">`)
		for id := 1; id <= 4; id++ {
			fmt.Fprintf(w, `<li class="row"><dl><dt><a class="topictitle" href="./viewtopic.php?t=%d">Topic %[1]d</a></dt>
<dd class="posts">%d</dd></dl></li>`, id, posts(id)-1)
		}
	default:
		http.NotFound(w, r)
	}
}

// check checks that each post was fetched after it appeared.
func (s *watchedSite) check(t *testing.T, changes []testsites.Change, begin time.Time) {
	t.Helper()
	posted, sent := 0, s.sent()
	for _, c := range changes {
		if c.Time.Before(begin) || c.Kind != "posted" {
			continue
		}
		posted++
		if all := sent[c.URL]; len(all) == 0 || all[len(all)-1].Before(c.Time) {
			t.Errorf("a post of %v on %s was not fetched: %v", c.Time, c.URL, all)
		}
	}
	if posted < 5 {
		t.Errorf("only %d posts", posted)
	}
}
