// Package match finds the terms of a topic in text: a matcher is made once from
// the terms, then each text costs one pass and no memory.
//
// A word is a run of ASCII letters and digits and of characters beyond ASCII, less
// the punctuation of U+0080 to U+00BF, U+2000 to U+206F and U+3000 to U+303F; an
// ideograph or kana (U+3040 to U+9FFF) is a word of its own. Case is folded in
// ASCII, Latin-1, Greek (U+0391 to U+03A9) and Cyrillic (U+0400 to U+042F). A term
// of several words matches these words in this order. The rules fit in a page of any language: SDKs
// of other languages follow them to the bit.
package match

import "unicode/utf8"

// Term is what a matcher looks for.
type Term struct {
	Text   string
	Weight float64 // below zero speaks against the topic
}

// maxWords and maxBytes bound a term's words and a word's bytes; longer terms
// never match.
const (
	maxWords = 8
	maxBytes = 64
)

// Matcher finds terms. It is not for concurrent use.
type Matcher struct {
	slots  []slot          // vocabulary, open addressing by hash; length is a power of two
	words  []string        // folded, by id; 0 is unused
	terms  []terms         // by id of the term's last word
	recent [maxWords]int32 // ids of the last words of the text, a ring
}

// slot is a word of the vocabulary; id 0 is an empty place.
type slot struct {
	hash uint32
	id   int32
}

// terms are those that end with one word.
type terms []term

type term struct {
	before []int32 // ids of the words before the last, nearest first
	weight float64
}

// New makes a matcher of the terms. A term without words never matches.
func New(list []Term) *Matcher {
	count := 0
	for _, t := range list {
		for at := next(t.Text, 0); at.end > at.start; at = next(t.Text, at.end) {
			count++
		}
	}
	size := 16
	for size < 4*count {
		size *= 2
	}
	m := &Matcher{slots: make([]slot, size), words: make([]string, 1, count+1), terms: make([]terms, 1, count+1)}
	for _, t := range list {
		m.add(t)
	}
	return m
}

func (m *Matcher) add(t Term) {
	var ids []int32
	for at := next(t.Text, 0); at.end > at.start; at = next(t.Text, at.end) {
		if at.bytes > maxBytes {
			return
		}
		word := t.Text[at.start:at.end]
		to := m.find(at.hash, word)
		if to.id == 0 {
			*to = slot{at.hash, int32(len(m.words))}
			m.words = append(m.words, string(appendFolded(nil, word)))
			m.terms = append(m.terms, nil)
		}
		ids = append(ids, to.id)
	}
	if len(ids) == 0 || len(ids) > maxWords || t.Weight != t.Weight {
		return
	}
	last := ids[len(ids)-1]
	before := make([]int32, 0, len(ids)-1)
	for i := len(ids) - 2; i >= 0; i-- {
		before = append(before, ids[i])
	}
	m.terms[last] = append(m.terms[last], term{before, t.Weight})
}

// find returns the place of the word, or the empty one where it belongs.
func (m *Matcher) find(hash uint32, word string) *slot {
	mask := uint32(len(m.slots) - 1)
	for at := hash & mask; ; at = (at + 1) & mask {
		s := &m.slots[at]
		if s.id == 0 || s.hash == hash && sameFolded(word, m.words[s.id]) {
			return s
		}
	}
}

// Count returns the sum of the weights of all matches in the text, and how many
// words it has.
func (m *Matcher) Count(text string) (weight float64, words int) {
	m.recent = [maxWords]int32{}
	mask := uint32(len(m.slots) - 1)
	for at := next(text, 0); at.end > at.start; at = next(text, at.end) {
		var id int32
		if m.slots[at.hash&mask].id != 0 && at.bytes <= maxBytes { // most words meet an empty place
			if id = m.find(at.hash, text[at.start:at.end]).id; id != 0 {
				weight += m.ending(id, words)
			}
		}
		m.recent[uint(words)%maxWords] = id
		words++
	}
	return weight, words
}

// ending returns the weight of the terms that end with the word at position at.
func (m *Matcher) ending(id int32, at int) (weight float64) {
	for i := range m.terms[id] {
		if t := &m.terms[id][i]; m.follows(t.before, at) {
			weight += t.weight
		}
	}
	return weight
}

// follows reports whether the words before the one at position at are those of
// before, nearest first.
func (m *Matcher) follows(before []int32, at int) bool {
	if len(before) > at {
		return false
	}
	for i, id := range before {
		if m.recent[uint(at-1-i)%maxWords] != id {
			return false
		}
	}
	return true
}

// Score is the text's relevance, 0 to 1: h / (h + 1 + words/64), where h is the
// sum of the weights of all matches, at least 0. One hit in a short anchor is
// about a half; in a page of a thousand words it takes seventeen.
func (m *Matcher) Score(text string) float64 {
	h, words := m.Count(text)
	if !(h > 0) {
		return 0
	}
	return h / (h + 1 + float64(words)/64)
}

// Density is the mean of the scores of two texts, weighted by wa and wb, which
// are at least 0 and not both 0.
func (m *Matcher) Density(a string, wa float64, b string, wb float64) float32 {
	return float32((wa*m.Score(a) + wb*m.Score(b)) / (wa + wb))
}

const (
	fnvOffset = 2166136261
	fnvPrime  = 16777619
)

// classes of bytes: 0 ends a word, 1 goes on beyond ASCII, any other is the
// folded byte of a word.
var classes = func() (c [256]byte) {
	for i := range c {
		switch {
		case i >= utf8.RuneSelf:
			c[i] = 1
		case i >= '0' && i <= '9', i >= 'a' && i <= 'z':
			c[i] = byte(i)
		case i >= 'A' && i <= 'Z':
			c[i] = byte(i) + 'a' - 'A'
		}
	}
	return c
}()

// place is a word in a text; start and end are equal after the last.
type place struct {
	start, end int
	bytes      int    // of the folded word
	hash       uint32 // FNV-1a of the folded word
}

// next finds the next word from the offset on.
func next(text string, i int) place {
	for {
		i += separators(text[i:])
		n, hash := asciiWord(text[i:], fnvOffset)
		at := place{i, i + n, n, hash}
		if at.end == len(text) || text[at.end] < utf8.RuneSelf {
			return at
		}
		at = beyondASCII(text, at)
		if at.bytes > 0 {
			return at
		}
		i = at.end // after a separator beyond ASCII
	}
}

// separators returns how many bytes at the beginning are separators of ASCII.
func separators(s string) int {
	for i := 0; i < len(s); i++ {
		if classes[s[i]] != 0 {
			return i
		}
	}
	return len(s)
}

// asciiWord returns how many bytes at the beginning are of a word of ASCII, and the
// hash with them.
func asciiWord(s string, hash uint32) (int, uint32) {
	for i := 0; i < len(s); i++ {
		c := classes[s[i]]
		if c <= 1 {
			return i, hash
		}
		hash = (hash ^ uint32(c)) * fnvPrime
	}
	return len(s), hash
}

// beyondASCII goes on with a word, perhaps still empty, where the next character is
// not of ASCII. When that is a separator an empty word ends after it.
func beyondASCII(text string, at place) place {
	for at.end < len(text) && classes[text[at.end]] != 0 {
		if text[at.end] < utf8.RuneSelf {
			n, hash := asciiWord(text[at.end:], at.hash)
			at.end, at.bytes, at.hash = at.end+n, at.bytes+n, hash
			continue
		}
		r, size := utf8.DecodeRuneInString(text[at.end:])
		if separates(r) {
			if at.bytes == 0 {
				at.end += size
			}
			break
		}
		alone := r >= 0x3040 && r <= 0x9fff
		if alone && at.bytes > 0 {
			break
		}
		at.end, at.bytes, at.hash = at.end+size, at.bytes+utf8.RuneLen(r), hashRune(at.hash, fold(r))
		if alone {
			break
		}
	}
	return at
}

func separates(r rune) bool {
	return r >= 0x80 && r <= 0xbf || r >= 0x2000 && r <= 0x206f || r >= 0x3000 && r <= 0x303f
}

func hashRune(hash uint32, r rune) uint32 {
	var buf [utf8.UTFMax]byte
	for _, b := range buf[:utf8.EncodeRune(buf[:], r)] {
		hash = (hash ^ uint32(b)) * fnvPrime
	}
	return hash
}

// fold keeps the number of bytes.
func fold(r rune) rune {
	switch {
	case r < utf8.RuneSelf:
		return rune(classes[r])
	case r >= 0xc0 && r <= 0xde && r != 0xd7, r >= 0x391 && r <= 0x3a9, r >= 0x410 && r <= 0x42f:
		return r + 0x20
	case r >= 0x400 && r <= 0x40f:
		return r + 0x50
	}
	return r
}

func appendFolded(b []byte, word string) []byte {
	for _, r := range word {
		b = utf8.AppendRune(b, fold(r))
	}
	return b
}

// sameFolded reports whether the word folds to the text.
func sameFolded(word, folded string) bool {
	if word == folded {
		return true
	}
	var buf [maxBytes]byte
	return string(appendFolded(buf[:0], word)) == folded
}
