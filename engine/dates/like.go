package dates

import (
	"regexp"
	"strings"
	"unicode"
)

// LongestLike is how long a text with nothing but a date can be, in bytes.
const LongestLike = 90

var (
	// momentForm is a time as programs write it.
	momentForm = regexp.MustCompile(`^(?:(?:19|20)\d\d-\d\d-\d\d(?:[T ]\d\d:\d\d.*)?|1\d{9})$`)

	// dayAndTime is a bar between a day and its time, as some templates put it: "Feb 14, 2026
	// | 9:05 pm".
	dayAndTime = regexp.MustCompile(`^([^|]*\b(?:19|20)\d\d)\s*\|\s*(\d{1,2}:\d\d[^|]*)$`)

	dateSign = regexp.MustCompile(`[年月日]|\b(?:19|20)\d\d(?:\D|$)|\d{1,2}[-/.]\d{1,2}[-/.]\d|\d:\d\d|^\d{9,10}$`)

	// noDate is what has the sign of one, but is none: a time alone, a label before a date, an address, a
	// word that runs into a number, words after a time.
	noDate = regexp.MustCompile(`^\d{1,2}:\d\d(?::\d\d)?$|\pL:(?:\s|//)|[A-Za-z]{4}\d|\d:\d\d(?:\s?[AaPp][Mm])?\s+\pL{2,}\s+\pL`)

	placedForm  = regexp.MustCompile(`\b(?:19|20)\d\d(?:\D|$)|[年]|\b\d{1,2}[-/.]\d{1,2}[-/.]\d\d\b`)
	wholeForm   = regexp.MustCompile(`\b(?:19|20)\d\d\b|\d{1,2}[-/.]\d{1,2}[-/.]\d`)
	clockOrYear = regexp.MustCompile(`(?i)\d{1,2}:\d\d(?::\d\d)?\s*(?:[ap]\.?m\.?)?|\b(?:19|20)\d\d\b`)
	wordForm    = regexp.MustCompile(`\pL\pL|\p{Han}`)
)

// Like reports whether a text may be a date and nothing else, by its form.
func Like(text string) bool {
	if text = strings.TrimSpace(text); strings.ContainsRune(text, '|') {
		text = dayAndTime.ReplaceAllString(text, "$1 $2")
	}
	if len(text) < 5 || len(text) > LongestLike || !strings.ContainsAny(text, "0123456789") {
		return false
	}
	words, letters, last := 0, 0, false
	for _, r := range text {
		letter := unicode.IsLetter(r)
		switch {
		case letter && !last:
			words++
		case strings.ContainsRune("|#&=?»«·•<>@%_()[]©", r):
			return false
		}
		if letter {
			letters++
		}
		last = letter
	}
	return words <= 5 && letters <= 30 && dateSign.MatchString(text) && !noDate.MatchString(text)
}

// ForPrograms reports whether a text is a moment as programs write it: ISO 8601, seconds of Unix.
func ForPrograms(text string) bool { return momentForm.MatchString(strings.TrimSpace(text)) }

// HasYear reports whether a text has a year in it, or a date in three numbers.
func HasYear(text string) bool { return placedForm.MatchString(text) }

// Whole reports whether a text may be a date that needs no other text beside it: it has a
// year, and a day.
func Whole(text string) bool { return wholeForm.MatchString(text) && !Undated(text) && Like(text) }

// Undated reports whether a text names no day, though it may name a time and a year.
func Undated(text string) bool {
	if !strings.ContainsAny(text, "0123456789") || strings.ContainsRune(text, '©') {
		return true
	}
	rest := WithoutClock(text)
	return !strings.ContainsAny(rest, "0123456789") && !wordForm.MatchString(rest)
}

// Relative reports whether a text counts its day from today.
func Relative(text string) bool { return !strings.ContainsAny(WithoutClock(text), "0123456789") }

// WithoutClock is a text without times of day and years.
func WithoutClock(text string) string { return clockOrYear.ReplaceAllString(text, " ") }
