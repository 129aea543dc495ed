package engine_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/awarc/awarc/engine"
	"github.com/awarc/awarc/engine/assess"
	"github.com/awarc/awarc/engine/layers"
)

// university has 60 departments. Each links to a page of people, which links to a page with a publication, and to a page of sports, which
// links to further sports. No link says what it leads to.
func university(w http.ResponseWriter, r *http.Request) {
	var n int
	w.Header().Set("Content-Type", "text/html")
	more := func(name string) { fmt.Fprintf(w, `<p><a href="/%s">more</a></p>`, name) }
	switch at := r.URL.Path; {
	case at == "/":
		for i := range 60 {
			more(fmt.Sprintf("b%d", i))
			more(fmt.Sprintf("a%d", i))
		}
	case scan(at, "/a%d", &n):
		fmt.Fprintf(w, `<p>The faculty and its professors, staff and telephone numbers.</p>`)
		more(fmt.Sprintf("c%d", n))
	case scan(at, "/b%d", &n):
		fmt.Fprintf(w, `<p>Football team training and tickets for the next season.</p>`)
		more(fmt.Sprintf("d%d", n))
	case scan(at, "/c%d", &n):
		fmt.Fprintf(w, `<p>Abstract of publication %d, with a theorem.</p><table class="data"></table>`, n)
	case scan(at, "/d%d", &n):
		fmt.Fprintf(w, `<p>Results of match %d.</p>`, n)
	default:
		http.NotFound(w, r)
	}
}

// TestContextGraphTunnels: once some pages were read, links of pages like the ones that led to targets come first, although nothing on
// these pages or in their links is like a target.
func TestContextGraphTunnels(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(university))
	defer server.Close()
	last := func(l *layers.Learner) int {
		w := newWorld(t)
		w.options.NoTraps = true
		w.options.Scoring = assess.Options{Layers: l}
		var err error
		if w.options.Targets, err = engine.ParseTargets([]string{"//table[@class='data']"}); err != nil {
			t.Fatal(err)
		}
		w.crawl(server.URL + "/")
		targets, at := 0, 0
		for i, e := range w.log {
			if len(e.URL) > len(server.URL)+1 && e.URL[len(server.URL)+1] == 'c' {
				targets, at = targets+1, i+1
			}
		}
		if targets != 60 {
			t.Fatalf("%d targets were fetched", targets)
		}
		return at
	}
	learned := layers.New(layers.DefaultDepth)
	before := last(learned)
	if _, ok := learned.Score(assess.Stems("the staff of the faculty")); !ok {
		t.Fatal("nothing was learned while crawling")
	}
	if after := last(learned); after >= before {
		t.Errorf("the last target was request %d of the first crawl, and %d with what this had learned", before, after)
	}
}
