package yfilter

import (
	"hash/maphash"
	"iter"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/awarc/awarc/yfilter/xpath"
)

// newMatcher makes a matcher of the predicates that lead to guards, all of
// Equals, Contains or StartsWith, the latter two with a literal that is not empty.
// The guards that are only asked are not among those of its comparisons.
func newMatcher(seed maphash.Seed, guards, asked []*guard) *matcher {
	m := &matcher{seed: seed, salt: rand.Uint64(), minEqual: math.MaxInt, maxEqual: -1, minPart: math.MaxInt}
	at := map[int32]int{}
	comparison := func(g *guard) *comparison {
		i, ok := at[g.number]
		if !ok {
			i = len(m.comparisons)
			at[g.number] = i
			m.comparisons = append(m.comparisons, comparison{pred: g.pred, number: g.number})
		}
		return &m.comparisons[i]
	}
	for _, g := range guards {
		c := comparison(g)
		c.guards = append(c.guards, g)
	}
	for _, g := range asked {
		comparison(g)
	}
	m.comparisons = slices.Clip(m.comparisons)
	m.whole.make(len(m.comparisons))
	m.filter = newFilter(append(m.enterEqual(), m.enterStarts()...), bitsPerWhole)
	m.gramFilter = newFilter(m.enterGrams(), bitsPerGram)
	return m
}

// enterEqual enters the literals of Equals and returns the hashes by which the
// filter knows them.
func (m *matcher) enterEqual() []uint64 {
	var hashes []uint64
	for number, s := range m.literals(xpath.Equals) {
		m.whole.add(m.hash(xpath.Equals, s), uint32(number))
		m.minEqual, m.maxEqual = min(m.minEqual, len(s)), max(m.maxEqual, len(s))
		start, end := ends(s)
		hashes = append(hashes, hashWhole(start, end, len(s)))
	}
	return hashes
}

// literals gives those of a kind, with the number of the comparison.
func (m *matcher) literals(kind xpath.PredKind) iter.Seq2[int, string] {
	return func(yield func(int, string) bool) {
		for i := range m.comparisons {
			if p := m.comparisons[i].pred; p.Kind == kind && !yield(i, p.Literal) {
				return
			}
		}
	}
}

// enterStarts is enterEqual for StartsWith.
func (m *matcher) enterStarts() []uint64 {
	var hashes []uint64
	behind := map[uint64]uint64{} // by hash of what passes a gate: lengths
	for number, s := range m.literals(xpath.StartsWith) {
		s = known(s)
		m.whole.add(m.hash(xpath.StartsWith, s), uint32(number))
		m.mostStarts = max(m.mostStarts, len(s))
		start, end := ends(s)
		hashes = append(hashes, hashPrefix(start, end, len(s)))
		last := gateOf(len(s))
		if last == 0 && !slices.Contains(m.shortStarts, len(s)) {
			m.shortStarts = append(m.shortStarts, len(s))
		}
		for _, gate := range gates {
			if gate <= last {
				h := hashGate(s, start, gate)
				hashes = append(hashes, h)
				behind[h] |= 0
				if gate == last {
					behind[h] |= 1 << (len(s) - gate)
				}
			}
		}
	}
	m.heads.make(len(behind))
	for h, lengths := range behind {
		m.heads.add(h, uint32(len(m.lengths)))
		m.lengths = append(m.lengths, lengths)
	}
	return hashes
}

// enterGrams enters the literals of Contains by grams and returns the hashes by
// which a filter knows them.
func (m *matcher) enterGrams() []uint64 {
	var parts []string
	var lengths [gram + 2]int // numbers of literals, the longer ones together
	total := 0
	for number, s := range m.literals(xpath.Contains) {
		s = known(s)
		m.whole.add(m.hash(xpath.Contains, s), uint32(number))
		parts = append(parts, s)
		m.minPart = min(m.minPart, len(s))
		lengths[min(gram+1, len(s))]++
		total += len(s)
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
	var e entering
	for _, s := range parts {
		switch n := len(s); {
		case n > gram || n == gram && stride == 1:
			at := c.rarest(s, stride)
			for before := at; before < at+stride; before++ {
				e.enter(hashGram(word(s, before), gram), s, before)
			}
		case n == gram:
			e.enter(hashGram(word(s, 0), gram), s, 0)
			e.enterAny(word(s, 1), s, 1)
		case n == gram-1 && stride == 1 && few(n):
			e.enterAny(word(s, 0), s, 0)
		default:
			m.short[n], m.anyShort = true, true
			e.enter(hashGram(word(s, 0), n), s, 0)
			continue
		}
		m.stride = stride
	}
	m.grams.make(len(e.hashes))
	for i, h := range e.hashes {
		m.grams.add(h, e.slots[i])
	}
	return e.hashes
}

// entering collects grams of literals.
type entering struct {
	hashes []uint64
	slots  []gramSlot
}

// enter enters the gram with a hash that is at a place of a literal.
func (e *entering) enter(h uint64, literal string, before int) {
	e.hashes = append(e.hashes, h)
	e.slots = append(e.slots, gramSlot{part: hashPart(literal), print: uint16(fingerprint(h)), before: uint8(before),
		of: uint8(len(literal))})
}

// enterAny enters the three bytes of w with each that may follow them.
func (e *entering) enterAny(w uint64, literal string, before int) {
	for last := range uint64(256) {
		e.enter(hashGram(w&firstBytes(gram-1)|last<<(8*(gram-1)), gram), literal, before)
	}
}
