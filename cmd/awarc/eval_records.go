package main

import (
	"fmt"
	"os"

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
	measure := func(what string, of func(*records.Page) rank.Table) {
		for name, pages := range map[string][]*records.Page{c.Forums: forums, c.Pages: saved, c.Others: others} {
			fmt.Fprintf(s.out, "\n%s, %s: %d pages\n", name, what, len(pages))
			records.Print(s.out, records.Measure(pages, of), c.Verbose)
		}
	}
	if c.Present {
		measure("by the built-in weights", func(*records.Page) rank.Table { return reader.Weights() })
		return nil
	}
	all := append(append(forums[:len(forums):len(forums)], saved...), others...)
	kinds, table, err := records.Learn(all, c.Penalty)
	if err != nil {
		return err
	}
	fit.Print(s.out, kinds)
	fit.PrintReliability(s.out, kinds)
	measure("the site left out", func(p *records.Page) rank.Table { return fit.WithoutSite(table, kinds, p.Type, p.Site) })
	measure("the type left out", func(p *records.Page) rank.Table { return fit.WithoutType(table, kinds, p.Type) })
	if c.Write == "" {
		return nil
	}
	f, err := os.Create(c.Write)
	if err != nil {
		return err
	}
	defer f.Close()
	if err := table.Write(f, reader.Doc); err != nil {
		return err
	}
	return f.Close()
}
