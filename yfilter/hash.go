package yfilter

import (
	"math"
	"math/bits"
	"slices"
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
func hashGram(w uint64, bytes int) uint64 {
	return (w&firstBytes(bytes) | uint64(gram-bytes)<<32) * mixer
}

// ends returns the first and the last eight bytes of s; if there are fewer, both
// times all, with zeros behind them.
func ends(s string) (start, end uint64) {
	if len(s) < 8 {
		w := word(s, 0)
		return w, w
	}
	return load(s, 0), load(s, len(s)-8)
}

// hashWhole is what a filter knows of a literal of Equals: its ends and its length.
func hashWhole(start, end uint64, n int) uint64 {
	return fold(start ^ bits.RotateLeft64(end, 29) ^ uint64(n)*salts)
}

// hashPrefix is what it knows of a literal of StartsWith: the same, and what it is.
func hashPrefix(start, end uint64, n int) uint64 {
	return hashWhole(start&firstBytes(min(8, n)), end, n+1<<16)
}

// hashGate is what it knows of the first bytes of one, as many as a gate has; start
// are the first eight of them.
func hashGate(s string, start uint64, bytes int) uint64 {
	if bytes > 8 {
		start ^= bits.RotateLeft64(load(s, bytes-8), 31)
	}
	return fold(start&firstBytes(min(8, bytes)) ^ uint64(bytes)*salts)
}

// hashPart is what a table of grams knows of a literal.
func hashPart(s string) uint32 {
	start, end := ends(s)
	return uint32(hashWhole(start, end, len(s)) >> 32)
}

// fold hashes a whole word.
func fold(w uint64) uint64 { return (w ^ w>>29) * mixer }

// A filter tells of most hashes that they were not added. The length of its bits
// is a power of two.
type filter []uint64

// Bits of a filter for each hash, at least: a sweep looks at every other byte, and
// the rest at a few places of a string. A hash has two of them, in one word, which is
// one access to memory.
const (
	bitsPerGram  = 32
	bitsPerWhole = 16
)

// A hash chooses a word by its own bits from firstOfWord on, and in it the bits that
// the six bits from firstOfBit and from secondBit on name.
const (
	firstOfWord = 42
	firstOfBit  = 36
	secondBit   = 20
	mostWords   = 1 << (64 - firstOfWord)
)

// newFilter makes a filter of hashes, which it sorts.
func newFilter(hashes []uint64, bitsPerHash int) filter {
	slices.Sort(hashes)
	hashes = slices.Compact(hashes)
	f := make(filter, min(mostWords, 1<<bits.Len(uint(len(hashes)*bitsPerHash/64))))
	for _, h := range hashes {
		f[h>>firstOfWord&uint64(len(f)-1)] |= 1<<(h>>firstOfBit&63) | 1<<(h>>secondBit&63)
	}
	return f
}

func (f filter) has(h uint64) bool { return f.view().has(h) }

// view returns the filter as loops use it.
func (f filter) view() filterView {
	return filterView{unsafe.Pointer(unsafe.SliceData(f)), uint64(len(f) - 1)}
}

// filterView is a filter whose bounds are not checked.
type filterView struct {
	words unsafe.Pointer
	mask  uint64 // of the number of a word
}

func (f filterView) has(h uint64) bool {
	word := *(*uint64)(unsafe.Add(f.words, h>>firstOfWord&f.mask*8))
	return word&(1<<(h>>firstOfBit&63)) != 0 && word&(1<<(h>>secondBit&63)) != 0
}

// has4 is has for the gram at the beginning of a word.
func (f filterView) has4(w uint64) bool { return f.has(uint64(uint32(w)) * mixer) }

// skip returns the first of i, i+4, ... before last, if any, at which one of the
// four grams was added that begin there and at the next three bytes. last+8 is not
// beyond the end of s.
func (f filterView) skip(s string, i, last int) int {
	for ; i < last; i += gram {
		if w := load(s, i); f.has4(w) || f.has4(w>>8) || f.has4(w>>16) || f.has4(w>>24) {
			break
		}
	}
	return i
}

// skip2 is skip for every other of the grams.
func (f filterView) skip2(s string, i, last int) int {
	for ; i < last; i += gram {
		if w := load(s, i); f.has4(w) || f.has4(w>>16) {
			break
		}
	}
	return i
}

// hasAny reports whether one of the grams of a word was added, or the last three
// bytes of it with a zero.
func (f filterView) hasAny(w uint64) bool {
	return f.has4(w) || f.has4(w>>8) || f.has4(w>>16) || f.has4(w>>24) || f.has4(w>>32) || f.has4(w>>40)
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

// gramTable is a hash table of grams with open addressing. It has a part of the
// hash of each and a hash of the literal around it, and leaves it to the caller to compare.
type gramTable struct {
	slots []gramSlot
	shift uint
}

// gramSlot is a gram in a literal, empty where of is 0.
type gramSlot struct {
	part       uint32 // hashPart of the literal
	print      uint16 // fingerprint of the gram
	before, of uint8  // bytes of the literal before the gram, and altogether
}

// make makes room for n grams.
func (t *gramTable) make(n int) {
	width := max(3, bits.Len(uint(n+n/2)))
	t.slots, t.shift = make([]gramSlot, 1<<width), uint(64-width)
}

func (t *gramTable) first(h uint64) int { return int(h >> (t.shift & 63)) }
func (t *gramTable) next(at int) int    { return (at + 1) & (len(t.slots) - 1) }

// add adds a gram, unless it is there.
func (t *gramTable) add(h uint64, gram gramSlot) {
	at := t.first(h)
	for t.slots[at].of != 0 {
		if t.slots[at] == gram {
			return
		}
		at = t.next(at)
	}
	t.slots[at] = gram
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

func (c *census) at(s string, i int) *uint16 { return &c.counts[hashGram(word(s, i), gram)>>c.shift] }

func (c *census) count(s string) {
	for i := 0; i+gram <= len(s); i++ {
		if k := c.at(s, i); *k < math.MaxUint16 {
			*k++
		}
	}
}

// rarest returns where in a literal its rarest gram is, or its n rarest ones beside
// each other.
func (c *census) rarest(s string, n int) int {
	at, least := 0, math.MaxInt
	for i := 0; i+gram+n-1 <= len(s); i++ {
		sum := 0
		for k := range n {
			sum += int(*c.at(s, i+k))
		}
		if sum < least {
			at, least = i, sum
		}
	}
	return at
}
