package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"slices"
	"time"

	"github.com/awarc/awarc/engine"
	chromium "github.com/awarc/awarc/engine/browser"
	"github.com/awarc/awarc/engine/detect"
	"github.com/awarc/awarc/kb"
)

type kbTestCmd struct {
	Alone   bool     `help:"Test only these files, without the built-in knowledge base."`
	Type    string   `placeholder:"TYPE-ID" help:"Run only the examples of this type or service."`
	Cost    bool     `help:"List the expressions that take the most work on the examples."`
	Verbose bool     `short:"v" help:"Explain passed examples too."`
	Format  string   `enum:"text,json" default:"text" help:"Output format."`
	Path    []string `arg:"" optional:"" name:"DIR-or-FILE" help:"XML to add to the built-in knowledge base (default: none)."`
}

type exampleJSON struct {
	Type     kb.TypeID    `json:"type"`
	Page     string       `json:"page"`
	File     string       `json:"file"`
	Line     int          `json:"line"`
	Level    *kb.LevelID  `json:"level"`
	Variant  string       `json:"variant,omitempty"`
	Objects  int          `json:"objects"`
	Links    int          `json:"links"`
	OK       bool         `json:"ok"`
	Failures []string     `json:"failures"`
	Costs    []costJSON   `json:"costs,omitempty"`
	Explain  *explainJSON `json:"explain,omitempty"`
}

// costJSON is the work of an expression on an example, in steps of about one node each.
type costJSON struct {
	Expr  string `json:"expression"`
	File  string `json:"file"`
	Line  int    `json:"line"`
	Steps int    `json:"steps"`
}

// costs gives the dearest expressions of an example.
func costs(r *engine.ExampleResult) (out []costJSON) {
	const most = 5
	for _, c := range r.Costs() {
		if len(out) < most {
			out = append(out, costJSON{c.Expr.String(), c.Expr.Pos.File, c.Expr.Pos.Line, c.Steps})
		}
	}
	return out
}

// Run runs the examples.
func (c *kbTestCmd) Run(ctx context.Context, s streams) error {
	_, base, err := loadPaths(c.Path, c.Alone)
	if err != nil {
		return err
	}
	if c.Type != "" && base.Type(kb.TypeID(c.Type)) == nil && base.Service(kb.ServiceID(c.Type)) == nil {
		return usageError("--type %q is not in the knowledge base; see awarc kb list", c.Type)
	}
	d := detect.New(base)
	b := &testBrowser{}
	defer b.close(s)
	ran, failed := 0, 0
	show := func(r engine.ExampleResult, err error) error {
		if ran++; err != nil {
			r.Failures = append(r.Failures, engine.Failure{Pos: r.Example.Pos, Msg: err.Error()})
		}
		if len(r.Failures) > 0 {
			failed++
		}
		return c.show(s.out, d, &r)
	}
	for _, t := range base.Types {
		for i := range t.Examples {
			if c.Type != "" && string(t.ID) != c.Type {
				continue
			}
			x := &t.Examples[i]
			run := engine.RunExample
			if x.Scripts {
				run = b.run(ctx)
			}
			if err := show(run(d, t, x)); err != nil {
				return err
			}
		}
	}
	for _, service := range base.Services {
		for i := range service.Examples {
			if c.Type != "" && string(service.ID()) != c.Type {
				continue
			}
			if err := show(engine.RunRecorded(service, &service.Examples[i])); err != nil {
				return err
			}
		}
	}
	if failed > 0 {
		return &statusError{exitFailed, fmt.Errorf("%d of %d examples failed", failed, ran)}
	}
	if c.Format == "text" {
		fmt.Fprintf(s.out, "%d examples passed\n", ran)
	}
	return nil
}

// testBrowser is the browser of examples with scripts, which starts with the first.
type testBrowser struct{ started *chromium.Browser }

func (b *testBrowser) run(ctx context.Context) func(*detect.Detector, *kb.Type, *kb.Example) (engine.ExampleResult, error) {
	return func(d *detect.Detector, t *kb.Type, x *kb.Example) (engine.ExampleResult, error) {
		if b.started == nil {
			path, err := chromium.Find()
			var folder string
			if err == nil {
				folder, err = os.MkdirTemp("", "awarc-kb-test-")
			}
			if err != nil {
				return engine.ExampleResult{Type: t, Example: x}, err
			}
			b.started = chromium.New(chromium.Options{Path: path, Folder: folder})
		}
		return engine.RunScripts(ctx, b.started, d, t, x)
	}
}

func (b *testBrowser) close(s streams) {
	if b.started == nil {
		return
	}
	if err := b.started.Close(); err != nil {
		fmt.Fprintln(s.err, err)
	}
}

func (c *kbTestCmd) show(w io.Writer, d *detect.Detector, r *engine.ExampleResult) error {
	x := r.Example
	j := exampleJSON{Type: r.Type.ID, Page: x.Page, File: x.Pos.File, Line: x.Pos.Line, Objects: len(r.Page.Harvest.Objects),
		Links: r.Links, OK: len(r.Failures) == 0, Failures: []string{}}
	for _, f := range r.Failures {
		j.Failures = append(j.Failures, fmt.Sprintf("%s: %s", f.Pos, f.Msg))
	}
	level := "-"
	if v := r.Page.Harvest.Level; v != nil {
		j.Level, j.Variant, level = &v.ID, v.Variant, v.Name()
	}
	if c.Cost {
		j.Costs = costs(r)
	}
	var why *engine.Explanation
	if (c.Verbose || !j.OK) && r.Page.Doc != nil && r.Type.Category != kb.ServiceCategory {
		e := explainExample(d, r)
		why = &e
	}
	if c.Format == "json" {
		if why != nil {
			e := newExplainJSON(*why)
			j.Explain = &e
		}
		return writeJSON(w, j)
	}
	mark := "ok  "
	if !j.OK {
		mark = "FAIL"
	}
	fmt.Fprintf(w, "%s %s %s %s (%d objects, %d links)\n", mark, r.Type.ID, level, x.Page, j.Objects, j.Links)
	for _, f := range j.Failures {
		fmt.Fprintf(w, "     %s\n", f)
	}
	for _, x := range j.Costs {
		fmt.Fprintf(w, "     %d steps: %s (%s:%d)\n", x.Steps, x.Expr, x.File, x.Line)
	}
	switch {
	case why == nil:
	case c.Verbose:
		showExplanation(w, *why, "     ")
	default:
		showExplanation(w, concerning(*why, r), "     ")
	}
	return nil
}

// explainExample explains the page of an example with all matches: a crawl's
// look at it may have stopped early.
func explainExample(d *detect.Detector, r *engine.ExampleResult) engine.Explanation {
	p := r.Page
	full := d.Page(p.Doc, detect.Hints{Address: p.URL.Host + p.URL.Path, Full: true})
	if full.Type == p.Finding.Type {
		p.Finding = full
	}
	return engine.Explain(d, p, time.Time{}, r.Type)
}

// concerning keeps of an explanation what a failure is about: of a wrong type or
// level the evidence for that one and for the expected one, else the actions.
func concerning(x engine.Explanation, r *engine.ExampleResult) engine.Explanation {
	f := &r.Page.Finding
	wrongType := f.Type != r.Type
	wrongLevel := r.Example.Level != "" && (f.Level() == nil || f.Level().ID != r.Example.Level)
	var types []detect.TypeEvidence
	for _, e := range x.Types {
		if e.Type != r.Type && (e.Type != f.Type || !wrongType) {
			continue
		}
		if !wrongType {
			e.Patterns = nil
		}
		e.Levels = slices.DeleteFunc(slices.Clone(e.Levels), func(l detect.LevelEvidence) bool {
			return wrongType || !wrongLevel || !l.Fired && l.Level.ID != r.Example.Level
		})
		if len(e.Patterns)+len(e.Levels) > 0 {
			types = append(types, e)
		}
	}
	x.Types = types
	if wrongType || wrongLevel {
		x.Level, x.Actions = nil, nil
	}
	return x
}
