package score

import (
	_ "embed"
	"strings"
	"sync"
	"unicode"

	"github.com/abadojack/whatlanggo"
	"github.com/blevesearch/snowballstem"
	"github.com/blevesearch/snowballstem/arabic"
	"github.com/blevesearch/snowballstem/danish"
	"github.com/blevesearch/snowballstem/dutch"
	"github.com/blevesearch/snowballstem/english"
	"github.com/blevesearch/snowballstem/finnish"
	"github.com/blevesearch/snowballstem/french"
	"github.com/blevesearch/snowballstem/german"
	"github.com/blevesearch/snowballstem/hungarian"
	"github.com/blevesearch/snowballstem/italian"
	"github.com/blevesearch/snowballstem/norwegian"
	"github.com/blevesearch/snowballstem/portuguese"
	"github.com/blevesearch/snowballstem/romanian"
	"github.com/blevesearch/snowballstem/russian"
	"github.com/blevesearch/snowballstem/spanish"
	"github.com/blevesearch/snowballstem/swedish"
	"github.com/blevesearch/snowballstem/turkish"
)

// Lang is a language by its two-letter code of ISO 639-1, such as "en"; "" is
// an unknown one.
type Lang string

// stemmers are the languages whose words are stemmed; words of others stay as
// they are, in lower case.
var stemmers = map[Lang]func(*snowballstem.Env) bool{
	"ar": arabic.Stem, "da": danish.Stem, "de": german.Stem, "en": english.Stem, "es": spanish.Stem, "fi": finnish.Stem, "fr": french.Stem,
	"hu": hungarian.Stem,
	"it": italian.Stem, "nb": norwegian.Stem, "nl": dutch.Stem, "nn": norwegian.Stem, "no": norwegian.Stem, "pt": portuguese.Stem,
	"ro": romanian.Stem,
	"ru": russian.Stem, "sv": swedish.Stem, "tr": turkish.Stem,
}

// stopText holds one line a language: its codes and the words that any text has,
// whatever it is about.
//
//go:embed stopwords.txt
var stopText string

var stopWords = sync.OnceValue(func() map[Lang]map[string]bool {
	all := map[Lang]map[string]bool{}
	for line := range strings.Lines(stopText) {
		words := strings.Fields(line)
		if len(words) == 0 {
			continue
		}
		set := map[string]bool{}
		for _, w := range words[1:] {
			set[w] = true
		}
		for code := range strings.SplitSeq(words[0], ",") {
			all[Lang(code)] = set
		}
	}
	return all
})

// Bounds of one text. Real pages stay below; the rest of a longer text adds little
// about its topic.
const (
	maxText   = 1 << 20 // bytes that are read
	maxWord   = 64      // bytes of a word; longer ones are no words
	detectMin = 200     // bytes below which the language of a text is not detected
	detectMax = 1 << 10 // bytes by which its language is detected
)

// Detect returns the language of a text; "" if the text is short or could be of
// several.
func Detect(text string) Lang {
	if len(text) < detectMin {
		return ""
	}
	info := whatlanggo.Detect(clip(text, detectMax))
	if info.Confidence < 0.5 {
		return ""
	}
	return Lang(whatlanggo.LangToStringShort(info.Lang))
}

// Terms makes the vector of a text: its words in lower case without stop words,
// stemmed by the rules of the language, each with the number of its occurrences.
// Scripts without spaces give pairs of characters.
func Terms(text string, lang Lang) Vector {
	weights := map[string]float64{}
	s := newStems(lang)
	for w := range words(text) {
		if t := s.stem(w); t != "" {
			weights[t]++
		}
	}
	return NewVector(weights)
}

// stems turns words of one language into terms.
type stems struct {
	stop  map[string]bool
	rules func(*snowballstem.Env) bool
	env   *snowballstem.Env
	known map[string]string
}

func newStems(lang Lang) *stems {
	return &stems{stop: stopWords()[lang], rules: stemmers[lang], env: snowballstem.NewEnv(""), known: map[string]string{}}
}

// stem returns the term of a word in lower case, or "" for a word without meaning.
func (s *stems) stem(word string) string {
	if t, ok := s.known[word]; ok {
		return t
	}
	t := word
	switch {
	case s.stop[word]:
		t = ""
	case s.rules != nil:
		s.env.SetCurrent(word)
		s.rules(s.env)
		t = strings.Clone(s.env.Current())
	}
	s.known[strings.Clone(word)] = t
	return t
}

// words yields the words of a text in lower case, the first mebibyte of it.
func words(text string) func(yield func(string) bool) {
	text = clip(text, maxText)
	return func(yield func(string) bool) {
		start, run := -1, -1 // of a word; of a run without spaces
		prev := rune(0)
		word := func(end int) bool {
			if start < 0 {
				return true
			}
			w := text[start:end]
			start = -1
			return len(w) > maxWord || !meaningful(w) || yield(strings.ToLower(w))
		}
		for i, r := range text {
			switch {
			case unspaced(r):
				if !word(i) {
					return
				}
				if run >= 0 && !yield(string([]rune{prev, r})) {
					return
				}
				run, prev = i, r
				continue
			case unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r):
				if start < 0 {
					start = i
				}
			default:
				if !word(i) {
					return
				}
			}
			run = -1
		}
		word(len(text))
	}
}

// unspaced reports whether a character is of a script that puts no spaces between words.
func unspaced(r rune) bool {
	return r >= 0x0e00 && unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao, unicode.Khmer,
		unicode.Myanmar)
}

// meaningful reports whether a word is a year, or longer than a letter and not a number.
func meaningful(w string) bool {
	digits := 0
	for i := range len(w) {
		if w[i] >= '0' && w[i] <= '9' {
			digits++
		}
	}
	return len(w) > 1 && (digits < len(w) || len(w) == 4)
}

// clip cuts a text to at most n bytes without splitting a character.
func clip(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && s[n]&0xc0 == 0x80 {
		n--
	}
	return s[:n]
}
