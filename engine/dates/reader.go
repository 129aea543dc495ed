package dates

import (
	"iter"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
)

// Reader reads the dates of one page. It is for one goroutine.
type Reader struct {
	captured time.Time
	lang     string            // of the page, as evidence only
	order    map[string]string // sign between numbers -> dmy or mdy, where the page proves it
	known    map[string]string // texts repeat: join dates, "today"
}

// NewReader returns a reader for a page that says its language is lang ("de-AT"; "" where
// it says none), which was captured at some time (zero where unknown) and shows some texts,
// which may prove the order of its numbers.
func NewReader(lang string, captured time.Time, texts iter.Seq[string]) *Reader {
	lang, _, _ = strings.Cut(strings.ToLower(lang), "-")
	r := &Reader{lang: lang, order: map[string]string{}, known: map[string]string{}}
	if !captured.IsZero() {
		r.captured = captured.UTC()
	}
	dmy, mdy := map[string]int{}, map[string]int{}
	for text := range texts {
		if !mayBeNumeric(text) {
			continue
		}
		for _, m := range numericForm.FindAllStringSubmatch(text, -1) {
			a, _ := strconv.Atoi(m[1])
			b, _ := strconv.Atoi(m[3])
			switch {
			case m[2] != m[4]:
			case a > 12 && a <= 31 && b <= 12:
				dmy[m[2]]++
			case b > 12 && b <= 31 && a <= 12:
				mdy[m[2]]++
			}
		}
	}
	for _, sign := range []string{"-", "/", "."} {
		switch { // one quoted foreign date among many proves nothing
		case dmy[sign] > 3*mdy[sign]:
			r.order[sign] = "dmy"
		case mdy[sign] > 3*dmy[sign]:
			r.order[sign] = "mdy"
		}
	}
	return r
}

// mayBeNumeric reports whether a text has a sign between two digits, without which there is no numericForm. Few texts have one, and the
// expression would take as long as the parsing of the page.
func mayBeNumeric(text string) bool {
	digit := func(c byte) bool { return c >= '0' && c <= '9' }
	for i := 1; i < len(text)-1; i++ {
		if c := text[i]; (c == '-' || c == '/' || c == '.') && digit(text[i-1]) && digit(text[i+1]) {
			return true
		}
	}
	return false
}

var (
	isoForm     = regexp.MustCompile(`^\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?: ?(?:Z|UTC|[+-]\d{2}:?\d{2}))?)?$`)
	unixForm    = regexp.MustCompile(`^[1-9]\d{8,9}$`)
	numericForm = regexp.MustCompile(`\b(\d{1,2})([-/.])(\d{1,2})([-/.])(\d{4}|\d{2})\b`)
)

// Longest is the length of the longest text that is read as a date, in bytes.
const Longest = 120

// Usual is what the software of a page does with dates that do not say it themselves.
type Usual struct {
	// Order is the order of numbers: "dmy", "mdy", "ymd" or "" for none.
	Order string
	// Zone is that of times; nil where it is not known.
	Zone *time.Location
}

// key names a text in what was read before.
func (u Usual) key(text string) string {
	if u.Zone == nil {
		return u.Order + text
	}
	return u.Order + u.Zone.String() + text
}

// Known reports whether a text was read before, which costs nothing then.
func (r *Reader) Known(text string, usual Usual) bool {
	_, known := r.known[usual.key(text)]
	return known
}

// Read gives a date in ISO 8601, or "" where the text is none. It reads dates in links, too, whose signs are escaped (10%3A00).
func (r *Reader) Read(text string, usual Usual) string {
	if text == "" || len(text) > Longest {
		return ""
	}
	key := usual.key(text)
	iso, known := r.known[key]
	if !known {
		if iso = r.read(decoded(text), usual); !inOurCalendar(iso) {
			iso = ""
		}
		iso = zoned(iso, usual.Zone)
		r.known[key] = iso
	}
	return iso
}

// decoded is a text without the escapes of URLs. A plus sign stays: in a date it begins the zone.
func decoded(text string) string {
	if strings.IndexByte(text, '%') < 0 {
		return text
	}
	if plain, err := url.PathUnescape(text); err == nil {
		return plain
	}
	return text
}

// inOurCalendar reports whether a date can be one of a page: a year far off is
// one of another calendar (Persian 1394, Buddhist 2558) that was misread.
func inOurCalendar(iso string) bool { return iso >= "1900" && iso < "2100" }

// Order is the order of numbers that the texts of the page prove for dates written as this one, "" where they prove none.
func (r *Reader) Order(text string) string {
	if m := numericForm.FindStringSubmatch(text); m != nil {
		return r.order[m[2]]
	}
	return ""
}

// zoned is a date with the zone that is usual, where it has a time and no zone.
func zoned(iso string, zone *time.Location) string {
	if zone == nil || len(iso) != len(local) {
		return iso
	}
	at, err := time.ParseInLocation(local, iso, zone)
	if err != nil {
		return iso
	}
	return at.Format(time.RFC3339)
}

// local is the layout of a time without a zone.
const local = "2006-01-02T15:04:05"

func (r *Reader) read(text string, usual Usual) string {
	if isoForm.MatchString(text) {
		return readISO(text)
	}
	if unixForm.MatchString(text) {
		n, _ := strconv.ParseInt(text, 10, 64)
		return time.Unix(n, 0).UTC().Format(time.RFC3339)
	}
	if !strings.ContainsFunc(text, unicode.IsDigit) && r.captured.IsZero() {
		return ""
	}
	t := words()
	tokens, ok := t.tokens(fold(text))
	if !ok {
		return ""
	}
	for lang := range r.languages(t, tokens) {
		for _, try := range []func(*reading) (moment, bool){absolute, relative} {
			rd := &reading{Reader: r, now: r.wall(usual.Zone), lang: lang, table: t, usual: usual.Order,
				tokens: append([]token(nil), tokens...)}
			if m, ok := try(rd); ok {
				return m.String()
			}
		}
	}
	return ""
}

// wall is what a clock in a zone showed when the page was captured, as if it were one of UTC.
func (r *Reader) wall(zone *time.Location) time.Time {
	if zone == nil || r.captured.IsZero() {
		return r.captured
	}
	_, offset := r.captured.In(zone).Zone()
	return r.captured.Add(time.Duration(offset) * time.Second)
}

// languages are the languages that have all words of a text, the page's own first. Where all words are
// of all languages, none of them (-1) is asked before those in which one means something else.
func (r *Reader) languages(t *table, tokens []token) iter.Seq[int] {
	all, own := everyLanguage, languages{}
	for _, tok := range tokens {
		var in languages
		for _, m := range tok.means {
			in = in.or(m.in)
			if m.in != everyLanguage {
				own = own.or(m.in)
			}
		}
		if tok.kind == 'a' {
			all = all.and(in)
		}
	}
	return func(yield func(int) bool) {
		if all == everyLanguage && !yield(-1) {
			return
		}
		mine := slices.Index(t.languages, r.lang)
		if mine >= 0 && all.and(own).has(mine) && !yield(mine) {
			return
		}
		for i := range t.languages {
			if i != mine && all.and(own).has(i) && !yield(i) {
				return
			}
		}
	}
}

func readISO(s string) string {
	t := strings.Replace(strings.Replace(strings.Replace(s, " ", "T", 1), " ", "", 1), "UTC", "Z", 1)
	if len(t) == len(time.DateOnly) {
		if _, err := time.Parse(time.DateOnly, t); err == nil {
			return t
		}
		return ""
	}
	for _, layout := range []string{time.RFC3339, "2006-01-02T15:04:05Z0700", "2006-01-02T15:04Z07:00", "2006-01-02T15:04Z0700"} {
		if at, err := time.Parse(layout, t); err == nil {
			return at.Format(time.RFC3339)
		}
	}
	for _, layout := range []string{"2006-01-02T15:04:05", "2006-01-02T15:04"} {
		if at, err := time.Parse(layout, t); err == nil {
			return at.Format(local)
		}
	}
	return ""
}
