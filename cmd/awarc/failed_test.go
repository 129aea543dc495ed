package main

import (
	"fmt"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/awarc/awarc/frontier/cluster/clustertest"
)

// sickly is a site with links to some pages. Pages with certain names fail while it is ill.
type sickly struct {
	pages    []string
	mu       sync.Mutex
	ill      bool
	requests map[string]int
}

func newSickly(ill bool, pages ...string) *sickly {
	return &sickly{pages: pages, ill: ill, requests: map[string]int{}}
}

func (s *sickly) cure() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ill = false
}

func (s *sickly) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	s.requests[r.URL.Path]++
	ill := s.ill
	s.mu.Unlock()
	w.Header().Set("Content-Type", "text/html")
	text := "<html><title>" + r.URL.Path + "</title><p>A page."
	switch {
	case r.URL.Path == "/robots.txt":
		w.WriteHeader(http.StatusNotFound)
		return
	case r.URL.Path == "/":
		for _, name := range s.pages {
			text += fmt.Sprintf(`<a href="/%s">%[1]s</a> `, name)
		}
	case r.URL.Path == "/refused" && ill:
		w.WriteHeader(http.StatusServiceUnavailable)
	case r.URL.Path == "/cut" && ill:
		w.Header().Set("Content-Length", "1000000") // more than comes
	case r.URL.Path == "/gone" && ill:
		panic(http.ErrAbortHandler)
	case r.URL.Path == "/broken" && ill:
		w.WriteHeader(http.StatusInternalServerError)
	case r.URL.Path == "/silent" && ill:
		<-r.Context().Done()
		return
	case r.URL.Path == "/refused":
		text += `<a href="/behind">what only this page leads to</a>`
	}
	_, _ = w.Write([]byte(text + "</html>"))
}

// TestResumeFailedRequestsWhatFailed: pages that failed in any way, and a host that was down, are
// fetched in the same folder once they are well; nothing else is fetched twice, and no error remains.
func TestResumeFailedRequestsWhatFailed(t *testing.T) {
	t.Parallel()
	pages := []string{"well1", "well2", "refused", "cut", "gone"}
	site := newSickly(true, pages...)
	base := serve(t, site)
	down, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := down.Addr().String()
	down.Close()
	dir := filepath.Join(t.TempDir(), "crawl")
	awarc(t, "", "crawl", "--delay", "0", "--retry-delay", "0", "--min-space", "0", "--max-tries", "1", "--out", dir, base+"/",
		"http://"+address+"/").want(t, exitWithFaults)
	before := readReport(t, dir)
	if len(before.Errors) == 0 || before.Queue.Failed == 0 {
		t.Fatalf("nothing failed: %+v", before)
	}

	for _, format := range []string{"text", "html"} {
		o := awarc(t, "", "report", "--format", format, dir)
		host := strings.TrimPrefix(base, "http://")
		if !strings.Contains(o.out, host+": 4 of 6 URLs archived, 2 failed") ||
			!strings.Contains(o.out, address+": 0 of 1 URLs archived, 1 failed") {
			t.Errorf("the report in %s does not count by host:\n%.4000s", format, o.out)
		}
	}

	site.cure()
	again, err := net.Listen("tcp", address)
	if err != nil {
		t.Skip("the address is in use meanwhile:", err)
	}
	well := &httptest.Server{Listener: again, Config: &http.Server{Handler: newSickly(false, pages...)}}
	well.Start()
	t.Cleanup(well.Close)
	awarc(t, "", "resume", dir) // changes nothing
	if r := readReport(t, dir); !maps.Equal(r.Errors, before.Errors) {
		t.Errorf("resume alone changed the errors from %v to %v", before.Errors, r.Errors)
	}
	awarc(t, "", "resume", "--failed", dir).want(t, exitDone)
	r := readReport(t, dir)
	if len(r.Errors) > 0 || r.Queue.Failed > 0 || r.Pages != 14 || !r.Finished {
		t.Errorf("%d pages, %d failed, errors %v; before: %v", r.Pages, r.Queue.Failed, r.Errors, before.Errors)
	}
	site.mu.Lock()
	defer site.mu.Unlock()
	for path, n := range site.requests {
		if strings.HasPrefix(path, "/well") && n != 1 || path == "/" && n != 1 {
			t.Errorf("%s was requested %d times", path, n)
		}
	}
	if site.requests["/behind"] != 1 {
		t.Error("what a page that failed leads to was not fetched")
	}
	checkArchive(t, dir)
	awarc(t, "", "resume", "--failed", dir).want(t, exitDone, "no failed URL can be retried")
}

// TestResumeFailedEndsRests: a host that asked for five minutes of rest is requested at once.
func TestResumeFailedEndsRests(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	requested := false // since the host refused
	well := false
	base := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		w.Header().Set("Content-Type", "text/html")
		switch {
		case r.URL.Path == "/robots.txt":
			w.WriteHeader(http.StatusNotFound)
		case r.URL.Path == "/":
			fmt.Fprint(w, `<a href="/page">page</a>`)
		case !well:
			requested = true
			w.Header().Set("Retry-After", "300")
			w.WriteHeader(http.StatusServiceUnavailable)
		}
	}))
	dir := filepath.Join(t.TempDir(), "crawl")
	c := command(t, "crawl", "--delay", "0", "--min-space", "0", "--out", dir, base+"/")
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	until(t, "the refusal to be settled", func() bool {
		mu.Lock()
		defer mu.Unlock()
		log, _ := os.ReadFile(filepath.Join(dir, "log", "crawl.jsonl"))
		return requested && strings.Contains(string(log), `"status":503`)
	})
	_ = c.Process.Signal(os.Interrupt)
	if status := exitStatus(t, c); status != exitInterrupted {
		t.Errorf("exit status %d", status)
	}
	mu.Lock()
	well = true
	mu.Unlock()
	awarc(t, "", "resume", "--failed", "--time-limit", "60", dir).want(t, exitDone, "are cancelled")
	if r := readReport(t, dir); r.Pages != 2 {
		t.Errorf("%d pages", r.Pages)
	}
}

// busy refuses all but its robots.txt and front page, until it is well.
type busy struct {
	mu   sync.Mutex
	well bool
}

func (b *busy) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	b.mu.Lock()
	defer b.mu.Unlock()
	w.Header().Set("Content-Type", "text/html")
	switch {
	case r.URL.Path == "/robots.txt":
		w.WriteHeader(http.StatusNotFound)
	case r.URL.Path == "/":
		for n := range 20 {
			fmt.Fprintf(w, `<a href="/%d">page</a> `, n)
		}
	case !b.well:
		w.WriteHeader(http.StatusServiceUnavailable)
	}
}

// TestResumeFailedTriesHostsThatWereGivenUp: a host that refused for longer than the patience has
// its URLs requested again, by one process and by several nodes, and each error is taken back once.
func TestResumeFailedTriesHostsThatWereGivenUp(t *testing.T) {
	t.Parallel()
	for _, nodes := range []bool{false, true} {
		t.Run(fmt.Sprintf("nodes %v", nodes), func(t *testing.T) {
			site := &busy{}
			base := serve(t, site)
			dir := filepath.Join(t.TempDir(), "crawl")
			args := []string{"crawl", "--delay", "0", "--min-space", "0", "--patience", "1", "--out", dir, base + "/"}
			if nodes {
				args = append(args, "--frontier", clustertest.Start(t, 1, 0).URL(), "--crawl", "busy")
			}
			awarc(t, "", args...).want(t, exitWithFaults)
			if nodes {
				awarc(t, "", append(args, "--out", dir+"2")...).want(t, exitWithFaults)
			}
			if r := readReport(t, dir); r.Errors["host_refused"] != 20 {
				t.Errorf("errors %v", r.Errors)
			}
			site.mu.Lock()
			site.well = true
			site.mu.Unlock()
			resumed := make(chan outcome, 2)
			go func() { resumed <- awarc(t, "", "resume", "--failed", dir) }()
			if nodes {
				resumed <- awarc(t, "", "resume", "--failed", dir+"2")
				(<-resumed).want(t, exitDone)
			}
			(<-resumed).want(t, exitDone)
			if r := readReport(t, dir); len(r.Errors) > 0 || r.Pages != 21 {
				t.Errorf("%d pages, errors %v", r.Pages, r.Errors)
			}
		})
	}
}

// TestNodesRequestFailedURLsAgain: each node requests again what failed, and what it archived as
// seen logged out or in part. Nothing is counted twice, whichever node comes first.
func TestNodesRequestFailedURLsAgain(t *testing.T) {
	t.Parallel()
	form := func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(w, `<form action=/login method=post><input name=u><input type=password name=p></form>`)
	}
	members, pages := &club{left: 6, refuse: form}, newSickly(true, "broken", "silent", "cut", "well")
	seeds := []string{serve(t, members) + "/", serve(t, pages) + "/"}
	cookies := write(t, "cookies.txt", "127.0.0.1\tFALSE\t/\tFALSE\t0\tsid\tin\n")
	run := func(dir string, more ...string) outcome {
		flags := []string{"crawl", "--delay", "0", "--retry-delay", "0", "--timeout", "1", "--max-tries", "1", "--min-space", "0",
			"--cookies", cookies, "--out", dir}
		return awarc(t, "", slices.Concat(flags, more, seeds)...)
	}
	first := filepath.Join(t.TempDir(), "first")
	second := filepath.Join(filepath.Dir(first), "second")
	frontier := []string{"--frontier", clustertest.Start(t, 1, 0).URL(), "--crawl", "failed"}
	run(first, frontier...).want(t, exitWithFaults)
	run(second, frontier...).want(t, exitWithFaults)
	before := readReport(t, first)
	for _, kind := range []string{"logged_out", "http_500", "timeout", "truncated_disconnect"} {
		if before.Errors[kind] == 0 {
			t.Errorf("no error of kind %s: %v", kind, before.Errors)
		}
	}
	members.mu.Lock()
	members.left = -1
	members.mu.Unlock()
	pages.cure()
	awarc(t, "", "resume", "--failed", second).want(t, exitWithFaults, "archived by other nodes")
	if r := readReport(t, second); r.Queue.Failed > 0 || r.Errors["http_500"]+r.Errors["timeout"] > 0 || r.Errors["logged_out"] == 0 {
		t.Errorf("after the node that had archived nothing: %d failed, errors %v", r.Queue.Failed, r.Errors)
	}
	awarc(t, "", "resume", "--failed", first).want(t, exitDone)
	alone := filepath.Join(filepath.Dir(first), "alone")
	run(alone).want(t, exitDone)
	got, want := readReport(t, first), readReport(t, alone)
	if len(got.Errors) > 0 || got.Pages != want.Pages {
		t.Errorf("%d pages, want %d; errors %v", got.Pages, want.Pages, got.Errors)
	}
}

// TestCockpitRequestsFailedURLsAgain: the page and the API resume an incomplete crawl with its
// failed URLs.
func TestCockpitRequestsFailedURLsAgain(t *testing.T) {
	t.Parallel()
	site := &busy{}
	p := startCockpit(t)
	awarc(t, "", "crawl", "--delay", "0", "--min-space", "0", "--patience", "1", "--out", filepath.Join(p.dir, "page"),
		serve(t, site)+"/").want(t, exitWithFaults)
	if err := os.CopyFS(filepath.Join(p.dir, "api"), os.DirFS(filepath.Join(p.dir, "page"))); err != nil {
		t.Fatal(err)
	}
	site.mu.Lock()
	site.well = true
	site.mu.Unlock()

	c := &apiCrawl{t: t, api: p.base}
	c.want(http.StatusNotFound, "POST", "/crawls/none/api/v1/resume?failed=true", "")
	c.want(http.StatusBadRequest, "POST", "/crawls/api/api/v1/resume?failed=maybe", "")
	c.want(http.StatusCreated, "POST", "/crawls/api/api/v1/resume?failed=true", "")
	until(t, "the crawl to be complete", func() bool {
		_, text := c.call("GET", "/crawls/api/", "")
		return strings.Contains(text, `class="state complete"`)
	})
	if strings.Contains(c.want(http.StatusOK, "GET", "/crawls/api/", ""), "resume-failed") {
		t.Error("a complete crawl offers to request failed URLs")
	}

	b := openBrowser(t)
	b.open(p.base + "/crawls/page/")
	b.untilEnded(".state.incomplete", "failed")
	b.click("Retry failed URLs")
	b.untilEnded(".state.complete", "complete")
	for _, name := range []string{"page", "api"} {
		dir := filepath.Join(p.dir, name)
		if r := readReport(t, dir); len(r.Errors) > 0 || r.Queue.Failed > 0 {
			t.Errorf("%s: %d failed, errors %v", name, r.Queue.Failed, r.Errors)
		}
		checkArchive(t, dir)
	}
}
