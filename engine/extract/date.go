package extract

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	dateparser "github.com/markusmobius/go-dateparser"
	"github.com/markusmobius/go-dateparser/date"
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/awarc/awarc/kb"
)

// noZone marks times of which the page gives no zone.
var noZone = time.FixedZone("none", 0)

var (
	isoForm     = regexp.MustCompile(`^\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?: ?(?:Z|UTC|[+-]\d{2}:?\d{2}))?)?$`)
	unixForm    = regexp.MustCompile(`^[1-9]\d{8,9}$`)
	yearForm    = regexp.MustCompile(`\b(?:19|20)\d\d\b`)
	numericForm = regexp.MustCompile(`\b(\d{1,2})([-/.])(\d{1,2})([-/.])(\d{4}|\d{2})\b`)
)

// dates reads the dates of one page.
type dates struct {
	captured time.Time
	lang     []string          // of the page, as evidence only
	order    map[string]string // separator -> dmy or mdy, where the page proves it
	parser   dateparser.Parser
	known    map[string]string // texts repeat: join dates, "today"
	failed   map[string]bool   // shapes of texts that were no date
	strange  int               // different texts that were no date
	asked    int               // steps that the parser took, about
}

func newDates(doc *html.Node, captured time.Time) *dates {
	d := &dates{order: map[string]string{}, known: map[string]string{}, failed: map[string]bool{}}
	if !captured.IsZero() {
		d.captured = captured.UTC()
	}
	d.evidence(doc)
	return d
}

// evidence reads what the page proves about its numeric dates: a day above 12
// shows which of the two numbers it is. Dates that contradict each other (a
// quoted foreign date) prove nothing.
func (d *dates) evidence(doc *html.Node) {
	dmy, mdy := map[string]int{}, map[string]int{}
	for n := range doc.Descendants() {
		switch {
		case n.DataAtom == atom.Html:
			if l, _, _ := strings.Cut(attr(n, "lang"), "-"); l != "" {
				d.lang = []string{strings.ToLower(l)}
			}
		case n.Type == html.TextNode && n.Parent != nil && !silent[n.Parent.DataAtom]:
			for _, m := range numericForm.FindAllStringSubmatch(n.Data, -1) {
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
	}
	for _, sep := range []string{"-", "/", "."} {
		switch {
		case dmy[sep] > 3*mdy[sep]:
			d.order[sep] = "dmy"
		case mdy[sep] > 3*dmy[sep]:
			d.order[sep] = "mdy"
		}
	}
}

// Steps of reading a date, measured against those of an expression.
const (
	stepsOfText     = 100   // of any text
	stepsOfDate     = 8_000 // of one that is read
	stepsOfLanguage = 40    // of each byte of one that a language does not read
)

// mostStrange bounds the different texts of a page that the parser of dates finds
// to be none, which cost most; a page with so many is asked for no more dates.
const mostStrange = 300

// parse gives a date in ISO 8601, or "" where the text is none. usual is the
// order of numeric dates that the knowledge base expects, used where the page
// does not prove another.
func (d *dates) parse(s, usual string, work *kb.Work) string {
	const longest, mostSpaces = 120, 14
	if s == "" || len(s) > longest || strings.Count(s, " ") >= mostSpaces {
		return ""
	}
	key := usual + s
	iso, known := d.known[key]
	if known {
		return iso
	}
	if d.strange >= mostStrange || !work.Spend(stepsOfText) {
		return ""
	}
	d.asked = 0
	if iso = d.read(s, usual); !inOurCalendar(iso) {
		iso = ""
		if d.asked > 0 {
			d.strange++
		}
	}
	if !work.Spend(d.asked) {
		return ""
	}
	d.known[key] = iso
	return iso
}

// inOurCalendar tells whether a date can be one of a page: a year far off is
// one of another calendar (Persian 1394, Buddhist 2558) that was misread.
func inOurCalendar(iso string) bool { return iso >= "1900" && iso < "2100" }

func (d *dates) read(s, usual string) string {
	if isoForm.MatchString(s) {
		return readISO(s)
	}
	if unixForm.MatchString(s) {
		n, _ := strconv.ParseInt(s, 10, 64)
		return time.Unix(n, 0).UTC().Format(time.RFC3339)
	}
	s = d.plain(s)
	cfg := &dateparser.Configuration{
		CurrentTime: d.captured, DefaultTimezone: noZone, ReturnTimeAsPeriod: true, PreferredDateSource: dateparser.Past,
	}
	if m := numericForm.FindStringSubmatch(s); m != nil {
		if cfg.DateOrder = d.numericOrder(m, usual); cfg.DateOrder == nil {
			return ""
		}
	}
	w := wordingOf(s)
	shape := usual + shapeOf(s)
	if w.words > mostWords || d.failed[shape] {
		return ""
	}
	d.parser.ParserTypes = []dateparser.ParserType{dateparser.AbsoluteTime}
	others := slices.DeleteFunc(d.languages(w, false), func(l string) bool { return slices.Contains(d.lang, l) })
	for _, cfg.RequiredParts = range [][]string{{"day", "month", "year"}, {"month", "year"}} {
		if !w.tellsDay() || len(cfg.RequiredParts) == 2 && (w.numbers > 2 || !yearForm.MatchString(s)) {
			break // the library would read "May 12" as May 2012
		}
		for _, cfg.Languages = range [][]string{d.lang, others} {
			if len(cfg.Languages) == 0 {
				continue // which would be all
			}
			if iso := d.ask(cfg, s); iso != "" {
				return iso
			}
		}
	}
	if d.captured.IsZero() || !hasWord(s) {
		d.failed[shape] = true
		return ""
	}
	cfg.RequiredParts, cfg.Languages = nil, d.languages(w, true)
	d.parser.ParserTypes = []dateparser.ParserType{dateparser.RelativeTime, dateparser.AbsoluteTime}
	if iso := d.ask(cfg, s); iso != "" {
		return iso
	}
	d.failed[shape] = true
	return ""
}

// ask has the parser read a text.
func (d *dates) ask(cfg *dateparser.Configuration, s string) string {
	got, err := d.parser.Parse(cfg, s)
	if err != nil {
		d.asked += stepsOfLanguage * len(s) * len(cfg.Languages)
		return ""
	}
	d.asked += stepsOfDate
	return format(got)
}

// hasWord keeps bare numbers and times from being read as dates relative to
// now.
func hasWord(s string) bool { return strings.ContainsFunc(s, unicode.IsLetter) }

// numericOrder decides the order of a numeric date: by the date itself, by the
// page, by what is usual for the software, by the separator; nil when nothing
// decides.
func (d *dates) numericOrder(m []string, usual string) dateparser.DateOrder {
	a, _ := strconv.Atoi(m[1])
	b, _ := strconv.Atoi(m[3])
	order := d.order[m[2]]
	switch {
	case usual == "ymd" && len(m[5]) == 2:
		order = usual
	case a > 12:
		order = "dmy"
	case b > 12:
		order = "mdy"
	case order == "" && usual != "":
		order = usual
	case order == "" && m[2] == ".":
		order = "dmy"
	}
	switch order {
	case "dmy":
		return dateparser.DMY
	case "mdy":
		return dateparser.MDY
	case "ymd":
		return dateparser.YMD
	}
	if a == b {
		return dateparser.DMY
	}
	return nil
}

func readISO(s string) string {
	t := strings.Replace(strings.Replace(strings.Replace(s, " ", "T", 1), " ", "", 1), "UTC", "Z", 1)
	if len(t) == len("2006-01-02") {
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
			return at.Format("2006-01-02T15:04:05")
		}
	}
	return ""
}

// format writes a parsed date with as much as the text held.
func format(d date.Date) string {
	layout := "2006-01-02T15:04:05"
	switch d.Period {
	case date.Day:
		return d.Time.Format(time.DateOnly)
	case date.Month:
		return d.Time.Format("2006-01")
	case date.Year:
		return d.Time.Format("2006")
	}
	if d.Time.Location().String() != noZone.String() { // the parser copies zones
		layout = time.RFC3339
	}
	return d.Time.Format(layout)
}
