package dates

import (
	_ "embed"
	"strconv"
	"strings"
	"sync"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

//go:embed words.txt
var wordsFile string

// class is what a word may be in a date.
type class uint8

const (
	skip    class = iota // nothing: "at", "Uhr", an ending of an ordinal number
	month                // value 1 to 12
	persian              // a month of the Persian calendar, 1 to 12
	era                  // a count of years, value is the year before its first
	weekday              // 0 is Sunday
	half                 // of the day: 0 is am, 1 pm
	unit                 // of time, year to second
	ago                  // that a length of time lies in the past
	when                 // a span around now: "yesterday"
	number               // 1 to 12, as a word
	zone                 // minutes east of Greenwich
)

// Units of time, from the longest.
const (
	year = iota
	months
	week
	day
	hour
	minute
	second
	units
)

const unitLetters = "ymwdhis" // as words.txt has them

// meaning is what a word is in some languages.
type meaning struct {
	class class
	value int // as class says
	unit  int // of when
	in    languages
}

// languages is a set of them, by their number in words.txt.
type languages [2]uint64

func (l *languages) add(i int)                { l[i/64] |= 1 << (i % 64) }
func (l languages) has(i int) bool            { return l[i/64]&(1<<(i%64)) != 0 }
func (l languages) and(o languages) languages { return languages{l[0] & o[0], l[1] & o[1]} }
func (l languages) or(o languages) languages  { return languages{l[0] | o[0], l[1] | o[1]} }

// everyLanguage has English glue, which is read beside all of them.
var everyLanguage = languages{^uint64(0), ^uint64(0)}

// table holds all words of dates, folded as texts are.
type table struct {
	words     map[string][]meaning // nil for the beginning of a longer entry
	languages []string
	english   int
	longest   int // of an entry, in bytes
}

// words is read at the first date, so that starting the program costs nothing.
var words = sync.OnceValue(func() *table {
	t := &table{words: make(map[string][]meaning, 8000)}
	for line := range strings.Lines(wordsFile) {
		key, list, more := strings.Cut(strings.TrimSpace(line), " ")
		switch {
		case key == "" || key == "#":
		case !more:
			t.languages = append(t.languages, key)
		default:
			t.line(key, strings.Fields(list))
		}
	}
	for w, ms := range t.words { // English glue is read in all languages
		for i, m := range ms {
			if m.in.has(t.english) && (m.class == skip || m.class == half || m.class == zone) {
				t.words[w][i].in = everyLanguage
			}
		}
	}
	return t
})

// line adds the words of one line, which stand in groups in the order of their values.
func (t *table) line(key string, groups []string) {
	for i, group := range groups {
		m := meaning{value: i}
		value, list, named := strings.Cut(group, "=")
		if !named {
			list = group
		}
		switch key {
		case "months":
			m.class, m.value = month, i+1
		case "persian":
			m.class, m.value = persian, i+1
		case "days":
			m.class, m.value = weekday, (i+1)%7
		case "units":
			m.class = unit
		case "am", "pm":
			m.class, m.value = half, strings.Index("ap", key[:1])
		case "ago":
			m.class, m.value = ago, 0
		case "skip":
			m.class, m.value = skip, 0
		case "eras", "numbers", "zones":
			m.class = map[string]class{"eras": era, "numbers": number, "zones": zone}[key]
			m.value, _ = strconv.Atoi(value)
		case "when":
			m.class, m.unit = when, strings.IndexByte(unitLetters, value[len(value)-1])
			m.value, _ = strconv.Atoi(value[:len(value)-1])
		}
		for word := range strings.SplitSeq(list, ",") {
			if word != "-" {
				t.add(fold(strings.ReplaceAll(word, "_", " ")), m)
			}
		}
	}
}

func (t *table) add(word string, m meaning) {
	t.longest = max(t.longest, len(word))
	lang := len(t.languages) - 1
	for i, had := range t.words[word] {
		if had.class == m.class && had.value == m.value && had.unit == m.unit {
			t.words[word][i].in.add(lang)
			return
		}
	}
	m.in.add(lang)
	t.words[word] = append(t.words[word], m)
	for i := range word {
		if _, known := t.words[word[:i]]; !known && i > 0 && wordEnds(word, i) {
			t.words[word[:i]] = nil // longer words begin so
		}
	}
}

// letters are written in two ways, or without what they are told apart by.
var letters = strings.NewReplacer("ı", "i", "ł", "l", "đ", "d", "ß", "ss", "ی", "ي", "ک", "ك")

// fold is a text in lower case, without accents, with digits of ASCII and signs in one form.
func fold(s string) string {
	ascii := true
	for i := range len(s) {
		ascii = ascii && s[i] < 0x80
	}
	if s = strings.ToLower(s); ascii {
		return s
	}
	s = norm.NFC.String(strings.Map(func(r rune) rune {
		switch {
		case 0x300 <= r && r <= 0x36f, unicode.Is(unicode.Cf, r):
			return -1
		case r > unicode.MaxASCII && unicode.IsDigit(r):
			return '0' + decimal(r)
		case unicode.IsSpace(r):
			return ' '
		}
		return r
	}, norm.NFKD.String(s)))
	return letters.Replace(s)
}

// decimal is the value of a digit: the ten of a script stand in a row.
func decimal(r rune) rune {
	zero := r
	for r-zero < 9 && unicode.IsDigit(zero-1) {
		zero--
	}
	return r - zero
}
