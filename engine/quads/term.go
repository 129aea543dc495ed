package quads

import (
	"bytes"
	"fmt"
	"strings"
)

// Kinds of terms, the first byte of each.
const (
	kindIRI    = 'I' // then the IRI
	kindBlank  = 'B' // then the label, which no other source has
	kindString = 'S' // then the text
	kindTagged = 'L' // then the language tag, a zero byte, the text
	kindTyped  = 'T' // then the IRI of the datatype, a zero byte, the text
)

const xsdString = "http://www.w3.org/2001/XMLSchema#string"

// IRI is the term of an IRI.
func IRI(iri string) []byte { return append([]byte{kindIRI}, iri...) }

// Text is the term of a plain literal.
func Text(text string) []byte { return append([]byte{kindString}, text...) }

// A Value is a term taken apart.
type Value struct {
	Kind byte   // 'I' an IRI, 'B' a blank node, 'S' a plain literal, 'L' one with a language, 'T' one with a datatype
	Of   string // the language or the datatype
	Text string
}

// ParseTerm takes a term apart.
func ParseTerm(term []byte) (Value, error) {
	if len(term) == 0 {
		return Value{}, fmt.Errorf("quads: a term without a kind")
	}
	v := Value{Kind: term[0]}
	text := term[1:]
	switch v.Kind {
	case kindIRI, kindBlank, kindString:
	case kindTagged, kindTyped:
		of, rest, ok := bytes.Cut(text, []byte{0})
		if !ok {
			return Value{}, fmt.Errorf("quads: a literal without its language or datatype")
		}
		v.Of, text = string(of), rest
	default:
		return Value{}, fmt.Errorf("quads: a term of the kind %q", v.Kind)
	}
	v.Text = string(text)
	return v, nil
}

// String writes a term as N-Quads do.
func (v Value) String() string {
	switch v.Kind {
	case kindIRI:
		return "<" + v.Text + ">"
	case kindBlank:
		return "_:" + v.Text
	case kindTagged:
		return quote(v.Text) + "@" + v.Of
	case kindTyped:
		return quote(v.Text) + "^^<" + v.Of + ">"
	}
	return quote(v.Text)
}

var escapes = strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`, "\r", `\r`)

func quote(text string) string { return `"` + escapes.Replace(text) + `"` }
