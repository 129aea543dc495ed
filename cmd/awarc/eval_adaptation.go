package main

import (
	"context"
	"fmt"
	"io"
	"slices"

	"github.com/awarc/awarc/engine"
	"github.com/awarc/awarc/engine/detect"
	"github.com/awarc/awarc/engine/extract"
	"github.com/awarc/awarc/kb"
)

type evalAdaptationCmd struct {
	kbFlags
	Pages   string   `default:"../shared/pages" placeholder:"DIR" help:"Folder of saved pages with an index.tsv."`
	Truth   string   `default:"kb/testdata" placeholder:"DIR" help:"Folder with golden/*.json and truth/*.tsv: what readers wrote down about the pages."`
	Sites   string   `default:"../shared/sites" placeholder:"DIR" help:"Folder of mirrors of real sites; without it the test sites alone are crawled."`
	Only    []string `enum:"recrawl,renamed,new-sites,mutations" default:"recrawl,renamed,new-sites,mutations" help:"Which of the measurements to run."`
	Type    []string `placeholder:"TYPE-ID" help:"Only sites and pages of these types."`
	Rounds  int      `default:"1" help:"How many mutations of each sort to draw for each group of pages."`
	Seed    uint64   `default:"1" help:"Of the mutations."`
	Sample  int      `placeholder:"N" help:"Only every so many groups of pages."`
	Literal bool     `help:"Run algorithm 2 as the paper has it on new sites, too: it takes three quarters of the time."`
	Verbose bool     `short:"v" help:"Name each field that is not recovered, wrong or lost, and what was not mended of a page by itself."`
	Format  string   `enum:"text,json" default:"text" help:"Output format: text or json."`
}

// adaptationReport is what eval adaptation prints.
type adaptationReport struct {
	Recrawl   []recrawlRow  `json:"recrawl"`
	Renamed   []renamedRow  `json:"renamed"`
	NewSites  []newSiteRow  `json:"new_sites"`
	Mutations []mutationRow `json:"mutations"`
	Kinds     []mutationRow `json:"mutation_kinds"`
	Deleted   deletedRow    `json:"deleted"`
	Cost      costReport    `json:"cost"`
}

// costReport is what a page that was tried to mend cost: time in times that
// html.Parse takes for it, and candidates.
type costReport struct {
	Pages       int     `json:"pages"`
	Median      float64 `json:"median_parses"`
	Worst       float64 `json:"worst_parses"`
	MedianTried int     `json:"median_tried"`
	WorstTried  int     `json:"worst_tried"`
}

func newCostReport(costs []mendCost) costReport {
	if len(costs) == 0 {
		return costReport{}
	}
	var parses []float64
	var tried []int
	for _, c := range costs {
		parses, tried = append(parses, c.parses), append(tried, c.tried)
	}
	slices.Sort(tried)
	return costReport{Pages: len(costs), Median: middle(parses), Worst: slices.Max(parses), MedianTried: tried[len(tried)/2], WorstTried: tried[len(tried)-1]}
}

// Run measures adaptation.
func (c *evalAdaptationCmd) Run(ctx context.Context, s streams) error {
	sources, err := c.sources()
	if err != nil {
		return err
	}
	base, err := kb.Load(sources...)
	if err != nil {
		return err
	}
	e := &adaptationEval{cmd: c, ctx: ctx, sources: sources, whole: detect.New(base), notes: io.Discard}
	if c.Verbose {
		e.notes = s.err
	}
	var report adaptationReport
	if slices.Contains(c.Only, "recrawl") {
		if report.Recrawl, err = e.recrawls(); err != nil {
			return err
		}
	}
	if slices.Contains(c.Only, "renamed") {
		if report.Renamed, err = e.renamedMirrors(); err != nil {
			return err
		}
	}
	if slices.Contains(c.Only, "new-sites") {
		if report.NewSites, err = e.newSites(); err != nil {
			return err
		}
	}
	for _, r := range report.NewSites {
		e.costs = append(e.costs, r.costs...)
	}
	if slices.Contains(c.Only, "mutations") {
		if err = e.mutations(&report); err != nil {
			return err
		}
	}
	report.Cost = newCostReport(e.costs)
	if c.Format == "json" {
		return writeJSON(s.out, report)
	}
	return report.print(s.out)
}

func (r *adaptationReport) print(w io.Writer) error {
	printRecrawls(w, r.Recrawl)
	printRenamed(w, r.Renamed)
	printNewSites(w, r.NewSites)
	r.printMutations(w)
	c := r.Cost
	_, err := fmt.Fprintf(w, "\ncost of a page that was tried to mend (%d pages): %.1f times html.Parse (worst %.0f), %d candidates (worst %d)\n", c.Pages, c.Median, c.Worst, c.MedianTried, c.WorstTried)
	return err
}

// adaptationEval is one run of the evaluation.
type adaptationEval struct {
	cmd     *evalAdaptationCmd
	ctx     context.Context
	sources []kb.Source
	whole   *detect.Detector
	notes   io.Writer
	costs   []mendCost
}

// judged is what a mender made of some pages.
type judged struct {
	objects, links mendCount
	entries        []kb.Entry
	costs          []mendCost
}

// concerns tells whether a type is to be measured.
func (c *evalAdaptationCmd) concerns(typ kb.TypeID) bool {
	return len(c.Type) == 0 || slices.Contains(c.Type, string(typ))
}

// read reads the pages of a site with a knowledge base that knows less than the
// truth. The type is given: as in the paper, section 6, its patterns are taken to
// survive a change of template.
func (e *adaptationEval) read(d *detect.Detector, pages []*truePage) (siteRead, error) {
	s := siteRead{detector: d}
	for _, p := range pages {
		if e.ctx.Err() != nil {
			return s, e.ctx.Err()
		}
		got, err := engine.Inspect(d, p.answer, engine.Hints{Force: p.typ})
		if err != nil {
			return s, fmt.Errorf("%s: %w", p.file, err)
		}
		s.sources = append(s.sources, p.answer.HTML)
		s.pages = append(s.pages, extract.Page{Doc: got.Doc, URL: got.URL, Type: got.Finding.Type, Levels: got.Finding.Levels, Generic: true})
		s.plain = append(s.plain, got.Harvest)
		s.leads = append(s.leads, p.links)
	}
	return s, nil
}

// judge counts what a mender got right of a site.
func (e *adaptationEval) judge(pages []*truePage, s siteRead, mend mender, note string) judged {
	m := mend(s)
	sum := judged{entries: m.entries, costs: m.costs}
	for i, p := range pages {
		known := fieldsOf(p.levels(s.detector))
		n, flaws := compareHarvests(p.objects, s.plain[i].Objects, m.harvests[i].Objects, known)
		sum.objects.add(n)
		for _, f := range flaws {
			fmt.Fprintf(e.notes, "%s: %s: %s %s of %s: %q, want %q\n", p.file, note, f.kind, f.of.field, f.of.class, shorten(f.got), shorten(f.want))
		}
		sum.links.add(compareLinks(p.links, s.plain[i].Links, m.harvests[i].Links))
	}
	return sum
}

// compareLinks counts addresses that lead on, once for each level they lead to.
// Links of a page whose level is unknown promise no level and count for nothing.
func compareLinks(truth, plain, adapted []extract.Link) mendCount {
	type promise struct {
		url string
		to  kb.LevelID
	}
	set := func(links []extract.Link) map[promise]bool {
		m := map[promise]bool{}
		for _, l := range links {
			if l.To != "" && !l.Optional {
				m[promise{l.URL, l.To}] = true
			}
		}
		return m
	}
	right, was, is := set(truth), set(plain), set(adapted)
	c := mendCount{Fields: len(right)}
	for p := range right {
		switch {
		case was[p] && !is[p]:
			c.Lost++
		case !was[p]:
			c.Missed++
			if is[p] {
				c.Recovered++
			}
		}
	}
	for p := range is {
		if !right[p] && !was[p] {
			c.Wrong++
		}
	}
	return c
}

// byGroup parts pages into sites, in order.
func byGroup(pages []*truePage, key func(*truePage) string) [][]*truePage {
	at := map[string]int{}
	var groups [][]*truePage
	for _, p := range pages {
		k := key(p)
		i, found := at[k]
		if !found {
			i = len(groups)
			at[k] = i
			groups = append(groups, nil)
		}
		groups[i] = append(groups[i], p)
	}
	return groups
}
