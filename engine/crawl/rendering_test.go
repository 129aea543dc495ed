package crawl

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/awarc/awarc/engine"
	"github.com/awarc/awarc/engine/archive"
	"github.com/awarc/awarc/engine/browser"
	"github.com/awarc/awarc/engine/detect"
	"github.com/awarc/awarc/kb"
)

// application is a site whose pages have no text before their script has asked for it.
const application = `<!doctype html><title>Pottery</title><div id="app"></div><script src="/app.js"></script>`

const applicationScript = `(async () => {
	const app = document.getElementById("app"), path = location.pathname
	const add = (name, text, href) => {
		const e = document.createElement(name)
		e.textContent = text
		if (href) e.href = href
		app.append(e)
	}
	if (path == "/") {
		for (const t of await (await fetch("/api/topics")).json()) add("a", "What the potters said about topic " + t, "/topic/" + t)
		add("a", "A page that stays empty", "/empty")
		await fetch("/topic/1") // which stays a page to be crawled
		fetch("/private/count").catch(() => {})
		new EventSource("/events")
		new Image().src = "/logo.png"
		fetch("/api/seen", {method: "POST", body: "home"}).catch(() => {})
		fetch("/api/seen", {method: "PUT", body: "away"}).catch(() => {})
	} else if (path == "/empty") {
		fetch("/api/text", {method: "POST"}).catch(() => {})
	} else {
		add("p", (await (await fetch("/api" + path)).json()).text)
	}
})()`

// TestScriptsAreRun: the pages of a site that shows nothing without scripts are found and read, and what the scripts requested is archived
// once, politely, and as robots.txt allows. A page that its scripts leave empty stays suspicious.
func TestScriptsAreRun(t *testing.T) {
	if _, err := browser.Find(); err != nil {
		t.Skip("skipped: chromium is not installed, see cmd/awarc/testdata/e2e/tools.sh")
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch path := r.URL.Path; {
		case path == "/robots.txt":
			fmt.Fprint(w, "User-agent: *\nDisallow: /private/\n")
		case path == "/app.js":
			w.Header().Set("Content-Type", "text/javascript")
			fmt.Fprint(w, applicationScript)
		case path == "/api/seen":
			body, _ := io.ReadAll(r.Body)
			fmt.Fprintf(w, "thanks for %s", body)
		case path == "/api/text":
			w.WriteHeader(http.StatusNoContent)
		case path == "/api/topics":
			fmt.Fprint(w, `[1, 2, 3]`)
		case strings.HasPrefix(path, "/api/topic/"):
			fmt.Fprintf(w, `{"text": "What the potters said about topic %s, in words of their own."}`, filepath.Base(path))
		case path == "/", path == "/empty", strings.HasPrefix(path, "/topic/"):
			w.Header().Set("Content-Type", "text/html")
			fmt.Fprint(w, application)
		default:
			http.NotFound(w, r)
		}
	}))
	t.Cleanup(server.Close)
	dir := filepath.Join(t.TempDir(), "crawl")
	o := Options{Seeds: []string{server.URL + "/"}}
	o.Delay, o.MinSpace = 20*time.Millisecond, None
	c, err := New(dir, o)
	if err != nil {
		t.Fatal(err)
	}
	status, err := c.Run(t.Context())
	if err := errors.Join(err, c.Close()); err != nil || status != Done {
		t.Fatalf("the crawl ended with status %d: %v, %+v", status, err, c.Report().Verdict)
	}
	r := c.Report()
	want := engine.RenderReport{Pages: 5, Requests: 8, Sent: 2, Cached: 4, Refused: map[string]int64{"robots": 1, "method": 1, "stream": 1}}
	if r.Rendered == nil || r.Rendered.String() != want.String() || r.Pages != 5 ||
		len(r.Suspicions) != 1 || r.Suspicions[0].Kind != engine.SuspectShell || r.Suspicions[0].Count != 1 {
		t.Errorf("%d pages; browser: %v, want %v; %v", r.Pages, r.Rendered, &want, r.Suspicions)
	}
	checkSent(t, dir, server.URL+"/api/seen")
	archived, documents := capturesOf(t, dir)
	for _, path := range []string{"/robots.txt", "/", "/app.js", "/api/topics", "/topic/1", "/topic/2", "/topic/3",
		"/api/topic/1", "/api/topic/2", "/api/topic/3"} {
		want := 1
		if path == "/topic/1" {
			want = 2
		}
		if archived[server.URL+path] != want {
			t.Errorf("%s is archived %d times", path, archived[server.URL+path])
		}
	}
	if dom := documents[archive.DOMScheme+server.URL+"/topic/2"]; !strings.Contains(dom, "<p>What the potters said about topic 2") {
		t.Errorf("the rendered document of a topic: %q", dom)
	}
	readBack(t, dir)
	checkPauses(t, dir, o.Delay)
	if _, err := os.Stat(filepath.Join(dir, browserFolder)); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the browser's folder is left: %v", err)
	}
}

// checkSent fails unless the archive has what a script sent to a URL, under method and body, and no
// page of that URL.
func checkSent(t *testing.T, dir, url string) {
	t.Helper()
	plain, err := archive.Find(dir, url)
	sent, ferr := archive.Find(dir, url+"?__wb_method=POST&__wb_post_data=aG9tZQ==")
	if err := errors.Join(err, ferr); err != nil || len(plain) != 0 || len(sent) != 1 || sent[0].URL != url {
		t.Fatalf("%v, %v under method and body: %v", plain, sent, err)
	}
	a, err := Folder(dir).Answer(t.Context(), sent[0].File, sent[0].Offset, 1<<20)
	if err != nil || !strings.Contains(string(a.Block), "thanks for home") {
		t.Errorf("the answer is %v, %v", a, err)
	}
}

// capturesOf counts the responses of an archive by URL, and returns its rendered documents.
func capturesOf(t *testing.T, dir string) (responses map[string]int, documents map[string]string) {
	t.Helper()
	responses, documents = map[string]int{}, map[string]string{}
	files, _ := filepath.Glob(filepath.Join(dir, "archive", "*.warc.gz")) // a valid pattern
	for _, file := range files {
		err := archive.Resources(file, 1<<20, func(uri string) bool { return strings.HasPrefix(uri, archive.DOMScheme) },
			func(uri string, data []byte) error { documents[uri] = string(data); return nil })
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, x := range logOf(t, dir) {
		if x.Record != "" {
			responses[x.URL]++
		}
	}
	return responses, documents
}

func logOf(t *testing.T, dir string) (all []engine.Exchanged) {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(dir, "log", "crawl.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(data)) {
		var x engine.Exchanged
		if err := json.Unmarshal([]byte(line), &x); err != nil {
			t.Fatal(err)
		}
		all = append(all, x)
	}
	return all
}

// checkPauses fails if a request began earlier than the delay after the end of the one before.
func checkPauses(t *testing.T, dir string, delay time.Duration) {
	t.Helper()
	all := logOf(t, dir)
	slices.SortFunc(all, func(a, b engine.Exchanged) int { return a.Time.Compare(b.Time) })
	for i := 1; i < len(all); i++ {
		end := all[i-1].Time.Add(time.Duration(all[i-1].Duration * float64(time.Second)))
		if pause := all[i].Time.Sub(end); pause < delay-time.Millisecond {
			t.Errorf("%s was requested %s after %s, want %s", all[i].URL, pause, all[i-1].URL, delay)
		}
	}
}

// readBack fails unless the archive gives the rendered documents to readers of the crawl, also behind the revisit records of equal shells.
func readBack(t *testing.T, dir string) {
	t.Helper()
	files, _ := filepath.Glob(filepath.Join(dir, "archive", "*.warc.gz")) // a valid pattern
	rendered := 0
	err := archive.Answers(archive.Reading{Files: files, Most: 1 << 20, Bad: func(r *archive.BadRecord) { t.Error(r) },
		Each: func(a *archive.Answer) error {
			if a.Rendered == nil {
				return nil
			}
			rendered++
			p, err := engine.ReadStored(t.Context(), detect.New(&kb.Base{}), a, "")
			n, isTopic := strings.CutPrefix(p.URL.Path, "/topic/")
			if isTopic && !strings.Contains(p.Words(), "about topic "+n) {
				t.Errorf("%s: %q", a.URL, p.Words())
			}
			return err
		}})
	if err != nil || rendered != 5 {
		t.Errorf("%d rendered documents are read: %v", rendered, err)
	}
}

// TestSpeculativeReadsScripts: addresses in external scripts are tried, names in the header of the
// answer are not.
func TestSpeculativeReadsScripts(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/":
			w.Header().Set("Content-Type", "text/html")
			w.Header().Set("Content-Disposition", `inline; filename="/start.html"`)
			fmt.Fprint(w, `<script src=app.js></script><p>A page about kilns.`)
		case "/app.js":
			w.Header().Set("Content-Type", "text/javascript")
			fmt.Fprint(w, `fetch("/api/kilns")`)
		default:
			fmt.Fprint(w, "found")
		}
	}))
	t.Cleanup(server.Close)
	dir := filepath.Join(t.TempDir(), "crawl")
	o := Options{Seeds: []string{server.URL + "/"}}
	o.Delay, o.MinSpace, o.Browser, o.Speculative, o.IgnoreRobots = time.Millisecond, None, BrowserNever, true, true
	c, err := New(dir, o)
	if err != nil {
		t.Fatal(err)
	}
	_, err = c.Run(t.Context())
	if err := errors.Join(err, c.Close()); err != nil {
		t.Fatal(err)
	}
	var asked []string
	for _, x := range logOf(t, dir) {
		asked = append(asked, strings.TrimPrefix(x.URL, server.URL))
	}
	slices.Sort(asked)
	if want := []string{"/", "/api/kilns", "/app.js"}; !slices.Equal(asked, want) {
		t.Errorf("requested %q, want %q", asked, want)
	}
}

// TestScriptsBringRequisites runs the scripts of pages with text to find their pictures, and leaves
// alone pages of a kind whose scripts brought nothing three times.
func TestScriptsBringRequisites(t *testing.T) {
	if _, err := browser.Find(); err != nil {
		t.Skip("skipped: chromium is not installed, see cmd/awarc/testdata/e2e/tools.sh")
	}
	text := strings.Repeat("The kiln of the old yard stood by the water, and the potters fired it each spring. ", 20)
	scripts := map[string]string{
		"kiln":  `document.body.append(Object.assign(new Image, {src: "/picture/" + location.pathname.slice(-1)}))`,
		"glaze": `document.title = "Glazes"`,
	}
	var mu sync.Mutex
	pictures := map[string]bool{}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		kind, n, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
		w.Header().Set("Content-Type", "text/html")
		switch {
		case kind == "":
			fmt.Fprintf(w, "<p>%s", text)
			for i := range 5 {
				fmt.Fprintf(w, `<a href=/kiln/%d>A kiln</a> <a href=/glaze/%[1]d>A glaze</a>`, i)
			}
		case scripts[kind] != "":
			fmt.Fprintf(w, `<p>%s %s. %s<script>%s</script>`, kind, n, text, scripts[kind])
		case kind == "picture":
			mu.Lock()
			defer mu.Unlock()
			pictures[n] = true
			w.Header().Set("Content-Type", "image/png")
		default:
			http.NotFound(w, r)
		}
	}))
	t.Cleanup(server.Close)
	o := Options{Seeds: []string{server.URL + "/"}}
	o.Delay, o.MinSpace, o.Workers, o.Requisites = time.Millisecond, None, 1, true
	c, err := New(filepath.Join(t.TempDir(), "crawl"), o)
	if err != nil {
		t.Fatal(err)
	}
	_, err = c.Run(t.Context())
	if err := errors.Join(err, c.Close()); err != nil {
		t.Fatal(err)
	}
	mu.Lock()
	defer mu.Unlock()
	if r := c.Report().Rendered; r == nil || r.Pages != 5+3 || len(pictures) != 5 {
		t.Errorf("%v; pictures %v", r, pictures)
	}
}
