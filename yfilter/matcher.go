package yfilter

import (
	"hash/maphash"
	"math"
	"slices"

	"github.com/awarc/awarc/yfilter/xpath"
)

// A matcher answers which of many literals a string equals, starts with or
// contains. It is exact, and what it costs depends on the string, not on how
// many literals there are: most strings are turned away by a filter of some bits
// a literal, which is small enough for the caches of the processor. What that lets
// pass is looked up in a hash table.
//
// Of the literals of "=", the filter knows length, beginning and end; of those of
// starts-with(), for each length, the beginning and the last bytes; of those of
// contains() a gram of four bytes, the rarest.
type matcher struct {
	seed   maphash.Seed
	guards []*guard // behind the predicates; whole has their numbers
	whole  table    // of hashes of literals
	filter filter

	minEqual, maxEqual int               // lengths of the literals of "="
	minPart            int               // length of the shortest literal of contains()
	prefixes           [len(gates)][]int // lengths of those of starts-with(), rising, by gate

	gramFilter filter
	grams      table // of hashes of grams; the number is that of a shape
	shapes     []shape
	stride     int        // of the sweep for grams, 0 if there are none
	short      [gram]bool // lengths of literals that have a sweep of their own
	anyShort   bool       // there are such
}

// gates are numbers of bytes. Where a string does not begin like any literal of
// starts-with() that is so long, it is not compared with the longer ones.
var gates = [...]int{0, 4, 8, 16}

// The sweep for grams looks at every byte of a string, or at every other one. For
// the latter a literal of five bytes or more is entered by two grams beside each
// other, and one of four by itself and by its last three bytes with whatever may
// follow them. In the same way a literal of three bytes is entered in the former.
// That is good where there are few of those literals among many: else the stride is
// one, and literals of three bytes have a sweep of their own, as shorter ones have.
const gram = 4

// shape is where a gram stands in a literal.
type shape struct{ before, of int } // bytes before it in the literal, bytes of the literal

// newMatcher makes a matcher of the predicates that lead to guards, all of
// Equals, Contains or StartsWith, the latter two with a literal that is not empty.
func newMatcher(seed maphash.Seed, guards []*guard) *matcher {
	m := &matcher{seed: seed, guards: guards, minEqual: math.MaxInt, maxEqual: -1, minPart: math.MaxInt}
	m.whole.make(len(guards))
	m.filter = newFilter(m.enterWhole(), bitsPerWhole)
	m.gramFilter = newFilter(m.enterGrams(), bitsPerGram)
	return m
}

// enterWhole enters all literals as a whole and returns the hashes by which the
// filter knows those of Equals and StartsWith.
func (m *matcher) enterWhole() []uint64 {
	var entries []uint64
	lengths := map[int]bool{}
	for number, g := range m.guards {
		s := g.pred.Literal
		start, end := ends(s)
		m.whole.add(m.hash(g.pred.Kind, s), uint32(number))
		switch g.pred.Kind {
		case xpath.Equals:
			m.minEqual, m.maxEqual = min(m.minEqual, len(s)), max(m.maxEqual, len(s))
			entries = append(entries, hashWhole(start, end, len(s)))
		case xpath.Contains:
			entries = append(entries, hashWhole(start, end, len(s)))
		case xpath.StartsWith:
			lengths[len(s)] = true
			entries = append(entries, hashPrefix(end, len(s)))
			for _, n := range gates {
				if n > 0 && len(s) >= n {
					entries = append(entries, hashGate(s, start, n))
				}
			}
		}
	}
	for n := range lengths {
		for gate, least := range slices.Backward(gates[:]) {
			if n >= least {
				m.prefixes[gate] = append(m.prefixes[gate], n)
				break
			}
		}
	}
	for _, list := range m.prefixes {
		slices.Sort(list)
	}
	return entries
}

// enterGrams enters the literals of Contains by grams and returns the hashes by
// which a filter knows them.
func (m *matcher) enterGrams() []uint64 {
	var parts []string
	var lengths [gram + 2]int // numbers of literals, the longer ones together
	total := 0
	for _, g := range m.guards {
		if s := g.pred.Literal; g.pred.Kind == xpath.Contains {
			parts = append(parts, s)
			m.minPart = min(m.minPart, len(s))
			lengths[min(gram+1, len(s))]++
			total += len(s)
		}
	}
	if len(parts) == 0 {
		return nil
	}
	c := newCensus(total)
	for _, s := range parts {
		c.count(s)
	}
	few := func(n int) bool { return lengths[n]*256 <= len(parts)+1024 }
	stride := 2
	if !few(gram) || lengths[gram-1] > 0 && few(gram-1) {
		stride = 1
	}
	e := entering{m: m, known: map[shape]uint32{}}
	for _, s := range parts {
		switch n := len(s); {
		case n > gram || n == gram && stride == 1:
			at := c.rarest(s, stride)
			for before := at; before < at+stride; before++ {
				e.enter(hashGram(word(s, before), gram), shape{before, n})
			}
		case n == gram:
			e.enter(hashGram(word(s, 0), gram), shape{0, n})
			e.enterAny(word(s, 1), shape{1, n})
		case n == gram-1 && stride == 1 && few(n):
			e.enterAny(word(s, 0), shape{0, n})
		default:
			m.short[n], m.anyShort = true, true
			e.enter(hashGram(word(s, 0), n), shape{0, n})
			continue
		}
		m.stride = stride
	}
	m.grams.make(len(e.hashes))
	for i, h := range e.hashes {
		m.grams.addOnce(h, e.shapes[i])
	}
	return e.hashes
}

// entering collects grams and the shapes that they have.
type entering struct {
	m      *matcher
	known  map[shape]uint32
	hashes []uint64
	shapes []uint32
}

func (e *entering) enter(h uint64, sh shape) {
	ref, ok := e.known[sh]
	if !ok {
		ref = uint32(len(e.m.shapes))
		e.known[sh] = ref
		e.m.shapes = append(e.m.shapes, sh)
	}
	e.hashes, e.shapes = append(e.hashes, h), append(e.shapes, ref)
}

// enterAny enters the three bytes of w with each that may follow them.
func (e *entering) enterAny(w uint64, sh shape) {
	for last := range uint64(256) {
		e.enter(hashGram(w&firstBytes(gram-1)|last<<(8*(gram-1)), gram), sh)
	}
}

// hash is that of a whole literal.
func (m *matcher) hash(kind xpath.PredKind, s string) uint64 {
	return (maphash.String(m.seed, s) ^ uint64(kind)) * mixer
}

// match puts the guards behind all predicates that hold for s in r.matched, some
// perhaps several times. Without parts it leaves out those of Contains.
func (r *runner) match(m *matcher, s string, parts bool) {
	r.matched = r.matched[:0]
	start, end := ends(s)
	if n := len(s); n >= m.minEqual && n <= m.maxEqual && m.filter.has(hashWhole(start, end, n)) {
		r.lookUp(m, xpath.Equals, s)
	}
	for gate, lengths := range &m.prefixes {
		if len(lengths) > 0 && !r.matchPrefixes(m, lengths, s, start, gates[gate]) {
			break
		}
	}
	if !parts || len(s) < m.minPart {
		return
	}
	if m.stride > 0 {
		r.matchGrams(m, s, end)
	}
	for n := 1; n < gram && m.anyShort; n++ {
		if !m.short[n] {
			continue
		}
		for i := 0; i+n <= len(s); i++ {
			if h := hashGram(word(s, i), n); m.gramFilter.has(h) {
				r.probe(m, s, i, h)
			}
		}
	}
}

// matchPrefixes adds the StartsWith of some lengths, all behind one gate. It reports
// false if s begins like no literal behind the gate; start is its first word.
func (r *runner) matchPrefixes(m *matcher, lengths []int, s string, start uint64, gate int) bool {
	if len(s) < lengths[0] || gate > 0 && !m.filter.has(hashGate(s, start, gate)) {
		return false
	}
	for _, n := range lengths {
		if n > len(s) {
			break
		}
		end := start & firstBytes(min(8, n))
		if n > 8 {
			end = load(s, n-8)
		}
		if m.filter.has(hashPrefix(end, n)) {
			r.lookUp(m, xpath.StartsWith, s[:n])
		}
	}
	return true
}

// matchGrams adds the Contains that the sweep for grams finds; end is the last word
// of s.
func (r *runner) matchGrams(m *matcher, s string, end uint64) {
	f := m.gramFilter.view()
	i, last := 0, len(s)-8
	for i < last {
		if m.stride == 2 {
			i = f.skip2(s, i, last)
		} else {
			i = f.skip(s, i, last)
		}
		if i < last {
			r.probeWord(m, s, i, load(s, i), gram)
			i += gram
		}
	}
	if f.hasAny(end) {
		r.probeWord(m, s, max(0, last), end, 6)
	}
}

// probeWord is probe for the first grams of w, the word at i.
func (r *runner) probeWord(m *matcher, s string, i int, w uint64, grams int) {
	for k := range grams {
		if h := hashGram(w>>(8*k), gram); m.gramFilter.has(h) {
			r.probe(m, s, i+k, h)
		}
	}
}

// probe adds the Contains that have, at its place, the gram with hash h that is at
// i in s, and the other bytes, too.
func (r *runner) probe(m *matcher, s string, i int, h uint64) {
	for at := m.grams.first(h); m.grams.slots[at].ref != 0; at = m.grams.next(at) {
		slot := m.grams.slots[at]
		if slot.print != fingerprint(h) {
			continue
		}
		sh := &m.shapes[slot.ref-1]
		if from := i - sh.before; from >= 0 && from+sh.of <= len(s) {
			part := s[from : from+sh.of]
			if start, end := ends(part); m.filter.has(hashWhole(start, end, sh.of)) {
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
