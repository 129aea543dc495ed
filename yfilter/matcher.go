package yfilter

import (
	"hash/maphash"
	"math"
	"slices"

	"github.com/awarc/awarc/yfilter/xpath"
)

// A matcher answers which of many literals a string equals, starts with or
// contains. It is exact, and what it costs depends on the string, not on how
// many literals there are: most strings are turned away by a filter of a few
// bits a literal, which is small enough for the caches of the processor.
//
// What a filter lets pass is looked up in a hash table of all literals. For
// "=" the filter knows length, beginning and end of the literals; for
// starts-with(), by length, the last bytes of them; contains() is the work of
// sweeps.
type matcher struct {
	seed   maphash.Seed
	guards []*guard // behind the predicates; whole has their numbers
	whole  table    // of hashes of literals
	filter filter

	minEqual, maxEqual int              // lengths of the literals of "="
	prefixes           []int            // lengths of those of starts-with(), rising
	sweeps             [sweeps + 1]bool // which are needed
	grams              table            // of hashes of grams; the number is that of a shape
	shapes             []shape
}

// A sweep reads a string for literals of contains(), byte by byte: each is entered
// by one of its grams, the rarest. There is a sweep for literals of four bytes and
// more, and one for each length below.
type sweep int

const sweeps = 4

// sweepOf returns the length of the grams by which a literal is entered.
func sweepOf(s string) sweep { return sweep(min(sweeps, len(s))) }

// shape is where a gram stands in a literal.
type shape struct {
	gram       sweep
	before, of int // bytes before it in the literal, bytes of the literal
}

// newMatcher makes a matcher of the predicates that lead to guards, all of
// Equals, Contains or StartsWith, the latter two with a literal that is not empty.
func newMatcher(seed maphash.Seed, guards []*guard) *matcher {
	m := &matcher{seed: seed, guards: guards, minEqual: math.MaxInt, maxEqual: -1}
	m.whole.make(len(guards))
	entries := m.enterWhole()
	entries = append(entries, m.enterGrams()...)
	m.filter = newFilter(len(entries))
	for _, h := range entries {
		m.filter.add(h)
	}
	return m
}

// enterWhole enters all literals as a whole and returns the hashes by which the
// filter knows those of Equals and StartsWith.
func (m *matcher) enterWhole() []uint64 {
	var entries []uint64
	lengths := map[int]bool{}
	for number, g := range m.guards {
		s := g.pred.Literal
		m.whole.add(m.hash(g.pred.Kind, s), uint32(number))
		switch g.pred.Kind {
		case xpath.Equals:
			m.minEqual, m.maxEqual = min(m.minEqual, len(s)), max(m.maxEqual, len(s))
			entries = append(entries, hashEqual(s, word(s, 0)))
		case xpath.StartsWith:
			lengths[len(s)] = true
			entries = append(entries, hashPrefix(s, word(s, 0)))
			if len(s) >= 4 {
				entries = append(entries, hashStart(word(s, 0)))
			}
		}
	}
	for n := range lengths {
		m.prefixes = append(m.prefixes, n)
	}
	slices.Sort(m.prefixes)
	return entries
}

// enterGrams enters the literals of Contains by their rarest grams, whose hashes
// it returns.
func (m *matcher) enterGrams() []uint64 {
	var parts []string
	total := 0
	for _, g := range m.guards {
		if g.pred.Kind == xpath.Contains {
			parts = append(parts, g.pred.Literal)
			total += len(g.pred.Literal)
		}
	}
	if len(parts) == 0 {
		return nil
	}
	c := newCensus(total)
	for _, s := range parts {
		c.count(s)
	}
	known := map[shape]uint32{}
	entries := make([]uint64, 0, 2*len(parts))
	m.grams.make(len(parts))
	for _, s := range parts {
		sh := shape{sweepOf(s), c.rarest(s), len(s)}
		m.sweeps[sh.gram] = true
		ref, ok := known[sh]
		if !ok {
			ref = uint32(len(m.shapes))
			known[sh] = ref
			m.shapes = append(m.shapes, sh)
		}
		h := hashGram(word(s, sh.before), sh.gram)
		m.grams.addOnce(h, ref)
		entries = append(entries, h, hashEqual(s, word(s, 0)))
	}
	return entries
}

// hash is that of a whole literal.
func (m *matcher) hash(kind xpath.PredKind, s string) uint64 {
	return (maphash.String(m.seed, s) ^ uint64(kind)) * mixer
}

// match puts the guards behind all predicates that hold for s in r.matched, some
// perhaps several times. Without parts it leaves out those of Contains.
func (r *runner) match(m *matcher, s string, parts bool) {
	r.matched = r.matched[:0]
	start := word(s, 0)
	if len(s) >= m.minEqual && len(s) <= m.maxEqual && m.filter.has(hashEqual(s, start)) {
		r.lookUp(m, xpath.Equals, s)
	}
	if len(m.prefixes) > 0 {
		r.matchPrefixes(m, s, start)
	}
	if parts {
		r.sweepAll(m, s, start)
	}
}

func (r *runner) matchPrefixes(m *matcher, s string, start uint64) {
	if m.prefixes[0] >= 4 && !m.filter.has(hashStart(start)) {
		return
	}
	for _, n := range m.prefixes {
		if n > len(s) {
			return
		}
		if p := s[:n]; m.filter.has(hashPrefix(p, start)) {
			r.lookUp(m, xpath.StartsWith, p)
		}
	}
}

// sweepAll adds the Contains that hold; start is the word of s.
func (r *runner) sweepAll(m *matcher, s string, start uint64) {
	if m.sweeps[sweeps] {
		i := 0
		for last := len(s) - 8; i < last; i += 4 {
			if w := load(s, i); m.filter.hasOf4(w) {
				r.probe4(m, s, i, w)
			}
		}
		if len(s) > 8 {
			i, start = len(s)-8, load(s, len(s)-8)
		}
		if m.filter.hasOf4(start) || m.filter.has(hashGram(start>>32, 4)) {
			r.probe4(m, s, i, start)
			r.probe(m, 4, s, i+4, hashGram(start>>32, 4))
		}
	}
	for gram := sweep(1); gram < sweeps; gram++ {
		if !m.sweeps[gram] {
			continue
		}
		for i := 0; i+int(gram) <= len(s); i++ {
			if h := hashGram(word(s, i), gram); m.filter.has(h) {
				r.probe(m, gram, s, i, h)
			}
		}
	}
}

// probe4 is probe for each of the four grams of four bytes that begin in the first
// half of w, the word at i.
func (r *runner) probe4(m *matcher, s string, i int, w uint64) {
	for k := range 4 {
		if h := hashGram(w>>(8*k), 4); m.filter.has(h) {
			r.probe(m, 4, s, i+k, h)
		}
	}
}

// probe adds the Contains that have, at its place, the gram with hash h that is at
// i in s, and the other bytes, too.
func (r *runner) probe(m *matcher, gram sweep, s string, i int, h uint64) {
	for at := m.grams.first(h); m.grams.slots[at].ref != 0; at = m.grams.next(at) {
		slot := m.grams.slots[at]
		if slot.print != fingerprint(h) {
			continue
		}
		sh := &m.shapes[slot.ref-1]
		if from := i - sh.before; sh.gram == gram && from >= 0 && from+sh.of <= len(s) {
			if part := s[from : from+sh.of]; m.filter.has(hashEqual(part, word(part, 0))) {
				r.lookUp(m, xpath.Contains, part)
			}
		}
	}
}

// lookUp adds the guards behind the predicates of a kind with a literal.
func (r *runner) lookUp(m *matcher, kind xpath.PredKind, s string) {
	h := m.hash(kind, s)
	for at := m.whole.first(h); m.whole.slots[at].ref != 0; at = m.whole.next(at) {
		if slot := m.whole.slots[at]; slot.print == fingerprint(h) {
			if g := m.guards[slot.ref-1]; g.pred.Kind == kind && g.pred.Literal == s {
				r.matched = append(r.matched, g)
			}
		}
	}
}
