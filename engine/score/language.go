package score

import (
	"cmp"
	"strings"
	"sync"
	"unicode"

	"github.com/abadojack/whatlanggo"
	"golang.org/x/text/language"
)

// Bounds of the detection of a language. The shares of confidence and of words are arbitrary.
const (
	// plainly is the confidence from which the detected language takes precedence over the declared
	// one. Related languages, such as Danish and Norwegian, stay below.
	plainly     = 0.8
	unstated    = 0.5      // the same where a page declares none
	maxLanguage = 16 << 10 // bytes of a text by which its language is detected
	maxFunction = 200      // words of a text that are looked up as function words
	minFunction = 3        // function words that show a language
	minShare    = 0.2      // of all words, likewise
)

// Language returns the language of a text as a canonical BCP 47 tag. In order: the script, if one
// language writes it; the declared language, unless the text is not in its script, or its function
// words are plainly of another; the detected one, of texts of 200 bytes or more. A text in a script
// that the declared language does not use is "und-Cyrl" or the like if it is too short. It is "" if
// nothing is known.
func Language(stated, text string) string {
	text = clip(text, maxLanguage)
	tag := canonical(stated)
	script := scriptOf(text)
	if script == "" {
		return tag
	}
	own, fits := base(tag), fitsScript(tag, script)
	if one := onlyOf[script]; one != "" {
		if fits {
			return tag
		}
		return one
	}
	found, shown := functionWords(text, script)
	switch {
	case tag != "" && fits && (!shown || found[own]):
		if !shown && len(text) >= detectMin {
			return cmp.Or(detected(text, own, script, plainly), tag)
		}
		return tag
	case shown && len(found) == 1:
		for l := range found {
			return string(l)
		}
	case len(text) >= detectMin:
		if l := detected(text, own, script, unstated); l != "" {
			return l
		}
	}
	if tag != "" && fits {
		return tag
	}
	if l := byLetters(text, script); l != "" || tag == "" {
		return l
	}
	return "und-" + script
}

// canonical writes a tag as BCP 47 recommends: en-GB. It is "" for an invalid one.
func canonical(tag string) string {
	if tag == "" {
		return ""
	}
	t, err := language.Parse(tag)
	if err != nil || t == language.Und {
		return ""
	}
	return t.String()
}

func base(tag string) Lang {
	b, _, _ := strings.Cut(tag, "-")
	return Lang(b)
}

// detected is the language that the trigrams of a text show with a confidence, or "".
func detected(text string, own Lang, script string, confidence float64) string {
	info := whatlanggo.Detect(text)
	found := whatlanggo.LangToStringShort(info.Lang)
	if found == "" || Lang(found) == own || info.Confidence < confidence || !fitsScript(found, script) {
		return ""
	}
	return found
}

// onlyOf are the languages of scripts that hardly any other language on the web is written in.
var onlyOf = map[string]string{"Hang": "ko", "Jpan": "ja", "Hani": "zh", "Thai": "th", "Grek": "el", "Hebr": "he", "Geor": "ka",
	"Armn": "hy", "Laoo": "lo", "Khmr": "km", "Mymr": "my", "Taml": "ta", "Telu": "te", "Knda": "kn", "Mlym": "ml", "Gujr": "gu",
	"Guru": "pa", "Sinh": "si"}

var scriptTables = []struct {
	name  string
	table *unicode.RangeTable
}{
	{"Cyrl", unicode.Cyrillic}, {"Hani", unicode.Han}, {"Kana", unicode.Hiragana}, {"Kana", unicode.Katakana}, {"Hang", unicode.Hangul},
	{"Arab", unicode.Arabic}, {"Deva", unicode.Devanagari}, {"Beng", unicode.Bengali}, {"Ethi", unicode.Ethiopic}, {"Latn", unicode.Latin},
	{"Thai", unicode.Thai}, {"Grek", unicode.Greek}, {"Hebr", unicode.Hebrew}, {"Geor", unicode.Georgian}, {"Armn", unicode.Armenian},
	{"Laoo", unicode.Lao}, {"Khmr", unicode.Khmer}, {"Mymr", unicode.Myanmar}, {"Taml", unicode.Tamil}, {"Telu", unicode.Telugu},
	{"Knda", unicode.Kannada}, {"Mlym", unicode.Malayalam}, {"Gujr", unicode.Gujarati}, {"Guru", unicode.Gurmukhi},
	{"Sinh", unicode.Sinhala},
}

// mostLetters is by how many letters of a text its script is told; further ones hardly change it.
const mostLetters = 500

// scriptOf returns the ISO 15924 code of the script of most letters, Jpan for Han with kana; "" if
// no script has most. A letter of Han, kana or Hangul weighs as much as three others.
func scriptOf(text string) string {
	counts := map[string]int{}
	latin, all, last := 0, 0, 0
	for _, r := range text {
		switch {
		case r < 0x80:
			if r|0x20 >= 'a' && r|0x20 <= 'z' {
				latin, all = latin+1, all+1
			}
		case unicode.IsLetter(r):
			if !unicode.Is(scriptTables[last].table, r) {
				last = max(0, indexOfScript(r))
			}
			counts[scriptTables[last].name]++
			all++
		}
		if all == mostLetters {
			break
		}
	}
	if counts["Latn"] += latin; all == 0 {
		return ""
	}
	if kana := counts["Kana"]; kana > 0 && 10*kana >= kana+counts["Hani"] {
		counts["Jpan"] = kana + counts["Hani"]
		delete(counts, "Hani")
	}
	delete(counts, "Kana")
	best, most, sum := "", 0, 0
	for name, n := range counts {
		if name == "Jpan" || name == "Hani" || name == "Hang" {
			n *= 3
		}
		if sum += n; n > most {
			best, most = name, n
		}
	}
	if 2*most <= sum {
		return ""
	}
	return best
}

func indexOfScript(r rune) int {
	for i := range scriptTables {
		if unicode.Is(scriptTables[i].table, r) {
			return i
		}
	}
	return -1
}

// Fits reports whether a text is in a script of a language, or in none.
func Fits(tag, text string) bool {
	script := scriptOf(clip(text, maxLanguage))
	return script == "" || fitsScript(tag, script)
}

// fitting keeps what fitsScript computed: few languages are on a site.
var fitting sync.Map

// fitsScript reports whether a language is written in a script, by the likely subtags of CLDR.
func fitsScript(tag, script string) bool {
	key := [2]string{tag, script}
	if fits, known := fitting.Load(key); known {
		return fits.(bool)
	}
	fits := tag != "" && writtenIn(tag, script)
	if len(tag) <= mostTag {
		fitting.Store(key, fits)
	}
	return fits
}

// mostTag bounds the tags that are kept, in bytes: longer ones have subtags that any page can make up.
const mostTag = 5

func writtenIn(tag, script string) bool {
	t, err := language.Parse(tag)
	if err != nil {
		return false
	}
	likely, _ := t.Script()
	switch is := likely.String(); script {
	case "Hani":
		return is == "Hans" || is == "Hant" || is == "Hani" || is == "Jpan"
	case "Hang":
		return is == "Kore" || is == "Hang"
	case "Latn", "Cyrl", "Arab": // languages with two scripts
		both := map[Lang]bool{"sr": true, "uz": true, "kk": true, "az": true, "bs": true, "mn": true, "ku": true, "tk": true, "tt": true}
		return is == script || both[base(tag)]
	default:
		return is == script
	}
}

// functionLanguages are the languages of each function word.
var functionLanguages = sync.OnceValue(func() map[string][]Lang {
	all := map[string][]Lang{}
	for lang, words := range stopWords() {
		for w := range words {
			all[w] = append(all[w], lang)
		}
	}
	return all
})

// functionWords returns the languages that have most of the function words of a text, several if
// they have as many. shown is false if the text has too few, or another language has nearly as many.
func functionWords(text, script string) (found map[Lang]bool, shown bool) {
	counts, total := map[Lang]int{}, 0
	of := functionLanguages()
	for w := range words(text) {
		if total++; total > maxFunction {
			break
		}
		for _, l := range of[w] {
			counts[l]++
		}
	}
	most := 0
	for _, n := range counts {
		most = max(most, n)
	}
	if most < minFunction || float64(most) < minShare*float64(min(total, maxFunction)) {
		return nil, false
	}
	found = map[Lang]bool{}
	for l, n := range counts {
		switch {
		case n == most:
			found[l] = true
		case 2*n > most && fitsScript(string(l), script):
			return nil, false
		}
	}
	return found, true
}

// letters are those that one language of a script has, and its neighbours do not.
var letters = map[string][]struct {
	lang  string
	has   string
	lacks string
}{
	"Cyrl": {{"be", "ў", ""}, {"uk", "їєґ", "ыэё"}, {"mk", "ѓќѕ", ""}, {"sr", "ђћљњџј", "ыэёй"}, {"ru", "ыэё", "іїєўј"}},
	"Arab": {{"fa", "پچژگ", "ٹڈڑے"}, {"ur", "ٹڈڑے", ""}},
}

// byLetters returns the language of a text in a script, by its letters, or "".
func byLetters(text, script string) string {
	text = strings.ToLower(text)
	for _, l := range letters[script] {
		if strings.ContainsAny(text, l.has) && !(l.lacks != "" && strings.ContainsAny(text, l.lacks)) {
			return l.lang
		}
	}
	return ""
}
