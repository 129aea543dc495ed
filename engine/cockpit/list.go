package cockpit

import (
	"cmp"
	"errors"
	"fmt"
	"html/template"
	"io/fs"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/awarc/awarc/engine"
	"github.com/awarc/awarc/engine/crawl"
	"github.com/awarc/awarc/engine/quads"
	"github.com/awarc/awarc/frontier"
)

// crawlView is a crawl as pages show it.
type crawlView struct {
	Name   string
	State  string
	Report *engine.Report // never nil
	Open   bool           // in this process
	Fault  string         // why it cannot be read, or did not begin

	Scheduled *Scheduled // nil: it has started
}

// look looks at a crawl: of one that is not open, at the report that it last wrote.
func (c *Cockpit) look(name string) crawlView {
	v := crawlView{Name: name, State: stateStopped}
	if v.Scheduled = c.Crawls.Scheduled(name); v.Scheduled != nil {
		v.State, v.Report, v.Fault = stateScheduled, &engine.Report{}, v.Scheduled.Fault
		return v
	}
	if s := c.Crawls.Session(name); s != nil {
		v.Open, v.State, v.Report = true, stateRunning, s.Crawl.Report()
		if s.Crawl.Paused() {
			v.State = statePaused
		}
		return v
	}
	dir := c.Crawls.Folder(name)
	report, err := engine.ReadReport(filepath.Join(dir, "report.json"))
	if errors.Is(err, fs.ErrNotExist) { // it was not run yet
		settings, serr := crawl.ReadSettings(dir)
		report, err = &engine.Report{Started: settings.Started, Seeds: settings.Seeds}, serr
	}
	if err != nil {
		v.Report, v.Fault = &engine.Report{}, err.Error()
		return v
	}
	v.Report = report
	if report.Verdict == nil {
		return v
	}
	if report.Stopped == string(crawl.Running) {
		if frontier.Held(filepath.Join(dir, "state")) {
			return v // the session has not closed its files, or is another process's
		}
		report.Stopped = crawl.Killed
		report.Judge(dir, nil)
	}
	v.State = string(report.Verdict.State)
	return v
}

// Objects is how many objects there are, of all classes.
func (v crawlView) Objects() (n int64) {
	for _, k := range v.Report.Objects {
		n += k
	}
	return n
}

// Verdict is the verdict of the crawl in one line; "" while it runs or has not started.
func (v crawlView) Verdict() string {
	if v.State == stateStopped || v.Open || v.Report.Verdict == nil {
		return ""
	}
	return v.Report.Verdict.Line(v.Report.Stopped)
}

// Rate is how many pages there were in a second of crawling.
func (v crawlView) Rate() float64 { return float64(v.Report.Pages) / max(v.Report.Duration, 1) }

func (c *Cockpit) list(w http.ResponseWriter, r *http.Request) {
	var all []crawlView
	for _, name := range c.Crawls.Names() {
		all = append(all, c.look(name))
	}
	changes := slices.ContainsFunc(all, func(v crawlView) bool { return v.Open || v.Scheduled != nil })
	c.show(w, r, "list", map[string]any{"Crawls": all, "Begins": c.Begins, "Changes": changes})
}

// functions are those of templates.
var functions = template.FuncMap{
	"bytes":   inBytes,
	"bytesOf": func(n uint64) string { return inBytes(int64(n)) },
	"count":   inThousands[int64],
	"count64": inThousands[int],
	"short":   shortAddress,
	"address": address,
	"join":    strings.Join,
	"stamp":   func(t time.Time) string { return t.UTC().Format(stampForm) },
	"formats": func() []string { return []string{"csv", "jsonl", "rss", "mbox"} },
	"marked":  marked,
	"best":    bestLinks,
	"flags":   flagsText,
	"value":   valueText,
	"add":     func(a, b int) int { return a + b },
	"quote":   func(s string) string { return `"` + strings.ReplaceAll(s, `"`, " ") + `"` },
	"base":    filepath.Base,
	"texts":   texts,
	"clock":   func(t time.Time) string { return t.UTC().Format(time.TimeOnly) },
	"fault":   func(kind string) string { return cmp.Or(faultTexts[kind], kind) },
	"waits":   func(w frontier.Wait) string { return waitTexts[w] },
	"seconds": func(s float64) string { return fmt.Sprintf("%.2f s", s) },
	"until":   func(t time.Time) string { return max(0, time.Until(t)).Round(time.Second).String() },
	"written": written,
	"stamped": stamped,
	"local":   func(t time.Time) string { return t.Local().Format(localForm) },
	"now":     time.Now,
	"moment":  moment,
	"span": func(seconds float64) string {
		return time.Duration(seconds * float64(time.Second)).Round(time.Second).String()
	},
}

func moment(t time.Time) string { return t.UTC().Format("2006-01-02 15:04:05 UTC") }

// stamped is the time of a capture, of a form; what is no time is left as it is.
func stamped(stamp string) string {
	t, err := time.Parse(stampForm, stamp)
	if err != nil {
		return stamp
	}
	return moment(t)
}

// written is a time of the results as people read it; what is no time is left as it is.
func written(text string) string {
	t, err := time.Parse(time.RFC3339, text)
	if err != nil {
		return text
	}
	return t.Format("2006-01-02 15:04 MST")
}

// marked is a snippet with what was looked for marked in it.
func marked(s quads.Snippet) template.HTML {
	var b strings.Builder
	last := 0
	for _, m := range s.Marks {
		b.WriteString(template.HTMLEscapeString(s.Text[last:m[0]]) + "<mark>" + template.HTMLEscapeString(s.Text[m[0]:m[1]]) + "</mark>")
		last = m[1]
	}
	return template.HTML(b.String() + template.HTMLEscapeString(s.Text[last:]))
}

// shortAddress is an address without what all have in common.
func shortAddress(address string) string {
	_, address, _ = strings.Cut(address, "://")
	const most = 90
	if r := []rune(address); len(r) > most {
		return string(r[:most]) + "…"
	}
	return address
}

// inBytes writes a size as people read it.
func inBytes(n int64) string {
	const units = "KMGTPE"
	if n < 1<<10 {
		return fmt.Sprintf("%d B", n)
	}
	f, i := float64(n)/(1<<10), 0
	for ; f >= 1000 && i < len(units)-1; i++ {
		f /= 1 << 10
	}
	return fmt.Sprintf("%.1f %ciB", f, units[i])
}

// inThousands writes a number with its thousands apart.
func inThousands[T int | int64](n T) string {
	s := fmt.Sprint(n)
	for i := len(s) - 3; i > 0 && s[i-1] != '-'; i -= 3 {
		s = s[:i] + "\u202f" + s[i:]
	}
	return s
}
