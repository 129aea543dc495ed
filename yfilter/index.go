package yfilter

import (
	"encoding/binary"
	"hash/maphash"
	"math"
	"math/bits"
	"unsafe"

	"github.com/awarc/awarc/yfilter/xpath"
)

// An index answers which of many literals a string equals, contains or starts
// with, for all sets of literals of an automaton at once.
//
// Equality is one look-up in a hash table, by set and string.
//
// For the other two, each literal is entered by a few of its grams of four
// bytes. A string is read with a stride, and what stands there is looked up in
// bits, which tell of most grams that no literal of any set on this kind of value
// is entered by them. What is left are spots. They are the same for all sets, so
// that a string is read once for all states that ask about it. At a spot, grams
// says for one set where in how long a literal the gram stands: a shape. The part
// of the string that the shape cuts out is then looked up like any other, and
// compared, so that the answer is exact, and what it costs depends on the string,
// not on how many literals there are.
//
// A literal of seven bytes has, wherever it begins, a gram at every fourth byte
// of the string; it is entered by four neighbouring grams and looked for with a
// stride of four. The shorter a literal, the smaller the stride: see sweeps. The
// grams are those that are rarest in the literals of the set, so that
// "viewtopic.php" and "viewtopic.asp" do not answer to "view".
//
// The worst that a string can do is to be nothing but grams, each of as many
// shapes as there are lengths of literals.
type index struct {
	seed   maphash.Seed
	guards []*guard // behind the predicates that are entered; whole has their numbers
	sets   []*literals
	groups []group // by number of the attribute; 0 is text

	whole  table // of hashes of whole literals
	bits   []uint64
	shift  uint
	grams  table // of hashes of grams; the number is that of a shape
	shapes []shape
}

// literals is a set in an index: what the predicates on one value behind one
// guard compare it with.
type literals struct {
	group int // of the value
	salt  uint64

	from, to           int  // its part of the guards of the index
	minEqual, maxEqual int  // lengths of those of Equals
	scanned            bool // there are others than Equals
	parts              bool // there are some of Contains
	maxPrefix          int  // length of those of StartsWith
}

// group is what is common to the sets on attributes of one name, or on text.
type group struct {
	salt  uint64
	asked [len(sweeps)]bool // which sweeps are needed
	parts bool              // there are some of Contains
	reach int               // else: so many bytes are looked at
}

// sweep is how literals of some length are looked for.
type sweep struct {
	least  int // length of literals: this and more
	gram   int // how long a gram is
	stride int // distance of the places of the string that are looked at
}

var sweeps = [...]sweep{{7, 6, 2}, {5, 4, 2}, {4, 4, 1}, {3, 3, 1}, {2, 2, 1}, {1, 1, 1}}

// sweepOf returns the sweep for literals of a length.
func sweepOf(n int) int {
	for i, p := range sweeps {
		if n >= p.least {
			return i
		}
	}
	return len(sweeps) - 1
}

// shape is where a gram stands in a literal.
type shape struct {
	kind       xpath.PredKind
	sweep      int
	before, of int // bytes before it in the literal, length of the literal
}

// spot is a place of a string where a gram stands that the bits do not exclude.
type spot struct{ at, sweep int32 }

// mixer spreads a product over its upper bits; salts tells sets apart.
const (
	mixer = 0x9e3779b97f4a7c15
	salts = 0xd6e8feb86659fd93
)

func newIndex() *index { return &index{seed: maphash.MakeSeed()} }

// add enters the predicates on one value behind a guard as a set. The number of
// the group is that of the attribute, or 0 for text.
func (x *index) add(number int, list []*guard) *literals {
	set := &literals{
		group: number, salt: uint64(len(x.sets)+1) * salts,
		from: len(x.guards), to: len(x.guards) + len(list),
		minEqual: math.MaxInt, maxEqual: -1,
	}
	x.sets = append(x.sets, set)
	x.guards = append(x.guards, list...)
	for len(x.groups) <= number {
		x.groups = append(x.groups, group{salt: uint64(len(x.groups)+1) * salts})
	}
	g := &x.groups[number]
	for _, to := range list {
		n := len(to.pred.Literal)
		switch to.pred.Kind {
		case xpath.Equals:
			set.minEqual, set.maxEqual = min(set.minEqual, n), max(set.maxEqual, n)
			continue
		case xpath.Contains:
			set.parts, g.parts = true, true
		case xpath.StartsWith:
			set.maxPrefix = max(set.maxPrefix, n)
			g.reach = max(g.reach, n)
		}
		set.scanned = true
		g.asked[sweepOf(n)] = true
	}
	return set
}

// build fills the tables.
func (x *index) build() {
	if len(x.sets) == 0 { // most automata are of one expression
		return
	}
	x.whole.make(len(x.guards))
	grams := 0
	for _, set := range x.sets {
		for n := set.from; n < set.to; n++ {
			p := x.guards[n].pred
			x.whole.add(x.hash(set, p.Kind, p.Literal), uint32(n))
			if p.Kind != xpath.Equals {
				grams += len(p.Literal)
			}
		}
	}
	c := newCensus(grams)
	for _, set := range x.sets {
		for _, g := range x.guards[set.from:set.to] {
			if g.pred.Kind != xpath.Equals {
				c.count(set, g.pred.Literal)
			}
		}
	}
	x.enterGrams(c)
}

// entry is a gram by which a literal is entered.
type entry struct {
	bits, grams uint64 // its hashes
	shape       uint32
}

// enterGrams enters each literal of Contains by as many neighbouring grams as the
// stride of its sweep, and each of StartsWith by one that stands where the stride
// comes by.
func (x *index) enterGrams(c *census) {
	known := map[shape]uint32{}
	var entries []entry
	for _, set := range x.sets {
		for _, g := range x.guards[set.from:set.to] {
			if g.pred.Kind == xpath.Equals {
				continue
			}
			s := g.pred.Literal
			sh := shape{kind: g.pred.Kind, sweep: sweepOf(len(s)), of: len(s)}
			p := sweeps[sh.sweep]
			at, n := c.rarest(set, s, 1, p.stride), p.stride
			if sh.kind == xpath.StartsWith {
				at, n = c.rarest(set, s, p.stride, 1), 1
			}
			for sh.before = at; sh.before < at+n; sh.before++ {
				ref, ok := known[sh]
				if !ok {
					ref = uint32(len(x.shapes))
					known[sh] = ref
					x.shapes = append(x.shapes, sh)
				}
				w := gramAt(s, sh.before, p.gram)
				entries = append(entries, entry{hashGram(w, x.groups[set.group].salt+uint64(sh.sweep)), hashGram(w, set.salt), ref})
			}
		}
	}
	x.grams.make(len(entries))
	width := max(minBits, bits.Len(uint(len(entries)*bitsPerGram))-1)
	x.bits, x.shift = make([]uint64, 1<<(width-6)), uint(64-width+6)
	for _, e := range entries {
		x.grams.addOnce(e.grams, e.shape)
		x.bits[e.bits>>x.shift] |= bloom(e.bits)
	}
}

// minBits and bitsPerGram say how large the bits are: with three bits for each
// gram, about one place in a hundred is a spot for no reason.
const (
	minBits     = 16
	bitsPerGram = 16
)

// bloom returns the three bits for a gram in its word of the bits: one word is one
// access to memory.
func bloom(h uint64) uint64 {
	return 1<<(h>>24&63) | 1<<(h>>30&63) | 1<<(h>>36&63)
}

// hashGram is the hash of a gram, given as its bytes, the first one the lowest.
func hashGram(w, salt uint64) uint64 { return (w ^ salt) * mixer }

// gramAt returns the n bytes of s at i.
func gramAt(s string, i, n int) uint64 { return eight(s, i) & (1<<(8*n) - 1) }

// eight returns the eight bytes of s at i, with zeros behind the end of s.
func eight(s string, i int) uint64 {
	raw := unsafe.Slice(unsafe.StringData(s), len(s)) // read only
	if i+8 <= len(raw) {
		return binary.LittleEndian.Uint64(raw[i:])
	}
	if len(raw) >= 8 {
		return binary.LittleEndian.Uint64(raw[len(raw)-8:]) >> (8 * (i + 8 - len(raw)))
	}
	w := uint64(0)
	for k := len(raw) - 1; k >= i; k-- {
		w = w<<8 | uint64(raw[k])
	}
	return w
}

// hash is that of a whole literal.
func (x *index) hash(set *literals, kind xpath.PredKind, s string) uint64 {
	return (maphash.String(x.seed, s) ^ set.salt ^ uint64(kind)) * mixer
}

// find returns the guard behind a predicate of a set, or nil.
func (x *index) find(set *literals, kind xpath.PredKind, s string) *guard {
	h := x.hash(set, kind, s)
	for at := x.whole.first(h); x.whole.slots[at].ref != 0; at = x.whole.next(at) {
		if slot := x.whole.slots[at]; slot.print == fingerprint(h) {
			n := int(slot.ref - 1)
			if g := x.guards[n]; n >= set.from && n < set.to && g.pred.Kind == kind && g.pred.Literal == s {
				return g
			}
		}
	}
	return nil
}

// equal returns the guard behind the Equals of a set that holds for s, or nil.
func (x *index) equal(set *literals, s string) *guard {
	if len(s) < set.minEqual || len(s) > set.maxEqual {
		return nil
	}
	return x.find(set, xpath.Equals, s)
}

// spots appends the spots of s from a place of a sweep on, until list is full. It
// returns where to go on, or sweep len(sweeps) when it came to the end.
func (x *index) spots(list []spot, group int, s string, number, from int) (_ []spot, sweep, at int) {
	g := &x.groups[group]
	if !g.parts {
		s = s[:min(len(s), g.reach)]
	}
	bits, shift := x.bits, x.shift&63
	raw := unsafe.Slice(unsafe.StringData(s), len(s)) // read only
	for ; number < len(sweeps); number, from = number+1, 0 {
		if !g.asked[number] {
			continue
		}
		p, salt := &sweeps[number], g.salt+uint64(number)
		mask, stride := uint64(1)<<(8*p.gram)-1, p.stride
		i := from
		for ; i+8 <= len(s); i += stride {
			h := hashGram(binary.LittleEndian.Uint64(raw[i:i+8])&mask, salt)
			if m := bloom(h); bits[h>>shift]&m != m {
				continue
			}
			if len(list) == cap(list) {
				return list, number, i
			}
			list = append(list, spot{int32(i), int32(number)})
		}
		for ; i+p.gram <= len(s); i += stride { // eight bytes would be too many
			h := hashGram(gramAt(s, i, p.gram), salt)
			if m := bloom(h); bits[h>>shift]&m != m {
				continue
			}
			if len(list) == cap(list) {
				return list, number, i
			}
			list = append(list, spot{int32(i), int32(number)})
		}
	}
	return list, len(sweeps), 0
}

// probe holds the predicates of a set whose literals have, at its place, the gram
// that s has at a spot, and the other bytes, too.
func (r *runner) probe(set *literals, s string, p spot) {
	x := r.nfa.index
	h := hashGram(gramAt(s, int(p.at), sweeps[p.sweep].gram), set.salt)
	for at := x.grams.first(h); x.grams.slots[at].ref != 0; at = x.grams.next(at) {
		slot := x.grams.slots[at]
		if slot.print != fingerprint(h) {
			continue
		}
		sh := &x.shapes[slot.ref-1]
		from := int(p.at) - sh.before
		if sh.sweep != int(p.sweep) || from < 0 || from+sh.of > len(s) || sh.kind == xpath.StartsWith && from > 0 {
			continue
		}
		if g := x.find(set, sh.kind, s[from:from+sh.of]); g != nil {
			r.hold(g)
		}
	}
}

// table is a hash table of numbers with open addressing. It has the hash and
// leaves it to the caller to compare.
type table struct {
	slots []slot32
	shift uint
}

// fingerprint is a part of a hash that first does not look at alone.
func fingerprint(h uint64) uint32 { return uint32(h >> 16) }

// slot32 holds the fingerprint of a hash and a number plus one, 0 where empty.
type slot32 struct{ print, ref uint32 }

// make makes room for n numbers.
func (t *table) make(n int) {
	width := max(4, bits.Len(uint(n+n/2)))
	t.slots, t.shift = make([]slot32, 1<<width), uint(64-width)
}

func (t *table) first(h uint64) int { return int(h >> t.shift) }
func (t *table) next(at int) int    { return (at + 1) & (len(t.slots) - 1) }

func (t *table) add(h uint64, ref uint32) {
	at := t.first(h)
	for t.slots[at].ref != 0 {
		at = t.next(at)
	}
	t.slots[at] = slot32{fingerprint(h), ref + 1}
}

// addOnce is add, but not if the same was added before.
func (t *table) addOnce(h uint64, ref uint32) {
	want := slot32{fingerprint(h), ref + 1}
	at := t.first(h)
	for t.slots[at].ref != 0 {
		if t.slots[at] == want {
			return
		}
		at = t.next(at)
	}
	t.slots[at] = want
}

// census counts the grams of literals, roughly: those with one hash together.
type census struct {
	counts []uint16
	shift  uint
}

func newCensus(grams int) *census {
	width := min(24, max(10, bits.Len(uint(grams))))
	return &census{make([]uint16, 1<<width), uint(64 - width)}
}

func (c *census) count(set *literals, s string) {
	n := sweeps[sweepOf(len(s))].gram
	for i := 0; i+n <= len(s); i++ {
		if k := &c.counts[hashGram(gramAt(s, i, n), set.salt)>>c.shift]; *k < math.MaxUint16 {
			*k++
		}
	}
}

// rarest returns the place in a literal, a multiple of step, from which on as
// many grams as wanted are rare: the most frequent of them is as rare as can be.
func (c *census) rarest(set *literals, s string, step, wanted int) int {
	n := sweeps[sweepOf(len(s))].gram
	at, least := 0, math.MaxInt
	for i := 0; i+n+wanted-1 <= len(s); i += step {
		most := 0
		for k := i; k < i+wanted; k++ {
			most = max(most, int(c.counts[hashGram(gramAt(s, k, n), set.salt)>>c.shift]))
		}
		if most < least {
			at, least = i, most
		}
	}
	return at
}
