package relax

import (
	"strings"
	"unicode"
)

// distance says how unlike two names or values are, from 0 to 100: by the
// words that they share ("post-title" and "storytitle" share one of theirs).
func distance(a, b string) int {
	if a == b {
		return 0
	}
	wa, wb := Words(a), Words(b)
	if len(wa) == 0 || len(wb) == 0 {
		return 100
	}
	return 100 - 50*(shared(wa, wb)+shared(wb, wa))/100
}

// shared gives how much of the words of one value is found in another, in
// hundredths: a whole word counts by itself, one inside a longer one by half.
func shared(of, in []string) int {
	sum := 0
	for _, w := range of {
		best := 0
		for _, v := range in {
			switch {
			case v == w:
				best = 100
			case len(w) > 2 && strings.Contains(v, w) || len(v) > 2 && strings.Contains(w, v):
				best = max(best, 60)
			}
		}
		sum += best
	}
	return sum / len(of)
}

// Words cuts a name or value into its words in lower case: at signs that are not
// letters, and before capitals ("messageText"). Digits are not words.
func Words(s string) []string {
	var words []string
	start := -1
	lower := false
	for i, r := range s {
		letter := unicode.IsLetter(r)
		if start >= 0 && (!letter || lower && unicode.IsUpper(r)) {
			words = append(words, strings.ToLower(s[start:i]))
			start = -1
		}
		if letter && start < 0 {
			start = i
		}
		lower = letter && unicode.IsLower(r)
	}
	if start >= 0 {
		words = append(words, strings.ToLower(s[start:]))
	}
	return words
}
