package trap

import (
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

// number is a run of digits in the path or query of an address.
type number struct{ from, to int }

// numbersOf finds the numbers in an address, but for those of escapes.
func numbersOf(s string) (found []number) {
	for i := 0; i < len(s); i++ {
		switch {
		case s[i] == '%':
			i += 2
		case '0' <= s[i] && s[i] <= '9':
			from := i
			for i < len(s) && '0' <= s[i] && s[i] <= '9' {
				i++
			}
			found = append(found, number{from, i})
			i--
		}
	}
	return found
}

// sameForm reports whether two addresses of a host differ in their numbers alone.
func sameForm(a, b *url.URL) bool {
	if a.Host != b.Host {
		return false
	}
	x, y := a.RequestURI(), b.RequestURI()
	p, q := numbersOf(x), numbersOf(y)
	if len(p) != len(q) {
		return false
	}
	for i, at, from := 0, 0, 0; ; i++ {
		if i == len(p) {
			return x[at:] == y[from:]
		}
		if x[at:p[i].from] != y[from:q[i].from] {
			return false
		}
		at, from = p[i].to, q[i].to
	}
}

// invented makes up an address like that of a page, for which nobody can have made a page: a number far
// beyond any, the year of no calendar, a word of no language. "" where it knows of none.
// n tells one invention from the next.
func invented(u, via *url.URL, s *suspect, n int) string {
	if s.kind == SessionID {
		return withParameter(u, s.name, n)
	}
	at := u.RequestURI()
	numbers := numbersOf(at)
	if len(numbers) == 0 || s.kind == Facets || s.kind == RepeatingPath {
		return absolute(u, withWord(at, n))
	}
	changing := changed(at, numbers, via)
	chosen := slices.IndexFunc(numbers, func(x number) bool { return x == changing })
	for i := range numbers {
		if isDate(at, numbers, i) {
			chosen = i
			break
		}
	}
	x := numbers[chosen]
	if isToken(segmentAt(at, x)) {
		return absolute(u, strings.Replace(at, segmentAt(at, x), token(len(segmentAt(at, x)), n), 1))
	}
	text := farFrom(at, numbers, chosen, n)
	if n%2 == 1 && changing != x && changing.from > x.from {
		// What follows from the number that the pages count by is to differ, too.
		return absolute(u, at[:x.from]+text+at[x.to:changing.from]+beside(at[changing.from:changing.to])+at[changing.to:])
	}
	return absolute(u, at[:x.from]+text+at[x.to:])
}

// isDate reports whether a number begins a date: the digits of a year, with those of a month or a week behind them, or in an
// address that speaks of dates. Other numbers of four digits count pages, and those that are made up like years may be there.
func isDate(at string, numbers []number, i int) bool {
	x := numbers[i]
	digits := at[x.from:x.to]
	switch {
	case leadingYear(digits) == 0:
		return false
	case len(digits) > len("2024"):
		return inYear(digits[4:6]) && (len(digits) < len("20240131") || inYear(digits[6:8]))
	case i+1 < len(numbers) && numbers[i+1].from <= x.to+len("-W"):
		next := at[numbers[i+1].from:numbers[i+1].to]
		return len(next) <= len("12") && inYear(next)
	}
	path, query, _ := strings.Cut(at[:x.from], "?")
	name := query[strings.LastIndexAny(query, "&;")+1:]
	return strings.Contains(strings.ToLower(path), "calendar") || isDateName(strings.ToLower(strings.TrimSuffix(name, "=")))
}

// inYear reports whether digits count days of a month, months or weeks of a year.
func inYear(digits string) bool {
	n, err := strconv.Atoi(digits)
	return err == nil && n >= 1 && n <= 53
}

// farFrom makes up a number in the place of another: the year of no calendar, where it begins a date, or one beyond any.
func farFrom(at string, numbers []number, i, n int) string {
	if isDate(at, numbers, i) {
		return fmt.Sprint(2300+7*(n%90)) + at[numbers[i].from+len("2024"):numbers[i].to]
	}
	return farNumber(n)
}

// farNumber makes up a number beyond any.
func farNumber(n int) string { return fmt.Sprint(1_900_000_011 + 1_009*(n%200_000)) }

// changed picks the number by which pages are counted: the first in which a page differs
// from the one that led to it, else the last.
func changed(at string, numbers []number, via *url.URL) number {
	if via != nil {
		before := via.RequestURI()
		others := numbersOf(before)
		for i, x := range numbers {
			if len(others) == len(numbers) && at[x.from:x.to] != before[others[i].from:others[i].to] {
				return x
			}
		}
	}
	return numbers[len(numbers)-1]
}

// beside gives a number next to another, of the same length.
func beside(digits string) string {
	n, err := strconv.Atoi(digits)
	switch {
	case err != nil:
		return digits
	case n > 1:
		return fmt.Sprintf("%0*d", len(digits), n-1)
	}
	return fmt.Sprintf("%0*d", len(digits), n+1)
}

// segmentAt is the segment or value around a number.
func segmentAt(at string, x number) string {
	from := strings.LastIndexAny(at[:x.from], "/?&=;") + 1
	to := len(at)
	if i := strings.IndexAny(at[x.to:], "/?&=;"); i >= 0 {
		to = x.to + i
	}
	return at[from:to]
}

// withWord puts a word of no language in the place of the last value or segment, or of the last of
// several values in it.
func withWord(at string, n int) string {
	end := strings.TrimSuffix(at, "/")
	slash := at[len(end):]
	from := strings.LastIndexAny(end, "/=?"+separators) + 1
	if from == 0 || from == len(end) && slash == "" {
		return ""
	}
	rest := ""
	if dot := strings.LastIndexByte(end[from:], '.'); dot > 0 && len(end)-from-dot <= len(".xhtml") {
		rest = end[from+dot:]
	}
	return end[:from] + word(n) + rest + slash
}

// withParameter gives a parameter another value.
func withParameter(u *url.URL, name string, n int) string {
	for _, p := range parameters(u) {
		if nameOfParameter(u, p) != name {
			continue
		}
		before := "="
		if strings.HasPrefix(p.name, "/") {
			before = ""
		}
		value := token(len(p.value), n)
		switch {
		case isNumber(p.value):
			value = farNumber(n)
		case !strings.ContainsAny(p.value, "0123456789"):
			value = word(n)
		}
		return strings.Replace(u.String(), before+p.value, before+value, 1)
	}
	return ""
}

// word makes up a word.
func word(n int) string {
	const letters = "bcdfghjklmnpqrstvwxz"
	h := hashOf(fmt.Sprint("word", n))
	var b strings.Builder
	for range 9 {
		b.WriteByte(letters[h%uint64(len(letters))])
		h /= uint64(len(letters))
	}
	return b.String()
}

// token makes up an identifier of a length.
func token(length, n int) string {
	text := ""
	for i := 0; len(text) < length; i++ {
		text += fmt.Sprintf("%016x", hashOf(fmt.Sprint("token", n, i)))
	}
	return text[:length]
}

func absolute(u *url.URL, at string) string {
	if at == "" {
		return ""
	}
	return u.Scheme + "://" + u.Host + at
}
