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
	words  []word  // open addressing by hash; length is a power of two
	terms  []terms // by id of the term's last word; 0 is unused
	word   [maxBytes]byte
	recent [maxWords]int32 // ids of the last words of the text, a ring
}

// word is an entry of the vocabulary; id 0 is an empty place.
type word struct {
	hash uint32
	id   int32
	text string
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
		each(&Matcher{}, t.Text, func(uint32, []byte) { count++ })
	}
	size := 16
	for size < 4*count {
		size *= 2
	}
	m := &Matcher{words: make([]word, size), terms: make([]terms, 1, count+1)}
	for _, t := range list {
		m.add(t)
	}
	return m
}

func (m *Matcher) add(t Term) {
	var ids []int32
	tooLong := false
	each(m, t.Text, func(hash uint32, text []byte) {
		tooLong = tooLong || len(text) == 0
		if tooLong {
			return
		}
		at := m.find(hash, text)
		if m.words[at].id == 0 {
			m.words[at] = word{hash, int32(len(m.terms)), string(text)}
			m.terms = append(m.terms, nil)
		}
		ids = append(ids, m.words[at].id)
	})
	if len(ids) == 0 || len(ids) > maxWords || tooLong || t.Weight != t.Weight {
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
func (m *Matcher) find(hash uint32, text []byte) int {
	mask := len(m.words) - 1
	for at := int(hash) & mask; ; at = (at + 1) & mask {
		w := &m.words[at]
		if w.id == 0 || w.hash == hash && w.text == string(text) {
			return at
		}
	}
}

// Count returns the sum of the weights of all matches in the text, and how many
// words it has.
func (m *Matcher) Count(text string) (weight float64, words int) {
	m.recent = [maxWords]int32{}
	each(m, text, func(hash uint32, text []byte) {
		var id int32
		if len(text) > 0 {
			id = m.words[m.find(hash, text)].id
		}
		if id != 0 {
			for i := range m.terms[id] {
				if t := &m.terms[id][i]; m.follows(t.before, words) {
					weight += t.weight
				}
			}
		}
		m.recent[words%maxWords] = id
		words++
	})
	return weight, words
}

// follows reports whether the words before the one at position at are those of
// before, nearest first.
func (m *Matcher) follows(before []int32, at int) bool {
	if len(before) > at {
		return false
	}
	for i, id := range before {
		if m.recent[(at-1-i)%maxWords] != id {
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

// each calls f for each word of the text with its hash (FNV-1a of the folded
// bytes); the bytes are valid until f returns, and nil for a word that is too long.
func each(m *Matcher, text string, f func(hash uint32, text []byte)) {
	hash, n := uint32(fnvOffset), 0
	end := func() {
		if n > maxBytes {
			f(hash, nil)
		} else if n > 0 {
			f(hash, m.word[:n])
		}
		hash, n = fnvOffset, 0
	}
	put := func(b byte) {
		if n < maxBytes {
			m.word[n] = b
		}
		n++
		hash = (hash ^ uint32(b)) * fnvPrime
	}
	for i := 0; i < len(text); {
		switch c := classes[text[i]]; c {
		case 0:
			if n > 0 {
				end()
			}
			i++
		case 1:
			r, size := utf8.DecodeRuneInString(text[i:])
			switch {
			case r >= 0x80 && r <= 0xbf, r >= 0x2000 && r <= 0x206f, r >= 0x3000 && r <= 0x303f:
				end()
			default:
				alone := r >= 0x3040 && r <= 0x9fff
				if alone {
					end()
				}
				var buf [utf8.UTFMax]byte
				for _, b := range buf[:utf8.EncodeRune(buf[:], fold(r))] {
					put(b)
				}
				if alone {
					end()
				}
			}
			i += size
		default:
			put(c)
			i++
		}
	}
	end()
}

func fold(r rune) rune {
	switch {
	case r >= 0xc0 && r <= 0xde && r != 0xd7, r >= 0x391 && r <= 0x3a9, r >= 0x410 && r <= 0x42f:
		return r + 0x20
	case r >= 0x400 && r <= 0x40f:
		return r + 0x50
	}
	return r
}
