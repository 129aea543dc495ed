package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/awarc/awarc/cmd/internal/eval/fit"
	"github.com/awarc/awarc/cmd/internal/eval/mend"
	"github.com/awarc/awarc/cmd/internal/eval/newsites"
	"github.com/awarc/awarc/cmd/internal/eval/truth"
	"github.com/awarc/awarc/engine/adapt"
	"github.com/awarc/awarc/engine/rank"
)

type evalFitCmd struct {
	mendFlags
	Pages     []string `default:"../shared/pages" placeholder:"DIR" help:"Learn from these folders of saved pages with an index.tsv."`
	Judge     string   `placeholder:"DIR" help:"Evaluate the weights on this folder of pages of other sites."`
	Questions string   `placeholder:"FILE" help:"Cache the collected decisions in this file."`
	Only      []string `enum:"new-sites,left-out,mutations" default:"new-sites,left-out,mutations" help:"Collect decisions from these."`
	Cost      float64  `default:"1" help:"Cost of an accepted wrong answer, in right answers."`
	Penalty   float64  `help:"Penalty for leaving the prior weights; 0 chooses it by cross-validation."`
	Ablate    bool     `help:"Measure the effect of each feature."`
	LeaveOut  string   `enum:"none,site,type" default:"none" help:"Repair new sites with weights learned without the site or the type."`
	Write     string   `placeholder:"FILE" help:"Write the weights to a file, such as engine/adapt/weights.tsv."`
	Verbose   bool     `short:"v" help:"Show wrong and missing answers."`
}

// Validate refuses what would make certainties or penalties that are none.
func (c *evalFitCmd) Validate() error {
	if c.Cost <= 0 || c.Penalty < 0 {
		return fmt.Errorf("--cost %v and --penalty %v: want a cost above 0 and a penalty of 0 or more", c.Cost, c.Penalty)
	}
	return nil
}

// Run learns the weights by which adaptation decides.
func (c *evalFitCmd) Run(ctx context.Context, s streams) error {
	e, err := c.eval(c.Pages[0], c.Pages[1:]...)
	if err != nil {
		return err
	}
	show := newWorkProgress(s)
	e.Progress = show.at
	defer show.clear()
	examples, err := c.examples(ctx, *e)
	show.clear()
	if err != nil {
		return ofPages(err)
	}
	kinds, err := fit.Learn(examples, fit.Options{
		Present: adapt.Weights(), Prior: fit.Prior(), Cost: c.Cost, Penalty: c.Penalty, Ablate: c.Ablate,
	})
	if err != nil {
		return err
	}
	fit.Print(s.out, kinds)
	fit.PrintReliability(s.out, kinds)
	if c.Ablate {
		fit.PrintFeatures(s.out, kinds)
	}
	if c.Verbose {
		fit.PrintErrors(s.out, kinds)
	}
	if err := c.judge(ctx, *e, examples, kinds, s.out); err != nil {
		return ofPages(err)
	}
	return c.write(fit.Table(adapt.Weights(), kinds))
}

// examples reads questions, or collects them.
func (c *evalFitCmd) examples(ctx context.Context, e mend.Eval) ([]fit.Example, error) {
	if f, err := os.Open(c.Questions); err == nil {
		defer f.Close()
		return fit.Read(f)
	}
	examples, err := c.collect(ctx, e)
	if err != nil {
		return nil, err
	}
	if c.Judge != "" {
		more, err := c.collect(ctx, ofFolder(e, c.Judge))
		if err != nil {
			return nil, err
		}
		for i := range more {
			more[i].Judged = true
		}
		examples = append(examples, more...)
	}
	if c.Questions == "" {
		return examples, nil
	}
	f, err := os.Create(c.Questions)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if err := fit.Write(f, examples); err != nil {
		return nil, err
	}
	return examples, f.Close()
}

func (c *evalFitCmd) collect(ctx context.Context, e mend.Eval) ([]fit.Example, error) {
	s := fit.Settings{NewSites: slices.Contains(c.Only, "new-sites")}
	if slices.Contains(c.Only, "left-out") {
		s.Parts = 5
	}
	if slices.Contains(c.Only, "mutations") {
		s.Rounds = c.Rounds
	}
	return fit.Collect(ctx, e, s)
}

// ofFolder measures the pages of one more folder only.
func ofFolder(e mend.Eval, dir string) mend.Eval {
	e.More, e.Only = append(e.More[:len(e.More):len(e.More)], dir), dir
	return e
}

// judge mends pages by what was learned from others.
func (c *evalFitCmd) judge(ctx context.Context, e mend.Eval, examples []fit.Example, kinds []*fit.Kind, w io.Writer) error {
	switch c.LeaveOut {
	case "site":
		e.Weights = func(p *truth.Page) rank.Table { return fit.WithoutSite(adapt.Weights(), kinds, p.Type, p.Site) }
	case "type":
		e.Weights = func(p *truth.Page) rank.Table { return fit.WithoutType(adapt.Weights(), kinds, p.Type) }
	}
	if c.LeaveOut != "none" {
		rows, err := newsites.Measure(ctx, &e, false)
		if err != nil {
			return err
		}
		fmt.Fprintf(w, "\nby what was learned without the %s\n", c.LeaveOut)
		newsites.Print(w, rows)
		fit.PrintTotals(w, rows)
	}
	if slices.ContainsFunc(examples, func(x fit.Example) bool { return x.Judged }) {
		fit.PrintJudged(w, examples, adapt.Weights(), kinds)
	}
	if c.Judge == "" {
		return nil
	}
	e = ofFolder(e, c.Judge)
	e.Weights = func(*truth.Page) rank.Table { return fit.Table(adapt.Weights(), kinds) }
	rows, err := newsites.Measure(ctx, &e, false)
	if err != nil {
		return err
	}
	fmt.Fprintf(w, "\n%s, by what was learned from others\n", c.Judge)
	newsites.Print(w, rows)
	fit.PrintTotals(w, rows)
	return nil
}

func (c *evalFitCmd) write(t rank.Table) error {
	if c.Write == "" {
		return nil
	}
	doc := func(kind, feature string) string { return adapt.Doc(adapt.Kind(kind), feature) }
	return writeLearned(c.Write, func(w io.Writer) error { return t.Write(w, doc) })
}

// writeLearned writes a file of learned models.
func writeLearned(name string, write func(io.Writer) error) error {
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	defer f.Close()
	if err := write(f); err != nil {
		return err
	}
	return f.Close()
}
