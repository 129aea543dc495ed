package graph

import (
	"bytes"
	"cmp"
	"fmt"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/cayleygraph/quad"
)

// Kind says what the values of a field are.
type Kind string

// The kinds of values, as the attribute "as" of a field in the knowledge base has them. The empty kind is text, but for
// the fields created and modified, which are dates.
const (
	Text   Kind = "text"
	HTML   Kind = "html"   // markup, kept as a plain literal
	Date   Kind = "date"   // xsd:dateTime or xsd:date when written so, else a plain literal
	Link   Kind = "url"    // an IRI, relative to the page if need be
	Number Kind = "number" // xsd:integer or xsd:decimal when written so, else a plain literal
)

// Capture describes one archived exchange. Empty fields are omitted.
type Capture struct {
	ID     string    // urn:uuid: of the response record; also the name of the graph
	URL    string    // requested
	Time   time.Time // when
	Status int       // of HTTP
	// WARCFile, WARCOffset and WARCLength are the place of the record; usually not known yet, see Locate.
	WARCFile               string
	WARCOffset, WARCLength int64
	PayloadDigest          string
	Type, Level, KBHash    string // what the page was found to be, and by which knowledge base: "phpbb/topic@HASH"
	Crawl                  string // urn:uuid: of the crawl
	Revises                string // urn:uuid: of an earlier capture of the same URL
	// Adapted says which learned expressions found something on the page, and where they come from.
	Adapted []string
	// Counts are what the page says of how many things there are.
	Counts []Count
}

// Object is a thing that a page shows: a post, a comment, an account.
type Object struct {
	Class string // prefixed: sioc:Post; see Class
	// ID is the object's IRI, relative to the page if need be. It must not be empty.
	ID string
	// Parent is the IRI of what the object belongs to; may be empty.
	Parent string
	// Rel is the property that leads to Parent, in a form that Property takes. When empty it is reply_of for sioct:Comment
	// and sioct:Answer, and has_container for all others. Containers, such as sioc:Thread, have has_parent in the place of
	// has_container. With reply_of the parent also gets has_reply.
	Rel    string
	Fields []Field
	// Confidence is the probability that the object is right, from 0 to 1, and Reader the IRI of the activity
	// that found it, of objects that no type describes; zero for all others.
	Confidence float64
	Reader     string
	// Language is the BCP 47 tag of its title and of its texts; "" where it is not known.
	Language string
}

// Field is a property of an object with its values.
type Field struct {
	Name string
	// Property is the property in a form that Property takes; found from Name when empty.
	Property string
	Values   []string
	Kind     Kind
}

// Fields that are more than one statement a value.
const (
	creatorField    = "creator"     // the name of who wrote it; not so when its Property is another than sioc:has_creator
	creatorURLField = "creator_url" // the address of that account's profile page, value by value
)

// encoder collects the quads of one capture, in order, each once.
type encoder struct {
	capture *Capture
	page    string   // the IRI of the capture's URL
	graph   quad.IRI // of what is said now
	out     bytes.Buffer
	seen    map[string]bool
	iris    map[string]string // what IRI says of names: a page says the same of few
	root    string            // of the page's site
	most    int               // bytes of out; 0 for any number
	err     error
}

// Encode returns the N-Quads of a capture: its description in the graph Meta, then the objects, in the given
// order, in the graph named by its id. The same input gives the same bytes; no statement comes twice.
//
// Values may be any strings. An error is a mistake of the caller or of a knowledge base: no id, an unknown class or
// property.
func Encode(c Capture, objects []Object) ([]byte, error) {
	if !strings.HasPrefix(c.ID, "urn:uuid:") || IRI(c.ID) != c.ID {
		return nil, fmt.Errorf("graph: capture of %q: id %q is not a urn:uuid", c.URL, c.ID)
	}
	if IRI(c.URL) == "" {
		return nil, fmt.Errorf("graph: capture %s: %q is not an absolute URL", c.ID, c.URL)
	}
	e := newEncoder(&c)
	e.about()
	e.graph = quad.IRI(c.ID)
	for i := range objects {
		if err := e.object(&objects[i]); err != nil {
			return nil, fmt.Errorf("graph: object %d of %s: %w", i+1, c.URL, err)
		}
	}
	e.counts()
	return e.end()
}

// Locate returns the N-Quads that say where the response record of a capture is: what Encode leaves out when the
// capture is not written yet.
func Locate(id, file string, offset, length int64) []byte {
	c := Capture{ID: id, WARCFile: file, WARCOffset: offset, WARCLength: length}
	e := newEncoder(&c)
	e.place()
	b, _ := e.end() // a buffer does not fail
	return b
}

// SameBody returns the N-Quads that say which record has the body of a capture that is a revisit, and, where it is known,
// where that record is. It returns nothing if the record has no id.
func SameBody(id, of, file string, offset int64) []byte {
	if !strings.HasPrefix(of, "urn:") {
		return nil
	}
	e := newEncoder(&Capture{})
	e.add(quad.IRI(id), NS+"sameBodyAs", quad.IRI(of))
	if file != "" {
		e.add(quad.IRI(of), NS+"warcFile", text(file))
		e.add(quad.IRI(of), NS+"warcOffset", number(strconv.FormatInt(offset, 10)))
	}
	b, _ := e.end() // a buffer does not fail
	return b
}

func newEncoder(c *Capture) *encoder {
	e := &encoder{capture: c, page: IRI(c.URL), graph: Meta, seen: map[string]bool{}, iris: map[string]string{}}
	e.root = site(e.page)
	return e
}

func (e *encoder) end() ([]byte, error) { return e.out.Bytes(), e.err }

// name is IRI, which is asked once for each address.
func (e *encoder) name(address string) string {
	iri, known := e.iris[address]
	if !known {
		iri = IRI(address)
		e.iris[address] = iri
	}
	return iri
}

// add states something, unless it was stated already or nothing is left of it that may be stated.
func (e *encoder) add(s quad.IRI, p string, o quad.Value) {
	q, ok := e.strict(quad.Quad{Subject: s, Predicate: quad.IRI(p), Object: o, Label: e.graph})
	if !ok || e.err != nil {
		return
	}
	if e.most > 0 && e.out.Len()+len(s)+len(p) > e.most {
		e.err = ErrTooMuch
		return
	}
	line := q.Subject.String() + " " + q.Predicate.String() + " " + q.Object.String() + " " + q.Label.String() + " .\n"
	if e.seen[line] {
		return
	}
	e.seen[line] = true
	e.out.WriteString(line)
}

// about says what the capture is.
func (e *encoder) about() {
	c, id := e.capture, quad.IRI(e.capture.ID)
	e.add(id, rdf+"type", quad.IRI(prov+"Entity"))
	e.add(id, dcterms+"source", quad.IRI(e.page))
	e.moment(id, "generatedAtTime", c.Time)
	if c.Crawl != "" {
		e.add(id, prov+"wasGeneratedBy", quad.IRI(c.Crawl))
	}
	if c.Revises != "" {
		e.add(id, prov+"wasRevisionOf", quad.IRI(c.Revises))
	}
	if c.Status != 0 {
		e.add(id, NS+"httpStatus", number(strconv.Itoa(c.Status)))
	}
	e.add(id, NS+"payloadDigest", text(c.PayloadDigest))
	if c.Type != "" {
		extractor := c.Type
		if c.Level != "" {
			extractor += "/" + c.Level
		}
		if c.KBHash != "" {
			extractor += "@" + c.KBHash
		}
		e.add(id, NS+"extractor", text(extractor))
	}
	for _, a := range c.Adapted {
		e.add(id, NS+"adapted", text(a))
	}
	if c.WARCFile != "" {
		e.place()
	}
}

// place says where the capture is.
func (e *encoder) place() {
	c, id := e.capture, quad.IRI(e.capture.ID)
	e.add(id, NS+"warcFile", text(c.WARCFile))
	e.add(id, NS+"warcOffset", number(strconv.FormatInt(c.WARCOffset, 10)))
	e.add(id, NS+"warcLength", number(strconv.FormatInt(c.WARCLength, 10)))
}

// object says what an object is and what its fields are.
func (e *encoder) object(o *Object) error {
	class, err := Class(o.Class)
	if err != nil {
		return err
	}
	if strings.TrimSpace(o.ID) == "" {
		return fmt.Errorf("a %s without an id", o.Class)
	}
	id := e.iri(o.ID)
	e.add(id, rdf+"type", quad.IRI(class))
	if also := schemaType(o.Class); also != "" {
		e.add(id, rdf+"type", quad.IRI(also))
	}
	if above := Superclass(o.Class); above != "" {
		prefix, local, _ := strings.Cut(above, ":")
		e.add(id, rdf+"type", quad.IRI(namespaces[prefix]+local))
	}
	if o.Confidence > 0 {
		e.add(id, NS+"confidence", number(strconv.FormatFloat(o.Confidence, 'f', 3, 64)))
	}
	if o.Reader != "" {
		e.add(quad.IRI(o.Reader), rdf+"type", quad.IRI(prov+"Activity"))
		e.add(id, prov+"wasGeneratedBy", quad.IRI(o.Reader))
	}
	if strings.TrimSpace(o.Parent) != "" {
		if err := e.relate(id, o); err != nil {
			return err
		}
	}
	for i := range o.Fields {
		f := &o.Fields[i]
		if f.Name == creatorURLField {
			continue // said with creator
		}
		property, err := Property(cmp.Or(f.Property, f.Name))
		if err != nil {
			return err
		}
		if f.Name == creatorField && property == sioc+"has_creator" {
			e.creators(id, f.Values, profiles(o.Fields))
			continue
		}
		if err := e.field(id, property, f, o.Language); err != nil {
			return err
		}
	}
	return nil
}

// relate says what the object belongs to.
func (e *encoder) relate(id quad.IRI, o *Object) error {
	rel := o.Rel
	if rel == "" {
		rel = "has_container"
		if o.Class == "sioct:Comment" || o.Class == "sioct:Answer" {
			rel = "reply_of"
		}
	}
	if rel == "has_container" && isContainer(o.Class) {
		rel = "has_parent"
	}
	property, err := Property(rel)
	if err != nil {
		return err
	}
	parent := e.iri(o.Parent)
	e.add(id, property, parent)
	if property == sioc+"reply_of" {
		e.add(parent, sioc+"has_reply", id)
	}
	return nil
}

// profiles returns the values of the field creator_url.
func profiles(fields []Field) []string {
	for _, f := range fields {
		if f.Name == creatorURLField {
			return f.Values
		}
	}
	return nil
}

// creators says who wrote the object: an account with its name, and the name once more as dc:creator for tools that know
// only that. The account is the profile page where the page has a link to it, and otherwise a guest of that name on the
// site.
func (e *encoder) creators(id quad.IRI, names, profiles []string) {
	for i, name := range names {
		if name = strings.TrimSpace(name); name == "" {
			continue
		}
		var account quad.IRI
		if i < len(profiles) && strings.TrimSpace(profiles[i]) != "" {
			profile, _, _ := strings.Cut(string(e.iri(profiles[i])), "#")
			account = quad.IRI(profile)
		} else {
			account = e.genid("acct", name)
		}
		e.add(id, sioc+"has_creator", account)
		e.add(id, dc+"creator", text(name))
		e.add(account, rdf+"type", quad.IRI(sioc+"UserAccount"))
		e.add(account, foaf+"accountName", text(name))
	}
}

// genid names a thing that the site gives no address: a Skolem IRI as RDF 1.1 has it, the same for a name on all pages of
// the site.
func (e *encoder) genid(kind, name string) quad.IRI {
	return quad.IRI(e.root + genid + kind + "-" + url.PathEscape(name))
}

const genid = ".well-known/genid/"

// IsGuest reports whether an account is only a name on its site, since no page links to its profile.
func IsGuest(account string) bool {
	return strings.Contains(account, "/"+genid+"acct-") || strings.Contains(account, "#acct-") // of earlier versions
}

// concept says that an object is about something that the page only names.
func (e *encoder) concept(id quad.IRI, property, label string) {
	concept := e.genid("topic", label)
	e.add(id, property, concept)
	e.add(concept, rdf+"type", quad.IRI(skos+"Concept"))
	e.add(concept, skos+"prefLabel", text(label))
}

// prose is a text in a language, which may be unknown.
func prose(s, language string) quad.Value {
	if language == "" {
		return text(s)
	}
	return quad.LangString{Value: text(s), Lang: language}
}

// site is the root of a page's site.
func site(page string) string {
	u, err := url.Parse(page)
	if err != nil || u.Host == "" {
		page, _, _ := strings.Cut(page, "#")
		return page
	}
	return (&url.URL{Scheme: u.Scheme, Host: u.Host, Path: "/"}).String()
}

// proseFields are the fields whose values are in the language of their object.
var proseFields = map[string]bool{"title": true, "content": true, "content_own": true, "quoted": true}

// field says what a field is.
func (e *encoder) field(id quad.IRI, property string, f *Field, language string) error {
	kind := f.Kind
	if kind == "" && (f.Name == "created" || f.Name == "modified") {
		kind = Date
	}
	for _, v := range f.Values {
		if strings.TrimSpace(v) == "" {
			continue
		}
		switch kind {
		case Date:
			e.add(id, property, date(v))
		case Number:
			e.add(id, property, number(v))
		case Link:
			e.add(id, property, e.iri(v))
			if property == sioc+"reply_of" {
				e.add(e.iri(v), sioc+"has_reply", id)
			}
		case Text, HTML, "":
			switch {
			case property == sioc+"topic" || property == dcterms+"subject":
				e.concept(id, property, strings.TrimSpace(v))
			case proseFields[f.Name]:
				e.add(id, property, prose(v, language))
			default:
				e.add(id, property, text(v))
			}
		default:
			return fmt.Errorf("field %s: kind %q: want text, html, date, url or number", f.Name, kind)
		}
	}
	return nil
}
