package cockpit

import (
	"bytes"
	"context"
	"html/template"
	"time"

	"github.com/awarc/awarc/engine/onepage"
	"github.com/awarc/awarc/engine/quads"
)

// mostMonths bounds a chart of months; what spans more is counted by years.
const mostMonths = 120

// trend is a chart of when what a search finds was written.
func trend(ctx context.Context, index *quads.Reader, s quads.Search) (template.HTML, error) {
	months := map[time.Time]int{}
	var first, last time.Time
	s.Limit, s.Offset = 0, 0
	err := index.Dates(ctx, s, func(t time.Time) {
		if t.IsZero() { // nobody knows
			return
		}
		m := time.Date(t.Year(), t.Month(), 1, 0, 0, 0, 0, time.UTC)
		if months[m]++; first.IsZero() || m.Before(first) {
			first = m
		}
		if m.After(last) {
			last = m
		}
	})
	if err != nil || len(months) < 2 {
		return "", err
	}
	layout, step := "2006-01", 1
	if last.Sub(first) > mostMonths*31*24*time.Hour {
		layout, step = "2006", 12
		first = time.Date(first.Year(), 1, 1, 0, 0, 0, 0, time.UTC)
	}
	var bars []onepage.Bar
	for at := first; !at.After(last) && len(bars) < 2*mostMonths; at = at.AddDate(0, step, 0) {
		b := onepage.Bar{Label: at.Format(layout)}
		for i := range step {
			b.N += months[at.AddDate(0, i, 0)]
		}
		bars = append(bars, b)
	}
	return chart(func(w *bytes.Buffer) error { return onepage.Columns(w, textTrend, textWritten, textObjects, bars) }), nil
}
