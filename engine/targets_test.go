package engine_test

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/awarc/awarc/engine"
	"github.com/awarc/awarc/testsites"
)

func TestKindsOfTargets(t *testing.T) {
	for _, spec := range []string{"application/pdf,text/csv", "image/*", ".csv, .XLS", "sioc:Post",
		"//table[@class='data, more']", "(//a)[1]"} {
		if _, err := engine.ParseTargets([]string{spec}); err != nil {
			t.Errorf("%s: %v", spec, err)
		}
	}
	for _, spec := range []string{"", "pdf", "application/", "*/pdf", "a,b", "//table[", ".", "sioc:Posst", "none:Post",
		"." + strings.Repeat("x", 1000)} {
		if _, err := engine.ParseTargets([]string{spec}); err == nil {
			t.Errorf("%q is accepted", spec)
		}
	}
}

// library is a site of 40 documents with a file each, and 400 pages of talk. Files are linked to without an extension.
func library(w http.ResponseWriter, r *http.Request) {
	var n int
	w.Header().Set("Content-Type", "text/html")
	switch at := r.URL.Path; {
	case at == "/":
		for i := range 40 {
			fmt.Fprintf(w, `<ul class="docs"><li><a href="/doc/%d">document %d</a></ul>`, i, i)
			for k := range 10 {
				fmt.Fprintf(w, `<p class="talk"><a href="/talk/%d">talk</a></p>`, 10*i+k)
			}
		}
	case scan(at, "/doc/%d", &n):
		fmt.Fprintf(w, `<h1>Document %d</h1><div class="file"><a href="/file/%d">download</a></div>`, n, n)
	case scan(at, "/file/%d", &n):
		w.Header().Set("Content-Type", "application/pdf")
		fmt.Fprintf(w, "%%PDF-1.4 file %d", n/2*2) // every other one is a copy
	case scan(at, "/talk/%d", &n):
		fmt.Fprintf(w, `<p>Talk number %d about nothing in particular</p>`, n)
	default:
		http.NotFound(w, r)
	}
}

func scan(path, format string, n *int) bool {
	_, err := fmt.Sscanf(path, format, n)
	return err == nil
}

// TestTargetsAreFoundFirstAndTheRestIsLeft: the 20 distinct files are found with few other requests, and most of the talk is left, counted
// and closed.
func TestTargetsAreFoundFirstAndTheRestIsLeft(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(library))
	defer server.Close()
	w := newWorld(t)
	var err error
	if w.options.Targets, err = engine.ParseTargets([]string{"application/pdf"}); err != nil {
		t.Fatal(err)
	}
	reason := w.crawl(server.URL + "/")
	if reason != engine.Drained {
		t.Errorf("the crawl ended by %q", reason)
	}
	files, last := 0, 0
	for i, e := range w.log {
		if e.MIME == "application/pdf" {
			files, last = files+1, i+1
		}
	}
	if files < 38 || last > 140 {
		t.Errorf("%d of 40 files were fetched, the last by request %d", files, last)
	}
	if len(w.log) > 300 {
		t.Errorf("%d of 482 requests were sent", len(w.log))
	}
	var report engine.Report
	report.FillTargets(w.frontier.Counters())
	if n := report.Targets["application/pdf"]; n != 20 {
		t.Errorf("%d distinct targets are counted, want 20", n)
	}
	if err := report.FillLeft(w.frontier); err != nil || report.LeftURLs() < 100 {
		t.Errorf("%d URLs are reported as left: %v", report.LeftURLs(), err)
	}
	if err := errors.Join(w.frontier.Reopen(), w.frontier.Close()); err != nil { // awarc resume --traps
		t.Fatal(err)
	}
	w.crawl(server.URL + "/")
	if len(w.log) < 482 {
		t.Errorf("when the URLs that were left are resumed, %d of 482 requests are sent", len(w.log))
	}
}

// TestCopiesOfTargetsDoNotCount: a board repeats its posts on pages of plain text, which its type
// does not know. The posts there are not further targets, and few of these pages are requested.
func TestCopiesOfTargetsDoNotCount(t *testing.T) {
	t.Parallel()
	board, err := testsites.New("vbulletin", "4.2", testsites.Options{Seed: 3, Posts: 60})
	if err != nil {
		t.Fatal(err)
	}
	base := serve(t, board)
	w := newWorld(t)
	if w.options.Targets, err = engine.ParseTargets([]string{"sioc:Post"}); err != nil {
		t.Fatal(err)
	}
	w.crawl(base + "/")
	posts := 0
	for o := range board.Objects(base) {
		if o.Class == "sioc:Post" {
			posts++
		}
	}
	if n := w.frontier.Counters()["targets/sioc:Post"]; n != int64(posts) || w.among(len(w.log), "/archive/") == 0 {
		t.Errorf("%d targets are counted of %d posts; %d pages of plain text", n, posts, w.among(len(w.log), "/archive/"))
	}
}

// TestRareTargetsAreFound: where one page in 60 is a target and all have the same link pattern, a crawl with few targets so far does not
// take a run of pages without one for the end.
func TestRareTargetsAreFound(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var n int
		w.Header().Set("Content-Type", "text/html")
		switch {
		case r.URL.Path == "/":
			for i := range 360 {
				fmt.Fprintf(w, `<p><a href="/doc/%d">document</a></p>`, i)
			}
		case scan(r.URL.Path, "/doc/%d", &n) && n%60 == 5:
			w.Header().Set("Content-Type", "application/pdf")
			fmt.Fprintf(w, "%%PDF-1.4 file %d", n)
		default:
			fmt.Fprintf(w, "<p>nothing to see at %s</p>", r.URL.Path)
		}
	}))
	defer server.Close()
	w := newWorld(t)
	var err error
	if w.options.Targets, err = engine.ParseTargets([]string{"application/pdf"}); err != nil {
		t.Fatal(err)
	}
	w.crawl(server.URL + "/")
	if n := w.frontier.Counters()["targets/application/pdf"]; n != 6 {
		t.Errorf("%d of 6 targets are found in %d requests", n, len(w.log))
	}
}

// gallery is a site of 30 pages with a picture each, and 200 pages of talk.
func gallery(w http.ResponseWriter, r *http.Request) {
	var n int
	w.Header().Set("Content-Type", "text/html")
	switch at := r.URL.Path; {
	case at == "/":
		for i := range 200 {
			fmt.Fprintf(w, `<p class="talk"><a href="/talk/%d">talk</a></p>`, i)
			if i < 30 {
				fmt.Fprintf(w, `<ul><li><a href="/shown/%d">more</a></ul>`, i)
			}
		}
	case scan(at, "/shown/%d", &n):
		fmt.Fprintf(w, `<h1>Number %d</h1><img src="/pictures/%[1]d.png"><link rel="stylesheet" href="/style.css">`, n)
	case scan(at, "/pictures/%d.png", &n):
		w.Header().Set("Content-Type", "image/png")
		fmt.Fprintf(w, "\x89PNG %d", n)
	case at == "/style.css":
		w.Header().Set("Content-Type", "text/css")
	default:
		fmt.Fprint(w, "<p>nothing</p>")
	}
}

// TestImagesCanBeTargets: the pictures inside pages are found, with few pages without one, and nothing else that pages embed is requested.
func TestImagesCanBeTargets(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(gallery))
	defer server.Close()
	w := newWorld(t)
	var err error
	if w.options.Targets, err = engine.ParseTargets([]string{"image/*"}); err != nil {
		t.Fatal(err)
	}
	w.crawl(server.URL + "/")
	if n := w.among(90, "/pictures/"); n != 30 {
		t.Errorf("%d of 30 pictures are among the first 90 requests", n)
	}
	if w.among(len(w.log), "/style.css") > 0 {
		t.Error("a style sheet was requested")
	}
}
