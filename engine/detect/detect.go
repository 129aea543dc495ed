package detect

import (
	"slices"
	"sync"
	"sync/atomic"

	"golang.org/x/net/html"

	"github.com/awarc/awarc/kb"
	"github.com/awarc/awarc/yfilter"
	"github.com/awarc/awarc/yfilter/xpath"
)

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

// use is one place where the knowledge base uses a pattern.
type use struct {
	typ   int32
	level int32 // index in the type's Levels, -1 for the type itself
	prev  int32 // another use of the pattern, of a type that is not later, or -1
	weak  bool
	// learned is set where the pattern counts on some sites only.
	learned []*kb.Entry
}

// New compiles all patterns of a knowledge base. Its time grows with the number
// of patterns alone, however often they are used.
func New(base *kb.Base) *Detector {
	d := &Detector{
		base: base, index: make(map[*kb.Type]int, len(base.Types)), refined: make([]bool, len(base.Types)),
		inheritor: map[int32][]int32{},
	}
	b := yfilter.NewBuilder()
	for i, t := range base.Types {
		d.index[t] = i
		d.topRank = max(d.topRank, t.Rank)
		if t.Site != "" {
			d.sites = append(d.sites, i)
		}
		for _, p := range t.Detect {
			d.add(b, p, use{typ: int32(i), level: -1, weak: p.Weak})
		}
		for _, p := range t.Inherited {
			d.inherit(b, p.Expr, int32(i))
		}
		for j, v := range t.Levels {
			for _, p := range v.Detect {
				d.add(b, p, use{typ: int32(i), level: int32(j), weak: p.Weak})
			}
		}
		for up := t.Parent; up != nil && len(t.Detect) > 0; up = up.Parent {
			d.refined[d.index[up]] = true
		}
	}
	d.nfa = b.Build()
	d.written = make([]atomic.Pointer[string], len(d.exprs))
	d.tallies.New = func() any { return newTally(d) }
	return d
}

// pattern returns the number of an expression.
func (d *Detector) pattern(b *yfilter.Builder, x *xpath.Expr) int32 {
	id, added := b.AddOnce(x)
	if added {
		d.exprs, d.last = append(d.exprs, x), append(d.last, -1)
	}
	return int32(id)
}

// add adds a use of a pattern. A pattern that is stated twice, as when a later
// source repeats it, is one piece of evidence: the stronger, and on all sites if
// one of them is.
func (d *Detector) add(b *yfilter.Builder, p kb.Pattern, u use) {
	id := d.pattern(b, p.Expr)
	if p.Learned != nil && !p.Learned.Everywhere() {
		u.learned = []*kb.Entry{p.Learned}
	}
	if known := d.use(id, u.typ, u.level); known != nil {
		known.weak = known.weak && u.weak
		if u.learned == nil || known.learned == nil {
			known.learned = nil
		} else {
			known.learned = append(known.learned, u.learned...)
		}
		return
	}
	u.prev = d.last[id]
	d.last[id] = int32(len(d.uses))
	d.uses = append(d.uses, u)
}

// use returns the use of a pattern for the latest type and a level, or nil.
func (d *Detector) use(id, typ, level int32) *use {
	for at := d.last[id]; at >= 0 && d.uses[at].typ == typ; at = d.uses[at].prev {
		if u := &d.uses[at]; u.level == level {
			return u
		}
	}
	return nil
}

// inherit notes that a type inherits a pattern, unless it states it itself,
// which is stronger. Types come in rising order.
func (d *Detector) inherit(b *yfilter.Builder, x *xpath.Expr, typ int32) {
	id := d.pattern(b, x)
	list := d.inheritor[id]
	if d.use(id, typ, -1) == nil && (len(list) == 0 || list[len(list)-1] != typ) {
		d.inheritor[id] = append(list, typ)
	}
}

// Base returns the knowledge base that the detector was compiled from.
func (d *Detector) Base() *kb.Base { return d.base }

// Patterns returns how many different patterns the knowledge base has.
func (d *Detector) Patterns() int { return len(d.exprs) }

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
	// Force is the type that the page is of whatever it shows, or nil; a type that
	// the knowledge base does not have forces nothing.
	Force *kb.Type
	// Full keeps the walk from stopping early: Matches and Patterns are complete.
	Full bool
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

// appliesAt reports whether a pattern counts on the page of an address.
func (u use) appliesAt(address string) bool {
	return u.learned == nil || slices.ContainsFunc(u.learned, func(e *kb.Entry) bool { return e.AppliesAt(address) })
}

// tally counts the evidence on one page. Its memory serves one page after the other.
type tally struct {
	d        *Detector
	hints    Hints
	scores   []score
	number   []int32 // by type: of its score plus one, 0 if it has none
	fired    []int
	decided  bool
	accepted []int
	found    yfilter.Found // is told of what fires
}

// score is the evidence for one type.
type score struct {
	typ          int
	strong, weak int
	levels       []evidence // of which there is some
}

type evidence struct{ level, strong, weak int }

func newTally(d *Detector) *tally {
	t := &tally{d: d, number: make([]int32, len(d.base.Types))}
	t.found = func(id int, _ *html.Node, _ string) bool { return t.fire(id) }
	return t
}

// release forgets the page.
func (t *tally) release() {
	for i := range t.scores {
		t.number[t.scores[i].typ] = 0
	}
	t.scores, t.fired, t.accepted = t.scores[:0], t.fired[:0], t.accepted[:0]
	t.hints, t.decided = Hints{}, false
	t.d.tallies.Put(t)
}

// fire counts a pattern and reports whether to go on.
func (t *tally) fire(id int) bool {
	t.fired = append(t.fired, id)
	for at := t.d.last[id]; at >= 0; at = t.d.uses[at].prev {
		t.count(t.d.uses[at])
	}
	t.decided = !t.hints.Full && t.isDecided()
	return !t.decided
}

// known returns the score of a type, or nil. It is good until the next is added.
func (t *tally) known(typ int) *score {
	if n := t.number[typ]; n > 0 {
		return &t.scores[n-1]
	}
	return nil
}

// score is known, but adds the score if need be.
func (t *tally) score(typ int) *score {
	if s := t.known(typ); s != nil {
		return s
	}
	n := len(t.scores)
	t.scores = slices.Grow(t.scores, 1)[:n+1]
	s := &t.scores[n]
	*s = score{typ: typ, levels: s.levels[:0]}
	t.number[typ] = int32(n + 1)
	return s
}

func (t *tally) count(u use) {
	if !u.appliesAt(t.hints.Address) {
		return
	}
	s := t.score(int(u.typ))
	strong, weak := &s.strong, &s.weak
	if u.level >= 0 {
		e := s.at(int(u.level))
		strong, weak = &e.strong, &e.weak
	}
	if u.weak {
		*weak++
	} else {
		*strong++
	}
}

// at returns the evidence for a level, which it enters if need be.
func (s *score) at(level int) *evidence {
	for i := range s.levels {
		if s.levels[i].level == level {
			return &s.levels[i]
		}
	}
	s.levels = append(s.levels, evidence{level: level})
	return &s.levels[len(s.levels)-1]
}

func (t *tally) accepts(typ int) bool {
	s := t.known(typ)
	return s.strong > 0 || s.weak > 1 || s.weak > 0 && t.inherited(typ)
}

// inherited reports whether a pattern fired that the type inherits. It is asked of
// the few types with evidence of their own: thousands may inherit one pattern.
func (t *tally) inherited(typ int) bool {
	return slices.ContainsFunc(t.fired, func(id int) bool {
		_, found := slices.BinarySearch(t.d.inheritor[int32(id)], int32(typ))
		return found
	})
}

func (s *score) level(i int) bool {
	for _, e := range s.levels {
		if e.level == i {
			return e.strong > 0 || e.weak > 1
		}
	}
	return false
}

// isDecided reports whether the answer is plain, so that the rest of the page need
// not be looked at.
func (t *tally) isDecided() bool {
	if force := t.hints.Force; force != nil {
		return t.firstLevel(t.d.index[force])
	}
	best := -1
	for k := range t.scores {
		if i := t.scores[k].typ; t.d.base.Types[i].Rank == t.d.topRank && (best < 0 || t.better(i, best)) {
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
	for k := range t.scores {
		rival := t.d.base.Types[t.scores[k].typ]
		if rival.Rank == t.d.topRank && !isOrBelow(typ, rival) && t.strong(rival)+2 > lead {
			return false
		}
	}
	return lead >= 2 && t.accepts(best)
}

// firstLevel reports whether a type's first level is certain: none comes before.
func (t *tally) firstLevel(typ int) bool {
	s := t.known(typ)
	return s != nil && len(t.d.base.Types[typ].Levels) > 0 && s.level(0)
}

func (t *tally) finding() Finding {
	if force := t.hints.Force; force != nil {
		t.score(t.d.index[force])
		t.accepted = append(t.accepted, t.d.index[force])
	} else {
		for k := range t.scores {
			s := &t.scores[k]
			isNear := t.hints.Near == t.d.base.Types[s.typ] && s.strong+s.weak > 0
			if t.accepts(s.typ) || isNear {
				t.accepted = append(t.accepted, s.typ)
			}
		}
	}
	f := Finding{Decided: t.decided, address: t.hints.Address}
	if len(t.accepted) == 0 {
		return f
	}
	slices.SortFunc(t.accepted, func(a, b int) int {
		switch {
		case t.better(a, b):
			return -1
		case t.better(b, a):
			return 1
		}
		return 0
	})
	f.Type = t.d.base.Types[t.accepted[0]]
	f.Levels = t.levels(t.accepted[0])
	f.Matches = make([]Match, len(t.accepted))
	for k, i := range t.accepted {
		f.Matches[k] = Match{Type: t.d.base.Types[i], Level: t.level(i)}
	}
	f.Patterns = t.patterns(f)
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
		if s := t.known(t.d.index[typ]); s != nil {
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

// isOrBelow reports whether t is outer or a subtype of it.
func isOrBelow(t, outer *kb.Type) bool {
	for ; t != nil; t = t.Parent {
		if t == outer {
			return true
		}
	}
	return false
}

// level gives the page's level if it is of a type: the first of those that fired, or
// nil.
func (t *tally) level(typ int) *kb.Level {
	s := t.known(typ)
	for i, v := range t.d.base.Types[typ].Levels {
		if s.level(i) {
			return v
		}
	}
	return nil
}

// levels gives the variants of the page's level: those that fired, then those
// that did not, for the case that their templates are mixed.
func (t *tally) levels(typ int) []*kb.Level {
	first := t.level(typ)
	if first == nil {
		return nil
	}
	s, all := t.known(typ), t.d.base.Types[typ].Levels
	out := make([]*kb.Level, 0, len(all))
	for _, fired := range []bool{true, false} {
		for i, v := range all {
			if v.ID == first.ID && s.level(i) == fired {
				out = append(out, v)
			}
		}
	}
	return out
}

// patterns lists what fired for the finding's type and its level.
func (t *tally) patterns(f Finding) []string {
	typ := t.d.index[f.Type]
	out := make([]string, 0, len(t.fired))
	for _, id := range t.fired {
		if t.isFor(id, typ, f) {
			out = append(out, t.d.expression(id))
		}
	}
	return out
}

// isFor reports whether a pattern is evidence for the finding's type or its level.
func (t *tally) isFor(id, typ int, f Finding) bool {
	for at := t.d.last[id]; at >= 0; at = t.d.uses[at].prev {
		u := t.d.uses[at]
		if int(u.typ) == typ && u.appliesAt(t.hints.Address) &&
			(u.level < 0 || len(f.Levels) > 0 && f.Type.Levels[u.level].ID == f.Levels[0].ID) {
			return true
		}
	}
	_, found := slices.BinarySearch(t.d.inheritor[int32(id)], int32(typ))
	return found
}
