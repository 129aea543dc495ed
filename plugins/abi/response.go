package abi

import "math"

// Bounds of an ExtractResponse.
const (
	MaxObjects = 10_000  // objects and triples together
	MaxFields  = 100_000 // fields of all objects together
)

// ScoreResponse is what a scorer makes of a page.
type ScoreResponse struct {
	Doc       float32     // 0 to 1
	Links     []float32   // none, or one for each link of the request, 0 to 1
	LinkFlags []ScoreFlag // none, or one for each link of the request
	DocFlags  ScoreFlag
	Reason    string // one line for people
}

// ScoreFlag is what a scorer says besides a score.
type ScoreFlag uint8

const (
	BlacklistURL  ScoreFlag = 1 << iota // never fetch it; needs the capability blacklist_url
	BlacklistHost                       // never fetch from its host; needs blacklist_host
	NoOpinion                           // the plugin abstains
	scoreFlags    ScoreFlag = 1<<iota - 1
)

// ExtractResponse is what an extractor found on a page.
type ExtractResponse struct {
	Objects []Object
	Triples []Triple
}

// Object is a typed object with its fields.
type Object struct {
	Type       string // absolute IRI or prefixed name
	ID         string // absolute IRI, or empty
	Fields     []Field
	Confidence float32 // 0 to 1
	Span       *Span   // nil when unknown
}

// Field is a named value of an object.
type Field struct {
	Name  string
	Value Value
	Lang  string // BCP 47, of a text
	Span  *Span
}

// ValueKind says which member of a Value holds it.
type ValueKind uint8

const (
	NoValue   ValueKind = iota
	TextKind            // Str
	IntKind             // Int
	FloatKind           // Float
	BoolKind            // Bool
	IRIKind             // Str, an absolute IRI
	TimeKind            // Str, RFC 3339
)

// Value is one of the kinds of value that a field may have.
type Value struct {
	Kind  ValueKind
	Str   string
	Int   int64
	Float float64
	Bool  bool
}

// Triple is one RDF statement.
type Triple struct {
	Subject    string // absolute IRI, or "_:label"
	Predicate  string // absolute IRI
	Object     string
	ObjectKind NodeKind
	Datatype   string // absolute IRI; literals only
	Lang       string // BCP 47; literals only
	Confidence float32
	Span       *Span
}

// NodeKind is what the object of a triple is.
type NodeKind uint32

const (
	IRINode NodeKind = iota
	LiteralNode
	BlankNode // "_:label"
)

// Span is the bytes Start to End of the text of part Part of the request.
type Span struct{ Part, Start, End uint32 }

// Append appends the encoded message to b.
func (r *ScoreResponse) Append(b []byte) []byte {
	b = appendFloat(b, 1, r.Doc)
	if n := len(r.Links); n > 0 {
		b = appendVarint(appendTag(b, 2, wireBytes), uint64(4*n))
		for _, v := range r.Links {
			b = appendFixed32(b, math.Float32bits(v))
		}
	}
	if n := len(r.LinkFlags); n > 0 {
		b = appendVarint(appendTag(b, 3, wireBytes), uint64(n))
		for _, f := range r.LinkFlags {
			b = append(b, byte(f))
		}
	}
	b = appendUint(b, 4, uint64(r.DocFlags))
	return appendString(b, 5, r.Reason)
}

// Decode replaces r by the message in s, which may have at most links entries
// for links. Strings are parts of s, slices are used again.
func (r *ScoreResponse) Decode(s string, links int) error {
	*r = ScoreResponse{Links: r.Links[:0], LinkFlags: r.LinkFlags[:0]}
	d := decoder{s: s, end: len(s)}
	for d.next() {
		switch d.num {
		case 1:
			r.Doc = d.float32()
		case 2:
			r.Links = d.floats(r.Links, links)
		case 3:
			flags := d.bytes()
			if len(flags) > links {
				d.fail("more flags than links")
				break
			}
			r.LinkFlags = r.LinkFlags[:0]
			for i := range len(flags) {
				r.LinkFlags = append(r.LinkFlags, ScoreFlag(flags[i]))
			}
		case 4:
			v := d.uint32()
			if v > math.MaxUint8 {
				d.fail("unknown document flags")
			}
			r.DocFlags = ScoreFlag(v)
		case 5:
			r.Reason = d.string()
		default:
			d.skip()
		}
	}
	return d.err
}

// Append appends the encoded message to b.
func (r *ExtractResponse) Append(b []byte) []byte {
	const guess = 256
	for i := range r.Objects {
		o := &r.Objects[i]
		var start int
		b, start = begin(b, 1, guess)
		b = appendString(b, 1, o.Type)
		b = appendString(b, 2, o.ID)
		for j := range o.Fields {
			b = o.Fields[j].append(b, 3)
		}
		b = appendFloat(b, 4, o.Confidence)
		b = o.Span.append(b, 5)
		b = finish(b, start, guess)
	}
	for i := range r.Triples {
		t := &r.Triples[i]
		var start int
		b, start = begin(b, 2, guess)
		b = appendString(b, 1, t.Subject)
		b = appendString(b, 2, t.Predicate)
		b = appendString(b, 3, t.Object)
		b = appendUint(b, 4, uint64(t.ObjectKind))
		b = appendString(b, 5, t.Datatype)
		b = appendString(b, 6, t.Lang)
		b = appendFloat(b, 7, t.Confidence)
		b = t.Span.append(b, 8)
		b = finish(b, start, guess)
	}
	return b
}

func (f *Field) append(b []byte, num int) []byte {
	size := len(f.Name) + len(f.Value.Str) + 8
	b, start := begin(b, num, size)
	b = appendString(b, 1, f.Name)
	switch v := &f.Value; v.Kind {
	case TextKind:
		b = appendRaw(b, 2, validText(v.Str))
	case IntKind:
		b = appendVarint(appendTag(b, 3, wireVarint), uint64(v.Int)<<1^uint64(v.Int>>63))
	case FloatKind:
		b = appendDouble(b, 4, v.Float)
	case BoolKind:
		b = appendTag(b, 5, wireVarint)
		if v.Bool {
			b = append(b, 1)
		} else {
			b = append(b, 0)
		}
	case IRIKind:
		b = appendRaw(b, 6, validText(v.Str))
	case TimeKind:
		b = appendRaw(b, 7, validText(v.Str))
	}
	b = appendString(b, 8, f.Lang)
	b = f.Span.append(b, 9)
	return finish(b, start, size)
}

func (s *Span) append(b []byte, num int) []byte {
	if s == nil {
		return b
	}
	const guess = 12
	b, start := begin(b, num, guess)
	b = appendUint(b, 1, uint64(s.Part))
	b = appendUint(b, 2, uint64(s.Start))
	b = appendUint(b, 3, uint64(s.End))
	return finish(b, start, guess)
}

// Decode replaces r by the message in s; strings are parts of s. It never holds more
// than MaxObjects objects and triples with MaxFields fields.
func (r *ExtractResponse) Decode(s string) error {
	*r = ExtractResponse{}
	fields := 0
	d := decoder{s: s, end: len(s)}
	for d.next() {
		switch d.num {
		case 1, 2:
			if d.full(len(r.Objects)+len(r.Triples), MaxObjects) {
				break
			}
			object := d.num == 1
			outer := d.enter()
			if object {
				r.Objects = append(r.Objects, Object{})
				r.Objects[len(r.Objects)-1].decode(&d, &fields)
			} else {
				r.Triples = append(r.Triples, Triple{})
				r.Triples[len(r.Triples)-1].decode(&d)
			}
			d.leave(outer)
		default:
			d.skip()
		}
	}
	return d.err
}

// decode counts the fields of all objects of the response in fields.
func (o *Object) decode(d *decoder, fields *int) {
	for d.next() {
		switch d.num {
		case 1:
			o.Type = d.string()
		case 2:
			o.ID = d.string()
		case 3:
			if d.full(*fields, MaxFields) {
				return
			}
			*fields++
			o.Fields = append(o.Fields, Field{})
			outer := d.enter()
			o.Fields[len(o.Fields)-1].decode(d)
			d.leave(outer)
		case 4:
			o.Confidence = d.float32()
		case 5:
			o.Span = o.Span.decode(d)
		default:
			d.skip()
		}
	}
}

func (f *Field) decode(d *decoder) {
	for d.next() {
		switch d.num {
		case 1:
			f.Name = d.string()
		case 2:
			f.Value = Value{Kind: TextKind, Str: d.string()}
		case 3:
			f.Value = Value{Kind: IntKind, Int: d.sint64()}
		case 4:
			f.Value = Value{Kind: FloatKind, Float: d.float64()}
		case 5:
			f.Value = Value{Kind: BoolKind, Bool: d.bool()}
		case 6:
			f.Value = Value{Kind: IRIKind, Str: d.string()}
		case 7:
			f.Value = Value{Kind: TimeKind, Str: d.string()}
		case 8:
			f.Lang = d.string()
		case 9:
			f.Span = f.Span.decode(d)
		default:
			d.skip()
		}
	}
}

func (t *Triple) decode(d *decoder) {
	for d.next() {
		switch d.num {
		case 1:
			t.Subject = d.string()
		case 2:
			t.Predicate = d.string()
		case 3:
			t.Object = d.string()
		case 4:
			t.ObjectKind = NodeKind(d.uint32())
		case 5:
			t.Datatype = d.string()
		case 6:
			t.Lang = d.string()
		case 7:
			t.Confidence = d.float32()
		case 8:
			t.Span = t.Span.decode(d)
		default:
			d.skip()
		}
	}
}

// decode returns the span with what the message says merged into it.
func (s *Span) decode(d *decoder) *Span {
	if s == nil {
		s = new(Span)
	}
	outer := d.enter()
	for d.next() {
		switch d.num {
		case 1:
			s.Part = d.uint32()
		case 2:
			s.Start = d.uint32()
		case 3:
			s.End = d.uint32()
		default:
			d.skip()
		}
	}
	d.leave(outer)
	return s
}
