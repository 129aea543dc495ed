package crawl_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/awarc/awarc/engine/crawl"
)

// fedSite is a blog of Ghost, or a site of unknown software: a home page with notes that change, a feed of
// them, and feeds of the comments of each.
type fedSite struct {
	ticking
	feed       string // media type
	ghost      bool
	times      bool // entries have the times of their changes
	requisites bool // the crawl fetches requisites
	notes      map[int]string
	changed    map[int]time.Time
	hits       map[string]int
}

func (s *fedSite) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if r.URL.Path == "/clock" {
		s.tick(w)
		return
	}
	s.hits[r.URL.Path]++
	id := 0
	_, _ = fmt.Sscanf(r.URL.Path, "/notes/%d", &id)
	switch text := s.notes[id]; {
	case r.URL.Path == "/":
		fmt.Fprintf(w, s.head("home")+"<h1>Notes</h1><ul>", s.feed, "/news")
		for id := 1; id <= 12; id++ { // newer ones are on other pages
			fmt.Fprintf(w, `<li class="post-card"><h2><a href="/notes/%d">Note %[1]d</a></h2></li>`, id)
		}
	case r.URL.Path == "/news":
		w.Header().Set("Content-Type", s.feed)
		fmt.Fprint(w, s.news())
	case text != "" && strings.HasSuffix(r.URL.Path, fmt.Sprint("/", id)):
		fmt.Fprintf(w, s.head("post")+"<article><h1>Note %d</h1><div class='gh-content'><p>%s</p></div></article>", s.feed,
			r.URL.Path+"/feed", id, text)
	default:
		http.NotFound(w, r)
	}
}

func (s *fedSite) head(level string) string {
	head := `<html><head><link rel="alternate" type="%s" href="%s">`
	if s.ghost {
		head += `<meta name="generator" content="Ghost 5.2">`
	}
	return head + fmt.Sprintf("</head><body class='%s-template'>", level)
}

func (s *fedSite) news() string {
	var list []string
	form, of := `{"url": "/notes/%d", "date_modified": "%s"}`, `{"version": "https://jsonfeed.org/version/1.1", "items": [%s]}`
	separator := ","
	if s.feed != "application/feed+json" {
		form, of, separator = "<entry><link href='/notes/%d'/><updated>%s</updated></entry>", "<feed>%s</feed>", ""
	}
	for id := 1; s.notes[id] != ""; id++ {
		at := ""
		if s.times {
			at = s.changed[id].Format(time.RFC3339)
		}
		list = append(list, fmt.Sprintf(form, id, at))
	}
	return fmt.Sprintf(of, strings.Join(list, separator))
}

func (s *fedSite) write(id int, text string) {
	s.notes[id], s.changed[id] = text, s.now.Add(-time.Hour)
}

// TestWatchFeed: the feed that a home page links to reports new and changed pages. It is requested in each
// session, also if the crawl fetched it as a requisite; feeds of single pages of known software are not.
func TestWatchFeed(t *testing.T) {
	for _, c := range []*fedSite{
		{feed: "application/atom+xml", ghost: true, times: true}, {feed: "application/rss+xml", ghost: true},
		{feed: "application/feed+json", ghost: true, times: true, requisites: true}, {feed: "application/atom+xml", times: true},
	} {
		t.Run(fmt.Sprint(c.feed, c.ghost, c.times, c.requisites), func(t *testing.T) { c.watch(t) })
	}
}

func (s *fedSite) watch(t *testing.T) {
	start := time.Date(2020, 1, 1, 12, 0, 0, 0, time.UTC)
	s.now, s.notes, s.changed, s.hits = start, map[int]string{}, map[int]time.Time{}, map[string]int{}
	for id := 1; id <= 12; id++ {
		s.notes[id], s.changed[id] = fmt.Sprintf("The text of note %d is about sails, ropes and harbours.", id), start.AddDate(0, -id, 0)
	}
	s.script = map[int]func(){
		5: func() { s.write(7, "Another text, about knots and the boats that need them, is in note 7 now.") },
		8: func() { s.write(13, "A new note about the tides of the northern harbour.") },
	}
	server := httptest.NewServer(s)
	defer server.Close()
	dir := filepath.Join(t.TempDir(), "crawl")
	c, err := crawl.New(dir, crawl.Options{Seeds: []string{server.URL + "/"}, Reach: crawl.Reach{Requisites: s.requisites},
		Politeness: crawl.Politeness{Contact: "me@example.org", Delay: crawl.None}})
	runSession(t, c, err)
	t.Setenv(crawl.ClockVariable, server.URL+"/clock")
	clear(s.hits)
	c, err = crawl.Resume(dir, crawl.ResumeOptions{})
	if err == nil {
		err = c.Watch(crawl.WatchOptions{Budget: 4, Every: 24 * time.Hour, Until: start.AddDate(0, 0, 11)})
	}
	runSession(t, c, err)
	if n := s.hits["/news"]; n < 9 || s.ghost && s.hits["/notes/7/feed"] > 0 {
		t.Errorf("the feed was requested %d times in 10 sessions, the feed of a page %d times; want at least 9 and 0: %v",
			n, s.hits["/notes/7/feed"], s.hits)
	}
	if s.times && s.hits["/notes/7"] != 1 || s.hits["/notes/13"] == 0 {
		t.Errorf("the changed page was requested %d times, the new one %d times; want once each: %v", s.hits["/notes/7"],
			s.hits["/notes/13"], s.hits)
	}
}

// runSession runs a session that could be opened, and closes it.
func runSession(t *testing.T, c *crawl.Crawl, err error) {
	t.Helper()
	if err == nil {
		_, err = c.Run(context.Background())
	}
	if err == nil {
		err = c.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
}
