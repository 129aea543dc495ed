package main

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/awarc/awarc/engine"
	"github.com/awarc/awarc/testsites"
)

// lockedBuffer is a buffer that one goroutine writes and another reads.
type lockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lockedBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lockedBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

// siteType is a knowledge base with one more type: the given one.
func siteType(id, pattern string) string {
	return `<kb xmlns="urn:awarc:kb:1"><category id="cms" rank="9"><type id="` + id + `"><detect><pattern>` + pattern +
		`</pattern></detect></type></category></kb>`
}

// TestReloadWhileCrawling edits the knowledge base of a running crawl: a wrong
// edit changes nothing, a right one is in force for the pages that follow.
func TestReloadWhileCrawling(t *testing.T) {
	t.Parallel()
	site, err := testsites.New("phpbb", "prosilver", testsites.Options{Seed: 3, Posts: 600})
	if err != nil {
		t.Fatal(err)
	}
	g := newGate(site, 6)
	base := serve(t, g)
	file := filepath.Join(t.TempDir(), "mine.xml")
	edit := func(text string) {
		t.Helper()
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	edit(siteType("mine", "body[@id='nobody']"))
	dir := filepath.Join(t.TempDir(), "crawl")
	var out, errs lockedBuffer
	ended := make(chan int)
	go func() {
		ended <- run(t.Context(), []string{"crawl", "--delay", "0", "--min-space", "0", "--kb", file, "--limit", "60", "--out", dir,
			base + "/"}, streams{nil, &out, &errs})
	}()
	g.wait(t)
	edit(siteType("mine", "body[@id='nobody'")) // a bracket is missing
	until(t, "the refusal", func() bool { return strings.Contains(errs.String(), file+":1:") })
	edit(siteType("mine", "body[@id='phpbb']"))
	until(t, "the reload", func() bool { return strings.Contains(errs.String(), "reloaded: changed mine") })
	g.open()
	<-ended
	report, err := engine.ReadReport(filepath.Join(dir, "report.json"))
	if err != nil {
		t.Fatal(err)
	}
	if report.Types["phpbb"] == 0 || report.Types["mine"] == 0 {
		t.Errorf("pages by type: %v; want some of phpbb, before the edit, and some of mine, after it\n%s", report.Types, errs.String())
	}
	if len(report.KB.Pages) != 2 || report.KB.Pages[report.KB.Hash] != report.Types["mine"] {
		t.Errorf("pages by knowledge base: %v, the last %s; want two, and the pages of mine with the last", report.KB.Pages, report.KB.Hash)
	}
}

// fixable describes a board; follow finds its threads, title their titles.
func fixable(follow, title string) string {
	return `<kb xmlns="urn:awarc:kb:1"><category id="forum"><type id="mine"><detect><pattern>meta[@content='Mine']</pattern></detect>
<level id="index" kind="intermediate"><detect><pattern>body[@class='list']</pattern></detect>
<follow to="topic">` + follow + `</follow></level>
<level id="topic" kind="terminal"><detect><pattern>body[@class='topic']</pattern></detect><object class="sioc:Thread" id="{url}">
<field name="title" required="yes">` + title + `</field></object></level></type></category></kb>`
}

// TestEditRecoversWhatWrongRulesMissed: pages that were read by wrong rules are read again from the archive once these are mended: links
// that they missed are followed, objects have what they lacked, and no page is asked for twice.
func TestEditRecoversWhatWrongRulesMissed(t *testing.T) {
	t.Parallel()
	mended := make(chan struct{})
	var asked sync.Map
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if _, again := asked.LoadOrStore(r.URL.Path, true); again {
			t.Errorf("%s was asked for twice", r.URL.Path)
		}
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		switch {
		case r.URL.Path == "/robots.txt":
			http.NotFound(w, r)
		case r.URL.Path == "/":
			io.WriteString(w, `<html><head><meta name=generator content=Mine><title>Board</title></head><body class=list>`)
			for i := range 12 {
				fmt.Fprintf(w, `<p class=row%d><a href="/t/%d">Thread %d</a></p>`, i/7, i, i)
			}
		default:
			if r.URL.Path == "/t/6" { // the last that the wrong rules find
				<-mended
			}
			fmt.Fprintf(w, `<html><head><meta name=generator content=Mine></head><body class=topic><h2>Title of %s</h2>`, r.URL.Path)
		}
	}))
	defer server.Close()
	file := filepath.Join(t.TempDir(), "mine.xml")
	write := func(text string) {
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Error(err)
		}
	}
	write(fixable("p[@class='row0']/a", "h1"))
	dir := filepath.Join(t.TempDir(), "crawl")
	var out, errs lockedBuffer
	ended := make(chan int)
	go func() {
		ended <- run(t.Context(), []string{"crawl", "--delay", "0", "--min-space", "0", "--kb", file, "--no-adapt",
			"--out", dir, server.URL + "/"}, streams{nil, &out, &errs})
	}()
	until(t, "the last thread that the wrong rules find", func() bool { _, is := asked.Load("/t/6"); return is })
	write(strings.Replace(fixable("p/a", "h2"), "<level", `<example page="gone.html" url="http://e.example/"/><level`, 1))
	until(t, "the examples of the edited type", func() bool { return strings.Contains(errs.String(), "the example gone.html: ") })
	until(t, "the pages that are read again", func() bool { return strings.Contains(errs.String(), "read again from the archive") })
	close(mended)
	if code := <-ended; code != 0 {
		t.Fatalf("exit %d\n%s", code, errs.String())
	}
	report, err := engine.ReadReport(filepath.Join(dir, "report.json"))
	if err != nil {
		t.Fatal(err)
	}
	if report.Objects["sioc:Thread"] != 12 {
		t.Errorf("%v; want 12 threads\n%s", report.Objects, errs.String())
	}
	if n := report.Missing["sioc:Thread.title"]; n != 0 {
		t.Errorf("%d titles are missing, as by the wrong rules", n)
	}
	titles := 0
	for _, lines := range graphLines(t, dir) {
		titles += strings.Count(strings.Join(lines, "\n"), `terms/title> "Title of /t/`)
	}
	if titles != 12 {
		t.Errorf("%d titles in the graph; want 12", titles)
	}
}
