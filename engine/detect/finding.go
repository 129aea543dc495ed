package detect

import (
	"slices"

	"github.com/awarc/awarc/kb"
)

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
