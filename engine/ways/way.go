package ways

import (
	"cmp"
	"net/url"
	"path"
	"slices"
	"strings"
	"unicode"
)

// Bounds of the parts of a link pattern, in bytes. They are arbitrary.
const (
	maxPlace = 600
	maxShape = 200
	maxWord  = 16 // of a value that counts as a word of the software
)

// Name returns the name of the link pattern of a link to u at a place on its page.
func Name(place string, u *url.URL) string {
	if len(place) > maxPlace {
		place = place[len(place)-maxPlace:]
	}
	return strings.ToValidUTF8(place, "") + " " + Shape(u)
}

// noteMark begins a note.
const noteMark = "way "

// Note returns the note of a URL: the link pattern that led to it, and the rest of the note.
func Note(name, rest string) string { return noteMark + name + "\n" + rest }

// Noted reads a note; name is "" in a text without one.
func Noted(note string) (name, rest string) {
	if !strings.HasPrefix(note, noteMark) {
		return "", note
	}
	name, rest, _ = strings.Cut(strings.TrimPrefix(note, noteMark), "\n")
	return name, rest
}

// broader returns the shape and the outline of a link pattern.
func broader(name string) [2]string {
	_, s, ok := strings.Cut(name, " ")
	if !ok {
		s = name
	}
	return [2]string{s, outline(s)}
}

// Shape returns an address without numbers, titles, and values that are not words.
func Shape(u *url.URL) string {
	var b strings.Builder
	for s := range strings.SplitSeq(strings.TrimPrefix(u.EscapedPath(), "/"), "/") {
		b.WriteByte('/')
		b.WriteString(segmentShape(s))
	}
	var pairs []string
	for pair := range strings.FieldsFuncSeq(u.RawQuery, func(r rune) bool { return r == '&' || r == ';' }) {
		name, value, _ := strings.Cut(pair, "=")
		if name = valueShape(name); value != "" {
			name += "=" + valueShape(value)
		}
		pairs = append(pairs, name)
	}
	slices.Sort(pairs)
	if pairs = slices.Compact(pairs); len(pairs) > 0 {
		b.WriteByte('?')
		b.WriteString(strings.Join(pairs, "&"))
	}
	s := b.String()
	return s[:min(len(s), maxShape)]
}

// segmentShape keeps a name of one or two words, and the text before a number.
func segmentShape(s string) string {
	ext := path.Ext(s)
	if strings.ContainsAny(ext, "0123456789%") || len(ext) > 6 {
		ext = ""
	}
	stem := strings.TrimSuffix(s, ext)
	named := strings.TrimRight(stem, "0123456789") // comment-page-2
	words, between := 0, true
	for i := range len(named) {
		was := between
		if between = strings.IndexByte("-_.+~%", named[i]) >= 0; was && !between {
			words++
		}
	}
	switch at := strings.IndexAny(stem, "0123456789"); {
	case words > 2 || strings.Contains(stem, "%"):
		return "*" + ext
	case at >= 0:
		return stem[:min(at, maxWord)] + "#" + ext
	case len(stem) > maxWord:
		return "*" + ext
	}
	return s
}

// valueShape keeps a value that is a word.
func valueShape(s string) string {
	if words, err := url.QueryUnescape(s); err == nil {
		s = words
	}
	if strings.ContainsAny(s, "0123456789") {
		return "#"
	}
	odd := func(r rune) bool { return r > unicode.MaxASCII || !unicode.IsLetter(r) && r != '_' && r != '-' }
	if len(s) > maxWord || strings.ContainsFunc(s, odd) {
		return "*"
	}
	return s
}

// Outline returns the outline of a link pattern: its script or folder, with the names of
// parameters.
func Outline(name string) string { return broader(name)[1] }

// outline returns a shape without the words of its last segment and the values of its parameters.
func outline(shape string) string {
	p, query, asks := strings.Cut(shape, "?")
	if asks {
		return p + "?" + parameters(query)
	}
	dir, last := path.Split(strings.TrimSuffix(p, "/"))
	if strings.Contains(last, "#") {
		return p
	}
	return cmp.Or(dir, "/") + "*" + path.Ext(last)
}

// parameters returns the names of the parameters of a shape.
func parameters(query string) string {
	var names []string
	for pair := range strings.SplitSeq(query, "&") {
		name, _, _ := strings.Cut(pair, "=")
		names = append(names, name)
	}
	return strings.Join(slices.Compact(names), "&")
}
