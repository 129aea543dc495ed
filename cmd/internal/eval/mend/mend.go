// Package mend measures what mending makes of pages that a knowledge base does not fit, against the truth about them.
package mend

import (
	"context"
	"fmt"
	"hash/fnv"
	"io"
	"slices"

	"github.com/awarc/awarc/cmd/internal/eval/corpus"
	"github.com/awarc/awarc/cmd/internal/eval/truth"
	"github.com/awarc/awarc/engine"
	"github.com/awarc/awarc/engine/adapt"
	"github.com/awarc/awarc/engine/adapt/rank"
	"github.com/awarc/awarc/engine/detect"
	"github.com/awarc/awarc/engine/extract"
	"github.com/awarc/awarc/kb"
)

// Eval is what all evaluations of mending share.
type Eval struct {
	truth.Source
	Sites   string            // folder of mirrors of real sites
	Running map[string]string // roots of servers that are crawled beside the mirrors, by the names of their sites
	Sources []kb.Source       // of the whole knowledge base
	Types   []kb.TypeID       // that are measured; none: all
	Seed    uint64            // of all that is random
	Sample  int               // only every so many groups of pages; 0: all
	Only    string            // only the pages of this folder; empty: all
	Notes   io.Writer         // what was not mended, a line each
	// Weights gives those by which the pages of a site are mended, one of them is p; nil means those that awarc comes with.
	Weights func(p *truth.Page) rank.Table
	// Watch, where it is not nil, is told of each decision about a page.
	Watch func(p *truth.Page, q adapt.Question)
}

// Concerns reports whether a type is to be measured.
func (e *Eval) Concerns(typ kb.TypeID) bool {
	return len(e.Types) == 0 || slices.Contains(e.Types, typ)
}

// Measures reports whether a page is measured; on the others is known what sites may be like.
func (e *Eval) Measures(p *truth.Page) bool { return e.Only == "" || e.Only == p.Dir }

// Sampled reports whether a group of pages is among every so many that are looked at.
// The name alone decides: which other pages the knowledge base reads right does not.
func (e *Eval) Sampled(group string) bool { return e.Sample < 2 || Hash(group)%uint64(e.Sample) == 0 }

// Hash makes a number of a name, the same in every run.
func Hash(name string) uint64 {
	h := fnv.New64a()
	io.WriteString(h, name)
	return h.Sum64()
}

// Comparison is what a mender made of some pages.
type Comparison struct {
	Objects, Links Count
	Entries        []kb.Entry
	Costs          []Cost
}

// Read reads the pages of a site with a knowledge base that knows less than the
// truth. The type is given: as in the paper, section 6, its patterns are taken to
// survive a change of template.
func (e *Eval) Read(ctx context.Context, d *detect.Detector, pages []*truth.Page) (Site, error) {
	s := Site{eval: e, detector: d, truth: pages}
	for _, p := range pages {
		if ctx.Err() != nil {
			return s, ctx.Err()
		}
		got, err := engine.Inspect(d, p.Answer, engine.Hints{Force: p.Type})
		if err != nil {
			return s, fmt.Errorf("%s: %w", p.File, err)
		}
		s.sources = append(s.sources, p.Answer.HTML)
		s.pages = append(s.pages, extract.Page{Doc: got.Doc, URL: got.URL, Type: got.Finding.Type, Levels: got.Finding.Levels,
			Generic: true})
		s.Plain = append(s.Plain, got.Harvest)
	}
	return s, nil
}

// Compare counts what a mender got right of a site.
func (e *Eval) Compare(pages []*truth.Page, s Site, mend Mender, note string) Comparison {
	m := mend(s)
	sum := Comparison{Entries: m.Entries, Costs: m.Costs}
	for i, p := range pages {
		known := FieldsOf(p.Levels(s.detector))
		n, flaws := CompareHarvests(p.Objects, s.Plain[i].Objects, m.Harvests[i].Objects, known)
		sum.Objects.Add(n)
		for _, f := range flaws {
			fmt.Fprintf(e.Notes, "%s: %s: %s %s of %s: %q, want %q\n", p.File, note, f.kind, f.of.field, f.of.class,
				corpus.Shorten(f.got), corpus.Shorten(f.want))
		}
		sum.Links.Add(CompareLinks(p.Links, s.Plain[i].Links, m.Harvests[i].Links))
	}
	return sum
}

// CompareLinks counts addresses that lead on, once for each level they lead to.
// Links of a page whose level is unknown promise no level and count for nothing.
func CompareLinks(truth, plain, adapted []extract.Link) Count {
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
	c := Count{Fields: len(right)}
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

// Groups parts pages into sites, in order.
func Groups(pages []*truth.Page) [][]*truth.Page {
	at := map[string]int{}
	var groups [][]*truth.Page
	for _, p := range pages {
		k := p.Group()
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
