package kb

import (
	"encoding/xml"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// Allowed is what the schema allows at a place of a source.
type Allowed struct {
	Element  string       // around the place, or whose tag the place is in; empty: before the first
	InTag    bool         // an attribute may be written there, else an element
	Children []SchemaName // of the element; none in a tag
	Attrs    []SchemaName // of the element, without the ones before the place
	Values   []string     // of the attribute whose value the place is in, if it has some
}

// SchemaName is an element or an attribute of the schema.
type SchemaName struct {
	Name     string
	Doc      string // what it is, in a sentence or some
	Required bool   // of an attribute
}

// xsd is what of XML Schema the schema uses.
type xsd struct {
	Root    xsdElement `xml:"element"`
	Complex []xsdType  `xml:"complexType"`
	Simple  []struct {
		Name   string `xml:"name,attr"`
		Values []struct {
			Value string `xml:"value,attr"`
		} `xml:"restriction>enumeration"`
	} `xml:"simpleType"`
	Groups []struct {
		Name  string    `xml:"name,attr"`
		Attrs []xsdAttr `xml:"attribute"`
	} `xml:"attributeGroup"`

	types  map[string]xsdType
	values map[string][]string
	groups map[string][]xsdAttr
}

type xsdElement struct {
	Name string `xml:"name,attr"`
	Type string `xml:"type,attr"`
	Doc  string `xml:"annotation>documentation"`
}

type xsdAttr struct {
	Name string `xml:"name,attr"`
	Type string `xml:"type,attr"`
	Use  string `xml:"use,attr"`
	Doc  string `xml:"annotation>documentation"`
}

type xsdType struct {
	Name      string       `xml:"name,attr"`
	Doc       string       `xml:"annotation>documentation"`
	Elements  []xsdElement `xml:"choice>element"`
	Attrs     []xsdAttr    `xml:"attribute"`
	Extension struct {
		Base   string    `xml:"base,attr"`
		Attrs  []xsdAttr `xml:"attribute"`
		Groups []struct {
			Ref string `xml:"ref,attr"`
		} `xml:"attributeGroup"`
	} `xml:"simpleContent>extension"`
}

// readXSD reads [Schema], which is embedded.
var readXSD = sync.OnceValue(func() *xsd {
	s := &xsd{types: map[string]xsdType{}, values: map[string][]string{}, groups: map[string][]xsdAttr{}}
	if err := xml.Unmarshal(Schema, s); err != nil {
		panic(err) // a test reads it
	}
	for _, t := range s.Complex {
		s.types[t.Name] = t
	}
	for _, t := range s.Simple {
		for _, v := range t.Values {
			s.values[t.Name] = append(s.values[t.Name], v.Value)
		}
	}
	for _, g := range s.Groups {
		s.groups[g.Name] = g.Attrs
	}
	return s
})

// attrs are the attributes of a type and of what it extends.
func (s *xsd) attrs(t xsdType) []xsdAttr {
	all := slices.Concat(t.Attrs, t.Extension.Attrs)
	for _, g := range t.Extension.Groups {
		all = append(all, s.groups[g.Ref]...)
	}
	if base, ok := s.types[t.Extension.Base]; ok {
		all = append(all, s.attrs(base)...)
	}
	return all
}

// token is a comment, an instruction, a piece of text that is no markup, or a tag, of which the last may not be at its end.
var token = regexp.MustCompile(`(?s)<!--.*?(?:-->|$)|<\?.*?(?:\?>|$)|<!\[CDATA\[.*?(?:\]\]>|$)|</[^>]*>?|` +
	`<([\w:-]*)((?:[^>"']|"[^"]*"|'[^']*')*)(["'][^"']*$|>?)`)

var attributeForm = regexp.MustCompile(`([\w:-]+)\s*=\s*(?:"[^"]*"|'[^']*')`)

// AllowedAt says what the schema allows behind the beginning of a source, which need not be well-formed.
func AllowedAt(before string) Allowed {
	s := readXSD()
	root := xsdType{Elements: []xsdElement{s.Root}}
	open, names := []xsdType{root}, []string{""}
	for _, m := range token.FindAllStringSubmatchIndex(before, -1) {
		text := before[m[0]:m[1]]
		switch {
		case strings.HasPrefix(text, "<!"), strings.HasPrefix(text, "<?"):
		case strings.HasPrefix(text, "</"):
			if len(open) > 1 {
				open, names = open[:len(open)-1], names[:len(names)-1]
			}
		default:
			name, inside, end := before[m[2]:m[3]], before[m[4]:m[5]], before[m[6]:m[7]]
			parent := open[len(open)-1]
			at := slices.IndexFunc(parent.Elements, func(e xsdElement) bool { return e.Name == name })
			var t xsdType
			if at >= 0 {
				t = s.types[parent.Elements[at].Type]
			}
			switch {
			case end == ">" && !strings.HasSuffix(inside, "/"):
				open, names = append(open, t), append(names, name)
			case end != ">" && inside == "": // a name that is being written
			case end != ">":
				return s.inTag(name, t, inside, end != "")
			}
		}
	}
	out := Allowed{Element: names[len(names)-1]}
	for _, e := range open[len(open)-1].Elements {
		out.Children = append(out.Children, SchemaName{Name: e.Name, Doc: e.Doc})
	}
	return out
}

// inTag is what is allowed in a start tag, behind what is inside it.
func (s *xsd) inTag(name string, t xsdType, inside string, inValue bool) Allowed {
	out := Allowed{Element: name, InTag: true}
	there := map[string]bool{}
	for _, m := range attributeForm.FindAllStringSubmatch(inside, -1) {
		there[m[1]] = true
	}
	writing := ""
	if inValue {
		if words := strings.Fields(strings.TrimRight(inside, " \t\r\n=")); len(words) > 0 {
			writing = words[len(words)-1]
		}
	}
	known := map[string]SchemaName{}
	for _, a := range s.attrs(t) {
		if inValue && a.Name == writing {
			out.Values = s.values[a.Type]
		}
		if !there[a.Name] {
			known[a.Name] = SchemaName{a.Name, a.Doc, a.Use == "required"}
		}
	}
	if inValue {
		return out
	}
	for _, name := range slices.Sorted(maps.Keys(known)) {
		out.Attrs = append(out.Attrs, known[name])
	}
	return out
}
