package diff

import (
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/sergi/go-diff/diffmatchpatch"
)

// A Piece is a run of words of two texts.
type Piece struct {
	Sign int // 0 in both, -1 in the first only, 1 in the second only
	Text string
}

// longest is how many bytes of a text are compared; what is behind is taken as one word.
const longest = 200_000

// Words compares two texts word by word. A letter of a script without spaces is a word.
func Words(before, after string) []Piece {
	var coded [2][]rune
	var words []string
	numbers := map[string]rune{}
	for i, text := range []string{before, after} {
		for _, word := range split(text) {
			n, ok := numbers[word]
			if !ok {
				n = code(len(words))
				numbers[word] = n
				words = append(words, word)
			}
			coded[i] = append(coded[i], n)
		}
	}
	d := diffmatchpatch.New()
	d.DiffTimeout = time.Second
	diffs := d.DiffCleanupSemantic(d.DiffMainRunes(coded[0], coded[1], false))
	var pieces []Piece
	for _, piece := range diffs {
		var text strings.Builder
		for _, n := range piece.Text {
			text.WriteString(words[decode(n)])
		}
		pieces = append(pieces, Piece{int(piece.Type), text.String()})
	}
	return pieces
}

// code gives a word's number as a character, of those that text can hold.
func code(n int) rune {
	r := rune(n) + ' '
	if r >= 0xd800 {
		r += 0x800 // over the surrogates
	}
	return r
}

func decode(r rune) int {
	if r >= 0xe000 {
		r -= 0x800
	}
	return int(r - ' ')
}

// split cuts a text into words, and the space and the signs between them.
func split(text string) (words []string) {
	rest := ""
	if len(text) > longest {
		end := longest
		for !utf8.RuneStart(text[end]) {
			end--
		}
		text, rest = text[:end], text[end:]
	}
	for text != "" {
		first, end := utf8.DecodeRuneInString(text)
		if kind := kindOf(first); kind != 0 {
			for end < len(text) {
				r, size := utf8.DecodeRuneInString(text[end:])
				if kindOf(r) != kind {
					break
				}
				end += size
			}
		}
		words, text = append(words, text[:end]), text[end:]
	}
	if rest != "" {
		words = append(words, rest)
	}
	return words
}

// kindOf says of which runs a character is: 1 words, 2 space, 0 none.
func kindOf(r rune) int {
	switch {
	case unicode.IsSpace(r):
		return 2
	case unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar):
		return 0
	case unicode.IsLetter(r), unicode.IsNumber(r), unicode.IsMark(r), r == '\'', r == '’', r == '-', r == '_':
		return 1
	}
	return 0
}

// Around shortens what two texts have in common to what is next to what differs, with an ellipsis for what is left out.
func Around(pieces []Piece) []Piece {
	const near = 80 // bytes
	short := make([]Piece, len(pieces))
	for i, p := range pieces {
		if p.Sign == 0 {
			head, tail := near, near
			if i == 0 {
				head = 0
			}
			if i == len(pieces)-1 {
				tail = 0
			}
			if len(p.Text) > head+tail+near/4 {
				p.Text = first(p.Text, head) + "…" + last(p.Text, tail)
			}
		} else {
			p.Text = ellipsis(p.Text, 4000)
		}
		short[i] = p
	}
	return short
}

// last gives the last bytes of a text, from the beginning of a letter on.
func last(text string, most int) string {
	text = text[max(0, len(text)-most):]
	for text != "" && !utf8.RuneStart(text[0]) {
		text = text[1:]
	}
	return text
}

// first gives the first bytes of a text, up to the end of a letter.
func first(text string, most int) string {
	if len(text) <= most {
		return text
	}
	for most > 0 && !utf8.RuneStart(text[most]) {
		most--
	}
	return text[:most]
}

// ellipsis shortens a text.
func ellipsis(text string, most int) string {
	if len(text) <= most {
		return text
	}
	return first(text, most) + "…"
}
