package main

import (
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
)

// setText replaces the text of the editor.
func (b *browser) setText(text string) {
	b.t.Helper()
	b.do(chromedp.SetValue(chromedp.CSS("#text"), text))
	script[int](b, `document.getElementById("text").dispatchEvent(new Event("input", {bubbles: true})); 0`)
}

// The knowledge base is edited in the browser while a crawl runs: pages after it are read with what was saved.
func TestCockpitEditsWhileACrawlRuns(t *testing.T) {
	t.Parallel()
	site, err := newSite("phpbb", "", 3, 1000)
	if err != nil {
		t.Fatal(err)
	}
	g := newGate(site, 20)
	at := serve(t, g)
	p := startCockpit(t)
	b := openBrowser(t)
	b.open(p.base + "/new")
	b.fill("seeds", at+"/")
	b.fill("name", "board")
	b.fill("delay", "0")
	b.fill("min-space", "0")
	b.click("Start the crawl")
	b.until("#exchanges", "phpbb")
	b.open(p.base + "/crawls/board/kb/file?file=mine.xml")
	b.setText(siteType("mine", "body[@id='phpbb']"))
	b.until("#tried", "The file is valid.")
	b.click("Save")
	b.until(".saved", "Saved")
	b.open(p.base + "/crawls/board/")
	b.until(".notes", "mine")
	g.pass(20)
	b.until("#exchanges", "mine")
	b.click("Stop")
	g.open()
	b.until(".state", "stopped")
	report := readReport(t, filepath.Join(p.dir, "board"))
	if report.Types["phpbb"] == 0 || report.Types["mine"] == 0 {
		t.Errorf("pages by type: %v; want some of phpbb, before the edit, and some of mine, after it", report.Types)
	}
}

// What the schema allows is shown at the cursor and written by a click; without scripts it is shown for a line.
func TestCockpitSaysWhatTheSchemaAllows(t *testing.T) {
	t.Parallel()
	at := serve(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "<p>a page") }))
	p := startCockpit(t)
	p.crawled("one", at+"/")
	b := openBrowser(t)
	b.open(p.base + "/crawls/one/kb/file?file=mine.xml")
	b.setText("<kb><category id=\"forum\">\n</category></kb>")
	script[int](b, `const a = document.getElementById("text"); a.focus(); a.setSelectionRange(25, 25);
		a.dispatchEvent(new Event("keyup")); 0`)
	b.until("#allowed", "Inside category")
	b.click("type")
	b.until("#allowed", "Inside category")
	b.do(chromedp.SendKeys(chromedp.CSS("#text"), " "))
	b.until("#allowed", "In the tag of type")
	b.click("site")
	text := script[string](b, `document.getElementById("text").value`)
	if !strings.Contains(text, "<category id=\"forum\"><type site=\"\"\n") {
		t.Errorf("written: %s", text)
	}
	b.look("allowed")
	b.setText("<kb>\n</kb>")
	b.fill("line", "1")
	b.click("Try")
	b.until("#allowed", "Inside kb")
	b.until("#allowed", "service")
}

// Built-in files are tried with changes, which are not saved; their examples are run, and fail where they are to.
func TestCockpitRunsExamples(t *testing.T) {
	t.Parallel()
	at := serve(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "<p>a page") }))
	p := startCockpit(t)
	p.crawled("one", at+"/")
	b := openBrowser(t)
	b.open(p.base + "/crawls/one/kb/")
	b.click("fluxbb.xml")
	b.until("main", "built in")
	b.click("Run its examples")
	b.until("#examples", "passes")
	b.look("examples")
	if text := b.text("#examples"); strings.Contains(text, "fails") {
		t.Errorf("an example that is built in fails: %s", text)
	}
	text := script[string](b, `document.getElementById("text").value`)
	b.setText(strings.ReplaceAll(text, "objects=\"", "objects=\"9"))
	b.click("Run its examples")
	b.until("#examples", "fails")
	if saves := script[int](b, `document.querySelectorAll("button[value=save]").length`); saves != 0 {
		t.Error("a built-in file can be saved")
	}
}

// Two captures of a page are shown beside each other, with what changed in the text.
func TestCockpitComparesCaptures(t *testing.T) {
	t.Parallel()
	var again atomic.Bool
	at := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		text := "The lock is shut for the winter. Boats wait at the weir."
		if again.Load() {
			text = "The lock is open for the summer. Boats wait at the weir."
		}
		_, _ = io.WriteString(w, "<title>Lock</title><h1>News</h1><p>"+text+"</p>")
	}))
	p := startCockpit(t)
	dir := p.crawled("lock", at+"/")
	first := time.Now().Unix()
	until(t, "the next second, by which captures differ", func() bool { return time.Now().Unix() > first })
	again.Store(true)
	addCaptures(t, dir, p.crawled("later", at+"/"))
	b := openBrowser(t)
	b.open(p.base + "/crawls/lock/replay?url=" + url.QueryEscape(at+"/"))
	b.until("main", "As of")
	script[int](b, `document.getElementById("with").selectedIndex = 2; 0`) // the first is nothing
	b.click("Show")
	b.until("#diff", "lock")
	if gone, come := b.text("#diff del"), b.text("#diff ins"); !strings.Contains(gone, "shut") || !strings.Contains(come, "open") {
		t.Errorf("gone %q, come %q", gone, come)
	}
	if n := script[int](b, `document.querySelectorAll("iframe").length`); n != 2 {
		t.Errorf("%d frames", n)
	}
	b.look("captures")
}

// addCaptures adds the archive of a crawl to that of another.
func addCaptures(t *testing.T, to, from string) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(from, "archive", "*.warc.gz"))
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		if err := os.Link(file, filepath.Join(to, "archive", filepath.Base(file))); err != nil {
			t.Fatal(err)
		}
	}
	var lines []string
	for _, dir := range []string{to, from} {
		lines = append(lines, readLines(t, filepath.Join(dir, "archive", "index.cdxj"))...)
	}
	slices.Sort(lines)
	index := filepath.Join(to, "archive", "index.cdxj")
	if err := os.WriteFile(index, []byte(strings.Join(lines, "\n")+"\n"), 0o644); err != nil {
		t.Fatal(err)
	}
}
