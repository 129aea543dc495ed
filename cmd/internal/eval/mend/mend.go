// Package mend measures the adaptation of a knowledge base to pages with unknown templates, against
// the truth about the pages.
package mend

import (
	"cmp"
	"context"
	"fmt"
	"hash/fnv"
	"io"
	"slices"

	"github.com/awarc/awarc/cmd/internal/eval/corpus"
	"github.com/awarc/awarc/cmd/internal/eval/truth"
	"github.com/awarc/awarc/engine"
	"github.com/awarc/awarc/engine/adapt"
	"github.com/awarc/awarc/engine/detect"
	"github.com/awarc/awarc/engine/extract"
	"github.com/awarc/awarc/engine/rank"
	"github.com/awarc/awarc/kb"
)

// Eval has the settings that all evaluations of adaptation share.
type Eval struct {
	truth.Source
	Sites   string            // folder of mirrors of real sites
	Running map[string]string // roots of servers to crawl besides the mirrors, by the names of their sites
	Sources []kb.Source       // of the whole knowledge base
	Types   []kb.TypeID       // types to measure; none: all
	Seed    uint64            // of the random generators
	Sample  int               // one in this many groups of pages; 0: all
	Only    string            // only the pages of this folder; empty: all
	Notes   io.Writer         // unrepaired fields and links, one per line
	// Progress, unless nil, is called with the current measurement and its progress.
	Progress func(what string, done, total int64)
	// Weights returns the weights for the site of the page p; nil means the weights of awarc.
	Weights func(p *truth.Page) rank.Table
	// Watch, unless nil, is called with each decision about a page.
	Watch func(p *truth.Page, q adapt.Question)
}

// Tell reports the progress of a measurement.
func (e *Eval) Tell(what string, done, total int) {
	if e.Progress != nil {
		e.Progress(what, int64(done), int64(total))
	}
}

// Concerns reports whether to measure a type.
func (e *Eval) Concerns(typ kb.TypeID) bool {
	return len(e.Types) == 0 || slices.Contains(e.Types, typ)
}

// Measures reports whether to measure a page. Other pages only contribute rules.
func (e *Eval) Measures(p *truth.Page) bool { return e.Only == "" || e.Only == p.Dir }

// Sampled reports whether a group of pages is in the sample. Only its name decides, so the sample
// does not depend on the knowledge base.
func (e *Eval) Sampled(group string) bool { return e.Sample < 2 || Hash(group)%uint64(e.Sample) == 0 }

// Hash returns a number for a name, the same in every run.
func Hash(name string) uint64 {
	h := fnv.New64a()
	io.WriteString(h, name)
	return h.Sum64()
}

// Comparison is the result of a mender for some pages.
type Comparison struct {
	Objects, Links Count
	Stated         []Stated
	Entries        []kb.Entry
	Costs          []Cost
}

// Read reads the pages of a site with an incomplete knowledge base. The type is given: as in
// section 6 of the paper, its patterns are assumed to survive a change of template.
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

// Compare counts the right results of a mender for a site.
func (e *Eval) Compare(pages []*truth.Page, s Site, mend Mender, note string) Comparison {
	m := mend(s)
	sum := Comparison{Entries: m.Entries, Costs: m.Costs}
	for i, p := range pages {
		known := FieldsOf(p.Levels(s.detector))
		n, flaws := CompareHarvests(p.Objects, s.Plain[i].Objects, m.Harvests[i].Objects, known)
		sum.Objects.Add(n)
		sum.Stated = append(sum.Stated, statedLinks(p, s.Plain[i], m.Harvests[i])...)
		for _, f := range flaws {
			sure, known := confidence(m.Harvests[i].Learned, f.of.class, f.of.field)
			if known && (f.kind == "right" || f.kind == "wrong") {
				sum.Stated = append(sum.Stated, Stated{kindOf(f.of.field), string(p.Type) + " " + p.Site, sure, f.kind == "right"})
			}
			if f.kind == "right" {
				continue
			}
			got, want := apart(f.got, f.want)
			fmt.Fprintf(e.Notes, "%s: %s: %s %s of %s: %q, want %q, sure %.2f\n", p.File, note, f.kind, f.of.field, f.of.class, got, want,
				sure)
		}
		links, strays := CompareLinks(p.Links, s.Plain[i].Links, m.Harvests[i].Links)
		sum.Links.Add(links)
		for _, f := range strays {
			fmt.Fprintf(e.Notes, "%s: %s: %s a link to %s: %s (%s)\n", p.File, note, f.kind, f.To, f.URL, f.why(p.Level.ID, m.Harvests[i]))
		}
	}
	return sum
}

// apart returns two texts for messages, from shortly before their first difference.
func apart(a, b string) (string, string) {
	const before = 20
	x, y := []rune(a), []rune(b)
	n := 0
	for n < len(x) && n < len(y) && x[n] == y[n] {
		n++
	}
	n = max(0, n-before)
	return corpus.Shorten(string(x[n:])), corpus.Shorten(string(y[n:]))
}

// stray is a link that adaptation missed, extracted with the wrong level, or lost.
type stray struct {
	extract.Link
	kind string // missed, wrong, lost
}

// why returns the reason why a link is missing, by the harvest.
func (s *stray) why(level kb.LevelID, h extract.Harvest) string {
	is := func(to kb.LevelID, paging bool) bool { return to == s.To && paging == s.Paging }
	at := -1
	if h.Level != nil {
		at = slices.IndexFunc(h.Level.Follow, func(f *kb.Follow) bool { return is(f.To, f.Paging) })
	}
	switch {
	case h.Level == nil:
		return "the page is of no level"
	case h.Level.ID != level:
		return "the page passes for " + string(h.Level.ID)
	case at < 0:
		return "no such action"
	case slices.ContainsFunc(h.Learned, func(l *kb.Entry) bool { return l.Part == kb.FollowPart(s.To, s.Paging) }):
		return "by what was learned"
	case slices.ContainsFunc(h.Links, func(l extract.Link) bool { return is(l.To, l.Paging) }):
		return "the action finds others"
	default:
		return "the action finds nothing"
	}
}

// CompareLinks counts followed addresses, once per target level. It ignores links without a target
// level, such as links on a page of unknown level.
func CompareLinks(truth, plain, adapted []extract.Link) (c Count, strays []stray) {
	type promise struct {
		url string
		to  kb.LevelID
	}
	set := func(links []extract.Link) map[promise]extract.Link {
		m := map[promise]extract.Link{}
		for _, l := range links {
			if l.To != "" && !l.Optional {
				m[promise{l.URL, l.To}] = l
			}
		}
		return m
	}
	right, was, is := set(truth), set(plain), set(adapted)
	c.Fields = len(right)
	for p, l := range right {
		_, had := was[p]
		_, has := is[p]
		switch {
		case had && !has:
			c.Lost++
			strays = append(strays, stray{l, "lost"})
		case !had && has:
			c.Missed++
			c.Recovered++
		case !had:
			c.Missed++
			strays = append(strays, stray{l, "missed"})
		}
	}
	for p, l := range is {
		_, had := was[p]
		if _, holds := right[p]; !holds && !had {
			c.Wrong++
			strays = append(strays, stray{l, "wrong"})
		}
	}
	slices.SortFunc(strays, func(a, b stray) int { return cmp.Or(cmp.Compare(a.kind, b.kind), cmp.Compare(a.URL, b.URL)) })
	return c, strays
}

// Groups divides pages into groups of one site and level, in order.
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
