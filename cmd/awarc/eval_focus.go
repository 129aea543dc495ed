package main

import (
	"context"
	"fmt"
	"regexp"

	"github.com/awarc/awarc/cmd/internal/eval/unknown"
)

type evalFocusCmd struct {
	kbFlags
	plotFlags
	Match    string   `required:"" placeholder:"RE" help:"The targets: pages whose path and query match this regular expression."`
	Simulate string   `placeholder:"DIR" help:"Simulate breadth-first and random crawls over this crawl of the whole site."`
	Seeds    int      `default:"10" help:"Number of random crawls."`
	Caption  string   `default:"Targets over requests" help:"Caption of the plot."`
	Crawl    []string `arg:"" name:"NAME=DIR" help:"Crawls of one site."`
}

// Run measures how soon crawls have some pages of a site.
func (c *evalFocusCmd) Run(ctx context.Context, s streams) error {
	match, err := regexp.Compile(c.Match)
	if err != nil {
		return usageError("--match: %v", err)
	}
	base, err := c.load()
	if err != nil {
		return err
	}
	crawls, err := sourcesOf(c.Crawl)
	if err != nil {
		return err
	}
	report, err := unknown.Focus(ctx, base, crawls, match, c.Simulate, max(0, c.Seeds),
		func(dir string) { fmt.Fprintln(s.err, "awarc: reading", dir) })
	if err != nil {
		return err
	}
	return c.plot(s, report, c.Caption, report.PrintFocus)
}
