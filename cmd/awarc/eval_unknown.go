package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/awarc/awarc/cmd/internal/eval/unknown"
)

// plotFlags say where a report over requests goes.
type plotFlags struct {
	SVG    string `name:"svg" placeholder:"FILE" help:"Write a plot over the number of requests."`
	Format string `enum:"text,json" default:"text" help:"Output format."`
}

type evalUnknownCmd struct {
	kbFlags
	plotFlags
	Simulate string   `placeholder:"DIR" help:"Simulate breadth-first and best-first crawls over this blind crawl."`
	Caption  string   `default:"Contents over requests" help:"Caption of the plot."`
	Crawl    []string `arg:"" name:"NAME=DIR" help:"Crawls of one site whose type the knowledge base (or a draft) describes."`
}

// Run measures how soon crawls have the contents of a site.
func (c *evalUnknownCmd) Run(ctx context.Context, s streams) error {
	base, err := c.load()
	if err != nil {
		return err
	}
	crawls, err := sourcesOf(c.Crawl)
	if err != nil {
		return err
	}
	report, err := unknown.Measure(ctx, base, crawls, c.Simulate, func(dir string) { fmt.Fprintln(s.err, "awarc: reading", dir) })
	if err != nil {
		return err
	}
	return c.plot(s, report, c.Caption, report.Print)
}

// plot writes the plot of a report, and prints the report.
func (p *plotFlags) plot(s streams, report *unknown.Report, caption string, text func(io.Writer) error) error {
	if p.SVG != "" {
		if err := os.WriteFile(p.SVG, []byte(report.SVG(caption)), 0o644); err != nil {
			return err
		}
	}
	if p.Format == "json" {
		return writeJSON(s.out, report)
	}
	return text(s.out)
}

// sourcesOf reads crawls with their names.
func sourcesOf(args []string) (crawls []unknown.Source, err error) {
	for _, arg := range args {
		name, dir, named := strings.Cut(arg, "=")
		if !named {
			return nil, usageError("%q: expected NAME=DIR, such as learned=crawl-1", arg)
		}
		crawls = append(crawls, unknown.Source{Name: name, Dir: dir})
	}
	return crawls, nil
}
