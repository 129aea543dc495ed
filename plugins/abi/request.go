package abi

import (
	"slices"
	"strings"
)

// MajorVersion and MinorVersion are the version of the ABI that this package
// speaks. A plugin exports awarc_abi_1 to say that it speaks major version 1.
const (
	MajorVersion = 1
	MinorVersion = 0
)

// Needs are the parts of a page that a plugin requests in its manifest; the
// rest is not sent.
type Needs uint8

const (
	NeedTitle Needs = 1 << iota
	NeedParts       // "text" and "parts"
	NeedLinks
	NeedLinkContext
	NeedHTML
	NeedLang
	NeedAll Needs = 1<<iota - 1
)

// needNames are the words of the manifest.
var needNames = map[string]Needs{
	"title": NeedTitle, "text": NeedParts, "parts": NeedParts, "links": NeedLinks,
	"link_context": NeedLinks | NeedLinkContext, "html": NeedHTML, "lang": NeedLang,
}

// ParseNeeds maps the words of a manifest; ok is false and word set when one is
// unknown.
func ParseNeeds(words []string) (n Needs, unknown string, ok bool) {
	for _, w := range words {
		bit, known := needNames[w]
		if !known {
			return 0, w, false
		}
		n |= bit
	}
	return n, "", true
}

// ConfigureRequest passes the topic and the configuration to an instance.
type ConfigureRequest struct {
	ABIMinor      uint32
	Topic         Topic
	Config        string // the plugin's own configuration, undecoded
	Deterministic bool
	CrawlID       string
	Seed          uint64
}

// Topic is what the crawl looks for.
type Topic struct {
	Name     string
	Terms    []Term
	SeedURLs []string
	Params   map[string]string
	Lang     string // BCP 47
}

// Term is a word or phrase of the topic with its weight.
type Term struct {
	Text   string
	Weight float32
	Flags  TermFlags
}

// TermFlags say how a term is meant.
type TermFlags uint32

const (
	TermPhrase   TermFlags = 1 << iota // several words in this order
	TermNegative                       // speaks against the topic
	TermRegexp                         // the text is a regular expression, for plugins that have one
)

// ScoreRequest is one page to score.
type ScoreRequest struct {
	URL         string
	Title       string
	Parts       []Part
	Links       []Link
	Lang        string
	Depth       uint32 // hops from the seed
	HTTPStatus  uint32
	ContentType string
	ParentScore float32 // of the page that led here, 0 to 1
	Truncated   bool    // the page had more text than is sent
}

// Part is a run of text of one kind.
type Part struct {
	Kind  PartKind
	Text  string
	About string // IRI of the object that the text is of, or ""
}

// PartKind says what a part is on the page; a kind of a later version counts as
// body.
type PartKind uint32

const (
	Body PartKind = iota
	Heading
	Meta
	Navigation
	AltText
	List
	Table
	Code
)

// Link is one out-link of a page.
type Link struct {
	URL     string
	Anchor  string
	Context string // text around the anchor
	Flags   LinkFlags
}

// LinkFlags say where and how a link is on its page.
type LinkFlags uint32

const (
	NoFollow LinkFlags = 1 << iota
	SameHost
	Image
	InNavigation
)

// ExtractRequest is one page to extract from.
type ExtractRequest struct {
	URL         string
	Title       string
	Parts       []Part
	Links       []Link
	Lang        string
	ContentType string
	HTML        string // the page's bytes, undecoded
	CaptureUnix uint64 // seconds
}

// Append appends the encoded message to b.
func (r *ConfigureRequest) Append(b []byte) []byte {
	b = appendUint(b, 1, uint64(r.ABIMinor))
	b = r.Topic.append(b, 2)
	b = appendBytes(b, 3, r.Config)
	b = appendBool(b, 4, r.Deterministic)
	b = appendString(b, 5, r.CrawlID)
	return appendUint(b, 6, r.Seed)
}

func (t *Topic) append(b []byte, num int) []byte {
	const guess = 1 << 10
	b, start := begin(b, num, guess)
	b = appendString(b, 1, t.Name)
	for i := range t.Terms {
		b = t.Terms[i].append(b, 2)
	}
	for _, u := range t.SeedURLs {
		b = appendRaw(b, 3, validText(u))
	}
	names := make([]string, 0, len(t.Params))
	for name := range t.Params {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		size := len(name) + len(t.Params[name]) + 4
		var entry int
		b, entry = begin(b, 4, size)
		b = appendString(b, 1, name)
		b = appendString(b, 2, t.Params[name])
		b = finish(b, entry, size)
	}
	b = appendString(b, 5, t.Lang)
	return finish(b, start, guess)
}

func (t *Term) append(b []byte, num int) []byte {
	size := len(t.Text) + 9
	b, start := begin(b, num, size)
	b = appendString(b, 1, t.Text)
	b = appendFloat(b, 2, t.Weight)
	b = appendUint(b, 3, uint64(t.Flags))
	return finish(b, start, size)
}

// Append appends the encoded message to b, without the fields that are not in n.
func (r *ScoreRequest) Append(b []byte, n Needs) []byte {
	b = appendPage(b, n, r.URL, r.Title, r.Parts, r.Links, r.Lang)
	b = appendUint(b, 6, uint64(r.Depth))
	b = appendUint(b, 7, uint64(r.HTTPStatus))
	b = appendString(b, 8, r.ContentType)
	b = appendFloat(b, 9, r.ParentScore)
	return appendBool(b, 10, r.Truncated)
}

// Append appends the encoded message to b, without the fields that are not in n.
func (r *ExtractRequest) Append(b []byte, n Needs) []byte {
	b = appendPage(b, n, r.URL, r.Title, r.Parts, r.Links, r.Lang)
	b = appendString(b, 6, r.ContentType)
	if n&NeedHTML != 0 {
		b = appendBytes(b, 7, r.HTML)
	}
	return appendUint(b, 8, r.CaptureUnix)
}

// appendPage writes the fields 1 to 5, which both kinds of request have.
func appendPage(b []byte, n Needs, url, title string, parts []Part, links []Link, lang string) []byte {
	b = appendString(b, 1, url)
	if n&NeedTitle != 0 {
		b = appendString(b, 2, title)
	}
	if n&NeedParts != 0 {
		for i := range parts {
			b = parts[i].append(b, 3)
		}
	}
	if n&NeedLinks != 0 {
		for i := range links {
			b = links[i].append(b, 4, n&NeedLinkContext != 0)
		}
	}
	if n&NeedLang != 0 {
		b = appendString(b, 5, lang)
	}
	return b
}

func (p *Part) append(b []byte, num int) []byte {
	size := len(p.Text) + 1 + varintLen(len(p.Text)) + len(p.About) + 2
	b, start := begin(b, num, size)
	b = appendUint(b, 1, uint64(p.Kind))
	b = appendString(b, 2, p.Text)
	b = appendString(b, 3, p.About)
	return finish(b, start, size)
}

func (l *Link) append(b []byte, num int, context bool) []byte {
	size := len(l.URL) + len(l.Anchor) + 8
	if context {
		size += len(l.Context)
	}
	b, start := begin(b, num, size)
	b = appendString(b, 1, l.URL)
	b = appendString(b, 2, l.Anchor)
	if context {
		b = appendString(b, 3, l.Context)
	}
	b = appendUint(b, 4, uint64(l.Flags))
	return finish(b, start, size)
}

// Decode replaces r by the message in s; strings are parts of s.
func (r *ConfigureRequest) Decode(s string) error {
	*r = ConfigureRequest{}
	d := decoder{s: s, end: len(s), trusted: true}
	for d.next() {
		switch d.num {
		case 1:
			r.ABIMinor = d.uint32()
		case 2:
			outer := d.enter()
			r.Topic.decode(&d)
			d.leave(outer)
		case 3:
			r.Config = d.bytes()
		case 4:
			r.Deterministic = d.bool()
		case 5:
			r.CrawlID = d.string()
		case 6:
			r.Seed = d.uint64()
		default:
			d.skip()
		}
	}
	return d.err
}

func (t *Topic) decode(d *decoder) {
	for d.next() {
		switch d.num {
		case 1:
			t.Name = d.string()
		case 2:
			if d.full(len(t.Terms), MaxElements) {
				return
			}
			t.Terms = append(t.Terms, Term{})
			outer := d.enter()
			t.Terms[len(t.Terms)-1].decode(d)
			d.leave(outer)
		case 3:
			if d.full(len(t.SeedURLs), MaxElements) {
				return
			}
			t.SeedURLs = append(t.SeedURLs, d.string())
		case 4:
			if d.full(len(t.Params), MaxElements) {
				return
			}
			outer := d.enter()
			t.decodeParam(d)
			d.leave(outer)
		case 5:
			t.Lang = d.string()
		default:
			d.skip()
		}
	}
}

func (t *Topic) decodeParam(d *decoder) {
	var name, value string
	for d.next() {
		switch d.num {
		case 1:
			name = d.string()
		case 2:
			value = d.string()
		default:
			d.skip()
		}
	}
	if t.Params == nil {
		t.Params = map[string]string{}
	}
	t.Params[name] = value
}

func (t *Term) decode(d *decoder) {
	for d.next() {
		switch d.num {
		case 1:
			t.Text = d.string()
		case 2:
			t.Weight = d.float32()
		case 3:
			t.Flags = TermFlags(d.uint32())
		default:
			d.skip()
		}
	}
}

// Decode replaces r by the message in s; strings are parts of s, slices are
// used again.
func (r *ScoreRequest) Decode(s string) error {
	*r = ScoreRequest{Parts: r.Parts[:0], Links: r.Links[:0]}
	d := decoder{s: s, end: len(s), trusted: true}
	for d.next() {
		switch d.num {
		case 6:
			r.Depth = d.uint32()
		case 7:
			r.HTTPStatus = d.uint32()
		case 8:
			r.ContentType = d.string()
		case 9:
			r.ParentScore = d.float32()
		case 10:
			r.Truncated = d.bool()
		default:
			d.page(&r.URL, &r.Title, &r.Parts, &r.Links, &r.Lang)
		}
	}
	return d.err
}

// Decode replaces r by the message in s; strings are parts of s, slices are
// used again.
func (r *ExtractRequest) Decode(s string) error {
	*r = ExtractRequest{Parts: r.Parts[:0], Links: r.Links[:0]}
	d := decoder{s: s, end: len(s), trusted: true}
	for d.next() {
		switch d.num {
		case 6:
			r.ContentType = d.string()
		case 7:
			r.HTML = d.bytes()
		case 8:
			r.CaptureUnix = d.uint64()
		default:
			d.page(&r.URL, &r.Title, &r.Parts, &r.Links, &r.Lang)
		}
	}
	return d.err
}

// page reads one of the fields 1 to 5, which both kinds of request have, and skips others.
func (d *decoder) page(url, title *string, parts *[]Part, links *[]Link, lang *string) {
	switch d.num {
	case 1:
		*url = d.string()
	case 2:
		*title = d.string()
	case 3:
		*parts = decodePart(d, *parts)
	case 4:
		*links = decodeLink(d, *links)
	case 5:
		*lang = d.string()
	default:
		d.skip()
	}
}

func decodePart(d *decoder, parts []Part) []Part {
	if d.full(len(parts), MaxElements) {
		return parts
	}
	var p Part
	outer := d.enter()
	for d.next() {
		switch d.num {
		case 1:
			p.Kind = PartKind(d.uint32())
		case 2:
			p.Text = d.string()
		case 3:
			p.About = d.string()
		default:
			d.skip()
		}
	}
	d.leave(outer)
	return append(parts, p)
}

func decodeLink(d *decoder, links []Link) []Link {
	if d.full(len(links), MaxElements) {
		return links
	}
	var l Link
	outer := d.enter()
	for d.next() {
		switch d.num {
		case 1:
			l.URL = d.string()
		case 2:
			l.Anchor = d.string()
		case 3:
			l.Context = d.string()
		case 4:
			l.Flags = LinkFlags(d.uint32())
		default:
			d.skip()
		}
	}
	d.leave(outer)
	return append(links, l)
}

// Text is the text of all parts of the page, a line for each.
func (r *ScoreRequest) Text() string { return joined(r.Parts) }

// Text is the text of all parts of the page, a line for each.
func (r *ExtractRequest) Text() string { return joined(r.Parts) }

func joined(parts []Part) string {
	if len(parts) == 1 {
		return parts[0].Text
	}
	var b strings.Builder
	for i, p := range parts {
		if i > 0 {
			b.WriteByte('\n')
		}
		b.WriteString(p.Text)
	}
	return b.String()
}
