package trap

import (
	"net/url"
	"strings"
)

// Bounds of addresses. They are Heritrix' and Zeno's, which have met many sites.
const (
	maxSegments   = 20
	maxLength     = 2000 // of path and query, in bytes
	maxParameters = 40
	maxNested     = 3 // addresses within the parameters of an address
)

// Kinds of traps, as reports name them.
const (
	RepeatingPath  = "repeating path"
	DeepPath       = "deep path"
	LongURL        = "long URL"
	GrowingQuery   = "growing query"
	NearDuplicates = "near-duplicates"
	Soft404        = "soft 404"
	SessionID      = "session id"
	Calendar       = "calendar"
	Endless        = "endless"
	Facets         = "facets"
)

// Shape says what is wrong with an address that only a machine can have made, "" for
// nothing.
func Shape(u *url.URL) string {
	segments := segmentsOf(u)
	switch {
	case repeats(segments, manyRepeats):
		return RepeatingPath
	case growing(u.RawQuery):
		return GrowingQuery
	case len(segments) > maxSegments:
		return DeepPath
	case len(u.EscapedPath())+len(u.RawQuery) > maxLength:
		return LongURL
	}
	return ""
}

func segmentsOf(u *url.URL) []string { return strings.Split(strings.Trim(u.EscapedPath(), "/"), "/") }

// How often segments are repeated in a path: /jobs/all/all/all/1 is one that people made, and
// where there is a trap, there are paths with more.
const (
	someRepeats = 3
	manyRepeats = 6
)

// stutters reports whether a path repeats itself as that of a relative link does which leads to itself, though
// a person may have written it.
func stutters(u *url.URL) bool {
	return strings.Count(u.Path, "/") >= someRepeats && repeats(segmentsOf(u), someRepeats)
}

// repeats reports whether a run of one to four segments comes so many times in a row, or,
// for a single number, two times more: /2011/11/11/ is a day. So does a segment that
// is no number and comes once more than that in whatever place.
func repeats(segments []string, most int) bool {
	times := make(map[string]int)
	for _, s := range segments {
		if times[s]++; times[s] > most && s != "" && !isNumber(s) {
			return true
		}
	}
	for size := 1; size <= 4; size++ {
		same := 0 // segments in a row that equal those size before
		for i := size; i < len(segments); i++ {
			if segments[i] != segments[i-size] {
				same = 0
				continue
			}
			times := most
			if size == 1 && isNumber(segments[i]) {
				times += 2
			}
			if same++; same >= size*(times-1) {
				return true
			}
		}
	}
	return false
}

// growing reports whether a query gives one parameter the same value four times or eight
// values, has more parameters than any form, or holds addresses within addresses.
func growing(query string) bool {
	if query == "" {
		return false
	}
	pairs := strings.FieldsFunc(query, func(r rune) bool { return r == '&' || r == ';' })
	if len(pairs) > maxParameters {
		return true
	}
	times := make(map[string]int)
	for _, p := range pairs {
		name, _, _ := strings.Cut(p, "=")
		list := strings.HasSuffix(name, "[]") || strings.HasSuffix(strings.ToLower(name), "%5b%5d")
		times[name+"="]++
		if times[p]++; times[p] >= 4 && p != name+"=" || times[name+"="] >= 8 && !list {
			return true
		}
	}
	depth := 0
	for deeper := query; ; depth++ {
		_, rest, found := strings.Cut(strings.ToLower(deeper), "%3f") // a question mark within a value
		if !found {
			return depth > maxNested
		}
		if deeper = rest; depth > maxNested {
			return true
		}
		deeper = strings.ReplaceAll(deeper, "%25", "%")
	}
}

// isNumber reports whether a segment or value is a number or a date: digits, and what
// stands between them.
func isNumber(s string) bool {
	digits := false
	for i := range len(s) {
		switch {
		case '0' <= s[i] && s[i] <= '9':
			digits = true
		case !strings.ContainsRune("-_.:", rune(s[i])):
			return false
		}
	}
	return digits
}
