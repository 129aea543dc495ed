//go:build !wasip1

// Only the host validates; without the package time a guest is a tenth smaller.

package abi

import (
	"errors"
	"math"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// Validate reports whether r answers req, of which the plugin saw what is in n:
// every score finite and in 0 to 1, an entry for every link or for none, flags
// that exist, and blacklisting only as far as may allows.
func (r *ScoreResponse) Validate(req *ScoreRequest, n Needs, may ScoreFlag) error {
	links := len(req.Links)
	if n&NeedLinks == 0 {
		links = 0
	}
	if !unit(r.Doc) {
		return errors.New("doc is " + number(r.Doc) + ", not in 0 to 1")
	}
	if len(r.Links) != 0 && len(r.Links) != links {
		return errors.New(strconv.Itoa(len(r.Links)) + " link scores for " + strconv.Itoa(links) + " links")
	}
	if len(r.LinkFlags) != 0 && len(r.LinkFlags) != links {
		return errors.New(strconv.Itoa(len(r.LinkFlags)) + " link flags for " + strconv.Itoa(links) + " links")
	}
	for i, v := range r.Links {
		if !unit(v) {
			return errors.New("score of link " + strconv.Itoa(i) + " is " + number(v) + ", not in 0 to 1")
		}
	}
	may |= NoOpinion
	if bad := r.DocFlags &^ may; bad != 0 {
		return errors.New("doc_flags " + flagNames(bad))
	}
	for i, f := range r.LinkFlags {
		if bad := f &^ may; bad != 0 {
			return errors.New("flags of link " + strconv.Itoa(i) + ": " + flagNames(bad))
		}
	}
	return nil
}

func flagNames(bad ScoreFlag) string {
	if bad&^scoreFlags != 0 {
		return "unknown bits " + strconv.Itoa(int(bad&^scoreFlags))
	}
	return "blacklist without the capability in the manifest's \"may\""
}

// unit reports whether v is a finite number in 0 to 1; minus zero is.
func unit(v float32) bool { return v >= 0 && v <= 1 }

func number(v float32) string { return strconv.FormatFloat(float64(v), 'g', -1, 32) }

// Validate reports whether r answers req, of which the plugin saw what is in n:
// confidences in 0 to 1, finite numbers, absolute IRIs, RFC 3339 times, spans
// inside their part.
func (r *ExtractResponse) Validate(req *ExtractRequest, n Needs) error {
	if have := len(r.Objects) + len(r.Triples); have > MaxObjects {
		return errors.New(strconv.Itoa(have) + " objects and triples; at most " + strconv.Itoa(MaxObjects) + " are allowed")
	}
	v := validator{}
	if n&NeedParts != 0 {
		v.parts = req.Parts
	}
	for i := range r.Objects {
		if err := v.object(&r.Objects[i]); err != nil {
			return errors.New("object " + strconv.Itoa(i) + ": " + err.Error())
		}
	}
	for i := range r.Triples {
		if err := v.triple(&r.Triples[i]); err != nil {
			return errors.New("triple " + strconv.Itoa(i) + ": " + err.Error())
		}
	}
	return nil
}

// validator knows the parts that spans point into; sent holds the text of those
// that were looked at, as the plugin saw it.
type validator struct {
	parts []Part
	sent  map[uint32]string
}

func (v *validator) object(o *Object) error {
	switch {
	case !AbsoluteIRI(o.Type):
		return errors.New("type " + strconv.Quote(o.Type) + " is neither an absolute IRI nor a prefixed name")
	case o.ID != "" && !AbsoluteIRI(o.ID):
		return errors.New("id " + strconv.Quote(o.ID) + " is not an absolute IRI")
	case !unit(o.Confidence):
		return errors.New("confidence " + number(o.Confidence) + " is not in 0 to 1")
	}
	if err := v.span(o.Span); err != nil {
		return err
	}
	for i := range o.Fields {
		if err := v.field(&o.Fields[i]); err != nil {
			return errors.New("field " + strconv.Quote(o.Fields[i].Name) + ": " + err.Error())
		}
	}
	return nil
}

func (v *validator) field(f *Field) error {
	if !plainName(f.Name) {
		return errors.New("the name is empty, too long or has spaces or control characters")
	}
	if f.Lang != "" && !langTag(f.Lang) {
		return errors.New("lang " + strconv.Quote(f.Lang) + " is not a language tag")
	}
	switch val := &f.Value; val.Kind {
	case NoValue:
		return errors.New("no value")
	case FloatKind:
		if math.IsNaN(val.Float) || math.IsInf(val.Float, 0) {
			return errors.New("the number is not finite")
		}
	case IRIKind:
		if !AbsoluteIRI(val.Str) {
			return errors.New(strconv.Quote(val.Str) + " is not an absolute IRI")
		}
	case TimeKind:
		if _, err := time.Parse(time.RFC3339, val.Str); err != nil {
			return errors.New(strconv.Quote(val.Str) + " is not a time of RFC 3339")
		}
	}
	return v.span(f.Span)
}

func (v *validator) triple(t *Triple) error {
	switch {
	case !AbsoluteIRI(t.Subject) && !blankLabel(t.Subject):
		return errors.New("subject " + strconv.Quote(t.Subject) + " is neither an absolute IRI nor a blank node")
	case !AbsoluteIRI(t.Predicate):
		return errors.New("predicate " + strconv.Quote(t.Predicate) + " is not an absolute IRI")
	case t.ObjectKind > BlankNode:
		return errors.New("unknown kind of object " + strconv.Itoa(int(t.ObjectKind)))
	case t.ObjectKind == IRINode && !AbsoluteIRI(t.Object):
		return errors.New("object " + strconv.Quote(t.Object) + " is not an absolute IRI")
	case t.ObjectKind == BlankNode && !blankLabel(t.Object):
		return errors.New("object " + strconv.Quote(t.Object) + " is not a blank node")
	case t.ObjectKind != LiteralNode && (t.Datatype != "" || t.Lang != ""):
		return errors.New("datatype or lang of a value that is not a literal")
	case t.Datatype != "" && !AbsoluteIRI(t.Datatype):
		return errors.New("datatype " + strconv.Quote(t.Datatype) + " is not an absolute IRI")
	case t.Lang != "" && !langTag(t.Lang):
		return errors.New("lang " + strconv.Quote(t.Lang) + " is not a language tag")
	case t.Lang != "" && t.Datatype != "":
		return errors.New("a literal has a datatype or a lang, not both")
	case !unit(t.Confidence):
		return errors.New("confidence " + number(t.Confidence) + " is not in 0 to 1")
	}
	return v.span(t.Span)
}

func (v *validator) span(s *Span) error {
	if s == nil {
		return nil
	}
	if uint64(s.Part) >= uint64(len(v.parts)) {
		return errors.New("span in part " + strconv.Itoa(int(s.Part)) + " of " + strconv.Itoa(len(v.parts)))
	}
	text, seen := v.sent[s.Part]
	if !seen {
		text = validText(v.parts[s.Part].Text)
		if v.sent == nil {
			v.sent = map[uint32]string{}
		}
		v.sent[s.Part] = text
	}
	if s.Start > s.End || uint64(s.End) > uint64(len(text)) {
		return errors.New("span " + strconv.Itoa(int(s.Start)) + " to " + strconv.Itoa(int(s.End)) + " of a part of " +
			strconv.Itoa(len(text)) + " bytes")
	}
	for _, at := range [2]uint32{s.Start, s.End} {
		if int(at) < len(text) && !utf8.RuneStart(text[at]) {
			return errors.New("span border " + strconv.Itoa(int(at)) + " is inside a character")
		}
	}
	return nil
}

// maxNameBytes bounds names, language tags and labels.
const maxNameBytes = 256

func plainName(s string) bool {
	return s != "" && len(s) <= maxNameBytes && !strings.ContainsFunc(s, func(r rune) bool {
		return r <= ' ' || r == 0x7f || strings.ContainsRune("<>\"{}|\\^`", r) || r >= 0x80 && r < 0xa0
	})
}

// AbsoluteIRI reports whether s has the form of an absolute IRI (RFC 3987): a
// scheme, a colon and no character that N-Quads cannot hold unescaped. A prefixed
// name such as schema:Event has that form too.
func AbsoluteIRI(s string) bool {
	scheme, rest, ok := strings.Cut(s, ":")
	if !ok || scheme == "" || rest == "" {
		return false
	}
	for i := range len(scheme) {
		c := scheme[i] | 0x20
		letter := c >= 'a' && c <= 'z'
		if !letter && (i == 0 || !(scheme[i] >= '0' && scheme[i] <= '9' || scheme[i] == '+' || scheme[i] == '-' || scheme[i] == '.')) {
			return false
		}
	}
	return !strings.ContainsFunc(rest, func(r rune) bool {
		return r <= ' ' || r >= 0x7f && r < 0xa0 || r == utf8.RuneError || strings.ContainsRune("<>\"{}|\\^`", r)
	})
}

func blankLabel(s string) bool {
	label, ok := strings.CutPrefix(s, "_:")
	return ok && alphanumeric(label, "_-") && label[0] != '-'
}

func langTag(s string) bool { return alphanumeric(s, "-") && s[0] != '-' && s[len(s)-1] != '-' }

// alphanumeric reports whether s is of ASCII letters, digits and the bytes of more,
// neither empty nor too long.
func alphanumeric(s, more string) bool {
	for i := range len(s) {
		c := s[i]
		if !(c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'z' || strings.IndexByte(more, c) >= 0) {
			return false
		}
	}
	return s != "" && len(s) <= maxNameBytes
}
