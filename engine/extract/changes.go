package extract

import (
	"strings"
	"time"

	"github.com/awarc/awarc/engine/dates"
	"github.com/awarc/awarc/kb"
)

// mostChanges bounds the rows of a page that are read: ten times the longest list of a board.
const mostChanges = 5000

// changes reads the rows by which a page shows that others changed.
func (r *run) changes(c *kb.ChangeRows) {
	for _, row := range c.At.Select(r.page.Doc, r.work) {
		if row.Node == nil || row.Attr != "" || len(r.h.Changes) >= mostChanges {
			continue
		}
		links := c.Link.Select(row.Node, r.work)
		if len(links) == 0 {
			continue
		}
		href, _ := hrefOf(links[0])
		change := Change{URL: r.resolve.link(href)}
		var said []string
		for _, t := range c.Times {
			if text := r.first(t, row); text != "" {
				change.Time, change.Exact = r.when(text)
				said = append(said, text)
				break
			}
		}
		for _, t := range c.Counts {
			if text := r.first(t, row); text != "" {
				said = append(said, text)
			}
		}
		change.Said = strings.Join(said, " | ")
		if change.URL != "" && len(said) > 0 && r.keep(len(change.URL)+len(change.Said)) {
			r.h.Changes = append(r.h.Changes, change)
		}
	}
}

// first is the first text that an expression selects in a row, "" for none.
func (r *run) first(t *kb.Try, row kb.Value) string {
	for _, v := range t.Expr.Select(row.Node, r.work) {
		if text := strings.Join(strings.Fields(cut(t, v.Text())), " "); text != "" {
			return text
		}
	}
	return ""
}

// when reads the time of a change; exact is false for a day without a time, and for a time if its zone
// is unknown.
func (r *run) when(text string) (at time.Time, exact bool) {
	date := r.dates.Read(text, dates.Usual{})
	if date == "" {
		date = r.dates.Find(text, dates.Usual{})
	}
	if t, err := time.Parse(time.RFC3339Nano, date); err == nil {
		return t, true
	}
	for _, layout := range []string{"2006-01-02T15:04:05", "2006-01-02T15:04", time.DateOnly} {
		if t, err := time.Parse(layout, date); err == nil {
			return t, false
		}
	}
	return time.Time{}, false
}
