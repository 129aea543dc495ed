package engine

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/awarc/awarc/engine/fetch"
	"github.com/awarc/awarc/frontier"
)

// VerdictState states whether a crawl archived everything that it found in scope.
type VerdictState string

// States of a verdict.
const (
	// VerdictComplete: every URL that was found in scope has an answer in the archive, or was left
	// out by a rule of the user.
	VerdictComplete VerdictState = "complete"
	// VerdictIncomplete: something is missing. Reasons name it.
	VerdictIncomplete VerdictState = "incomplete"
	// VerdictFailed: no seed was answered with success, or an error ended the crawl.
	VerdictFailed VerdictState = "failed"
)

// Verdict is the first thing that every report of a crawl states. [Report.Judge] computes it, and
// exit status, summary, API and cockpit follow from it.
type Verdict struct {
	State VerdictState `json:"state"`
	// Reasons is empty exactly for a complete crawl.
	Reasons []VerdictReason `json:"reasons"`
	// Left is the number of URLs that were not requested since nothing was expected of them, with
	// targets or as unproductive. They do not make a crawl incomplete.
	Left int `json:"left,omitempty"`
	// Next holds the commands that fetch what is missing, where there are some.
	Next []string `json:"next"`
}

// VerdictReason is one kind of loss.
type VerdictReason struct {
	Kind    string `json:"kind"`              // one of the Reason constants, or a kind of Report.Errors
	Count   int64  `json:"count"`             // URLs, or events for a kind of Report.Errors
	Example string `json:"example,omitempty"` // a URL
}

// Kinds of reasons, in addition to the kinds of Report.Errors.
const (
	ReasonStopped  = "stopped"        // the crawl ended early, see Report.Stopped; counts the URLs waiting
	ReasonRunning  = "running"        // the crawl has not ended; counts the URLs waiting
	ReasonFailed   = "failed"         // requested, without an answer that counts
	ReasonDeferred = "deferred"       // as suspected crawler traps
	ReasonRobots   = "robots"         // refused by robots.txt
	ReasonLists    = "empty_lists"    // no list led to an object, and no object was found
	ReasonFields   = "field_missing"  // all objects of a class lack a required field, in a crawl that asked services; counts objects
	ReasonPlugins  = "plugins_failed" // calls of plugins without an answer, so that what they say of pages is missing
	ReasonNoSeed   = "no_seed"        // no seed was answered with success
	ReasonError    = "error"          // an error ended the crawl
)

// reasonTexts are the phrases of kinds of reasons, after their count.
var reasonTexts = map[string]string{
	ReasonLists:   "list|lists without a link to content",
	ReasonPlugins: "plugin call|calls failed",
	ReasonFields:  "object|objects of APIs without a required field: the API may have renamed it",
	ReasonFailed:  "failed", ReasonDeferred: "deferred as suspected traps", ReasonRobots: "refused by robots.txt",
	"lost": "lost", "capture_lost": "capture|captures lost", "page_cut": "page|pages read in part", "unreadable": "unreadable page|pages",
	"panic": "page|pages that crashed the parser", poisonKind: "page|pages that crash awarc",
	"reread": "page|pages not read again from the archive", "unfollowed": "part|parts of the archive with links not followed yet",
	"same_id":     "object|objects with an id of another object",
	kindLoggedOut: "page|pages fetched while logged out", "seed_redirected_away": "seed|seeds redirected to another site",
	"seed_excluded_by_robots": "seed|seeds refused by robots.txt",
	"truncated_length":        "response|responses cut at the size limit", "truncated_time": "response|responses cut at the time limit",
	string(fetch.KindSlow): "response|responses cut as too slow", "truncated_disconnect": "response|responses cut by the server",
	"archive_file": "damaged archive file|files",
}

// Judge computes the verdict from the counts of the report. dir is the crawl's folder as the user
// names it, for the commands; ended is the error that ended the crawl, if any.
func (r *Report) Judge(dir string, ended error) {
	v := &Verdict{State: VerdictComplete, Left: r.LeftURLs(), Reasons: []VerdictReason{}, Next: []string{}}
	add := func(kind string, n int64, next string) {
		v.Reasons = append(v.Reasons, VerdictReason{kind, n, r.Examples[kind]})
		if next != "" {
			v.Next = append(v.Next, next+dir)
		}
	}
	switch {
	case ended != nil:
		v.Reasons = append(v.Reasons, VerdictReason{Kind: ReasonError, Count: 1, Example: ended.Error()})
		v.Next = append(v.Next, "awarc resume "+dir)
	case r.Finished && r.seedsAnswered == 0:
		add(ReasonNoSeed, int64(len(r.Seeds)), "")
	case r.Stopped == "running":
		add(ReasonRunning, int64(r.Queue.Pending), "")
	case !r.Finished:
		add(ReasonStopped, int64(r.Queue.Pending), "awarc resume "+r.raised())
	}
	if n := r.Queue.Failed; n > 0 {
		add(ReasonFailed, int64(n), "awarc resume --failed ")
	}
	if n := r.trapped(); n > 0 {
		add(ReasonDeferred, int64(n), "awarc resume --traps ")
	}
	if n := r.Links.ExcludedByRobots; n > 0 {
		add(ReasonRobots, n, "")
	}
	if n, example := r.emptyLists(); n > 0 && r.Finished {
		v.Reasons = append(v.Reasons, VerdictReason{ReasonLists, n, example})
	}
	for _, name := range slices.Sorted(maps.Keys(r.Plugins)) {
		if p := r.Plugins[name]; p.unanswered() > 0 {
			v.Reasons = append(v.Reasons, VerdictReason{ReasonPlugins, p.unanswered(), p.Example})
		}
	}
	if n, example := r.emptyFields(); n > 0 {
		v.Reasons = append(v.Reasons, VerdictReason{ReasonFields, n, example})
	}
	for _, kind := range slices.SortedFunc(maps.Keys(r.faults), func(a, b string) int {
		return cmp.Or(cmp.Compare(r.faults[b], r.faults[a]), strings.Compare(a, b))
	}) {
		add(kind, r.faults[kind], "")
	}
	switch {
	case ended != nil || r.Finished && r.seedsAnswered == 0:
		v.State = VerdictFailed
	case len(v.Reasons) > 0:
		v.State = VerdictIncomplete
	}
	r.Verdict = v
}

// trapped counts the URLs that wait as suspected crawler traps.
func (r *Report) trapped() (n int) {
	for _, t := range r.Traps {
		n += t.Waiting
	}
	return n
}

// raised returns the flag that lifts the limit at which the crawl stopped.
func (r *Report) raised() string {
	switch r.Stopped {
	case string(PageLimit):
		return fmt.Sprintf("--limit %d ", 2*max(r.Pages, 1))
	case string(ByteLimit):
		return "--size-limit 0 "
	case string(RankLimit):
		return "--rank-mass 1 "
	}
	return ""
}

// Print writes the verdict and the commands that fetch what is missing.
func (v *Verdict) Print(w io.Writer, stopped string) {
	fmt.Fprintln(w, v.Line(stopped))
	if v == nil {
		return
	}
	for _, command := range v.Next {
		fmt.Fprintf(w, "  next       %s\n", command)
	}
}

// Line returns the verdict in one line: the state, and what is missing.
func (v *Verdict) Line(stopped string) string {
	if v == nil {
		return "no verdict: an older version of awarc wrote the report"
	}
	var parts []string
	for _, reason := range v.Reasons {
		parts = append(parts, reason.text(stopped))
	}
	if v.Left > 0 {
		parts = append(parts, fmt.Sprintf("%d left without a request", v.Left))
	}
	if len(parts) == 0 {
		return string(v.State)
	}
	return string(v.State) + ": " + strings.Join(parts, ", ")
}

func (r VerdictReason) text(stopped string) string {
	switch r.Kind {
	case ReasonError:
		return r.Example
	case ReasonNoSeed:
		return "no seed could be fetched"
	case ReasonRunning:
		return fmt.Sprintf("running, %d waiting", r.Count)
	case ReasonStopped:
		return fmt.Sprintf("stopped (%s), %d waiting", stopped, r.Count)
	}
	if status, ok := strings.CutPrefix(r.Kind, "seed_http_"); ok {
		return Counted(r.Count, "seed|seeds answered with status "+status)
	}
	if text := reasonTexts[r.Kind]; text != "" {
		return Counted(r.Count, text)
	}
	return fmt.Sprintf("%d %s", r.Count, r.Kind)
}

// metaExample begins the names of the settings that hold one URL for each kind of loss.
const metaExample = "example "

// FillExamples reads the examples that earlier outcomes recorded.
func (r *Report) FillExamples(f interface {
	EachMeta(prefix string, fn func(key string, value []byte) error) error
}) error {
	r.Examples = map[string]string{}
	err := f.EachMeta(metaExample, func(key string, value []byte) error {
		r.Examples[strings.TrimPrefix(key, metaExample)] = string(value)
		if name, ok := strings.CutPrefix(key, metaExample+countPluginErrors); ok {
			p := r.Plugins[name]
			p.Example, p.Error, _ = strings.Cut(string(value), "\n")
			r.Plugins[name] = p
			delete(r.Examples, strings.TrimPrefix(key, metaExample))
		}
		return nil
	})
	r.fillSuspicions()
	return err
}

// examples records the URL of an outcome as the example of each kind of loss that it counts and
// that has none yet.
func (e *Engine) examples(lease leased, out *frontier.Outcome) {
	settings := map[string][]byte{}
	note := func(kind string) {
		if _, known := e.exampled.LoadOrStore(kind, true); !known {
			settings[metaExample+kind] = []byte(lease.URL.URL)
		}
	}
	for name, n := range out.Counters {
		kind, failed := strings.CutPrefix(name, countErrors)
		fault, faulty := strings.CutPrefix(name, countFaults)
		switch {
		case n <= 0:
		case failed:
			note(kind)
			note(ReasonFailed)
		case faulty:
			note(fault)
		case name == countExcluded:
			note(ReasonRobots)
		case strings.HasPrefix(name, countSuspects), strings.HasPrefix(name, countMissing):
			note(name)
		}
	}
	if len(settings) > 0 {
		out.Meta = with(out.Meta, settings)
	}
}

// restoreExamples reads which kinds of loss have an example.
func (e *Engine) restoreExamples() error {
	return e.frontier.EachMeta(metaExample, func(key string, _ []byte) error {
		e.exampled.Store(strings.TrimPrefix(key, metaExample), true)
		return nil
	})
}
