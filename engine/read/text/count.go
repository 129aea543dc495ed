package text

import "unicode"

// count holds counts over the characters of a text.
type count struct {
	words   int
	letters int
	digits  int
	marks   int // commas, colons and the like
	ends    int // of sentences
	upper   int // words that begin with a capital
	hash    uint32
	hashes  []uint32 // of the words
}

// maxHashes limits the words of a block that are compared with other texts; longer blocks are rare.
const maxHashes = 10_000

// add counts the letters of a text. Each ideograph counts as half a word.
func (c *count) add(s string) {
	const seed, prime = 2166136261, 16777619
	word, h, half := false, uint32(seed), 0
	end := func() {
		if word {
			c.words++
			c.hash = c.hash*31 + h
			if len(c.hashes) < maxHashes {
				c.hashes = append(c.hashes, h)
			}
		}
		word, h = false, seed
	}
	var last rune
	for _, r := range s {
		switch {
		case r >= 'a' && r <= 'z':
			c.letters++
			word, h = true, (h^uint32(r))*prime
		case r >= 'A' && r <= 'Z':
			c.letters++
			if !word {
				c.upper++
			}
			word, h = true, (h^uint32(r|0x20))*prime
		case r >= '0' && r <= '9':
			c.digits++
			word, h = true, (h^uint32(r))*prime
		case r < 0x80:
			end()
			c.mark(r, last)
		case unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana):
			c.letters++
			h = (h ^ uint32(r)) * prime
			if half++; half%2 == 0 {
				word = true
				end()
			}
		case unicode.IsLetter(r), unicode.IsMark(r):
			c.letters++
			if !word && unicode.IsUpper(r) {
				c.upper++
			}
			word, h = true, (h^uint32(unicode.ToLower(r)))*prime
		default:
			end()
			c.mark(r, last)
		}
		last = r
	}
	end()
}

// mark counts a character outside words.
func (c *count) mark(r, last rune) {
	switch r {
	case '.', '!', '?', '…', '。', '！', '？', '؟', '।':
		if last != r {
			c.ends++
		}
	case ',', ';', ':', '、', '，', '；', '：', '،':
		c.marks++
	}
}
