package complete

import (
	"cmp"
	"fmt"
	"html/template"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/awarc/awarc/engine"
	"github.com/awarc/awarc/engine/onepage"
)

var pages = template.Must(template.New("").Parse(`
{{define "facts"}}<dl>{{range .}}<dt>{{index . 0}}</dt><dd>{{index . 1}}</dd>{{end}}</dl>
{{end}}{{define "heading"}}<h2>{{.}}</h2>
{{end}}{{define "text"}}<p>{{.}}</p>
{{end}}{{define "named"}}<table><caption>URLs {{.Outcome}}{{if .More}} (the first {{len .URLs}}){{end}}</caption>
<thead><tr><th scope="col">URL</th><th scope="col">Reason</th></tr></thead><tbody>
{{range .URLs}}<tr><td><a href="{{.URL}}">{{.URL}}</a></td><td>{{.Reason}}</td></tr>
{{end}}</tbody></table>
{{end}}{{define "lines"}}<h3>{{.Title}}</h3><ul>{{range .Lines}}<li>{{.}}</li>
{{end}}</ul>{{with .More}}<p>{{.}}</p>{{end}}
{{end}}{{define "verdict"}}<p class="verdict {{.Verdict.State}}"><strong>{{.Verdict.Line .Stopped}}</strong></p>
{{range .Verdict.Next}}<p><code>{{.}}</code></p>
{{end}}{{end}}{{define "thing"}}<article{{if .Lacks}} class="vanished"{{end}}><h3>{{.Title}}</h3>
<p class="small"><a href="{{.ID}}">{{.ID}}</a></p>
<p>{{.Counts}}</p>
{{range .Reasons}}<p>{{.}}{{range .URLs}}<br><a href="{{.}}">{{.}}</a>{{end}}</p>
{{end}}</article>
{{end}}`))

// page writes HTML and remembers the first error.
type page struct {
	w   io.Writer
	err error
}

func (p *page) put(name string, data any) {
	if p.err == nil {
		p.err = pages.ExecuteTemplate(p.w, name, data)
	}
}

func (p *page) bars(caption, of, unit string, bars []onepage.Bar) {
	if p.err == nil && len(bars) > 0 {
		p.err = onepage.Bars(p.w, caption, of, unit, bars)
	}
}

// counts writes a bar for each name, the highest first.
func (p *page) counts(caption, of, unit string, counts map[string]int64) {
	var bars []onepage.Bar
	for name, n := range counts {
		bars = append(bars, onepage.Bar{Label: name, N: int(n), Part: int(n)})
	}
	slices.SortFunc(bars, func(a, b onepage.Bar) int { return cmp.Or(cmp.Compare(b.N, a.N), strings.Compare(a.Label, b.Label)) })
	p.bars(caption, of, unit, bars[:min(len(bars), barsShown)])
}

// named lists the URLs of each outcome that is not archived.
func (p *page) named(o *engine.Outcomes) {
	if o == nil {
		return
	}
	for _, of := range []struct {
		outcome string
		urls    []engine.NamedURL
	}{{"that failed", o.Named.Failed}, {"that were lost", o.Named.Lost}, {"deferred as suspected traps", o.Named.Deferred},
		{"waiting", o.Named.Waiting}, {"excluded", o.Named.Excluded},
		{"of page files (images, styles, scripts) answered with an error", o.Named.Requisites}} {
		if shown := min(len(of.urls), urlsShown); shown > 0 {
			p.put("named", map[string]any{"Outcome": of.outcome, "URLs": of.urls[:shown], "More": shown < len(of.urls)})
		}
	}
}

// suspicions lists the kinds of answers that may not be what was wanted.
func (p *page) suspicions(r *engine.Report) {
	var lines []string
	for _, s := range r.Suspicions {
		lines = append(lines, s.String())
	}
	p.lines("Suspicious", lines, "kinds")
}

// seeds lists what became of the first seeds.
func (p *page) seeds(r *engine.Report) {
	var lines []string
	for _, s := range r.SeedsReport {
		lines = append(lines, s.Seed+s.Text())
	}
	p.lines("Seeds", lines, "seeds")
}

// lines lists the first lines under a title.
func (p *page) lines(title string, lines []string, things string) {
	more := ""
	if n := len(lines) - thingsShown; n > 0 {
		lines, more = lines[:thingsShown], fmt.Sprintf("and %d more %s; report.json lists them", n, things)
	}
	if len(lines) > 0 {
		p.put("lines", map[string]any{"Title": title, "Lines": lines, "More": more})
	}
}

// Bounds of what a page shows; the JSON has more.
const (
	barsShown   = 50
	thingsShown = 500
	urlsShown   = 50 // of each outcome
)

// WriteHTML writes the report as one page, which needs nothing else.
func (r *Report) WriteHTML(w io.Writer) error {
	p := &page{w: w}
	c := r.Crawl
	p.err = onepage.Begin(w, "Crawl of "+strings.Join(c.Seeds[:min(len(c.Seeds), 3)], ", "),
		fmt.Sprintf("%s, %s. Made by %s.", r.Dir, r.State, r.Software))
	if c.Verdict != nil {
		p.put("verdict", c)
	}
	p.put("facts", r.facts())
	p.put("heading", "What is missing")
	p.suspicions(c)
	p.counts("Errors by kind", "Kind", "Errors", c.Errors)
	p.named(c.Outcomes)
	p.seeds(c)
	p.lines("Hosts", c.Outcomes.HostLines(), "hosts")
	r.Completeness.write(p)
	p.put("heading", "What was fetched")
	p.counts("Pages by level", "Level", "Pages", c.Levels)
	p.counts("Objects", "Class", "Objects", c.Objects)
	p.counts("Responses by status", "Status", "Responses", c.Statuses)
	if len(r.Activity) > 0 && p.err == nil {
		var columns []onepage.Bar
		for _, i := range r.Activity {
			columns = append(columns, onepage.Bar{Label: i.From.UTC().Format("2006-01-02 15:04:05"), N: i.Requests})
		}
		p.err = onepage.Columns(w, "Requests over time", "From (UTC)", "Requests", columns)
	}
	if p.err != nil {
		return p.err
	}
	return onepage.End(w)
}

// Age returns the age of the counts of a running crawl, which its last checkpoint wrote.
func (r *Report) Age() string { return time.Since(r.Crawl.Ended).Round(time.Second).String() }

// facts are what the crawl is, in lines of a name and a text.
func (r *Report) facts() [][2]string {
	c := r.Crawl
	facts := [][2]string{
		{"Seeds", fmt.Sprint(len(c.Seeds))},
		{"Started", Moment(c.Started)}, {"Ended", Moment(c.Ended)},
		{"Time spent", time.Duration(c.Duration * float64(time.Second)).Round(time.Second).String()},
		{"State", strings.TrimSuffix(r.State+", "+c.Stopped, ", ")},
		{"Requests", c.RequestsText()},
		{"Pages", fmt.Sprint(c.Pages)},
		{"Archive", fmt.Sprintf("%d bytes, %d triples", c.WARCBytes, c.Triples)},
	}
	if r.State == Running {
		facts[2] = [2]string{"Counted", Moment(c.Ended) + ", " + r.Age() + " before this page was written"}
	}
	if c.Queue.Pending > 0 {
		facts = append(facts, [2]string{"Waiting", engine.Counted(c.Queue.Pending, "URL|URLs")})
	}
	if a := c.Adaptation; a.Attempted > 0 {
		facts = append(facts, [2]string{"Adaptation", fmt.Sprintf("%d of %s repaired, %s confirmed", a.Attempted-a.Failed,
			engine.Counted(a.Attempted, "page|pages"), engine.Counted(a.Confirmed, "expression|expressions"))})
	}
	for _, name := range slices.Sorted(maps.Keys(c.Plugins)) {
		used := c.Plugins[name]
		facts = append(facts, [2]string{"Plugin " + name, used.Text()})
	}
	return facts
}

// Moment writes a time, or that there is none.
func Moment(t time.Time) string {
	if t.IsZero() {
		return "-"
	}
	return t.UTC().Format("2006-01-02 15:04:05 UTC")
}

// writeLists writes what is saved of what lists say that is in them.
func (r *Result) writeLists(p *page) {
	var things, items []onepage.Bar
	var counts []Count
	bar := func(l *List, c Count) onepage.Bar {
		counts = append(counts, c)
		return onepage.Bar{Label: cmp.Or(l.Title, l.ID), Link: l.ID, N: c.Saved + c.Lacks(), Part: c.Saved, Text: c.String()}
	}
	for i := range r.Lists[:min(len(r.Lists), thingsShown)] {
		l := &r.Lists[i]
		if !l.Unmatched {
			things = append(things, bar(l, l.Things))
		}
		if l.Items.Stated != nil {
			items = append(items, bar(l, l.Items))
		}
	}
	asOf := AsOf(counts...)
	p.bars("Threads or blog posts in each list"+asOf, "List", "Archived", things)
	p.bars("Posts in each list"+asOf, "List", "Archived", items)
}

// write writes what is missing.
func (r *Result) write(p *page) {
	t := r.Things
	p.bars("Threads, blog posts and pages", "State", "Number", []onepage.Bar{
		{Label: "complete", N: t.Complete, Part: t.Complete},
		{Label: "incomplete", N: t.Incomplete, Part: 0},
		{Label: "archived, size not stated", N: t.Unstated, Part: t.Unstated},
	})
	if t.Items.Stated != nil {
		p.put("text", fmt.Sprintf("Of %d stated posts, comments and answers, %d are archived.", *t.Items.Stated, t.Items.Saved))
	}
	if r.Unknown {
		p.put("text", "The reasons for missing pages are known once the crawl has ended.")
	}
	var missing []onepage.Bar
	for _, kind := range slices.Sorted(maps.Keys(r.Missing)) {
		missing = append(missing, onepage.Bar{Label: kind, N: r.Missing[kind]})
	}
	p.bars("Missing pages", "Reason", "Pages", missing)
	r.writeLists(p)
	shown, lacking := 0, 0
	for i := range r.Named {
		t := &r.Named[i]
		if complete, _ := t.Complete(); complete {
			continue
		}
		if lacking++; lacking == 1 {
			p.put("heading", "Incomplete threads, posts and pages")
		}
		if shown == thingsShown {
			continue
		}
		shown++
		p.put("thing", map[string]any{"Title": cmp.Or(t.Title, "(no title)"), "ID": t.ID, "Counts": t.Text(), "Reasons": t.Reasons,
			"Lacks": true})
	}
	if left := t.Incomplete - shown; left > 0 {
		p.put("text", fmt.Sprintf("And %d more; report.json lists them.", left))
	}
}
