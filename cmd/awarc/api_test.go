package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/awarc/awarc/engine"
	"github.com/awarc/awarc/engine/crawl"
)

// endlessSite has pages that lead on without end, and remembers what was asked.
type endlessSite struct {
	mu    sync.Mutex
	asked []string
}

func (s *endlessSite) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	s.asked = append(s.asked, r.URL.Path)
	n := len(s.asked)
	s.mu.Unlock()
	if r.URL.Path == "/robots.txt" {
		http.NotFound(w, r)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	fmt.Fprintf(w, "<!DOCTYPE html><title>%s</title><a href=/next/%d>on</a><a href=/spam/%d>more</a>", r.URL.Path, n, n)
}

func (s *endlessSite) paths() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]string(nil), s.asked...)
}

func (s *endlessSite) has(path string) bool {
	for _, p := range s.paths() {
		if p == path {
			return true
		}
	}
	return false
}

// apiCrawl is a crawl with an API.
type apiCrawl struct {
	t     *testing.T
	site  *endlessSite
	root  string // of the site
	api   string
	dir   string
	errs  *lockedBuffer
	ended chan int
}

func startAPICrawl(t *testing.T, args ...string) *apiCrawl {
	t.Helper()
	site := new(endlessSite)
	server := httptest.NewServer(site)
	t.Cleanup(server.Close)
	c := &apiCrawl{t: t, site: site, root: server.URL, dir: filepath.Join(t.TempDir(), "crawl"), errs: new(lockedBuffer),
		ended: make(chan int, 1)}
	all := append([]string{"crawl", "--delay", "0", "--min-space", "0", "--no-traps", "--api", "127.0.0.1:0", "--out", c.dir}, args...)
	ctx, cancel := context.WithCancel(t.Context())
	over := make(chan struct{})
	go func() {
		defer close(over)
		c.ended <- run(ctx, append(all, server.URL+"/"), streams{nil, io.Discard, c.errs})
	}()
	t.Cleanup(func() {
		cancel()
		<-over
	})
	address := regexp.MustCompile(`API at (http://\S+)/`)
	until(t, "the API", func() bool {
		m := address.FindStringSubmatch(c.errs.String())
		if m != nil {
			c.api = m[1]
		}
		return m != nil
	})
	return c
}

// call makes one request; it returns status 0 when the API is gone.
func (c *apiCrawl) call(method, path, body string, header ...string) (int, string) {
	r, err := http.NewRequest(method, c.api+path, strings.NewReader(body))
	if err != nil {
		c.t.Fatal(err)
	}
	if body != "" {
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded") // as curl -d sends it
	}
	for i := 0; i+1 < len(header); i += 2 {
		if header[i] == "Host" {
			r.Host = header[i+1]
		}
		r.Header.Set(header[i], header[i+1])
	}
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		return 0, err.Error()
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		return 0, err.Error()
	}
	return response.StatusCode, string(text)
}

func (c *apiCrawl) want(status int, method, path, body string, header ...string) string {
	c.t.Helper()
	have, text := c.call(method, path, body, header...)
	if have != status {
		c.t.Fatalf("%s %s: status %d, want %d\n%s", method, path, have, status, text)
	}
	return text
}

func TestURLsAreInjectedIntoARunningCrawl(t *testing.T) {
	t.Parallel()
	c := startAPICrawl(t, "--pprof")
	until(t, "some pages", func() bool { return len(c.site.paths()) > 5 })
	c.want(200, "POST", "/api/v1/pause", "")
	until(t, "the end of the exchanges in flight", func() bool {
		return strings.Contains(c.want(200, "GET", "/metrics", ""), `awarc_urls{state="leased"} 0`)
	})
	before := len(c.site.paths())
	text := c.want(200, "POST", "/api/v1/urls", fmt.Sprintf(`[{"url": "%[1]s/wanted", "score": 1}, {"url": "%[1]s/least", "score": 0},
		{"url": "%[1]s/spam/7", "blacklisted": true}, {"url": "%[1]s/never", "blacklisted": true},
		{"url": "http://elsewhere.test/", "score": 0.5}, {"url": "ftp://x/", "score": 0.5}, {"url": "%[1]s/x", "score": 2},
		{"url": "%[1]s/y"}]`, c.root))
	var done engine.Injected
	if err := json.Unmarshal([]byte(text), &done); err != nil {
		t.Fatal(err)
	}
	if done.Added != 2 || done.Blacklisted != 2 || len(done.Refused) != 4 {
		t.Errorf("answer %+v", done)
	}
	// A blacklisted URL stays out whatever comes later.
	text = c.want(200, "POST", "/api/v1/urls", fmt.Sprintf(`[{"url": "%s/never", "score": 1}]`, c.root))
	if err := json.Unmarshal([]byte(text), &done); err != nil || done.Added != 0 {
		t.Errorf("a blacklisted URL was injected again: %s", text)
	}
	c.want(200, "POST", "/api/v1/resume", "")
	until(t, "the wanted page", func() bool { return c.site.has("/wanted") })
	after := c.site.paths()[before:]
	if after[0] != "/wanted" {
		t.Errorf("after the pause came %v", after[:min(3, len(after))])
	}
	var report engine.Report
	until(t, "100 pages", func() bool {
		if err := json.Unmarshal([]byte(c.want(200, "GET", "/api/v1/report", "")), &report); err != nil {
			t.Fatal(err)
		}
		return report.Pages >= 100
	})
	explained := c.want(200, "GET", "/api/v1/explain?url="+c.root+"/never", "")
	if !strings.Contains(explained, `"named over the API","blacklisted"`) || !strings.Contains(explained, "excluded") {
		t.Errorf("explained as %s", explained)
	}
	if report.Links.Blacklisted != 2 {
		t.Errorf("links %+v", report.Links)
	}
	for _, step := range []string{"fetch", "parse", "detect", "extract", "graph", "archive", "frontier"} {
		if report.Steps[step] <= 0 {
			t.Errorf("the steps took %v", report.Steps)
		}
	}
	if profiles := c.want(200, "GET", "/debug/pprof/", ""); !strings.Contains(profiles, "heap") {
		t.Errorf("profiles: %s", profiles)
	}
	metrics := c.want(200, "GET", "/metrics", "")
	for _, want := range []string{"awarc_pages_total ", `awarc_urls{state="pending"} `, "awarc_paused 0",
		`awarc_responses_total{status="200"} `, `awarc_step_seconds_total{step="parse"} 0.`} {
		if !strings.Contains(metrics, want) {
			t.Errorf("the metrics lack %q:\n%s", want, metrics)
		}
	}
	if text := c.want(200, "GET", "/healthz", ""); text != "ok\n" {
		t.Errorf("health: %q", text)
	}
	c.want(202, "POST", "/api/v1/stop", "")
	if status := <-c.ended; status != exitInterrupted {
		t.Errorf("exit status %d\n%s", status, c.errs.String())
	}
	if c.site.has("/never") { // /least may come, when all links of the pages that were read are fetched
		t.Error("a blacklisted page was fetched")
	}
	if s, _ := c.call("GET", "/healthz", ""); s != 0 {
		t.Error("the API outlives the crawl")
	}
}

func TestPausedCrawlCanBeStopped(t *testing.T) {
	t.Parallel()
	c := startAPICrawl(t)
	until(t, "some pages", func() bool { return len(c.site.paths()) > 3 })
	c.want(200, "POST", "/api/v1/pause", "")
	c.want(202, "POST", "/api/v1/stop", "")
	if status := <-c.ended; status != exitInterrupted {
		t.Errorf("exit status %d", status)
	}
}

func TestDomainsAreRuledByFileAndAPI(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "domains.yaml")
	if err := os.WriteFile(file, []byte("127.0.0.1: {budget: 20, delay: 0s}\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	c := startAPICrawl(t, "--domains", file)
	if status := <-c.ended; status != exitLimit {
		t.Errorf("exit status %d of a crawl whose only domain has used up its budget\n%s", status, c.errs.String())
	}
	if n := len(c.site.paths()); n < 20 || n > 21 { // robots.txt and a request in flight
		t.Errorf("%d requests, want the budget of 20", n)
	}

	c = startAPICrawl(t, "--domains", file)
	c.want(200, "PUT", "/api/v1/domains/127.0.0.1", `{"budget": 1000000}`)
	until(t, "more than the budget of the file", func() bool { return len(c.site.paths()) > 40 })
	if err := os.WriteFile(file, []byte("127.0.0.1: {bugdet: 5}\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	until(t, "the refusal", func() bool { return strings.Contains(c.errs.String(), "bugdet") })
	if err := os.WriteFile(file, []byte("127.0.0.1: {off: true}\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if status := <-c.ended; status != exitLimit {
		t.Errorf("exit status %d of a crawl whose only domain is off", status)
	}
}

func TestAPIRefuses(t *testing.T) {
	t.Parallel()
	c := startAPICrawl(t)
	urls := `[{"url": "` + c.root + `/x", "score": 1}]`
	for name, test := range map[string]struct {
		status             int
		method, path, body string
		header             []string
	}{
		"a form of another site":        {403, "POST", "/api/v1/pause", "", []string{"Sec-Fetch-Site", "cross-site"}},
		"a script of another site":      {403, "POST", "/api/v1/urls", urls, []string{"Origin", "http://evil.example"}},
		"a name that was made to point": {403, "GET", "/api/v1/report", "", []string{"Host", "evil.example"}},
		"no JSON": {400, "POST", "/api/v1/urls", "url=x",
			[]string{"Content-Type", "application/x-www-form-urlencoded"}},
		"no list":                        {400, "POST", "/api/v1/urls", `{"url": "x"}`, nil},
		"unknown members":                {400, "POST", "/api/v1/urls", `[{"url": "x", "scroe": 1}]`, nil},
		"two values":                     {400, "POST", "/api/v1/urls", urls + urls, nil},
		"too many bytes":                 {413, "POST", "/api/v1/urls", `["` + strings.Repeat("x", maxRequestBytes) + `"]`, nil},
		"failed URLs of a running crawl": {409, "POST", "/api/v1/resume?failed=true", "", nil},
		"a method":                       {405, "GET", "/api/v1/pause", "", nil},
		"a path":                         {404, "GET", "/api/v2/report", "", nil},
		"no URL":                         {400, "GET", "/api/v1/explain", "", nil},
		"a negative budget":              {400, "PUT", "/api/v1/domains/a.test", `{"budget": -1}`, nil},
	} {
		if status, text := c.call(test.method, test.path, test.body, test.header...); status != test.status {
			t.Errorf("%s: status %d, want %d: %.200s", name, status, test.status, text)
		}
	}
}

func TestAPIWantsATokenWhereOthersReachIt(t *testing.T) {
	t.Parallel()
	var errs strings.Builder
	args := []string{"crawl", "--api", "0.0.0.0:0", "--dry-run", "http://a.test/"}
	if status := run(t.Context(), args, streams{nil, io.Discard, &errs}); status != exitUsage ||
		!strings.Contains(errs.String(), "--api-token") {
		t.Errorf("exit status %d: %s", status, errs.String())
	}
	c := startAPICrawl(t, "--api-token", "secret")
	c.want(401, "GET", "/api/v1/report", "")
	c.want(401, "GET", "/api/v1/report", "", "Authorization", "Bearer wrong")
	c.want(200, "GET", "/api/v1/report", "", "Authorization", "Bearer secret", "Host", "crawler.example")
	settings, err := os.ReadFile(filepath.Join(c.dir, crawl.SettingsFile))
	if err != nil || strings.Contains(string(settings), "secret") {
		t.Errorf("the token is on the disk, or: %v", err)
	}
	c.want(202, "POST", "/api/v1/stop", "", "Authorization", "Bearer secret")
	<-c.ended
}
