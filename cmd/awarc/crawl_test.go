package main

import (
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/awarc/awarc/engine"
	"github.com/awarc/awarc/engine/archive"
	"github.com/awarc/awarc/engine/crawl"
	"github.com/awarc/awarc/testsites"
)

func serve(t *testing.T, h http.Handler) string {
	t.Helper()
	s := httptest.NewServer(h)
	t.Cleanup(func() {
		s.CloseClientConnections()
		s.Close()
	})
	return s.URL
}

func serveTLS(t *testing.T, h http.Handler) string {
	t.Helper()
	s := httptest.NewTLSServer(h)
	s.Config.ErrorLog = log.New(io.Discard, "", 0)
	t.Cleanup(s.Close)
	return s.URL
}

func board(t *testing.T, posts int) *testsites.Site {
	t.Helper()
	s, err := testsites.New("phpbb", "prosilver", testsites.Options{Seed: 9, Posts: posts})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// runCrawl runs a crawl into a new folder. Flags may replace those that tests want.
func runCrawl(t *testing.T, args ...string) (dir string, o outcome) {
	t.Helper()
	dir = filepath.Join(t.TempDir(), "crawl")
	return dir, awarc(t, "", append([]string{"crawl", "--delay", "0", "--retry-delay", "1s", "--min-space", "0", "--out", dir}, args...)...)
}

func readReport(t *testing.T, dir string) *engine.Report {
	t.Helper()
	r, err := engine.ReadReport(filepath.Join(dir, "report.json"))
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func readLog(t *testing.T, dir string) []engine.Exchanged {
	t.Helper()
	var log []engine.Exchanged
	for _, line := range readLines(t, filepath.Join(dir, "log", "crawl.jsonl")) {
		var e engine.Exchanged
		if err := json.Unmarshal([]byte(line), &e); err != nil {
			t.Fatal(err)
		}
		log = append(log, e)
	}
	return log
}

// refusing returns an address that refuses connections for as long as the test runs: that of a connection's
// near end. The port of a listener that was closed would be given to the next server that asks for one.
func refusing(t *testing.T) string {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	c, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close(); l.Close() })
	return c.LocalAddr().String()
}

func TestFaultsOfServers(t *testing.T) {
	t.Parallel()
	closed := "http://" + refusing(t) + "/"
	page := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprint(w, "<html><title>fine</title>")
	})
	for _, c := range []struct {
		name   string
		seeds  []string
		flags  []string
		status int
		says   string
		errors string
	}{
		{"unreachable", []string{closed}, nil, exitFailed, "refused", "refused"},
		{"unknown host", []string{"http://no-such-host.invalid/"}, nil, exitFailed, "no-such-host.invalid", "dns"},
		{"no TLS", []string{strings.Replace(serve(t, page), "http://", "https://", 1) + "/"}, nil, exitFailed, "handshake", "tls"},
		{"bad certificate", []string{serveTLS(t, page) + "/"}, []string{"--verify-tls"}, exitFailed, "certificate", "tls"},
		{"garbage", []string{serve(t, testsites.Garbage()) + "/"}, nil, exitFailed, "not HTTP", "protocol"},
		{"garbage after robots", []string{serve(t, testsites.Robots(testsites.Garbage(), "")) + "/"}, nil, exitFailed, "not HTTP",
			"protocol"},
		{"redirect loop", []string{serve(t, testsites.Robots(testsites.RedirectLoop(30), "")) + "/"}, nil, exitFailed, "redirect",
			"redirect_loop"},
		{"redirects round", []string{serve(t, testsites.Robots(testsites.RedirectLoop(2), "")) + "/"}, nil, exitFailed,
			"no seed could be fetched", ""},
		{"robots forbid all", []string{serve(t, testsites.Robots(page, "User-agent: *\nDisallow: /\n")) + "/"}, nil, exitFailed,
			"robots.txt", "seed_excluded_by_robots"},
		{"robots unreachable", []string{serve(t, testsites.RobotsError(page, 500)) + "/", "--patience", "1s"}, nil, exitFailed,
			"refused all requests", "host_refused"},
		{"503 for ever", []string{serve(t, testsites.Robots(testsites.Unavailable(page, -1, 0), "")) + "/", "--patience", "1s"}, nil,
			exitFailed, "refused all requests", "host_refused"},
		{"not found", []string{serve(t, http.NotFoundHandler()) + "/"}, nil, exitFailed, "404", "seed_http_404"},
		{"one of two", []string{closed, serve(t, page) + "/"}, nil, exitWithFaults, "", "refused"},
		{"cut short", []string{serve(t, testsites.Robots(testsites.CutShort(1000), "")) + "/"}, nil, exitWithFaults, "",
			"truncated_disconnect"},
		{"endless body", []string{serve(t, testsites.Robots(testsites.Endless(0), "")) + "/"}, []string{"--max-body", "200K"},
			exitWithFaults, "", "truncated_length"},
		{"drip", []string{serve(t, testsites.Robots(testsites.Endless(20*time.Millisecond), "")) + "/"},
			[]string{"--speed-limit", "100K", "--speed-time", "200ms"}, exitWithFaults, "", "too_slow"},
		{"a little unavailable", []string{serve(t, testsites.Robots(testsites.Unavailable(page, 1, time.Second), "")) + "/"},
			[]string{"--max-tries", "2"}, exitDone, "", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			dir, o := runCrawl(t, slices.Concat([]string{"--max-tries", "1"}, c.flags, c.seeds)...)
			o.want(t, c.status, c.says)
			r := readReport(t, dir)
			if !r.Finished || r.Exit != c.status {
				t.Errorf("the report says finished %v with exit %d", r.Finished, r.Exit)
			}
			if c.errors != "" && r.Errors[c.errors] == 0 || c.status == exitDone && len(r.Errors) > 0 {
				t.Errorf("the report lists %v, want %q", r.Errors, c.errors)
			}
			checkArchive(t, dir)
			checkLogAndReport(t, dir)
			if strings.HasPrefix(c.errors, "truncated_") {
				log := readLog(t, dir)
				last := log[len(log)-1]
				if last.Truncated != strings.TrimPrefix(c.errors, "truncated_") ||
					!strings.Contains(warcText(t, dir), "WARC-Truncated: "+last.Truncated) {
					t.Errorf("truncated %q in the log, or not marked so in the WARC file", last.Truncated)
				}
			}
		})
	}
}

// warcText is all the records of a crawl.
func warcText(t *testing.T, dir string) string {
	t.Helper()
	files, _ := filepath.Glob(filepath.Join(dir, "archive", "*.warc.gz"))
	var b strings.Builder
	for _, f := range files {
		for _, line := range readLines(t, f) {
			b.WriteString(line + "\n")
		}
	}
	return b.String()
}

// checkLogAndReport compares the log with the report: one line an exchange.
func checkLogAndReport(t *testing.T, dir string) {
	t.Helper()
	r := readReport(t, dir)
	var requests, bytes int64
	records := map[string]bool{}
	for _, e := range readLog(t, dir) {
		if e.Status > 0 || e.Bytes > 0 {
			requests++
		}
		bytes += e.Bytes
		if e.Record != "" && records[e.Record] {
			t.Errorf("the record %s is twice in the log", e.Record)
		}
		records[e.Record] = true
	}
	if r.Requests < requests || r.BytesIn != bytes {
		t.Errorf("the report counts %d requests and %d bytes, the log %d and %d", r.Requests, r.BytesIn, requests, bytes)
	}
	var size int64
	files, _ := filepath.Glob(filepath.Join(dir, "archive", "*[0-9].warc.gz"))
	for _, f := range files {
		if info, err := os.Stat(f); err == nil {
			size += info.Size()
		}
	}
	if r.WARCBytes != size {
		t.Errorf("the report says %d bytes of WARC, there are %d", r.WARCBytes, size)
	}
}

func TestReportHasTheDocumentedFields(t *testing.T) {
	site := board(t, 30)
	dir, o := runCrawl(t, "--format", "json", serve(t, site)+"/")
	o.want(t, exitDone)
	file, err := os.ReadFile(filepath.Join(dir, "report.json"))
	if err != nil {
		t.Fatal(err)
	}
	for name, data := range map[string][]byte{"report.json": file, "standard output": []byte(o.out)} {
		var r map[string]any
		if err := json.Unmarshal(data, &r); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		for _, field := range []string{"started", "ended", "duration_s", "finished", "exit", "requests", "pages", "bytes_in", "warc_bytes",
			"types", "levels", "objects",
			"triples", "links", "adaptation", "plugins", "errors"} {
			if r[field] == nil {
				t.Errorf("%s has no %s", name, field)
			}
		}
		for group, fields := range map[string][]string{"links": {"followed", "skipped_by_kb", "out_of_scope", "excluded_by_robots",
			"duplicates", "blacklisted"},
			"adaptation": {"attempted", "confirmed", "persisted", "failed"}} {
			for _, f := range fields {
				if m, ok := r[group].(map[string]any); !ok || m[f] == nil {
					t.Errorf("%s has no %s in %s", name, f, group)
				}
			}
		}
		for _, field := range []string{"started", "ended"} {
			if _, err := time.Parse(time.RFC3339, fmt.Sprint(r[field])); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
	r := readReport(t, dir)
	requests := site.Requests()
	if r.Requests != int64(requests.Total) || r.Pages != int64(requests.Status[200]) || r.Types["phpbb"] != r.Pages || r.Triples == 0 {
		t.Errorf("the report says %d requests, %d pages (%v), %d triples; the site was asked %d times", r.Requests, r.Pages, r.Types,
			r.Triples, requests.Total)
	}
	if triples := len(slices.Concat(graphLines(t, dir)...)); int64(triples) != r.Triples {
		t.Errorf("the report says %d triples, the graph has %d", r.Triples, triples)
	}
	if r.Links.Followed != int64(requests.Total-2) { // neither the seed nor robots.txt
		t.Errorf("%d links followed, %d requests", r.Links.Followed, requests.Total)
	}
}

func graphLines(t *testing.T, dir string) (lines [][]string) {
	files, _ := filepath.Glob(filepath.Join(dir, "graph", "*.nq.gz"))
	for _, f := range files {
		lines = append(lines, readLines(t, f))
	}
	return lines
}

func TestDefaultFolderAndSeedsFromStandardInput(t *testing.T) {
	t.Chdir(t.TempDir())
	site := board(t, 10)
	o := awarc(t, serve(t, site)+"/", "crawl", "--delay", "0", "--min-space", "0", "--seed-file", "-")
	o.want(t, exitDone, "no --contact")
	made, _ := filepath.Glob("crawl-127.0.0.1-*-*")
	if len(made) != 1 {
		t.Fatalf("it made %v", made)
	}
	checkArchive(t, made[0])
}

func TestPathsAreFoundFromAnyFolder(t *testing.T) {
	t.Chdir(t.TempDir())
	for name, text := range map[string]string{"cookies.txt": "", "more.xml": "<kb xmlns=\"urn:awarc:kb:1\"></kb>"} {
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	s, err := crawl.Check("", crawl.Options{Seeds: []string{"http://a.example/"},
		Knowledge: crawl.Knowledge{KB: []string{"more.xml"}}, Fetching: crawl.Fetching{Cookies: "cookies.txt"}})
	if err != nil {
		t.Fatal(err)
	}
	if !filepath.IsAbs(s.Flags.KB[0]) || !filepath.IsAbs(s.Flags.Cookies) {
		t.Errorf("the settings hold %s and %s", s.Flags.KB[0], s.Flags.Cookies)
	}
}

func TestLimitsAndResume(t *testing.T) {
	t.Parallel()
	site := board(t, 60)
	base := serve(t, site)
	dir, o := runCrawl(t, "--limit", "5", base+"/")
	o.want(t, exitLimit)
	if !strings.Contains(o.out, "awarc resume --limit 10 "+dir) || !strings.Contains(o.out, "page limit") {
		t.Errorf("it does not say how to go on: %s", o.out)
	}
	checkArchive(t, dir)
	if r := readReport(t, dir); r.Pages != 5 || r.Finished || r.Exit != exitLimit || r.Stopped != "page limit" || r.Queue.Pending == 0 {
		t.Errorf("the report: %+v", r)
	}

	awarc(t, "", "resume", dir).want(t, exitLimit) // the limit is one of the crawl
	if r := readReport(t, dir); r.Pages != 5 || site.Requests().Total != 6 {
		t.Errorf("resumed at its limit it went on: %d pages, %d requests", r.Pages, site.Requests().Total)
	}
	awarc(t, "", "resume", "--limit", "8", dir).want(t, exitLimit)
	if r := readReport(t, dir); r.Pages != 8 {
		t.Errorf("with a new limit it has %d pages", r.Pages)
	}
	awarc(t, "", "resume", "--limit", "0", "--size-limit", "1K", dir).want(t, exitLimit)
	awarc(t, "", "resume", "--size-limit", "0", "--time-limit", "1ns", dir).want(t, exitLimit)
	awarc(t, "", "resume", "--time-limit", "0", dir).want(t, exitDone)
	checkTruth(t, dir, site, base)
	checkArchive(t, dir)
	if twice := site.Requests().Twice(); len(twice) > 0 {
		t.Errorf("asked for more than once: %v", twice)
	}

	before, err := os.ReadFile(filepath.Join(dir, "report.json"))
	if err != nil {
		t.Fatal(err)
	}
	asked := site.Requests().Total
	awarc(t, "", "resume", dir).want(t, exitDone, "already finished")
	after, err := os.ReadFile(filepath.Join(dir, "report.json"))
	if err != nil || string(after) != string(before) || site.Requests().Total != asked {
		t.Errorf("resuming a finished crawl changed its report, or asked for something: %v", err)
	}
	checkArchive(t, dir)
}

func TestResumeKeepsTheFlags(t *testing.T) {
	t.Parallel()
	site := board(t, 60)
	base := serve(t, site)
	dir, o := runCrawl(t, "--blind", "--limit", "3", "--user-agent", "tester/1.0", "--exclude", `[?&](sid|sk|hilit|start)=`, "--exclude",
		"posting", "--warc-prefix", "mine", "--delay", "1ms", base+"/")
	o.want(t, exitLimit)
	awarc(t, "", "resume", "--limit", "12", dir).want(t, exitLimit)
	for _, e := range site.Requests().Log {
		if e.UserAgent != "tester/1.0" || strings.Contains(e.URL, "posting") {
			t.Errorf("%s was asked for as %s", e.URL, e.UserAgent)
		}
	}
	for _, e := range readLog(t, dir) {
		if e.Type != "" || e.File != "" && !strings.HasPrefix(e.File, "mine-") {
			t.Errorf("%s is of type %q in %s", e.URL, e.Type, e.File)
		}
	}
}

func TestOneProcessToADirectory(t *testing.T) {
	t.Parallel()
	site := board(t, 30)
	dir, o := runCrawl(t, "--limit", "1", serve(t, site)+"/")
	o.want(t, exitLimit)
	x, err := crawl.Resume(dir, crawl.ResumeOptions{})
	if err != nil {
		t.Fatal(err)
	}
	awarc(t, "", "resume", dir).want(t, exitFailed, "another process is using it")
	awarc(t, "", "explain", dir, "http://a.example/").want(t, exitFailed, "another command is using the crawl")
	awarc(t, "", "crawl", "--out", dir, "http://a.example/").want(t, exitUsage, "awarc resume "+dir)
	if err := x.Close(); err != nil {
		t.Error(err)
	}
	awarc(t, "", "resume", "--limit", "0", dir).want(t, exitDone)
}

func TestTornCrawlGoesOn(t *testing.T) {
	t.Parallel()
	site := board(t, 30)
	base := serve(t, site)
	dir, o := runCrawl(t, "--limit", "4", base+"/")
	o.want(t, exitLimit)
	// As after a crash: a half-written line, a temporary file, a torn open WARC file.
	log := filepath.Join(dir, "log", "crawl.jsonl")
	lines := len(readLines(t, log))
	appendTo(t, log, `{"time":"20`)
	appendTo(t, filepath.Join(dir, ".tmp-123"), "half a report")
	indexing := filepath.Join(dir, ".tmp-index.db-123")
	appendTo(t, indexing, "an index that awarc index is making")
	awarc(t, "", "resume", "--limit", "0", dir).want(t, exitDone)
	checkTruth(t, dir, site, base)
	checkArchive(t, dir)
	if got := len(readLines(t, log)); got <= lines {
		t.Errorf("the log has %d lines, before it had %d", got, lines)
	}
	if _, err := os.Stat(indexing); err != nil {
		t.Error("what another command is making was removed")
	}
	if _, err := os.Stat(filepath.Join(dir, ".tmp-123")); err == nil {
		t.Error("a temporary file of the killed session is still there")
	}
}

func appendTo(t *testing.T, file, text string) {
	t.Helper()
	f, err := os.OpenFile(file, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err == nil {
		_, err = f.WriteString(text)
		f.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
}

func TestExplain(t *testing.T) {
	t.Parallel()
	site := board(t, 30)
	base := serve(t, testsites.Robots(site, "User-agent: *\nDisallow: /viewtopic.php\n"))
	dir, o := runCrawl(t, "--exclude", "memberlist", base+"/", base+"/no-such-page")
	o.want(t, exitWithFaults)
	topic := ""
	for _, p := range site.Truth(base).Pages {
		if p.Level == "topic" {
			topic = p.URL
		}
	}
	for _, c := range []struct {
		url   string
		known bool
		state string
		why   string
	}{
		{base + "/", true, "fetched", "a seed"},
		{base + "/no-such-page", true, "fetched", "404"},
		{topic, true, "excluded", "robots.txt"},
		{base + "/viewtopic.php?t=987654", false, "unknown", "robots.txt"},
		{base + "/memberlist.php", false, "unknown", "excluded by memberlist"},
		{base + "/ucp.php?mode=register", false, "unknown", base + "/ links to it, but no navigation action of phpbb/index selects it"},
		{base + "/viewforum.php?f=987654", false, "unknown", "never seen: no archived page links to it"},
		{"http://elsewhere.example/", false, "unknown", "outside scope type host"},
	} {
		o := awarc(t, "", "explain", "--format", "json", dir, c.url)
		o.want(t, exitDone)
		var x crawl.Explanation
		if err := json.Unmarshal([]byte(o.out), &x); err != nil {
			t.Fatal(err)
		}
		if x.Known != c.known || x.State != c.state || !strings.Contains(strings.Join(x.Why, "\n"), c.why) {
			t.Errorf("%s: %+v; want %s because of %q", c.url, x, c.state, c.why)
		}
		awarc(t, "", "explain", dir, c.url).want(t, exitDone)
	}

	dir, _ = runCrawl(t, "--max-tries", "1", "http://no-such-host.invalid/")
	if o := awarc(t, "", "explain", dir, "no-such-host.invalid"); !strings.Contains(o.out, "failed") || !strings.Contains(o.out, "dns") {
		t.Errorf("a failed URL is explained so:\n%s", o.out)
	}
}

func TestVerifyAndRecover(t *testing.T) {
	t.Parallel()
	dir, o := runCrawl(t, "--limit", "6", serve(t, board(t, 30))+"/")
	o.want(t, exitLimit)
	files, _ := filepath.Glob(filepath.Join(dir, "archive", "*.warc.gz"))
	file := files[0]
	o = awarc(t, "", "warc", "verify", "--format", "json", file)
	o.want(t, exitDone)
	var whole verifyJSON
	if err := json.Unmarshal([]byte(o.out), &whole); err != nil || !whole.OK || whole.Records["response"] != 7 {
		t.Errorf("%+v, %v", whole, err)
	}
	if err := os.Truncate(file, whole.Size-100); err != nil {
		t.Fatal(err)
	}
	o = awarc(t, "", "warc", "verify", file)
	o.want(t, exitFailed, "warc recover")
	if !strings.Contains(o.out, "record at byte") {
		t.Errorf("verify says %s", o.out)
	}
	awarc(t, "", "warc", "recover", file).want(t, exitDone)
	awarc(t, "", "warc", "verify", file).want(t, exitDone)
	reports, err := archive.Verify(file)
	if err != nil || reports[0].Bad != nil || reports[0].Records["response"] != 7 {
		t.Errorf("recovered: %+v, %v; only the last record was torn", reports, err)
	}
	awarc(t, "", "warc", "verify", filepath.Join(dir, "absent.warc.gz")).want(t, exitFailed, "absent.warc.gz")
	awarc(t, "", "warc", "recover", filepath.Join(dir, "absent.warc.gz")).want(t, exitFailed, "absent.warc.gz")
}
