package names

import (
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// Word is one of a text, as it is compared, and where it is.
type Word struct {
	Folded     string
	Start, End int
	Behind     bool // it is next to the word before, with nothing but spaces between
}

// apart are scripts without spaces between words, of which each letter is a word.
var apart = []*unicode.RangeTable{unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao, unicode.Khmer,
	unicode.Myanmar}

// Split cuts a text into words.
func Split(text string) (words []Word) {
	start, last := -1, 0
	end := func(at int) {
		if start >= 0 {
			words = append(words, Word{Fold(text[start:at]), start, at, strings.TrimSpace(text[last:start]) == ""})
			start, last = -1, at
		}
	}
	for at, r := range text {
		switch {
		case r > 0x0e00 && unicode.In(r, apart...):
			end(at)
			start = at
			end(at + len(string(r)))
		case unicode.IsLetter(r), unicode.IsNumber(r), unicode.IsMark(r) && start >= 0:
			if start < 0 {
				start = at
			}
		default:
			end(at)
		}
	}
	end(len(text))
	return words
}

// Fold takes case and accents off a word.
func Fold(s string) string {
	plain := true
	for i := range len(s) {
		plain = plain && s[i] < 0x80
	}
	if plain {
		return strings.ToLower(s)
	}
	return strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Mn, r) {
			return -1
		}
		return unicode.ToLower(r)
	}, norm.NFKD.String(s))
}
