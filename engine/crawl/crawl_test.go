package crawl

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/awarc/awarc/engine"
	"github.com/awarc/awarc/engine/fetch"
	"github.com/awarc/awarc/testsites"
)

// serve serves a test site and returns its address.
func serve(t *testing.T, cms, template string, posts int) string {
	t.Helper()
	site, err := testsites.New(cms, template, testsites.Options{Seed: 9, Posts: posts})
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(site)
	t.Cleanup(server.Close)
	return server.URL + "/"
}

// crawled runs a crawl without waits to its end.
func crawled(t *testing.T, dir string, o Options) *engine.Report {
	t.Helper()
	o.Delay, o.MinSpace = None, None
	c, err := New(dir, o)
	if err != nil {
		t.Fatal(err)
	}
	status, err := c.Run(t.Context())
	if err := errors.Join(err, c.Close()); err != nil || status != Done {
		t.Fatalf("the crawl ended with status %d: %v", status, err)
	}
	return c.Report()
}

func exchanges(t *testing.T, dir string) (all []engine.Exchanged) {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(dir, "log", "crawl.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	for line := range bytes.Lines(data) {
		var e engine.Exchanged
		if err := json.Unmarshal(line, &e); err != nil {
			t.Fatal(err)
		}
		all = append(all, e)
	}
	return all
}

// get fetches a page as a crawl does.
func get(t *testing.T, address string) engine.Answer {
	t.Helper()
	c, err := fetch.New(fetch.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	x, err := c.Do(t.Context(), address, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	text, err := x.HTML()
	if err != nil {
		t.Fatal(err)
	}
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	return engine.Answer{URL: u, Status: x.Status, Header: x.Header, HTML: text.HTML, Charset: text.Charset, Captured: x.Start}
}

// A session that is stopped leaves a crawl that another one ends.
func TestStopAndResume(t *testing.T) {
	root := serve(t, "phpbb", "prosilver", 60)
	whole := crawled(t, filepath.Join(t.TempDir(), "whole"), Options{Seeds: []string{root}})
	dir := filepath.Join(t.TempDir(), "crawl")
	var c *Crawl
	var answers atomic.Int64
	c, err := New(dir, Options{Seeds: []string{root}, Politeness: Politeness{Delay: None}, Limits: Limits{MinSpace: None}, Events: Events{
		Exchanged: func(engine.Exchanged) {
			if answers.Add(1) == 5 {
				c.Stop()
			}
		},
	}})
	if err != nil {
		t.Fatal(err)
	}
	status, err := c.Run(t.Context())
	if err := errors.Join(err, c.Close()); err != nil || status != Interrupted {
		t.Fatalf("the stopped session ended with status %d: %v", status, err)
	}
	if r := c.Report(); r.Finished || r.Pages >= whole.Pages {
		t.Fatalf("finished %v after %d of %d pages", r.Finished, r.Pages, whole.Pages)
	}
	started := 0
	again, err := Resume(dir, ResumeOptions{Events: Events{Started: func() error { started++; return nil }}})
	if err != nil {
		t.Fatal(err)
	}
	status, err = again.Run(t.Context())
	if err := errors.Join(err, again.Close()); err != nil || status != Done || started != 1 {
		t.Fatalf("the resumed session, started %d times, ended with status %d: %v", started, status, err)
	}
	if r := again.Report(); !r.Finished || r.Pages != whole.Pages || fmt.Sprint(r.Objects) != fmt.Sprint(whole.Objects) {
		t.Errorf("%d pages and %v, undisturbed %d and %v", r.Pages, r.Objects, whole.Pages, whole.Objects)
	}
	checkActivities(t, dir, root)
}

// checkActivities: the graph tells of the crawl, its seed, its end, and its two sessions.
func checkActivities(t *testing.T, dir, root string) {
	t.Helper()
	values := map[string][]string{} // by property, of the crawl and of its sessions
	settings, err := ReadSettings(dir)
	if err != nil {
		t.Fatal(err)
	}
	err = eachStatement(filepath.Join(dir, activityFile), func(q statement) {
		property := q.predicate[strings.LastIndexAny(q.predicate, "#/")+1:]
		if q.subject == settings.CrawlID {
			property = "crawl " + property
		}
		values[property] = append(values[property], q.object)
	})
	if err != nil {
		t.Fatal(err)
	}
	counts := map[string]int{}
	for property, all := range values {
		counts[property] = len(all)
	}
	want := map[string]int{"crawl type": 1, "crawl startedAtTime": 1, "crawl endedAtTime": 1, "crawl seed": 1, "type": 4,
		"startedAtTime": 2, "endedAtTime": 2, "isPartOf": 2, "knowledgeBase": 2, "wasAssociatedWith": 2, "name": 2}
	if !maps.Equal(counts, want) || values["crawl seed"][0] != root || values["isPartOf"][1] != settings.CrawlID ||
		values["startedAtTime"][1] < values["endedAtTime"][0] || values["crawl endedAtTime"][0] != values["endedAtTime"][1] {
		t.Errorf("the graph says %v", values)
	}
}

// A session whose context ends, and one that a callback refuses, leave a crawl that can be resumed.
func TestSessionsThatEndAtOnce(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "crawl")
	refused := errors.New("not today")
	c, err := New(dir, Options{Seeds: []string{serve(t, "phpbb", "prosilver", 20)},
		Politeness: Politeness{Delay: None}, Limits: Limits{MinSpace: None},
		Events: Events{Started: func() error { return refused }}})
	if err != nil {
		t.Fatal(err)
	}
	if status, err := c.Run(t.Context()); status != Failed || !errors.Is(err, refused) {
		t.Errorf("status %d, error %v", status, err)
	}
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
	if c, err = Resume(dir, ResumeOptions{}); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if status, err := c.Run(ctx); status != Interrupted || err != nil {
		t.Errorf("status %d, error %v", status, err)
	}
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
}

func TestAllComplaintsTogether(t *testing.T) {
	full := t.TempDir()
	if err := os.WriteFile(filepath.Join(full, "x"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	_, err := New(full, Options{
		Workers: -1, Traps: Traps{TrapShare: 2}, Reach: Reach{Exclude: []string{"("}}, Knowledge: Knowledge{Type: "nosuch"},
		Fetching: Fetching{AllowPrivate: []string{"x"}, MaxTries: None},
	})
	var wrong *OptionsError
	if !errors.As(err, &wrong) {
		t.Fatalf("the error is %v", err)
	}
	lines := strings.Split(wrong.Text(func(field string) string { return "<" + field + ">" }), "\n")
	for _, begin := range []string{
		"<Workers> -1:", "<TrapShare> 2,", "<Limit> may not be negative, <MaxTries>", "<Type> \"nosuch\"", "<AllowPrivate> \"x\"",
		"no seed URL", "<Dir> " + full,
	} {
		if !slices.ContainsFunc(lines, func(l string) bool { return strings.HasPrefix(l, begin) }) {
			t.Errorf("no complaint begins with %s:\n%s", begin, strings.Join(lines, "\n"))
		}
	}
	if len(lines) != 8 {
		t.Errorf("%d complaints, want 8 with that about the expression:\n%s", len(lines), strings.Join(lines, "\n"))
	}
	if entries, _ := os.ReadDir(full); len(entries) != 1 {
		t.Errorf("the folder was changed: %v", entries)
	}
}

// What 0 stands for is written out in what is kept, and None is a 0 there.
func TestDefaultsAreKept(t *testing.T) {
	s, err := Check("", Options{Seeds: []string{"a.example", "http://a.example/", "http://u:p@b.example/"},
		Politeness: Politeness{Delay: None}, Reach: Reach{MaxHops: None}})
	if err != nil {
		t.Fatal(err)
	}
	if o := s.Flags; o.Workers != 8 || o.Delay != 0 || o.MaxHops != 0 || o.TrapLimit != 10_000 || o.WARCSize != 1<<30 {
		t.Errorf("%+v", o)
	}
	if got := strings.Join(s.Seeds, " "); got != "http://a.example/ http://b.example/" {
		t.Errorf("the seeds are %s", got)
	}
	if s, err = Check("", Options{Seeds: []string{"a.example"}}); err != nil || s.Flags.MaxHops != -1 || s.Flags.Delay.Seconds() != 1 {
		t.Errorf("%+v, %v", s.Flags, err)
	}
}
