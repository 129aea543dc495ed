package main

import (
	"context"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"github.com/awarc/awarc/engine/adapt"
	"github.com/awarc/awarc/engine/quads"
	"github.com/awarc/awarc/kb"
)

// fetched gets a file of the cockpit.
func (p *cockpitProcess) fetched(path string) string {
	p.t.Helper()
	answer, err := http.Get(p.base + path)
	if err != nil {
		p.t.Fatal(err)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil || answer.StatusCode != http.StatusOK {
		p.t.Fatalf("%s: %s %v\n%.500s", path, answer.Status, err, text)
	}
	return string(text)
}

// crawled makes a crawl in the folder of a cockpit.
func (p *cockpitProcess) crawled(name string, args ...string) (dir string) {
	p.t.Helper()
	dir = filepath.Join(p.dir, name)
	o := awarc(p.t, "", append([]string{"crawl", "--delay", "0", "--min-space", "0", "--out", dir}, args...)...)
	o.want(p.t, exitDone, "")
	return dir
}

// What was extracted is found, read and downloaded; a page is replayed.
func TestCockpitShowsResults(t *testing.T) {
	t.Parallel()
	site, err := newSite("phpbb", "", 3, 200)
	if err != nil {
		t.Fatal(err)
	}
	at := serve(t, site)
	p := startCockpit(t)
	dir := p.crawled("board", "--requisites", "--exclude", "^https://", at+"/")
	report := readReport(t, dir)
	b := openBrowser(t)
	b.open(p.base + "/crawls/board/results?class=sioc:Thread")
	b.until("main", fmt.Sprintf("%d found", report.Objects["sioc:Thread"]))
	b.look("results")
	b.do(chromedp.Click(chromedp.CSS("article h3 a")))
	b.until("article h3", "1. ")
	b.look("thread")
	b.open(p.base + "/crawls/board/results?class=sioc:Post&sort=date")
	b.until("main", fmt.Sprintf("%d found", report.Objects["sioc:Post"]))

	b.do(chromedp.Click(chromedp.CSS("article a[href*=creator]")))
	b.until("figcaption", "Dates of the results")
	b.look("person")

	rows, err := csv.NewReader(strings.NewReader(p.fetched("/crawls/board/download.csv?class=sioc:Post"))).ReadAll()
	if err != nil || len(rows) != int(report.Objects["sioc:Post"])+1 {
		t.Errorf("%d rows of CSV for %d posts: %v", len(rows), report.Objects["sioc:Post"], err)
	}
	if n := strings.Count(p.fetched("/crawls/board/download.jsonl?class=sioc:Post"), "\n"); n != len(rows)-1 {
		t.Errorf("%d lines of JSON", n)
	}
	file := filepath.Join(t.TempDir(), "board.wacz")
	if err := os.WriteFile(file, []byte(p.fetched("/crawls/board/download.wacz")), 0o644); err != nil {
		t.Fatal(err)
	}
	if files := openPacked(t, file); files["indexes/index.cdx.gz"] == nil {
		t.Error("the WACZ file has no index")
	}
	b.open(p.base + "/crawls/board/report")
	b.until("body", "sioc:Post")

	topic := exchangesOf(t, dir, "topic")[0].URL
	b.open(p.base + "/crawls/board/replay?url=" + url.QueryEscape(topic))
	b.until("main", "without its scripts")
	frame := script[string](b, "document.querySelector('iframe').src")
	b.look("replay")
	b.open(frame)
	b.until("body", "Post")
	if origin := script[string](b, "self.origin"); origin != "null" {
		t.Errorf("what is archived has the origin %s", origin)
	}
	if sheets := script[int](b, "document.styleSheets.length"); sheets == 0 {
		t.Error("it is shown without its styles")
	}
}

// What was learned is looked at on a page and rejected; the knowledge base is edited, tried on a page and saved.
func TestCockpitEditsWhatIsKnown(t *testing.T) {
	t.Parallel()
	_, at := themed(t, 400)
	p := startCockpit(t)
	dir := p.crawled("board", at+"/")
	b := openBrowser(t)
	b.open(p.base + "/crawls/board/adaptation")
	b.until(".entry .state", "learned")
	b.do(chromedp.Click(chromedp.CSS(".entry form.line a")))
	b.until(".entry h4", "New")
	b.look("adaptation")
	b.compareMarks()
	id := script[string](b, "document.querySelector('.entry:has(iframe)').id")
	b.do(chromedp.Click(`//article[@id="` + id + `"]//button[.="Reject"]`))
	b.until(".entry .state", "rejected")
	store := kb.Store{Under: kb.Builtin(), Learned: filepath.Join(dir, "kb", "learned")}
	base, err := store.Load()
	if err != nil || !slices.ContainsFunc(base.Entries, func(e kb.Entry) bool { return e.ID() == id && e.Rejected }) {
		t.Errorf("%s is not rejected: %v", id, err)
	}

	b.click("Knowledge base")
	b.until("main", "phpBB")
	b.look("kb")
	b.click("phpBB")
	b.until("main", "Level topic")
	b.look("kbtype")
	b.open(p.base + "/crawls/board/results?class=sioc:Post")
	b.until("main", " found") // there is an index
	var post quads.Row
	first, _, _ := strings.Cut(p.fetched("/crawls/board/download.jsonl?class=sioc:Post"), "\n")
	if err := json.Unmarshal([]byte(first), &post); err != nil || post.Page == "" || len(post.Creator) == 0 {
		t.Fatalf("%v: %s", err, first)
	}
	topic := post.Page
	b.open(p.base + "/crawls/board/kb/")
	b.fill("file", "mine.xml")
	b.click("Create")
	b.until("#tried", "The file is valid.")
	script[int](b, `const a = document.getElementById("text"); a.value = a.value.replace("</detect>", "<patern/></detect>");
		a.dispatchEvent(new Event("input", {bubbles: true})); 0`)
	b.until("#tried .problems", "patern")
	b.fill("url", topic)
	script[int](b, `document.getElementById("text").value = document.getElementById("text").value.replace("<patern/>", "");
		document.getElementById("text").dispatchEvent(new Event("input", {bubbles: true})); 0`)
	b.until("#tried", "It is phpbb")
	b.until("#tried", "sioc:Post")
	b.look("kbfile")
	b.click("Save")
	b.until(".saved", "Saved")
	file := filepath.Join(dir, "kb", "learned", "mine.xml")
	saved, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, append(saved, "<!-- of an editor -->\n"...), 0o644); err != nil {
		t.Fatal(err)
	}
	b.quiet.Store(true) // a conflict is told in the console, too
	b.click("Save")
	b.until(".conflict", "of an editor")
	if now, _ := os.ReadFile(file); !strings.Contains(string(now), "of an editor") {
		t.Error("what an editor on disk saved was overwritten")
	}

	b.open(p.base + "/crawls/board/point?url=" + url.QueryEscape(topic))
	b.until("main", "Value that the page shows")
	b.fill("value", post.Creator[0])
	b.fill("field", "creator")
	b.click("Propose")
	b.until("main", "compared with")
	b.until("tbody", "//")
	b.look("point")
	b.clickInFrame("place=")
	b.until("main", "compared with")
}

// compareMarks holds the two pages of an entry beside each other: what the new expression selects is on the second alone.
func (b *browser) compareMarks() {
	b.t.Helper()
	frames := script[[]string](b, "[...document.querySelectorAll('.entry iframe')].map(f => f.src)")
	if len(frames) != 2 {
		b.t.Fatalf("%d frames beside each other", len(frames))
	}
	beside := script[bool](b, `(([a, b]) => a.x < b.x && Math.abs(a.y - b.y) < 5)(
		[...document.querySelectorAll(".entry iframe")].map(f => f.getBoundingClientRect()))`)
	if !beside {
		b.t.Error("the pages are not beside each other")
	}
	for i, class := range []string{"awarc-old", "awarc-new"} {
		answer, err := http.Get(frames[i])
		if err != nil {
			b.t.Fatal(err)
		}
		text, err := io.ReadAll(answer.Body)
		if err = errors.Join(err, answer.Body.Close()); err != nil {
			b.t.Fatal(err)
		}
		if n := strings.Count(string(text), class+`"`); (n > 0) != (class == "awarc-new") { // the theme has nothing of the old one
			b.t.Errorf("%d elements of class %s in frame %d", n, class, i)
		}
	}
}

// What could not be adapted is shown by cause, with pages and the way to the action.
func TestCockpitSaysWhatCouldNotBeAdapted(t *testing.T) {
	t.Parallel()
	_, at := themed(t, 150)
	p := startCockpit(t)
	dir := p.crawled("board", "--scope-type", "page", at+"/viewtopic.php?t=1", at+"/viewforum.php?f=1")
	left := readReport(t, dir).Adaptation.Left
	if left[string(adapt.FewPages)] == 0 {
		t.Errorf("the report counts %v", left)
	}
	b := openBrowser(t)
	b.open(p.base + "/crawls/board/adaptation")
	b.until(".cause h3", "Too few pages")
	b.look("causes")
	action := b.text(".cause tbody th code")
	b.click("Edit the action")
	b.until("#tried", "The file is valid.")
	line := script[string](b, `(t => t.value.slice(t.selectionStart, t.selectionEnd))(document.getElementById("text"))`)
	if !strings.Contains(line, "<") || !strings.Contains(b.text("#tried"), "phpbb") {
		t.Errorf("%s leads to the line %q, tried: %s", action, line, b.text("#tried"))
	}
}

// clickInFrame clicks at texts of the page in a frame until the window is at an address that holds a text.
func (b *browser) clickInFrame(in string) {
	b.t.Helper()
	frame := script[[]float64](b, `(f => { f.scrollIntoView(); const r = f.getBoundingClientRect(); return [r.x, r.y, r.width] })(
		document.querySelector("iframe"))`)
	y := 0
	until(b.t, "a click in the frame to lead to "+in, func() bool {
		b.do(chromedp.MouseClickXY(frame[0]+frame[2]/6, frame[1]+10+float64(y)))
		y = (y + 10) % 390
		ctx, late := context.WithTimeout(b.ctx, 5*time.Second) // a page that is being left gives no answer
		defer late()
		at, _ := chromedp.Run(ctx, chromedp.Evaluate[string]("location.href"))
		return strings.Contains(at, in)
	})
}

// hostilePage tries to run, in all ways that pages have, and to leave.
const hostilePage = `<!DOCTYPE html><title>quiet</title><base href="https://evil.example/"><link rel=stylesheet href="HOST/s.css">
<meta http-equiv=refresh content="0;url=HOST/left"><p id=here>hostile content</p>
<script>document.title='ran';new Image().src='HOST/leak?1';top.location='HOST/left'</script><img src=x onerror="document.title='ran'">
<svg onload="document.title='ran'"><script>document.title='ran'</script></svg><iframe srcdoc="<script>top.document.title='ran'</script>">
</iframe><iframe src="javascript:top.document.title='ran'"></iframe><object data="HOST/leak?2"></object>
<form action="HOST/leak?3"><button>b</button></form><a href="javascript:document.title='ran'">a</a>
<style>body{background:url(HOST/leak?4)}</style><body onload="document.title='ran'">`

// An archived page can neither run in the cockpit nor ask anybody.
func TestCockpitHoldsHostileCaptures(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	var asked []string
	over := false
	at := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		if over {
			asked = append(asked, r.URL.String())
		}
		switch r.URL.Path {
		case "/":
			w.Header().Set("Content-Type", "text/html")
			_, _ = io.WriteString(w, strings.ReplaceAll(hostilePage, "HOST", "http://"+r.Host)+`<a href=http://`+r.Host+`/p.svg>x</a>`)
		case "/p.svg":
			w.Header().Set("Content-Type", "image/svg+xml")
			_, _ = io.WriteString(w, `<svg xmlns="http://www.w3.org/2000/svg"><script>document.documentElement.id='ran'</script></svg>`)
		default:
			http.NotFound(w, r)
		}
	}))
	p := startCockpit(t)
	p.crawled("bad", at+"/", "--seed-file", seedFile(t, at+"/p.svg"))
	mu.Lock()
	over = true
	mu.Unlock()
	b := openBrowser(t)
	b.quiet.Store(true) // the policy says what it refuses
	b.open(p.base + "/crawls/bad/replay?url=" + url.QueryEscape(at+"/"))
	b.until("main", "without its scripts")
	frame := script[string](b, "document.querySelector('iframe').src")
	b.look("hostile")
	if title := script[string](b, "document.title"); !strings.Contains(title, "Replay") {
		t.Errorf("it changed the page around it: %s", title)
	}
	b.open(frame)
	b.until("#here", "hostile content")
	if title := script[string](b, "document.title+self.origin"); title != "quietnull" {
		t.Errorf("title and origin %q", title)
	}
	b.open(regexp.MustCompile(`[^/]*$`).ReplaceAllString(frame, "") + url.PathEscape(at+"/p.svg"))
	if id := script[string](b, "document.documentElement.id+self.origin"); id != "null" {
		t.Errorf("a picture ran: %q", id)
	}
	mu.Lock()
	defer mu.Unlock()
	if len(asked) > 0 {
		t.Errorf("the browser asked the site: %v", asked)
	}
	if answer, err := http.Get(strings.Replace(frame, "/replay/", "/replay/x", 1)); err != nil || answer.StatusCode != http.StatusNotFound {
		t.Errorf("without the key: %v, %v", answer, err)
	}
}

// seedFile is a file of seeds.
func seedFile(t *testing.T, seeds string) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "seeds.txt")
	if err := os.WriteFile(name, []byte(seeds+"\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	return name
}

// A crawl with an API serves the pages of itself, and begins no other.
func TestCrawlServesItsPages(t *testing.T) {
	t.Parallel()
	c := startAPICrawl(t)
	if text := c.want(http.StatusOK, "GET", "/", ""); !strings.Contains(text, `href="/crawls/crawl/"`) || strings.Contains(text, "/new") {
		t.Errorf("the list: %s", text)
	}
	if text := c.want(http.StatusOK, "GET", "/crawls/crawl/", ""); !strings.Contains(text, "running") {
		t.Errorf("the live page: %s", text)
	}
	c.want(http.StatusOK, "GET", "/crawls/crawl/api/v1/report", "")
	c.want(http.StatusOK, "GET", "/api/v1/report", "")
	c.want(http.StatusNotFound, "GET", "/crawls/other/", "")
	c.want(http.StatusForbidden, "GET", "/", "", "Host", "rebound.example")
	c.want(http.StatusForbidden, "POST", "/new", "seeds=https://example.org/")

	guarded := startAPICrawl(t, "--api-token", "open sesame")
	if text := guarded.want(http.StatusOK, "GET", "/", ""); !strings.Contains(text, "Log in") {
		t.Errorf("without the token: %s", text)
	}
	guarded.want(http.StatusUnauthorized, "GET", "/api/v1/report", "")
	guarded.want(http.StatusUnauthorized, "GET", "/crawls/crawl/api/v1/report", "")
	guarded.want(http.StatusOK, "GET", "/crawls/crawl/api/v1/report", "", "Authorization", "Bearer open sesame")
}

// One crawl can be shown alone, by its folder.
func TestCockpitOfOneCrawl(t *testing.T) {
	t.Parallel()
	site, err := newSite("phpbb", "", 1, 20)
	if err != nil {
		t.Fatal(err)
	}
	dir, o := runCrawl(t, serve(t, site)+"/")
	o.want(t, exitDone, "")
	p := startCockpit(t, "--crawl", dir)
	if text := p.fetched("/"); !strings.Contains(text, `href="/crawls/crawl/"`) || strings.Contains(text, "/new") {
		t.Errorf("the list: %s", text)
	}
	if text := p.fetched("/crawls/crawl/"); !strings.Contains(text, "complete") {
		t.Errorf("the page: %s", text)
	}
}
