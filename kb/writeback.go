package kb

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/beevik/etree"
)

// errNoRoom means that an entry cannot be added to a source by insertion alone.
var errNoRoom = errors.New("no place for a learned entry")

// remove as the value of an attribute takes it away.
const remove = "\x00"

// span is where an element stands in its source, in bytes.
type span struct {
	start, startEnd int // its start tag
	end, endEnd     int // its end tag; for <x/> both are startEnd
}

// document is one source with the places of its elements.
type document struct {
	data    []byte // in UTF-8
	coding  coding // of the source
	loader  *loader
	spans   map[*etree.Element]span
	element map[Position]*etree.Element
}

// readDocument reads one source by itself: what it says, and where.
func readDocument(source []byte) (*document, error) {
	data, coding, wrong := decode(Source{Data: source})
	if wrong != nil {
		return nil, wrong
	}
	if same, err := coding.encode(data); err != nil || !bytes.Equal(same, source) {
		return nil, fmt.Errorf("%w: its encoding would change more of the file", errNoRoom)
	}
	d := &document{data: data, coding: coding, loader: newLoader(), spans: map[*etree.Element]span{},
		element: map[Position]*etree.Element{}}
	root := d.loader.source(parse(Source{Data: source}))
	if len(d.loader.errs) > 0 {
		return nil, d.loader.errs
	}
	d.loader.settleEntries()
	for e, pos := range d.loader.positions {
		d.element[pos] = e
	}
	spans, err := elementSpans(data)
	if err != nil {
		return nil, err
	}
	d.number(root, spans)
	return d, nil
}

func (d *document) number(e *etree.Element, spans []span) []span {
	d.spans[e], spans = spans[0], spans[1:]
	for _, c := range e.ChildElements() {
		spans = d.number(c, spans)
	}
	return spans
}

// elementSpans gives where the elements of a well-formed source stand, in
// document order.
func elementSpans(data []byte) ([]span, error) {
	x := xml.NewDecoder(bytes.NewReader(data))
	x.CharsetReader = anyCharset
	var spans []span
	var open []int
	for {
		before := int(x.InputOffset())
		tok, err := x.RawToken()
		if err != nil {
			if len(open) == 0 && len(spans) > 0 {
				return spans, nil // the end of the file
			}
			return nil, err
		}
		after := int(x.InputOffset())
		switch tok.(type) {
		case xml.StartElement:
			open = append(open, len(spans))
			spans = append(spans, span{start: before, startEnd: after})
		case xml.EndElement:
			if len(open) == 0 {
				return nil, errors.New("an end tag without its start")
			}
			s := &spans[open[len(open)-1]]
			s.end, s.endEnd = before, after
			open = open[:len(open)-1]
		}
	}
}

// addSite returns a source that holds an entry already, with the site of the entry: another process
// may have written it since the knowledge base was loaded.
func (d *document) addSite(source []byte, e *Entry) (data []byte, held bool, err error) {
	for i := range d.loader.base.Entries {
		k := &d.loader.base.Entries[i]
		if k.ID() != e.ID() {
			continue
		}
		if k.Rejected || k.Everywhere() || slices.Contains(strings.Fields(k.Site), e.Site) {
			return source, true, nil
		}
		data, err = setAttrs(source, e.ID(), map[string]string{"site": strings.TrimSpace(k.Site + " " + e.Site)})
		return data, true, err
	}
	return nil, false, nil
}

// insertBeside adds an entry beside the original: nothing that is there changes.
func insertBeside(data []byte, e *Entry) ([]byte, error) {
	d, err := readDocument(data)
	if err != nil {
		return nil, err
	}
	if out, held, err := d.addSite(data, e); held {
		return out, err
	}
	parent, tag, match, err := d.spot(e.Place)
	if err != nil {
		return nil, err
	}
	attrs := e.attrs()
	switch {
	case e.Part == PartDetect:
		attrs = append(attrs, weakAttr(e)...)
	case e.Match != match:
		attrs = append([]attribute{{"match", e.Match}}, attrs...)
	}
	return d.insert(parent, tag, element(tag, attrs, e.Expr))
}

// spot finds the element that an entry is put in, the name of its own element,
// and the match that it would take over.
func (d *document) spot(p Place) (parent *etree.Element, tag, match string, err error) {
	t := d.loader.base.byID[p.Type]
	if t == nil {
		return nil, "", "", fmt.Errorf("%w: the file has no type %s", errNoRoom, p.Type)
	}
	for _, l := range t.Levels {
		s, ok := l.Spot(p)
		if !ok {
			continue
		}
		var pos Position
		tag = "try"
		switch {
		case p.Part == PartDetect:
			detects := d.element[l.Pos].SelectElements("detect")
			return detects[len(detects)-1], "pattern", "", nil // a level has one
		case s.Follow != nil:
			pos = s.Follow.Pos
		case s.Field != nil:
			pos = s.Field.Pos
		case s.Without != nil:
			pos, tag = s.Without.Pos, "without"
		case s.Total != nil:
			pos = s.Total.Pos
		default:
			pos, tag = s.Objects[len(s.Objects)-1].Pos, "at"
		}
		parent = d.element[pos]
		if tag == "try" {
			match = parent.SelectAttrValue("match", "")
		}
		return parent, tag, match, nil
	}
	return nil, "", "", fmt.Errorf("%w: the file has no %s", errNoRoom, p)
}

// insert adds an element to another, after the last one of its name, indented as
// its neighbours are.
func (d *document) insert(parent *etree.Element, tag, text string) ([]byte, error) {
	outer := d.spans[parent]
	if outer.startEnd == outer.endEnd { // <x/>
		return nil, fmt.Errorf("%w: <%s> is empty", errNoRoom, parent.Tag)
	}
	children := parent.ChildElements()
	same := parent.SelectElements(tag)
	at, indent := 0, d.indentOf(outer.start)+"  "
	switch {
	case len(same) > 0:
		last := d.spans[same[len(same)-1]]
		at, indent = last.endEnd, d.indentAt(last.start, indent)
	case tag == "at" || parent.Tag == "learned":
		at = outer.startEnd
		if len(children) > 0 {
			indent = d.indentAt(d.spans[children[0]].start, indent)
		}
	default: // after the text
		at = outer.end - (len(d.data[:outer.end]) - len(bytes.TrimRight(d.data[:outer.end], " \t\r\n")))
		at = max(at, outer.startEnd)
	}
	return d.coding.encode(slices.Concat(d.data[:at], []byte(d.newline(at)+indent+text), d.data[at:]))
}

// indentOf is the white space at the start of the line of an offset.
func (d *document) indentOf(at int) string {
	line := d.data[bytes.LastIndexByte(d.data[:at], '\n')+1 : at]
	return string(line[:len(line)-len(bytes.TrimLeft(line, " \t"))])
}

// indentAt is the indentation of an element that starts a line, or else another.
func (d *document) indentAt(at int, otherwise string) string {
	line := d.data[bytes.LastIndexByte(d.data[:at], '\n')+1 : at]
	if len(bytes.TrimLeft(line, " \t")) > 0 {
		return otherwise
	}
	return string(line)
}

// newline is the line break that the source uses before an offset.
func (d *document) newline(at int) string {
	if i := bytes.LastIndexByte(d.data[:at], '\n'); i > 0 && d.data[i-1] == '\r' {
		return "\r\n"
	}
	return "\n"
}

// attribute is one attribute as it is written.
type attribute struct{ Name, Value string }

// attrs are the attributes that every learned entry has.
func (e *Entry) attrs() []attribute {
	attrs := []attribute{{"learned", e.Learned.UTC().Format(dayForm)}, {"from", e.From}, {"cost", strconv.Itoa(e.Cost)}}
	if e.Site != "" {
		attrs = append(attrs, attribute{"site", e.Site})
	}
	attrs = append(attrs, attribute{"pages", strconv.Itoa(e.Pages)},
		attribute{"confidence", strconv.FormatFloat(min(1, max(0, e.Confidence)), 'f', 2, 64)})
	if e.Evidence != "" {
		attrs = append(attrs, attribute{"evidence", e.Evidence})
	}
	if e.Accepted {
		attrs = append(attrs, attribute{"accepted", e.Learned.UTC().Format(dayForm)})
	}
	if e.Rejected {
		attrs = append(attrs, attribute{"rejected", e.Learned.UTC().Format(dayForm)})
	}
	if e.Why != "" {
		attrs = append(attrs, attribute{"why", e.Why})
	}
	return attrs
}

func weakAttr(e *Entry) []attribute {
	if e.Weak {
		return []attribute{{"weak", "yes"}}
	}
	return nil
}

// insertOverlay adds an entry to the <learned> block of its type.
func insertOverlay(data []byte, e *Entry) ([]byte, error) {
	d, err := readDocument(data)
	if err != nil {
		return nil, err
	}
	if out, held, err := d.addSite(data, e); held {
		return out, err
	}
	t := d.loader.base.byID[e.Type]
	if t == nil {
		return nil, fmt.Errorf("%w: the file has no type %s", errNoRoom, e.Type)
	}
	blocks := d.element[t.Pos].SelectElements("learned")
	if len(blocks) == 0 {
		return nil, fmt.Errorf("%w: the type %s has no <learned> block", errNoRoom, e.Type)
	}
	attrs := []attribute{{"level", string(e.Level)}}
	if e.Variant != "" {
		attrs = append(attrs, attribute{"variant", e.Variant})
	}
	tag := "try"
	if e.Part == PartDetect {
		tag = "pattern"
		attrs = append(attrs, weakAttr(e)...)
	} else {
		attrs = append(attrs, attribute{"part", e.Part})
		if e.Match != "" {
			attrs = append(attrs, attribute{"match", e.Match})
		}
	}
	return d.insert(blocks[len(blocks)-1], tag, element(tag, append(attrs, e.attrs()...), e.Expr))
}

// newOverlay is a source with an empty <learned> block for a type.
func newOverlay(t *Type) []byte {
	var chain []*Type
	for ; t != nil; t = t.Parent {
		chain = append([]*Type{t}, chain...)
	}
	var b strings.Builder
	b.WriteString(`<?xml version="1.0" encoding="UTF-8"?>
<!-- What a crawl learned beside the knowledge base that it used: awarc kb learned lists it, kb/README.md explains it. -->
<kb xmlns="` + Namespace + `">
  <category id="` + string(chain[0].Category) + `">
`)
	indent := "    "
	for _, t := range chain {
		b.WriteString(indent + `<type id="` + string(t.ID) + `">` + "\n")
		indent += "  "
	}
	b.WriteString(indent + "<learned>\n" + indent + "</learned>\n")
	for range chain {
		indent = indent[2:]
		b.WriteString(indent + "</type>\n")
	}
	b.WriteString("  </category>\n</kb>\n")
	return []byte(b.String())
}

var (
	textEscaper = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", "\r", "&#13;")
	attrEscaper = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&quot;", "\n", "&#10;", "\r", "&#13;", "\t", "&#9;")
)

// element writes an element.
func element(tag string, attrs []attribute, text string) string {
	var b strings.Builder
	b.WriteString("<" + tag)
	for _, a := range attrs {
		b.WriteString(a.text())
	}
	b.WriteString(">" + textEscaper.Replace(xmlText(text)) + "</" + tag + ">")
	return b.String()
}

func (a attribute) text() string {
	return " " + a.Name + `="` + attrEscaper.Replace(xmlText(a.Value)) + `"`
}

// xmlText drops what XML cannot hold.
func xmlText(s string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' && r != '\t' && r != '\n' && r != '\r' || r == 0xfffe || r == 0xffff {
			return -1
		}
		return r
	}, strings.ToValidUTF8(s, "\ufffd"))
}

// setAttrs changes attributes of every element of a source that holds the entry
// with an id, and nothing else.
func setAttrs(data []byte, id string, attrs map[string]string) ([]byte, error) {
	d, err := readDocument(data)
	if err != nil {
		return nil, err
	}
	var starts []span
	for i := range d.loader.base.Entries {
		if e := &d.loader.base.Entries[i]; e.ID() == id {
			starts = append(starts, d.spans[d.element[e.Pos]])
		}
	}
	if len(starts) == 0 {
		return nil, fmt.Errorf("%s: %w", id, ErrUnknownEntry)
	}
	slices.SortFunc(starts, func(a, b span) int { return b.start - a.start }) // the last first: offsets stay good
	data = d.data
	for _, s := range starts {
		tag := data[s.start:s.startEnd]
		for _, name := range slices.Sorted(maps.Keys(attrs)) {
			tag = setAttr(tag, attribute{name, attrs[name]})
		}
		data = slices.Concat(data[:s.start], tag, data[s.startEnd:])
	}
	return d.coding.encode(data)
}

// setAttr sets, or takes away, one attribute of a start tag.
func setAttr(tag []byte, a attribute) []byte {
	now := []byte(a.text())
	if a.Value == remove {
		now = nil
	}
	for i := 0; i < len(tag); {
		// White space, a name, "=", a quoted value: values hold no quote of theirs.
		start := i + bytes.IndexAny(tag[i:], " \t\r\n")
		if start < i {
			break
		}
		rest := bytes.TrimLeft(tag[start:], " \t\r\n")
		eq := bytes.IndexByte(rest, '=')
		if eq < 0 {
			break
		}
		quoted := bytes.TrimLeft(rest[eq+1:], " \t\r\n")
		end := len(tag) - len(quoted) + 1 + bytes.IndexByte(quoted[1:], quoted[0]) + 1
		if string(bytes.TrimSpace(rest[:eq])) == a.Name {
			return slices.Concat(tag[:start], now, tag[end:])
		}
		i = end
	}
	end := len(bytes.TrimRight(tag[:len(tag)-1], " \t\r\n/"))
	return slices.Concat(tag[:end], now, tag[end:])
}
