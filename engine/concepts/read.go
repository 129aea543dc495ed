package concepts

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"net/url"
	"strings"
)

// triple is a statement with an IRI, a blank node or a literal as its object.
type triple struct {
	subject, predicate, object string
	literal                    bool
	foreign                    bool // a literal in another language than English
}

// mostTriples bounds an ontology. The largest thesauri of libraries have a few millions.
const mostTriples = 4 << 20

var errTooLarge = fmt.Errorf("more than %d statements", mostTriples)

// read reads RDF/XML, or Turtle with N-Triples.
func read(data []byte) ([]triple, error) {
	data = bytes.TrimPrefix(data, []byte("\ufeff"))
	start := bytes.TrimSpace(data)
	if bytes.HasPrefix(start, []byte("<?xml")) || bytes.HasPrefix(start, []byte("<!")) || bytes.HasPrefix(start, []byte("<rdf:")) {
		return readXML(data)
	}
	return readTurtle(string(data))
}

// maxDepth bounds nested elements and blank nodes.
const maxDepth = 100

// xmlReader reads RDF/XML: elements are in turn nodes and properties.
type xmlReader struct {
	in      *xml.Decoder
	base    *url.URL
	triples []triple
	blank   int
}

func readXML(data []byte) ([]triple, error) {
	r := &xmlReader{in: xml.NewDecoder(bytes.NewReader(data)), base: &url.URL{}}
	r.in.Entity = map[string]string{}
	for {
		token, err := r.in.Token()
		if errors.Is(err, io.EOF) {
			return r.triples, nil
		}
		if err != nil {
			return nil, err
		}
		switch t := token.(type) {
		case xml.Directive:
			r.entities(string(t))
		case xml.StartElement:
			if t.Name.Space == rdf && t.Name.Local == "RDF" {
				r.setBase(t)
				continue
			}
			if _, err := r.node(t, 0); err != nil {
				return nil, err
			}
		}
	}
}

// entities reads the entities that OWL files declare for their namespaces.
func (r *xmlReader) entities(doctype string) {
	for part := range strings.SplitSeq(doctype, "<!ENTITY") {
		if f := strings.Fields(part); len(f) >= 2 && len(r.in.Entity) < maxDepth {
			r.in.Entity[f[0]] = strings.Trim(strings.TrimSuffix(f[1], ">"), `"'`)
		}
	}
}

func (r *xmlReader) setBase(t xml.StartElement) {
	for _, a := range t.Attr {
		if a.Name.Local == "base" {
			if u, err := url.Parse(a.Value); err == nil {
				r.base = u
			}
		}
	}
}

func (r *xmlReader) resolve(s string) string {
	u, err := r.base.Parse(s)
	if err != nil {
		return s
	}
	return u.String()
}

// subject returns the name of a node by its attributes.
func (r *xmlReader) subject(t xml.StartElement) string {
	for _, a := range t.Attr {
		if a.Name.Space != rdf {
			continue
		}
		switch a.Name.Local {
		case "about":
			return r.resolve(a.Value)
		case "ID":
			return r.resolve("#" + a.Value)
		case "nodeID":
			return "_:" + a.Value
		}
	}
	r.blank++
	return fmt.Sprintf("_:blank%d", r.blank)
}

func (r *xmlReader) add(t triple) error {
	if len(r.triples) >= mostTriples {
		return errTooLarge
	}
	r.triples = append(r.triples, t)
	return nil
}

// node reads an element that is a node, to its end.
func (r *xmlReader) node(t xml.StartElement, depth int) (subject string, err error) {
	if depth > maxDepth {
		return "", fmt.Errorf("nested deeper than %d", maxDepth)
	}
	subject = r.subject(t)
	if t.Name.Space+t.Name.Local != rdf+"Description" {
		if err := r.add(triple{subject: subject, predicate: rdf + "type", object: t.Name.Space + t.Name.Local}); err != nil {
			return "", err
		}
	}
	for {
		token, err := r.in.Token()
		if err != nil {
			return "", err
		}
		switch t := token.(type) {
		case xml.StartElement:
			if err := r.property(subject, t, depth+1); err != nil {
				return "", err
			}
		case xml.EndElement:
			return subject, nil
		}
	}
}

// property reads an element that is a property, to its end.
func (r *xmlReader) property(subject string, t xml.StartElement, depth int) error {
	s := triple{subject: subject, predicate: t.Name.Space + t.Name.Local}
	for _, a := range t.Attr {
		switch {
		case a.Name.Space == rdf && a.Name.Local == "resource":
			s.object = r.resolve(a.Value)
		case a.Name.Space == rdf && a.Name.Local == "nodeID":
			s.object = "_:" + a.Value
		case a.Name.Local == "lang":
			s.foreign = !isEnglish(a.Value)
		}
	}
	var text strings.Builder
	for {
		token, err := r.in.Token()
		if err != nil {
			return err
		}
		switch t := token.(type) {
		case xml.CharData:
			text.Write(t)
		case xml.StartElement:
			object, err := r.node(t, depth+1)
			if err != nil {
				return err
			}
			if s.object != "" { // a collection
				if err := r.add(s); err != nil {
					return err
				}
			}
			s.object = object
		case xml.EndElement:
			if s.object == "" {
				s.object, s.literal = text.String(), true
			}
			return r.add(s)
		}
	}
}

func isEnglish(language string) bool { return strings.HasPrefix(strings.ToLower(language), "en") }
