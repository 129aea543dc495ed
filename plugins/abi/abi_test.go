package abi

import (
	"errors"
	"math"
	"strings"
	"testing"
)

// field returns the tag of a field followed by its value.
func field(num int, wire uint8, payload string) string {
	return string(appendTag(nil, num, wire)) + payload
}

func sized(num int, payload string) string { return string(appendRaw(nil, num, payload)) }

// malformed are messages that both response decoders refuse.
var malformed = []struct{ name, wire string }{
	{"tag cut off", "\x80"},
	{"field number zero", "\x00\x00"},
	{"field number too large", "\x80\x80\x80\x80\x10\x00"},
	{"group", field(9, 3, "")},
	{"end of group", field(9, 4, "")},
	{"wire type 6", field(9, 6, "")},
	{"varint of eleven bytes", field(9, wireVarint, strings.Repeat("\x80", 10)+"\x01")},
	{"varint of 65 bits", field(9, wireVarint, strings.Repeat("\xff", 9)+"\x02")},
	{"length past the end", field(9, wireBytes, "\x05abc")},
	{"length of 2^64-1", field(9, wireBytes, strings.Repeat("\xff", 9)+"\x01")},
	{"fixed32 cut off", field(9, wire32, "abc")},
	{"fixed64 cut off", field(9, wire64, "abcdefg")},
	{"known field with another wire type", field(1, wireVarint, "\x01")},
}

func TestMalformedResponsesAreRefused(t *testing.T) {
	for _, m := range malformed {
		var score ScoreResponse
		var extract ExtractResponse
		var at *DecodeError
		if err := score.Decode(m.wire, 10); !errors.As(err, &at) {
			t.Errorf("%s: score response: %v", m.name, err)
		}
		if err := extract.Decode(m.wire); !errors.As(err, &at) || at.Offset > len(m.wire) {
			t.Errorf("%s: extract response: %v", m.name, err)
		}
	}
	for name, wire := range map[string]string{
		"reason is not UTF-8":            sized(5, "\xff"),
		"packed floats of three bytes":   sized(2, "abc"),
		"more scores than links":         sized(2, strings.Repeat("\x00", 44)),
		"more unpacked scores":           strings.Repeat(field(2, wire32, "\x00\x00\x00\x00"), 11),
		"more flags than links":          sized(3, strings.Repeat("\x00", 11)),
		"document flags of another kind": field(4, wireVarint, "\x80\x02"),
		"flags of more than 32 bits":     field(4, wireVarint, "\x80\x80\x80\x80\x10"),
	} {
		var score ScoreResponse
		if err := score.Decode(wire, 10); err == nil {
			t.Errorf("%s: accepted as %+v", name, score)
		}
	}
	for name, wire := range map[string]string{
		"name of a field is not UTF-8":     sized(1, sized(3, sized(1, "\xc3"))),
		"field past the end of its object": sized(1, field(3, wireBytes, "\x7fabc")),
		"span with a string in it":         sized(1, sized(5, sized(1, "x"))),
	} {
		var extract ExtractResponse
		if err := extract.Decode(wire); err == nil {
			t.Errorf("%s: accepted as %+v", name, extract)
		}
	}
}

// A response of empty elements costs two bytes each on the wire and much more
// decoded: the decoder stops at the bound, not at the end of the input.
func TestElementsAreBounded(t *testing.T) {
	var r ExtractResponse
	if err := r.Decode(strings.Repeat(sized(1, ""), 1_000_000)); err == nil || len(r.Objects) > MaxObjects {
		t.Errorf("a million objects: %v, %d decoded", err, len(r.Objects))
	}
	if err := r.Decode(strings.Repeat(sized(2, ""), MaxObjects/2) + strings.Repeat(sized(1, ""), MaxObjects/2+1)); err == nil {
		t.Error("objects and triples together pass the bound")
	}
	object := sized(1, strings.Repeat(sized(3, ""), MaxFields/2+1))
	if err := r.Decode(object + object); err == nil {
		t.Error("fields of two objects together pass the bound")
	}
	if err := r.Decode(strings.Repeat(sized(2, ""), MaxObjects)); err != nil || len(r.Triples) != MaxObjects {
		t.Errorf("as many as allowed: %v, %d decoded", err, len(r.Triples))
	}
	var req ScoreRequest
	if err := req.Decode(strings.Repeat(sized(4, ""), MaxElements+1)); err == nil {
		t.Error("links of a request are not bounded")
	}
}

// What a newer version may send: unknown fields of every kind, scalars twice,
// unpacked floats, embedded messages in pieces.
func TestDecodersFollowProtobuf(t *testing.T) {
	unknown := field(900, wireVarint, "\x01") + field(901, wire64, "12345678") + sized(902, "\xff\xff") + field(903, wire32, "1234")
	half := "\x00\x00\x00\x3f"
	var r ScoreResponse
	err := r.Decode(field(1, wire32, "\x00\x00\x80\x3f")+unknown+field(2, wire32, half)+sized(2, half+half)+field(1, wire32, half), 3)
	if err != nil || r.Doc != 0.5 || len(r.Links) != 3 || r.Links[2] != 0.5 {
		t.Errorf("got %+v, %v", r, err)
	}
	var x ExtractResponse
	err = x.Decode(sized(1, sized(5, field(1, wireVarint, "\x02"))+unknown+sized(5, field(3, wireVarint, "\x07"))))
	if err != nil || *x.Objects[0].Span != (Span{Part: 2, End: 7}) {
		t.Errorf("got %+v, %v", x, err)
	}
}

func TestEncodersReplaceInvalidText(t *testing.T) {
	in := ScoreRequest{URL: "http://x/\xff", Parts: []Part{{Text: "a\xc3\x28b"}}, Links: []Link{{Anchor: "\xed\xa0\x80"}}}
	var out ScoreRequest
	if err := out.Decode(string(in.Append(nil, NeedAll))); err != nil {
		t.Fatal(err)
	}
	if out.URL != "http://x/\uFFFD" || out.Parts[0].Text != "a\uFFFD(b" || out.Links[0].Anchor != "\uFFFD" {
		t.Errorf("got %+v", out)
	}
}

func TestNeedsAreAProjection(t *testing.T) {
	page := ScoreRequest{URL: "u", Title: "t", Lang: "de", Parts: []Part{{Text: "p"}}, Links: []Link{{URL: "l", Anchor: "a", Context: "c"}},
		Depth: 3}
	n, _, ok := ParseNeeds([]string{"title", "links"})
	if !ok {
		t.Fatal("not parsed")
	}
	var got ScoreRequest
	if err := got.Decode(string(page.Append(nil, n))); err != nil {
		t.Fatal(err)
	}
	if got.Title != "t" || got.Lang != "" || len(got.Parts) != 0 || got.Links[0] != (Link{URL: "l", Anchor: "a"}) || got.Depth != 3 {
		t.Errorf("got %+v", got)
	}
	if _, word, ok := ParseNeeds([]string{"text", "cookies"}); ok || word != "cookies" {
		t.Errorf("unknown need: %q, %v", word, ok)
	}
	html := ExtractRequest{HTML: "<p>"}
	if b := html.Append(nil, NeedAll&^NeedHTML); len(b) != 0 {
		t.Errorf("html was sent unasked: %q", b)
	}
}

func TestScoreResponsesAreValidated(t *testing.T) {
	req := &ScoreRequest{Links: make([]Link, 2)}
	nan := float32(math.NaN())
	for _, c := range []struct {
		name string
		r    ScoreResponse
		may  ScoreFlag
		ok   bool
	}{
		{"empty", ScoreResponse{}, 0, true},
		{"full", ScoreResponse{Doc: 1, Links: []float32{0, 1}, LinkFlags: []ScoreFlag{NoOpinion, 0}, DocFlags: NoOpinion}, 0, true},
		{"minus zero", ScoreResponse{Doc: float32(math.Copysign(0, -1))}, 0, true},
		{"NaN", ScoreResponse{Doc: nan}, 0, false},
		{"infinite", ScoreResponse{Doc: float32(math.Inf(1))}, 0, false},
		{"a little more than one", ScoreResponse{Doc: math.Nextafter32(1, 2)}, 0, false},
		{"negative", ScoreResponse{Doc: -1e-9}, 0, false},
		{"NaN of a link", ScoreResponse{Links: []float32{0, nan}}, 0, false},
		{"one score for two links", ScoreResponse{Links: []float32{0}}, 0, false},
		{"one flag for two links", ScoreResponse{LinkFlags: []ScoreFlag{0}}, 0, false},
		{"blacklists without capability", ScoreResponse{DocFlags: BlacklistURL}, 0, false},
		{"blacklists a link without capability", ScoreResponse{LinkFlags: []ScoreFlag{0, BlacklistHost}}, BlacklistURL, false},
		{"blacklists with capability", ScoreResponse{LinkFlags: []ScoreFlag{0, BlacklistHost}}, BlacklistHost, true},
		{"unknown flag", ScoreResponse{DocFlags: 8}, BlacklistURL | BlacklistHost, false},
	} {
		if err := c.r.Validate(req, NeedAll, c.may); (err == nil) != c.ok {
			t.Errorf("%s: %v", c.name, err)
		}
	}
	if err := (&ScoreResponse{Links: []float32{0, 0}}).Validate(req, NeedTitle, 0); err == nil {
		t.Error("scores of links that the plugin did not see are accepted")
	}
}

func TestExtractResponsesAreValidated(t *testing.T) {
	req := &ExtractRequest{Parts: []Part{{Text: "naïve"}, {Text: ""}}}
	object := func(o Object) *ExtractResponse {
		if o.Type == "" {
			o.Type = "schema:Event"
		}
		return &ExtractResponse{Objects: []Object{o}}
	}
	value := func(v Value) *ExtractResponse { return object(Object{Fields: []Field{{Name: "n", Value: v}}}) }
	triple := func(t Triple) *ExtractResponse {
		if t.Predicate == "" {
			t.Predicate = "http://p"
		}
		return &ExtractResponse{Triples: []Triple{t}}
	}
	for _, c := range []struct {
		name string
		r    *ExtractResponse
		ok   bool
	}{
		{"nothing", &ExtractResponse{}, true},
		{"object", object(Object{ID: "http://x/é", Confidence: 1, Span: &Span{0, 4, 6}}), true},
		{"span of an empty part", object(Object{Span: &Span{1, 0, 0}}), true},
		{"span outside", object(Object{Span: &Span{0, 0, 7}}), false},
		{"span backwards", object(Object{Span: &Span{0, 2, 1}}), false},
		{"span in no part", object(Object{Span: &Span{2, 0, 0}}), false},
		{"span inside a character", object(Object{Span: &Span{0, 0, 3}}), false},
		{"relative type", object(Object{Type: "Event"}), false},
		{"relative id", object(Object{ID: "/x"}), false},
		{"control character in an IRI", object(Object{ID: "http://x/\n"}), false},
		{"bracket in an IRI", object(Object{ID: "http://x/> <y"}), false},
		{"scheme with a space", object(Object{ID: "ht tp:x"}), false},
		{"confidence of two", object(Object{Confidence: 2}), false},
		{"field", value(Value{Kind: TextKind}), true},
		{"field without value", value(Value{}), false},
		{"not a number", value(Value{Kind: FloatKind, Float: math.NaN()}), false},
		{"IRI", value(Value{Kind: IRIKind, Str: "x:y"}), true},
		{"not an IRI", value(Value{Kind: IRIKind, Str: "y"}), false},
		{"time", value(Value{Kind: TimeKind, Str: "2026-11-21T10:00:00+01:00"}), true},
		{"not a time", value(Value{Kind: TimeKind, Str: "yesterday"}), false},
		{"no name", object(Object{Fields: []Field{{Value: Value{Kind: BoolKind}}}}), false},
		{"span of a field outside", object(Object{Fields: []Field{{Name: "n", Value: Value{Kind: BoolKind}, Span: &Span{9, 0, 0}}}}),
			false},
		{"language with a quote", object(Object{Fields: []Field{{Name: "n", Lang: `en"`, Value: Value{Kind: TextKind}}}}), false},
		{"triple", triple(Triple{Subject: "http://s", Object: "http://o"}), true},
		{"blank nodes", triple(Triple{Subject: "_:a", Object: "_:b", ObjectKind: BlankNode}), true},
		{"literal", triple(Triple{Subject: "_:a", Object: "any\x00thing", ObjectKind: LiteralNode, Datatype: "xsd:string"}), true},
		{"blank label with a space", triple(Triple{Subject: "_:a b", Object: "http://o"}), false},
		{"blank predicate", triple(Triple{Subject: "_:a", Predicate: "_:p", Object: "http://o"}), false},
		{"literal as IRI", triple(Triple{Subject: "_:a", Object: "text"}), false},
		{"kind of a later version", triple(Triple{Subject: "_:a", Object: "http://o", ObjectKind: 3}), false},
		{"datatype of an IRI", triple(Triple{Subject: "_:a", Object: "http://o", Datatype: "xsd:string"}), false},
		{"datatype and language", triple(Triple{Subject: "_:a", Object: "x", ObjectKind: LiteralNode, Datatype: "xsd:string", Lang: "en"}),
			false},
		{"too many", &ExtractResponse{Triples: make([]Triple, MaxObjects+1)}, false},
	} {
		if err := c.r.Validate(req, NeedAll); (err == nil) != c.ok {
			t.Errorf("%s: %v", c.name, err)
		}
	}
	if err := object(Object{Span: &Span{}}).Validate(req, NeedTitle); err == nil {
		t.Error("a span into text that the plugin did not see is accepted")
	}
}

func BenchmarkScoreRequest(b *testing.B) {
	page := ScoreRequest{URL: "http://example.org/", Title: "title", Parts: []Part{{Text: strings.Repeat("text of the page ", 12_000)}}}
	for range 100 {
		page.Links = append(page.Links, Link{URL: "http://example.org/page", Anchor: "anchor", Context: strings.Repeat("context ", 20)})
	}
	var wire []byte
	b.Run("encode", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			wire = page.Append(wire[:0], NeedAll)
		}
		b.SetBytes(int64(len(wire)))
	})
	text := string(page.Append(nil, NeedAll))
	b.Run("decode", func(b *testing.B) {
		b.ReportAllocs()
		var r ScoreRequest
		for b.Loop() {
			if err := r.Decode(text); err != nil {
				b.Fatal(err)
			}
		}
		b.SetBytes(int64(len(text)))
	})
}
