package main

import (
	"errors"
	"io/fs"

	"github.com/awarc/awarc/cmd/internal/eval/maintext"
	"github.com/awarc/awarc/engine/durable"
)

type evalTextCmd struct {
	kbFlags
	Folds   int      `default:"5" help:"Parts of the sites; each part is measured by what was learned from the others."`
	Write   string   `placeholder:"FILE" help:"Learn from all pages, too, and write a file: engine/read/text/forest.txt."`
	Verbose bool     `short:"v" help:"Print for each page F1 learned, of objects, expected and best; generic, kind, file, URL."`
	Format  string   `enum:"text,json" default:"text" help:"Output format: text or json."`
	Dir     []string `arg:"" name:"DIR" help:"Folders with a truth.jsonl, saved pages with a groundtruth, or the folder dev of WCXB."`
}

// Run measures the main text of labelled pages.
func (c *evalTextCmd) Run(s streams) error {
	if c.Folds < 2 {
		return usageError("--folds %d: expected 2 or more", c.Folds)
	}
	base, err := c.load()
	if err != nil {
		return err
	}
	show := newWorkProgress(s)
	defer show.clear()
	o := maintext.Options{Dirs: c.Dir, Folds: c.Folds, Learning: maintext.DefaultLearning, Learn: c.Write != "", Progress: show.at,
		Notes: ifVerbose(c.Verbose, s.err)}
	examples, err := maintext.Load(base, o)
	if errors.Is(err, fs.ErrNotExist) {
		return usageError("%v", err)
	}
	if err != nil {
		return err
	}
	if len(examples) == 0 {
		return usageError("%v: no labelled page; expected a truth.jsonl, or a folder groundtruth or ground-truth", c.Dir)
	}
	r := maintext.Measure(examples, o)
	show.clear()
	if c.Write != "" {
		if err := durable.WriteFile(c.Write, 0o644, r.Model.Write); err != nil {
			return err
		}
	}
	if c.Format == "json" {
		return writeJSON(s.out, r)
	}
	return r.Print(s.out)
}
