package crawl

import (
	"errors"
	"path/filepath"
	"slices"
	"testing"

	"github.com/awarc/awarc/frontier"
)

// TestEndsAreCheckedAtTheEnd: what the frontier takes for fetched and the archive has not is named, in a crawl that would be perfect.
func TestEndsAreCheckedAtTheEnd(t *testing.T) {
	root := serve(t, "phpbb", "prosilver", 40)
	whole := crawled(t, filepath.Join(t.TempDir(), "crawl"), Options{Seeds: []string{root}})
	if e := whole.Ends; e == nil || e.Lost != 0 || e.Found == 0 || e.Found != e.Archived+e.AsAnother {
		t.Errorf("ends of a whole crawl: %+v", e)
	}

	o := Options{Seeds: []string{root}}
	o.Delay, o.MinSpace = None, None
	c, err := New(filepath.Join(t.TempDir(), "crawl"), o)
	if err != nil {
		t.Fatal(err)
	}
	missing := root + "never-asked-for"
	if _, err := c.frontier.Add(t.Context(), []frontier.URL{{URL: missing, Key: missing, Priority: 1000, Immediate: true}}); err != nil {
		t.Fatal(err)
	}
	lease, err := c.frontier.Next(t.Context())
	if err != nil || lease.URL.URL != missing {
		t.Fatalf("leased %s, %v", lease.URL.URL, err)
	}
	if err := c.frontier.Done(lease, frontier.Outcome{State: frontier.Fetched, Reason: "status 200"}); err != nil {
		t.Fatal(err)
	}
	status, err := c.Run(t.Context())
	if err := errors.Join(err, c.Close()); err != nil || status != WithFaults {
		t.Fatalf("the crawl ended with status %d: %v", status, err)
	}
	r := c.Report()
	if e := r.Ends; e.Lost != 1 || !slices.Equal(e.LostURLs, []string{missing}) || e.Found != whole.Ends.Found+1 || r.Errors["lost"] != 1 ||
		r.Exit != int(WithFaults) {
		t.Errorf("exit %d, errors %v, ends %+v", r.Exit, r.Errors, e)
	}
}
