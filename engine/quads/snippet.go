package quads

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// snippetLetters is how long a piece of a text is, more or less.
const snippetLetters = 200

// snippet gives the piece of a text in which the most of the words are.
func snippet(text string, words []word) Snippet {
	text = strings.Join(strings.Fields(text), " ")
	marks := find(text, words)
	from := best(marks)
	if from > 0 { // some words before it
		for n := 0; from > 0 && n < snippetLetters/4; n++ {
			_, size := utf8.DecodeLastRuneInString(text[:from])
			from -= size
		}
		if space := strings.IndexByte(text[from:], ' '); from > 0 && space >= 0 && space < snippetLetters/4 {
			from += space + 1
		}
	}
	to := from
	for n := 0; to < len(text) && n < snippetLetters; n++ {
		_, size := utf8.DecodeRuneInString(text[to:])
		to += size
	}
	if space := strings.LastIndexByte(text[from:to], ' '); to < len(text) && space > snippetLetters/2 {
		to = from + space
	}
	s := Snippet{Marks: [][2]int{}}
	if from > 0 {
		s.Text = "…"
	}
	for _, m := range marks {
		if m.from >= from && m.to <= to {
			s.Marks = append(s.Marks, [2]int{m.from - from + len(s.Text), m.to - from + len(s.Text)})
		}
	}
	if s.Text += text[from:to]; to < len(text) {
		s.Text += "…"
	}
	return s
}

// mark is a place of a word.
type mark struct{ from, to, word int }

// best gives the place from which on the most different words follow.
func best(marks []mark) int {
	from, most := 0, 0
	for i, m := range marks {
		seen := map[int]bool{}
		for _, next := range marks[i:] {
			if next.from-m.from > snippetLetters {
				break
			}
			seen[next.word] = true
		}
		if len(seen) > most {
			from, most = m.from, len(seen)
		}
	}
	return from
}

// find gives the places of words, which do not overlap.
func find(text string, words []word) []mark {
	var tokens []mark // of the text
	var folded []string
	for rest := 0; rest < len(text); {
		token := nextToken(text[rest:])
		if token == (mark{}) {
			break
		}
		tokens = append(tokens, mark{from: rest + token.from, to: rest + token.to})
		folded = append(folded, fold(text[rest+token.from:rest+token.to]))
		rest += token.to
	}
	var marks []mark
	for number, w := range words {
		if w.not {
			continue
		}
		var wanted []string
		for rest := w.text; ; {
			token := nextToken(rest)
			if token == (mark{}) {
				break
			}
			wanted, rest = append(wanted, fold(rest[token.from:token.to])), rest[token.to:]
		}
		for i := range tokens {
			if n := len(wanted); n > 0 && i+n <= len(tokens) && matchesTokens(folded[i:i+n], wanted, w.prefix) {
				marks = append(marks, mark{tokens[i].from, tokens[i+n-1].to, number})
			}
		}
	}
	slices.SortFunc(marks, func(a, b mark) int { return cmp.Or(cmp.Compare(a.from, b.from), cmp.Compare(b.to, a.to)) })
	end := 0
	return slices.DeleteFunc(marks, func(m mark) bool {
		if m.from < end {
			return true
		}
		end = m.to
		return false
	})
}

func matchesTokens(tokens, wanted []string, prefix bool) bool {
	last := len(wanted) - 1
	if prefix {
		return slices.Equal(tokens[:last], wanted[:last]) && strings.HasPrefix(tokens[last], wanted[last])
	}
	return slices.Equal(tokens, wanted)
}

// nextToken gives the next word, as full text cuts them; none is the zero mark.
func nextToken(text string) mark {
	from := strings.IndexFunc(text, isWord)
	if from < 0 {
		return mark{}
	}
	to := from
	for i, r := range text[from:] {
		alone := isAlone(r)
		if !isWord(r) && !unicode.Is(unicode.Mn, r) || alone && i > 0 {
			break
		}
		if to = from + i + utf8.RuneLen(r); alone {
			break
		}
	}
	return mark{from: from, to: to}
}

// fold writes a word as full text compares it: in lower case, without diacritics.
func fold(word string) string {
	if !strings.ContainsFunc(word, func(r rune) bool { return r >= utf8.RuneSelf }) {
		return strings.ToLower(word)
	}
	return strings.TrimSpace(strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Mn, r) {
			return -1
		}
		return unicode.ToLower(r)
	}, norm.NFD.String(searchable(word))))
}
