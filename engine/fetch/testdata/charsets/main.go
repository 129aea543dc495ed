// Command learn prints letters.txt of package fetch from the folder of texts that
// learn.sh makes: a file for each language.
package main

import (
	"cmp"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode"
)

// What is rarer is not kept: 2^-maxBits.
const (
	maxBits   = 14
	fewest    = 3       // times that a pair or character must be met
	mostBytes = 8 << 20 // of a language
	mostChars = 3500    // of a language of East Asia
)

func main() {
	files, err := filepath.Glob(filepath.Join(os.Args[1], "*"))
	if err != nil || len(files) == 0 {
		fmt.Fprintln(os.Stderr, "no texts in", os.Args[1], err)
		os.Exit(1)
	}
	languages := map[string]string{}
	for _, f := range files {
		b, err := os.ReadFile(f)
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		lang := filepath.Base(f)
		if lang = strings.ToLower(lang); !strings.HasPrefix(lang, "zh") {
			lang, _, _ = strings.Cut(lang, "-")
		}
		languages[lang] += string(b[:min(len(b), mostBytes)])
	}
	fmt.Println("# How many bits a letter takes after another one ('_' is all that is no letter), and a character of East Asia. " +
		"Made by testdata/charsets/learn.sh.")
	for _, lang := range slices.Sorted(func(yield func(string) bool) {
		for l := range languages {
			if !yield(l) {
				return
			}
		}
	}) {
		fmt.Println("language", lang)
		switch lang {
		case "ja", "ko", "zh-cn", "zh-tw":
			show(characters(languages[lang]))
		default:
			show(pairs(languages[lang]))
		}
	}
}

// letter folds a character to what pairs are of.
func letter(r rune) rune {
	if r = unicode.ToLower(r); unicode.IsLetter(r) || unicode.Is(unicode.Mn, r) {
		return r
	}
	return '_'
}

func pairs(text string) map[int][]string {
	first, both := map[rune]int{}, map[[2]rune]int{}
	last := '_'
	for _, r := range text {
		r = letter(r)
		first[last]++
		both[[2]rune{last, r}]++
		last = r
	}
	levels := map[int][]string{}
	for p, n := range both {
		if p[0] < 0x80 && p[1] < 0x80 || n < fewest {
			continue
		}
		if bits := bits(n, first[p[0]]); bits <= maxBits {
			levels[bits] = append(levels[bits], string(p[:]))
		}
	}
	return levels
}

func characters(text string) map[int][]string {
	count := map[rune]int{}
	all := 0
	for _, r := range text {
		if r >= 0x2e80 {
			count[r]++
			all++
		}
	}
	var known []rune
	for r, n := range count {
		if n >= fewest {
			known = append(known, r)
		}
	}
	slices.SortFunc(known, func(a, b rune) int { return cmp.Or(count[b]-count[a], int(a-b)) })
	levels := map[int][]string{}
	for _, r := range known[:min(len(known), mostChars)] {
		b := min(bits(count[r], all), maxBits+1)
		levels[b] = append(levels[b], string(r))
	}
	return levels
}

func bits(n, of int) int { return int(math.Round(-math.Log2(float64(n) / float64(of)))) }

func show(levels map[int][]string) {
	for bits := 0; bits <= maxBits+1; bits++ {
		if s := levels[bits]; len(s) > 0 {
			slices.Sort(s)
			fmt.Println(bits, strings.Join(s, ""))
		}
	}
}
