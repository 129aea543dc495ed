package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"github.com/awarc/awarc/engine"
	"github.com/awarc/awarc/engine/crawl"
	"github.com/awarc/awarc/engine/detect"
	"github.com/awarc/awarc/engine/pack"
	"github.com/awarc/awarc/engine/reextract"
	"github.com/awarc/awarc/kb"
)

type packCmd struct {
	Out         string   `short:"o" placeholder:"FILE" help:"Write this WACZ file, or a file in this folder (default: DIR.wacz)."`
	Title       string   `help:"Title of the collection (default: the hosts of the seeds)."`
	Description string   `help:"Description of the collection."`
	Format      string   `enum:"text,json" default:"text" help:"Output format."`
	Dir         []string `arg:"" help:"Folder of a crawl that is not running; for a shared crawl, the folders of all nodes."`

	Permalinks bool `help:"Add redirects from permalinks, such as of posts, to the archived pages that show them."`

	Previous []string `sep:"none" placeholder:"DIR" help:"Find the originals of revisit records in this moved crawl; repeatable."`
}

// wholeList is how many pages a file may list as its pages. Viewers read that list whole before they show anything.
const wholeList = 10_000

// Run packs a crawl.
func (c *packCmd) Run(ctx context.Context, s streams) error {
	settings, err := crawl.ReadNodes(c.Dir)
	if err != nil {
		return usageError("%v", err)
	}
	store := settings.Store(c.Dir[0])
	sources, err := store.Sources()
	if err != nil {
		return err
	}
	base, err := kb.Load(sources...)
	if err == nil {
		base, err = base.Without(store.Without...)
	}
	if err != nil {
		return fmt.Errorf("the knowledge base of the crawl: %w", err)
	}
	report, err := c.lastReport()
	if err != nil {
		return err
	}
	dir, err := filepath.Abs(c.Dir[0])
	if err != nil {
		return err
	}
	elsewhere, err := elsewhereOf(settings, c.Previous)
	if err != nil {
		return err
	}
	file := cmp.Or(c.Out, filepath.Base(dir)+".wacz")
	if info, err := os.Stat(file); err == nil && info.IsDir() {
		file = filepath.Join(file, filepath.Base(dir)+".wacz")
	}
	show := newWorkProgress(s)
	var result *pack.Result
	err = readWhole(ctx, s, func(ctx context.Context) (err error) {
		result, err = pack.Run(ctx, pack.Options{
			Dirs: c.Dir, File: file, Title: cmp.Or(c.Title, titleOf(settings.Seeds)), Description: c.Description, Software: software(),
			Seeds: settings.Seeds, Split: report.Pages > wholeList, Created: report.Ended, Detector: detect.New(base),
			Sources: sources, Elsewhere: elsewhere, Permalinks: c.Permalinks, Noted: show.note, Progress: show.parts(c.warcs()),
		})
		return err
	})
	show.clear()
	if err != nil {
		return err
	}
	if result.Elsewhere > 0 {
		where := "the archive itself"
		if others := append(crawl.Generations(settings.Flags.Previous), settings.Flags.Dedupe...); len(others) > 0 {
			where += ", " + strings.Join(others, ", ")
		}
		show.progress.note(fmt.Sprintf("%d revisit records lack their original (in %s) and cannot be replayed; "+
			"name its folder with --previous", result.Elsewhere, where))
	}
	if !settings.Flags.Requisites {
		show.progress.note("the crawl fetched no styles, images or scripts, and replay lacks them; " +
			"use awarc crawl --requisites")
	}
	if c.Format == "json" {
		err = writeJSON(s.out, result)
	} else {
		c.printResult(s.out, result)
	}
	if err == nil && result.Skipped+result.Elsewhere > 0 {
		err = &statusError{exitWithFaults, nil}
	}
	return err
}

// printResult prints the counts of the packed file.
func (c *packCmd) printResult(w io.Writer, r *pack.Result) {
	fmt.Fprintf(w, "packed %s (%d bytes): %d WARC files, %d pages (%d with text)\n", r.File, r.Size, r.WARCs,
		r.Pages+r.ExtraPages, r.WithText)
	if c.Permalinks {
		fmt.Fprintf(w, "  %d generated records redirect permalinks to archived pages\n", r.Permalinks)
	}
	fmt.Fprintf(w, "  to open it, drop it on https://replayweb.page/ (it runs in the browser and uploads nothing)\n")
}

// warcs are the files that are packed.
func (c *packCmd) warcs() (files []string) {
	for _, dir := range c.Dir {
		if of, err := reextract.Files(dir); err == nil {
			files = append(files, of...)
		}
	}
	return files
}

// lastReport is that of the node that ended last.
func (c *packCmd) lastReport() (last *engine.Report, err error) {
	for _, dir := range c.Dir {
		r, err := engine.ReadReport(filepath.Join(dir, "report.json"))
		if err != nil {
			return nil, fmt.Errorf("%w; awarc resume %s creates it", err, dir)
		}
		if last == nil || r.Ended.After(last.Ended) {
			last = r
		}
	}
	return last, nil
}

// titleOf names a crawl by the hosts of its seeds.
func titleOf(seeds []string) string {
	title := ""
	for i, seed := range seeds {
		u, err := url.Parse(seed)
		switch {
		case err != nil:
		case i == 0:
			title = u.Host
		case i < 3:
			title += ", " + u.Host
		case i == 3:
			return title + fmt.Sprintf(" and %d more", len(seeds)-3)
		}
	}
	return title
}
