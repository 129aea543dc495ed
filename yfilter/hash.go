package yfilter

import (
	"math"
	"math/bits"
	"unsafe"
)

// mixer spreads a product over its upper bits; salts tells lengths apart.
const (
	mixer = 0x9e3779b97f4a7c15
	salts = 0xd6e8feb86659fd93
)

// word returns the eight bytes of s at i, which is before its end: the first one
// the lowest, and zeros for what is missing.
func word(s string, i int) uint64 {
	switch n := len(s); {
	case i+8 <= n:
		return load(s, i)
	case n >= 8:
		return load(s, n-8) >> (8 * uint(i+8-n) & 63)
	case n >= 4:
		low, high := load4(s, 0), load4(s, n-4)
		return (uint64(low) | uint64(high)<<(8*uint(n-4)&63)) >> (8 * uint(i) & 63)
	case n > 0:
		return (uint64(s[0]) | uint64(s[n/2])<<(8*uint(n/2)&63) | uint64(s[n-1])<<(8*uint(n-1)&63)) >> (8 * uint(i) & 63)
	}
	return 0
}

// load returns the eight bytes of s at i. It does not check that they are there:
// a check costs as much as the load, and this is where the time of a page goes.
func load(s string, i int) uint64 {
	b := (*[8]byte)(unsafe.Add(unsafe.Pointer(unsafe.StringData(s)), i))
	return uint64(b[0]) | uint64(b[1])<<8 | uint64(b[2])<<16 | uint64(b[3])<<24 |
		uint64(b[4])<<32 | uint64(b[5])<<40 | uint64(b[6])<<48 | uint64(b[7])<<56
}

func load4(s string, i int) uint32 {
	b := (*[4]byte)(unsafe.Add(unsafe.Pointer(unsafe.StringData(s)), i))
	return uint32(b[0]) | uint32(b[1])<<8 | uint32(b[2])<<16 | uint32(b[3])<<24
}

// firstBytes masks the first n bytes of a word.
func firstBytes(n int) uint64 { return math.MaxUint64 >> (64 - 8*uint(n)) }

// hashGram is the hash of the first bytes of a word, up to four.
func hashGram(w uint64, gram sweep) uint64 { return w & firstBytes(int(gram)) * mixer }

// hashEqual is what a filter knows of a literal of Equals; start is its word.
func hashEqual(s string, start uint64) uint64 {
	end := uint64(0)
	if len(s) > 8 {
		end = load(s, len(s)-8)
	}
	return fold(start ^ bits.RotateLeft64(end, 29) ^ uint64(len(s))*salts)
}

// hashPrefix is what a filter knows of a literal of StartsWith; start is the word
// of a string that starts with it.
func hashPrefix(s string, start uint64) uint64 {
	if len(s) > 8 {
		start = load(s, len(s)-8)
	} else {
		start &= firstBytes(len(s))
	}
	return fold(start ^ uint64(len(s))*mixer)
}

// hashStart is what a filter knows of the first four bytes of a literal of StartsWith.
func hashStart(start uint64) uint64 { return uint64(uint32(start)^salts>>32) * mixer }

// fold hashes a whole word.
func fold(w uint64) uint64 { return (w ^ w>>29) * mixer }

// A filter tells of most hashes that they were not added. The length of its bits
// is a power of two.
type filter []uint64

// bitsPerHash says how large a filter is. A hash has two of the bits, in one
// word, which is one access to memory; so of what was not added one in fifty to
// one in a hundred passes.
const bitsPerHash = 16

// A hash chooses a word by its upper bits from firstOfWord on.
const (
	firstOfWord = 44
	mostWords   = 1 << (64 - firstOfWord)
)

func newFilter(hashes int) filter {
	return make(filter, min(mostWords, 1<<max(1, bits.Len(uint(hashes*bitsPerHash/64)))))
}

func (f filter) word(h uint64) *uint64 { return &f[h>>firstOfWord&uint64(len(f)-1)] }

// spot is the bits of a hash in its word.
func spot(h uint64) uint64 { return 1<<(h>>24&63) | 1<<(h>>30&63) }

func (f filter) add(h uint64) { *f.word(h) |= spot(h) }

func (f filter) has(h uint64) bool { return *f.word(h)&spot(h) == spot(h) }

// hasOf4 tells whether one of the four grams of four bytes that begin in the first
// half of a word was added.
func (f filter) hasOf4(w uint64) bool {
	return f.has(uint64(uint32(w))*mixer) || f.has(uint64(uint32(w>>8))*mixer) || f.has(uint64(uint32(w>>16))*mixer) || f.has(uint64(uint32(w>>24))*mixer)
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
	width := max(3, bits.Len(uint(n+n/2)))
	t.slots, t.shift = make([]slot32, 1<<width), uint(64-width)
}

func (t *table) first(h uint64) int { return int(h >> (t.shift & 63)) }
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

func (c *census) at(s string, i int) *uint16 {
	return &c.counts[hashGram(word(s, i), sweepOf(s))>>c.shift]
}

func (c *census) count(s string) {
	for i := 0; i+int(sweepOf(s)) <= len(s); i++ {
		if k := c.at(s, i); *k < math.MaxUint16 {
			*k++
		}
	}
}

// rarest returns where in a literal its rarest gram is.
func (c *census) rarest(s string) int {
	at, least := 0, math.MaxInt
	for i := 0; i+int(sweepOf(s)) <= len(s); i++ {
		if k := int(*c.at(s, i)); k < least {
			at, least = i, k
		}
	}
	return at
}
