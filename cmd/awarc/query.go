package main

import (
	"bufio"
	"cmp"
	"context"
	"encoding/csv"
	"errors"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/awarc/awarc/engine/export"
	"github.com/awarc/awarc/engine/graph"
	"github.com/awarc/awarc/engine/infile"
	"github.com/awarc/awarc/engine/quads"
	"github.com/awarc/awarc/engine/sparql"
	"github.com/awarc/awarc/plugins"
)

type queryCmd struct {
	indexFlags
	Crawl       []string      `required:"" sep:"none" placeholder:"DIR" help:"Read this folder of a crawl or of N-Quads; repeatable."`
	Format      string        `enum:"text,json,xml,csv,tsv,nt,turtle,trig,jsonld" default:"text" help:"Format (CONSTRUCT: nt to jsonld)."`
	Safe        bool          `help:"Escape texts in csv that a spreadsheet would run as formulas."`
	TimeLimit   time.Duration `default:"1m" placeholder:"DURATION" help:"Stop the query after this time."`
	MemoryLimit size          `default:"1G" placeholder:"SIZE" help:"Limit the memory of the query; at most 4G."`
	OutputLimit size          `default:"1G" placeholder:"SIZE" help:"Limit the size of the results."`
	File        string        `placeholder:"FILE" help:"Read the query from a file; - is standard input."`
	Query       string        `arg:"" optional:"" name:"sparql" help:"The query."`
}

// Run evaluates a query.
func (c *queryCmd) Run(ctx context.Context, s streams) error {
	if c.MemoryLimit > sparql.MostMemory {
		return usageError("--memory-limit: the limit is 4G")
	}
	query, err := c.query(s)
	if err != nil {
		return err
	}
	index, result, err := c.open(ctx, s, c.Crawl)
	if err != nil {
		return err
	}
	defer index.Close()
	engine, err := openSPARQL(ctx, int64(c.MemoryLimit))
	if err != nil {
		return err
	}
	defer engine.Close()
	err = c.ask(ctx, engine, index, query, s.out)
	var syntax *sparql.SyntaxError
	var unsupported *sparql.UnsupportedError
	switch {
	case errors.As(err, &syntax), errors.As(err, &unsupported):
		return &statusError{exitUsage, err}
	case errors.Is(err, sparql.ErrTime), errors.Is(err, sparql.ErrMemory), errors.Is(err, sparql.ErrOutput):
		return &statusError{exitLimit, err}
	case err == nil && result.Skipped > 0:
		return &statusError{exitWithFaults, nil}
	}
	return err
}

// query is the text of the query.
func (c *queryCmd) query(s streams) (string, error) {
	switch {
	case (c.Query == "") == (c.File == ""):
		return "", usageError("expected one query: as the argument, or with --file")
	case c.File == "-":
		text, err := io.ReadAll(s.in)
		return string(text), err
	case c.File != "":
		text, err := infile.ReadStream(c.File, maxInput)
		return string(text), err
	}
	return c.Query, nil
}

// openSPARQL opens the evaluator, whose compiled code is kept in the user's cache folder.
func openSPARQL(ctx context.Context, memory int64) (*sparql.Engine, error) {
	dir, err := os.UserCacheDir()
	if err != nil {
		return sparql.Open(ctx, "", memory)
	}
	dir = filepath.Join(dir, "awarc", "sparql")
	if err := plugins.OpenCache(dir); err != nil {
		return nil, err
	}
	return sparql.Open(ctx, dir, memory)
}

// ask evaluates a query and prints its results.
func (c *queryCmd) ask(ctx context.Context, engine *sparql.Engine, index *quads.Reader, query string, out io.Writer) error {
	o := sparql.Options{Time: c.TimeLimit, Output: int64(c.OutputLimit), Prefixes: graph.Prefixes()}
	format, show := sparql.Format(c.Format), safeCSV
	switch {
	case c.Format == "text":
		format, show = sparql.Both, printResults
	case c.Format != "csv" || !c.Safe:
		return engine.Query(ctx, index, query, format, out, o)
	}
	read, write := io.Pipe()
	asked := make(chan error, 1)
	go func() {
		err := engine.Query(ctx, index, query, format, write, o)
		asked <- err
		write.CloseWithError(err)
	}()
	err := show(out, read)
	read.CloseWithError(err)
	if failed := <-asked; failed != nil {
		return failed
	}
	return err
}

// safeCSV copies CSV without formulas.
func safeCSV(w io.Writer, r io.Reader) error {
	out := bufio.NewWriter(w)
	in, lines := csv.NewReader(r), export.NewLines(out, true)
	for {
		cells, err := in.Read()
		if err == io.EOF {
			return out.Flush()
		}
		if err = cmp.Or(err, lines.Write(cells)); err != nil {
			return err
		}
	}
}
