package yfilter

import (
	"hash/maphash"
	"math"
	"math/bits"

	"github.com/awarc/awarc/yfilter/xpath"
)

// An index answers which of many literals a string equals, contains or starts
// with, for all sets of literals of an automaton at once.
//
// Equality is one look-up in a hash table, by set and string.
//
// For the other two, each literal is entered by one gram of it: four bytes, or
// all of a shorter literal. The gram is the one that is rarest in the literals
// of its set, so that "viewtopic.php" and "viewtopic.asp" do not answer to
// "view". A string is read once; the bits tell of most of its grams that no
// literal is entered by them, and grams has for the others where in how long a
// literal the gram stands: a shape. The part of the string that the shape cuts
// out is then looked up like any other, and compared, so that the answer is
// exact and what it costs depends on the string, not on the number of literals.
// The worst that a string can do is to have at each byte a gram of as many
// shapes as the literals have.
type index struct {
	seed   maphash.Seed
	guards []*guard // behind the predicates that are entered; whole has their numbers
	sets   []*literals

	whole  table // of hashes of whole literals
	bits   []uint64
	shift  uint
	grams  table // of hashes of grams; the ref is a shape
	shapes []shape
}

// literals is a set in an index: what the predicates on one value behind one
// guard compare it with.
type literals struct {
	up    *guard
	value xpath.Test
	salt  uint64

	from, to           int               // its part of the guards of the index
	minEqual, maxEqual int               // lengths of those of Equals
	parts, prefixes    bool              // there are some of Contains, of StartsWith
	maxPrefix          int               // length of those of StartsWith
	lengths            [gramLen + 1]bool // of the grams of the others
}

// shape is where a gram stands in a literal.
type shape struct {
	kind       xpath.PredKind
	gram       int // how long it is
	before, of int // bytes before it in the literal, length of the literal
}

// gramLen is the length of the grams of literals that are not shorter.
const gramLen = 4

// mixer spreads a product over its upper bits; salts tells sets apart.
const (
	mixer = 0x9e3779b97f4a7c15
	salts = 0xd6e8feb86659fd93
)

func newIndex() *index { return &index{seed: maphash.MakeSeed()} }

// add enters the predicates on one value behind a guard as a set.
func (x *index) add(up *guard, list []*guard) *literals {
	set := &literals{
		up: up, value: list[0].pred.Value, salt: uint64(len(x.sets)+1) * salts,
		from: len(x.guards), to: len(x.guards) + len(list),
		minEqual: math.MaxInt, maxEqual: -1,
	}
	x.sets = append(x.sets, set)
	x.guards = append(x.guards, list...)
	for _, g := range list {
		n := len(g.pred.Literal)
		switch g.pred.Kind {
		case xpath.Equals:
			set.minEqual, set.maxEqual = min(set.minEqual, n), max(set.maxEqual, n)
			continue
		case xpath.Contains:
			set.parts = true
		case xpath.StartsWith:
			set.prefixes = true
			set.maxPrefix = max(set.maxPrefix, n)
		}
		set.lengths[min(n, gramLen)] = true
	}
	return set
}

// build fills the tables.
func (x *index) build() {
	x.whole.make(len(x.guards))
	grams := 0
	for _, set := range x.sets {
		for n := set.from; n < set.to; n++ {
			p := x.guards[n].pred
			x.whole.add(x.hash(set, p.Kind, p.Literal), uint32(n))
			if p.Kind != xpath.Equals {
				grams += max(1, len(p.Literal)-gramLen+1)
			}
		}
	}
	x.enterGrams(newCensus(grams))
}

// enterGrams enters each literal by its rarest gram.
func (x *index) enterGrams(c *census) {
	for _, set := range x.sets {
		for _, g := range x.guards[set.from:set.to] {
			if g.pred.Kind != xpath.Equals {
				c.count(set, g.pred.Literal)
			}
		}
	}
	known := map[shape]uint32{}
	var hashes []uint64
	var refs []uint32
	for _, set := range x.sets {
		for _, g := range x.guards[set.from:set.to] {
			if g.pred.Kind == xpath.Equals {
				continue
			}
			s := g.pred.Literal
			at := c.rarest(set, s)
			n := min(len(s), gramLen)
			sh := shape{g.pred.Kind, n, at, len(s)}
			ref, ok := known[sh]
			if !ok {
				ref = uint32(len(x.shapes))
				known[sh] = ref
				x.shapes = append(x.shapes, sh)
			}
			hashes, refs = append(hashes, set.gram(gramAt(s, at, n))), append(refs, ref)
		}
	}
	x.grams.make(len(hashes))
	width := max(minBits, bits.Len(uint(len(hashes)*bitsPerGram)))
	x.bits, x.shift = make([]uint64, 1<<(width-6)), uint(64-width)
	for i, h := range hashes {
		x.grams.addOnce(h, refs[i])
		x.bits[h>>x.shift>>6] |= 1 << (h >> x.shift & 63)
	}
}

// minBits and bitsPerGram say how large the bits are: at most one gram in
// bitsPerGram is looked up in vain.
const (
	minBits     = 15
	bitsPerGram = 16
)

// gram is the hash of a gram, given as its bytes, the first one the lowest.
func (set *literals) gram(w uint32) uint64 { return (uint64(w) ^ set.salt) * mixer }

// gramAt returns the n bytes of s at i.
func gramAt(s string, i, n int) uint32 {
	w := uint32(0)
	for k := n - 1; k >= 0; k-- {
		w = w<<8 | uint32(s[i+k])
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
		if slot := x.whole.slots[at]; slot.print == uint32(h) {
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

// scan holds the predicates of a set and kind, Contains or StartsWith, whose
// literals s contains or starts with.
func (r *runner) scan(set *literals, s string, kind xpath.PredKind) {
	for n := 1; n < gramLen; n++ {
		if set.lengths[n] {
			for i := 0; i+n <= len(s); i++ {
				h := set.gram(gramAt(s, i, n))
				if x := r.nfa.index; x.bits[h>>x.shift>>6]&(1<<(h>>x.shift&63)) != 0 {
					r.probe(set, s, i, n, h, kind)
				}
			}
		}
	}
	if !set.lengths[gramLen] || len(s) < gramLen {
		return
	}
	bits, shift, salt := r.nfa.index.bits, r.nfa.index.shift&63, set.salt
	w := gramAt(s, 0, gramLen-1) << 8
	for i := gramLen - 1; i < len(s); i++ {
		w = w>>8 | uint32(s[i])<<24
		h := (uint64(w) ^ salt) * mixer
		if b := h >> shift; bits[b>>6]&(1<<(b&63)) != 0 {
			r.probe(set, s, i-gramLen+1, gramLen, h, kind)
		}
	}
}

// probe holds the predicates whose literals have the gram of n bytes that s has
// at i, and the other bytes, too.
func (r *runner) probe(set *literals, s string, i, n int, h uint64, kind xpath.PredKind) {
	x := r.nfa.index
	for at := x.grams.first(h); x.grams.slots[at].ref != 0; at = x.grams.next(at) {
		slot := x.grams.slots[at]
		if slot.print != uint32(h) {
			continue
		}
		sh := &x.shapes[slot.ref-1]
		from := i - sh.before
		if sh.kind != kind || sh.gram != n || from < 0 || from+sh.of > len(s) || kind == xpath.StartsWith && from > 0 {
			continue
		}
		if g := x.find(set, kind, s[from:from+sh.of]); g != nil {
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

// slot32 holds the lower half of a hash and a number plus one, 0 where empty.
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
	t.slots[at] = slot32{uint32(h), ref + 1}
}

// addOnce is add, but not if the same was added before.
func (t *table) addOnce(h uint64, ref uint32) {
	want := slot32{uint32(h), ref + 1}
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
	for i := 0; i+gramLen <= len(s); i++ {
		if n := &c.counts[set.gram(gramAt(s, i, gramLen))>>c.shift]; *n < math.MaxUint16 {
			*n++
		}
	}
}

// rarest returns where the rarest gram of a literal is.
func (c *census) rarest(set *literals, s string) int {
	at, least := 0, math.MaxInt
	for i := 0; i+gramLen <= len(s); i++ {
		if n := int(c.counts[set.gram(gramAt(s, i, gramLen))>>c.shift]); n < least {
			at, least = i, n
		}
	}
	return at
}
