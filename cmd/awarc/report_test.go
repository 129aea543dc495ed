package main

import (
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/awarc/awarc/engine"
	"github.com/awarc/awarc/engine/complete"
)

// reportOf runs awarc report, and sees to it that nothing in the crawl's folder changes.
func reportOf(t *testing.T, dir string) *complete.Report {
	t.Helper()
	before := folderState(t, dir)
	o := awarc(t, "", "report", "--format", "json", dir)
	o.want(t, exitDone)
	var r complete.Report
	if err := json.Unmarshal([]byte(o.out), &r); err != nil {
		t.Fatalf("%v\n%s", err, o.out)
	}
	if saved := readReport(t, dir); r.State == complete.Finished && r.Crawl.Triples != saved.Triples {
		t.Errorf("%d triples, report.json has %d", r.Crawl.Triples, saved.Triples)
	}
	text := awarc(t, "", "report", dir)
	text.want(t, exitDone)
	if after := folderState(t, dir); r.State != complete.Running && after != before {
		t.Errorf("the folder was\n%s\nand is\n%s", before, after)
	}
	return &r
}

// folderState lists files with size and time of change.
func folderState(t *testing.T, dir string) string {
	t.Helper()
	var out strings.Builder
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err == nil {
			out.WriteString(path + " " + info.ModTime().String() + " " + info.Mode().String() + "\n")
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// A crawl whose process was killed is reported as killed, and not as one that goes on.
func TestKilledCrawlIsReportedAsKilled(t *testing.T) {
	t.Parallel()
	site := board(t, 200)
	g := newGate(site, 6)
	base, dir := serve(t, g), filepath.Join(t.TempDir(), "crawl")
	c := command(t, "crawl", "--delay", "0", "--min-space", "0", "--out", dir, base+"/")
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	g.wait(t)
	if o := awarc(t, "", "report", dir); !strings.Contains(o.out, dir+": incomplete: running, ") {
		t.Errorf("while it runs:\n%s%s", o.out, o.err)
	}
	for format, age := range map[string]string{"text": `counted +\d+s ago`, "html": `Counted.*UTC, \d+s before this page was written`} {
		o := awarc(t, "", "report", "--format", format, dir)
		if !regexp.MustCompile(`(?s)`+age).MatchString(o.out) || strings.Contains(o.out, "Ended") {
			t.Errorf("while it runs, the report in %s does not state its age:\n%.3000s", format, o.out)
		}
	}
	_ = c.Process.Kill() // and Wait tells that it was
	_ = c.Wait()
	if o := awarc(t, "", "report", dir); !strings.Contains(o.out, dir+": incomplete: stopped (killed), ") {
		t.Errorf("once it is killed:\n%s%s", o.out, o.err)
	}
}

// named gives the thing whose address ends so.
func named(t *testing.T, r *complete.Report, end string) complete.Thing {
	t.Helper()
	i := slices.IndexFunc(r.Completeness.Named, func(t complete.Thing) bool { return strings.HasSuffix(t.ID, end) })
	if i < 0 {
		t.Fatalf("%s is not named: %+v", end, r.Completeness.Named)
	}
	return r.Completeness.Named[i]
}

// reasonsOf lists the reasons for which pages of a thing are missing.
func reasonsOf(of complete.Thing) (kinds []string) {
	for _, r := range of.Reasons {
		kinds = append(kinds, r.Kind)
	}
	return kinds
}

// longThread finds the thread of a crawled board with most pages.
func longThread(r *complete.Report) complete.Thing {
	return slices.MaxFunc(r.Completeness.Named, func(a, b complete.Thing) int { return a.Pages.Saved - b.Pages.Saved })
}

// TestReport: a whole crawl, one with a limit, one that robots.txt keeps out of pages, one with pages that fail, and threads that no page
// links to, each with the reason.
func TestReport(t *testing.T) {
	t.Parallel()
	dir, o := runCrawl(t, serve(t, board(t, 120))+"/")
	o.want(t, exitDone)
	whole := reportOf(t, dir)
	c := whole.Completeness
	known := int(readReport(t, dir).Objects["sioc:Thread"])
	if whole.State != complete.Finished || known < 10 || c.Things.Known != known || c.Things.Complete != known ||
		c.Things.Items.Saved != 120 || *c.Things.Items.Stated != 120 || len(c.Missing) != 0 ||
		whole.Crawl.Requests != readReport(t, dir).Requests {
		t.Errorf("%+v %+v", c.Things, c.Missing)
	}
	requests := readReport(t, dir).RequestsText()
	for form, text := range map[string]string{"summary": o.out, "text": awarc(t, "", "report", dir).out,
		"HTML": awarc(t, "", "report", "--format", "html", dir).out} {
		if !strings.Contains(text, requests) {
			t.Errorf("the %s has other requests than %q", form, requests)
		}
	}
	thread := longThread(whole)
	if thread.Pages.Saved < 2 || *thread.Pages.Stated != thread.Pages.Saved || *thread.Items.Stated != thread.Items.Saved ||
		thread.Items.AsOf == nil {
		t.Fatalf("%+v", thread)
	}
	threads := 0
	for _, l := range c.Lists {
		threads += l.Things.Saved
	}
	if threads != known {
		t.Errorf("%d threads are in the lists: %+v", threads, c.Lists)
	}
	_, query, _ := strings.Cut(thread.ID, "?")
	second := func(r *http.Request) bool { return strings.HasPrefix(r.URL.RawQuery, query+"&") }

	for _, test := range []struct {
		name   string
		args   []string
		exit   int
		answer func(w http.ResponseWriter, r *http.Request) bool
		reason string
	}{
		{"failing", []string{"--max-tries", "1"}, exitWithFaults, func(w http.ResponseWriter, r *http.Request) bool {
			if second(r) {
				http.Error(w, "not now", http.StatusInternalServerError)
			}
			return second(r)
		}, complete.Failed},
		{"gone", nil, exitDone, func(w http.ResponseWriter, r *http.Request) bool {
			if second(r) {
				http.NotFound(w, r)
			}
			return second(r)
		}, complete.Failed},
		{"robots", nil, exitWithFaults, func(w http.ResponseWriter, r *http.Request) bool {
			if r.URL.Path == "/robots.txt" {
				_, _ = w.Write([]byte("User-agent: *\nDisallow: /viewtopic.php?" + query + "&\n"))
			}
			return r.URL.Path == "/robots.txt"
		}, complete.Robots},
		{"another page", nil, exitDone, func(w http.ResponseWriter, r *http.Request) bool {
			if second(r) {
				_, _ = w.Write([]byte("<html><title>Log in</title><p>Please log in to read on.</p></html>"))
			}
			return second(r)
		}, complete.Unread},
	} {
		t.Run(test.name, func(t *testing.T) {
			site := board(t, 120)
			base := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if !test.answer(w, r) {
					site.ServeHTTP(w, r)
				}
			}))
			dir, o := runCrawl(t, append(test.args, base+"/")...)
			o.want(t, test.exit)
			r := reportOf(t, dir)
			got := named(t, r, query)
			if got.Pages.Saved != 1 || *got.Pages.Stated != thread.Pages.Saved || got.Missing != thread.Items.Saved-got.Items.Saved ||
				!slices.Equal(reasonsOf(got), []string{test.reason}) || len(got.Reasons[0].URLs) == 0 {
				t.Errorf("%+v", got)
			}
			if r.Completeness.Things.Incomplete != 1 || r.Completeness.Missing[test.reason] != got.Reasons[0].Pages {
				t.Errorf("%+v %v", r.Completeness.Things, r.Completeness.Missing)
			}
		})
	}

	t.Run("limit", func(t *testing.T) {
		dir, o := runCrawl(t, "--limit", "9", serve(t, board(t, 120))+"/")
		o.want(t, exitLimit)
		r := reportOf(t, dir)
		if r.State != complete.Stopped || r.Completeness.Things.Incomplete == 0 || r.Completeness.Missing[complete.Limit] == 0 {
			t.Errorf("%s %+v %v", r.State, r.Completeness.Things, r.Completeness.Missing)
		}
		// A list said how many posts there are in a thread of which nothing is saved.
		if i := slices.IndexFunc(r.Completeness.Named, func(t complete.Thing) bool { return t.Pages.Saved == 0 && t.Missing > 0 }); i < 0 {
			t.Errorf("%+v", r.Completeness.Named)
		}
	})
}

// TestReportOfScope: pages that are in no queue, since a rule of scope keeps the links to them out.
func TestReportOfScope(t *testing.T) {
	t.Parallel()
	dir, o := runCrawl(t, "--exclude", "start=", serve(t, board(t, 120))+"/")
	o.want(t, exitDone)
	r := reportOf(t, dir)
	lacking := 0
	for _, thing := range r.Completeness.Named {
		if thing.Pages.Lacks() > 0 {
			lacking++
			if got := reasonsOf(thing); !slices.Equal(got, []string{complete.NotLinked}) ||
				!strings.Contains(thing.Reasons[0].Why, "out of scope") {
				t.Errorf("%+v", thing)
			}
		}
	}
	if lacking == 0 || r.Completeness.Things.Incomplete != lacking {
		t.Errorf("%d lack pages; %+v", lacking, r.Completeness.Things)
	}
}

// TestReportWhileRunning: what is saved is known, and why the rest is missing is not.
func TestReportWhileRunning(t *testing.T) {
	t.Parallel()
	site, held, release := board(t, 120), make(chan bool, 1), make(chan bool)
	var requests atomic.Int64
	base := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if requests.Add(1) == 12 {
			held <- true
			<-release
		}
		site.ServeHTTP(w, r)
	}))
	dir := filepath.Join(t.TempDir(), "crawl")
	done := make(chan int, 1)
	go func() {
		done <- run(t.Context(), []string{"crawl", "--delay", "0", "--min-space", "0", "--out", dir, base + "/"},
			streams{strings.NewReader(""), io.Discard, io.Discard})
	}()
	<-held
	r := reportOf(t, dir)
	close(release)
	if status := <-done; status != exitDone {
		t.Errorf("the crawl ended with %d", status)
	}
	if r.State != complete.Running || !r.Completeness.Unknown || len(r.Activity) == 0 {
		t.Errorf("%+v", r)
	}
	if r := reportOf(t, dir); r.State != complete.Finished || r.Completeness.Unknown {
		t.Errorf("%+v", r)
	}
}

// A report of what is no crawl, and one that cannot be written, end with what to do.
func TestReportOfNoCrawl(t *testing.T) {
	awarc(t, "", "report", t.TempDir()).want(t, exitUsage)
	awarc(t, "", "report", "-o", filepath.Join(t.TempDir(), "r.pdf"), t.TempDir()).want(t, exitUsage, "unknown format")
	awarc(t, "", "query", "--memory-limit", "9G", "--crawl", t.TempDir(), "ASK {}").want(t, exitUsage, "the limit is 4G")
	dir, o := runCrawl(t, "--limit", "1", serve(t, board(t, 10))+"/")
	o.want(t, exitLimit)
	awarc(t, "", "report", "-o", filepath.Join(dir, "no", "such", "folder"), dir).want(t, exitFailed)
	file := filepath.Join(t.TempDir(), "report.txt")
	awarc(t, "", "report", "-o", file, dir).want(t, exitDone)
	html := filepath.Join(t.TempDir(), "report.html")
	awarc(t, "", "report", "-o", html, dir).want(t, exitDone)
	if text, err := os.ReadFile(html); err != nil || !strings.HasSuffix(strings.TrimSpace(string(text)), "</html>") ||
		!strings.Contains(string(text), "What is missing") || !strings.Contains(string(text), "<svg") {
		t.Errorf("%s (%v)", text, err)
	}
	if text, err := os.ReadFile(file); err != nil || !strings.Contains(string(text), "completeness") {
		t.Errorf("%s (%v)", text, err)
	}
}

// TestSeedsThatFailedComeFirst: a text report shows few of many seeds, and those that were not
// archived among them.
func TestSeedsThatFailedComeFirst(t *testing.T) {
	t.Parallel()
	base := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/gone" {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprintf(w, "<p>Page %s.", r.URL.Path)
	}))
	var seeds []string
	for i := range 2 * seedsShown {
		seeds = append(seeds, fmt.Sprintf("%s/%d", base, i))
	}
	dir, o := runCrawl(t, append(seeds, base+"/gone")...)
	o.want(t, exitWithFaults)
	if o := awarc(t, "", "report", dir); !strings.Contains(o.out, "  seeds      "+base+"/gone: fetched: status 404") {
		t.Errorf("the report does not begin its seeds with the one that is missing:\n%s", o.out)
	}
}

// TestReportOfTargets: a report has the targets, the share of the rank and the URLs that were not
// requested, as the summary of the crawl has them.
func TestReportOfTargets(t *testing.T) {
	r := &complete.Report{Dir: "d", Crawl: &engine.Report{
		Finished: true, Targets: map[string]int64{"application/pdf": 7}, Rank: &engine.RankReport{Covered: 0.9137},
		Left:     []engine.LeftReport{{Addresses: "h/talk/#", Waiting: 9, Examples: []string{"http://h/talk/1"}}},
		Outcomes: &engine.Outcomes{},
	}, Completeness: &complete.Result{}}
	r.Crawl.Outcomes.Named.Waiting = []engine.NamedURL{{URL: "http://h/next"}}
	var out strings.Builder
	printReport(&out, r)
	for _, want := range []string{"targets    7 application/pdf\n", "at least 91.3 %", "9 URLs were not requested\n",
		"waiting    http://h/next\n"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("the report lacks %q:\n%s", want, out.String())
		}
	}
}
