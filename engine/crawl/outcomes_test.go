package crawl

import (
	"errors"
	"path/filepath"
	"slices"
	"testing"

	"github.com/awarc/awarc/engine"
	"github.com/awarc/awarc/frontier"
)

// TestLostURLsAreNamed: a URL that the frontier has as fetched and the archive lacks is named, in a
// crawl that would be complete otherwise.
func TestLostURLsAreNamed(t *testing.T) {
	root := serve(t, "phpbb", "prosilver", 40)
	whole := crawled(t, filepath.Join(t.TempDir(), "crawl"), Options{Seeds: []string{root}})
	if o := whole.Outcomes; o == nil || o.Lost != 0 || o.Found == 0 || o.Found != o.Archived+o.ArchivedAsAnother ||
		whole.Verdict.State != engine.VerdictComplete {
		t.Errorf("%+v, outcomes of a complete crawl: %+v", whole.Verdict, o)
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
	if o := r.Outcomes; o.Lost != 1 || !slices.Equal(o.Named.Lost, []engine.NamedURL{{URL: missing}}) ||
		o.Found != whole.Outcomes.Found+1 || r.Errors["lost"] != 1 || r.Exit != int(WithFaults) {
		t.Errorf("exit %d, errors %v, outcomes %+v", r.Exit, r.Errors, o)
	}
	if v := r.Verdict; v.State != engine.VerdictIncomplete || v.Reasons[0] != (engine.VerdictReason{Kind: "lost",
		Count: 1, Example: missing}) {
		t.Errorf("verdict %+v", v)
	}
}
