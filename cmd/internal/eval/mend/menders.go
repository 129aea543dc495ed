package mend

import (
	"bytes"
	"slices"
	"time"

	"golang.org/x/net/html"

	"github.com/awarc/awarc/cmd/internal/eval/truth"
	"github.com/awarc/awarc/engine/adapt"
	"github.com/awarc/awarc/engine/detect"
	"github.com/awarc/awarc/engine/extract"
	"github.com/awarc/awarc/kb"
)

// Site has the pages of one site, in the order of a crawl, as read with a knowledge base that may
// not cover them.
type Site struct {
	eval     *Eval
	detector *detect.Detector
	sources  [][]byte
	pages    []extract.Page
	Plain    []extract.Harvest // by page, without adaptation
	truth    []*truth.Page     // of each page
}

// options returns the options of adaptation for the page at an index.
func (s *Site) options(at *int) adapt.Options {
	var o adapt.Options
	if s.eval.Weights != nil && len(s.truth) > 0 {
		o.Weights = s.eval.Weights(s.truth[0])
	}
	if s.eval.Watch != nil {
		o.Watch = func(q adapt.Question) { s.eval.Watch(s.truth[*at], q) }
	}
	return o
}

// Mended is the result of a Mender for a site.
type Mended struct {
	Harvests []extract.Harvest
	Entries  []kb.Entry     // learned entries
	Costs    []Cost         // of the pages that it tried to repair
	worst    []bool         // by page: a step of a path was changed more than once
	Left     [][]adapt.Left // by page: unrepaired actions
}

// Cost is the cost of one page.
type Cost struct {
	Tried  int     // candidates
	Parses float64 // time, in units of the time of html.Parse for the page
}

// Mender adapts the knowledge base to a site.
type Mender func(Site) Mended

// BestCase returns the result without the pages that needed more than one change of a step.
func (m Mended) BestCase(s Site) Mended {
	out := Mended{Harvests: slices.Clone(m.Harvests)}
	for i, worst := range m.worst {
		if worst {
			out.Harvests[i] = s.Plain[i]
		}
	}
	return out
}

// EachAlone adapts to each page independently of the other pages.
func EachAlone(s Site) Mended {
	var m Mended
	var at int
	o := s.options(&at)
	o.Lexicon = adapt.NewLexicon(s.detector.Base())
	for i, p := range s.pages {
		at = i
		start := processorTime()
		a, plain := adapt.Attempt{Harvest: s.Plain[i]}, extract.Run(p)
		if faults := adapt.Judge(p, plain); len(faults) > 0 {
			a = adapt.Mend(s.detector.Base(), p, plain, faults, o)
		}
		if a.Tried > 0 {
			m.Costs = append(m.Costs, Cost{a.Tried, parsesOf(s.sources[i], processorTime()-start)})
		}
		m.worst, m.Left = append(m.worst, a.Worst), append(m.Left, a.Left)
		m.Harvests = append(m.Harvests, a.Harvest)
		m.Entries = append(m.Entries, a.Entries...)
	}
	return m
}

// parsesOf divides a time by the time of parsing a page.
func parsesOf(page []byte, took time.Duration) float64 {
	const rounds = 5
	start := processorTime()
	for range rounds {
		html.Parse(bytes.NewReader(page))
	}
	parse := (processorTime() - start) / rounds
	return float64(took) / float64(max(parse, time.Microsecond))
}

// AsCrawl adapts like a crawl. It accepts entries that further pages confirm, passes waiting pages
// to the learner again, and at the end reads the pages that still wait.
func AsCrawl(s Site) Mended {
	c := &crawlMender{Site: s, base: s.detector.Base(), pending: map[string][]int{}}
	c.learner = adapt.New(adapt.LearnerOptions{Options: s.options(&c.at)})
	c.Harvests = make([]extract.Harvest, len(s.pages))
	for i := range s.pages {
		if r := c.show(i); r.Provisional != nil {
			c.follow(i, *r.Provisional)
		}
	}
	for _, d := range c.learner.Finish() {
		c.use(d.Entries)
	}
	for _, pages := range c.pending {
		for _, i := range pages {
			_, c.Harvests[i] = c.read(i)
		}
	}
	return c.Mended
}

type crawlMender struct {
	Site
	Mended
	base    *kb.Base // before learning
	learner *adapt.Learner
	at      int              // the current page
	pending map[string][]int // waiting pages, by key
}

// show passes a page to the learner.
func (c *crawlMender) show(i int) adapt.Result {
	c.at = i
	p, h := c.read(i)
	r := c.learner.Page(c.detector.Base(), p, h)
	c.Harvests[i] = r.Harvest
	if r.Pending {
		c.pending[r.Key] = append(c.pending[r.Key], i)
	}
	for _, e := range r.Dropped {
		c.Entries = slices.DeleteFunc(c.Entries, func(k kb.Entry) bool { return k.ID() == e.ID() })
		c.use(nil)
	}
	c.confirm(r.Confirmed, r.Key)
	return r
}

// confirm applies entries and passes the pages that waited for them to the learner again.
func (c *crawlMender) confirm(entries []kb.Entry, key string) {
	if len(entries) == 0 {
		return
	}
	c.use(entries)
	pages := c.pending[key]
	delete(c.pending, key)
	for _, i := range pages {
		c.show(i)
	}
}

// follow follows the links of unconfirmed actions and reports their target levels to the learner.
func (c *crawlMender) follow(i int, h extract.Harvest) {
	for _, l := range h.Links {
		if l.To == "" || slices.ContainsFunc(c.Harvests[i].Links, func(k extract.Link) bool { return k.URL == l.URL && k.To != "" }) {
			continue
		}
		part := kb.FollowPart(l.To, l.Paging)
		at := slices.IndexFunc(h.Learned, func(e *kb.Entry) bool { return e.Part == part })
		if at < 0 {
			continue
		}
		there := slices.ContainsFunc(c.truth[i].Links, func(k extract.Link) bool { return k.URL == l.URL && k.To == l.To })
		key, confirmed := c.learner.Led(h.Learned[at].ID(), there)
		c.confirm(confirmed, key)
	}
}

// read reads a page with the current knowledge base.
func (c *crawlMender) read(i int) (extract.Page, extract.Harvest) {
	p := c.pages[i]
	if len(c.Entries) == 0 {
		return p, c.Plain[i]
	}
	f := c.detector.Page(p.Doc, detect.Hints{Address: p.URL.Host + p.URL.Path, Force: p.Type})
	p.Type, p.Levels = f.Type, f.Levels
	read := p
	read.Posts = true // as a crawl reads a page again
	return p, extract.Run(read)
}

// use applies further entries.
func (c *crawlMender) use(entries []kb.Entry) {
	c.Entries = append(c.Entries, entries...)
	if base, err := c.base.With(c.Entries...); err == nil {
		c.detector = detect.New(base)
	}
}
