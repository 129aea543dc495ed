package dates

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Find gives the one date that stands among other words ("Posted by Ada on 2015-05-12 10:15",
// "发表于 2015-05-12"), or "" where there is none, or are several. A number next to it that is not
// part of it and not separated by a word makes the result "", as in [Reader.Read].
func (r *Reader) Find(text string, usual Usual) string {
	text = decoded(text)
	if text == "" || len(text) > Longest {
		return ""
	}
	var pieces []string
	if strings.ContainsRune(text, 'T') && strings.ContainsRune(text, ':') { // else the expression takes time in vain
		pieces = isoInside.FindAllString(text, -1)
	}
	if len(pieces) == 0 {
		pieces = runs(fold(text))
	}
	found := ""
	for _, piece := range pieces {
		iso := r.inRun(piece, usual)
		if found != "" && iso != "" && iso != found {
			return ""
		}
		found = max(found, iso)
	}
	return found
}

// isoInside is a moment as programs write it, whose letters are lost where words are looked for.
var isoInside = regexp.MustCompile(`\b\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:?\d{2})?`)

// inRun reads the longest part of a run that is a date, from a word or number to one, without leaving out a number.
func (r *Reader) inRun(run string, usual Usual) string {
	first, last := strings.IndexFunc(run, isNumber), strings.LastIndexFunc(run, isNumber)
	var starts, ends []int
	before := ' '
	for i, c := range run {
		if parted(before, c) {
			if isWord(c) || isNumber(c) {
				starts = append(starts, i)
			}
			if isWord(before) || isNumber(before) {
				ends = append(ends, i)
			}
		}
		before = c
	}
	ends = append(ends, len(run))
	for _, from := range starts {
		for _, to := range slices.Backward(ends) {
			if from >= to || first >= 0 && (from > first || to <= last) {
				continue
			}
			if iso := r.Read(run[from:to], usual); iso != "" {
				return iso
			}
		}
	}
	return ""
}

func isNumber(c rune) bool { return unicode.IsDigit(c) }

// parted reports whether a date may begin or end between two runes.
func parted(a, b rune) bool {
	word := func(c rune) bool { return isWord(c) || isNumber(c) }
	return !word(a) || !word(b) || spaceless(a) || spaceless(b)
}

// runs splits a folded text where something stands that no date has: an unknown word or another sign, each
// with the number that is part of it.
func runs(text string) (out []string) {
	t, from := words(), 0
	end := func(to, next int) {
		if s := strings.TrimSpace(text[from:to]); s != "" {
			out = append(out, s)
		}
		from = next
	}
	for i := 0; i < len(text); {
		c, size := utf8.DecodeRuneInString(text[i:])
		switch {
		case isWord(c):
			n, _ := t.word(text[i:])
			if n == 0 {
				n = unknown(text[i:])
				end(i, i+n)
			}
			i += n
			continue
		case c != ' ' && !isDigit(c) && !strings.ContainsRune(signs, c):
			for i+size < len(text) && isDigit(rune(text[i+size])) { // #3
				size++
			}
			end(i, i+size)
		}
		i += size
	}
	end(len(text), len(text))
	return out
}

// unknown is the length of a word that no date has, of which the scripts that put no spaces tell no end.
func unknown(s string) int {
	before := rune(0)
	for i, c := range s {
		if i > 0 && parted(before, c) {
			return i
		}
		before = c
	}
	return len(s)
}
