package moduletest

import (
	"bytes"
	"encoding/binary"
	"math"
	"slices"
	"strings"
)

// Field returns a field of a protocol buffer: length-delimited for bytes and strings, fixed for
// float32, a varint for uint64.
func Field[T []byte | string | float32 | uint64](number int, value T) []byte {
	key := func(wire int) []byte { return U(uint64(number<<3 | wire)) }
	switch v := any(value).(type) {
	case []byte:
		return slices.Concat(key(2), U(uint64(len(v))), v)
	case string:
		return slices.Concat(key(2), Str(v))
	case float32:
		return binary.LittleEndian.AppendUint32(key(5), math.Float32bits(v))
	case uint64:
		return append(key(0), U(v)...)
	}
	panic("not a type of a field")
}

func floats(v ...float32) []byte {
	var b []byte
	for _, f := range v {
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(f))
	}
	return b
}

// Answering returns a plugin of the kind that answers every page with the bytes.
func Answering(kind string, answer []byte) []byte { return answering(kind, nil, answer) }

// answering is one whose entry point begins with the code.
func answering(kind string, before, answer []byte) []byte {
	pages := len(answer)>>16 + 2
	m := Module{
		Memory:   []int{pages},
		Data:     []Data{{1024, answer}},
		Manifest: strings.Replace(Manifest, "scorer", kind, 1),
	}
	code := Code(before, I32Const(1024), I32Const(len(answer)), Call(OutputWrite), Drop, ok)
	p := Plugin(m, code)
	if kind == "extractor" {
		p.Funcs[0].Export = "awarc_extract"
	}
	return p.Bytes()
}

// AtOutput returns modules that end without an error and whose answers need checks: most are
// invalid. They expect a page without links.
func AtOutput() []Hostile { return atOutput(nil) }

// atOutput are the modules of AtOutput whose entry points begin with the code.
func atOutput(before []byte) []Hostile {
	var all []Hostile
	score := func(name string, want Outcome, parts ...[]byte) {
		all = append(all, Hostile{Name: name, File: answering("scorer", before, slices.Concat(parts...)), When: OnScore,
			Want: []Outcome{want}})
	}
	extract := func(name string, want []Outcome, parts ...[]byte) {
		all = append(all, Hostile{Name: name, File: answering("extractor", before, slices.Concat(parts...)), When: OnExtract, Want: want})
	}
	nan := float32(math.NaN())
	inf := float32(math.Inf(1))
	score("score of one half", OK, Field(1, float32(0.5)))
	score("score of NaN", BadOutput, Field(1, nan))
	score("score of infinity", BadOutput, Field(1, inf))
	score("score of minus infinity", BadOutput, Field(1, -inf))
	score("score of 1.0000001", BadOutput, Field(1, float32(1.0000001)))
	score("score below zero", BadOutput, Field(1, float32(-0.1)))
	score("score of minus zero", OK, Field(1, float32(math.Copysign(0, -1))))
	score("scores of links that are not there", BadOutput, Field(2, floats(0.1, 0.2, 0.3)))
	score("a NaN among scores of links", BadOutput, Field(2, floats(nan)))
	score("scores of links of a broken length", BadOutput, Field(2, []byte{1, 2, 3}))
	score("flags of links that are not there", BadOutput, Field(3, []byte{0, 0, 0}))
	score("blacklist of the page without the capability", BadOutput, Field(4, uint64(1)))
	score("blacklist of the host without the capability", BadOutput, Field(4, uint64(2)))
	score("field longer than the answer", BadOutput, []byte{2<<3 | 2}, U(1<<31))
	score("field of 2^64-1 bytes", BadOutput, []byte{5<<3 | 2}, U(math.MaxUint64))
	score("varint of 11 bytes", BadOutput, []byte{4 << 3}, bytes.Repeat([]byte{0xff}, 10), []byte{1})
	score("varint without end", BadOutput, []byte{4 << 3, 0x80})
	score("float cut off", BadOutput, []byte{1<<3 | 5, 0, 0})
	score("group", BadOutput, []byte{1<<3 | 3, 1<<3 | 4})
	score("field number 0", BadOutput, []byte{0, 0})
	score("reason that is not UTF-8", BadOutput, Field(5, "a\xff\xfe"))
	score("reason with HTML and escape sequences", OK, Field(1, float32(0.5)),
		Field(5, "<script>alert(1)</script>\x1b[2J=cmd|' /C calc'!A0\r\nSet-Cookie: a"))
	score("unknown fields", OK, Field(1, float32(0.5)), Field(1000, "later"), Field(1001, uint64(7)))

	bad := []Outcome{BadOutput}
	object := func(parts ...[]byte) []byte { return Field(1, slices.Concat(parts...)) }
	triple := func(s, p, o string) []byte {
		return Field(2, slices.Concat(Field(1, s), Field(2, p), Field(3, o)))
	}
	nested := []byte{}
	for range 10_000 {
		nested = Field(3, nested)
	}
	extract("object", []Outcome{OK}, object(Field(1, "http://schema.org/Event"), Field(2, "http://example.org/1"), Field(4, float32(1))))
	extract("messages nested 10,000 deep", []Outcome{BadOutput, OK}, object(nested))
	extract("string of 4 MiB", []Outcome{BadOutput, OutputLimit, OK}, object(Field(1, strings.Repeat("x", 4<<20))))
	extract("1,000,000 triples", []Outcome{BadOutput, OutputLimit}, bytes.Repeat(triple("", "", ""), 1_000_000))
	extract("100,000 triples", bad, bytes.Repeat(triple("a:b", "a:c", "a:d"), 100_000))
	extract("1,000,000 empty objects", bad, bytes.Repeat(object(), 1_000_000))
	extract("confidence of NaN", bad, object(Field(1, "http://schema.org/Event"), Field(4, nan)))
	extract("confidence over one", bad, object(Field(1, "http://schema.org/Event"), Field(4, float32(2))))
	extract("span outside of the page", bad, object(Field(1, "http://schema.org/Event"),
		Field(5, slices.Concat(Field(1, uint64(1<<31)), Field(2, uint64(0)), Field(3, uint64(1<<31))))))
	extract("span that ends before it begins", bad,
		object(Field(1, "http://schema.org/Event"), Field(5, slices.Concat(Field(2, uint64(5)), Field(3, uint64(1))))))
	extract("IRI with control characters", bad, triple("http://example.org/\x00\n> <b", "http://example.org/p", "http://example.org/o"))
	extract("IRI that is relative", bad, triple("../../etc/passwd", "http://example.org/p", "http://example.org/o"))
	extract("IRI that ends the statement", bad, triple("http://example.org/> <http://evil/p> <http://evil/o> .\n<http://x/",
		"http://example.org/p", "http://example.org/o"))
	return all
}
