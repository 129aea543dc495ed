package engine_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/awarc/awarc/engine"
	"github.com/awarc/awarc/engine/assess"
	scoring "github.com/awarc/awarc/engine/score"
	"github.com/awarc/awarc/frontier"
	"github.com/awarc/awarc/plugins"
	"github.com/awarc/awarc/plugins/abi"
)

// fair is a site of five kinds of pages, 40 of each, that links of its home page lead to in turn. The links differ in their place and
// address alone, and only pages of the first kind have text of their own.
func fair(w http.ResponseWriter, r *http.Request) {
	kinds := []string{"stories", "kilns", "files", "people", "boats"}
	said := []string{"", "kiln, kiln and kiln", "", "Ada Example was here", "the regatta, a regatta"}
	w.Header().Set("Content-Type", "text/html")
	if r.URL.Path == "/" {
		for i := range 40 {
			for k := range kinds {
				kind := kinds[(i+k)%len(kinds)]
				fmt.Fprintf(w, `<div class="%s"><a href="/%[1]s/%d">page</a></div>`, kind, i)
			}
		}
		return
	}
	for k, kind := range kinds {
		var n int
		switch {
		case !scan(r.URL.Path, "/"+kind+"/%d", &n):
		case kind == "files":
			w.Header().Set("Content-Type", "application/pdf")
			fmt.Fprintf(w, "%%PDF-1.4 file %d", n)
		case kind == "stories":
			for i := range 200 {
				fmt.Fprintf(w, "w%c%c%c%c ", 'a'+n%26, 'a'+n/26, 'a'+i%26, 'a'+i/26)
			}
		default:
			fmt.Fprintf(w, "<p>%s</p>", said[k])
		}
	}
}

// TestEachRewardOrdersASite: new text, the score of a topic, the media type of targets, an entity and the score of a plugin each bring
// the pages with the reward to the front.
func TestEachRewardOrdersASite(t *testing.T) {
	if raceDetector {
		t.Skip("skipped with the race detector: make plain runs it without")
	}
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(fair))
	defer server.Close()
	topical := func(d *scoring.Definition) assess.Options {
		return assess.Options{Definition: d, Topic: d.Topic(), Seeds: []string{server.URL + "/"}}
	}
	for _, c := range []struct {
		reward, wanted string
		set            func(o *engine.Options)
	}{
		{"new text", "/stories/", func(*engine.Options) {}},
		{"topic", "/kilns/", func(o *engine.Options) {
			o.Scoring = topical(&scoring.Definition{Keywords: []scoring.Keyword{{Term: "kiln", Weight: 1}}})
		}},
		{"targets", "/files/", func(o *engine.Options) { o.Targets, _ = engine.ParseTargets([]string{"application/pdf"}) }},
		{"entity", "/people/", func(o *engine.Options) {
			o.Scoring = topical(&scoring.Definition{Entities: []scoring.Entity{{Name: "Ada Example", Weight: 1}}})
		}},
		{"plugin", "/boats/", func(o *engine.Options) {
			set, err := plugins.Open(context.Background(), []string{"../plugins/testdata/examples/c-keywords.wasm"},
				plugins.Options{Topic: abi.Topic{Terms: []abi.Term{{Text: "regatta", Weight: 1}}}})
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { set.Close() })
			d := &scoring.Definition{Keywords: []scoring.Keyword{{Term: "regatta", Weight: 1}}, Weights: scoring.Weights{
				scoring.ModuleDocument: 0, scoring.ModuleParagraph: 0, scoring.ModuleAnchor: 0}}
			o.Scoring = topical(d)
			o.Scoring.Plugins = set
		}},
	} {
		t.Run(c.reward, func(t *testing.T) {
			w := newWorld(t)
			c.set(&w.options)
			w.crawl(server.URL + "/")
			const first = 70
			if n := w.among(first, c.wanted); n < 38 {
				t.Errorf("%d of 40 wanted pages are among the first %d requests", n, first)
			}
		})
	}
}

// among counts the URLs with a path below a folder among the first exchanges.
func (w *world) among(first int, folder string) (n int) {
	for _, e := range w.log[:min(first, len(w.log))] {
		if u, err := url.Parse(e.URL); err == nil && strings.HasPrefix(u.Path, folder) {
			n++
		}
	}
	return n
}

// TestPendingURLsAreOrderedAfterAKill: a crawl that is killed before it knows anything of the links that wait gives them their places in
// the next session.
func TestPendingURLsAreOrderedAfterAKill(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(fair))
	defer server.Close()
	d := &scoring.Definition{Keywords: []scoring.Keyword{{Term: "kiln", Weight: 1}}}
	for _, c := range []struct {
		wanted  string
		scoring assess.Options
	}{{"/stories/", assess.Options{}}, {"/kilns/", assess.Options{Definition: d, Topic: d.Topic(), Seeds: []string{server.URL + "/"}}}} {
		w := newWorld(t)
		w.options.Scoring = c.scoring
		ctx, kill := context.WithCancel(t.Context())
		w.onLog = func(engine.Exchanged) {
			if len(w.log) == 3 {
				kill()
			}
		}
		if _, err := w.open(server.URL+"/").Run(ctx, t.Context()); err != nil {
			t.Fatal(err)
		}
		w.frontier.Close()
		w.onLog = nil
		w.crawl(server.URL + "/")
		if n := w.among(75, c.wanted); n < 38 {
			t.Errorf("%d of 40 pages below %s are among the first 75 requests", n, c.wanted)
		}
		pending := 0
		if err := w.frontier.Each(frontier.Pending, func(frontier.Entry) error { pending++; return nil }); err != nil || pending > 0 {
			t.Errorf("%d URLs are pending after the crawl: %v", pending, err)
		}
	}
}
