package detect

import (
	"sort"
	"strings"

	"golang.org/x/net/html"

	"github.com/awarc/awarc/kb"
	"github.com/awarc/awarc/yfilter"
	"github.com/awarc/awarc/yfilter/xpath"
)

// Detector finds types and levels by one knowledge base. It is immutable and
// safe for concurrent use.
type Detector struct {
	base    *kb.Base
	nfa     *yfilter.NFA
	sources []string // by pattern: how it is written
	uses    [][]use  // by pattern: what it is evidence for
	topRank int
	index   map[*kb.Type]int
	refined []bool // by type: whether a subtype of it has patterns of its own
}

// use is one place where the knowledge base uses a pattern.
type use struct {
	typ       int
	level     int // index in the type's Levels, -1 for the type itself
	weak      bool
	inherited bool
}

// New compiles all patterns of a knowledge base.
func New(base *kb.Base) *Detector {
	d := &Detector{base: base, index: map[*kb.Type]int{}, refined: make([]bool, len(base.Types))}
	b := yfilter.NewBuilder()
	ids := map[string]int{}
	add := func(x *xpath.Expr, u use) {
		s := x.String()
		id, known := ids[s]
		if !known {
			id = b.Add(x)
			ids[s] = id
			for len(d.uses) <= id {
				d.uses, d.sources = append(d.uses, nil), append(d.sources, "")
			}
			d.sources[id] = s
		}
		d.uses[id] = merged(d.uses[id], u)
	}
	for i, t := range base.Types {
		d.index[t] = i
		d.topRank = max(d.topRank, t.Rank)
		for _, p := range t.Detect {
			add(p.Expr, use{typ: i, level: -1, weak: p.Weak})
		}
		for _, p := range t.Inherited {
			add(p.Expr, use{typ: i, level: -1, weak: true, inherited: true})
		}
		for j, v := range t.Levels {
			for _, p := range v.Detect {
				add(p.Expr, use{typ: i, level: j, weak: p.Weak})
			}
		}
		for up := t.Parent; up != nil && len(t.Detect) > 0; up = up.Parent {
			d.refined[d.index[up]] = true
		}
	}
	d.nfa = b.Build()
	return d
}

// merged adds a use of a pattern. A pattern that is stated twice, as when a
// later source repeats it, is one piece of evidence: the stronger.
func merged(uses []use, u use) []use {
	for i, known := range uses {
		if known.typ == u.typ && known.level == u.level {
			if known.inherited && !u.inherited || known.weak && !u.weak {
				uses[i] = u
			}
			return uses
		}
	}
	return append(uses, u)
}

// Base returns the knowledge base that the detector was compiled from.
func (d *Detector) Base() *kb.Base { return d.base }

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
	// Patterns are those that fired for the type and its level.
	Patterns []string
	// Matches are all types that were accepted, the best first.
	Matches []Match
	// Decided tells that the walk stopped before the end of the page.
	Decided bool
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
	// Force is the type that the page is of whatever it shows, or nil; a type that
	// the knowledge base does not have forces nothing.
	Force *kb.Type
	// Full keeps the walk from stopping early: Matches and Patterns are complete.
	Full bool
}

// Page detects a page given as its virtual document.
func (d *Detector) Page(doc *html.Node, h Hints) Finding {
	h.Near, h.Force = d.own(h.Near), d.own(h.Force)
	t := &tally{d: d, hints: h, types: map[int]*score{}}
	for i, typ := range d.base.Types {
		if typ.Site != "" && onSite(h.Address, typ.Site) {
			t.score(i).strong++
		}
	}
	decided := false
	d.nfa.RunFirst(doc, func(id int, _ *html.Node, _ string) bool {
		t.fired = append(t.fired, id)
		for _, u := range d.uses[id] {
			t.count(u)
		}
		decided = !h.Full && t.decided()
		return !decided
	})
	f := t.finding()
	f.Decided = decided
	return f
}

// own gives the detector's type with the id of t, or nil.
func (d *Detector) own(t *kb.Type) *kb.Type {
	if t == nil {
		return nil
	}
	return d.base.Type(t.ID)
}

// onSite tells whether an address (host and path) lies on a site.
func onSite(address, site string) bool {
	host, at, _ := strings.Cut(address, "/")
	siteHost, siteAt, _ := strings.Cut(strings.TrimSuffix(site, "/"), "/")
	rest, ok := strings.CutPrefix(at, siteAt)
	return strings.EqualFold(host, siteHost) && ok && (siteAt == "" || rest == "" || rest[0] == '/')
}

// tally counts the evidence on one page.
type tally struct {
	d     *Detector
	hints Hints
	types map[int]*score
	fired []int
}

// score is the evidence for one type.
type score struct {
	strong, weak, inherited int
	levels                  map[int][2]int // strong, weak by level
}

func (t *tally) score(typ int) *score {
	s := t.types[typ]
	if s == nil {
		s = &score{levels: map[int][2]int{}}
		t.types[typ] = s
	}
	return s
}

func (t *tally) count(u use) {
	s := t.score(u.typ)
	switch {
	case u.level >= 0:
		c := s.levels[u.level]
		if u.weak {
			c[1]++
		} else {
			c[0]++
		}
		s.levels[u.level] = c
	case u.inherited:
		s.inherited++
	case u.weak:
		s.weak++
	default:
		s.strong++
	}
}

func (s *score) accepted() bool {
	return s.strong > 0 || s.weak > 1 || s.weak > 0 && s.inherited > 0
}

func (s *score) level(i int) bool { return s.levels[i][0] > 0 || s.levels[i][1] > 1 }

// decided tells whether the answer is plain, so that the rest of the page need
// not be looked at.
func (t *tally) decided() bool {
	if force := t.hints.Force; force != nil {
		return t.firstLevel(t.d.index[force])
	}
	best := -1
	for i := range t.types {
		if t.d.base.Types[i].Rank == t.d.topRank && (best < 0 || t.better(i, best)) {
			best = i
		}
	}
	if best < 0 || t.d.refined[best] || !t.firstLevel(best) {
		return false
	}
	typ, near := t.d.base.Types[best], t.hints.Near
	if near != nil && near.Rank == t.d.topRank && !isOrBelow(typ, near) {
		return false // any sign of it further down would win
	}
	lead := t.strong(typ)
	for i := range t.types {
		rival := t.d.base.Types[i]
		if rival.Rank == t.d.topRank && !isOrBelow(typ, rival) && t.strong(rival)+2 > lead {
			return false
		}
	}
	return lead >= 2 && t.types[best].accepted()
}

// firstLevel tells whether a type's first level is certain: none comes before.
func (t *tally) firstLevel(typ int) bool {
	s := t.types[typ]
	return s != nil && len(t.d.base.Types[typ].Levels) > 0 && s.level(0)
}

func (t *tally) finding() Finding {
	var accepted []int
	if force := t.hints.Force; force != nil {
		t.score(t.d.index[force])
		accepted = append(accepted, t.d.index[force])
	} else {
		for i, s := range t.types {
			isNear := t.hints.Near == t.d.base.Types[i] && s.strong+s.weak > 0
			if s.accepted() || isNear {
				accepted = append(accepted, i)
			}
		}
	}
	sort.Slice(accepted, func(a, b int) bool { return t.better(accepted[a], accepted[b]) })
	var f Finding
	for _, i := range accepted {
		typ := t.d.base.Types[i]
		levels := t.levels(i)
		m := Match{Type: typ}
		if len(levels) > 0 {
			m.Level = levels[0]
		}
		if f.Type == nil {
			f.Type, f.Levels = typ, levels
		}
		f.Matches = append(f.Matches, m)
	}
	if f.Type != nil {
		f.Patterns = t.patterns(f)
	}
	return f
}

// better orders accepted types, the best first. It is a strict order.
func (t *tally) better(a, b int) bool {
	near := t.hints.Near
	ta, tb := t.d.base.Types[a], t.d.base.Types[b]
	nearA, nearB := near != nil && isOrBelow(ta, near), near != nil && isOrBelow(tb, near)
	strongA, strongB := t.strong(ta), t.strong(tb)
	switch {
	case ta.Rank != tb.Rank:
		return ta.Rank > tb.Rank
	case nearA != nearB:
		return nearA
	case strongA != strongB:
		return strongA > strongB
	case depth(ta) != depth(tb):
		return depth(ta) > depth(tb)
	default:
		return a < b
	}
}

// strong counts the strong patterns that fired for a type and its parents, so
// that a subtype is never behind what it is a subtype of.
func (t *tally) strong(typ *kb.Type) int {
	n := 0
	for ; typ != nil; typ = typ.Parent {
		if s := t.types[t.d.index[typ]]; s != nil {
			n += s.strong
		}
	}
	return n
}

func depth(t *kb.Type) int {
	n := 0
	for ; t.Parent != nil; t = t.Parent {
		n++
	}
	return n
}

// isOrBelow tells whether t is outer or a subtype of it.
func isOrBelow(t, outer *kb.Type) bool {
	for ; t != nil; t = t.Parent {
		if t == outer {
			return true
		}
	}
	return false
}

// levels gives the variants of the page's level: those that fired, then those
// that did not, for the case that their templates are mixed.
func (t *tally) levels(typ int) []*kb.Level {
	s, all := t.types[typ], t.d.base.Types[typ].Levels
	var fired []*kb.Level
	for i, v := range all {
		if s.level(i) && (len(fired) == 0 || v.ID == fired[0].ID) {
			fired = append(fired, v)
		}
	}
	if len(fired) == 0 {
		return nil
	}
	out := fired
	for i, v := range all {
		if v.ID == fired[0].ID && !s.level(i) {
			out = append(out, v)
		}
	}
	return out
}

// patterns lists what fired for the finding's type and its level.
func (t *tally) patterns(f Finding) []string {
	typ := t.d.index[f.Type]
	var out []string
	for _, id := range t.fired {
		for _, u := range t.d.uses[id] {
			if u.typ == typ && (u.level < 0 || len(f.Levels) > 0 && f.Type.Levels[u.level].ID == f.Levels[0].ID) {
				out = append(out, t.d.sources[id])
				break
			}
		}
	}
	return out
}
