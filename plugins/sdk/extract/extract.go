// Package extract makes an extractor of a Go program: typed objects and triples
// that a page holds. See package sdk for the rest.
//
//	func init() {
//		extract.OnPage(func(p *extract.Page, out *extract.Result) error {
//			out.Object("schema:Event", "").Text("name", p.Title, "")
//			return nil
//		})
//	}
package extract

import (
	"github.com/awarc/awarc/plugins/abi"
	"github.com/awarc/awarc/plugins/sdk"
)

// Page is the page to extract from. Its strings are valid until the handler
// returns.
type Page = abi.ExtractRequest

// Span is a place in the text of a part of the page.
type Span = abi.Span

// Triple is one RDF statement.
type Triple = abi.Triple

// Kinds of a triple's object.
const (
	IRI     = abi.IRINode
	Literal = abi.LiteralNode
	Blank   = abi.BlankNode
)

// Config, Topic and Matcher are the types of package sdk.
type (
	Config  = sdk.Config
	Topic   = sdk.Topic
	Matcher = sdk.Matcher
)

// NoOpinion is returned by a handler that does not know this kind of page.
var NoOpinion = sdk.NoOpinion

// OnConfigure registers what happens with topic and configuration.
func OnConfigure(f func(*Config) error) { sdk.OnConfigure(f) }

var onPage func(*Page, *Result) error

// OnPage registers the extractor.
func OnPage(f func(p *Page, out *Result) error) { onPage = f }

// Result takes what was found. The host uses a result whole or, when one of its
// parts breaks the rules of the ABI, not at all.
type Result struct{ response abi.ExtractResponse }

// Object adds an object of a class, an absolute IRI or a prefixed name. Its id is
// an absolute IRI, or empty when the page gives none. Its confidence is 1 until changed. It
// is valid until the next Object.
func (r *Result) Object(class, id string) *Object {
	all := r.response.Objects
	var fields []abi.Field
	if n := len(all); n < cap(all) {
		fields = all[:n+1][n].Fields[:0] // of an earlier page
	}
	r.response.Objects = append(all, abi.Object{Type: class, ID: id, Confidence: 1, Fields: fields})
	return (*Object)(&r.response.Objects[len(all)])
}

// Triple adds a statement.
func (r *Result) Triple(t Triple) { r.response.Triples = append(r.response.Triples, t) }

// Object is an object of the result; its methods add fields and return it.
type Object abi.Object

func (o *Object) add(name string, v abi.Value) *Object {
	o.Fields = append(o.Fields, abi.Field{Name: name, Value: v})
	return o
}

// Text adds a text with its language (BCP 47, or empty).
func (o *Object) Text(name, s, lang string) *Object {
	o.add(name, abi.Value{Kind: abi.TextKind, Str: s})
	o.Fields[len(o.Fields)-1].Lang = lang
	return o
}

// IRI adds a reference, an absolute IRI.
func (o *Object) IRI(name, iri string) *Object {
	return o.add(name, abi.Value{Kind: abi.IRIKind, Str: iri})
}

// Time adds a time as RFC 3339 writes it.
func (o *Object) Time(name, rfc3339 string) *Object {
	return o.add(name, abi.Value{Kind: abi.TimeKind, Str: rfc3339})
}

// Int adds a whole number.
func (o *Object) Int(name string, v int64) *Object {
	return o.add(name, abi.Value{Kind: abi.IntKind, Int: v})
}

// Float adds a finite number.
func (o *Object) Float(name string, v float64) *Object {
	return o.add(name, abi.Value{Kind: abi.FloatKind, Float: v})
}

// Bool adds a truth value.
func (o *Object) Bool(name string, v bool) *Object {
	return o.add(name, abi.Value{Kind: abi.BoolKind, Bool: v})
}

// At says where the field added last was found.
func (o *Object) At(s Span) *Object {
	spans = append(spans, s)
	o.Fields[len(o.Fields)-1].Span = &spans[len(spans)-1]
	return o
}

var ( // used again by every call
	page   Page
	result Result
	spans  []Span
)

// serve is the export awarc_extract.
func serve() sdk.Status {
	r := &result.response
	return sdk.Respond(page.Decode, func() error {
		*r, spans = abi.ExtractResponse{Objects: r.Objects[:0], Triples: r.Triples[:0]}, spans[:0]
		if onPage == nil {
			return NoOpinion
		}
		return onPage(&page, &result)
	}, r.Append)
}
