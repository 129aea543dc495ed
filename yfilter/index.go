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
// fewer if it is shorter. A string is read once, and each of its grams is looked up
// in bits, which tell of most that no literal of the set is entered by them. For
// what is left, grams says where in how long a literal the gram stands: a shape.
// The part of the string that the shape cuts out is then looked up like any other,
// and compared, so that the answer is exact, and what it costs depends on the
// string, not on how many literals there are. The gram is the one that is rarest
// in the literals of the set, so that "viewtopic.php" and "viewtopic.asp" do not
// answer to "view".
//
// The worst that a string can do is to be nothing but grams, each of as many
// shapes as there are lengths of literals.
type index struct {
	seed   maphash.Seed
	guards []*guard // behind the predicates that are entered; whole has their numbers
	sets   []*literals

	whole  table // of hashes of whole literals
	bits   []uint64
	shift  uint
	grams  table // of hashes of grams; the number is that of a shape
	shapes []shape
}

// literals is a set in an index: what the predicates on one value behind one
// guard compare it with.
type literals struct {
	salt               uint64
	from, to           int               // its part of the guards of the index
	minEqual, maxEqual int               // lengths of those of Equals
	asked              [len(sweeps)]bool // which sweeps the others need
	scanned            bool              // there are others
	parts              bool              // some of them are of Contains
	maxPrefix          int               // length of those of StartsWith
}

// sweeps are the readings of a string: by grams of four bytes for all literals
// that have as many, else by grams of their own length.
var sweeps = [...]int{4, 3, 2, 1}

// sweepOf returns the sweep for literals of a length, which is not zero.
func sweepOf(n int) int { return max(0, 4-n) }

// shape is where a gram stands in a literal.
type shape struct {
	kind       xpath.PredKind
	sweep      int
	before, of int // bytes before it in the literal, length of the literal
}

// mixer spreads a product over its upper bits; salts tells sets apart.
const (
	mixer = 0x9e3779b97f4a7c15
	salts = 0xd6e8feb86659fd93
)

func newIndex() *index { return &index{seed: maphash.MakeSeed()} }

// add enters the predicates on one value behind a guard as a set.
func (x *index) add(list []*guard) *literals {
	set := &literals{
		salt: uint64(len(x.sets)+1) * salts,
		from: len(x.guards), to: len(x.guards) + len(list),
		minEqual: math.MaxInt, maxEqual: -1,
	}
	x.sets = append(x.sets, set)
	x.guards = append(x.guards, list...)
	for _, to := range list {
		n := len(to.pred.Literal)
		switch to.pred.Kind {
		case xpath.Equals:
			set.minEqual, set.maxEqual = min(set.minEqual, n), max(set.maxEqual, n)
			continue
		case xpath.Contains:
			set.parts = true
		case xpath.StartsWith:
			set.maxPrefix = max(set.maxPrefix, n)
		}
		set.scanned = true
		set.asked[sweepOf(n)] = true
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
	hash  uint64
	shape uint32
}

// enterGrams enters each literal by its rarest gram.
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
			n := sweeps[sh.sweep]
			sh.before = c.rarest(set, s, n)
			ref, ok := known[sh]
			if !ok {
				ref = uint32(len(x.shapes))
				known[sh] = ref
				x.shapes = append(x.shapes, sh)
			}
			entries = append(entries, entry{hashGram(gramAt(s, sh.before, n), set.salt+uint64(sh.sweep)), ref})
		}
	}
	x.grams.make(len(entries))
	width := max(minBits, bits.Len(uint(len(entries)*bitsPerGram))-1)
	x.bits, x.shift = make([]uint64, 1<<(width-6)), uint(64-width+6)
	for _, e := range entries {
		x.grams.addOnce(e.hash, e.shape)
		x.bits[e.hash>>x.shift] |= 1<<(e.hash>>24&63) | 1<<(e.hash>>30&63)
	}
}

// minBits and bitsPerGram say how large the bits are. A gram has two of them, in
// one word, which is one access to memory; so about one place in a hundred is a
// spot for no reason.
const (
	minBits     = 16
	bitsPerGram = 24
)

// hashGram is the hash of a gram, given as its bytes, the first one the lowest.
func hashGram(w uint32, salt uint64) uint64 { return (uint64(w) ^ salt) * mixer }

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

// scan holds the predicates of a set whose literals s contains or starts with.
func (r *runner) scan(set *literals, s string) {
	if !set.parts {
		s = s[:min(len(s), set.maxPrefix)]
	}
	x := r.nfa.index
	bits, shift := x.bits, x.shift&63
	for number, n := range sweeps {
		if !set.asked[number] || len(s) < n {
			continue
		}
		salt, top := set.salt+uint64(number), 8*(n-1)
		w := gramAt(s, 0, n-1) << 8
		for i := n - 1; i < len(s); i++ {
			w = w>>8 | uint32(s[i])<<(top&31)
			h := hashGram(w, salt)
			if word := bits[h>>shift]; word&(1<<(h>>24&63)) != 0 && word&(1<<(h>>30&63)) != 0 {
				r.probe(set, s, i-n+1, number, h)
			}
		}
	}
}

// probe holds the predicates of a set whose literals have, at its place, the gram
// with hash h that a sweep met at i, and the other bytes, too.
func (r *runner) probe(set *literals, s string, i, sweep int, h uint64) {
	x := r.nfa.index
	for at := x.grams.first(h); x.grams.slots[at].ref != 0; at = x.grams.next(at) {
		slot := x.grams.slots[at]
		if slot.print != fingerprint(h) {
			continue
		}
		sh := &x.shapes[slot.ref-1]
		from := i - sh.before
		if sh.sweep != sweep || from < 0 || from+sh.of > len(s) || sh.kind == xpath.StartsWith && from > 0 {
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
	n := sweeps[sweepOf(len(s))]
	for i := 0; i+n <= len(s); i++ {
		if k := &c.counts[hashGram(gramAt(s, i, n), set.salt)>>c.shift]; *k < math.MaxUint16 {
			*k++
		}
	}
}

// rarest returns where in a literal its rarest gram of n bytes is.
func (c *census) rarest(set *literals, s string, n int) int {
	at, least := 0, math.MaxInt
	for i := 0; i+n <= len(s); i++ {
		if k := int(c.counts[hashGram(gramAt(s, i, n), set.salt)>>c.shift]); k < least {
			at, least = i, k
		}
	}
	return at
}
