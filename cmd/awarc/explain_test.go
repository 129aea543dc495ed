package main

import (
	"fmt"
	"io"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/awarc/awarc/engine"
	"github.com/awarc/awarc/engine/crawl"
	"github.com/awarc/awarc/frontier"
	"github.com/awarc/awarc/testsites"
)

// kindsOfURLs is a site with one URL of each kind that a crawl meets.
func kindsOfURLs() http.Handler {
	mux := http.NewServeMux()
	page := func(path, body string) {
		mux.HandleFunc("GET "+path, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/html")
			fmt.Fprintf(w, "<!DOCTYPE html><title>%s</title><link rel=stylesheet href=/style.css><body>%s", path, body)
		})
	}
	page("/{$}", `<a href="/moved">moved</a> <a href="/gone">gone</a> <a href="/secret/page">secret</a> <a href="/left/out">left out</a>
		<a href="/cut">cut</a><img src="/photo.png">`)
	page("/target", "<p>The target of a redirect.</p>")
	mux.Handle("GET /moved", http.RedirectHandler("/target", http.StatusMovedPermanently))
	mux.HandleFunc("GET /cut", func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) })
	mux.HandleFunc("GET /style.css", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/css")
		fmt.Fprint(w, "body { background: url(/paper.png) }")
	})
	return testsites.Robots(mux, "User-agent: *\nDisallow: /secret/\n")
}

// TestExplainNamesEachKind: explain names the outcome and the cause for each kind of URL.
func TestExplainNamesEachKind(t *testing.T) {
	t.Parallel()
	base := serve(t, kindsOfURLs())
	without, o := runCrawl(t, "--max-tries", "1", "--exclude", "/left/", base+"/")
	o.want(t, exitWithFaults)
	with, o := runCrawl(t, "--max-tries", "1", "--exclude", "/left/", "--requisites", base+"/")
	o.want(t, exitWithFaults)
	for _, c := range []struct{ dir, path, state, why string }{
		{without, "/style.css", "unknown", base +
			"/ embeds it, but the crawl has no --requisites"},
		{without, "/photo.png", "unknown", base + "/ embeds it"},
		{with, "/style.css", "fetched", "embedded in " + base + "/"},
		{with, "/paper.png", "fetched", "embedded in " + base + "/style.css"},
		{with, "/moved", "fetched", "status 301, redirects to /target"},
		{with, "/target", "fetched", "a redirect of " + base + "/moved"},
		{with, "/gone", "fetched", "status 404"},
		{with, "/secret/page", "excluded", "robots.txt"},
		{with, "/left/out", "unknown", "excluded by /left/"},
		{with, "/cut", "failed", "awarc resume --failed DIR retries it"},
		{with, "/never", "unknown", "never seen: no archived page links to it, redirects to it or embeds it"},
	} {
		x := explained(t, c.dir, base+c.path)
		if x.State != c.state || !strings.Contains(strings.Join(x.Why, "\n"), c.why) {
			t.Errorf("%s: %+v; want %s because of %q", c.path, x, c.state, c.why)
		}
	}
}

// TestExplainAgreesWithTheReport: over all URLs of crawls of mirrors, with pages, requisites, robots.txt
// and redirects, explain gives the outcome that the report counts.
func TestExplainAgreesWithTheReport(t *testing.T) {
	t.Parallel()
	for _, cms := range []struct{ name, template string }{{"phpbb", "prosilver"}, {"wordpress", "twentytwentyone"}} {
		site, err := testsites.New(cms.name, cms.template, testsites.Options{Seed: 3, Posts: 40})
		if err != nil {
			t.Fatal(err)
		}
		base := serve(t, testsites.Robots(site, "User-agent: *\nDisallow: /memberlist.php\nDisallow: /author/\n"))
		dir, o := runCrawl(t, "--requisites", "--max-tries", "1", "--limit", "60", base+"/")
		if o.status != exitDone && o.status != exitWithFaults && o.status != exitLimit {
			t.Fatal(o.err)
		}
		r, err := crawl.Read(dir, "")
		if err != nil {
			t.Fatal(err)
		}
		outcomes, entries := engine.NewOutcomes(), []frontier.Entry(nil)
		err = r.Each(func(e frontier.Entry) error {
			entries = append(entries, e)
			return nil
		})
		if err != nil || len(entries) == 0 {
			t.Fatalf("%d entries: %v", len(entries), err)
		}
		for _, e := range entries {
			u, err := engine.SeedURL(e.URL.URL)
			if err != nil {
				t.Fatal(err)
			}
			x, err := r.Explain(u)
			if err != nil || !x.Known {
				t.Errorf("%s %s, which the crawl knows: %+v, %v", e.State, e.URL.URL, x, err)
				continue
			}
			state := slices.IndexFunc(states, func(s frontier.State) bool { return s.String() == x.State })
			if e.Reason != "" && !slices.Contains(x.Why, e.Reason) {
				t.Errorf("%s: %q lacks the reason %q", e.URL.URL, x.Why, e.Reason)
			}
			outcomes.Add(frontier.Entry{URL: e.URL, State: states[state], Reason: e.Reason})
		}
		if err := r.Close(); err != nil {
			t.Fatal(err)
		}
		report := readReport(t, dir).Outcomes
		got := fmt.Sprint(outcomes.Archived, outcomes.ArchivedAsAnother, outcomes.Excluded, outcomes.Failed, outcomes.Deferred,
			outcomes.Waiting)
		want := fmt.Sprint(report.Archived, report.ArchivedAsAnother, report.Excluded, report.Failed, report.Deferred, report.Waiting)
		if got != want {
			t.Errorf("%s: explained as %s, reported as %s", cms.name, got, want)
		}
	}
}

var states = []frontier.State{frontier.Pending, frontier.Fetched, frontier.Failed, frontier.Excluded, frontier.Aliased, frontier.PutOff}

// TestExplainAsksASessionByItsFolder: the folder is enough to ask a session, without --api, for what its
// frontier knows and for links in what it has archived.
func TestExplainAsksASessionByItsFolder(t *testing.T) {
	t.Parallel()
	g := newGate(kindsOfURLs(), 2) // robots.txt and the seed
	base := serve(t, g)
	dir := filepath.Join(t.TempDir(), "crawl")
	done := make(chan outcome)
	go func() {
		done <- awarc(t, "", "crawl", "--delay", "0", "--retry-delay", "0", "--min-space", "0", "--max-tries", "1", "--out", dir, base+"/")
	}()
	<-g.held
	if x := explained(t, dir, base+"/gone"); x.State != "pending" {
		t.Errorf("a URL that waits: %+v", x)
	}
	if x := explained(t, dir, base+"/style.css"); !strings.Contains(strings.Join(x.Why, "\n"), "embeds it") {
		t.Errorf("a style sheet: %+v", x)
	}
	g.pass(-1)
	(<-done).want(t, exitWithFaults)
	if x := explained(t, dir, base+"/gone"); x.State != "fetched" {
		t.Errorf("afterwards: %+v", x)
	}
	if left, _ := filepath.Glob(filepath.Join(dir, runningFile)); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

// TestProgressNamesTheNextTry: a crawl that only waits to retry URLs shows until when, and no
// estimate; one that can request something shows none.
func TestProgressNamesTheNextTry(t *testing.T) {
	now := time.Now()
	failed := frontier.Queue{Pending: 2, Next: now.Add(time.Minute), Wait: frontier.WaitBackoff}
	refused := frontier.Queue{Pending: 1, Next: now.Add(50 * time.Second), Wait: frontier.WaitRefused}
	for name, c := range map[string]struct {
		stats  frontier.Stats
		queues []frontier.Queue
		want   time.Duration
	}{
		"all wait":       {frontier.Stats{Pending: 3}, []frontier.Queue{failed, refused}, 50 * time.Second},
		"one is polite":  {frontier.Stats{Pending: 3}, []frontier.Queue{failed, {Pending: 1, Wait: frontier.WaitPolite}}, 0},
		"one is leased":  {frontier.Stats{Pending: 3, Leased: 1}, []frontier.Queue{failed, refused}, 0},
		"one is unknown": {frontier.Stats{Pending: 4}, []frontier.Queue{failed, refused}, 0},
	} {
		if got := untilRetry(c.stats, c.queues, now); got != c.want {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
	p := newProgress(io.Discard)
	p.terminal = lineWidth
	p.exchanged(engine.Exchanged{URL: "https://example.org/", Status: 200})
	line := p.line(frontier.Stats{Pending: 3}, map[string]int64{"pages": 12345, "objects/sioc:Post": 99}, 6, 50*time.Second)
	if !strings.Contains(line, "3 left (failed, retry in 50s)") || strings.Contains(line, "or more") || len(line) >= lineWidth {
		t.Errorf("the line is %q", line)
	}
}

// TestProgressNamesTimeBytesAndFailures: the line of progress has what a user needs to tell a slow
// crawl from a failing one.
func TestProgressNamesTimeBytesAndFailures(t *testing.T) {
	p := newProgress(io.Discard)
	p.terminal = 200
	line := p.line(frontier.Stats{Failed: 7}, map[string]int64{"pages": 3, engine.CounterBytes: 12_300_000}, 0, 0)
	if !strings.Contains(line, "12.3 MB in 0s") || !strings.Contains(line, "7 failed") {
		t.Errorf("the line is %q", line)
	}
}

// TestProgressNamesRestsAndDownloads: the line of progress has the hosts that rest while others are
// requested, and how far a long download is.
func TestProgressNamesRestsAndDownloads(t *testing.T) {
	now := time.Now()
	p := newProgress(io.Discard)
	p.terminal = 200
	p.exchanged(engine.Exchanged{URL: "https://example.org/last", Status: 200})
	p.loading = []engine.Download{{URL: "https://example.org/film.mp4", Received: 12_300_000, Total: 700_000_000}}
	p.rests = resting([]frontier.Queue{{Next: now.Add(time.Minute), Wait: frontier.WaitRefused}, {Wait: frontier.WaitPolite},
		{Next: now.Add(50 * time.Second), Wait: frontier.WaitRefused}}, now)
	line := p.line(frontier.Stats{Pending: 3}, map[string]int64{"pages": 3}, 0, 0)
	if !strings.Contains(line, "2 hosts rest, 50s") || !strings.Contains(line, "12.3 of 700.0 MB, at /film.mp4") {
		t.Errorf("the line is %q", line)
	}
	if line = p.line(frontier.Stats{Pending: 3}, map[string]int64{"pages": 3}, 0, 50*time.Second); strings.Contains(line, "rest,") {
		t.Errorf("the line names the rest twice: %q", line)
	}
}
