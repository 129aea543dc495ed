package main

import (
	"cmp"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"math"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"sort"
	"strings"
	"sync"
	"time"

	"golang.org/x/term"

	"github.com/awarc/awarc/engine"
	"github.com/awarc/awarc/engine/crawl"
	"github.com/awarc/awarc/frontier"
)

// progress shows a crawl on standard error: one line that renews itself on a
// terminal, a plain line every ten seconds elsewhere.
type progress struct {
	mu       sync.Mutex
	w        io.Writer
	terminal int // width, 0 when w is no terminal
	shown    bool
	began    time.Time
	pages    int64  // of this session
	now      string // path of what came last
	loading  []engine.Download
	rests    string    // hosts that rest since they refuse
	looked   time.Time // at the hosts, for rests
	quiet    map[string]int
}

func newProgress(w io.Writer) *progress {
	p := &progress{w: w, began: time.Now(), quiet: map[string]int{}}
	if f, ok := w.(*os.File); ok && term.IsTerminal(int(f.Fd())) {
		p.terminal = lineWidth
		if width, _, err := term.GetSize(int(f.Fd())); err == nil && width > 20 {
			p.terminal = width
		}
	}
	return p
}

// note prints a line of its own.
func (p *progress) note(text string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.clear()
	fmt.Fprintln(p.w, "awarc:", text)
}

func (p *progress) clear() {
	if p.shown {
		fmt.Fprint(p.w, "\r\x1b[K")
		p.shown = false
	}
}

// sameWarnings is how many warnings of one kind are shown; a site of a million
// pages can repeat one a million times. Failed exchanges are in the crawl log too.
const sameWarnings = 5

func (p *progress) warn(r slog.Record) {
	p.mu.Lock()
	p.quiet[r.Message]++
	n := p.quiet[r.Message]
	p.mu.Unlock()
	if n > sameWarnings {
		return
	}
	var b strings.Builder
	b.WriteString("warning: " + r.Message)
	r.Attrs(func(a slog.Attr) bool {
		fmt.Fprintf(&b, " %s=%q", a.Key, a.Value.String())
		return true
	})
	if n == sameWarnings {
		b.WriteString(" (more of this kind are not shown)")
	}
	p.note(b.String())
}

// warning makes a record of what an operator should know.
func warning(message string, args ...any) slog.Record {
	r := slog.NewRecord(time.Now(), slog.LevelWarn, message, 0)
	r.Add(args...)
	return r
}

func (p *progress) exchanged(e engine.Exchanged) {
	p.mu.Lock()
	if e.Status == 200 && !e.Robots {
		p.pages++
	}
	p.now = cmp.Or(requestURI(e.URL), p.now)
	p.mu.Unlock()
	if e.Error != "" {
		p.warn(warning("a request failed", "url", e.URL, "try", e.Try, "error", e.Error))
	}
}

// requestURI returns path and query of a URL, "" for none.
func requestURI(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	return u.RequestURI()
}

// run shows the progress until done is closed.
func (p *progress) run(done <-chan struct{}, line func() string) {
	every := 10 * time.Second
	if p.terminal > 0 {
		every = 500 * time.Millisecond
	}
	tick := time.NewTicker(every)
	defer tick.Stop()
	for {
		select {
		case <-done:
			p.mu.Lock()
			p.clear()
			p.mu.Unlock()
			return
		case <-tick.C:
			text := line()
			p.mu.Lock()
			p.renew(text)
			p.mu.Unlock()
		}
	}
}

// renew shows a line in the place of the last.
func (p *progress) renew(line string) {
	if p.terminal == 0 {
		fmt.Fprintln(p.w, "awarc:", line)
		return
	}
	if r := []rune(line); len(r) >= p.terminal {
		line = string(r[:p.terminal-1])
	}
	fmt.Fprint(p.w, "\r\x1b[K", line)
	p.shown = true
}

// share is how much of the URLs that a crawl knows of it has fetched.
func share(s frontier.Stats) float64 {
	return float64(s.Fetched) / float64(max(s.Fetched+s.Pending+s.Leased, 1))
}

// hostsSeen bounds the hosts that untilRetry and resting read. It is arbitrary.
const hostsSeen = 100

// lookEvery is the time between two readings of the hosts, which keep the frontier from leasing
// URLs. It is arbitrary.
const lookEvery = 10 * time.Second

// untilRetry returns the wait before the next request if every URL left waits after a failure or a
// refusal, and 0 otherwise.
func untilRetry(s frontier.Stats, queues []frontier.Queue, now time.Time) (wait time.Duration) {
	if s.Leased > 0 || s.Pending == 0 {
		return 0
	}
	seen := 0
	for _, q := range queues {
		if seen += q.Pending; q.Wait != frontier.WaitBackoff && q.Wait != frontier.WaitRefused {
			return 0
		}
		if left := max(q.Next.Sub(now), 1); wait == 0 || left < wait {
			wait = left
		}
	}
	if seen < s.Pending {
		return 0 // hosts that are not shown may be requested
	}
	return wait
}

// resting returns the number of refusing hosts that rest, and the time to the first probe: "2 hosts
// rest, 50s".
func resting(queues []frontier.Queue, now time.Time) string {
	n, next := 0, time.Duration(0)
	for _, q := range queues {
		if q.Wait != frontier.WaitRefused {
			continue
		}
		n++
		if left := max(q.Next.Sub(now), 0); n == 1 || left < next {
			next = left
		}
	}
	if n == 0 {
		return ""
	}
	return engine.Counted(n, "host|hosts rests,|rest,") + " " + next.Round(time.Second).String()
}

// line returns the progress of a crawl. The time left is a lower bound, since pages may lead to
// more URLs. With retry, every URL left waits for that long.
func (p *progress) line(s frontier.Stats, counters map[string]int64, saved int, retry time.Duration) string {
	rate := float64(p.pages) / max(time.Since(p.began).Seconds(), 0.001)
	objects, left := int64(0), s.Pending+s.Leased
	for name, n := range counters {
		if strings.HasPrefix(name, "objects/") || strings.HasPrefix(name, "api/objects/") {
			objects += n
		}
	}
	line := fmt.Sprintf("%s, %s, %.1f/s, %d left", engine.Counted(counters["pages"], "page|pages"),
		engine.Counted(objects, "object|objects"), rate, left)
	switch {
	case retry > 0:
		line += fmt.Sprintf(" (failed, retry in %s)", retry.Round(time.Second))
	case p.pages > 0 && left > 0:
		line += fmt.Sprintf(" (%s or more)", time.Duration(float64(left)/rate*float64(time.Second)).Round(time.Second))
	}
	if saved > 0 {
		line += fmt.Sprintf(", %d avoided", saved)
	}
	if s.Failed > 0 {
		line += fmt.Sprintf(", %d failed", s.Failed)
	}
	if p.rests != "" && retry == 0 {
		line += ", " + p.rests
	}
	more := fmt.Sprintf(", %.1f MB in %s", float64(counters[engine.CounterBytes])/1e6, time.Since(p.began).Round(time.Second))
	if p.terminal > len(line)+len(more)+shortestPlace+len(", at ") {
		line += more
	}
	line = p.placed(line)
	if bar := drawn(share(s)) + " "; p.terminal > 0 && len([]rune(line))+len(bar) < p.terminal {
		return bar + line
	}
	return line
}

// placed adds a long download with its progress, or the last URL, if the terminal is wide enough.
func (p *progress) placed(line string) string {
	now := p.now
	if len(p.loading) > 0 {
		line += ", " + p.loading[0].String()
		now = requestURI(p.loading[0].URL)
	}
	if now == "" {
		return line
	}
	room := p.terminal - 1 - len(line) - len(", at ")
	if p.terminal == 0 {
		room = lineWidth - len("awarc: , at ") - len(line)
	}
	if room < shortestPlace {
		return line
	}
	at := []rune(now)
	if len(at) > room {
		at = append([]rune("…"), at[len(at)-room+1:]...)
	}
	return line + ", at " + string(at)
}

// Columns of a line without a terminal, and the fewest columns for a URL.
const (
	lineWidth     = 80
	shortestPlace = 12
)

// counts lists a family of counters, the largest first.
func counts(counters map[string]int64, prefix, none string) string {
	type one struct {
		name string
		n    int64
	}
	var all []one
	for name, n := range counters {
		if rest, ok := strings.CutPrefix(name, prefix); ok {
			all = append(all, one{rest, n})
		}
	}
	if len(all) == 0 {
		return none
	}
	sort.Slice(all, func(i, j int) bool {
		if all[i].n != all[j].n {
			return all[i].n > all[j].n
		}
		return all[i].name < all[j].name
	})
	var parts []string
	for _, c := range all {
		parts = append(parts, fmt.Sprintf("%d %s", c.n, c.name))
	}
	return strings.Join(parts, " ")
}

// summary is what a finished session prints on standard output.
type summary struct {
	report *engine.Report
	dir    string
}

// summary is that of the report in memory: the disk may have had no space for it.
func (x *session) summary() summary { return summary{report: x.crawl.Report(), dir: x.crawl.Dir()} }

func (s summary) print(w io.Writer, format string) error {
	r := s.report
	if format == "json" {
		return writeJSON(w, r)
	}
	r.Verdict.Print(w, r.Stopped)
	fmt.Fprintf(w, "  requests   %s\n", r.RequestsText())
	printPages(w, r)
	if r.Requisites > 0 {
		fmt.Fprintf(w, "  requisites %s\n", engine.Counted(r.Requisites, "image,|images, styles, scripts and other files of pages"))
	}
	if b := r.Rendered; b != nil {
		fmt.Fprintf(w, "  browser    %s\n", b)
	}
	if a := r.Services; a != nil {
		fmt.Fprintf(w, "  APIs       %s; only there: %s\n", sorted(a.Answers), sorted(a.Objects))
	}
	if len(r.Missing) > 0 {
		fmt.Fprintf(w, "  missing    %s\n", sorted(r.Missing))
	}
	if len(r.Scope) > 0 {
		fmt.Fprintf(w, "  left out   %s\n", sorted(r.Scope))
	}
	printUnknown(w, r, s.dir)
	printTraps(w, r, s.dir)
	printTargets(w, r)
	printRank(w, r)
	printLeft(w, r, s.dir)
	printErrors(w, r)
	printLastTries(w, r)
	printSuspicions(w, r)
	printPluginCalls(w, r)
	for _, d := range r.Damage {
		fmt.Fprintf(w, "  damage     %s\n", d)
	}
	if r.Elsewhere > 0 {
		fmt.Fprintf(w, "  elsewhere  %s in other archives; replay needs these archives too\n",
			engine.Counted(r.Elsewhere, "record|records with the payload"))
	}
	_, err := fmt.Fprintf(w, "  archive    %s (%d bytes), %s (%d triples)\n  report     %s\n", filepath.Join(s.dir, "archive"),
		r.WARCBytes,
		filepath.Join(s.dir, "graph"), r.Triples, filepath.Join(s.dir, "report.json"))
	return err
}

// printPages prints the counts of pages and objects.
func printPages(w io.Writer, r *engine.Report) {
	levels := ""
	if len(r.Levels) > 0 {
		levels = " (" + sorted(r.Levels) + ")"
	}
	fmt.Fprintf(w, "  pages      %d%s\n  objects    %s\n", r.Pages, levels, sorted(r.Objects))
}

// printErrors prints each kind of error with its count and an example.
func printErrors(w io.Writer, r *engine.Report) {
	title := "errors"
	for _, kind := range slices.SortedFunc(maps.Keys(r.Errors), func(a, b string) int {
		return cmp.Or(cmp.Compare(r.Errors[b], r.Errors[a]), strings.Compare(a, b))
	}) {
		fmt.Fprintf(w, "  %-10s %d %s", title, r.Errors[kind], kind)
		if example := r.Examples[kind]; example != "" {
			fmt.Fprintf(w, ", such as %s", printable(example))
		}
		fmt.Fprintln(w)
		title = ""
	}
}

// printPluginCalls prints the calls, time and errors of each plugin.
func printPluginCalls(w io.Writer, r *engine.Report) {
	for _, name := range slices.Sorted(maps.Keys(r.Plugins)) {
		p := r.Plugins[name]
		fmt.Fprintf(w, "  plugin     %s: %s\n", name, printable(p.Text()))
	}
}

// printLastTries prints how many URLs were requested once more at the end.
func printLastTries(w io.Writer, r *engine.Report) {
	if l := r.LastTries; l != nil {
		fmt.Fprintf(w, "  retried    %s at the end of the crawl, %d with an answer\n",
			engine.Counted(l.Requested, "failed URL|URLs"), l.Answered)
	}
}

// Suspected traps in the summary: trapsShown with the URLs of the report, trapsNamed by name.
const (
	trapsShown = 10
	trapsNamed = 50
)

// printTraps prints the URLs that were deferred as suspected traps.
func printTraps(w io.Writer, r *engine.Report, dir string) {
	waiting, refused, places := 0, int64(0), 0
	for _, t := range r.Traps {
		waiting, refused = waiting+t.Waiting, refused+t.Links
		if t.Waiting > 0 {
			places++
		}
	}
	if refused > 0 {
		fmt.Fprintf(w, "  refused    %s\n", engine.Counted(refused, "link|links with malformed, generated URLs"))
	}
	if waiting == 0 {
		return
	}
	fmt.Fprintf(w, "  deferred   %s; awarc resume --traps %s fetches them\n", engine.Counted(waiting, "URL|URLs of suspected traps"), dir)
	for i, t := range r.Traps[:min(places, trapsNamed)] { // those where most wait come first
		fmt.Fprintf(w, "             %d of %s (%s, %d fetched)\n", t.Waiting, t.Where, t.Kind, t.Fetched)
		if i >= trapsShown {
			continue
		}
		for _, address := range t.Examples {
			fmt.Fprintf(w, "               %s\n", address)
		}
	}
	if places > trapsNamed {
		fmt.Fprintf(w, "             and %d more; report.json lists all, each with ten URLs\n", places-trapsNamed)
	}
}

// printUnknown prints the number of pages of unknown software, and how to draft a type.
func printUnknown(w io.Writer, r *engine.Report, dir string) {
	drafts, _ := filepath.Glob(filepath.Join(dir, crawl.DraftFolder, "*.xml")) // the pattern is well-formed
	for _, file := range drafts {
		fmt.Fprintf(w, "  drafted    %s, a type for unknown software; review it, then use it with --kb\n", file)
	}
	settings, err := crawl.ReadSettings(dir)
	if len(drafts) > 0 || err != nil || settings.Flags.Blind {
		return
	}
	unknown := r.Pages
	for _, n := range r.Types {
		unknown -= n
	}
	const fewest = 10 // pages that are worth a line
	if unknown < fewest || 2*unknown < r.Pages {
		return
	}
	order := ""
	if o := settings.Flags; o.Topic == "" && len(o.Plugin) == 0 && !o.Learn {
		order = "; the crawl learned which of their links lead to text"
		if len(o.Targets) > 0 {
			order = "; the crawl learned which of their links lead to targets"
		}
	}
	fmt.Fprintf(w, "  unknown    %d pages are of unknown software%s\n"+
		"             awarc kb draft --crawl %s --id NAME drafts a type; awarc crawl --kb NAME.xml uses it;\n"+
		"             awarc extract --crawl %[3]s --kb NAME.xml extracts from this archive with it\n", unknown, order, dir)
}

// printTargets prints how many targets were found.
func printTargets(w io.Writer, r *engine.Report) {
	if r.Targets != nil {
		fmt.Fprintf(w, "  targets    %s\n", sorted(r.Targets))
	}
}

// printRank prints the guarantee of a crawl with --rank-mass.
func printRank(w io.Writer, r *engine.Report) {
	if r.Rank == nil {
		return
	}
	fmt.Fprintf(w, "  rank       at least %.1f %% of the page rank from the seeds is covered\n", math.Floor(1000*r.Rank.Covered)/10)
	if r.Rank.Full {
		fmt.Fprintln(w, "             the link graph has reached its memory limit; further pages do not count")
	}
}

// printLeft prints the link patterns that were left as unproductive.
func printLeft(w io.Writer, r *engine.Report, dir string) {
	left := r.Left
	if len(left) == 0 {
		return
	}
	why := "few new texts"
	if r.Targets != nil {
		why = "few further targets"
	}
	fmt.Fprintf(w, "  left       stopped, since %s are expected; %s not requested\n             awarc resume --traps %s fetches them\n",
		why, engine.Counted(r.LeftURLs(), "URL|URLs was|were"), dir)
	for _, l := range left[:min(len(left), trapsShown)] {
		fmt.Fprintf(w, "             %d of %s, such as %s\n", l.Waiting, l.Addresses, l.Examples[0])
	}
	if len(left) > trapsShown {
		fmt.Fprintf(w, "             and %d more link patterns; report.json lists all\n", len(left)-trapsShown)
	}
}

func sorted(m map[string]int64) string {
	prefixed := map[string]int64{}
	for name, n := range m {
		prefixed["/"+name] = n
	}
	return counts(prefixed, "/", "none")
}
