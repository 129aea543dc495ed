package engine

import (
	"errors"
	"strings"
	"testing"
)

// TestVerdict states the verdict of each way in which a crawl can end.
func TestVerdict(t *testing.T) {
	finished := func(change func(*Report)) *Report {
		r := &Report{Finished: true, Pages: 8, Seeds: []string{"http://h/"}, seedsAnswered: 1, faults: map[string]int64{},
			Errors: map[string]int64{}, Examples: map[string]string{ReasonFailed: "http://h/7", ReasonRobots: "http://h/private"}}
		change(r)
		return r
	}
	stopped := func(why string) *Report {
		return finished(func(r *Report) { r.Finished, r.Stopped, r.Queue.Pending = false, why, 5 })
	}
	for _, c := range []struct {
		name  string
		r     *Report
		ended error
		state VerdictState
		line  string
		next  string // joined by "; "
	}{
		{name: "complete", r: finished(func(*Report) {}), state: VerdictComplete, line: "complete"},
		{name: "failed URLs", r: finished(func(r *Report) { r.Queue.Failed = 48 }), state: VerdictIncomplete,
			line: "incomplete: 48 failed", next: "awarc resume --failed c"},
		{name: "traps", r: finished(func(r *Report) { r.Traps = []TrapReport{{Waiting: 4000}, {Waiting: 234}} }),
			state: VerdictIncomplete, line: "incomplete: 4234 deferred as suspected traps", next: "awarc resume --traps c"},
		{name: "unproductive links only", r: finished(func(r *Report) { r.Left = []LeftReport{{Waiting: 9}} }),
			state: VerdictComplete, line: "complete: 9 left without a request"},
		{name: "robots.txt", r: finished(func(r *Report) { r.Links.ExcludedByRobots = 3 }), state: VerdictIncomplete,
			line: "incomplete: 3 refused by robots.txt"},
		{name: "faults", r: finished(func(r *Report) { r.AddFault("page_cut", 2); r.AddFault("truncated_time", 3) }),
			state: VerdictIncomplete, line: "incomplete: 3 responses cut at the time limit, 2 pages read in part"},
		{name: "lists without links to content", r: finished(func(r *Report) {
			r.Levels, r.suspects = map[string]int64{"flaskbb/forum": 3}, map[string]int64{SuspectList + "/flaskbb/forum": 3}
			r.fillSuspicions()
		}), state: VerdictIncomplete, line: "incomplete: 3 lists without a link to content"},
		{name: "some empty lists", r: finished(func(r *Report) {
			r.Levels, r.suspects = map[string]int64{"flaskbb/forum": 3}, map[string]int64{SuspectList + "/flaskbb/forum": 2}
			r.fillSuspicions()
		}), state: VerdictComplete, line: "complete"},
		{name: "page limit", r: stopped(string(PageLimit)), state: VerdictIncomplete,
			line: "incomplete: stopped (page limit), 5 waiting", next: "awarc resume --limit 16 c"},
		{name: "size limit", r: stopped(string(ByteLimit)), state: VerdictIncomplete,
			line: "incomplete: stopped (size limit), 5 waiting", next: "awarc resume --size-limit 0 c"},
		{name: "time limit", r: stopped(string(TimeLimit)), state: VerdictIncomplete,
			line: "incomplete: stopped (time limit), 5 waiting", next: "awarc resume c"},
		{name: "disk full", r: stopped(string(DiskLimit)), state: VerdictIncomplete,
			line: "incomplete: stopped (disk limit), 5 waiting", next: "awarc resume c"},
		{name: "interrupted", r: stopped(string(Interrupted)), state: VerdictIncomplete,
			line: "incomplete: stopped (interrupted), 5 waiting", next: "awarc resume c"},
		{name: "killed", r: stopped("killed"), state: VerdictIncomplete,
			line: "incomplete: stopped (killed), 5 waiting", next: "awarc resume c"},
		{name: "running", r: stopped("running"), state: VerdictIncomplete, line: "incomplete: running, 5 waiting"},
		{name: "no seed", r: finished(func(r *Report) { r.seedsAnswered = 0 }), state: VerdictFailed,
			line: "failed: no seed could be fetched"},
		{name: "error", r: stopped(""), ended: errors.New("writing x.warc.gz: I/O error"), state: VerdictFailed,
			line: "failed: writing x.warc.gz: I/O error",
			next: "awarc resume c"},
		{name: "all at once", r: finished(func(r *Report) {
			r.Queue.Failed, r.Links.ExcludedByRobots, r.Traps = 1, 2, []TrapReport{{Waiting: 3}}
		}), state: VerdictIncomplete, line: "incomplete: 1 failed, 3 deferred as suspected traps, 2 refused by robots.txt",
			next: "awarc resume --failed c; awarc resume --traps c"},
	} {
		c.r.Judge("c", c.ended)
		v := c.r.Verdict
		if v.State != c.state || v.Line(c.r.Stopped) != c.line || strings.Join(v.Next, "; ") != c.next {
			t.Errorf("%s: %s, %q, next %q", c.name, v.State, v.Line(c.r.Stopped), v.Next)
		}
		if (v.State == VerdictComplete) != (len(v.Reasons) == 0) {
			t.Errorf("%s: %s with reasons %v", c.name, v.State, v.Reasons)
		}
		for _, reason := range v.Reasons {
			if reason.Kind == ReasonFailed && reason.Example != "http://h/7" {
				t.Errorf("%s: the example is %q", c.name, reason.Example)
			}
		}
	}
}
