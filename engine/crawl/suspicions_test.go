package crawl

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/awarc/awarc/engine"
)

// TestSuspicionsAndSeeds: a crawl that brought shells, repeated texts and failed requisites names
// each with an example, and says of each seed what became of it.
func TestSuspicionsAndSeeds(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		switch {
		case r.URL.Path == "/moved":
			http.Redirect(w, r, "/shell", http.StatusMovedPermanently)
		case r.URL.Path == "/shell":
			fmt.Fprint(w, `<body><div id="root"></div><script src="/app.js"></script>`)
		case r.URL.Path == "/":
			fmt.Fprint(w, `<link rel=stylesheet href=/style.css><p>A page of its own, with some words on it, and with links.`)
			for i := range 5 {
				fmt.Fprintf(w, `<a href="/same/%d">%d</a> `, i, i)
			}
		case strings.HasPrefix(r.URL.Path, "/same/"):
			fmt.Fprint(w, "<p>The thing that you are looking for is not here; go back to where you came from.")
		default:
			http.NotFound(w, r)
		}
	}))
	t.Cleanup(server.Close)
	seeds := []string{server.URL + "/", server.URL + "/moved", server.URL + "/gone"}
	o := Options{Seeds: seeds}
	o.Requisites, o.Browser = true, BrowserNever
	o.Delay, o.MinSpace = None, None
	c, err := New(filepath.Join(t.TempDir(), "crawl"), o)
	if err != nil {
		t.Fatal(err)
	}
	status, err := c.Run(t.Context())
	if err := errors.Join(err, c.Close()); err != nil || status != WithFaults { // one seed is gone
		t.Fatalf("the crawl ended with status %d: %v", status, err)
	}
	r := c.Report()
	count := func(kind string) (n int64) {
		for _, s := range r.Suspicions {
			if s.Kind == kind && s.Example != "" && s.Text != "" {
				n += s.Count
			}
		}
		return n
	}
	for kind, want := range map[string]int64{engine.SuspectShell: 1, engine.SuspectSameText: 4, engine.SuspectRequisite: 3} {
		if got := count(kind); got != want {
			t.Errorf("%d of %s, want %d: %+v", got, kind, want, r.Suspicions)
		}
	}
	if named := r.Outcomes.Named.Requisites; len(named) != 3 ||
		!slices.ContainsFunc(named, func(n engine.NamedURL) bool { return n.URL == server.URL+"/style.css" }) {
		t.Errorf("failed requisites %v", named)
	}
	want := []engine.SeedReport{
		{Seed: seeds[0], Status: 200, Pages: 7, Verdict: "archived"},
		{Seed: seeds[1], Status: 200, RedirectedTo: server.URL + "/shell", Pages: 7, Verdict: "archived"},
		{Seed: seeds[2], Status: 404, Pages: 7, Verdict: "fetched: status 404; error: faults/seed_http_404"},
	}
	if !slices.Equal(r.SeedsReport, want) {
		t.Errorf("seeds %+v", r.SeedsReport)
	}
	sum := engine.HostOutcomes{}
	for _, h := range r.Outcomes.Hosts {
		sum.Found += h.Found
		sum.Archived += h.Archived + h.Excluded + h.Failed + h.Deferred + h.Waiting
	}
	if sum.Found != r.Outcomes.Found || sum.Archived != sum.Found {
		t.Errorf("hosts add up to %+v of %d", sum, r.Outcomes.Found)
	}
}

// TestMissingStyles: a crawl without requisites reports the pages that link styles.
func TestMissingStyles(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		if r.URL.Path == "/" {
			fmt.Fprint(w, `<link rel="StyleSheet" href=/style.css><p>A page with styles. <a href=/plain>plain</a>`)
			return
		}
		fmt.Fprint(w, `<link rel=icon href=/icon.png><p>A page without styles.`)
	}))
	t.Cleanup(server.Close)
	for _, requisites := range []bool{false, true} {
		o := Options{Seeds: []string{server.URL + "/"}}
		o.Requisites = requisites
		o.Delay, o.MinSpace = None, None
		c, err := New(filepath.Join(t.TempDir(), "crawl"), o)
		if err != nil {
			t.Fatal(err)
		}
		status, err := c.Run(t.Context())
		if err := errors.Join(err, c.Close()); err != nil || status != Done {
			t.Fatalf("the crawl ended with status %d: %v", status, err)
		}
		var got []string
		for _, s := range c.Report().Suspicions {
			if s.Kind == engine.SuspectStyles {
				got = append(got, fmt.Sprint(s.Count, " ", s.Example))
			}
		}
		var want []string
		if !requisites {
			want = []string{"1 " + server.URL + "/"}
		}
		if !slices.Equal(got, want) {
			t.Errorf("requisites %v: styles missing %q, want %q", requisites, got, want)
		}
	}
}
