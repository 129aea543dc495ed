package cockpit

import (
	"context"
	"net/http"
	"net/http/httptest"
	"net/url"
	"path/filepath"
	"strings"
	"testing"

	"github.com/awarc/awarc/engine/crawl"
)

// TestSchedule changes the budget and the interval of a watch, and shows its schedule.
func TestSchedule(t *testing.T) {
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/clock" {
			_, _ = w.Write([]byte(`{"unix": 1420070400, "speed": 0}`)) // a client that is gone reads nothing
			return
		}
		_, _ = w.Write([]byte(`<html><body><h1>Oars</h1><p>Ash and spruce.</p></body></html>`))
	}))
	defer site.Close()
	t.Setenv(crawl.ClockVariable, site.URL+"/clock")
	dir := filepath.Join(t.TempDir(), "crawl")
	c, err := crawl.New(dir, crawl.Options{Seeds: []string{site.URL + "/"},
		Politeness: crawl.Politeness{Contact: "me@example.org", Delay: crawl.None}})
	if err == nil {
		_, err = c.Run(context.Background())
	}
	if err == nil {
		err = c.Close()
	}
	if err == nil {
		c, err = crawl.Resume(dir, crawl.ResumeOptions{})
	}
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	change := func(budget, every string) error {
		r := httptest.NewRequest(http.MethodPost, "/control", strings.NewReader(url.Values{"budget": {budget}, "every": {every}}.Encode()))
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		return schedule(c, r)
	}
	if err := change("20/hour", ""); err == nil || !strings.Contains(err.Error(), "not a watch") {
		t.Errorf("%v; want an error: the crawl is not a watch", err)
	}
	if err := c.Watch(crawl.WatchOptions{}); err != nil {
		t.Fatal(err)
	}
	for _, wrong := range [][2]string{{"many", ""}, {"-1/day", ""}, {"", "soon"}} {
		if change(wrong[0], wrong[1]) == nil {
			t.Errorf("%q was accepted", wrong)
		}
	}
	if err := change("20/hour", "2d"); err != nil {
		t.Fatal(err)
	}
	text, err := rendered("live", "schedule", liveView{crawlView: crawlView{Report: c.Report()}})
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"of a budget of 480 a day", "every 48h0m0s", "the watch is not behind"} {
		if !strings.Contains(string(text), want) {
			t.Errorf("no %q in %s", want, text)
		}
	}
}
