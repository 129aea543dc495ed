package main

import (
	"bytes"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

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
	site, err := testsites.New("phpbb", "prosilver", testsites.Options{Seed: 3, Posts: 3000})
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(slowly(site, 20*time.Millisecond))
	defer server.Close()
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
		ended <- run(t.Context(), []string{"crawl", "--delay", "0", "--min-space", "0", "--kb", file, "--limit", "400", "--out", dir,
			server.URL + "/"}, streams{nil, &out, &errs})
	}()
	until(t, "some pages", func() bool { return site.Requests().Total > 5 })
	edit(siteType("mine", "body[@id='nobody'")) // a bracket is missing
	until(t, "the refusal", func() bool { return strings.Contains(errs.String(), file+":1:") })
	edit(siteType("mine", "body[@id='phpbb']"))
	until(t, "the reload", func() bool { return strings.Contains(errs.String(), "reloaded: changed mine") })
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
