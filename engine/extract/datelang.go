package extract

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
)

// The parser of dates tries some two hundred languages on a text, and longest on one that
// is no date, which took ten to fifty milliseconds. Here is what keeps texts away from it
// that have too little for a date, and languages that cannot have written a text.

// common are the languages in Latin letters that are asked about a text without the name
// of a month, which may be a date in numbers or one counted from today.
var common = []string{"en", "es", "de", "fr", "pt", "it", "nl", "pl", "tr", "vi", "id", "cs", "hu", "sv", "ro", "da", "fi", "sk", "hr", "nb", "ca"}

// latin has the languages in Latin letters, with how their names of months begin, without
// accents; what is shorter than three letters is a whole name.
var latin = []struct{ lang, months string }{
	{"en", "apr aug dec feb jan jul jun mar may nov oct sep"},
	{"es", "abr ago dic ene feb jul jun mar may nov oct sep set"},
	{"de", "apr aug dez feb jan jul jun mai mar mrz nov okt sep"},
	{"fr", "aou avr dec fev jan jui jul jun mai mar nov oct sep"},
	{"pt", "abr ago dez fev jan jul jun mai mar nov out sep set"},
	{"it", "ago apr dic feb gen giu lug mag mar nov ott set"},
	{"nl", "apr aug dec feb jan jul jun maa mei mrt nov okt sep"},
	{"pl", "cze gru kwi lip lis lut maj mar paz sie sty wrz"},
	{"tr", "ag agu ar ara ek eki ey eyl ha haz ka kas mar may ni nis oc oca su sub te tem"},
	{"vi", "tha thg"},
	{"id", "agt agu apr des feb jan jul jun mar mei nov okt sep"},
	{"cs", "bre cer crc crv cvc cvn dub kve led lis pro rij srp uno unr zar"},
	{"hu", "apr aug dec feb i ii iii iv ix jan jul jun maj mar nov okt sze v vi vii x xi xii"},
	{"sv", "apr aug dec feb jan jul jun maj mar nov okt sep"},
	{"ro", "apr aug dec feb ian iul iun mai mar noi nov oct sep"},
	{"da", "apr aug dec feb jan jul jun maj mar nov okt sep"},
	{"fi", "elo hei hel huh jou kes lok maa mar syy tam tou"},
	{"sk", "apr aug dec feb jan jul jun maj mar nov okt sep"},
	{"hr", "kol lip lis ozu pro ruj sij srp stu svi tra vel"},
	{"lt", "bal bir geg gru kov lap lie rug sau spa vas"},
	{"nb", "apr aug des feb jan jul jun mai mar nov okt sep"},
	{"sl", "apr avg dec feb jan jul jun maj mar nov okt sep"},
	{"ca", "abr ag ago des feb gen jul jun mai mar nov oct set"},
	{"et", "apr aug det jaa juu mai mar nov okt sep vee"},
	{"lv", "apr aug dec feb jan jul jun mai mar nov okt sep"},
	{"sr-Latn", "apr avg dec feb jan jul jun maj mar nov okt sep"},
	{"sw", "ago apr des feb jan jul jun mac mei nov okt sep"},
	{"fil", "abr ago dis ene hul hun mar may nob okt peb set"},
	{"ms", "apr dis feb jan jul jun mac mei nov ogo okt sep"},
	{"az", "apr avq dek fev iyl iyn iyu mar may noy okt sen yan"},
	{"af", "apr aug des feb jan jul jun maa mei mrt nov okt sep"},
	{"sq", "dhj gsh gus jan kor maj mar nen pri qer shk sht tet"},
	{"bs", "apr aug avg dec feb jan jul jun maj mar nov okt sep"},
	{"gl", "abr ago dec feb mai mar nov out set xan xul xun"},
	{"nn", "apr aug des feb jan jul jun mai mar nov okt sep"},
	{"ga", "aib bea dfo ean fea fom iui lun mar mei mfo nol sam"},
	{"eu", "abe abu api aza eka ira mai mar ots urr urt uzt"},
	{"fy", "apr aug des feb jan jul jun maa mai mrt nov okt sep"},
	{"ast", "abr ago avi feb mar may och pay set xin xnt xun"},
	{"br", "du ebr eos gen gou gwe her hwe ker kzu mae meu mez"},
	{"cy", "aws chw ebr gor hyd ion mai maw med meh rha tac"},
	{"mt", "apr aww dic fra gun jan lul mar mej nov ott set"},
	{"lb", "abr aug dez feb jan jul jun mae mee nov okt sep"},
	{"is", "agu apr des feb jan jul jun mai mar nov okt sep"},
	{"fo", "apr aug des feb jan jul jun mai mar nov okt sep"},
	{"gd", "cei che dam dub fao fha gea ghe ghi gib iuc lun mar mha ogm sam sul"},
	{"eo", "apr aug dec feb jan jul jun maj mar nov okt sep"},
}

// scripts has the languages in other letters.
var scripts = []struct {
	letters   *unicode.RangeTable
	languages []string
}{
	{unicode.Cyrillic, []string{"ru", "uk", "bg", "sr", "sr-Cyrl", "be", "mk", "kk", "ky", "mn", "bs-Cyrl", "uz-Cyrl", "az-Cyrl", "os", "ce", "sah"}},
	{unicode.Han, east},
	{unicode.Hiragana, east},
	{unicode.Katakana, east},
	{unicode.Hangul, []string{"ko"}},
	{unicode.Greek, []string{"el"}},
	{unicode.Arabic, []string{"ar", "fa", "ur", "ps", "ckb", "ug", "pa-Arab", "uz-Arab", "ks", "mzn", "lrc"}},
	{unicode.Hebrew, []string{"he", "yi"}},
	{unicode.Thai, []string{"th"}},
	{unicode.Lao, []string{"lo"}},
	{unicode.Devanagari, []string{"hi", "mr", "ne", "kok", "brx"}},
	{unicode.Bengali, []string{"bn", "as"}},
	{unicode.Gurmukhi, []string{"pa", "pa-Guru"}},
	{unicode.Gujarati, []string{"gu"}},
	{unicode.Oriya, []string{"or"}},
	{unicode.Tamil, []string{"ta"}},
	{unicode.Telugu, []string{"te"}},
	{unicode.Kannada, []string{"kn"}},
	{unicode.Malayalam, []string{"ml"}},
	{unicode.Sinhala, []string{"si"}},
	{unicode.Myanmar, []string{"my"}},
	{unicode.Khmer, []string{"km"}},
	{unicode.Georgian, []string{"ka"}},
	{unicode.Armenian, []string{"hy"}},
	{unicode.Ethiopic, []string{"am", "ti"}},
	{unicode.Tibetan, []string{"bo", "dz"}},
}

var east = []string{"zh", "zh-Hans", "zh-Hant", "ja", "yue"}

// unlettered are languages of each order of numbers: a text without letters is the same
// in all others.
var unlettered = []string{"en", "es", "ja"}

// monthsOf has the languages of which a month begins so.
var monthsOf = func() map[string][]string {
	out := map[string][]string{}
	for _, l := range latin {
		for m := range strings.FieldsSeq(l.months) {
			out[m] = append(out[m], l.lang)
		}
	}
	return out
}()

// mostWords are the words of Latin letters that a date can have ("sábado, 12 de mayo de
// 2015 a las 10:15 hs").
const mostWords = 8

// wording is what the letters and numbers of a text tell about the date that it may be.
type wording struct {
	numbers int      // of those outside a time
	year    bool     // of four digits
	words   int      // in letters of Latin
	months  []string // languages in which a word may be a month
	others  []string // languages in other letters than Latin
}

var clockForm = regexp.MustCompile(`\d{1,2}:\d\d(?::\d\d)?`)

func wordingOf(s string) wording {
	rest := clockForm.ReplaceAllString(s, " ")
	w := wording{year: yearForm.MatchString(rest)}
	inNumber, name := false, []rune(nil)
	for _, r := range rest + " " {
		number := '0' <= r && r <= '9'
		if number && !inNumber {
			w.numbers++
		}
		inNumber = number
		switch {
		case unicode.Is(unicode.Latin, r):
			name = append(name, unaccented(r))
			continue
		case unicode.Is(unicode.Mn, r) && len(name) > 0:
			continue // an accent by itself
		case unicode.IsLetter(r):
			w.script(r)
		}
		w.name(name)
		name = name[:0]
	}
	return w
}

// name notes the languages of which a word in Latin letters may be a month.
func (w *wording) name(word []rune) {
	if len(word) == 0 {
		return
	}
	w.words++
	for _, l := range monthsOf[string(word[:min(3, len(word))])] {
		if !slices.Contains(w.months, l) {
			w.months = append(w.months, l)
		}
	}
}

// script notes the languages of a letter of another script.
func (w *wording) script(r rune) {
	for i := range scripts {
		if unicode.Is(scripts[i].letters, r) {
			if !slices.Contains(w.others, scripts[i].languages[0]) {
				w.others = append(w.others, scripts[i].languages...)
			}
			return
		}
	}
}

// tellsDay tells whether there is enough for a month or a day of a year. Letters that are
// not Latin may be numbers.
func (w *wording) tellsDay() bool {
	return w.numbers >= 3 || w.numbers == 2 && w.year || w.numbers > 0 && len(w.months) > 0 || len(w.others) > 0
}

// languages are those to ask about a date that a text tells by itself, or one that is
// counted from today.
func (d *dates) languages(w wording, fromToday bool) []string {
	switch {
	case w.words == 0 && len(w.others) == 0:
		return slices.Clone(unlettered)
	case len(w.others) > 0:
		return append(append([]string{"en"}, w.others...), w.months...) // the parser leaves marks out, as that of a Russian year
	case !fromToday && w.numbers < 3 && len(w.months) > 0:
		return slices.Clone(w.months)
	}
	out := append(slices.Clone(common), w.months...)
	if len(d.lang) > 0 && slices.ContainsFunc(latin, func(l struct{ lang, months string }) bool { return l.lang == d.lang[0] }) {
		out = append(out, d.lang[0])
	}
	return out
}

// unaccented is a letter of Latin in lower case without its accent.
func unaccented(r rune) rune {
	r = unicode.ToLower(r)
	if r <= unicode.MaxASCII {
		return r
	}
	for i, with := range accents {
		if strings.ContainsRune(with, r) {
			return rune("aceginorsuyz"[i])
		}
	}
	return r
}

// accents has what the letters aceginorsuyz are written as in names of months.
var accents = [...]string{"áàâäãåăā", "çćč", "éèêëęěēė", "ğģ", "íìîïī", "ñńňņ", "óòôöõőō", "řŕ", "śšşș", "úùûüűūů", "ý", "źżž"}

// alike are numbers that a date has as well as another, with what stands for them.
var alike = []struct {
	number *regexp.Regexp
	sign   string
}{
	{regexp.MustCompile(`\b(?:0?[1-9]|1[0-2]):[0-5]\d(?::[0-5]\d)?\b`), "c"},
	{regexp.MustCompile(`\b(?:00?|1[3-9]|2[0-3]):[0-5]\d(?::[0-5]\d)?\b`), "t"},
	{regexp.MustCompile(`\b(?:19|20)\d\d\b`), "y"},
	{regexp.MustCompile(`\b(?:0?[1-9]|1[0-2])\b`), "m"},
	{regexp.MustCompile(`\b(?:1[3-9]|2[0-8])\b`), "d"},
}

// shapeOf is a text without what differs between those of a kind, such as the dates
// before the titles of posts: what is no date for its words is none with other numbers.
func shapeOf(s string) string {
	for _, a := range alike {
		s = a.number.ReplaceAllLiteralString(s, a.sign)
	}
	return s
}
