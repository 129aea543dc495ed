package archive

import (
	"fmt"
	"regexp"
	"strings"
	"time"
)

// standardDate matches a WARC-Date as WARC/1.1 has it.
var standardDate = regexp.MustCompile(`^\d{4}(-\d\d(-\d\d(T\d\d:\d\d(:\d\d(\.\d{1,9})?)?Z)?)?)?$`)

// dateForms are the forms of dates that readers take, in upper case and without separators between
// day and time.
var dateForms = []string{"2006-01-02T15:04:05Z07:00", "2006-01-02T15:04:05Z0700", "2006-01-02T15:04:05", "2006-01-02T15:04Z",
	"20060102T150405Z", "20060102150405Z", "20060102150405", "200601021504", "20060102", "2006-01-02", "2006-01", "2006"}

// digitsOnly matches a date of digits down to fractions of a second.
var digitsOnly = regexp.MustCompile(`^(\d{14})(\d+)$`)

// parseDate reads a date of a header, also one in another form than the standard has; the time is
// zero where it cannot be read.
func parseDate(text string) (time.Time, error) {
	date := strings.ToUpper(strings.Trim(text, " \t\"<>"))
	for _, zone := range []string{"UTC", "GMT"} {
		if rest, ok := strings.CutSuffix(date, zone); ok {
			date = strings.TrimSpace(rest) + "Z"
		}
	}
	date = digitsOnly.ReplaceAllString(date, "$1.$2")
	if day, rest, ok := strings.Cut(date, " "); ok && len(day) == len("2006-01-02") {
		date = day + "T" + strings.ReplaceAll(rest, " ", "")
	}
	for _, form := range dateForms {
		if t, err := time.Parse(form, date); err == nil {
			return t, nil
		}
	}
	for _, form := range []string{time.RFC1123, time.RFC1123Z, time.RFC850, time.ANSIC} {
		if t, err := time.Parse(form, text); err == nil {
			return t, nil
		}
	}
	return time.Time{}, fmt.Errorf("invalid warc-date %.40q", text)
}

// checkDate notes a date that is not in the form of the standard.
func (r *record) checkDate() {
	text := r.header["warc-date"]
	if text == "" || standardDate.MatchString(text) {
		return
	}
	if t, err := parseDate(text); err != nil {
		r.odd(OddDate, "%v; the record has no time", err)
	} else {
		r.odd(OddDate, "warc-date %.40q is read as %s", text, t.UTC().Format(time.RFC3339Nano))
	}
}

// second is a date up to its second, in which revisits and indexes name it.
func second(date string) string {
	if t, err := parseDate(date); err == nil {
		return t.UTC().Format("20060102150405")
	}
	return indexDate(date)
}
