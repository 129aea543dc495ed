package trap

import (
	"net/url"
	"strings"
	"time"
	"unicode"
)

// family names the pages of which one may lead to the next without end: those whose
// addresses differ in their numbers alone, from the first number in the path on in
// everything. Addresses without a number are together by their first folder or script, and by the names of
// their parameters. A calendar is one family, whatever the day, and the dated articles
// beside it are another.
func family(u *url.URL) string {
	path, numbers := pathFamily(u.EscapedPath())
	query, numbered := queryFamily(u.RawQuery)
	switch {
	case numbers:
	case u.RawQuery != "" && strings.ContainsRune(u.Path[strings.LastIndexByte(u.Path, '/')+1:], '.'):
		path = u.EscapedPath() // a script
	default:
		path = firstFolder(path)
	}
	if !numbered {
		query = wordQuery(u.RawQuery)
	}
	return short(strings.ReplaceAll(u.Host+path+query, " ", "+")) // names of other suspects have a space
}

// pathFamily writes "#" for each run of segments with numbers, and "*" for the words behind it.
func pathFamily(path string) (pattern string, numbers bool) {
	var kept []string
	add := func(s string) {
		if s != "#" && s != "*" || len(kept) == 0 || kept[len(kept)-1] != s {
			kept = append(kept, s)
		}
	}
	for _, s := range strings.Split(strings.Trim(path, "/"), "/") {
		at := strings.IndexFunc(unescaped(s), unicode.IsDigit)
		switch {
		case isToken(s):
			numbers = true
			add("#")
		case at >= 0:
			numbers = true
			add(unescaped(s)[:at] + "#")
		case numbers:
			add("*")
		default:
			add(s)
		}
	}
	return "/" + strings.Join(kept, "/"), numbers
}

// queryFamily writes "#" for the values with numbers.
func queryFamily(query string) (pattern string, numbers bool) {
	var b strings.Builder
	mark := byte('?')
	for pair := range pairs(query) {
		name, value, _ := strings.Cut(pair, "=")
		if value == "" {
			continue
		}
		if strings.ContainsFunc(unescaped(value), unicode.IsDigit) && len(listed(value)) == 1 {
			numbers, value = true, "#"
		}
		b.WriteByte(mark)
		b.WriteString(name + "=" + value)
		mark = '&'
	}
	return b.String(), numbers
}

// wordQuery names the parameters of a query without numbers.
func wordQuery(query string) string {
	var b strings.Builder
	mark := byte('?')
	for pair := range pairs(query) {
		name, _, _ := strings.Cut(pair, "=")
		b.WriteByte(mark)
		b.WriteString(name)
		mark = '&'
	}
	return b.String()
}

func firstFolder(path string) string {
	if first, rest, below := strings.Cut(strings.TrimPrefix(path, "/"), "/"); below && rest != "" {
		return "/" + first + "/*"
	}
	return "/*"
}

// pairs yields the parameters of a query.
func pairs(query string) func(yield func(string) bool) {
	return strings.FieldsFuncSeq(query, func(r rune) bool { return r == '&' || r == ';' })
}

func unescaped(s string) string {
	if u, err := url.QueryUnescape(s); err == nil {
		return u
	}
	return s
}

// place is the folder of an address, whatever numbers it has.
func place(u *url.URL) string {
	pattern, _ := pathFamily(u.EscapedPath()[:strings.LastIndexByte(u.EscapedPath(), '/')+1])
	return short(u.Host + strings.ReplaceAll(pattern, " ", "+"))
}

func folder(u *url.URL) string { return u.Host + u.Path[:strings.LastIndexByte(u.Path, '/')+1] }

// isToken reports whether a segment is an identifier that a machine drew: long, and of digits
// and letters mixed.
func isToken(s string) bool {
	return len(s) >= 16 && strings.ContainsAny(s, "0123456789") && !strings.ContainsAny(s, "-_.")
}

// dated reports whether an address names a day, a month or a year: in its path, or by
// the names of its parameters.
func dated(u *url.URL) bool {
	if year(u) != 0 || strings.Contains(strings.ToLower(u.Path), "calendar") {
		return true
	}
	for pair := range pairs(u.RawQuery) {
		name, value, _ := strings.Cut(strings.ToLower(pair), "=")
		if isDateName(name) || strings.Contains(value, "calendar") {
			return true
		}
	}
	return false
}

func isDateName(name string) bool {
	switch name {
	case "y", "m", "d":
		return true
	}
	for _, word := range []string{"year", "month", "day", "date", "week", "cal"} {
		if strings.Contains(name, word) {
			return true
		}
	}
	return false
}

// year is the year that a dated address names, 0 for none: four digits that stand for themselves, or
// before a month, in a segment that is a date or a parameter that is called so.
func year(u *url.URL) int {
	for _, s := range strings.Split(u.Path, "/") {
		if y := leadingYear(s); y != 0 && isNumber(s) {
			return y
		}
	}
	for pair := range pairs(u.RawQuery) {
		name, value, _ := strings.Cut(strings.ToLower(pair), "=")
		if y := leadingYear(value); y != 0 && isNumber(value) && isDateName(name) {
			return y
		}
	}
	return 0
}

func leadingYear(s string) int {
	if len(s) < 4 || len(s) > 4 && len(s) != 6 && len(s) != 8 && s[4] != '-' && s[4] != '.' && s[4] != '_' {
		return 0
	}
	y := 0
	for _, c := range []byte(s[:4]) {
		if c < '0' || c > '9' {
			return 0
		}
		y = 10*y + int(c-'0')
	}
	if y < 1000 || y > 2999 {
		return 0
	}
	return y
}

// firstWebYear is when the web began to have pages: few of an earlier day were published on it.
const firstWebYear = 1990

// beyond reports whether an address names a time that has not come yet, or was before the web.
func beyond(u *url.URL, now time.Time) bool {
	y := year(u)
	return y != 0 && (y > now.Year()+1 || y < firstWebYear)
}
