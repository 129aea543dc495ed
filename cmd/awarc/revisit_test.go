package main

import (
	"fmt"
	"net/http"
	"path/filepath"
	"strings"
	"testing"

	"github.com/awarc/awarc/engine/archive"
	"github.com/awarc/awarc/engine/fetch"
)

// copies is a site of so many addresses at which there are three pages only, whose links are relative.
func copies(addresses int) (site http.Handler, body func(path string) string) {
	index := "<html><title>index</title>"
	for n := range addresses {
		index += fmt.Sprintf(`<p><a href="/%d/page.html">%d</a></p>`, n, n)
	}
	body = func(path string) string {
		var n int
		if _, err := fmt.Sscanf(path, "/%d/page.html", &n); err != nil {
			return index
		}
		kind := []string{"apples", "pears", "plums"}[n%3]
		return "<html><title>" + kind + "</title><p>" + strings.Repeat("A page about "+kind+". ", 80) + `<a href="../">up</a>`
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/robots.txt" {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Content-Type", "text/html")
		if strings.HasPrefix(r.URL.Path, "/1/") {
			w.(http.Flusher).Flush() // the answer is chunked
		}
		fmt.Fprint(w, body(r.URL.Path))
	}), body
}

// Exact copies are revisits of what was archived, in the crawl log, the report and for other readers; what is read of them is the page.
func TestCopiesAreArchivedAsRevisits(t *testing.T) {
	site, body := copies(12)
	base := serve(t, site)
	dir, o := runCrawl(t, base+"/")
	o.want(t, exitDone)
	checkArchive(t, dir)
	// The first page of each kind is whole, and one that came in other framing.
	if n, r := checkByGowarc(t, dir), readReport(t, dir); n != 8 || r.Revisits != 8 || r.Pages != 13 {
		t.Errorf("%d revisits and %d in the report, %d pages; want 8, 8, 13", n, r.Revisits, r.Pages)
	}
	a, err := archive.Open(dir, archive.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	for _, e := range readLog(t, dir) {
		if e.Status != 200 {
			continue
		}
		block, id, err := a.Response(e.File, e.Offset, 1<<20)
		if err != nil || id != e.Record {
			t.Fatalf("%s: %v", e.URL, err)
		}
		ex, err := fetch.Stored(e.URL, block, e.Time)
		if err != nil {
			t.Fatal(err)
		}
		got, err := ex.Body(0)
		if path := strings.TrimPrefix(e.URL, base); err != nil || string(got) != body(path) {
			t.Errorf("of %s, a revisit of %q, %d bytes are read, %v", e.URL, e.Revisit, len(got), err)
		}
	}

	dir, o = runCrawl(t, "--no-dedupe", base+"/")
	o.want(t, exitDone)
	if n := checkByGowarc(t, dir); n != 0 {
		t.Errorf("%d revisits that nobody wants", n)
	}
}

// However a crawl is killed, each revisit has its original, and later sessions still know what is archived.
func TestRevisitsOfAKilledCrawl(t *testing.T) {
	const addresses = 90
	site, _ := copies(addresses)
	g := newGate(site, -1)
	base := serve(t, g)
	dir := filepath.Join(t.TempDir(), "crawl")
	args := []string{"crawl", "--delay", "0", "--min-space", "0", "--warc-size", "12K", "--out", dir, base + "/"}
	for range 5 {
		if !g.kill(t, 12, args...) {
			t.Fatal("the crawl ended before it was killed")
		}
		args = []string{"resume", dir}
	}
	if out, err := command(t, args...).CombinedOutput(); err != nil {
		t.Fatalf("the last resume: %v\n%s", err, out)
	}
	checkArchive(t, dir)
	// Of each kind and framing one is whole, and what is in flight at a kill may be.
	if n := checkByGowarc(t, dir); n < addresses-4-5*workers {
		t.Errorf("%d revisits of %d copies", n, addresses-4)
	}
	if r := readReport(t, dir); r.Pages != addresses+1 || r.Queue.Pending > 0 || r.Queue.Failed > 0 {
		t.Errorf("%d pages, queue %+v", r.Pages, r.Queue)
	}
}
