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
	for _, left := range append(r.Traps[0].Examples, "awarc resume --traps "+dir) {
		if !strings.Contains(o.out, left) {
			t.Errorf("the summary does not say %s is left:\n%s", left, o.out)
		}
		if report := awarc(t, "", "report", dir); !strings.Contains(report.out, left) {
			t.Errorf("the report does not say %s is left:\n%s", left, report.out)
		}
	}
	o = awarc(t, "", "explain", dir, waiting)
	if !strings.Contains(o.out, "deferred") || !strings.Contains(o.out, "answers and leads on") {
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

// TestSummaryOfManyPlaces: it shows the addresses of ten places, names some more, and says of the others where they are named.
func TestSummaryOfManyPlaces(t *testing.T) {
	t.Parallel()
	for _, places := range []int{2, trapsShown + 7, trapsNamed + 4000} {
		r := new(engine.Report)
		for n := range places {
			x := engine.TrapReport{Where: fmt.Sprintf("place-%04d", n), Waiting: 300}
			for i := range 10 {
				x.Examples = append(x.Examples, fmt.Sprintf("http://a/%d/%d", n, i))
			}
			r.Traps = append(r.Traps, x)
		}
		r.Traps = append(r.Traps, engine.TrapReport{Where: "done", Fetched: 3})
		var b strings.Builder
		printTraps(&b, r, "")
		out := b.String()
		named, addresses := strings.Count(out, "300 of place-"), strings.Count(out, "\n               http://a/")
		if named != min(places, trapsNamed) || addresses != 10*min(places, trapsShown) ||
			!strings.Contains(out, fmt.Sprintf("deferred   %d URLs", 300*places)) || strings.Contains(out, "done") {
			t.Errorf("of %d places %d are named, with %d addresses:\n%.3000s", places, named, addresses, out)
		}
		if more := fmt.Sprintf("and %d more;", places-trapsNamed); places > trapsNamed != strings.Contains(out, more) {
			t.Errorf("of %d places some are not counted:\n%.3000s", places, out)
		}
	}
}
