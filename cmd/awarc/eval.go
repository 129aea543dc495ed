package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/awarc/awarc/cmd/internal/eval/corpus"
	"github.com/awarc/awarc/cmd/internal/eval/detection"
	"github.com/awarc/awarc/cmd/internal/eval/focused"
	"github.com/awarc/awarc/cmd/internal/eval/mend"
	"github.com/awarc/awarc/cmd/internal/eval/mirrors"
	"github.com/awarc/awarc/cmd/internal/eval/mutations"
	"github.com/awarc/awarc/cmd/internal/eval/newsites"
	"github.com/awarc/awarc/cmd/internal/eval/quality"
	"github.com/awarc/awarc/cmd/internal/eval/truth"
	"github.com/awarc/awarc/engine/detect"
	"github.com/awarc/awarc/kb"
)

type evalCmd struct {
	Adaptation evalAdaptationCmd `cmd:"" help:"Evaluate adaptation to new sites and changed templates."`
	Detection  evalDetectionCmd  `cmd:"" help:"Measure detection time by number of types: figure 3 of the paper."`
	Fit        evalFitCmd        `cmd:"" help:"Learn the weights of adaptation and evaluate them on sites left out."`
	Frontier   evalFrontierCmd   `cmd:"" help:"Simulate focused crawls: tables 1 and 2 of the ARCOMEM paper."`
	Quality    evalQualityCmd    `cmd:"" help:"Evaluate detection and extraction on saved pages."`
	Records    evalRecordsCmd    `cmd:"" help:"Learn the weights of the record reader and evaluate them on sites and types left out."`
	Text       evalTextCmd       `cmd:"" help:"Evaluate the main text of labelled pages on sites left out, and learn how to find it."`
	Unknown    evalUnknownCmd    `cmd:"" help:"Plot contents over requests for crawls of one site and simulated orders."`
	Focus      evalFocusCmd      `cmd:"" help:"Measure how soon crawls, and simulated orders, fetch the wanted pages of a site."`
	Watch      evalWatchCmd      `cmd:"" help:"Simulate fetching again what changed over recorded changes, with baselines."`
}

type evalQualityCmd struct {
	kbFlags
	Pages   string `default:"../shared/pages" placeholder:"DIR" help:"Folder of saved pages with an index.tsv."`
	Truth   string `default:"kb/testdata" placeholder:"DIR" help:"Folder of labels: golden/*.json, truth/*.tsv and types.tsv."`
	Verbose bool   `short:"v" help:"List each wrong page."`
	Format  string `enum:"text,json" default:"text" help:"Output format."`
}

// Run judges detection and extraction on saved pages.
func (c *evalQualityCmd) Run(s streams) error {
	base, err := c.load()
	if err != nil {
		return err
	}
	show := newWorkProgress(s)
	report, err := quality.Measure(base, quality.Options{Pages: c.Pages, Truth: c.Truth, Progress: show.at}, ifVerbose(c.Verbose, s.err))
	show.clear()
	if err != nil {
		return ofPages(err)
	}
	if c.Format == "json" {
		return writeJSON(s.out, report)
	}
	return report.Print(s.out)
}

func ifVerbose(verbose bool, w io.Writer) io.Writer {
	if verbose {
		return w
	}
	return io.Discard
}

// ofPages makes a folder that cannot be an error of usage.
func ofPages(err error) error {
	var wrong *corpus.IndexError
	if errors.As(err, &wrong) {
		return usageError("--pages: %v", wrong)
	}
	return err
}

type evalDetectionCmd struct {
	kbFlags
	Pages  string `default:"../shared/pages" placeholder:"DIR" help:"Folder of saved pages with an index.tsv."`
	Sample int    `default:"24" help:"Sample N pages of 20 to 300 KB, evenly spread."`
	Types  []int  `default:"50,500,5000,50000" help:"Numbers of types to measure; synthetic types fill up the knowledge base."`
	Format string `enum:"text,json" default:"text" help:"Output format."`
	SVG    string `name:"svg" placeholder:"FILE" help:"Write a plot in the form of figure 3 of the paper."`
}

// Run measures detection with more and more types.
func (c *evalDetectionCmd) Run(ctx context.Context, s streams) error {
	base, err := c.load()
	if err != nil {
		return err
	}
	show := newWorkProgress(s)
	table, err := detection.Measure(ctx, base, c.Pages, c.Sample, c.Types, show.at)
	show.clear()
	if errors.Is(err, detection.ErrNoPages) {
		return usageError("--pages %s: %v", c.Pages, err)
	}
	if err != nil {
		return ofPages(err)
	}
	if c.SVG != "" {
		if err := os.WriteFile(c.SVG, []byte(table.SVG()), 0o644); err != nil {
			return err
		}
	}
	if c.Format == "json" {
		return writeJSON(s.out, table)
	}
	return table.Print(s.out)
}

type evalFrontierCmd struct {
	Sites  string `default:"../shared/sites" placeholder:"DIR" help:"Folder of mirrors with their server; skipped when missing."`
	Web    int    `default:"200000" help:"Generate a web of N pages."`
	Crawl  int    `default:"10000" help:"Crawl N pages in each run."`
	Topics int    `default:"3" help:"Number of topics."`
	Starts int    `default:"3" help:"Number of seed sets (20 seeds each) for each topic."`
	Batch  int    `default:"100" help:"Pages in a batch."`
	Seed   uint64 `default:"1" help:"Seed of the random generator."`
	Format string `enum:"text,json" default:"text" help:"Output format."`
	SVG    string `name:"svg" placeholder:"FILE" help:"Write a plot of the harvest ratio, focused and breadth-first."`
}

// Run simulates focused crawls.
func (c *evalFrontierCmd) Run(ctx context.Context, s streams) error {
	o := focused.Options{Sites: c.Sites, Web: c.Web, Crawl: c.Crawl, Topics: c.Topics, Starts: c.Starts, Batch: c.Batch, Seed: c.Seed}
	report, err := focused.Measure(ctx, o, func(r focused.Row) {
		fmt.Fprintf(s.err, "awarc: %s, %d per turn, batch %t: harvest ratio %.4f of %d pages\n", r.Name(), r.PerTurn, r.Batch, r.Ratio(),
			r.Pages)
	})
	if errors.Is(err, focused.ErrOptions) {
		return usageError("%v", err)
	}
	if err != nil {
		return err
	}
	if c.SVG != "" {
		if err := os.WriteFile(c.SVG, []byte(focused.Plot(report.Harvest)), 0o644); err != nil {
			return err
		}
	}
	if c.Format == "json" {
		return writeJSON(s.out, report)
	}
	return report.Print(s.out)
}

// mendFlags are those of what measures mending and what learns from it.
type mendFlags struct {
	kbFlags
	Truth  string      `default:"kb/testdata" placeholder:"DIR" help:"Folder of labels: golden/*.json and truth/*.tsv."`
	Type   []kb.TypeID `placeholder:"TYPE-ID" help:"Evaluate only sites and pages of these types."`
	Rounds int         `default:"1" help:"Draw N mutations of each sort for each group of pages."`
	Seed   uint64      `default:"1" help:"Seed of the mutations."`
	Sample int         `placeholder:"N" help:"Use every Nth group of pages."`
}

// eval is about saved pages of one folder, and of more.
func (f *mendFlags) eval(pages string, more ...string) (*mend.Eval, error) {
	sources, err := f.sources()
	if err != nil {
		return nil, err
	}
	base, err := kb.Load(sources...)
	if err != nil {
		return nil, err
	}
	return &mend.Eval{Source: truth.Source{Whole: detect.New(base), Pages: pages, Truth: f.Truth, More: more}, Sources: sources,
		Types: f.Type, Seed: f.Seed, Sample: f.Sample, Notes: io.Discard}, nil
}

type evalAdaptationCmd struct {
	mendFlags

	Running map[string]string `placeholder:"NAME=URL" help:"Crawl the sites of these servers, with names replaced, as the mirrors are."`

	Pages   string   `default:"../shared/pages" placeholder:"DIR" help:"Folder of saved pages with an index.tsv."`
	Sites   string   `default:"../shared/sites" placeholder:"DIR" help:"Folder of mirrors of real sites; without it, test sites only."`
	Only    []string `enum:"recrawl,renamed,new-sites,mutations" default:"recrawl,renamed,new-sites,mutations" help:"What to run."`
	Literal bool     `help:"Run algorithm 2 of the paper on new sites too; takes three quarters of the time."`
	Verbose bool     `short:"v" help:"List each field that is missing, wrong, lost or not repaired."`
	Format  string   `enum:"text,json" default:"text" help:"Output format."`
}

// adaptationReport is what eval adaptation prints.
type adaptationReport struct {
	Recrawl   []mirrors.Recrawl `json:"recrawl"`
	Renamed   []mirrors.Renamed `json:"renamed"`
	NewSites  []newsites.Row    `json:"new_sites"`
	Mutations []mutations.Row   `json:"mutations"`
	Kinds     []mutations.Row   `json:"mutation_kinds"`
	Deleted   mutations.Deleted `json:"deleted"`
	Unchanged mutations.Row     `json:"unchanged"`
	Cost      mend.CostReport   `json:"cost"`
}

// Run measures adaptation.
func (c *evalAdaptationCmd) Run(ctx context.Context, s streams) error {
	e, err := c.eval(c.Pages)
	if err != nil {
		return err
	}
	e.Sites, e.Running, e.Notes = c.Sites, c.Running, ifVerbose(c.Verbose, s.err)
	show := newWorkProgress(s)
	e.Progress = show.at
	report, err := c.measure(ctx, e)
	show.clear()
	if err != nil {
		return ofPages(err)
	}
	if c.Format == "json" {
		return writeJSON(s.out, report)
	}
	return report.print(s.out)
}

func (c *evalAdaptationCmd) measure(ctx context.Context, e *mend.Eval) (report adaptationReport, err error) {
	var costs []mend.Cost
	if slices.Contains(c.Only, "recrawl") {
		if report.Recrawl, err = mirrors.Recrawls(ctx, e); err != nil {
			return report, err
		}
	}
	if slices.Contains(c.Only, "renamed") {
		if report.Renamed, err = mirrors.Renamings(ctx, e); err != nil {
			return report, err
		}
	}
	if slices.Contains(c.Only, "new-sites") {
		if report.NewSites, err = newsites.Measure(ctx, e, c.Literal); err != nil {
			return report, err
		}
	}
	for _, r := range report.NewSites {
		costs = append(costs, r.Costs...)
	}
	if slices.Contains(c.Only, "mutations") {
		m, err := mutations.Measure(ctx, e, c.Rounds)
		if err != nil {
			return report, err
		}
		report.Mutations, report.Kinds, report.Deleted, report.Unchanged = m.Rows, m.Kinds, m.Deleted, m.Unchanged
		costs = append(costs, m.Costs...)
	}
	report.Cost = mend.NewCostReport(costs)
	return report, nil
}

func (r *adaptationReport) print(w io.Writer) error {
	mirrors.PrintRecrawls(w, r.Recrawl)
	mirrors.PrintRenamings(w, r.Renamed)
	newsites.Print(w, r.NewSites)
	if len(r.Mutations) > 0 {
		(&mutations.Report{Rows: r.Mutations, Kinds: r.Kinds, Deleted: r.Deleted, Unchanged: r.Unchanged}).Print(w)
	}
	return r.Cost.Print(w)
}
