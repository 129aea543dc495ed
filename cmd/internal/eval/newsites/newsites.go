// Package newsites measures how well a knowledge base that covers one theme or version of a type
// extracts the other sites of the type.
package newsites

import (
	"context"
	"fmt"
	"io"
	"slices"

	"github.com/awarc/awarc/cmd/internal/eval/mend"
	"github.com/awarc/awarc/cmd/internal/eval/truth"
	"github.com/awarc/awarc/engine/detect"
	"github.com/awarc/awarc/kb"
)

// reference is a site, or several sites of one theme, that a cut knowledge base covers.
type reference struct {
	typ   kb.TypeID
	theme string
	sites []string
}

// references are the sites of one theme or version of each type. All other sites of the type are
// new to a knowledge base that is cut to them.
var references = []reference{
	{"wordpress", "classic", []string{"example-classic"}},
	{"wordpress", "block", []string{"example-block"}},
	{"wordpress", "mimiz.cn", []string{"mirror-mimiz.cn"}},
	{"phpbb", "subSilver (2.0)", []string{"mirror-cf.net"}},
	{"phpbb", "prosilver (3.x)", []string{"mirror-eaglecraft"}},
	{"vbulletin", "3.6", []string{"mirror-klnet"}},
	{"vbulletin", "2.3", []string{"mirror-tekkenzaibatsu-vb2"}},
	{"vbulletin", "4", []string{"example-4", "terraforums.com", "aussiev8.com.au"}},
	{"xenforo", "2", []string{"mirror-soyuzrp", "forums.freebsd.org"}},
	{"xenforo", "1", []string{"example-1", "forums.digitalpoint.com"}},
	{"mybb", "1.4", []string{"archive-beastie-forever"}},
	{"mybb", "1.8", []string{"example-1.8"}},
	{"smf", "1.1", []string{"mirror-bitcointalk"}},
	{"smf", "2", []string{"example-2.1", "simplemachines.org"}},
}

// perSite bounds the pages of one site and level, so that a large mirror does not outweigh all
// other sites. The value is arbitrary.
const perSite = 6

// Row is the result of a knowledge base that covers one theme for the other sites of a type.
type Row struct {
	Type  kb.TypeID `json:"type"`
	Theme string    `json:"theme"`
	Pages int       `json:"pages"`
	// Truth counts pages by the source of their truth.
	Truth map[string]int `json:"truth"`
	mend.Count
	Links mend.Count `json:"links"`
	// Alone is the result of adaptation to each page independently. Best counts only its pages with
	// at most one change of a step. Literal is the optional result of algorithm 2 as in the paper.
	Alone   mend.Count  `json:"each_page_alone"`
	Best    mend.Count  `json:"best_case"`
	Literal *mend.Count `json:"literal,omitempty"`

	Stated []mend.Stated `json:"-"`
	Costs  []mend.Cost   `json:"-"`
}

// eval is one run of the evaluation.
type eval struct {
	*mend.Eval
	literal bool
}

// Measure runs cut knowledge bases over the sites that they do not cover. literal also runs
// algorithm 2 as in the paper, which takes three quarters of the time.
func Measure(ctx context.Context, shared *mend.Eval, literal bool) ([]Row, error) {
	e := eval{shared, literal}
	var types []kb.TypeID
	for _, r := range references {
		if e.Concerns(r.typ) && !slices.Contains(types, r.typ) {
			types = append(types, r.typ)
		}
	}
	pages, err := e.Source.Read(types, func(string) bool { return true })
	if err != nil {
		return nil, err
	}
	var rows []Row
	for i, r := range references {
		e.Tell("new sites", i, len(references))
		if !e.Concerns(r.typ) {
			continue
		}
		row, err := e.newSite(ctx, r.typ, r.theme, pages, func(site string) bool { return slices.Contains(r.sites, site) })
		if err != nil {
			return nil, err
		}
		rows = append(rows, row)
	}
	return rows, nil
}

// LeaveOut divides the sites of each type into parts, and evaluates each part with a knowledge base
// that is cut to the other parts.
func LeaveOut(ctx context.Context, shared *mend.Eval, parts int) ([]Row, error) {
	e := eval{shared, false}
	var rows []Row
	types := e.Whole.Base().IDs()
	for i, typ := range types {
		e.Tell("sites left out", i, len(types))
		if !e.Concerns(typ) {
			continue
		}
		pages, err := e.Source.Read([]kb.TypeID{typ}, func(string) bool { return true })
		if err != nil {
			return nil, err
		}
		for part := range parts {
			known := func(site string) bool { return mend.Hash(site)%uint64(parts) != uint64(part) }
			row, err := e.newSite(ctx, typ, fmt.Sprintf("all but part %d", part+1), pages, known)
			if err != nil {
				return nil, err
			}
			rows = append(rows, row)
		}
	}
	return rows, nil
}

// newSite cuts the knowledge base to the known sites of a type.
func (e *eval) newSite(ctx context.Context, typ kb.TypeID, name string, pages []*truth.Page, known func(site string) bool) (Row, error) {
	row := Row{Type: typ, Theme: name, Truth: map[string]int{}}
	var own, others []*truth.Page
	for _, p := range pages {
		switch {
		case p.Type != typ:
		case known(p.Site):
			own = append(own, p)
		case e.Measures(p):
			others = append(others, p)
		}
	}
	if len(others) == 0 {
		return row, nil
	}
	sources, err := mend.CutToPages(e.Sources, e.Whole, typ, own)
	if err != nil {
		return row, err
	}
	base, err := kb.Load(sources...)
	if err != nil {
		return row, fmt.Errorf("the knowledge base cut to %s %s: %w", typ, name, err)
	}
	d := detect.New(base)
	for _, group := range mend.Groups(others) {
		if len(base.Type(typ).Level(group[0].Level.ID)) == 0 {
			continue // the reference has no page of the level
		}
		if !e.Sampled(group[0].Group()) {
			continue
		}
		group = group[:min(len(group), perSite)]
		for _, p := range group {
			row.Truth[p.How]++
		}
		row.Pages += len(group)
		site, err := e.Read(ctx, d, group)
		if err != nil {
			return row, err
		}
		note := string(typ) + " from " + name
		got := e.Compare(group, site, mend.AsCrawl, note)
		row.Count.Add(got.Objects)
		row.Links.Add(got.Links)
		row.Stated = append(row.Stated, got.Stated...)
		alone := mend.EachAlone(site)
		row.Costs = append(row.Costs, alone.Costs...)
		for i, left := range alone.Left {
			for _, l := range left {
				fmt.Fprintf(e.Notes, "%s: %s, alone: %s\n", group[i].File, note, l)
			}
		}
		ways := []way{
			{"alone", func(mend.Site) mend.Mended { return alone }, &row.Alone},
			{"best case", alone.BestCase, &row.Best},
		}
		if e.literal {
			if row.Literal == nil {
				row.Literal = &mend.Count{}
			}
			ways = append(ways, way{"literally", mend.Literally, row.Literal})
		}
		for _, w := range ways {
			got := e.Compare(group, site, w.mender, note+", "+w.name)
			w.to.Add(got.Objects)
		}
	}
	return row, nil
}

// way is a method of adaptation besides a crawl.
type way struct {
	name   string
	mender mend.Mender
	to     *mend.Count
}

// Print prints the tables.
func Print(w io.Writer, rows []Row) {
	if len(rows) == 0 {
		return
	}
	fmt.Fprintf(w, "new sites: fields of objects; recovered, wrong by each way\n"+
		"%-10s %-16s %5s %5s %5s %5s %7s %7s | %-14s %-14s %-14s %-14s %4s\n",
		"type", "known", "pages", "read", "whole", "ex.", "fields", "missed", "as a crawl", "pages alone", "best case", "literally", "lost")
	pair := func(c mend.Count) string { return fmt.Sprintf("%d, %d", c.Recovered, c.Wrong) }
	for _, r := range rows {
		literal := "-"
		if r.Literal != nil {
			literal = pair(*r.Literal)
		}
		fmt.Fprintf(w, "%-10s %-16s %5d %5d %5d %5d %7d %7d | %-14s %-14s %-14s %-14s %4d\n",
			r.Type, r.Theme, r.Pages, r.Truth[truth.ByReaders], r.Truth[truth.Complete], r.Truth[truth.Example],
			r.Fields, r.Missed, pair(r.Count), pair(r.Alone), pair(r.Best), literal, r.Lost)
	}
	fmt.Fprintf(w, "\nnew sites: links that lead on\n%-10s %-16s %7s %7s %10s %6s %5s\n",
		"type", "known", "links", "missed", "recovered", "wrong", "lost")
	for _, r := range rows {
		l := r.Links
		fmt.Fprintf(w, "%-10s %-16s %7d %7d %10d %6d %5d\n", r.Type, r.Theme, l.Fields, l.Missed, l.Recovered, l.Wrong, l.Lost)
	}
	var stated []mend.Stated
	for _, r := range rows {
		stated = append(stated, r.Stated...)
	}
	mend.PrintReliability(w, stated)
}
