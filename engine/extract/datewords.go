package extract

import (
	"regexp"
	"strconv"
	"strings"
	"time"
	"unicode"
)

// What the parser of dates does not know of the world's dates: digits of other
// scripts, marks of the half of the day where it does not expect them, the months of
// some languages, and years of other calendars. plain turns these into what it knows.

// halves are the marks of a half of the day.
var halves = []struct {
	mark *regexp.Regexp
	half string
}{
	{regexp.MustCompile(`(?:오전|上午|午前|\b[Aa]\.?[Mm]\.?)\s*(\d{1,2}:\d\d(?::\d\d)?)`), "am"},
	{regexp.MustCompile(`(?:오후|下午|午後|\b[Pp]\.?[Mm]\.?)\s*(\d{1,2}:\d\d(?::\d\d)?)`), "pm"},
	{regexp.MustCompile(`(\d{1,2}:\d\d(?::\d\d)?)\s*(?:[πΠ]\.?\s?[μΜ]\.?|ق\.?\s?ظ\.?|قبل از ظهر)`), "am"},
	{regexp.MustCompile(`(\d{1,2}:\d\d(?::\d\d)?)\s*(?:[μΜ]\.?\s?[μΜ]\.?|ب\.?\s?ظ\.?|بعد از ظهر)`), "pm"},
}

var (
	weekdayForm = regexp.MustCompile(`[月火水木金土日]曜日?|[일월화수목금토]요일|(?:星期|週|周)[一二三四五六日天]|[(（][月火水木金土日월화수목금토일一二三四五六][)）]`)
	koreanForm  = regexp.MustCompile(`\b(\d{4})\.\s?(\d{1,2})\.\s?(\d{1,2})(?:\.|$)`)
	eraForm     = regexp.MustCompile(`(令和|平成|昭和|民國|民国)\s*(\d{1,3}|元)\s*年`)
	buddhist    = regexp.MustCompile(`\b2[45]\d\d\b`)
	persianForm = regexp.MustCompile(`\b(\d{1,2})(?:م|ام)?\s+(\p{L}+),?\s+(1[34]\d\d)\b`)
	persianYMD  = regexp.MustCompile(`\b(1[34]\d\d)[-/.](\d{1,2})[-/.](\d{1,2})\b`)
	persianDMY  = regexp.MustCompile(`\b(\d{1,2})[-/.](\d{1,2})[-/.](1[34]\d\d)\b`)
	vietnamese  = regexp.MustCompile(`(?i)tháng\s+(mười một|mười hai|\p{L}+|\d{1,2})`)
	vietGlue    = regexp.MustCompile(`(?i)(?:thứ\s+(?:\d|hai|ba|tư|năm|sáu|bảy)|chủ\s+nhật),?|(?:ngày|năm|lúc)\s`)
)

// eras are the years before the first of each.
var eras = map[string]int{"令和": 2018, "平成": 1988, "昭和": 1925, "民國": 1911, "民国": 1911}

// months are the beginnings of the twelve names of a language, in order; a month
// that is written in two ways has both, with a bar between.
type months [12]string

// of gives the number of a month, 1 to 12, or 0.
func (m *months) of(name string) int {
	name = strings.ToLower(name)
	for i, beginnings := range m {
		for b := range strings.SplitSeq(beginnings, "|") {
			if strings.HasPrefix(name, b) {
				return i + 1
			}
		}
	}
	return 0
}

// named gives the number of the month of exactly this name, or 0.
func (m *months) named(name string) int {
	for i, names := range m {
		for n := range strings.SplitSeq(names, "|") {
			if strings.EqualFold(name, n) {
				return i + 1
			}
		}
	}
	return 0
}

var (
	persianMonths = months{"فرورد", "ارد", "خرداد", "تی|تي", "مرداد|امرداد", "شهر", "مهر", "آبان|ابان", "آذر|اذر", "دی|دي", "بهمن", "اسفند"}
	vietMonths    = months{"một|giêng", "hai", "ba", "tư|bốn", "năm", "sáu", "bảy", "tám", "chín", "mười", "mười một", "mười hai"}
)

// others are languages that the parser does not read, or not well. A text is of one
// where the page says so, or the mark is in it.
var others = []struct {
	lang   string
	months months
	mark   *regexp.Regexp
}{
	{"lv", months{"janv", "febr", "mart", "apr", "maij", "jūn", "jūl", "aug", "sept", "okt", "nov", "dec"}, regexp.MustCompile(`\d\. gada\b`)},
	{"lt", months{"saus", "vas", "kov", "bal", "geg", "birž", "liep", "rugp", "rugs", "spal", "lapk", "gruod"}, regexp.MustCompile(`\d m\. \p{L}+ \d{1,2} d\b`)},
	{"eu", months{"urt", "ots", "mar", "api", "mai", "eka", "uzt", "abu", "ira", "urr", "aza", "abe"}, regexp.MustCompile(`\d\(e\)ko\b`)},
	{"gl", months{"xan", "feb", "marz", "abr", "mai", "xuñ", "xul", "ago", "set", "out", "nov", "dec"}, regexp.MustCompile(`\bx(?:uñ|ul|an)`)},
	{"hy", months{"հունվ|հնվ", "փետ|փտվ", "մար|մրտ", "ապր", "մայ|մյս", "հունի|հնս", "հուլ|հլս", "օգ", "սեպ", "հոկ", "նոյ", "դեկ"}, regexp.MustCompile(`\p{Armenian}`)},
	{"he", months{"ינו|בינו", "פבר|בפבר", "מרץ|במרץ|מרס|במרס", "אפר|באפר", "מאי|במאי", "יונ|ביונ", "יול|ביול", "אוג|באוג", "ספט|בספט", "אוק|באוק", "נוב|בנוב", "דצמ|בדצמ"},
		regexp.MustCompile(`\p{Hebrew}`)},
}

// wordForm is a word with what is tied to it: an ending in brackets, the dot or the
// geresh of an abbreviation.
var wordForm = regexp.MustCompile(`(?:\(\p{L}+\))?\p{L}[\p{L}\p{M}]*(?:\(\p{L}+\)|[.׳])?|\(\p{L}+\)`)

// plain is a text as the parser of dates can read it. Years of the Buddhist, the
// Persian and the Japanese calendar become ours where the text or the page's language
// says which it is; those of the Islamic calendar do not, whose months begin when the
// moon is seen.
func (d *dates) plain(s string) string {
	s = strings.Map(func(r rune) rune {
		if r > unicode.MaxASCII && unicode.IsDigit(r) {
			return '0' + decimal(r)
		}
		return r
	}, s)
	for _, h := range halves {
		s = h.mark.ReplaceAllString(s, " $1 "+h.half)
	}
	s = weekdayForm.ReplaceAllString(s, " ")
	s = koreanForm.ReplaceAllString(s, "$1-$2-$3 ")
	s = replaced(eraForm, s, func(m []string) string {
		n, err := strconv.Atoi(m[2])
		if err != nil {
			n = 1 // 元 is the first
		}
		return strconv.Itoa(eras[m[1]]+n) + "年"
	})
	if vietnamese.MatchString(s) {
		s = replaced(vietnamese, s, func(m []string) string {
			n, err := strconv.Atoi(m[1])
			if err != nil {
				n = vietMonths.named(m[1])
			}
			return monthName(n, m[0])
		})
		s = vietGlue.ReplaceAllString(s, "") // "năm" is the year, and was the month of May
	}
	return strings.TrimSpace(d.worded(d.thai(d.persian(s))))
}

// decimal is the value of a digit: the ten of a script stand in a row.
func decimal(r rune) rune {
	zero := r
	for r-zero < 9 && unicode.IsDigit(zero-1) {
		zero--
	}
	return r - zero
}

// monthName is the name in the one language that every parser of dates knows, or
// what stood there.
func monthName(n int, otherwise string) string {
	if n < 1 || n > 12 {
		return otherwise
	}
	return time.Month(n).String()
}

func replaced(form *regexp.Regexp, s string, by func(groups []string) string) string {
	return form.ReplaceAllStringFunc(s, func(t string) string { return by(form.FindStringSubmatch(t)) })
}

func (d *dates) speaks(lang string) bool { return len(d.lang) > 0 && d.lang[0] == lang }

// thai turns years of the Buddhist calendar into ours.
func (d *dates) thai(s string) string {
	if !d.speaks("th") && !strings.ContainsFunc(s, func(r rune) bool { return unicode.Is(unicode.Thai, r) }) {
		return s
	}
	s = buddhist.ReplaceAllStringFunc(s, func(year string) string {
		n, _ := strconv.Atoi(year)
		return strconv.Itoa(n - 543)
	})
	return strings.NewReplacer("พ.ศ.", "", "ค.ศ.", "", "วัน", "", "ที่", "", "น.", "").Replace(s)
}

// persian turns dates of the Persian calendar into ours: with a month of it, or all
// numbers on a page that is Persian.
func (d *dates) persian(s string) string {
	ours := func(year, month, day, otherwise string) string {
		y, _ := strconv.Atoi(year)
		m, _ := strconv.Atoi(month)
		n, _ := strconv.Atoi(day)
		t, ok := persianDay(y, m, n)
		if !ok || !d.captured.IsZero() && t.After(d.captured.AddDate(1, 0, 0)) {
			return otherwise // 1436 is a year of the Islamic calendar, too
		}
		return t.Format(time.DateOnly)
	}
	s = replaced(persianForm, s, func(m []string) string {
		return ours(m[3], strconv.Itoa(persianMonths.of(m[2])), m[1], m[0])
	})
	if !d.speaks("fa") {
		return s
	}
	s = replaced(persianYMD, s, func(m []string) string { return ours(m[1], m[2], m[3], m[0]) })
	return replaced(persianDMY, s, func(m []string) string { return ours(m[3], m[2], m[1], m[0]) })
}

// persianDay is a day of the Persian calendar, by the rule of 33 years: eight of
// them have a 366th day, the 1st, 5th, 9th, 13th, 17th, 22nd, 26th and 30th. It agrees with the sky
// from 1244 to 1471 (1865 to 2093); ok is false outside, and for days that are none.
func persianDay(year, month, day int) (_ time.Time, ok bool) {
	if year < 1244 || year > 1471 || month < 1 || month > 12 || day < 1 {
		return time.Time{}, false
	}
	leap := func(y int) int {
		switch y % 33 {
		case 1, 5, 9, 13, 17, 22, 26, 30:
			return 1
		}
		return 0
	}
	days, length := 31*min(month-1, 6)+30*max(month-7, 0), 31
	switch {
	case month == 12:
		length = 29 + leap(year)
	case month > 6:
		length = 30
	}
	if day > length {
		return time.Time{}, false
	}
	for y := 1244; y < year; y++ {
		days += 365 + leap(y)
	}
	return time.Date(1865, time.March, 21, 0, 0, 0, 0, time.UTC).AddDate(0, 0, days+day-1), true
}

// worded writes the month of a date in English, where the parser does not know its
// name, and leaves the other words out, but for those of the half of the day.
func (d *dates) worded(s string) string {
	for i := range others {
		o := &others[i]
		if !d.speaks(o.lang) && !o.mark.MatchString(s) {
			continue
		}
		found := false
		in := wordForm.ReplaceAllStringFunc(s, func(t string) string {
			if n := o.months.of(t); n > 0 {
				found = true
				return " " + time.Month(n).String() + " "
			}
			if t == "am" || t == "pm" {
				return t
			}
			return " "
		})
		if found {
			return in
		}
	}
	return s
}
