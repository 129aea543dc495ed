package main

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/awarc/awarc/engine"
)

// TestTrapsAreToldAndFetchedOnDemand crawls a calendar without an end, beside a page.
func TestTrapsAreToldAndFetchedOnDemand(t *testing.T) {
	t.Parallel()
	base := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		var n int
		switch _, err := fmt.Sscanf(r.URL.RequestURI(), "/day?n=%d", &n); {
		case err == nil:
			fmt.Fprintf(w, `<p>Nothing is planned for this day.</p><a href="/day?n=%d">the day before</a><a href="/day?n=%d">the next `+
				`day</a>`, n-1, n+1)
		case r.URL.Path == "/":
			fmt.Fprint(w, `<p>Welcome to the village.</p><a href="/day?n=100000">calendar</a><a href="/news">news</a>`)
		case r.URL.Path == "/news":
			fmt.Fprint(w, `<p>The council met.</p>`)
		default:
			http.NotFound(w, r)
		}
	}))
	dir, o := runCrawl(t, base+"/")
	o.want(t, exitWithFaults)
	r := readReport(t, dir)
	if len(r.Traps) == 0 || r.Traps[0].Waiting == 0 || r.Traps[0].Kind != "calendar" && r.Traps[0].Kind != "near-duplicates" {
		t.Fatalf("the report names %+v", r.Traps)
	}
	waiting := r.Traps[0].Examples[0]
	if !strings.Contains(o.out, "awarc resume --traps "+dir) || !strings.Contains(o.out, waiting) {
		t.Errorf("the summary does not say what is left:\n%s", o.out)
	}
	if o := awarc(t, "", "explain", dir, waiting); !strings.Contains(o.out, "put off") || !strings.Contains(o.out, "answers and leads on") {
		t.Errorf("explained as\n%s", o.out)
	}
	awarc(t, "", "resume", "--traps", dir).want(t, exitWithFaults)
	if after := readReport(t, dir); after.Requests <= r.Requests || after.Requests > r.Requests+100 {
		t.Errorf("%d requests after %d", after.Requests, r.Requests)
	}
	if o := awarc(t, "", "explain", dir, waiting); !strings.Contains(o.out, "fetched") {
		t.Errorf("what waited is explained as\n%s", o.out)
	}
	unlimited, o := runCrawl(t, "--no-traps", "--limit", "300", base+"/")
	o.want(t, exitLimit)
	if r := readReport(t, unlimited); r.Pages < 300 {
		t.Errorf("%d pages with --no-traps", r.Pages)
	}
}

// TestSummaryCountsThePlacesThatItDoesNotName: it names ten, and says of the others where they are named.
func TestSummaryCountsThePlacesThatItDoesNotName(t *testing.T) {
	t.Parallel()
	r := new(engine.Report)
	for n := range trapsShown + 7 {
		r.Traps = append(r.Traps, engine.TrapReport{Where: fmt.Sprint("place-", n), Waiting: 3, Examples: []string{"http://a/"}})
	}
	r.Traps = append(r.Traps, engine.TrapReport{Where: "done", Fetched: 3})
	var b strings.Builder
	summary{report: r}.printTraps(&b)
	out := b.String()
	if n := strings.Count(out, "3 of place-"); n != trapsShown || !strings.Contains(out, "left       51 URLs") ||
		!strings.Contains(out, "and 7 further places") || strings.Contains(out, "done") {
		t.Errorf("%d places are named:\n%s", n, out)
	}
}
