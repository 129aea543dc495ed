// Command schema-org is an extractor of what pages say about themselves in the
// vocabulary of schema.org, as JSON-LD and as microdata.
//
// Each typed thing becomes an object of the class schema:TYPE with a field for each
// property. A thing without an IRI that another one refers to is given one, of the page
// and a number: http://example.org/page#schema-3. Times with a zone are times, addresses
// are IRIs, the rest is text as the page has it.
package main

import (
	"bytes"
	"net/url"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"golang.org/x/net/html"

	"github.com/awarc/awarc/plugins/sdk/extract"
)

func init() {
	extract.OnPage(func(p *extract.Page, out *extract.Result) error {
		things := read(p)
		if len(things) == 0 {
			return extract.NoOpinion
		}
		for _, t := range things {
			t.write(out)
		}
		return nil
	})
}

func main() {}

// Bounds of what is taken from one page; the host takes 10,000 objects and 100,000 fields.
const (
	maxThings = 5_000
	maxFields = 50_000
	maxDepth  = 64 // things within things
)

// thing is an object with its properties in the order of the page.
type thing struct {
	number int // on the page, from 1 on
	types  []string
	id     string // an IRI, or ""
	fields []property
}

// property is a name with a value of one of the kinds: a string, an IRI, a time, a float64,
// an int64, a bool or another thing.
type property struct {
	name  string
	value any
	lang  string
}

type (
	iri     string
	instant string
)

// reader collects the things of a page.
type reader struct {
	page   string
	base   *url.URL
	lang   string
	things []*thing
	fields int
}

func read(p *extract.Page) []*thing {
	root, err := html.Parse(strings.NewReader(decoded(p.HTML)))
	if err != nil {
		return nil // the parser takes everything that is not too deep
	}
	r := &reader{page: p.URL}
	r.page, _, _ = strings.Cut(p.URL, "#")
	r.base, err = url.Parse(p.URL)
	if err != nil {
		r.base = new(url.URL)
	}
	for n := range root.Descendants() {
		if n.Type != html.ElementNode {
			continue
		}
		switch n.Data {
		case "html":
			r.lang = language(attribute(n, "lang"))
		case "base":
			if href, err := url.Parse(attribute(n, "href")); err == nil && attribute(n, "href") != "" {
				r.base = r.base.ResolveReference(href)
			}
		case "script":
			if kind, _, _ := strings.Cut(attribute(n, "type"), ";"); strings.EqualFold(strings.TrimSpace(kind), "application/ld+json") &&
				n.FirstChild != nil {
				r.jsonLD(n.FirstChild.Data)
			}
		}
	}
	r.microdata(root)
	r.name()
	return r.things
}

// decoded is the page as UTF-8: what is not is taken for Latin-1, which loses least.
func decoded(page string) string {
	if utf8.ValidString(page) {
		return page
	}
	var b bytes.Buffer
	for i := range len(page) {
		b.WriteRune(rune(page[i]))
	}
	return b.String()
}

// add makes a thing of the types, local names of schema.org; nil when there are enough.
func (r *reader) add(types []string, id string) *thing {
	if len(r.things) == maxThings {
		return nil
	}
	t := &thing{number: len(r.things) + 1, types: types}
	if full := r.absolute(id); id != "" && full != "" {
		t.id = full
	}
	r.things = append(r.things, t)
	return t
}

// set adds a property to a thing.
func (r *reader) set(t *thing, name string, value any, lang string) {
	name = localName(name)
	if name == "" || value == nil || r.fields == maxFields {
		return
	}
	if s, ok := value.(string); ok {
		value = r.typed(name, s)
		if value == "" {
			return
		}
	}
	r.fields++
	t.fields = append(t.fields, property{name, value, lang})
}

// addresses are properties whose values are URLs, be they relative.
var addresses = map[string]bool{
	"url": true, "image": true, "logo": true, "sameAs": true, "mainEntityOfPage": true, "thumbnailUrl": true, "contentUrl": true,
	"embedUrl": true,
	"item":     true, "discussionUrl": true, "license": true, "photo": true, "isBasedOn": true, "target": true,
}

// typed makes an IRI or a time of a text that is one.
func (r *reader) typed(name, s string) any {
	s = strings.TrimSpace(s)
	if strings.HasPrefix(s, "http://") || strings.HasPrefix(s, "https://") || addresses[name] {
		if full := r.absolute(s); full != "" {
			return iri(full)
		}
		return s
	}
	if len(s) >= 20 && s[4] == '-' && (s[10] == 'T' || s[10] == ' ') {
		for _, layout := range []string{time.RFC3339, "2006-01-02T15:04:05Z0700", "2006-01-02T15:04Z07:00", "2006-01-02 15:04:05Z07:00"} {
			if t, err := time.Parse(layout, s); err == nil {
				return instant(t.Format(time.RFC3339Nano))
			}
		}
	}
	return s
}

// absolute resolves a reference; "" when it is none that an IRI can be.
func (r *reader) absolute(ref string) string {
	ref = strings.TrimSpace(ref)
	u, err := url.Parse(ref)
	if ref == "" || err != nil || strings.ContainsAny(ref, " \t\n<>\"{}|\\^`") || strings.ContainsFunc(ref, unicode.IsControl) {
		return ""
	}
	full := r.base.ResolveReference(u)
	if full.Scheme == "" || full.Host == "" && full.Opaque == "" {
		return ""
	}
	return full.String()
}

// name gives IRIs to things that others refer to.
func (r *reader) name() {
	for _, t := range r.things {
		for _, f := range t.fields {
			if other, ok := f.value.(*thing); ok && other.id == "" {
				other.id = r.page + "#schema-" + strconv.Itoa(other.number)
			}
		}
	}
}

// write adds the thing to the result: an object of its first type.
func (t *thing) write(out *extract.Result) {
	o := out.Object("schema:"+t.types[0], t.id)
	for _, more := range t.types[1:] {
		o.IRI("additionalType", "https://schema.org/"+more)
	}
	for _, f := range t.fields {
		switch v := f.value.(type) {
		case string:
			o.Text(f.name, v, f.lang)
		case iri:
			o.IRI(f.name, string(v))
		case instant:
			o.Time(f.name, string(v))
		case int64:
			o.Int(f.name, v)
		case float64:
			o.Float(f.name, v)
		case bool:
			o.Bool(f.name, v)
		case *thing:
			if v.id != "" {
				o.IRI(f.name, v.id)
			}
		}
	}
}

// localName is the name of a class or property without the IRI or the prefix of
// schema.org, and "" when it is no name of that vocabulary.
func localName(s string) string {
	s = strings.TrimSpace(s)
	for _, prefix := range []string{"https://schema.org/", "http://schema.org/", "https://www.schema.org/", "http://www.schema.org/",
		"schema:"} {
		s = strings.TrimPrefix(s, prefix)
	}
	s = strings.TrimSuffix(s, "/")
	if len(s) > 100 || strings.ContainsFunc(s, func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && r != '-' && r != '_'
	}) {
		return ""
	}
	return s
}

func attribute(n *html.Node, name string) string {
	for _, a := range n.Attr {
		if a.Key == name {
			return a.Val
		}
	}
	return ""
}

// language is a BCP 47 tag, or "" where the page has none that can be.
func language(tag string) string {
	tag = strings.ReplaceAll(strings.TrimSpace(tag), "_", "-")
	if len(tag) < 2 || len(tag) > 35 {
		return ""
	}
	for i, part := range strings.Split(tag, "-") {
		if part == "" || len(part) > 8 || strings.ContainsFunc(part, func(r rune) bool {
			return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (i == 0 || r < '0' || r > '9')
		}) {
			return ""
		}
	}
	return tag
}
