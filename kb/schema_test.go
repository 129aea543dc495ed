package kb_test

import (
	"encoding/xml"
	"fmt"
	"maps"
	"math/rand/v2"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/beevik/etree"

	"github.com/awarc/awarc/kb"
)

// schema is what of XML Schema the schema of knowledge bases uses: elements in
// any order, attributes, and simple types. The end-to-end tests ask xmllint too.
type schema struct {
	Root    xsElement   `xml:"element"`
	Complex []xsComplex `xml:"complexType"`
	Simple  []xsSimple  `xml:"simpleType"`
	Groups  []struct {
		Name       string   `xml:"name,attr"`
		Attributes []xsAttr `xml:"attribute"`
	} `xml:"attributeGroup"`
}

type xsElement struct {
	Name   string `xml:"name,attr"`
	Type   string `xml:"type,attr"`
	Doc    string `xml:"annotation>documentation"`
	Unique *struct {
		Selector xsPath `xml:"selector"`
		Field    xsPath `xml:"field"`
	} `xml:"unique"`
}

type xsPath struct {
	XPath string `xml:"xpath,attr"`
}

type xsComplex struct {
	Name       string      `xml:"name,attr"`
	Mixed      bool        `xml:"mixed,attr"`
	Doc        string      `xml:"annotation>documentation"`
	Elements   []xsElement `xml:"choice>element"`
	Attributes []xsAttr    `xml:"attribute"`
	Extension  struct {
		Base       string   `xml:"base,attr"`
		Attributes []xsAttr `xml:"attribute"`
		Groups     []struct {
			Ref string `xml:"ref,attr"`
		} `xml:"attributeGroup"`
	} `xml:"simpleContent>extension"`
}

type xsAttr struct {
	Name string `xml:"name,attr"`
	Type string `xml:"type,attr"`
	Use  string `xml:"use,attr"`
	Doc  string `xml:"annotation>documentation"`
}

type xsSimple struct {
	Name        string `xml:"name,attr"`
	Restriction struct {
		Pattern, MinLength, MinInclusive, MaxInclusive struct {
			Value string `xml:"value,attr"`
		}
		Values []struct {
			Value string `xml:"value,attr"`
		} `xml:"enumeration"`
	} `xml:"restriction"`
}

func readSchema(t testing.TB) *schema {
	t.Helper()
	text := strings.NewReplacer("xs:pattern", "xs:Pattern", "xs:minLength", "xs:MinLength", "xs:minInclusive", "xs:MinInclusive",
		"xs:maxInclusive", "xs:MaxInclusive").Replace(string(kb.Schema))
	var s schema
	if err := xml.Unmarshal([]byte(text), &s); err != nil {
		t.Fatal(err)
	}
	for i := range s.Complex {
		x := &s.Complex[i].Extension
		for _, ref := range x.Groups {
			for _, g := range s.Groups {
				if g.Name == ref.Ref {
					x.Attributes = append(x.Attributes, g.Attributes...)
				}
			}
		}
	}
	return &s
}

func (s *schema) complex(name string) *xsComplex {
	for i := range s.Complex {
		if s.Complex[i].Name == name {
			return &s.Complex[i]
		}
	}
	return nil
}

func (c *xsComplex) attributes() []xsAttr { return slices.Concat(c.Attributes, c.Extension.Attributes) }

// validate returns what is wrong with an element, or "".
func (s *schema) validate(e *etree.Element, d xsElement) string {
	var text strings.Builder
	for _, c := range e.Child {
		if cd, ok := c.(*etree.CharData); ok {
			text.WriteString(cd.Data)
		}
	}
	c := s.complex(d.Type)
	if c == nil {
		c = &xsComplex{}
		c.Extension.Base = d.Type
	}
	if bad := s.attrs(e, c); bad != "" {
		return e.Tag + ": " + bad
	}
	switch base := c.Extension.Base; {
	case base != "" && !s.fits(base, text.String()):
		return e.Tag + ": the text is no " + base
	case base == "" && !c.Mixed && strings.TrimSpace(text.String()) != "":
		return e.Tag + ": text"
	}
	for _, child := range e.ChildElements() {
		i := slices.IndexFunc(c.Elements, func(x xsElement) bool { return x.Name == child.Tag })
		if i < 0 || child.Space != "" {
			return e.Tag + ": child " + child.FullTag()
		}
		if bad := s.validate(child, c.Elements[i]); bad != "" {
			return bad
		}
	}
	if d.Unique != nil {
		return unique(e, strings.ReplaceAll(d.Unique.Selector.XPath, "k:", ""), strings.TrimPrefix(d.Unique.Field.XPath, "@"))
	}
	return ""
}

func unique(e *etree.Element, path, attr string) string {
	seen := map[string]bool{}
	for _, x := range e.FindElements(path) {
		v := x.SelectAttrValue(attr, "")
		if seen[v] {
			return e.Tag + ": " + path + " " + v + " twice"
		}
		seen[v] = true
	}
	return ""
}

func (s *schema) attrs(e *etree.Element, c *xsComplex) string {
	declared := c.attributes()
	for _, a := range e.Attr {
		i := slices.IndexFunc(declared, func(x xsAttr) bool { return x.Name == a.FullKey() })
		switch {
		case a.FullKey() == "xmlns" && e.Tag == "kb":
		case i < 0:
			return "attribute " + a.FullKey()
		case !s.fits(declared[i].Type, a.Value):
			return fmt.Sprintf("%s=%q is no %s", a.Key, a.Value, declared[i].Type)
		}
	}
	for _, d := range declared {
		if d.Use == "required" && e.SelectAttr(d.Name) == nil {
			return "no attribute " + d.Name
		}
	}
	return ""
}

func (s *schema) fits(name, value string) bool {
	if name == "xs:string" {
		return true
	}
	i := slices.IndexFunc(s.Simple, func(x xsSimple) bool { return x.Name == name })
	if i < 0 {
		panic("the schema has no type " + name)
	}
	r := s.Simple[i].Restriction
	if least := r.MinInclusive.Value; least != "" {
		n, err := strconv.Atoi(strings.TrimSpace(value))
		from, _ := strconv.Atoi(least)
		to, _ := strconv.Atoi(r.MaxInclusive.Value)
		return err == nil && n >= from && n <= to
	}
	if len(r.Values) > 0 && !slices.ContainsFunc(r.Values, func(v struct {
		Value string `xml:"value,attr"`
	}) bool {
		return v.Value == value
	}) {
		return false
	}
	if r.MinLength.Value != "" && value == "" {
		return false
	}
	return r.Pattern.Value == "" || regexp.MustCompile("^(?:"+r.Pattern.Value+")$").MatchString(value)
}

func parseXML(t testing.TB, data []byte) *etree.Element {
	t.Helper()
	doc := etree.NewDocument()
	if err := doc.ReadFromBytes(data); err != nil {
		t.Fatal(err)
	}
	return doc.Root()
}

// complete is a knowledge base with every element in every place, and with
// every attribute.
const complete = `<kb xmlns="urn:awarc:kb:1">
<category id="forum" name="Web forum" rank="2">
 <detect><pattern weak="yes">body</pattern></detect>
 <type id="one" name="One" site="example.org/f">
  <detect><pattern weak="no">head</pattern><pattern weak="yes">p</pattern></detect>
  <urls><drop param="s*" with="t" path="x.php"/><default param="n" value="1" path="x.php"/><paging param="n"/><paging path="/page{n}/"/>
   <prefer url="x.php?t={t}"><from>t{t}-{*}</from></prefer><address level="topic" part="no">x.php?t={t}</address></urls>
  <level id="topic" variant="old" kind="terminal">
   <detect><pattern weak="yes">i</pattern><pattern weak="yes">b</pattern>
   <pattern learned="2026-11-21" from="i" cost="1" site="a.example b.example/f" pages="3" confidence="0.9" evidence="e"
   weak="yes">u</pattern></detect>
   <browse><wait for="b" most="5"/><click>b</click><hover>b</hover><scroll/><submit>b</submit>
   <fill at="u" keywords="yes"><value>v</value></fill><select at="u"><value>v</value></select>
   <repeat until="nothing new" most="9"><wait for="b" most="5"/><click>b</click><hover>b</hover><scroll>b</scroll><submit>b</submit>
   <fill at="u" keywords="no"><value>v</value></fill><select at="u"><value>v</value></select></repeat></browse>
   <follow to="topic" paging="yes" optional="no">a<try learned="2026-11-21" from="a" cost="2" site="a.example" pages="3" confidence="1"
   accepted="2026-11-22">u</try></follow>
   <follow to="topic"><try match="x(.)">a/@href</try><try>b</try></follow>
   <object class="sioc:Thread" id="{url}" rel="reply_of" nests="yes">
    <field name="title" as="text" required="yes" many="no" match="(.+)" unless="form">h1</field>
    <field name="created" as="date" order="dmy" zone="Europe/Vienna"><try match="on (.+)">time</try></field>
    <total of="sioc:Post" match="\d+"><try match="\d+">b</try></total>
    <total of="page" more="1">i</total>
    <object class="sioc:Post" at="p"><parent>{@rel}</parent><id>{@id}</id><id>{url}#{@name}</id>
     <field name="content" as="html" until="__"><try>div</try><without>i</without></field>
     <object class="sioct:Comment" id="{@id}"><at>./p</at><at>p</at>
     <at learned="2026-11-21" from="p" cost="0" site="a.example" rejected="2026-11-22" why="no">u</at></object>
    </object>
   </object>
   <object class="sioc:UserAccount" at=".//i" id="{@id}"><field name="title">b</field></object>
  </level>
  <level id="index" kind="intermediate"><detect><pattern>u</pattern></detect>
   <total of="sioc:Thread" match="\d+">b</total>
   <total of="sioc:Post" at="li" link="a" more="1" match="\d"><try match="\d+">b</try></total>
   <changes to="topic" at="tr" link="a" order="newest"><time match="\d+">i</time><count match="\d+">b</count></changes></level>
  <learned>
   <pattern level="topic" variant="old" weak="yes" learned="2026-11-21" from="i" cost="1" site="a.example" pages="3" confidence="0.9"
   evidence="e" rejected="2026-11-22" why="no">s</pattern>
   <try level="topic" variant="old" part="sioc:Thread title" match="(.+)" learned="2026-11-21" from="h1" cost="1" site="a.example"
   pages="3" confidence="0.9" evidence="e" accepted="2026-11-22">s</try>
  </learned>
  <example page="a.html" url="http://a.example/" level="topic" variant="old" objects="3" links="0" scripts="no">
   <link to="topic" url="x.php?t=1"/><field of="sioc:Post" n="1" name="title">T</field>
  </example>
  <type id="two"><detect><pattern>u</pattern></detect></type>
 </type>
</category>
<service id="one-api" name="One" of="one two" base="api/">
 <root match="(.+)">link/@href</root>
 <auth kind="key" param="k"/><auth kind="oauth2" token="/token"/><limit left="http/a" reset="http/b" as="epoch"/>
 <values markup="a" utc="b" epoch="c" jsonapi="no"/>
 <operation id="posts" path="p/{feed}" complete="yes" items="answer/item">
  <param name="q" value="{keyword}" required="no"/>
  <paging><cursor param="after">answer/after</cursor></paging>
  <since param="since" value="answer/item/id"/>
  <call operation="posts" at="answer/item" once="yes"><arg name="feed">./id</arg></call>
  <object class="sioc:Post" at="answer/item" id="{./url}"/>
  <follow match="(.+)">answer/item/url</follow><follow><try>answer/item/link</try></follow>
 </operation>
 <operation id="pages"><paging param="p" first="0" step="20" size="20" pages="answer/n" more="answer/more"/></operation>
 <operation id="next"><paging next="answer/next"/></operation>
 <example page="a.json" url="http://a.example/api/p/1" operation="posts" objects="1" links="1" next="none" calls="1">
  <field of="sioc:Post" name="title">T</field>
 </example>
</service>
</kb>`

func TestBuiltinFilesAreValid(t *testing.T) {
	s := readSchema(t)
	for _, src := range append(kb.Builtin(), kb.Source{Name: "complete", Data: []byte(complete)}) {
		if bad := s.validate(parseXML(t, src.Data), s.Root); bad != "" {
			t.Errorf("%s: %s", src.Name, bad)
		}
	}
	if _, err := kb.Load(kb.Source{Name: "complete.xml", Data: []byte(complete)}); err != nil {
		t.Error(err)
	}
}

// The reader and the schema know the same attributes and children of each
// element, and the schema explains every one.
func TestSchemaKnowsWhatTheReaderKnows(t *testing.T) {
	s := readSchema(t)
	probed := map[string]bool{}
	var walk func(path []int, d xsElement)
	walk = func(path []int, d xsElement) {
		var attrs, children []string
		c := s.complex(d.Type)
		if c == nil {
			c = &xsComplex{}
		}
		for _, a := range c.attributes() {
			attrs = append(attrs, a.Name)
			if a.Doc == "" && d.Type != "weakPattern" {
				t.Errorf("the attribute %s of %s is not explained", a.Name, d.Name)
			}
		}
		for _, x := range c.Elements {
			children = append(children, x.Name)
		}
		if d.Name == "kb" {
			attrs = append(attrs, "xmlns")
		}
		if d.Doc == "" && c.Doc == "" {
			t.Errorf("the element %s is not explained", d.Name)
		}
		root := parseXML(t, []byte(complete))
		if key := d.Name + " " + d.Type; !probed[key] {
			probed[key] = true
			wantSame(t, d.Name+" attributes", attrs, expected(t, path, func(e *etree.Element) { e.CreateAttr("zz", "") }))
			wantSame(t, d.Name+" children", children, expected(t, path, func(e *etree.Element) { e.CreateElement("zz") }))
		}
		for i, child := range elementAt(root, path).ChildElements() {
			at := slices.IndexFunc(c.Elements, func(x xsElement) bool { return x.Name == child.Tag })
			walk(append(slices.Clone(path), i), c.Elements[at])
		}
	}
	walk(nil, s.Root)
	for _, c := range s.Complex {
		for _, x := range c.Elements {
			if !probed[x.Name+" "+x.Type] {
				t.Errorf("the document of the test has no <%s> of the type %s", x.Name, x.Type)
			}
		}
	}
}

func elementAt(e *etree.Element, path []int) *etree.Element {
	for _, i := range path {
		e = e.ChildElements()[i]
	}
	return e
}

var expectedOne = regexp.MustCompile(`(?:unknown attribute zz|/zz>: unexpected in <\w+>|<zz>: unexpected in <kb>); expected one of: (.*)`)

// expected returns what the reader says it expected at an element, once that
// is broken.
func expected(t *testing.T, path []int, damage func(*etree.Element)) []string {
	t.Helper()
	doc := etree.NewDocument()
	doc.SetRoot(parseXML(t, []byte(complete)))
	damage(elementAt(doc.Root(), path))
	data, err := doc.WriteToBytes()
	if err != nil {
		t.Fatal(err)
	}
	_, err = kb.Load(kb.Source{Name: "f.xml", Data: data})
	if err == nil {
		t.Fatalf("the reader accepts zz in %s", elementAt(doc.Root(), path).Tag)
	}
	m := expectedOne.FindStringSubmatch(err.Error())
	if m == nil {
		t.Fatalf("the reader does not say what it expected: %v", err)
	}
	if m[1] == "(none)" {
		return nil
	}
	return strings.Split(m[1], ", ")
}

func wantSame(t *testing.T, what string, schema, reader []string) {
	t.Helper()
	slices.Sort(schema)
	slices.Sort(reader)
	if !slices.Equal(schema, reader) {
		t.Errorf("%s: the schema has %v, the reader %v", what, schema, reader)
	}
}

// What the reader accepts is valid: damaged documents are either both right or
// refused by the reader, which sees more than a schema can.
func TestWhatTheReaderAcceptsIsValid(t *testing.T) {
	if kb.RaceDetector {
		t.Skip("skipped with the race detector: make plain runs it without")
	}
	s := readSchema(t)
	rng := rand.New(rand.NewPCG(3, 4))
	names := slices.Sorted(maps.Keys(map[string]bool{"zz": true, "detect": true, "pattern": true, "try": true, "field": true,
		"object": true, "id": true, "at": true, "type": true, "link": true}))
	values := []string{"", "zz", "Z z", "yes", "no", "0", "7", "-1", "x:Y", "sioc:Post", "html", "date", "{url}", "a/b", "/a", "http://a",
		"topic", "terminal", "intermediate"}
	accepted, refused, both := 0, 0, 0
	times := 1000
	if kb.Long() {
		times = 4000
	}
	for range times {
		doc := etree.NewDocument()
		doc.SetRoot(parseXML(t, []byte(complete)))
		all := doc.FindElements("//*")
		e := all[rng.IntN(len(all))]
		did := damage(rng, e, names, values)
		data, err := doc.WriteToBytes()
		if err != nil {
			t.Fatal(err)
		}
		_, err = kb.Load(kb.Source{Name: "f.xml", Data: data})
		bad := s.validate(parseXML(t, data), s.Root)
		switch {
		case err == nil && bad != "":
			t.Errorf("the reader accepts, the schema says %s, of this damage: %s", bad, did)
		case err == nil:
			accepted++
		case bad != "":
			both++
			fallthrough
		default:
			refused++
		}
	}
	t.Logf("%d accepted; of %d that the reader refuses the schema finds %d", accepted, refused, both)
	if accepted < times/40 || both*10 < refused*7 {
		t.Error("the schema misses more than three tenths of what the reader refuses")
	}
}

// damage changes an element or one of its attributes, and tells how.
func damage(rng *rand.Rand, e *etree.Element, names, values []string) string {
	value, name := values[rng.IntN(len(values))], names[rng.IntN(len(names))]
	var attr *etree.Attr
	if len(e.Attr) > 0 {
		attr = &e.Attr[rng.IntN(len(e.Attr))]
	}
	before := e.Tag
	switch kind := rng.IntN(6); {
	case kind == 0 && attr != nil:
		key := attr.FullKey()
		e.RemoveAttr(key)
		return "no " + key + " of " + e.Tag
	case kind == 1 && attr != nil:
		attr.Value = value
		return attr.Key + "=" + value + " of " + e.Tag
	case kind == 2:
		e.Tag = name
		return before + " called " + name
	case kind == 3:
		e.SetText(value)
		return "text " + value + " in " + e.Tag
	case kind == 4:
		e.CreateElement(name).SetText(value)
		return name + " " + value + " in " + e.Tag
	}
	if up := e.Parent(); up != nil && up.Tag != "" {
		up.AddChild(e.Copy())
	}
	return before + " twice"
}
