package main

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"io"
	"strconv"

	"github.com/awarc/awarc/engine/durable"
	"github.com/awarc/awarc/engine/export"
	"github.com/awarc/awarc/engine/quads"
	"github.com/awarc/awarc/engine/trends"
)

type trendsCmd struct {
	indexFlags
	filterFlags `group:"Filters:"`
	Crawl       []string `required:"" sep:"none" placeholder:"DIR" help:"Read this folder of a crawl or of N-Quads; repeatable."`
	By          string   `enum:"day,week,month,year,crawl" default:"month" help:"Count by this period."`
	Top         int      `default:"10" help:"Without words or entities: count the N most frequent ones."`
	Keywords    bool     `help:"Without words or entities: count keywords instead of entities."`
	Out         string   `short:"o" placeholder:"FILE" help:"Write to this file (default: standard output)."`
	Format      string   `enum:",text,json,csv" default:"" help:"Output format (default: by the name of the file, else text)."`
	Words       []string `arg:"" optional:"" help:"Words to count, one an argument, in the syntax of awarc search."`
}

// mostSeries bounds what is counted at a time.
const mostSeries = 1000

// Run counts texts over time. Each entity that is named is counted by itself.
func (c *trendsCmd) Run(ctx context.Context, s streams) error {
	ctx, stop := interruptible(ctx, s.err)
	defer stop()
	if c.Top < 1 || c.Top > mostSeries || len(c.Words)+len(c.Entity) > mostSeries {
		return usageError("expected 1 to %d words and entities", mostSeries)
	}
	if c.By == "crawl" && c.Index != "" {
		return usageError("--index holds all crawls together and cannot be used with --by crawl")
	}
	table, faults, err := c.count(ctx, s)
	var wrong *quads.SearchError
	var many *trends.PeriodsError
	switch {
	case errors.As(err, &wrong), errors.As(err, &many):
		return usageError("%v", err)
	case errors.Is(err, context.Canceled):
		return &statusError{exitInterrupted, errors.New("interrupted")}
	case err != nil:
		return err
	}
	write := func(w io.Writer) error { return c.write(w, table) }
	if c.Out == "" {
		err = write(s.out)
	} else {
		err = durable.WriteFile(c.Out, 0o644, write)
	}
	if err == nil && faults {
		err = &statusError{exitWithFaults, nil}
	}
	return err
}

// count counts over all crawls, or in each.
func (c *trendsCmd) count(ctx context.Context, s streams) (table *trends.Table, faults bool, err error) {
	among := c.search()
	among.Entity = nil
	if len(among.Class) == 0 {
		among.NotClass, among.NotEntity = quads.Containers(), true
	}
	crawls := [][]string{c.Crawl}
	if c.By == "crawl" {
		crawls = nil
		for _, dir := range c.Crawl {
			crawls = append(crawls, []string{dir})
		}
	}
	for _, dirs := range crawls {
		r, result, err := c.open(ctx, s, dirs)
		if err != nil {
			return nil, false, err
		}
		defer r.Close()
		faults = faults || result.Skipped > 0
		if table == nil {
			series, err := c.series(ctx, r)
			if err != nil {
				return nil, false, err
			}
			table = &trends.Table{By: c.By, Series: series, Periods: []trends.Period{}}
		}
		if c.By == "crawl" {
			err = table.Add(ctx, r, among, name(dirs[0]))
		} else {
			table, err = trends.ByDate(ctx, r, among, table.Series, c.By)
		}
		if err != nil {
			return nil, false, err
		}
	}
	return table, faults, nil
}

// series are what is counted: what is named, or what is mentioned most in the first crawl.
func (c *trendsCmd) series(ctx context.Context, r *quads.Reader) (series []trends.Series, err error) {
	for _, w := range c.Words {
		series = append(series, trends.Series{Name: w, Words: w})
	}
	for _, e := range c.Entity {
		series = append(series, trends.Series{Name: e, Entity: e})
	}
	if len(series) > 0 {
		return series, nil
	}
	var top []quads.Counted
	if c.Keywords {
		top, err = r.Keywords(ctx, c.Top)
	} else {
		top, err = r.Mentioned(ctx, c.Top)
	}
	if err != nil {
		return nil, err
	}
	for _, t := range top {
		x := trends.Series{Name: cmp.Or(t.Name, t.Value), Entity: t.Value}
		if c.Keywords {
			x = trends.Series{Name: t.Value, Words: `"` + t.Value + `"`}
		}
		series = append(series, x)
	}
	if len(series) == 0 {
		return nil, usageError("the crawls have no entities or keywords; name words to count, or crawl with the plugin annotate")
	}
	return series, nil
}

// mostEmpty is how many periods in a row without a text are printed one by one: more are one row, since a single wrong date
// would fill the screen. Arbitrary.
const mostEmpty = 3

// folded makes one row of many periods in a row without a text.
func folded(periods []trends.Period) (rows []trends.Period) {
	for i := 0; i < len(periods); {
		end := i
		for end < len(periods) && periods[end].All == 0 {
			end++
		}
		if end-i > mostEmpty {
			row := periods[i]
			row.Name += " to " + periods[end-1].Name
			rows, i = append(rows, row), end
			continue
		}
		rows = append(rows, periods[i:min(end+1, len(periods))]...)
		i = end + 1
	}
	return rows
}

// write writes the table.
func (c *trendsCmd) write(to io.Writer, t *trends.Table) error {
	format := c.Format
	if of := export.FormatOf(c.Out); format == "" && (of == export.CSV || of == export.JSON) {
		format = string(of)
	}
	if format == "json" {
		return writeJSON(to, t)
	}
	out := bufio.NewWriter(to)
	var add func(cells []string)
	var end func() error
	head := []string{"period", "all"}
	if t.By == "crawl" {
		head[0] = "crawl"
	}
	for _, s := range t.Series {
		head = append(head, s.Name)
	}
	if format == "csv" {
		w := export.NewLines(out, true)
		add, end = func(cells []string) { _ = w.Write(cells) }, func() error { return nil }
	} else {
		for i := range head {
			head[i] = cut(printable(head[i]))
		}
		shown := &table{out: out, names: head}
		add, end = shown.add, shown.flush
	}
	add(head)
	periods := t.Periods
	if t.Undated != nil {
		t.Undated.Name = "undated"
		periods = append(periods, *t.Undated)
	}
	if format != "csv" {
		periods = folded(periods)
	}
	for _, p := range periods {
		cells := []string{p.Name, strconv.Itoa(p.All)}
		for _, n := range p.Counts {
			cells = append(cells, strconv.Itoa(n))
		}
		add(cells)
	}
	return cmp.Or(end(), out.Flush())
}
