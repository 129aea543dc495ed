package crawl_test

import (
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/awarc/awarc/engine/crawl"
)

// ticking is a clock that advances by a day each time the watch waits, and does the script of that
// session.
type ticking struct {
	mu       sync.Mutex
	now      time.Time
	opened   bool
	sessions int // that have started
	script   map[int]func()
}

// tick serves the clock. The caller holds mu.
func (c *ticking) tick(w http.ResponseWriter) {
	if c.opened {
		c.now = c.now.Add(24 * time.Hour)
		c.sessions++
		if do := c.script[c.sessions]; do != nil {
			do()
		}
	}
	c.opened = true
	fmt.Fprintf(w, `{"unix": %d, "speed": 0}`, c.now.Unix())
}

// board is a small phpBB whose topics change.
type board struct {
	ticking
	topics map[int][]post
	gone   map[int]bool
	notice map[int]bool   // deleted topics that have a notice with status 200
	login  map[int]bool   // topics that redirect to a login page
	down   map[int]bool   // topics that the server fails to show
	outage bool           // of the whole site
	hits   map[string]int // answers with status 200, by path
	// fetched are these answers, each with its session.
	fetched []string
}

type post struct {
	id   int
	text string
	at   time.Time
}

func (b *board) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if r.URL.Path == "/clock" {
		b.tick(w)
		return
	}
	id := 0
	_, _ = fmt.Sscan(r.URL.Query().Get("t"), &id)
	page := ""
	switch {
	case b.outage:
		http.Error(w, "maintenance", http.StatusServiceUnavailable)
		return
	case r.URL.Path == "/ucp.php":
		page = `<form action="ucp.php?mode=login" method="post"><input name="username"><input type="password" name="password"></form>`
	case b.login[id]:
		http.Redirect(w, r, "/ucp.php?mode=login", http.StatusFound)
		return
	case b.down[id]:
		http.Error(w, "database error", http.StatusInternalServerError)
		return
	case b.notice[id]:
		page = `<div id="message" class="panel"><h2>Information</h2><p>The requested topic does not exist.</p></div>`
	case r.URL.Path == "/" || r.URL.Path == "/index.php":
		page = b.index()
	case r.URL.Path == "/viewforum.php":
		page = b.forum()
	case r.URL.Path == "/viewtopic.php" && b.topics[id] != nil && !b.gone[id]:
		page = b.topic(id)
	default:
		http.NotFound(w, r)
		return
	}
	tag := fmt.Sprintf("%q", fmt.Sprintf("%d-%d", len(page), sum(page)))
	w.Header().Set("ETag", tag)
	if r.Header.Get("If-None-Match") == tag {
		w.WriteHeader(http.StatusNotModified)
		return
	}
	b.hits[r.URL.RequestURI()]++
	b.fetched = append(b.fetched, fmt.Sprint(b.sessions, " ", r.URL.RequestURI()))
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	fmt.Fprintf(w, `<html><body id="phpbb" class="nojs %s"><a href="./index.php">Index</a>%s</body></html>`,
		map[bool]string{true: "section-viewtopic", false: "section-viewforum"}[id > 0], page)
}

func sum(s string) (n uint32) {
	for _, c := range s {
		n = 31*n + uint32(c)
	}
	return n
}

func (b *board) last() (at time.Time, posts int) {
	for id, list := range b.topics {
		if b.gone[id] {
			continue
		}
		posts += len(list)
		for _, p := range list {
			if p.at.After(at) {
				at = p.at
			}
		}
	}
	return at, posts
}

const stamp = "Mon Jan 02, 2006 15:04"

func (b *board) index() string {
	at, posts := b.last()
	return fmt.Sprintf(`<ul class="topiclist forums"><li class="row"><dl><dt><a class="forumtitle" href="./viewforum.php?f=1">Boats</a></dt>
<dd class="posts">%d</dd><dd class="lastpost"><span>%s</span></dd></dl></li></ul>`, posts, at.Format(stamp))
}

func (b *board) forum() string {
	var rows strings.Builder
	for id := 1; id <= 40; id++ {
		if list := b.topics[id]; list != nil && !b.gone[id] {
			fmt.Fprintf(&rows, `<li class="row"><dl><dt><a class="topictitle" href="./viewtopic.php?f=1&amp;t=%d">Topic %d</a></dt>
<dd class="posts">%d</dd><dd class="lastpost"><span>%s</span></dd></dl></li>`, id, id, len(list)-1, list[len(list)-1].at.Format(stamp))
		}
	}
	return `<h2 class="forum-title">Boats</h2><ul class="topiclist topics">` + rows.String() + `</ul>`
}

func (b *board) topic(id int) string {
	var posts strings.Builder
	for _, p := range b.topics[id] {
		fmt.Fprintf(&posts, `<div id="p%d" class="post"><div class="postbody"><h3><a href="#p%[1]d">Re</a></h3><p class="author">by
<strong><a class="username">ann</a></strong> » <time datetime="%s">x</time></p><div class="content">%s</div></div></div>`, p.id,
			p.at.Format(time.RFC3339), p.text)
	}
	return fmt.Sprintf(`<div id="page-body"><h2 class="topic-title">Topic %d</h2>%s</div>`, id, posts.String())
}

func (b *board) post(topic, id int, text string) {
	b.topics[topic] = append(b.topics[topic], post{id, text, b.now.Add(-time.Hour)})
}

// newBoard is a board with 30 topics of one post.
func newBoard() *board {
	start := time.Date(2020, 1, 1, 12, 0, 0, 0, time.UTC)
	b := &board{ticking: ticking{now: start}, topics: map[int][]post{}, gone: map[int]bool{}, notice: map[int]bool{}, login: map[int]bool{},
		down: map[int]bool{}, hits: map[string]int{}}
	for id := 1; id <= 30; id++ {
		text := fmt.Sprint("The first post of topic ", id, " says what it is about.")
		b.topics[id] = []post{{100 + id, text, start.AddDate(0, 0, -40+id)}}
	}
	return b
}

// TestWatchBoard: of a board that is watched for a month, new posts, a new topic, an edited post and a
// deleted topic are found, with far fewer requests than fetching each page in each session.
func TestWatchBoard(t *testing.T) {
	b := newBoard()
	start := b.now
	b.script = map[int]func(){
		5:  func() { b.post(7, 500, "A reply in topic seven, written on the fifth day.") },
		9:  func() { b.post(31, 600, "A new topic, opened on the ninth day.") },
		16: func() { b.gone[3] = true; b.topics[3][0].text += " It will be gone." },
		17: func() { b.notice[5], b.login[6], b.down[11] = true, true, true },
		18: func() { b.topics[9][0].text = "Edited: topic nine says something else now." },
		20: func() { b.outage = true },
		21: func() { b.outage = false },
		25: func() { b.post(8, 700, "A reply in topic eight, after the outage.") },
	}
	server := httptest.NewServer(b)
	defer server.Close()
	dir := filepath.Join(t.TempDir(), "crawl")
	c, err := crawl.New(dir, crawl.Options{Seeds: []string{server.URL + "/"},
		Politeness: crawl.Politeness{Contact: "me@example.org", Delay: crawl.None},
		Fetching:   crawl.Fetching{RetryDelay: time.Millisecond, Patience: time.Second}})
	run := func() {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		if _, err = c.Run(context.Background()); err == nil {
			err = c.Close()
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	run()
	t.Setenv(crawl.ClockVariable, server.URL+"/clock")
	watch := func(until int, o crawl.WatchOptions) {
		t.Helper()
		b.mu.Lock()
		b.opened = false
		b.mu.Unlock()
		c, err = crawl.Resume(dir, crawl.ResumeOptions{})
		if err == nil {
			o.Until = start.AddDate(0, 0, until)
			err = c.Watch(o)
		}
		run()
	}
	b.hits = map[string]int{}
	watch(13, crawl.WatchOptions{Budget: 40, Every: 24 * time.Hour})
	for address, want := range map[string]int{"/viewtopic.php?t=7": 1, "/viewtopic.php?t=31": 1, "/viewtopic.php?t=8": 0} {
		if got := b.hits[address]; got != want {
			t.Errorf("%s was fetched %d times with content, want %d: %v", address, got, want, b.hits)
		}
	}
	r := c.WatchReport()
	if r.Found != 1 || r.Sessions < 10 || r.Fetches > 120 {
		t.Errorf("%+v; want 1 new page, at least 10 sessions and at most 120 fetches, where all pages each day are 400", r)
	}
	if news := fmt.Sprint(r.Recent); !strings.Contains(news, "t=31 new") {
		t.Errorf("the last sessions do not name the new topic: %s", news)
	}
	watch(32, crawl.WatchOptions{Sweep: 10 * 24 * time.Hour})
	if b.hits["/viewtopic.php?t=8"] != 1 {
		t.Errorf("after an outage of the site, the topic with a new post was fetched %d times with content", b.hits["/viewtopic.php?t=8"])
	}
	if r = c.WatchReport(); r.Gone != 2 || r.Walled != 1 || r.Failing != 1 || b.hits["/viewtopic.php?t=9"] != 1 {
		t.Errorf("%d pages gone, %d behind a login, %d failing, the edited topic was fetched %d times; want 2, 1, 1 and 1: %+v",
			r.Gone, r.Walled, r.Failing, b.hits["/viewtopic.php?t=9"], r)
	}
	checkBoardArchive(t, dir)
	for address, want := range map[string]string{"/": "polled in each session", "/viewforum.php?f=1": "another list announces its own"} {
		u, err := url.Parse(server.URL + address)
		if err != nil {
			t.Fatal(err)
		}
		if x, err := crawl.Explain(t.Context(), dir, "", u); err != nil || !strings.Contains(fmt.Sprint(x.Why), want) {
			t.Errorf("%s: %v, %v; want %q", address, x.Why, err, want)
		}
	}
}

// checkBoardArchive checks that the records have dates of the watch's clock, and that the capture of
// the deleted topic stays in the index and its text in the graph.
func checkBoardArchive(t *testing.T, dir string) {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(dir, "archive", "index.cdxj"))
	if err != nil {
		t.Fatal(err)
	}
	index := string(data)
	for _, want := range []string{`viewtopic.php?t=7 202001`, `viewtopic.php?t=31 202001`} {
		if !strings.Contains(index, want) {
			t.Errorf("the index has no line %q:\n%s", want, index)
		}
	}
	var deleted []string
	for line := range strings.Lines(index) {
		if strings.Contains(line, "viewtopic.php?t=3 ") {
			deleted = append(deleted, line)
		}
	}
	all := strings.Join(deleted, "")
	if !strings.Contains(all, `"status":"200"`) && !strings.Contains(all, `"status": "200"`) || !strings.Contains(all, "404") {
		t.Errorf("the index has these captures of the deleted topic, want one with 200 and one with 404:\n%s", all)
	}
	files, _ := filepath.Glob(filepath.Join(dir, "graph", "*.nq.gz"))
	var graph strings.Builder
	for _, name := range files {
		f, err := os.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		z, err := gzip.NewReader(f)
		if err == nil {
			_, err = io.Copy(&graph, z)
		}
		if f.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if !strings.Contains(graph.String(), "The first post of topic 3 says what it is about.") {
		t.Error("the graph lost the text of the deleted topic")
	}
}
