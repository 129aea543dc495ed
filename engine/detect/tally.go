package detect

import (
	"slices"

	"golang.org/x/net/html"

	"github.com/awarc/awarc/yfilter"
)

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
