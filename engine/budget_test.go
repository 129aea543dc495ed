package engine_test

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/awarc/awarc/engine"
	"github.com/awarc/awarc/engine/adapt"
	"github.com/awarc/awarc/engine/detect"
	"github.com/awarc/awarc/engine/extract"
	"github.com/awarc/awarc/engine/fetch"
	"github.com/awarc/awarc/kb"
	"github.com/awarc/awarc/testsites"
)

// inspect reads a page at an address.
func inspect(t *testing.T, address, page string) engine.Page {
	t.Helper()
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	p, err := engine.Inspect(builtinDetector(t), engine.Answer{URL: u, Status: http.StatusOK, HTML: []byte(page)}, engine.Hints{})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// TestNestedReplies: two hundred replies, each in the one before, are more elements than
// html.Parse takes.
func TestNestedReplies(t *testing.T) {
	var b strings.Builder
	for i := range 200 {
		fmt.Fprintf(&b, `<ul class=replies><li><article id=r%d><header><a href="/user/%d">u%d</a></header><div><p>Reply %d says so.</p>`+
			`</div>`, i, i, i, i)
	}
	b.WriteString(strings.Repeat("</article></li></ul>", 200) + `<a href=/last>last</a>`)
	p := inspect(t, "http://h.example/", b.String())
	if len(p.Harvest.Links) != 201 || p.Harvest.Links[199].URL != "http://h.example/user/199" || p.Harvest.Links[199].Text != "u199" ||
		p.Harvest.Cut {
		t.Errorf("%d links of 201, cut %v", len(p.Harvest.Links), p.Harvest.Cut)
	}
	if last := p.Doc.FirstChild.LastChild.LastChild.LastChild; last.Data != "a" {
		t.Errorf("what follows the replies is in %s", last.Data)
	}
}

// TestDeepMarkup: a page of a known application is read alike, however deep in markup its content is.
func TestDeepMarkup(t *testing.T) {
	if raceDetector {
		t.Skip("skipped with the race detector: make plain runs it without")
	}
	for _, of := range [][2]string{{"phpbb", "prosilver"}, {"vbulletin", "4.2"}} {
		s, err := testsites.New(of[0], of[1], testsites.Options{Seed: 3, Posts: 60})
		if err != nil {
			t.Fatal(err)
		}
		server := httptest.NewServer(s)
		defer server.Close()
		read := 0
		for address, page := range pagesOf(t, server.URL) {
			begin := strings.Index(page, "<body")
			if begin < 0 {
				continue
			}
			begin += strings.IndexByte(page[begin:], '>') + 1
			deep := page[:begin] + strings.Repeat("<div>", 700) +
				strings.Replace(page[begin:], "</body>", strings.Repeat("</div>", 700)+"</body>", 1)
			want, got := inspect(t, address, page), inspect(t, address, deep)
			if want.Finding.Level() == nil {
				continue
			}
			read++
			if !reflect.DeepEqual(got.Harvest.Objects, want.Harvest.Objects) || !reflect.DeepEqual(got.Harvest.Links, want.Harvest.Links) {
				for i, o := range want.Harvest.Objects {
					if i < len(got.Harvest.Objects) && !reflect.DeepEqual(o, got.Harvest.Objects[i]) {
						t.Errorf("want %v\ngot  %v", o, got.Harvest.Objects[i])
						break
					}
				}
				t.Errorf("%s: %d objects and %d links, in flat markup %d and %d", address, len(got.Harvest.Objects),
					len(got.Harvest.Links), len(want.Harvest.Objects), len(want.Harvest.Links))
			}
		}
		if read < 5 {
			t.Errorf("%s: only %d pages were read", of[0], read)
		}
	}
}

// pagesOf gives some pages of a site, by address.
func pagesOf(t *testing.T, base string) map[string]string {
	t.Helper()
	client := http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	pages, left := map[string]string{}, []string{base + "/"}
	for len(left) > 0 && len(pages) < 25 {
		address := left[0]
		left = left[1:]
		if _, known := pages[address]; known {
			continue
		}
		r, err := client.Get(address)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(r.Body)
		r.Body.Close()
		if err != nil {
			t.Fatal(err)
		}
		pages[address] = string(body)
		for _, l := range inspect(t, address, string(body)).Harvest.Links {
			if strings.HasPrefix(l.URL, base+"/") {
				left = append(left, l.URL)
			}
		}
	}
	return pages
}

// TestNoLinkIsTooMany: neither their number nor the size of their page loses links.
func TestNoLinkIsTooMany(t *testing.T) {
	if raceDetector {
		t.Skip("skipped with the race detector: make plain runs it without")
	}
	for _, n := range []int{60_000, 330_000} {
		var b strings.Builder
		b.WriteString("<base href=/b/>")
		for i := range n {
			fmt.Fprintf(&b, "<p class=x><a href=%d>t</a></p>", i)
		}
		p := inspect(t, "http://h.example/", b.String())
		if len(p.Harvest.Links) != n {
			t.Fatalf("%d links of %d", len(p.Harvest.Links), n)
		}
		if u := p.Harvest.Links[n-1].URL; u != fmt.Sprint("http://h.example/b/", n-1) {
			t.Errorf("the last link is %s", u)
		}
		if cut := n > 300_000; p.Harvest.Cut != cut {
			t.Errorf("%d links: cut is %v", n, p.Harvest.Cut)
		}
	}
}

// TestCutPageIsSaid: the log and the report say that a page was not read whole.
func TestCutPageIsSaid(t *testing.T) {
	base := serve(t, site{"/": strings.Repeat("<div>", 3000) + links("/a"), "/a": ""})
	w := newWorld(t)
	w.crawl(base + "/")
	w.want("404 /robots.txt", "200 /", "200 /a")
	w.count("faults/page_cut", 1)
	if !w.log[1].Cut {
		t.Error("the log does not say so")
	}
}

// TestBehindTheTree: links and what a page needs to be shown are found behind the end of its tree, too, which has room for 650,000
// nodes and attributes.
func TestBehindTheTree(t *testing.T) {
	if raceDetector {
		t.Skip("skipped with the race detector: make plain runs it without")
	}
	base := serve(t, site{"/": strings.Repeat("<p a b c>", 170_000) + links("/a") + `<img src="/b.txt">`, "/a": "", "/b.txt": "shown"})
	w := newWorld(t)
	c, err := fetch.New(fetch.Options{SpoolDir: t.TempDir(), MaxBody: 8 << 20})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	w.fetcher, w.options.Requisites = c, true
	w.crawl(base + "/")
	w.want("404 /robots.txt", "200 /", "404 /favicon.ico", "200 /b.txt", "200 /a")
}

// TestPanicCostsTheObjectsOnly: a page whose detection panics gives its links.
func TestPanicCostsTheObjectsOnly(t *testing.T) {
	u := &url.URL{Scheme: "http", Host: "h.example", Path: "/"}
	p, err := engine.Inspect(new(detect.Detector), engine.Answer{URL: u, HTML: []byte("<a href=/a>x</a>")}, engine.Hints{})
	if err == nil || !strings.Contains(err.Error(), "internal error") {
		t.Errorf("the error is %v", err)
	}
	if len(p.Harvest.Links) != 1 || p.Harvest.Links[0].URL != "http://h.example/a" {
		t.Errorf("links: %v", p.Harvest.Links)
	}
}

// panickyLearner panics at each page.
type panickyLearner struct{}

func (panickyLearner) Page(*kb.Base, extract.Page, extract.Harvest) adapt.Result { panic("a bug") }
func (panickyLearner) Led(string, bool) (string, []kb.Entry)                     { return "", nil }
func (panickyLearner) Finish() []adapt.Decided                                   { return nil }
func (panickyLearner) Evidence() []adapt.Evidence                                { return nil }
func (panickyLearner) Hear(*kb.Base, string, []adapt.Evidence) []adapt.Decided {
	return nil
}

func TestPanickingLearnerCostsNothing(t *testing.T) {
	s, err := testsites.New("phpbb", "prosilver", testsites.Options{Seed: 3, Posts: 30})
	if err != nil {
		t.Fatal(err)
	}
	base := serve(t, s)
	w := newWorld(t)
	w.options.Adaptation.Learner = panickyLearner{}
	w.crawl(base + "/")
	w.count("objects/sioc:Post", int64(s.Truth(base).Count()["sioc:Post"]))
	if w.frontier.Counters()["faults/panic"] == 0 {
		t.Error("nobody says that a step panicked")
	}
}

// died makes a session look as if the process had died so often while the page of a key was read.
func died(t *testing.T, dir, key string, times int) (note string) {
	t.Helper()
	sum := sha256.Sum256([]byte(key))
	note = filepath.Join(dir, hex.EncodeToString(sum[:]))
	if err := os.WriteFile(note, make([]byte, times), 0o644); err != nil {
		t.Fatal(err)
	}
	return note
}

// TestPoisonPage: a page that was being read when the process died three times is archived and not
// read; one that was read to its end since is forgiven.
func TestPoisonPage(t *testing.T) {
	base := serve(t, site{"/": links("/a"), "/a": links("/b"), "/b": ""})
	w := newWorld(t)
	w.options.Reading = t.TempDir()
	died(t, w.options.Reading, base+"/", 2)
	note := died(t, w.options.Reading, base+"/a", 3)
	w.crawl(base + "/")
	w.want("404 /robots.txt", "200 /", "200 /a")
	w.count("faults/poison_page", 1)
	w.count("pages", 2)
	if len(w.archiver.captures) != 3 || !strings.HasPrefix(w.log[2].Error, "poison page") {
		t.Errorf("%d captures; the log says %q", len(w.archiver.captures), w.log[2].Error)
	}
	left, err := os.ReadDir(w.options.Reading)
	if err != nil {
		t.Fatal(err)
	}
	if len(left) != 1 || left[0].Name() != filepath.Base(note) {
		t.Errorf("the notes %v are left, want that of the page that was not read", left)
	}
}
