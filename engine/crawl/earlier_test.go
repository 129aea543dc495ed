package crawl

import (
	"net/url"
	"path/filepath"
	"testing"

	"github.com/awarc/awarc/engine"
	"github.com/awarc/awarc/engine/detect"
	"github.com/awarc/awarc/kb"
)

// TestEarlierCrawlIsReadBack: of each page the objects that extraction gives,
// as far as they are kept in the graph.
func TestEarlierCrawlIsReadBack(t *testing.T) {
	base, err := kb.Load(kb.Builtin()...)
	if err != nil {
		t.Fatal(err)
	}
	d := detect.New(base)
	root := serve(t, "phpbb", "prosilver", 40)
	dir := filepath.Join(t.TempDir(), "crawl")
	odd := root + "?f[]=1&x=%zz" // no IRI
	crawled(t, dir, Options{Seeds: []string{root, odd}})
	earlier, err := openEarlier(dir)
	if err != nil {
		t.Fatal(err)
	}
	pages := 0
	for _, x := range exchanges(t, dir) {
		answer := get(t, x.URL)
		if x.URL == odd {
			odd = ""
		}
		got := earlier.objects(answer.URL)
		if len(got) != x.Objects {
			t.Errorf("%s: %d objects, the log says %d", x.URL, len(got), x.Objects)
		}
		if x.Objects == 0 {
			continue
		}
		pages++
		p, err := engine.Inspect(d, answer, engine.Hints{})
		if err != nil {
			t.Fatal(err)
		}
		for i, want := range p.Harvest.Objects {
			if i >= len(got) || got[i].ID != want.ID || got[i].Class != want.Class {
				t.Fatalf("%s: object %d is %+v, want %+v", x.URL, i, got[min(i, len(got)-1)], want)
			}
			for _, name := range []string{"title", "creator", "created", "content"} {
				if g, w := got[i].Value(name), want.Value(name); g != w {
					t.Errorf("%s of %s is %q, want %q", name, want.ID, g, w)
				}
			}
		}
	}
	if pages < 3 || odd != "" {
		t.Errorf("only %d pages with objects; %q was not fetched", pages, odd)
	}
	other := url.URL{Scheme: "http", Host: "forum.example", Path: "/viewtopic.php"}
	if got := earlier.objects(&other); got != nil {
		t.Errorf("of a page that was not fetched: %v", got)
	}
	if _, err := openEarlier(t.TempDir()); err == nil {
		t.Error("a folder without a crawl is taken for one")
	}
}

func TestStatementsAreParsed(t *testing.T) {
	for line, want := range map[string]statement{
		`<http://a/?t=1> <http://p> <http://o> <urn:g> .`:                      {"http://a/?t=1", "http://p", "http://o", "urn:g"},
		`<http://a/> <http://p> "one \"two\"\nthree \u00e9" <urn:g> .`:         {"http://a/", "http://p", "one \"two\"\nthree é", "urn:g"},
		`<http://a/> <http://p> "2019-05-04"^^<http://www.w3.org/x> <urn:g> .`: {"http://a/", "http://p", "2019-05-04", "urn:g"},
		`<http://a/> <http://p> "x > y"@en <urn:g> .`:                          {"http://a/", "http://p", "x > y", "urn:g"},
	} {
		if got, ok := parseStatement(line); !ok || got != want {
			t.Errorf("%s: %+v", line, got)
		}
	}
	for _, line := range []string{"", "<http://a/> .", `<http://a/> <http://p> "torn`} {
		if got, ok := parseStatement(line); ok {
			t.Errorf("%q is read as %+v", line, got)
		}
	}
}
