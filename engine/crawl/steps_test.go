package crawl

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/awarc/awarc/engine"
	"github.com/awarc/awarc/engine/archive"
	"github.com/awarc/awarc/engine/browser"
)

// stepsBase describes a site whose topics show more posts after a click, and whose search is a form
// with GET.
const stepsBase = `<kb xmlns="urn:awarc:kb:1"><category id="forum"><type id="kiln" name="Kiln">
	<detect><pattern>body[@id='kiln']</pattern></detect>
	<level id="topic" kind="terminal">
		<detect><pattern>ul[@id='posts']</pattern></detect>
		<browse><repeat most="9"><click>button[.more]</click></repeat></browse>
		<object class="sioc:Thread" id="{url}"><object class="sioc:Post" at="li" id="{url}#{@id}">
			<field name="content">.</field></object></object>
	</level>
	<level id="index" kind="intermediate">
		<detect><pattern>form</pattern></detect>
		<browse><fill at="input[@name='q']"><value>glaze</value><value>ash</value></fill><submit>form</submit></browse>
		<follow to="topic">a[.topic]/@href</follow>
	</level>
</type></category></kb>`

// TestStepsOfALevel: the steps of a level show its content in the browser, which a form with GET
// does not need.
func TestStepsOfALevel(t *testing.T) {
	if _, err := browser.Find(); err != nil {
		t.Skip("skipped: chromium is not installed, see cmd/awarc/testdata/e2e/tools.sh")
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		switch r.URL.Path {
		case "/":
			fmt.Fprint(w, `<body id=kiln><form action=search><input name=q></form><a class=topic href=topic>On kilns, a topic</a>`)
		case "/search":
			fmt.Fprintf(w, `<body id=kiln><p>%s: nothing found that the potters have written about`, r.FormValue("q"))
		case "/topic":
			fmt.Fprint(w, `<body id=kiln><ul id=posts><li id=p1>The first post, which everybody sees.</ul><button class=more>More</button>
				<script>let n = 1; document.querySelector("button").onclick = async () => {
					const answer = await fetch("/posts", {method: "POST", body: ++n})
					if (answer.ok) posts.insertAdjacentHTML("beforeend", await answer.text())
				}</script>`)
		case "/posts":
			if n, _ := io.ReadAll(r.Body); string(n) < "4" {
				fmt.Fprintf(w, `<li id=p%s>Post %[1]s, which a click shows.`, n)
				return
			}
			w.WriteHeader(http.StatusNoContent)
		default:
			http.NotFound(w, r)
		}
	}))
	t.Cleanup(server.Close)
	base := filepath.Join(t.TempDir(), "kiln.xml")
	if err := os.WriteFile(base, []byte(stepsBase), 0o600); err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "crawl")
	o := Options{Seeds: []string{server.URL + "/"}}
	o.Delay, o.MinSpace, o.KB, o.Screenshots = time.Millisecond, None, []string{base}, true
	c, err := New(dir, o)
	if err != nil {
		t.Fatal(err)
	}
	status, err := c.Run(t.Context())
	if err := errors.Join(err, c.Close()); err != nil || status != Done {
		t.Fatalf("the crawl ended with status %d: %v, %+v", status, err, c.Report().Verdict)
	}
	r := c.Report()
	want := engine.RenderReport{Pages: 1, Requests: 3, Sent: 3, Steps: 4, Clicks: 3, Refused: map[string]int64{}}
	if r.Rendered == nil || r.Rendered.String() != want.String() || r.Pages != 4 || r.Objects["sioc:Post"] != 3 {
		t.Errorf("%d pages, objects %v; browser: %v, want %v", r.Pages, r.Objects, r.Rendered, &want)
	}
	pictures, err := archive.Find(dir, "urn:view:"+server.URL+"/topic")
	if err != nil || len(pictures) != 1 || pictures[0].MIME != "image/png" {
		t.Errorf("pictures of the topic: %v, %v", pictures, err)
	}
	searched := map[string]bool{}
	for _, x := range logOf(t, dir) {
		if q, is := strings.CutPrefix(x.URL, server.URL+"/search?q="); is {
			searched[q] = true
		}
		steps := []string(nil)
		if x.URL == server.URL+"/topic" {
			click := "click .//button[contains(concat(' ', normalize-space(@class), ' '), ' more ')]: 1"
			steps = []string{click, click, click, "repeat: 2"}
		}
		if !slices.Equal(x.Steps, steps) {
			t.Errorf("the steps on %s are %q", x.URL, x.Steps)
		}
	}
	if len(searched) != 2 || !searched["glaze"] || !searched["ash"] {
		t.Errorf("searches for %v", searched)
	}
}

// TestControlsAreLearned: a control that showed more on pages of a level becomes a learned step,
// which another crawl takes without trying anything, and one that never did is left alone.
func TestControlsAreLearned(t *testing.T) {
	if _, err := browser.Find(); err != nil {
		t.Skip("skipped: chromium is not installed, see cmd/awarc/testdata/e2e/tools.sh")
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		switch n := strings.TrimPrefix(r.URL.Path, "/topic/"); {
		case r.URL.Path == "/":
			fmt.Fprint(w, `<body id=kiln><form></form>`)
			for n := range 4 {
				fmt.Fprintf(w, `<a class=topic href=/topic/%d>Topic %[1]d on kilns, at length</a>`, n)
			}
		case strings.HasPrefix(r.URL.Path, "/more/"):
			fmt.Fprintf(w, `<li id=second>The second post of topic %s`, strings.TrimPrefix(r.URL.Path, "/more/"))
		default:
			fmt.Fprintf(w, `<body id=kiln><ul id=posts><li id=first>The first post of topic %s, which everybody sees.</ul>
				<button class=like>Like</button><button class=more>More</button>
				<script>document.querySelector(".like").onclick = () => {}
				document.querySelector(".more").onclick = async e => {
					posts.insertAdjacentHTML("beforeend", await (await fetch("/more/%[1]s")).text())
					e.target.remove() }</script>`, n)
		}
	}))
	t.Cleanup(server.Close)
	base := filepath.Join(t.TempDir(), "kiln.xml")
	plain := regexp.MustCompile(`(?s)<browse>.*?</browse>`).ReplaceAllString(stepsBase, "")
	if err := os.WriteFile(base, []byte(plain), 0o400); err != nil {
		t.Fatal(err)
	}
	run := func(mode, seed string, posts int64, bases ...string) (string, *Crawl) {
		t.Helper()
		dir := filepath.Join(t.TempDir(), "crawl")
		o := Options{Seeds: []string{server.URL + seed}}
		o.Delay, o.MinSpace, o.KB, o.Browser = time.Millisecond, None, append([]string{base}, bases...), mode
		c, err := New(dir, o)
		if err != nil {
			t.Fatal(err)
		}
		status, err := c.Run(t.Context())
		if err := errors.Join(err, c.Close()); err != nil || status != Done || c.Report().Objects["sioc:Post"] != posts {
			t.Fatalf("the crawl ended with status %d: %v, objects %v", status, err, c.Report().Objects)
		}
		return dir, c
	}
	dir, c := run(BrowserAlways, "/", 8)
	liked := 0
	for _, x := range logOf(t, dir) {
		if strings.Contains(strings.Join(x.Steps, "; "), "tried button[.like]: 1, nothing new") {
			liked++
		}
	}
	learned, err := c.store().Load()
	if err != nil || len(learned.Entries) != 1 || liked != 3 {
		t.Fatalf("%v, %v; a control without effect was tried on %d pages", learned.Entries, err, liked)
	}
	e := learned.Entries[0]
	if e.Place.String() != "kiln topic browse click" || e.Expr != "button[.more]" {
		t.Errorf("learned %s %s", e.Place, e.Expr)
	}
	_, c = run(BrowserAuto, "/topic/0", 2, filepath.Join(dir, LearnedFolder))
	if r := c.Report().Rendered; r == nil || r.Pages != 1 || r.Steps != 3 || r.Requests != 1 {
		t.Errorf("the crawl with the learned step: %v", r)
	}
}
