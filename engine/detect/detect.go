package detect

import (
	"sync"
	"sync/atomic"

	"golang.org/x/net/html"

	"github.com/awarc/awarc/kb"
	"github.com/awarc/awarc/yfilter"
	"github.com/awarc/awarc/yfilter/xpath"
)

// Match is one type that a page could be of, with its level where one fits.
type Match struct {
	Type  *kb.Type
	Level *kb.Level
}

// Finding is what a page is. The zero Finding is an unknown application; a
// Finding without Levels is a page of the type whose level is unknown.
type Finding struct {
	Type *kb.Type
	// Levels are the variants of the page's level: those whose patterns fired,
	// then the others, each in the order of the knowledge base. After an early stop
	// only the first is sure to stand where a whole walk would put it.
	Levels []*kb.Level
	// Patterns are the matches of the type and its level.
	Patterns []string
	// Matches are all types that were accepted, the best first.
	Matches []Match
	// Decided is set if the walk stopped before the end of the page.
	Decided bool

	address string // of the page
}

// Level returns the page's level, or nil.
func (f *Finding) Level() *kb.Level {
	if len(f.Levels) == 0 {
		return nil
	}
	return f.Levels[0]
}

// Hints are what is known of a page besides the page.
type Hints struct {
	// Address is host and path of its URL, as in "example.org/forum/".
	Address string
	// Near is the type last seen under the page's path prefix, or nil: it is
	// preferred where the page itself shows any sign of it. It and Force may come
	// from an earlier knowledge base: the id is what counts.
	Near *kb.Type
	// Force is the type that is assumed for every page, or nil; a type that
	// the knowledge base does not have forces nothing.
	Force *kb.Type
	// Full keeps the walk from stopping early: Matches and Patterns are complete.
	Full bool
}

// Detector finds types and levels by one knowledge base. It is immutable and
// safe for concurrent use.
type Detector struct {
	base      *kb.Base
	nfa       *yfilter.NFA
	exprs     []*xpath.Expr // by pattern
	last      []int32       // by pattern: its last use, -1 if it has none but inherited ones
	uses      []use         // each knows the one before it
	inheritor map[int32][]int32
	sites     []int // types that describe one site
	topRank   int
	index     map[*kb.Type]int
	refined   []bool                   // by type: whether a subtype of it has patterns of its own
	written   []atomic.Pointer[string] // by pattern: the expression, once it was asked for
	tallies   sync.Pool                // of *tally
}

// Page detects a page given as its virtual document.
func (d *Detector) Page(doc *html.Node, h Hints) Finding {
	h.Near, h.Force = d.own(h.Near), d.own(h.Force)
	t := d.tallies.Get().(*tally)
	defer t.release()
	t.hints = h
	for _, i := range d.sites {
		if kb.OnSite(h.Address, d.base.Types[i].Site) {
			t.score(i).strong++
		}
	}
	d.nfa.RunFirst(doc, t.found)
	return t.finding()
}

// expression returns a pattern as it is written.
func (d *Detector) expression(id int) string {
	if s := d.written[id].Load(); s != nil {
		return *s
	}
	s := d.exprs[id].String()
	d.written[id].Store(&s)
	return s
}

// own gives the detector's type with the id of t, or nil.
func (d *Detector) own(t *kb.Type) *kb.Type {
	if t == nil {
		return nil
	}
	return d.base.Type(t.ID)
}

// Base returns the knowledge base that the detector was compiled from.
func (d *Detector) Base() *kb.Base { return d.base }

// Patterns returns how many different patterns the knowledge base has.
func (d *Detector) Patterns() int { return len(d.exprs) }
