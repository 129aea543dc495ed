package graph

import (
	"fmt"
	"net/url"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/cayleygraph/quad"
)

// escapeIRI percent-encodes what may not stand in an IRI: spaces, controls, <>"{}|^`\, bytes that are not UTF-8, and the
// private and non-characters that RFC 3987 leaves out.
func escapeIRI(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		if inIRI(r, size) {
			b.WriteString(s[i : i+size])
		} else {
			for _, c := range []byte(s[i : i+size]) {
				fmt.Fprintf(&b, "%%%02X", c)
			}
		}
		i += size
	}
	return b.String()
}

func inIRI(r rune, size int) bool {
	switch {
	case r == utf8.RuneError && size <= 1: // a byte that is not UTF-8
		return false
	case r <= ' ' || r >= 0x7f && r < 0xa0 || strings.ContainsRune("<>\"{}|^`\\", r):
		return false
	case r >= 0xe000 && r <= 0xf8ff || r >= 0xfdd0 && r <= 0xfdef || r >= 0xfff0 && r <= 0xffff || r&0xfffe == 0xfffe || r >= 0xf0000:
		return false
	}
	return true
}

// iri makes an IRI of whatever a page has as an address: absolute ones as they are, others relative to the page, what
// cannot be parsed as a fragment of the page. It never is a blank node.
func (e *encoder) iri(ref string) quad.IRI {
	ref = strings.TrimSpace(ref)
	if hasScheme(ref) {
		return quad.IRI(escapeIRI(ref))
	}
	if base, err := url.Parse(e.capture.URL); err == nil && base.IsAbs() {
		if u, err := base.Parse(ref); err == nil && hasScheme(u.String()) {
			return quad.IRI(escapeIRI(u.String()))
		}
	}
	page, _, _ := strings.Cut(string(e.page), "#")
	return quad.IRI(page + "#" + escapeIRI(strings.ReplaceAll(ref, "#", "%23")))
}

// hasScheme reports whether s starts as an absolute IRI does and goes on after the colon.
func hasScheme(s string) bool {
	scheme, rest, ok := strings.Cut(s, ":")
	if !ok || rest == "" || scheme == "" {
		return false
	}
	for i := range len(scheme) {
		c := scheme[i] | 0x20
		if (c < 'a' || c > 'z') && (i == 0 || !strings.ContainsRune("0123456789+-.", rune(scheme[i]))) {
			return false
		}
	}
	return true
}

// text is a plain literal. Characters that are not text (controls other than tab and line breaks, non-characters, bytes
// that are not UTF-8) become U+FFFD: some RDF tools refuse a file for one of them.
func text(s string) quad.String {
	return quad.String(strings.Map(func(r rune) rune {
		if r < ' ' && r != '\t' && r != '\n' && r != '\r' || r == 0x7f || r&0xfffe == 0xfffe || r >= 0xfdd0 && r <= 0xfdef {
			return utf8.RuneError
		}
		return r
	}, strings.ToValidUTF8(s, "\uFFFD")))
}

// date is xsd:dateTime or xsd:date when the text is one lexically and in the calendar, and a plain literal otherwise.
func date(s string) quad.Value {
	s = strings.TrimSpace(s)
	for _, layout := range []string{"2006-01-02T15:04:05Z07:00", "2006-01-02T15:04:05"} {
		if t, err := time.Parse(layout, s); err == nil && lexical(s, t) {
			return quad.TypedString{Value: quad.String(s), Type: xsd + "dateTime"}
		}
	}
	if _, err := time.Parse(time.DateOnly, s); err == nil {
		return quad.TypedString{Value: quad.String(s), Type: xsd + "date"}
	}
	return text(s)
}

// lexical refuses what time.Parse forgives and xsd does not: a comma before the fraction, an hour of one digit, a zone
// beyond 14 hours.
func lexical(s string, t time.Time) bool {
	const seconds = len("2006-01-02T15:04:05")
	if len(s) < seconds || s[13] != ':' || s[16] != ':' || strings.Contains(s, ",") {
		return false
	}
	_, zone := t.Zone()
	return zone <= 14*3600 && zone >= -14*3600
}

// number is xsd:integer or xsd:decimal when the text is one, and a plain literal otherwise.
func number(s string) quad.Value {
	s = strings.TrimSpace(s)
	whole, fraction, decimal := strings.Cut(strings.TrimPrefix(s, "-"), ".")
	switch {
	case !digits(whole) || decimal && !digits(fraction):
		return text(s)
	case decimal:
		return quad.TypedString{Value: quad.String(s), Type: xsd + "decimal"}
	}
	return quad.TypedString{Value: quad.String(s), Type: xsd + "integer"}
}

func digits(s string) bool {
	return s != "" && strings.Trim(s, "0123456789") == ""
}
