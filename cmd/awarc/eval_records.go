package main

import (
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/awarc/awarc/cmd/internal/eval/fit"
	"github.com/awarc/awarc/cmd/internal/eval/records"
	"github.com/awarc/awarc/engine/detect"
	"github.com/awarc/awarc/engine/rank"
	reader "github.com/awarc/awarc/engine/read/records"
)

type evalRecordsCmd struct {
	kbFlags
	Forums  string  `default:"../shared/forums" placeholder:"DIR" help:"Folder of forum pages with a truth.jsonl."`
	Pages   string  `default:"../shared/pages" placeholder:"DIR" help:"Folder of saved pages of known software with an index.tsv."`
	Others  string  `default:"../shared/wcxb" placeholder:"DIR" help:"Folder of pages without posts, with a truth.jsonl."`
	Penalty float64 `default:"0.001" help:"Of large weights; 0 chooses it by cross-validation."`
	Present bool    `help:"Measure the built-in weights and learn nothing."`
	Write   string  `placeholder:"FILE" help:"Write the learned weights to a file: engine/read/records/weights.tsv."`
	Format  string  `enum:"text,json" default:"text" help:"Output format: text or json."`
	Verbose bool    `short:"v" help:"List the pages that are not read whole."`
}

// Run learns the weights of the record reader and measures it.
func (c *evalRecordsCmd) Run(s streams) error {
	base, err := c.load()
	if err != nil {
		return err
	}
	d := detect.New(base)
	forums, err := records.Forums(c.Forums, d)
	if err != nil {
		return ofPages(err)
	}
	saved, err := records.Saved(c.Pages, d)
	if err != nil {
		return ofPages(err)
	}
	others, err := records.Others(c.Others)
	if err != nil {
		return ofPages(err)
	}
	all := slices.Concat(forums, saved, others)
	if c.Present {
		c.measure(s, "built-in weights", all, reader.LeastSure(), func(*records.Page) rank.Table { return reader.Weights() })
		return records.PrintCost(s.out, all)
	}
	kinds, table, err := records.Learn(all, c.Penalty)
	if err != nil {
		return err
	}
	withoutSite := func(p *records.Page) rank.Table { return fit.WithoutSite(table, kinds, p.Type, p.Site) }
	withoutType := func(p *records.Page) rank.Table { return fit.WithoutType(table, kinds, p.Type) }
	page := table[string(reader.KindPage)]
	page.Sure = records.Threshold(kinds)
	table[string(reader.KindPage)] = page
	if c.Format == "json" {
		sites := records.From(records.Measure(all, withoutSite), page.Sure)
		types := records.From(records.Measure(all, withoutType), page.Sure)
		return writeJSON(s.out, append(records.Sum("site", sites, func(p *records.Page) string { return p.Site }),
			records.Sum("type", types, func(p *records.Page) string { return string(p.Type) })...))
	}
	fit.Print(s.out, kinds)
	fit.PrintReliability(s.out, kinds)
	c.measure(s, "site left out", all, page.Sure, withoutSite)
	c.measure(s, "site left out, all classes renamed", records.Renamed(forums), page.Sure, withoutSite)
	c.measure(s, "type left out", all, page.Sure, withoutType)
	return c.write(table)
}

// measure reads all pages and prints the scores by folder, of all records and of records above the least confidence.
func (c *evalRecordsCmd) measure(s streams, what string, all []*records.Page, sure float64, of func(*records.Page) rank.Table) {
	rows := records.Measure(all, of)
	for _, dir := range []string{c.Forums, c.Pages, c.Others} {
		var here []records.Row
		for _, r := range rows {
			if strings.HasPrefix(r.File, filepath.Clean(dir)+string(filepath.Separator)) {
				here = append(here, r)
			}
		}
		if len(here) == 0 {
			continue
		}
		fmt.Fprintf(s.out, "\n%s, %s: %d pages\n", dir, what, len(here))
		records.Print(s.out, here, c.Verbose)
		fmt.Fprintf(s.out, "of these with a confidence of at least %.3f\n", sure)
		records.Print(s.out, records.From(here, sure), false)
	}
}

// write writes the weights, and the forests in a file beside them.
func (c *evalRecordsCmd) write(table rank.Table) error {
	if c.Write == "" {
		return nil
	}
	if err := writeLearned(c.Write, func(w io.Writer) error { return table.Write(w, reader.Doc) }); err != nil {
		return err
	}
	return writeLearned(filepath.Join(filepath.Dir(c.Write), "forests.txt"), func(w io.Writer) error {
		for _, kind := range reader.Planted {
			if err := table[string(kind)].Forest.Write(w); err != nil {
				return err
			}
		}
		return nil
	})
}
