package main

import (
	"context"
	"fmt"
	"os"

	"github.com/goccy/go-yaml"

	"github.com/awarc/awarc/cmd/internal/eval/unknown"
)

type evalFocusCmd struct {
	kbFlags
	plotFlags
	Columns  string   `xor:"targets" placeholder:"FILE" help:"Measure the targets and crawls of a YAML file: name, match, simulate, topic."`
	Match    string   `xor:"targets" placeholder:"RE" help:"The targets: pages whose path and query match this regular expression."`
	Simulate string   `placeholder:"DIR" help:"Simulate crawls in several orders over this crawl of the whole site."`
	Topic    string   `placeholder:"FILE" help:"Simulate orders by this topic, too."`
	Context  string   `placeholder:"DIR" help:"Simulate a context graph with this earlier crawl, too."`
	Leaf     bool     `help:"Ignore the links of targets in simulations."`
	Seeds    int      `default:"10" help:"Number of simulations of each order, with shuffled links."`
	Caption  string   `default:"Targets over requests" help:"Caption of the plot."`
	Crawl    []string `arg:"" optional:"" name:"NAME=DIR" help:"Crawls of one site."`
}

// Run measures how soon crawls have some pages of a site.
func (c *evalFocusCmd) Run(ctx context.Context, s streams) error {
	base, err := c.load()
	if err != nil {
		return err
	}
	columns, err := c.columns()
	if err != nil {
		return err
	}
	var reports []*unknown.Report
	var sites unknown.Sites
	progress := func(dir string) { fmt.Fprintln(s.err, "awarc: reading", dir) }
	for _, column := range columns {
		r, err := unknown.Focus(ctx, base, column, &sites, max(0, c.Seeds), progress)
		if err != nil {
			return err
		}
		reports = append(reports, r)
	}
	reports = unknown.Together(reports)
	if c.SVG != "" {
		if err := os.WriteFile(c.SVG, []byte(unknown.Plots(c.Caption, reports)), 0o644); err != nil {
			return err
		}
	}
	if c.Format == "json" {
		return writeJSON(s.out, reports)
	}
	return unknown.PrintFocus(s.out, reports)
}

// columns returns the columns of the file, or the one that the flags describe.
func (c *evalFocusCmd) columns() ([]unknown.Column, error) {
	if c.Columns != "" {
		return unknown.ReadColumns(c.Columns)
	}
	if c.Match == "" || c.Simulate == "" && len(c.Crawl) == 0 {
		return nil, usageError("expected --columns FILE, or --match RE and crawls (NAME=DIR)")
	}
	crawls, err := sourcesOf(c.Crawl)
	if err != nil {
		return nil, err
	}
	column := unknown.Column{Name: c.Match, Match: c.Match, Simulate: c.Simulate, Topic: c.Topic, Context: c.Context, Leaf: c.Leaf}
	for _, s := range crawls {
		column.Crawls = append(column.Crawls, yaml.MapItem{Key: s.Name, Value: s.Dir})
	}
	return []unknown.Column{column}, nil
}
