package quads

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"strconv"
	"unicode/utf8"

	"github.com/awarc/awarc/engine/graph"
)

// syntaxError says what is wrong with a line, and where.
type syntaxError struct {
	column int // in bytes, 1 is the first
	what   string
}

func (e *syntaxError) Error() string { return e.what }

// line reads a line of N-Quads, or of N-Triples, which are quads without a graph. Its terms are valid until the next line.
type line struct {
	text  []byte
	at    int
	scope string // begins the labels of blank nodes
	terms [4][]byte
}

// Parts of a quad.
const (
	subject = iota
	predicate
	object
	graphName
)

// parse reads a line. ok is false where it says nothing.
func (l *line) parse(text []byte) (ok bool, err error) {
	l.text, l.at = text, 0
	for i := range l.terms {
		l.terms[i] = l.terms[i][:0]
	}
	if !utf8.Valid(text) {
		return false, &syntaxError{invalidUTF8(text) + 1, "bytes that are not UTF-8"}
	}
	if l.skip(); l.ended() {
		return false, nil
	}
	for part := range l.terms {
		if l.skip(); part == graphName && l.peek() == '.' {
			break
		}
		if err := l.term(part); err != nil {
			return false, err
		}
	}
	if l.skip(); l.peek() != '.' {
		return false, l.expected("a full stop at the end of the statement")
	}
	l.at++
	if l.skip(); !l.ended() {
		return false, l.expected("the end of the line or a comment after the full stop")
	}
	return true, nil
}

// Verify reads N-Quads and returns an error for the first invalid line.
func Verify(text []byte) error {
	var l line
	n := 0
	for one := range bytes.Lines(text) {
		n++
		if _, err := l.parse(bytes.TrimRight(one, "\r\n")); err != nil {
			var at *syntaxError
			errors.As(err, &at)
			return fmt.Errorf("line %d, column %d: %w", n, at.column, err)
		}
	}
	return nil
}

func invalidUTF8(text []byte) int {
	at := 0
	for at < len(text) {
		r, size := utf8.DecodeRune(text[at:])
		if r == utf8.RuneError && size <= 1 {
			break
		}
		at += size
	}
	return at
}

func (l *line) expected(what string) error {
	return &syntaxError{l.at + 1, "expected " + what}
}

func (l *line) skip() {
	for l.at < len(l.text) && (l.text[l.at] == ' ' || l.text[l.at] == '\t') {
		l.at++
	}
}

func (l *line) ended() bool { return l.at == len(l.text) || l.text[l.at] == '#' }

// peek is the next byte, or 0.
func (l *line) peek() byte {
	if l.at == len(l.text) {
		return 0
	}
	return l.text[l.at]
}

func (l *line) term(part int) (err error) {
	t := &l.terms[part]
	switch c := l.peek(); {
	case c == '<':
		*t = append(*t, kindIRI)
		*t, err = l.iri(*t)
	case c == '_' && part != predicate:
		*t = append(*t, kindBlank)
		err = l.blank(t)
	case c == '"' && part == object:
		err = l.literal(t)
	default:
		return l.expected([]string{"an IRI or a blank node as the subject", "an IRI as the predicate",
			"an IRI, a blank node or a literal as the object", "an IRI or a blank node as the graph, or a full stop"}[part])
	}
	return err
}

// iri reads <IRI> and appends the IRI, which is absolute, as graphs have it.
func (l *line) iri(t []byte) ([]byte, error) {
	begin := l.at
	l.at++
	from, odd := len(t), 0
	for {
		switch c := l.peek(); {
		case c == '>':
			l.at++
			if !hasScheme(t[from:]) {
				l.at = begin
				return t, l.expected("an absolute IRI")
			}
			if odd > 1 {
				t = append(t[:from], cmp.Or(graph.IRI(string(t[from:])), string(t[from:]))...)
			}
			return t, nil
		case c == '\\':
			r, err := l.escape(false)
			if err != nil {
				return t, err
			}
			if r <= ' ' || r < utf8.RuneSelf && notInIRI[r] {
				return t, l.expected("an IRI without such a character")
			}
			t = utf8.AppendRune(t, r)
			odd = 2
		case c <= ' ' || c < utf8.RuneSelf && notInIRI[c]:
			return t, l.expected("> at the end of the IRI")
		default:
			t = append(t, c)
			odd += oddInIRI[c]
			l.at++
		}
	}
}

// oddInIRI has 2 for the bytes of which other programs write more than RFC 3987 takes, and 1 for what it takes once.
var oddInIRI = func() (odd [256]int) {
	for c := range odd {
		if c == '[' || c == ']' || c == '%' || c >= utf8.RuneSelf {
			odd[c] = 2
		}
	}
	odd['#'] = 1
	return odd
}()

var notInIRI = [utf8.RuneSelf]bool{'<': true, '>': true, '"': true, '{': true, '}': true, '|': true, '^': true, '`': true, '\\': true}

func hasScheme(iri []byte) bool {
	scheme, _, ok := bytes.Cut(iri, []byte{':'})
	if !ok || len(scheme) == 0 || !letter(scheme[0]) {
		return false
	}
	for _, c := range scheme {
		if !letter(c) && !digit(c) && c != '+' && c != '-' && c != '.' {
			return false
		}
	}
	return true
}

func letter(c byte) bool { return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' }
func digit(c byte) bool  { return c >= '0' && c <= '9' }

// blank reads _:label.
func (l *line) blank(t *[]byte) error {
	l.at++
	if l.peek() != ':' {
		return l.expected("a colon after the underscore of a blank node")
	}
	l.at++
	from := l.at
	for l.at < len(l.text) {
		c := l.text[l.at]
		if !letter(c) && !digit(c) && c != '_' && c < utf8.RuneSelf && (l.at == from || c != '-' && c != '.') {
			break
		}
		l.at++
	}
	for l.at > from && l.text[l.at-1] == '.' {
		l.at-- // ends the statement
	}
	if l.at == from {
		return l.expected("the label of a blank node")
	}
	*t = append(*t, l.scope...)
	*t = append(*t, l.text[from:l.at]...)
	return nil
}

// literal reads "text", "text"@tag or "text"^^<datatype>. Its kind is known at its end.
func (l *line) literal(t *[]byte) error {
	var err error
	if *t, err = l.quoted(append(*t, kindString)); err != nil {
		return err
	}
	var of []byte
	switch {
	case l.peek() == '@':
		if of, err = l.tag(); err != nil {
			return err
		}
		(*t)[0] = kindTagged
	case bytes.HasPrefix(l.text[l.at:], []byte("^^")):
		l.at += 2
		if l.peek() != '<' {
			return l.expected("the IRI of a datatype")
		}
		if of, err = l.iri(nil); err != nil {
			return err
		}
		if string(of) == xsdString {
			return nil
		}
		(*t)[0] = kindTyped
	default:
		return nil
	}
	of = append(of, 0)
	text := (*t)[1:]
	*t = append(append((*t)[:1:1], of...), text...)
	return nil
}

// quoted reads a quoted text and appends it.
func (l *line) quoted(t []byte) ([]byte, error) {
	for l.at++; ; {
		rest := l.text[l.at:]
		end := bytes.IndexAny(rest, "\"\\")
		if end < 0 {
			l.at = len(l.text)
			return t, l.expected("a quotation mark at the end of the literal")
		}
		t = append(t, rest[:end]...)
		l.at += end
		if rest[end] == '"' {
			l.at++
			return t, nil
		}
		r, err := l.escape(true)
		if err != nil {
			return t, err
		}
		t = utf8.AppendRune(t, r)
	}
}

// tag reads a language tag, in lower case: tags that differ in it mean the same.
func (l *line) tag() ([]byte, error) {
	l.at++
	from := l.at
	for l.at < len(l.text) {
		c := l.text[l.at]
		if !letter(c) && (l.at == from || !digit(c) && c != '-') {
			break
		}
		l.at++
	}
	tag := l.text[from:l.at]
	for i, subtag := range bytes.Split(tag, []byte{'-'}) {
		if len(subtag) == 0 || len(subtag) > 8 || i == 0 && bytes.ContainsAny(subtag, "0123456789") {
			l.at = from
			return nil, l.expected("a language tag")
		}
	}
	return bytes.ToLower(tag), nil
}

// escape reads \uXXXX or \UXXXXXXXX, and in literals \n and the like.
func (l *line) escape(inLiteral bool) (rune, error) {
	const plain, meaning = `tbnrf"'\`, "\t\b\n\r\f\"'\\"
	begin := l.at
	l.at++
	c := l.peek()
	if i := bytes.IndexByte([]byte(plain), c); i >= 0 && inLiteral && c != 0 {
		l.at++
		return rune(meaning[i]), nil
	}
	digits := map[byte]int{'u': 4, 'U': 8}[c]
	if digits > 0 && l.at+1+digits <= len(l.text) {
		n, err := strconv.ParseUint(string(l.text[l.at+1:l.at+1+digits]), 16, 32)
		if err == nil && utf8.ValidRune(rune(n)) {
			l.at += 1 + digits
			return rune(n), nil
		}
	}
	l.at = begin
	return 0, l.expected(fmt.Sprintf("an escape such as %s or \\u00E9", map[bool]string{true: `\n`, false: `\u0041`}[inLiteral]))
}
