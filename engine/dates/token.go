package dates

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// token is a number, a word or a sign of a text.
type token struct {
	kind  byte // '0' a number, 'a' a word, else the sign
	text  string
	value int // of a number
	means []meaning
	space bool // before it
	used  bool // by what was read of the date so far
}

const mostTokens = 40

// bracketed are days of the week as East Asia has them behind a date.
var bracketed = regexp.MustCompile(`\([月火水木金土日월화수목금토일一二三四五六]\)`)

// signs may stand in a date; a text with others is none.
const signs = ",.-/:;|()[]'\"@·•»«–—،׳״’॰+`፣"

// tokens splits a folded text; ok is false where it holds what no date has.
func (t *table) tokens(s string) (out []token, ok bool) {
	if strings.ContainsRune(s, '(') {
		s = bracketed.ReplaceAllLiteralString(s, " ")
	}
	space := false
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		tok := token{kind: s[i], space: space}
		space = false
		switch {
		case len(out) == mostTokens:
			return nil, false
		case r == ' ':
			space = true
			i += size
			continue
		case isDigit(r):
			tok.kind = '0'
			j := i
			for ; j < len(s) && '0' <= s[j] && s[j] <= '9'; j++ {
				tok.value = min(10*tok.value+int(s[j]-'0'), 1<<30)
			}
			tok.text = s[i:j]
		case isWord(r):
			tok.kind = 'a'
			n, means := t.word(s[i:])
			if n == 0 {
				return nil, false
			}
			tok.text, tok.means = s[i:i+n], means
		case strings.ContainsRune(signs, r):
			tok.text = s[i : i+size]
		default:
			return nil, false
		}
		i += len(tok.text)
		out = append(out, tok)
	}
	return out, true
}

// word finds the longest entry that a text begins with, and how long that is in it.
func (t *table) word(s string) (length int, means []meaning) {
	key := make([]byte, 0, 64)
	for i := 0; len(key) <= t.longest; {
		if i > 0 && wordEnds(s, i) {
			ms, begins := t.words[string(key)]
			if !begins {
				break // no longer entry begins like this
			}
			if ms != nil {
				length, means = i, ms
			}
		}
		if i == len(s) {
			break
		}
		r, size := utf8.DecodeRuneInString(s[i:])
		if isWord(r) || isDigit(r) {
			key = append(key, s[i:i+size]...)
		} else if !strings.ContainsRune(" .-'’_", r) {
			break
		} else if last, _ := utf8.DecodeLastRune(key); last != ' ' && !(r == '.' && spaceless(last)) {
			key = append(key, ' ')
		}
		i += size
	}
	return length, means
}

func isDigit(r rune) bool { return '0' <= r && r <= '9' }
func isWord(r rune) bool  { return unicode.IsLetter(r) || unicode.IsMark(r) }

// wordEnds reports whether a word may end before byte i.
func wordEnds(s string, i int) bool {
	before, _ := utf8.DecodeLastRuneInString(s[:i])
	after, _ := utf8.DecodeRuneInString(s[i:])
	switch {
	case i == len(s) || spaceless(before) || spaceless(after):
		return true
	case isWord(before):
		return !isWord(after)
	}
	return isDigit(before) && !isDigit(after)
}

// spaceless reports whether a letter is of a script that puts no spaces between words, or
// ties numbers and units to each other.
func spaceless(r rune) bool {
	return r >= 0xe00 && unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul,
		unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar, unicode.Tibetan)
}
