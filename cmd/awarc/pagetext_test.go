package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/awarc/awarc/engine"
	"github.com/awarc/awarc/engine/quads"
)

// shop is a page that is neither an article nor of a known application.
const shop = `<title>Ketches</title><body><nav class="menu"><ul><li><a href="/">Home</a><li><a href="/terms">Moorings</a></ul></nav>
<main><h1>Ketches for sale</h1><ul class="grid">%s</ul></main><footer><p>Terms and privacy of the yard.</p></footer>`

func serveShop(t *testing.T) string {
	t.Helper()
	var cards strings.Builder
	for i := range 8 {
		fmt.Fprintf(&cards, `<li class="card"><a href="/p/%d"><h3>Ketch number %d</h3></a>
			<p>She has two masts of spruce and %d feet of oak.</p>`, i, i, 30+i)
	}
	return serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/" {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprintf(w, shop, cards.String())
	}))
}

// TestTextOfAnyPage holds that a page of no type is found by its main text, which is packed, and that nothing else is stated of it.
func TestTextOfAnyPage(t *testing.T) {
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	seed := serveShop(t) + "/"
	dir, o := runCrawl(t, seed, "--max-hops", "0", "--page-records")
	o.want(t, exitDone)
	if n := len(readReport(t, dir).Objects); n > 0 {
		t.Errorf("%d classes of objects", n)
	}

	o = awarc(t, "", "search", "--format", "json", "--crawl", dir, "spruce")
	o.want(t, exitDone)
	var found quads.Found
	if err := json.Unmarshal([]byte(o.out), &found); err != nil {
		t.Fatal(err)
	}
	if found.Total != 1 || !slices.Equal(found.Hits[0].Class, []string{engine.TextClass}) || found.Hits[0].Page != seed {
		t.Errorf("%s", o.out)
	}
	for _, words := range []string{"Moorings", "privacy"} {
		if o = awarc(t, "", "search", "--crawl", dir, words); !strings.Contains(o.out, "0 of 0 results") {
			t.Errorf("%s is found: %s", words, o.out)
		}
	}

	if o = awarc(t, "", "export", "--crawl", dir, "--format", "csv"); strings.Contains(o.out, "spruce") {
		t.Errorf("the text is exported beside what people wrote: %s", o.out)
	}
	if o = awarc(t, "", "export", "--crawl", dir, "--format", "csv", "--class", engine.TextClass); !strings.Contains(o.out, "spruce") {
		t.Errorf("the text is not exported with its class: %s%s", o.out, o.err)
	}

	file := filepath.Join(t.TempDir(), "x.wacz")
	awarc(t, "", "pack", dir, "-o", file).want(t, exitDone)
	pages := packedPages(t, openPacked(t, file)["pages/pages.jsonl"])
	if len(pages) != 1 || !strings.Contains(pages[0].Text, "Ketch number 7") || strings.Contains(pages[0].Text, "privacy") {
		t.Errorf("%+v", pages)
	}
}

// TestExtractPrintsTheTextOfAPage holds that extract prints the text among the objects, and not beside an object with a content.
func TestExtractPrintsTheTextOfAPage(t *testing.T) {
	file := filepath.Join(t.TempDir(), "page.html")
	text := strings.Repeat("<p>She has two masts of spruce, and the yard that built her stands no more.</p>", 5)
	for page, class := range map[string]string{
		"<title>Ketches</title><h1>Ketches</h1>" + text: engine.TextClass,
		`<title>Ketches</title><script type="application/ld+json">{"@type":"NewsArticle","headline":"Ketches"}</script><h1>Ketches</h1>` +
			text: "schema:WebPage",
	} {
		if err := os.WriteFile(file, []byte(page), 0o600); err != nil {
			t.Fatal(err)
		}
		o := awarc(t, "", "extract", "--format", "json", "--url", "http://yard.example/ketches?x=1", file)
		o.want(t, exitDone)
		var out struct {
			Objects []struct {
				Class, ID string
				Fields    map[string][]string
			}
		}
		if err := json.Unmarshal([]byte(o.out), &out); err != nil {
			t.Fatal(err)
		}
		if len(out.Objects) != 1 || out.Objects[0].Class != class || !strings.Contains(out.Objects[0].Fields["content"][0], "of spruce") {
			t.Errorf("%s: %s", class, o.out)
		}
		const id = "http://yard.example/ketches?x=1#awarc-text"
		if x := out.Objects[0]; class == engine.TextClass && (x.ID != id || x.Fields["confidence"] == nil) {
			t.Errorf("%+v", x)
		}
	}
}

// TestErrorPagesGiveNoObjects holds that a page that the server answers with an error is not read as an article or a text.
func TestErrorPagesGiveNoObjects(t *testing.T) {
	var text strings.Builder
	for i := range 20 {
		fmt.Fprintf(&text, "<p>Ketch %d has two masts of spruce, and the yard that built her %d years ago stands no more.</p>", i, 90+7*i)
	}
	site := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		if r.URL.Path == "/gone" {
			w.WriteHeader(http.StatusNotFound)
		}
		fmt.Fprintf(w, `<title>Ketches</title><meta property="og:type" content="article"><article><h1>Ketches</h1>%s</article>`,
			text.String())
	}))
	for path, objects := range map[string]string{"/here": "1 objects", "/gone": "0 objects"} {
		o := awarc(t, "", "extract", site+path)
		o.want(t, exitDone)
		if !strings.Contains(o.out, objects) || strings.Contains(o.out, engine.TextClass) {
			t.Errorf("%s: %s", path, o.out)
		}
	}
}
