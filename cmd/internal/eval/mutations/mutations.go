// Package mutations measures what mending recovers on saved pages whose templates were edited.
package mutations

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"

	"golang.org/x/net/html"

	"github.com/awarc/awarc/cmd/internal/eval/mend"
	"github.com/awarc/awarc/cmd/internal/eval/template"
	"github.com/awarc/awarc/cmd/internal/eval/truth"
	"github.com/awarc/awarc/engine"
	"github.com/awarc/awarc/engine/extract"
	"github.com/awarc/awarc/kb"
)

// Row is what became of pages whose template was edited.
type Row struct {
	// Changes is how many edits one element got, so that one step of an expression
	// must bear them.
	Changes int `json:"changes"`
	// Elements is how many elements were edited.
	Elements int    `json:"elements"`
	Kind     string `json:"kind,omitempty"` // of a single edit
	// Aimed edits are of elements that actions look at; the others are of any.
	Aimed bool `json:"aimed"`
	Pages int  `json:"pages"`
	mend.Count
	Links mend.Count `json:"links"`
}

// Deleted is what became of pages of which objects were deleted.
type Deleted struct {
	Pages     int `json:"pages"`
	Relearned int `json:"relearned"` // of them: something else was taken for what is gone
}

// sort is a sort of mutations: how many elements, and edits of each.
type sort struct {
	elements, changes int
	aimed             bool
}

var sorts = []sort{{1, 1, true}, {2, 1, true}, {3, 1, true}, {1, 2, true}, {1, 3, true}, {3, 1, false}}

// mutatedTogether is how many pages of a site get the same edit: one more than
// confirm each other.
const mutatedTogether = 5

// Report is what an evaluation counted.
type Report struct {
	Rows    []Row
	Kinds   []Row // by kind of a single edit
	Deleted Deleted
	// Unchanged counts adaptation to pages whose template is as written.
	Unchanged Row
	Costs     []mend.Cost
}

// eval is one run of the evaluation.
type eval struct {
	*mend.Eval
	ctx    context.Context
	rounds int
	report Report
}

// Measure edits the templates of pages of all types, each sort of template.Mutation so many rounds, and counts what is recovered.
func Measure(ctx context.Context, shared *mend.Eval, rounds int) (*Report, error) {
	e := &eval{Eval: shared, ctx: ctx, rounds: rounds}
	types := slices.DeleteFunc(e.Whole.Base().IDs(), func(id kb.TypeID) bool { return !e.Concerns(id) })
	pages, err := e.Source.Read(types, e.Sampled)
	if err != nil {
		return nil, err
	}
	pages = slices.DeleteFunc(pages, func(p *truth.Page) bool { return p.How == truth.Example || !e.Measures(p) })
	for _, m := range sorts {
		e.report.Rows = append(e.report.Rows, Row{Changes: m.changes, Elements: m.elements, Aimed: m.aimed})
	}
	for _, k := range template.Kinds {
		e.report.Kinds = append(e.report.Kinds, Row{Changes: 1, Elements: 1, Kind: k, Aimed: true})
	}
	groups := mend.Groups(pages)
	for i, group := range groups {
		e.Tell("edited templates", i, len(groups))
		x, err := e.mutable(group)
		if err != nil {
			return nil, err
		}
		if x == nil {
			continue
		}
		if err := e.unchanged(x); err != nil {
			return nil, err
		}
		for i, sort := range sorts {
			for round := range rounds {
				if err := e.round(x, &e.report.Rows[i], sort, round); err != nil {
					return nil, err
				}
			}
		}
		if err := e.deleted(x); err != nil {
			return nil, err
		}
	}
	return &e.report, nil
}

// round edits a group of pages once.
func (e *eval) round(x *mutable, row *Row, s sort, round int) error {
	m, pages := e.mutate(x, s.elements, s.changes, s.aimed, round)
	if m == nil {
		return nil
	}
	site, err := e.Read(e.ctx, e.Whole, pages)
	if err != nil {
		return err
	}
	got := e.Compare(pages, site, mend.AsCrawl, fmt.Sprint(m))
	row.count(len(pages), got)
	if round == 0 && s.aimed && len(m) <= 2 { // alone: what a page costs that nothing else helps
		e.report.Costs = append(e.report.Costs, mend.EachAlone(site).Costs...)
	}
	if len(m) == 1 && s.aimed {
		e.report.Kinds[slices.Index(template.Kinds, m[0].Kind)].count(len(pages), got)
	}
	return nil
}

func (r *Row) count(pages int, got mend.Comparison) {
	r.Pages += pages
	r.Count.Add(got.Objects)
	r.Links.Add(got.Links)
}

// unchanged adapts to pages as they are: all that it finds more is wrong.
func (e *eval) unchanged(x *mutable) error {
	site, err := e.Read(e.ctx, e.Whole, x.pages)
	if err != nil {
		return err
	}
	e.report.Unchanged.count(len(x.pages), e.Compare(x.pages, site, mend.AsCrawl, "unchanged"))
	return nil
}

// mutable is a group of pages that can be edited: written again as parsed they
// are what they were.
type mutable struct {
	pages         []*truth.Page
	aimed, others []template.Target
	seed          uint64
}

// mutable prepares some pages of a group; nil where none can be edited.
func (e *eval) mutable(group []*truth.Page) (*mutable, error) {
	x := &mutable{seed: mend.Hash(group[0].Group()) ^ e.Seed}
	for _, p := range group {
		if len(x.pages) == mutatedTogether {
			break
		}
		root, err := template.Parse(p.Answer.HTML)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", p.File, err)
		}
		page, ok := template.Render(root)
		if !ok {
			continue
		}
		c := *p
		c.Answer.HTML = page
		got, err := engine.Inspect(e.Whole, c.Answer, engine.Hints{Force: c.Type})
		if err != nil || got.Harvest.Level != p.Level || !mend.SameObjects(got.Harvest.Objects, p.Objects) {
			continue
		}
		if len(x.pages) == 0 {
			x.aimed = template.TargetsOf(got)
			x.others = template.ElementsIn(got.Doc)
		}
		x.pages = append(x.pages, &c)
	}
	if len(x.pages) == 0 || len(x.aimed) == 0 {
		return nil, nil
	}
	return x, nil
}

// mutate edits all pages in the same way. An aimed template.Mutation breaks something on
// the first page. It gives nil where no template.Mutation of some does, where the template
// has too few elements, or where none leaves pages that HTML can say.
func (e *eval) mutate(x *mutable, elements, changes int, aimed bool, round int) (template.Mutation, []*truth.Page) {
	targets := x.aimed
	if !aimed {
		targets = x.others
	}
	const draws = 20
draw:
	for n := range draws {
		var m template.Mutation
		for _, d := range drawn(targets, x.seed+uint64(elements*100+changes*10+round*1000)+uint64(n)<<32) {
			if len(m) == elements*changes {
				break
			}
			m = append(m, d.Edits(d.r, changes)...)
		}
		if len(m) < elements*changes {
			continue
		}
		var pages []*truth.Page
		for i, p := range x.pages {
			page, ok := m.Apply(p.Answer.HTML)
			if !ok {
				continue draw
			}
			c := *p
			c.Answer.HTML = page
			if i == 0 && aimed && !e.broken(&c) {
				continue draw
			}
			pages = append(pages, &c)
		}
		return m, pages
	}
	return nil, nil
}

// draw is a target with the dice for its edits.
type draw struct {
	template.Target
	r    *rand.Rand
	rank uint64
}

// drawn shuffles targets. Each has dice of its own, made of its name: a knowledge
// base with one expression more or less draws the same edits of all others.
func drawn(targets []template.Target, seed uint64) []draw {
	out := make([]draw, 0, len(targets))
	for _, t := range targets {
		r := rand.New(rand.NewPCG(seed, mend.Hash(t.String())))
		out = append(out, draw{t, r, r.Uint64()})
	}
	slices.SortFunc(out, func(a, b draw) int { return cmp.Compare(a.rank, b.rank) })
	return out
}

// broken reports whether a page no longer yields what it holds: of a terminal level
// its fields, else the links that lead on.
func (e *eval) broken(p *truth.Page) bool {
	got, err := engine.Inspect(e.Whole, p.Answer, engine.Hints{Force: p.Type})
	if err != nil {
		return false
	}
	if p.Level.Kind == kb.Intermediate {
		links, _ := mend.CompareLinks(p.Links, got.Harvest.Links, got.Harvest.Links)
		return links.Missed > 0
	}
	n, _ := mend.CompareHarvests(p.Objects, got.Harvest.Objects, got.Harvest.Objects, mend.FieldsOf(p.Levels(e.Whole)))
	return n.Missed > 0
}

// deleted deletes objects from pages and counts where anything was relearned: what
// is gone is no change of the template.
func (e *eval) deleted(x *mutable) error {
	row := &e.report.Deleted
	var pages []*truth.Page
	for _, p := range x.pages {
		page, rest, err := e.withoutObjects(p)
		if err != nil {
			return err
		}
		if rest == nil {
			continue
		}
		c := *p
		c.Answer.HTML, c.Objects = page, rest
		pages = append(pages, &c)
	}
	if len(pages) == 0 {
		return nil
	}
	site, err := e.Read(e.ctx, e.Whole, pages)
	if err != nil {
		return err
	}
	m := mend.AsCrawl(site)
	for i, p := range pages {
		row.Pages++
		if !mend.SameObjects(m.Harvests[i].Objects, site.Plain[i].Objects) {
			row.Relearned++
			fmt.Fprintf(e.Notes, "%s: relearned what was deleted: %v\n", p.File, m.Entries)
		}
	}
	return nil
}

// withoutObjects deletes what lies inside the object that a page is about, comments
// say: all where that has a content of its own, else all but one. It gives the
// objects that are left; nil where nothing could be deleted.
func (e *eval) withoutObjects(p *truth.Page) ([]byte, []extract.Object, error) {
	got, err := engine.Inspect(e.Whole, p.Answer, engine.Hints{Force: p.Type})
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", p.File, err)
	}
	var gone []*html.Node
	for _, o := range p.Level.Objects {
		for _, inner := range o.Objects {
			for _, t := range inner.At {
				var nodes []*html.Node
				for _, v := range t.Expr.Select(got.Doc, nil) {
					nodes = append(nodes, v.Node)
				}
				if len(nodes) > 0 {
					gone = append(gone, nodes...)
					break
				}
			}
		}
	}
	if len(p.Objects) > 0 && p.Objects[0].Value("content") == "" && len(gone) > 0 {
		gone = gone[1:]
	}
	if len(gone) == 0 {
		return nil, nil, nil
	}
	for _, n := range gone {
		if n.Parent != nil {
			n.Parent.RemoveChild(n)
		}
	}
	page, ok := template.Render(documentOf(got.Doc))
	if !ok {
		return nil, nil, nil
	}
	left, err := engine.Inspect(e.Whole, engine.Answer{URL: p.Answer.URL, HTML: page}, engine.Hints{Force: p.Type})
	if err != nil || left.Harvest.Level == nil {
		return nil, nil, err
	}
	return page, left.Harvest.Objects, nil
}

// documentOf gives the HTML document in a virtual document.
func documentOf(doc *html.Node) *html.Node {
	for n := range doc.Descendants() {
		if n.Type == html.ElementNode && n.Data == "html" {
			root := &html.Node{Type: html.DocumentNode}
			n.Parent.RemoveChild(n)
			root.AppendChild(n)
			return root
		}
	}
	return doc
}

// Print prints the tables.
func (r *Report) Print(w io.Writer) {
	line := func(name string, m Row) {
		fmt.Fprintf(w, "%-34s %6d %7d %7d %10d %6d %6d | %7d %7d %10d %6d\n",
			name, m.Pages, m.Fields, m.Missed, m.Recovered, m.Wrong, m.Lost, m.Links.Fields, m.Links.Missed, m.Links.Recovered,
			m.Links.Wrong)
	}
	fmt.Fprintf(w, "\n%-34s %6s %7s %7s %10s %6s %6s | %7s %7s %10s %6s\n",
		"edits of a template", "pages", "fields", "missed", "recovered", "wrong", "lost", "links", "missed", "recovered", "wrong")
	for _, m := range r.Rows {
		sort := "aimed"
		if !m.Aimed {
			sort = "anywhere"
		}
		line(fmt.Sprintf("%d of each of %d elements, %s", m.Changes, m.Elements, sort), m)
	}
	for _, m := range r.Kinds {
		line(m.Kind, m)
	}
	line("none", r.Unchanged)
	fmt.Fprintf(w, "\ndeleted objects: %d pages, on %d something was relearned\n", r.Deleted.Pages, r.Deleted.Relearned)
}
