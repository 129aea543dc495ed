package main

import (
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/awarc/awarc/testsites"
)

// clocked notes when each request came and when its answer ended.
type clocked struct {
	site http.Handler
	mu   sync.Mutex
	now  int
	most int
	ends time.Time
	gaps []time.Duration
	seen map[string]bool
	new  bool // the last one was the first of its host
}

func (c *clocked) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	c.mu.Lock()
	if c.now++; c.now > c.most {
		c.most = c.now
	}
	// That two names are one address is known once each was answered: its first request is kept from coming at the same time
	// as another, but there is no wait before it, nor before one that got its turn meanwhile.
	if c.seen[r.Host] && !c.new {
		c.gaps = append(c.gaps, time.Since(c.ends))
	}
	c.new = !c.seen[r.Host]
	c.seen[r.Host] = true
	c.mu.Unlock()
	answer := httptest.NewRecorder()
	c.site.ServeHTTP(answer, r)
	c.mu.Lock()
	c.now--
	c.ends = time.Now() // before the crawler can have read the last of it
	c.mu.Unlock()
	maps.Copy(w.Header(), answer.Header())
	w.WriteHeader(answer.Code)
	w.Write(answer.Body.Bytes())
}

// TestJobsArePoliteAcrossCrawls runs three crawls, two of one host and one of another name of
// its address, and judges them by the clock of the server.
func TestJobsArePoliteAcrossCrawls(t *testing.T) {
	t.Parallel()
	const wait = 20 * time.Millisecond
	site := board(t, 20)
	server := &clocked{site: testsites.Slow(site, time.Millisecond), seen: make(map[string]bool)}
	base := serve(t, server)
	other := strings.Replace(base, "127.0.0.1", "localhost", 1)
	dir := t.TempDir()
	var lines []string
	for i, seed := range []string{base, base, other} {
		lines = append(lines, fmt.Sprintf("--delay %v --min-space 0 --no-adapt --out '%s/crawl %d' %s/  # the %d", wait, dir, i, seed, i))
	}
	file := filepath.Join(dir, "jobs")
	if err := os.WriteFile(file, []byte("# three crawls\n\n"+strings.Join(lines, "\n")), 0o644); err != nil {
		t.Fatal(err)
	}
	o := awarc(t, "", "jobs", "--at-once", "2", file)
	if o.status != exitDone {
		t.Fatalf("status %d\n%s", o.status, o.err)
	}
	gaps := slices.Clone(server.gaps)
	alone, out := runCrawl(t, "--no-adapt", base+"/")
	if out.status != exitDone {
		t.Fatalf("status %d\n%s", out.status, out.err)
	}
	want := readReport(t, alone)
	for i := range 3 {
		r := readReport(t, filepath.Join(dir, fmt.Sprint("crawl ", i)))
		if !r.Finished || r.Pages != want.Pages || r.Objects["sioc:Post"] != want.Objects["sioc:Post"] {
			t.Errorf("crawl %d has %d pages and %v, alone it is %d and %v", i, r.Pages, r.Objects, want.Pages, want.Objects)
		}
	}
	if server.most != 1 {
		t.Errorf("%d requests at once to one address", server.most)
	}
	if asked := 3 * int(want.Requests); len(gaps) < asked-4 || slices.Min(gaps) < wait {
		t.Errorf("%d of %d requests waited; one came %v after the answer before it, want at least %v",
			len(gaps), asked, slices.Min(gaps), wait)
	}

	if o := awarc(t, "", "jobs", file); o.status != exitDone || strings.Count(o.err, "is already finished") != 3 {
		t.Errorf("again: status %d\n%s", o.status, o.err)
	}
}

func TestJobsThatCannotBe(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "jobs")
	good := "--out " + filepath.Join(dir, "good") + " http://127.0.0.1:1/"
	for line, want := range map[string]string{
		"":                                 "no crawl",
		"# nothing":                        "no crawl",
		"http://127.0.0.1:1/":              "--out is missing",
		good + "\n" + good:                 "jobs:2: --out",
		good + "\n--out x 'http://a":       "jobs:2: missing closing quote '",
		good + "\n--no-such --out x http:": "jobs:2: unknown flag --no-such",
		good + "\n--out " + dir + " http://127.0.0.1:1/":                            "is not empty",
		good + "\n--dry-run --out " + filepath.Join(dir, "x") + " http://127.0.0.1": "--dry-run works in awarc crawl only",
	} {
		if err := os.WriteFile(file, []byte(line), 0o644); err != nil {
			t.Fatal(err)
		}
		if o := awarc(t, "", "jobs", file); o.status != exitUsage || !strings.Contains(o.err, want) {
			t.Errorf("%q: status %d, want %q:\n%s", line, o.status, want, o.err)
		}
		if err := os.RemoveAll(filepath.Join(dir, "good")); err != nil {
			t.Fatal(err)
		}
	}
}
