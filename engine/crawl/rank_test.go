package crawl_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/awarc/awarc/engine/crawl"
)

// deep is a chain of 60 pages. Every other one has a table.
func deep(w http.ResponseWriter, r *http.Request) {
	var n int
	if _, err := fmt.Sscanf(r.URL.Path, "/%d", &n); err != nil || n >= 60 {
		http.NotFound(w, r)
		return
	}
	w.Header().Set("Content-Type", "text/html")
	fmt.Fprintf(w, `<p>Page of %s number %d.<a href="/%d">next</a>`, strings.Repeat("words ", 20), n, n+1)
	if n%2 == 0 {
		fmt.Fprint(w, "<p>Figures and columns.<table></table>")
	}
}

// ended runs a session to its end.
func ended(t *testing.T, c *crawl.Crawl, err error) (crawl.Status, *crawl.Crawl) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	status, err := c.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
	return status, c
}

// TestRankIsCovered: the crawl stops with the guarantee that it was asked for, which for a chain of pages is 1-0.85^pages. A resumed crawl
// begins with the rank of the earlier session.
func TestRankIsCovered(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(deep))
	defer server.Close()
	o := crawl.Options{Seeds: []string{server.URL + "/0"}, Politeness: crawl.Politeness{Contact: "me@example.org", Delay: crawl.None},
		Limits: crawl.Limits{RankMass: 0.8}}
	dir := filepath.Join(t.TempDir(), "c")
	c, err := crawl.New(dir, o)
	status, c := ended(t, c, err)
	r := c.Report()
	if status != crawl.LimitReached || r.Pages != 10 || r.Rank == nil || r.Rank.Covered < 0.8 || r.Rank.Covered > 0.81 {
		t.Fatalf("status %v after %d pages, %+v; expected 10 pages, which cover 0.803", status, r.Pages, r.Rank)
	}
	o.RankMass = 0.95
	c, err = crawl.Resume(dir, crawl.ResumeOptions{Changes: crawl.Changes{Options: o, Names: []string{"RankMass"}}})
	status, c = ended(t, c, err)
	if r := c.Report(); status != crawl.LimitReached || r.Pages != 19 || r.Rank.Covered < 0.95 || r.Stopped != "rank covered" {
		t.Errorf("status %v after %d pages, %+v; expected 19 pages", status, r.Pages, r.Rank)
	}
}

// spoil makes the log of a crawl name a missing archive file for a page.
func spoil(t *testing.T, dir, page string) {
	t.Helper()
	name := filepath.Join(dir, "log", "crawl.jsonl")
	log, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.SplitAfter(string(log), "\n")
	for i, l := range lines {
		if strings.Contains(l, `"`+page+`"`) && strings.Contains(l, `"status":200`) {
			lines[i] = strings.Replace(l, `"file":"`, `"file":"gone-`, 1)
			break
		}
	}
	if err := os.WriteFile(name, []byte(strings.Join(lines, "")), 0o644); err != nil {
		t.Fatal(err)
	}
}

// TestContextOfEarlierCrawl: a crawl takes its context graph from an earlier one, keeps it, and explains by it.
func TestContextOfEarlierCrawl(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(deep))
	defer server.Close()
	o := crawl.Options{Seeds: []string{server.URL + "/0"}, Politeness: crawl.Politeness{Contact: "me@example.org", Delay: crawl.None}}
	dir := t.TempDir()
	earlier, now := filepath.Join(dir, "earlier"), filepath.Join(dir, "now")
	c, err := crawl.New(earlier, o)
	ended(t, c, err)
	o.Context = earlier
	if _, err := crawl.New(now, o); err == nil || !strings.Contains(err.Error(), "targets") {
		t.Errorf("without targets: %v", err)
	}
	o.Targets = []string{"//form"}
	if _, err := crawl.New(now, o); err == nil {
		t.Error("an earlier crawl without targets is accepted")
	}
	spoil(t, earlier, server.URL+"/1")
	noted := ""
	o.Events.Noted = func(format string, args ...any) { noted += fmt.Sprintf(format, args...) }
	o.Targets, o.Limit = []string{"//table"}, 5
	c, err = crawl.New(now, o)
	if !strings.Contains(noted, "1 pages") || !strings.Contains(noted, server.URL+"/1:") {
		t.Errorf("the page that cannot be read is not reported: %q", noted)
	}
	ended(t, c, err)
	c, err = crawl.Resume(now, crawl.ResumeOptions{Changes: crawl.Changes{Options: crawl.Options{}, Names: []string{"Limit"}}})
	ended(t, c, err)
	for page, want := range map[string]string{"/5": "layer 0", "/8": "layer 1"} {
		u, err := url.Parse(server.URL + page)
		if err != nil {
			t.Fatal(err)
		}
		x, err := crawl.Explain(t.Context(), now, "", u)
		if err != nil || !strings.Contains(strings.Join(x.Why, "\n"), want) {
			t.Errorf("%s: %v %+v, expected %s", page, err, x, want)
		}
	}
}
