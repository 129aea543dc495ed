package main

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/awarc/awarc/engine/crawl"
	"github.com/awarc/awarc/engine/durable"
	"github.com/awarc/awarc/engine/export"
	"github.com/awarc/awarc/engine/quads"
)

type exportCmd struct {
	indexFlags
	filterFlags `group:"Filters:"`
	Crawl       []string `required:"" sep:"none" placeholder:"DIR" help:"Read this folder of a crawl or of N-Quads; repeatable."`
	Out         string   `short:"o" placeholder:"FILE" help:"Write to this file (default: standard output)."`
	Format      string   `enum:",text,csv,json,jsonl,rss,mbox" default:"" help:"Output format (default: by the file name, else text)."`
	Columns     []string `placeholder:"NAME,..." help:"Columns of csv and text, in this order; a wrong name prints the list."`
	Exact       bool     `help:"Do not escape texts in csv that a spreadsheet would run as formulas."`
	BOM         bool     `name:"bom" help:"Start csv with a byte order mark, so that Excel reads UTF-8."`
	Sort        string   `enum:"thread,date" default:"thread" help:"Order by thread or by newest date."`
	Limit       int      `help:"Write at most N objects (default: no limit)."`
	Words       []string `arg:"" optional:"" help:"Words that objects must contain, in the syntax of awarc search."`
}

// Run writes objects as another program reads them.
func (c *exportCmd) Run(ctx context.Context, s streams) error {
	ctx, stop := interruptible(ctx, s.err)
	defer stop()
	format := export.Format(c.Format)
	if format == "" {
		if format = export.FormatOf(c.Out); format == "" && c.Out != "" {
			return usageError("-o %s: unknown format; use a name with .csv, .json, .jsonl, .rss or .mbox, or --format", c.Out)
		}
		format = cmp.Or(format, export.CSV)
	}
	if err := export.CheckColumns(c.Columns); err != nil {
		return usageError("%v", err)
	}
	index, result, err := c.open(ctx, s, c.Crawl)
	if err != nil {
		return err
	}
	defer index.Close()
	written := 0
	write := func(w io.Writer) (err error) {
		written, err = c.write(ctx, index, format, w)
		return err
	}
	if c.Out == "" {
		err = write(s.out)
	} else {
		err = durable.WriteFile(c.Out, 0o644, write)
	}
	var wrong *quads.SearchError
	switch {
	case errors.As(err, &wrong):
		return usageError("%v", err)
	case errors.Is(err, context.Canceled):
		return &statusError{exitInterrupted, errors.New("interrupted; no file was written")}
	case err != nil:
		return err
	case c.Out != "":
		fmt.Fprintf(s.err, "wrote %d objects to %s\n", written, c.Out)
	}
	if result.Skipped > 0 {
		return &statusError{exitWithFaults, nil}
	}
	return nil
}

// write writes all rows and tells how many there were.
func (c *exportCmd) write(ctx context.Context, index *quads.Reader, format export.Format, to io.Writer) (written int, err error) {
	out := bufio.NewWriterSize(to, 1<<16)
	o := export.Options{Columns: c.Columns, Exact: c.Exact, BOM: c.BOM}
	o.Title, o.Link = c.about()
	var w export.Writer
	if format == "text" {
		w = newTextTable(out, c.Columns)
	} else if w, err = export.New(out, format, o); err != nil {
		return 0, err
	}
	search := c.search()
	search.Words, search.Limit, search.ByDate = joinWords(c.Words), c.Limit, c.Sort == "date" || format == export.RSS
	if len(search.Class) == 0 {
		search.NotClass, search.NotEntity = quads.Containers(), true
	}
	err = index.Rows(ctx, search, func(row *quads.Row) error {
		written++
		return w.Write(row)
	})
	if err == nil {
		err = cmp.Or(w.Close(), out.Flush())
	}
	return written, err
}

// about is what a feed is called and leads to.
func (c *exportCmd) about() (title, link string) {
	settings, err := crawl.ReadSettings(c.Crawl[0])
	if err != nil || len(settings.Seeds) == 0 {
		return filepath.Base(c.Crawl[0]), ""
	}
	return titleOf(settings.Seeds), settings.Seeds[0]
}

// textTable shows rows for reading.
type textTable struct {
	table
	columns []string
}

func newTextTable(out io.Writer, columns []string) *textTable {
	if len(columns) == 0 {
		columns = []string{"thread", "position", "creator", "created", "content"}
	}
	t := &textTable{table{out: out, names: columns}, columns}
	t.add(columns)
	return t
}

func (t *textTable) Write(row *quads.Row) error {
	cells := export.Cells(row, t.columns)
	for i, text := range cells {
		cells[i] = cut(strings.Join(strings.Fields(printable(text)), " "))
	}
	t.add(cells)
	return nil
}

func (t *textTable) Close() error { return t.flush() }
