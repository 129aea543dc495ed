// Package trends counts over time how many texts have words or mention entities: by the dates on which they were written, or crawl by
// crawl.
//
// Counts are of texts, each once, however often a word is in it. Each period has the number of all texts, too, since what is written about
// more is often only written more.
package trends

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/awarc/awarc/engine/quads"
)

// Series is what is counted: words, or an entity.
type Series struct {
	Name   string `json:"name"`
	Words  string `json:"words,omitempty"`  // as in a search
	Entity string `json:"entity,omitempty"` // name or IRI
	Total  int    `json:"total"`
}

// Period is a time, or a crawl.
type Period struct {
	Name   string `json:"period"` // 2026-11-24, 2026-W48, 2026-11, 2026, or what the crawl is called
	All    int    `json:"all"`    // texts
	Counts []int  `json:"counts"` // of the series
}

// Table is the counts.
type Table struct {
	By      string   `json:"by"`
	Series  []Series `json:"series"`
	Periods []Period `json:"periods"`           // without a gap
	Undated *Period  `json:"undated,omitempty"` // what has no date
}

// MostPeriods is how many periods a table may have.
const MostPeriods = 10_000

// A PeriodsError says that there are more.
type PeriodsError struct{ First, Last time.Time }

func (e *PeriodsError) Error() string {
	return fmt.Sprintf("the texts from %s to %s span more than %d periods: use a longer period, or --since and --until",
		e.First.Format(time.DateOnly), e.Last.Format(time.DateOnly), MostPeriods)
}

// step is a length of periods.
type step struct {
	name  func(time.Time) string
	begin func(time.Time) time.Time
	next  func(time.Time) time.Time
}

func date(year int, month time.Month, day int) time.Time {
	return time.Date(year, month, day, 0, 0, 0, 0, time.UTC)
}

// steps are the lengths.
var steps = map[string]step{
	"day": {
		func(t time.Time) string { return t.Format(time.DateOnly) },
		func(t time.Time) time.Time { return date(t.Date()) },
		func(t time.Time) time.Time { return t.AddDate(0, 0, 1) },
	},
	"week": {
		func(t time.Time) string { year, week := t.ISOWeek(); return fmt.Sprintf("%04d-W%02d", year, week) },
		func(t time.Time) time.Time { return date(t.Date()).AddDate(0, 0, -(int(t.Weekday())+6)%7) },
		func(t time.Time) time.Time { return t.AddDate(0, 0, 7) },
	},
	"month": {
		func(t time.Time) string { return t.Format("2006-01") },
		func(t time.Time) time.Time { return date(t.Year(), t.Month(), 1) },
		func(t time.Time) time.Time { return t.AddDate(0, 1, 0) },
	},
	"year": {
		func(t time.Time) string { return t.Format("2006") },
		func(t time.Time) time.Time { return date(t.Year(), 1, 1) },
		func(t time.Time) time.Time { return t.AddDate(1, 0, 0) },
	},
}

// search is what a series looks for, among what a search lets through.
func (s *Series) search(among quads.Search) quads.Search {
	if among.Words = s.Words; s.Entity != "" {
		among.Entity = []string{s.Entity}
	}
	return among
}

// ByDate counts the series among what a search is for, in periods of a length: day, week, month or year.
func ByDate(ctx context.Context, r *quads.Reader, among quads.Search, series []Series, by string) (*Table, error) {
	t := &Table{By: by, Series: series, Periods: []Period{}}
	length := steps[by]
	counts := map[time.Time]*Period{}
	undated := &Period{Counts: make([]int, len(series))}
	period := func(at time.Time) *Period {
		if at.IsZero() {
			return undated
		}
		at = length.begin(at)
		p := counts[at]
		if p == nil {
			p = &Period{Name: length.name(at), Counts: make([]int, len(series))}
			counts[at] = p
		}
		return p
	}
	if err := r.Dates(ctx, among, func(at time.Time) { period(at).All++ }); err != nil {
		return nil, err
	}
	for i := range series {
		s := &t.Series[i]
		err := r.Dates(ctx, s.search(among), func(at time.Time) { period(at).Counts[i]++; s.Total++ })
		if err != nil {
			return nil, err
		}
	}
	if undated.All > 0 {
		t.Undated = undated
	}
	return t, t.fill(counts, length)
}

// fill puts periods in a row, those in which nothing was written, too.
func (t *Table) fill(counts map[time.Time]*Period, length step) error {
	if len(counts) == 0 {
		return nil
	}
	all := slices.SortedFunc(maps.Keys(counts), time.Time.Compare)
	first, last := all[0], all[len(all)-1]
	for at := first; !at.After(last); at = length.next(at) {
		p := counts[at]
		if p == nil {
			p = &Period{Name: length.name(at), Counts: make([]int, len(t.Series))}
		}
		if t.Periods = append(t.Periods, *p); len(t.Periods) > MostPeriods {
			return &PeriodsError{first, last}
		}
	}
	return nil
}

// Add counts the series in a crawl, which becomes a period of a table by crawl.
func (t *Table) Add(ctx context.Context, r *quads.Reader, among quads.Search, name string) error {
	p := Period{Name: name, Counts: make([]int, len(t.Series))}
	if err := r.Dates(ctx, among, func(time.Time) { p.All++ }); err != nil {
		return err
	}
	for i := range t.Series {
		s := &t.Series[i]
		if err := r.Dates(ctx, s.search(among), func(time.Time) { p.Counts[i]++; s.Total++ }); err != nil {
			return err
		}
	}
	t.Periods = append(t.Periods, p)
	return nil
}
