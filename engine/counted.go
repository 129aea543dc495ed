package engine

import (
	"fmt"
	"strings"
)

// Counted returns a count and a phrase whose words agree with it: "page|pages that is|are new" gives
// "1 page that is new" and "2 pages that are new".
func Counted[N int | int64](n N, phrase string) string {
	return fmt.Sprintf("%d %s", n, inNumber(n, phrase))
}

// inNumber returns a phrase of [Counted] in the singular for 1, in the plural otherwise.
func inNumber[N int | int64](n N, phrase string) string {
	words := strings.Split(phrase, " ")
	for i, word := range words {
		if one, many, ok := strings.Cut(word, "|"); ok && n == 1 {
			words[i] = one
		} else if ok {
			words[i] = many
		}
	}
	return strings.Join(words, " ")
}
