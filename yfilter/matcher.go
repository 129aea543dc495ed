package yfilter

import (
	"cmp"
	"hash/maphash"
	"math/bits"
	"slices"
	"strings"

	"github.com/awarc/awarc/yfilter/xpath"
)

// A matcher answers which of many literals a string equals, starts with or
// contains. It is exact, and what it costs depends on the string, not on how
// many literals there are: most strings are turned away by filters of some bits
// a literal, which are small enough for the caches of the processor. What they let
// pass is looked up in hash tables.
//
// Of the literals of "=", the filter knows length, beginning and end; of those of
// starts-with(), their first bytes, which tell the lengths to look for, and for each
// length the last bytes; of those of contains() a gram of four bytes, the rarest.
type matcher struct {
	seed        maphash.Seed
	salt        uint64       // tells it from other matchers
	comparisons []comparison // whole has their numbers
	whole       table        // of hashes of literals
	filter      filter       // of "=" and starts-with()

	minEqual, maxEqual int      // lengths of the literals of "="
	shortStarts        []int    // lengths of those of starts-with() before the first gate
	mostStarts         int      // the longest of its lengths, at most knownBytes
	heads              table    // of hashes of what passes a gate; the numbers are those of lengths
	lengths            []uint64 // bits of lengths behind a gate, from that of the gate on

	minPart    int // length of the shortest literal of contains()
	gramFilter filter
	grams      gramTable
	stride     int        // of the sweep for grams, 0 if there are none
	short      [gram]bool // lengths of literals that have a sweep of their own
	anyShort   bool       // there are such
}

// comparison is a predicate of Equals, Contains or StartsWith, whatever it looks at.
type comparison struct {
	pred   *xpath.Pred
	number int32    // the same for all predicates with this kind and literal
	guards []*guard // that a plan tries when it holds
}

// knownBytes are those of a literal of contains() or starts-with() that a matcher
// enters. What is longer is compared once they are found.
const knownBytes = 64

func known(literal string) string { return literal[:min(len(literal), knownBytes)] }

// gates are numbers of bytes. Where a string does not begin like any literal of
// starts-with() that is so long, it is not compared with the longer ones.
var gates = [...]int{4, 8, 16, 32}

// gateOf returns the last gate that a literal has to pass, or 0.
func gateOf(length int) int {
	for _, gate := range slices.Backward(gates[:]) {
		if length >= gate {
			return gate
		}
	}
	return 0
}

// The sweep for grams looks at every byte of a string, or at every other one. For
// the latter a literal of five bytes or more is entered by two grams beside each
// other, and one of four by itself and by its last three bytes with whatever may
// follow them. In the same way a literal of three bytes is entered in the former.
// That is good where there are few of those literals among many: else the stride is
// one, and literals of three bytes have a sweep of their own, as shorter ones have.
const gram = 4

// hash is that of a whole literal.
func (m *matcher) hash(kind xpath.PredKind, s string) uint64 {
	return (maphash.String(m.seed, s) ^ uint64(kind)) * mixer
}

// match appends the comparisons that are true of s, each once and by number. Without
// parts it leaves out those of Contains.
func (m *matcher) match(found []*comparison, s string, parts bool) []*comparison {
	from := len(found)
	start, end := ends(s)
	if n := len(s); n >= m.minEqual && n <= m.maxEqual && m.filter.has(hashWhole(start, end, n)) {
		found = m.lookUp(found, xpath.Equals, s, n)
	}
	if m.mostStarts > 0 {
		found = m.matchStarts(found, s, start)
	}
	if parts && len(s) >= m.minPart {
		found = m.matchParts(found, s, end)
	}
	if len(found) > from+1 {
		slices.SortFunc(found[from:], func(a, b *comparison) int { return cmp.Compare(a.number, b.number) })
		found = found[:from+len(slices.Compact(found[from:]))]
	}
	return found
}

// matchStarts adds the StartsWith; start is the first word of s.
func (m *matcher) matchStarts(found []*comparison, s string, start uint64) []*comparison {
	for _, n := range m.shortStarts {
		if n <= len(s) {
			found = m.matchStart(found, s, start, n)
		}
	}
	for _, gate := range gates {
		if gate > m.mostStarts || gate > len(s) {
			break
		}
		h := hashGate(s, start, gate)
		if !m.filter.has(h) {
			break
		}
		for lengths := m.lengthsBehind(h); lengths != 0; lengths &= lengths - 1 {
			n := gate + bits.TrailingZeros64(lengths)
			if n > len(s) {
				break
			}
			found = m.matchStart(found, s, start, n)
		}
	}
	return found
}

// lengthsBehind returns the bits of lengths of literals behind a gate.
func (m *matcher) lengthsBehind(h uint64) uint64 {
	lengths := uint64(0)
	for at := m.heads.first(h); m.heads.slots[at].ref != 0; at = m.heads.next(at) {
		if slot := m.heads.slots[at]; slot.print == fingerprint(h) {
			lengths |= m.lengths[slot.ref-1]
		}
	}
	return lengths
}

// matchStart adds the StartsWith of one length.
func (m *matcher) matchStart(found []*comparison, s string, start uint64, n int) []*comparison {
	end := start & firstBytes(min(8, n))
	if n > 8 {
		end = load(s, n-8)
	}
	if m.filter.has(hashPrefix(start, end, n)) {
		found = m.lookUp(found, xpath.StartsWith, s, n)
	}
	return found
}

// matchParts adds the Contains; end is the last word of s.
func (m *matcher) matchParts(found []*comparison, s string, end uint64) []*comparison {
	if m.stride > 0 {
		found = m.sweep(found, s, end)
	}
	for n := 1; n < gram && m.anyShort; n++ {
		if !m.short[n] {
			continue
		}
		for i := 0; i+n <= len(s); i++ {
			if h := hashGram(word(s, i), n); m.gramFilter.has(h) {
				found = m.probe(found, s, i, h)
			}
		}
	}
	return found
}

// sweep adds the Contains that have a gram in the sweep.
func (m *matcher) sweep(found []*comparison, s string, end uint64) []*comparison {
	f := m.gramFilter.view()
	i, last := 0, len(s)-8
	for i < last {
		if m.stride == 2 {
			i = f.skip2(s, i, last)
		} else {
			i = f.skip(s, i, last)
		}
		if i < last {
			found = m.probeWord(found, s, i, load(s, i), gram)
			i += gram
		}
	}
	if f.hasAny(end) {
		found = m.probeWord(found, s, max(0, last), end, 6)
	}
	return found
}

// probeWord is probe for the first grams of w, the word at i.
func (m *matcher) probeWord(found []*comparison, s string, i int, w uint64, grams int) []*comparison {
	for k := range grams {
		if h := hashGram(w>>(8*k), gram); m.gramFilter.has(h) {
			found = m.probe(found, s, i+k, h)
		}
	}
	return found
}

// probe adds the Contains that have, at its place, the gram with hash h that is at
// i in s, and the other bytes, too.
func (m *matcher) probe(found []*comparison, s string, i int, h uint64) []*comparison {
	print := uint16(fingerprint(h))
	for at := m.grams.first(h); m.grams.slots[at].of != 0; at = m.grams.next(at) {
		slot := m.grams.slots[at]
		if slot.print != print {
			continue
		}
		if from, n := i-int(slot.before), int(slot.of); from >= 0 && from+n <= len(s) && slot.part == hashPart(s[from:from+n]) {
			found = m.lookUp(found, xpath.Contains, s[from:], n)
		}
	}
	return found
}

// lookUp adds the comparisons of a kind of which n bytes are known, with those at
// the beginning of s.
func (m *matcher) lookUp(found []*comparison, kind xpath.PredKind, s string, n int) []*comparison {
	h := m.hash(kind, s[:n])
	for at := m.whole.first(h); m.whole.slots[at].ref != 0; at = m.whole.next(at) {
		slot := m.whole.slots[at]
		if slot.print != fingerprint(h) {
			continue
		}
		c := &m.comparisons[slot.ref-1]
		if p := c.pred; p.Kind == kind && (kind == xpath.Equals && p.Literal == s || kind != xpath.Equals && len(known(p.Literal)) == n &&
			strings.HasPrefix(s, p.Literal)) {
			found = append(found, c)
		}
	}
	return found
}
