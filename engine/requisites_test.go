package engine_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/awarc/awarc/testsites"
)

// TestEndlessRequisites: style sheets that import ever others, and frames in frames, on the site and elsewhere, come to an end.
func TestEndlessRequisites(t *testing.T) {
	t.Parallel()
	asked := map[string]int{}
	endless := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		kind := strings.SplitN(r.URL.Path, "/", 3)[1]
		asked[kind]++
		switch next := r.URL.Path + "x"; kind {
		case "css":
			w.Header().Set("Content-Type", "text/css")
			fmt.Fprintf(w, `@import "%s";`, next)
		case "frame":
			w.Header().Set("Content-Type", "text/html")
			fmt.Fprintf(w, `<iframe src="%s"></iframe><a href="/never">x</a>`, next)
		case "svg":
			w.Header().Set("Content-Type", "image/svg+xml")
			fmt.Fprintf(w, `<svg><use href="%s"/></svg>`, next)
		default:
			http.NotFound(w, r)
		}
	})
	other := strings.Replace(serve(t, endless), "127.0.0.1", "localhost", 1)
	page := `<style>@import "%[1]s/css/";</style><iframe src="%[1]s/frame/"></iframe><img src="%[1]s/svg/">`
	base := serve(t, site{"/": fmt.Sprintf(page, other)})
	w := newWorld(t)
	w.options.Requisites, w.options.Workers = true, 1
	w.crawl(base + "/")
	for _, kind := range []string{"css", "frame", "svg"} {
		if n := asked[kind]; n < 5 || n > 20 {
			t.Errorf("%d of kind %s were asked for", n, kind)
		}
	}
	if asked["never"] > 0 {
		t.Error("a link of a frame elsewhere was followed")
	}
}

// TestRequisitesWidenNoKnownCrawl: the pages that a crawl of a known board counts are those without requisites, though its pages have
// frames and prefetch pages of the site.
func TestRequisitesWidenNoKnownCrawl(t *testing.T) {
	t.Parallel()
	board, err := testsites.New("phpbb", "prosilver", testsites.Options{Seed: 3, Posts: 30})
	if err != nil {
		t.Fatal(err)
	}
	crawl := func(requisites bool) (pages []string) {
		base := serve(t, embedding{board, `<iframe src="/memberlist.php"></iframe><link rel=prefetch href="/index.php">`})
		w := newWorld(t)
		w.options.Requisites, w.rules.Exclude = requisites, []string{"example\\.org"}
		w.crawl(base + "/")
		for _, e := range w.log {
			if e.Expected != "requisite" && e.Expected != "frame" {
				pages = append(pages, strings.TrimPrefix(e.URL, base))
			}
		}
		slices.Sort(pages)
		return pages
	}
	if without, with := crawl(false), crawl(true); !slices.Equal(without, with) {
		t.Errorf("without requisites:\n%s\nwith them:\n%s", strings.Join(without, "\n"), strings.Join(with, "\n"))
	}
}

// embedding adds markup to the end of each page.
type embedding struct {
	site   http.Handler
	markup string
}

func (e embedding) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	e.site.ServeHTTP(w, r)
	if strings.HasPrefix(w.Header().Get("Content-Type"), "text/html") {
		fmt.Fprint(w, e.markup)
	}
}
