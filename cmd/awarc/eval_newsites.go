package main

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/awarc/awarc/engine/detect"
	"github.com/awarc/awarc/kb"
)

// reference is a site, or several of one theme, that a cut knowledge base knows.
type reference struct {
	typ   kb.TypeID
	theme string
	sites []string
}

// references are the sites that stand for one theme or version of a type. All
// other sites of the type are new to a knowledge base cut to them.
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

// perSite bounds the pages of one site and level, so that a large mirror does not
// outweigh all other sites.
const perSite = 6

// newSiteRow is what a knowledge base that knows one theme got of the other sites
// of a type.
type newSiteRow struct {
	Type  kb.TypeID `json:"type"`
	Theme string    `json:"theme"`
	Pages int       `json:"pages"`
	// Truth counts pages by how the truth about them is known.
	Truth map[string]int `json:"truth"`
	mendCount
	Links mendCount `json:"links"`
	// Alone is with each page mended by itself, Best of that what took at most one
	// change of a step, and Literal algorithm 2 as the paper has it, where it was asked for.
	Alone   mendCount  `json:"each_page_alone"`
	Best    mendCount  `json:"best_case"`
	Literal *mendCount `json:"literal,omitempty"`

	costs []mendCost
}

// newSites runs cut knowledge bases over the sites that they do not know.
func (e *adaptationEval) newSites() ([]newSiteRow, error) {
	var types []kb.TypeID
	for _, r := range references {
		if e.cmd.concerns(r.typ) && !slices.Contains(types, r.typ) {
			types = append(types, r.typ)
		}
	}
	pages, err := e.cmd.truths(e.whole, types, func(string) bool { return true })
	if err != nil {
		return nil, err
	}
	var rows []newSiteRow
	for _, r := range references {
		if !e.cmd.concerns(r.typ) {
			continue
		}
		row, err := e.newSite(r, pages)
		if err != nil {
			return nil, err
		}
		rows = append(rows, row)
	}
	return rows, nil
}

func (e *adaptationEval) newSite(r reference, pages []*truePage) (newSiteRow, error) {
	row := newSiteRow{Type: r.typ, Theme: r.theme, Truth: map[string]int{}}
	var own, others []*truePage
	for _, p := range pages {
		switch {
		case p.typ != r.typ:
		case slices.Contains(r.sites, p.site):
			own = append(own, p)
		default:
			others = append(others, p)
		}
	}
	sources, err := cutToPages(e.sources, e.whole, r.typ, own)
	if err != nil {
		return row, err
	}
	base, err := kb.Load(sources...)
	if err != nil {
		return row, fmt.Errorf("the knowledge base cut to %s %s: %w", r.typ, r.theme, err)
	}
	d := detect.New(base)
	for _, group := range byGroup(others, (*truePage).group) {
		if len(base.Type(r.typ).Level(group[0].level.ID)) == 0 {
			continue // the reference has no page of the level
		}
		if !e.cmd.sampled(group[0].group()) {
			continue
		}
		group = group[:min(len(group), perSite)]
		for _, p := range group {
			row.Truth[p.how]++
		}
		row.Pages += len(group)
		site, err := e.read(d, group)
		if err != nil {
			return row, err
		}
		note := string(r.typ) + " from " + r.theme
		got := e.judge(group, site, asCrawl, note)
		row.mendCount.add(got.objects)
		row.Links.add(got.links)
		alone := eachAlone(site)
		row.costs = append(row.costs, alone.costs...)
		for i, why := range alone.why {
			if len(why) > 0 {
				fmt.Fprintf(e.notes, "%s: %s, alone: %s\n", group[i].file, note, strings.Join(why, "; "))
			}
		}
		ways := []newSiteWay{{"alone", func(siteRead) mendedSite { return alone }, &row.Alone}, {"best case", alone.bestCase, &row.Best}}
		if e.cmd.Literal {
			if row.Literal == nil {
				row.Literal = &mendCount{}
			}
			ways = append(ways, newSiteWay{"literally", literally, row.Literal})
		}
		for _, way := range ways {
			got := e.judge(group, site, way.mend, note+", "+way.name)
			way.to.add(got.objects)
		}
	}
	return row, nil
}

// newSiteWay is one of the ways beside a crawl by which the pages of a site are mended.
type newSiteWay struct {
	name string
	mend mender
	to   *mendCount
}

func printNewSites(w io.Writer, rows []newSiteRow) {
	if len(rows) == 0 {
		return
	}
	fmt.Fprintf(w, "new sites: fields of objects; recovered, wrong by each way\n%-10s %-16s %5s %5s %5s %5s %7s %7s | %-14s %-14s %-14s %-14s %4s\n",
		"type", "known", "pages", "read", "whole", "ex.", "fields", "missed", "as a crawl", "pages alone", "best case", "literally", "lost")
	pair := func(c mendCount) string { return fmt.Sprintf("%d, %d", c.Recovered, c.Wrong) }
	for _, r := range rows {
		literal := "-"
		if r.Literal != nil {
			literal = pair(*r.Literal)
		}
		fmt.Fprintf(w, "%-10s %-16s %5d %5d %5d %5d %7d %7d | %-14s %-14s %-14s %-14s %4d\n", r.Type, r.Theme, r.Pages, r.Truth[truthRead], r.Truth[truthWhole], r.Truth[truthExample],
			r.Fields, r.Missed, pair(r.mendCount), pair(r.Alone), pair(r.Best), literal, r.Lost)
	}
	fmt.Fprintf(w, "\nnew sites: links that lead on\n%-10s %-16s %7s %7s %10s %6s %5s\n", "type", "known", "links", "missed", "recovered", "wrong", "lost")
	for _, r := range rows {
		l := r.Links
		fmt.Fprintf(w, "%-10s %-16s %7d %7d %10d %6d %5d\n", r.Type, r.Theme, l.Fields, l.Missed, l.Recovered, l.Wrong, l.Lost)
	}
}
