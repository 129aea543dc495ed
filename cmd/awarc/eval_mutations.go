package main

import (
	"cmp"
	"fmt"
	"hash/fnv"
	"io"
	"math/rand/v2"
	"slices"

	"golang.org/x/net/html"

	"github.com/awarc/awarc/engine"
	"github.com/awarc/awarc/engine/extract"
	"github.com/awarc/awarc/kb"
)

// mutationRow is what became of pages whose template was edited.
type mutationRow struct {
	// Changes is how many edits one element got, so that one step of an expression
	// must bear them.
	Changes int `json:"changes"`
	// Elements is how many elements were edited.
	Elements int    `json:"elements"`
	Kind     string `json:"kind,omitempty"` // of a single edit
	// Aimed edits are of elements that actions look at; the others are of any.
	Aimed bool `json:"aimed"`
	Pages int  `json:"pages"`
	mendCount
	Links mendCount `json:"links"`
}

// deletedRow is what became of pages of which objects were deleted.
type deletedRow struct {
	Pages     int `json:"pages"`
	Relearned int `json:"relearned"` // of them: something else was taken for what is gone
}

// mutated are the sorts of mutations: elements, and edits of each.
var mutated = []struct {
	elements, changes int
	aimed             bool
}{{1, 1, true}, {2, 1, true}, {3, 1, true}, {1, 2, true}, {1, 3, true}, {3, 1, false}}

// mutatedTogether is how many pages of a site get the same edit: one more than
// confirm each other.
const mutatedTogether = 5

// mutations edits the templates of pages of all types and counts what is
// recovered.
func (e *adaptationEval) mutations(report *adaptationReport) error {
	types := slices.DeleteFunc(e.whole.Base().IDs(), func(id kb.TypeID) bool { return !e.cmd.concerns(id) })
	pages, err := e.cmd.truths(e.whole, types, e.cmd.sampled)
	if err != nil {
		return err
	}
	pages = slices.DeleteFunc(pages, func(p *truePage) bool { return p.how == truthExample })
	rows := make([]mutationRow, len(mutated))
	for i, m := range mutated {
		rows[i] = mutationRow{Changes: m.changes, Elements: m.elements, Aimed: m.aimed}
	}
	kinds := make([]mutationRow, len(editKinds))
	for i, k := range editKinds {
		kinds[i] = mutationRow{Changes: 1, Elements: 1, Kind: k, Aimed: true}
	}
	for _, group := range byGroup(pages, (*truePage).group) {
		x, err := e.mutable(group)
		if err != nil {
			return err
		}
		if x == nil {
			continue
		}
		for i, sort := range mutated {
			for round := range e.cmd.Rounds {
				m, pages := e.mutate(x, sort.elements, sort.changes, sort.aimed, round)
				if m == nil {
					continue
				}
				site, err := e.read(e.whole, pages)
				if err != nil {
					return err
				}
				got := e.judge(pages, site, asCrawl, fmt.Sprint(m))
				rows[i].count(len(pages), got)
				if round == 0 && sort.aimed && len(m) <= 2 { // alone: what a page costs that nothing else helps
					alone := eachAlone(site)
					e.costs = append(e.costs, alone.costs...)
				}
				if len(m) == 1 && sort.aimed {
					kinds[slices.Index(editKinds, m[0].kind)].count(len(pages), got)
				}
			}
		}
		if err := e.deleted(x, &report.Deleted); err != nil {
			return err
		}
	}
	report.Mutations, report.Kinds = rows, kinds
	return nil
}

func (r *mutationRow) count(pages int, got judged) {
	r.Pages += pages
	r.mendCount.add(got.objects)
	r.Links.add(got.links)
}

// mutable is a group of pages that can be edited: written again as parsed they
// are what they were.
type mutable struct {
	pages         []*truePage
	aimed, others []target
	seed          uint64
}

// mutable prepares some pages of a group; nil where none can be edited.
func (e *adaptationEval) mutable(group []*truePage) (*mutable, error) {
	x := &mutable{seed: hashed(group[0].group()) ^ e.cmd.Seed}
	for _, p := range group {
		if len(x.pages) == mutatedTogether {
			break
		}
		root, err := parsePage(p.answer.HTML)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", p.file, err)
		}
		page, ok := rendered(root)
		if !ok {
			continue
		}
		c := *p
		c.answer.HTML = page
		got, err := engine.Inspect(e.whole, c.answer, engine.Hints{Force: c.typ})
		if err != nil || got.Harvest.Level != p.level || !sameObjects(got.Harvest.Objects, p.objects) {
			continue
		}
		if len(x.pages) == 0 {
			x.aimed = targetsOf(got)
			x.others = elementsIn(got.Doc)
		}
		x.pages = append(x.pages, &c)
	}
	if len(x.pages) == 0 || len(x.aimed) == 0 {
		return nil, nil
	}
	return x, nil
}

func sameObjects(a, b []extract.Object) bool {
	return slices.EqualFunc(seen(a), seen(b), func(a, b seenObject) bool { return a.id == b.id && slices.Equal(a.fields, b.fields) })
}

// mutate edits all pages in the same way. An aimed mutation breaks something on
// the first page. It gives nil where no mutation of some does, where the template
// has too few elements, or where none leaves pages that HTML can say.
func (e *adaptationEval) mutate(x *mutable, elements, changes int, aimed bool, round int) (mutation, []*truePage) {
	targets := x.aimed
	if !aimed {
		targets = x.others
	}
	const draws = 20
draw:
	for n := range draws {
		var m mutation
		for _, d := range drawn(targets, x.seed+uint64(elements*100+changes*10+round*1000)+uint64(n)<<32) {
			if len(m) == elements*changes {
				break
			}
			m = append(m, d.edits(d.r, changes)...)
		}
		if len(m) < elements*changes {
			continue
		}
		var pages []*truePage
		for i, p := range x.pages {
			page, ok := m.apply(p.answer.HTML)
			if !ok {
				continue draw
			}
			c := *p
			c.answer.HTML = page
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
	target
	r    *rand.Rand
	rank uint64
}

// drawn shuffles targets. Each has dice of its own, made of its name: a knowledge
// base with one expression more or less draws the same edits of all others.
func drawn(targets []target, seed uint64) []draw {
	out := make([]draw, 0, len(targets))
	for _, t := range targets {
		r := rand.New(rand.NewPCG(seed, hashed(t.String())))
		out = append(out, draw{t, r, r.Uint64()})
	}
	slices.SortFunc(out, func(a, b draw) int { return cmp.Compare(a.rank, b.rank) })
	return out
}

// hashed makes a number of a name, the same in every run.
func hashed(name string) uint64 {
	h := fnv.New64a()
	io.WriteString(h, name)
	return h.Sum64()
}

// sampled tells whether a group of pages is among every so many that are looked at.
// The name alone decides: which other pages the knowledge base reads right does not.
func (c *evalAdaptationCmd) sampled(group string) bool {
	return c.Sample < 2 || hashed(group)%uint64(c.Sample) == 0
}

// broken tells whether a page no longer yields what it holds: of a terminal level
// its fields, else the links that lead on.
func (e *adaptationEval) broken(p *truePage) bool {
	got, err := engine.Inspect(e.whole, p.answer, engine.Hints{Force: p.typ})
	if err != nil {
		return false
	}
	if p.level.Kind == kb.Intermediate {
		return compareLinks(p.links, got.Harvest.Links, got.Harvest.Links).Missed > 0
	}
	n, _ := compareHarvests(p.objects, got.Harvest.Objects, got.Harvest.Objects, fieldsOf(p.levels(e.whole)))
	return n.Missed > 0
}

// deleted deletes objects from pages and counts where anything was relearned: what
// is gone is no change of the template.
func (e *adaptationEval) deleted(x *mutable, row *deletedRow) error {
	var pages []*truePage
	for _, p := range x.pages {
		page, rest, err := e.withoutObjects(p)
		if err != nil {
			return err
		}
		if rest == nil {
			continue
		}
		c := *p
		c.answer.HTML, c.objects = page, rest
		pages = append(pages, &c)
	}
	if len(pages) == 0 {
		return nil
	}
	site, err := e.read(e.whole, pages)
	if err != nil {
		return err
	}
	m := asCrawl(site)
	for i, p := range pages {
		row.Pages++
		if !sameObjects(m.harvests[i].Objects, site.plain[i].Objects) {
			row.Relearned++
			fmt.Fprintf(e.notes, "%s: relearned what was deleted: %v\n", p.file, m.entries)
		}
	}
	return nil
}

// withoutObjects deletes what lies inside the object that a page is about, comments
// say: all where that has a content of its own, else all but one. It gives the
// objects that are left; nil where nothing could be deleted.
func (e *adaptationEval) withoutObjects(p *truePage) ([]byte, []extract.Object, error) {
	got, err := engine.Inspect(e.whole, p.answer, engine.Hints{Force: p.typ})
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", p.file, err)
	}
	var gone []*html.Node
	for _, o := range p.level.Objects {
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
	if len(p.objects) > 0 && p.objects[0].Value("content") == "" && len(gone) > 0 {
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
	page, ok := rendered(documentOf(got.Doc))
	if !ok {
		return nil, nil, nil
	}
	left, err := engine.Inspect(e.whole, engine.Answer{URL: p.answer.URL, HTML: page}, engine.Hints{Force: p.typ})
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

func (r *adaptationReport) printMutations(w io.Writer) {
	if len(r.Mutations) == 0 {
		return
	}
	line := func(name string, m mutationRow) {
		fmt.Fprintf(w, "%-34s %6d %7d %7d %10d %6d %6d | %7d %7d %10d %6d\n", name, m.Pages, m.Fields, m.Missed, m.Recovered, m.Wrong, m.Lost, m.Links.Fields, m.Links.Missed, m.Links.Recovered, m.Links.Wrong)
	}
	fmt.Fprintf(w, "\n%-34s %6s %7s %7s %10s %6s %6s | %7s %7s %10s %6s\n", "edits of a template", "pages", "fields", "missed", "recovered", "wrong", "lost", "links", "missed", "recovered", "wrong")
	for _, m := range r.Mutations {
		sort := "aimed"
		if !m.Aimed {
			sort = "anywhere"
		}
		line(fmt.Sprintf("%d of each of %d elements, %s", m.Changes, m.Elements, sort), m)
	}
	for _, m := range r.Kinds {
		line(m.Kind, m)
	}
	fmt.Fprintf(w, "\ndeleted objects: %d pages, on %d something was relearned\n", r.Deleted.Pages, r.Deleted.Relearned)
}
