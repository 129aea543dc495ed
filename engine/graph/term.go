package graph

import (
	"encoding/base64"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/cayleygraph/quad"
)

// strict returns a quad as it may be written: names are IRIs, language tags and typed literals well formed, texts without what is no
// character. A literal that is not well formed becomes a plain one. ok is false where nothing is left to be said.
func (e *encoder) strict(q quad.Quad) (_ quad.Quad, ok bool) {
	subject, predicate := e.name(string(q.Subject.(quad.IRI))), e.name(string(q.Predicate.(quad.IRI)))
	q.Subject, q.Predicate = quad.IRI(subject), quad.IRI(predicate)
	ok = subject != "" && predicate != ""
	switch o := q.Object.(type) {
	case quad.IRI:
		object := e.name(string(o))
		q.Object = quad.IRI(object)
		return q, ok && object != ""
	case quad.LangString:
		if !languageTag.MatchString(o.Lang) {
			q.Object = text(string(o.Value))
			break
		}
		q.Object = quad.LangString{Value: text(string(o.Value)), Lang: o.Lang}
	case quad.TypedString:
		q.Object = typed(string(o.Value), string(o.Type))
	case quad.String:
		q.Object = text(string(o))
	}
	return q, ok && q.Object != nil && q.Object != quad.String("")
}

// iri makes an IRI of whatever a page has as an address: absolute ones as they are, others relative to the page, what
// cannot be parsed as a fragment of the page. It never is a blank node.
func (e *encoder) iri(ref string) quad.IRI {
	ref = strings.TrimSpace(ref)
	if strings.HasPrefix(ref, "//") {
		scheme, _, _ := strings.Cut(e.page, ":")
		ref = scheme + ":" + ref
	}
	if iri := IRI(ref); iri != "" {
		return quad.IRI(iri)
	}
	if base, err := url.Parse(e.page); err == nil && !hasScheme(ref) {
		if u, err := base.Parse(encode(ref, ":@/?#")); err == nil {
			if iri := IRI(u.String()); iri != "" {
				return quad.IRI(iri)
			}
		}
	}
	page, _, _ := strings.Cut(e.page, "#")
	return quad.IRI(IRI(page + "#" + ref))
}

// text is a plain literal. Characters that are not text (controls other than tab and line breaks, non-characters, bytes
// that are not UTF-8) become U+FFFD: some RDF tools refuse a file for one of them.
func text(s string) quad.String {
	if plain(s) {
		return quad.String(s)
	}
	return quad.String(strings.Map(func(r rune) rune {
		if r < ' ' && r != '\t' && r != '\n' && r != '\r' || r == 0x7f || r&0xfffe == 0xfffe || r >= 0xfdd0 && r <= 0xfdef {
			return utf8.RuneError
		}
		return r
	}, strings.ToValidUTF8(s, "\uFFFD")))
}

// plain reports whether a text is of ASCII and has nothing to be replaced, as most have.
func plain(s string) bool {
	for i := range len(s) {
		if c := s[i]; c < ' ' && c != '\t' && c != '\n' && c != '\r' || c >= 0x7f {
			return false
		}
	}
	return true
}

// date is xsd:dateTime or xsd:date when the text is one lexically and in the calendar, and a plain literal otherwise.
func date(s string) quad.Value {
	s = strings.TrimSpace(s)
	for _, layout := range []string{"2006-01-02T15:04:05Z07:00", "2006-01-02T15:04:05"} {
		if t, err := time.Parse(layout, s); err == nil && lexical(s, t) {
			return quad.TypedString{Value: quad.String(s), Type: xsd + "dateTime"}
		}
	}
	if t, err := time.Parse(time.DateOnly, s); err == nil && t.Year() != 0 {
		return quad.TypedString{Value: quad.String(s), Type: xsd + "date"}
	}
	return text(s)
}

// lexical refuses what time.Parse forgives and xsd does not: a comma before the fraction, an hour of one digit, a zone
// beyond 14 hours, the year 0, which not all versions of XML Schema have.
func lexical(s string, t time.Time) bool {
	const seconds = len("2006-01-02T15:04:05")
	if len(s) < seconds || s[13] != ':' || s[16] != ':' || strings.Contains(s, ",") {
		return false
	}
	_, zone := t.Zone()
	return zone <= 14*3600 && zone >= -14*3600 && !strings.HasPrefix(s, "0000")
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

// languageTag is the grammar of BCP 47 without the tags that it keeps for the sake of the past.
var languageTag = regexp.MustCompile(`^(?i:([a-z]{2,3}(-[a-z]{3}){0,3}|[a-z]{4,8})(-[a-z]{4})?(-([a-z]{2}|[0-9]{3}))?` +
	`(-([a-z0-9]{5,8}|[0-9][a-z0-9]{3}))*(-[a-wyz0-9](-[a-z0-9]{2,8})+)*(-x(-[a-z0-9]{1,8})+)?|x(-[a-z0-9]{1,8})+)$`)

// typed is a literal of a datatype, an IRI, when the text is one lexically, and a plain literal otherwise; of the types of XML Schema and
// RDF only those that are known here are written.
func typed(s, datatype string) quad.Value {
	iri := IRI(datatype)
	value := quad.TypedString{Value: text(s), Type: quad.IRI(iri)}
	if local, ok := strings.CutPrefix(iri, xsd); ok {
		switch {
		case local == "dateTime" || local == "date":
			return date(s)
		case string(value.Value) == s && wellFormed(s, local):
			return value
		}
		return value.Value
	}
	if iri == "" || strings.HasPrefix(iri, rdf) && iri != rdf+"HTML" {
		return value.Value
	}
	return value
}

// wellFormed reports whether a text is in the lexical space of a type of XML Schema that is known here.
func wellFormed(s, of string) bool {
	if bits, ok := bitsOf[of]; ok {
		_, err := strconv.ParseInt(s, 10, bits)
		return err == nil
	}
	switch of {
	case "string", "anyURI":
		return true
	case "base64Binary":
		_, err := base64.StdEncoding.Strict().DecodeString(s)
		return err == nil && !strings.ContainsAny(s, "\r\n")
	}
	form := lexicalForms[of]
	return form != nil && form.MatchString(s) && !strings.HasSuffix(s, "T") && !strings.HasSuffix(s, "P") // durations of nothing
}

var bitsOf = map[string]int{"long": 64, "int": 32, "short": 16, "byte": 8}

var lexicalForms = func() map[string]*regexp.Regexp {
	const (
		zone     = `(Z|[+-](0[0-9]|1[0-3]):[0-5][0-9]|[+-]14:00)?`
		decimal  = `[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)`
		floating = decimal + `([eE][+-]?[0-9]+)?|-?INF|NaN`
	)
	forms := map[string]*regexp.Regexp{}
	for of, form := range map[string]string{
		"boolean": `true|false|0|1`, "decimal": decimal, "float": floating, "double": floating,
		"integer": `[+-]?[0-9]+`, "nonNegativeInteger": `\+?[0-9]+`, "positiveInteger": `\+?0*[1-9][0-9]*`,
		"time":  `([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](\.[0-9]+)?` + zone,
		"gYear": `[1-9][0-9]{3}` + zone, "gYearMonth": `[1-9][0-9]{3}-(0[1-9]|1[0-2])` + zone,
		"duration": `-?P([0-9]+Y)?([0-9]+M)?([0-9]+D)?(T([0-9]+H)?([0-9]+M)?([0-9]+(\.[0-9]+)?S)?)?`,
		"language": `[a-zA-Z]{1,8}(-[a-zA-Z0-9]{1,8})*`, "hexBinary": `([0-9a-fA-F]{2})*`,
	} {
		forms[of] = regexp.MustCompile(`^(` + form + `)$`)
	}
	return forms
}()
