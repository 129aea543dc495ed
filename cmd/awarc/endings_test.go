package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/awarc/awarc/engine"
)

// restless serves one site for each ending. The first element of the path names the fault.
func restless(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "text/html")
	name, rest, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
	switch {
	case r.URL.Path == "/robots.txt":
		fmt.Fprint(w, "User-agent: *\nDisallow: /robots/secret\n")
	case name == "nothing", name == "failed" && rest == "2":
		w.WriteHeader(http.StatusNotFound)
		if name == "failed" {
			panic(http.ErrAbortHandler)
		}
	case name == "refused" && rest != "":
		w.WriteHeader(http.StatusServiceUnavailable)
	case name == "cut" && rest == "1":
		w.Header().Set("Content-Length", "100000")
		fmt.Fprint(w, "<p>little")
	case name == "robots":
		fmt.Fprint(w, `<a href="/robots/secret/1">1</a><a href="/robots/open">2</a>`)
	case name == "calendar":
		var day int
		fmt.Sscanf(r.URL.Query().Get("day"), "%d", &day)
		fmt.Fprintf(w, `<title>%d</title><p>%[1]d</p><a href="/calendar/?day=%d">next</a>`, day, day+1)
	default:
		fmt.Fprintf(w, `<a href="/%s/1">1</a><a href="/%[1]s/2">2</a><a href="/%[1]s/3">3</a>`, name)
	}
}

// wayToEnd is one ending of a crawl with the expected reports.
type wayToEnd struct {
	name   string
	seed   string // path
	flags  []string
	status int
	state  engine.VerdictState
	reason string // kind of the first reason
}

// waysToEnd is the table of docs/missing.md, but for interrupted and killed crawls.
var waysToEnd = []wayToEnd{
	{"complete", "well", nil, exitDone, engine.VerdictComplete, ""},
	{"failed URLs", "failed", []string{"--max-tries", "1"}, exitWithFaults, engine.VerdictIncomplete, engine.ReasonFailed},
	{"refused", "refused", []string{"--patience", "1"}, exitWithFaults, engine.VerdictIncomplete, engine.ReasonFailed},
	{"robots", "robots", nil, exitWithFaults, engine.VerdictIncomplete, engine.ReasonRobots},
	{"traps", "calendar", []string{"--trap-limit", "20"}, exitWithFaults, engine.VerdictIncomplete, engine.ReasonDeferred},
	{"cut", "cut", []string{"--max-tries", "1"}, exitWithFaults, engine.VerdictIncomplete, "truncated_disconnect"},
	{"page limit", "well", []string{"--limit", "2"}, exitLimit, engine.VerdictIncomplete, engine.ReasonStopped},
	{"size limit", "well", []string{"--size-limit", "10"}, exitLimit, engine.VerdictIncomplete, engine.ReasonStopped},
	{"time limit", "calendar", []string{"--no-traps", "--time-limit", "1"}, exitLimit, engine.VerdictIncomplete, engine.ReasonStopped},
	{"no seed", "nothing", nil, exitFailed, engine.VerdictFailed, engine.ReasonNoSeed},
}

// TestEndings: exit status, report in all forms, awarc jobs, HTTP API and cockpit say the same of
// each way in which a crawl can end.
func TestEndings(t *testing.T) {
	t.Parallel()
	base := serve(t, http.HandlerFunc(restless))
	p := startCockpit(t)
	var jobs []string
	for _, e := range waysToEnd {
		dir := filepath.Join(p.dir, strings.ReplaceAll(e.name, " ", "-"))
		args := append([]string{"--delay", "0", "--retry-delay", "0", "--min-space", "0"}, e.flags...)
		args = append(args, base+"/"+e.seed+"/")
		jobs = append(jobs, strings.Join(append(args, "--out", dir+"-job"), " "))
		o := awarc(t, "", append([]string{"crawl", "--out", dir}, args...)...)
		if o.status != e.status {
			t.Errorf("%s: exit status %d, want %d\n%s", e.name, o.status, e.status, o.err)
		}
		e.check(t, p, dir, o.out)
	}
	o := awarc(t, "", "jobs", write(t, "jobs", strings.Join(jobs, "\n")))
	if o.status != exitFailed { // that of the worst
		t.Errorf("jobs: exit status %d, want %d\n%s", o.status, exitFailed, o.err)
	}
	for _, e := range waysToEnd { // their summaries come in this order
		e.name += " job"
		dir := filepath.Join(p.dir, strings.ReplaceAll(e.name, " ", "-"))
		_, summary, _ := strings.Cut(o.out, readReport(t, dir).Verdict.Line(readReport(t, dir).Stopped)+"\n")
		if summary == "" {
			t.Errorf("%s: its verdict does not follow those before it in\n%s", e.name, o.out)
		}
		o.out = summary
		e.check(t, p, dir, "")
	}
	for name, signal := range map[string]syscall.Signal{"interrupted": syscall.SIGINT, "killed": syscall.SIGKILL} {
		g := newGate(http.HandlerFunc(restless), 3)
		dir := filepath.Join(p.dir, name)
		c := command(t, "crawl", "--delay", "0", "--workers", "1", "--min-space", "0", "--out", dir, serve(t, g)+"/well/")
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		g.wait(t)
		_ = c.Process.Signal(signal)
		g.pass(-1)
		e := wayToEnd{name: name, status: exitInterrupted, state: engine.VerdictIncomplete, reason: engine.ReasonStopped}
		if status := exitStatus(t, c); name == "interrupted" && status != e.status {
			t.Errorf("%s: exit status %d", name, status)
		}
		e.check(t, p, dir, "")
	}
}

// check compares all reports of an ended crawl.
func (e *wayToEnd) check(t *testing.T, p *cockpitProcess, dir, summary string) {
	t.Helper()
	r := readReport(t, dir)
	if e.name == "killed" { // its report is that of its last checkpoint; awarc report counts anew
		o := awarc(t, "", "report", dir)
		if first, _, _ := strings.Cut(o.out, "\n"); !strings.Contains(first, string(e.state)) {
			t.Errorf("killed: the report begins with %q", first)
		}
	} else {
		kind := ""
		if len(r.Verdict.Reasons) > 0 {
			kind = r.Verdict.Reasons[0].Kind
		}
		if r.Verdict.State != e.state || kind != e.reason || r.Exit != e.status {
			t.Errorf("%s: report.json says %+v and exit %d", e.name, r.Verdict, r.Exit)
		}
		line := r.Verdict.Line(r.Stopped)
		if summary != "" && !strings.HasPrefix(summary, line+"\n") {
			t.Errorf("%s: the summary begins with %.100q, want %q", e.name, summary, line)
		}
		avoided := r.RequestsText()
		if o := awarc(t, "", "report", dir); !strings.HasPrefix(o.out, dir+": "+line+"\n") || !strings.Contains(o.out, avoided) {
			t.Errorf("%s: the report begins with %.200q, want %q and %q", e.name, o.out, line, avoided)
		}
		if o := awarc(t, "", "report", "--format", "html", dir); !strings.Contains(o.out, `class="verdict `+string(e.state)+`"`) ||
			!strings.Contains(o.out, avoided) {
			t.Errorf("%s: the HTML report has another verdict, or other counts", e.name)
		}
	}
	at := "/crawls/" + filepath.Base(dir) + "/"
	var api engine.Report
	if err := json.Unmarshal([]byte(p.fetched(at+"api/v1/report")), &api); err != nil || api.Verdict == nil ||
		api.Verdict.State != e.state || api.Exit != e.status {
		t.Errorf("%s: the API says %+v and exit %d, %v", e.name, api.Verdict, api.Exit, err)
	}
	want := `class="state ` + string(e.state) + `"`
	if page := p.fetched(at); !strings.Contains(page, want) {
		i := strings.Index(page, `class="state`)
		t.Errorf("%s: the cockpit has %.60q, want %s", e.name, page[max(0, i):], want)
	}
}
