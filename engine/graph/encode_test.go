package graph

import (
	"bytes"
	"errors"
	"io"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/cayleygraph/quad"
	"github.com/cayleygraph/quad/nquads"
)

const testID = "urn:uuid:0b1e6f3c-5a51-4c5e-9d7f-0d1b6f5e7a01"

func forumPage() (Capture, []Object) {
	c := Capture{
		ID: testID, URL: "https://forum.example/t/42?page=1",
		Time:   time.Date(2026, 11, 20, 11, 0, 0, 123456000, time.FixedZone("", 3600)),
		Status: 200, PayloadDigest: "sha256:AAAA", Type: "phpbb", Level: "topic", KBHash: "3f",
		Crawl: "urn:uuid:11111111-5a51-4c5e-9d7f-0d1b6f5e7a01", WARCFile: "a-00001.warc.gz", WARCOffset: 512, WARCLength: 99,
	}
	return c, []Object{
		{Class: "sioc:Thread", ID: "https://forum.example/t/42", Parent: "/f/archiving", Fields: []Field{
			{Name: "title", Values: []string{"Keeping \"bytes\""}},
			{Name: "num_replies", Values: []string{"2", "many"}, Kind: Number},
		}},
		{Class: "sioc:Post", ID: "#post-1001", Parent: "https://forum.example/t/42", Fields: []Field{
			{Name: "creator", Values: []string{"alice", "Bob B."}},
			{Name: "creator_url", Values: []string{"/u/alice#top"}, Kind: Link},
			{Name: "created", Values: []string{"2026-11-19T08:30:00+01:00"}},
			{Name: "content", Values: []string{"Hello,\nhow do I keep the bytes?"}},
			{Name: "content_html", Values: []string{"<p>Hello,</p>"}, Kind: HTML},
			{Name: "mood", Values: []string{"fine", " "}},
		}},
		{Class: "sioct:Comment", ID: "https://forum.example/t/42#c7", Parent: "#post-1001", Fields: []Field{
			{Name: "creator", Values: []string{"alice"}},
			{Name: "creator_url", Values: []string{"/u/alice"}, Kind: Link},
			{Name: "when", Property: "dcterms:created", Values: []string{"2026-02-30", "2026-02-28", "yesterday"}, Kind: Date},
		}},
	}
}

// The file is the whole vocabulary on one page: a change of a name or of the order shows here.
func TestEncodeGolden(t *testing.T) {
	got, err := Encode(forumPage())
	if err != nil {
		t.Fatal(err)
	}
	const golden = "testdata/forum.nq"
	if os.Getenv("AWARC_UPDATE") != "" {
		if err := os.WriteFile(golden, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("got\n%s\nwant (AWARC_UPDATE=1 rewrites it)\n%s", got, want)
	}
	again, err := Encode(forumPage())
	if err != nil || !bytes.Equal(got, again) {
		t.Errorf("the second encoding differs (%v)", err)
	}
}

func TestLocateSaysWhatEncodeSays(t *testing.T) {
	c, _ := forumPage()
	whole, err := Encode(c, nil)
	if err != nil {
		t.Fatal(err)
	}
	place := Locate(c.ID, c.WARCFile, c.WARCOffset, c.WARCLength)
	if n := bytes.Count(place, []byte("\n")); n != 3 || !bytes.Contains(whole, place) {
		t.Errorf("Locate gives %d lines\n%s\nnot in\n%s", n, place, whole)
	}
}

func TestEncodeRefuses(t *testing.T) {
	ok := Capture{ID: testID, URL: "http://e.example/"}
	for name, tc := range map[string]struct {
		c    Capture
		o    Object
		want string
	}{
		"no id":         {Capture{URL: "http://e.example/"}, Object{}, "urn:uuid"},
		"hostile id":    {Capture{ID: "urn:uuid:> <x", URL: "http://e.example/"}, Object{}, "urn:uuid"},
		"relative URL":  {Capture{ID: testID, URL: "/x"}, Object{}, "absolute"},
		"no class":      {ok, Object{ID: "a"}, "class"},
		"wrong class":   {ok, Object{Class: "sioc:Pots", ID: "a"}, "sioc:Pots"},
		"no object id":  {ok, Object{Class: "sioc:Post", ID: " "}, "without an id"},
		"wrong rel":     {ok, Object{Class: "sioc:Post", ID: "a", Parent: "b", Rel: "x:y"}, "prefix"},
		"wrong field":   {ok, Object{Class: "sioc:Post", ID: "a", Fields: []Field{{Name: "a b"}}}, "a b"},
		"wrong kind":    {ok, Object{Class: "sioc:Post", ID: "a", Fields: []Field{{Name: "t", Kind: "x", Values: []string{"v"}}}}, "kind"},
		"wrong creator": {ok, Object{Class: "sioc:Post", ID: "a", Fields: []Field{{Name: "c", Property: "nope:creator"}}}, "nope"},
	} {
		if _, err := Encode(tc.c, []Object{tc.o}); err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%s: error %v, want one with %q", name, err, tc.want)
		}
	}
}

func TestProperty(t *testing.T) {
	for name, want := range map[string]string{
		"title":             "http://purl.org/dc/terms/title",
		"created":           "http://purl.org/dc/terms/created",
		"content":           "http://rdfs.org/sioc/ns#content",
		"creator":           "http://rdfs.org/sioc/ns#has_creator",
		"content_html":      "urn:awarc:ns#content_html",
		"mood":              "urn:awarc:ns#mood",
		"dc:creator":        "http://purl.org/dc/elements/1.1/creator",
		"schema:headline":   "http://schema.org/headline",
		"http://e.example/": "http://e.example/",
		"urn:x1:y":          "urn:x1:y",
	} {
		if got, err := Property(name); got != want || err != nil {
			t.Errorf("Property(%q) = %q, %v; want %q", name, got, err, want)
		}
	}
	for _, name := range []string{"", "a b", "x:y", "dc:", "dc:1", ":a", "http://e.example/<", "1a", "ä"} {
		if got, err := Property(name); err == nil {
			t.Errorf("Property(%q) = %q, want an error", name, got)
		}
	}
}

// TestSuperclasses: what SIOC's ontology says of classes, as the graph states it: subclasses of posts and forums are these,
// too, and containers, which are no items, are in their parent by has_parent.
func TestSuperclasses(t *testing.T) {
	for class, want := range map[string]string{
		"sioct:BlogPost": "<http://rdfs.org/sioc/ns#Post> <http://rdfs.org/sioc/ns#has_container>",
		"sioct:Answer":   "<http://rdfs.org/sioc/ns#Post> <http://rdfs.org/sioc/ns#reply_of>",
		"sioct:Weblog":   "<http://rdfs.org/sioc/ns#Forum> <http://rdfs.org/sioc/ns#has_parent>",
		"sioc:Thread":    "<http://schema.org/Conversation> <http://rdfs.org/sioc/ns#has_parent>",
		"sioc:Post":      "<http://schema.org/DiscussionForumPosting> <http://rdfs.org/sioc/ns#has_container>",
	} {
		c := Capture{ID: testID, URL: "https://e.example/"}
		got, err := Encode(c, []Object{{Class: class, ID: "#1", Parent: "/in"}})
		if err != nil {
			t.Fatal(err)
		}
		lines := strings.Split(string(got), "\n")
		found := ""
		for i, line := range lines {
			if strings.Contains(line, "<https://e.example/in>") && found == "" {
				found = strings.Fields(lines[i-1])[2] + " " + strings.Fields(line)[1]
			}
		}
		if found != want {
			t.Errorf("%s: %s, want %s in\n%s", class, found, want, got)
		}
	}
}

// TestConcepts: a topic that is a word on the page is a concept with the word as its label, one for all pages of the site.
func TestConcepts(t *testing.T) {
	got, err := Encode(Capture{ID: testID, URL: "https://e.example/a/1"}, []Object{{Class: "sioc:Post", ID: "#1", Fields: []Field{
		{Name: "topic", Values: []string{" Canal life"}}, {Name: "category", Values: []string{"Canal life"}},
		{Name: "tag", Values: []string{"/tag/canal"}, Kind: Link}}}})
	if err != nil {
		t.Fatal(err)
	}
	const concept = "<https://e.example/.well-known/genid/topic-Canal%20life>"
	for line, want := range map[string]int{
		"<http://rdfs.org/sioc/ns#topic> " + concept: 1, "<http://purl.org/dc/terms/subject> " + concept: 1,
		concept + " <http://www.w3.org/1999/02/22-rdf-syntax-ns#type> <http://www.w3.org/2004/02/skos/core#Concept>": 1,
		concept + ` <http://www.w3.org/2004/02/skos/core#prefLabel> "Canal life"`:                                    1,
		"<http://purl.org/dc/terms/subject> <https://e.example/tag/canal>":                                           1,
		"Concept>": 1,
	} {
		if n := strings.Count(string(got), line); n != want {
			t.Errorf("%d times %s in\n%s", n, line, got)
		}
	}
}

// Classes that contracts.md promises, and those that it does not.
func TestClass(t *testing.T) {
	for _, name := range strings.Fields("sioc:Forum sioc:Thread sioc:Post sioct:BlogPost sioct:Comment sioct:WikiArticle " +
		"sioct:Question sioct:Answer schema:WebPage sioc:UserAccount") {
		if iri, err := Class(name); err != nil || !strings.HasSuffix(iri, name[strings.Index(name, ":")+1:]) {
			t.Errorf("Class(%q) = %q, %v", name, iri, err)
		}
	}
	for _, name := range []string{"", "Post", "sioc:", "sioc:post", "sioct:Post", "x:Post", "schema:webPage", "schema:A b"} {
		if iri, err := Class(name); err == nil {
			t.Errorf("Class(%q) = %q, want an error", name, iri)
		}
	}
}

func TestDates(t *testing.T) {
	for s, want := range map[string]string{
		"2026-11-19T08:30:00+01:00":  "dateTime",
		"2026-11-19T08:30:00Z":       "dateTime",
		" 2026-11-19T08:30:00.123 ":  "dateTime",
		"2026-11-19":                 "date",
		"2026-11-31":                 "",
		"2026-11-19T25:00:00Z":       "",
		"2026-11-19T8:30:00Z":        "",
		"2026-11-19T08:30:00,5Z":     "",
		"2026-11-19T08:30:00+23:00":  "",
		"2026-11-19 08:30:00":        "",
		"yesterday":                  "",
		"2026-11":                    "",
		"2026-11-19T08:30:00+01:00x": "",
	} {
		typ := ""
		if ts, ok := date(s).(quad.TypedString); ok {
			typ = strings.TrimPrefix(string(ts.Type), xsd)
		}
		if typ != want {
			t.Errorf("date(%q) has type %q, want %q", s, typ, want)
		}
	}
}

// parse reads N-Quads back with the reader of the library.
func parse(t *testing.T, b []byte) []quad.Quad {
	t.Helper()
	r := nquads.NewReader(bytes.NewReader(b), false)
	var quads []quad.Quad
	for {
		q, err := r.ReadQuad()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatalf("%v in\n%q", err, b)
		}
		quads = append(quads, q)
	}
	if lines := bytes.Count(b, []byte("\n")); lines != len(quads) {
		t.Fatalf("%d quads on %d lines:\n%q", len(quads), lines, b)
	}
	return quads
}

// check holds what is true of every encoding, whatever a page says.
func check(t *testing.T, c Capture, objects []Object) {
	t.Helper()
	b, err := Encode(c, objects)
	if err != nil {
		return // a mistake in the names, told
	}
	for _, q := range parse(t, b) {
		for _, v := range []quad.Value{q.Subject, q.Predicate, q.Object, q.Label} {
			wellFormedTerm(t, v)
		}
		if q.Label != quad.IRI(c.ID) && q.Label != quad.IRI(Meta) {
			t.Errorf("in graph %v: %v", q.Label, q)
		}
	}
}

func FuzzEncode(f *testing.F) {
	f.Add("http://e.example/a b", "p1", "#x", "a\"b\\c\nd\re\tf\x00\x01", "alice", "/u/1")
	f.Add("http://e.example/", "_:b0", "http://[::1", "\xff\xfe\ufffe\U0001ffff", "\u202e", "javascript:1")
	f.Add("x:", "<>", "{}|^`\\", "'''", "%zz", "http://a\x7f/ü\ue000")
	f.Fuzz(func(t *testing.T, page, id, parent, value, name, profile string) {
		check(t, Capture{ID: testID, URL: page, Type: value, PayloadDigest: name, Crawl: id, Revises: parent, WARCFile: value},
			[]Object{{Class: "sioct:Comment", ID: id, Parent: parent, Fields: []Field{
				{Name: "creator", Values: []string{name, value}},
				{Name: "creator_url", Values: []string{profile}},
				{Name: "content", Values: []string{value}},
				{Name: "created", Values: []string{value}},
				{Name: "link", Values: []string{value}, Kind: Link},
				{Name: "num", Values: []string{value}, Kind: Number},
			}}})
	})
}

// TestConfidenceOfObjects: objects that no type describes carry their confidence and the activity
// that found them; others carry neither.
func TestConfidenceOfObjects(t *testing.T) {
	c, _ := forumPage()
	quads, err := Encode(c, []Object{
		{Class: "sioc:Post", ID: "http://h/1#a", Confidence: 0.9876, Reader: "urn:awarc:reader:records"},
		{Class: "sioc:Post", ID: "http://h/1#b"},
	})
	if err != nil {
		t.Fatal(err)
	}
	text := string(quads)
	for _, part := range []string{
		"<http://h/1#a> <" + NS + `confidence> "0.988"`, "<http://h/1#a> <" + prov + "wasGeneratedBy> <urn:awarc:reader:records>",
		"<urn:awarc:reader:records> <" + rdf + "type> <" + prov + "Activity>",
	} {
		if !strings.Contains(text, part) {
			t.Errorf("%s is missing:\n%s", part, text)
		}
	}
	if strings.Contains(text, "<http://h/1#b> <"+NS) || strings.Contains(text, "<http://h/1#b> <"+prov) {
		t.Errorf("an object of a type has a confidence or a reader:\n%s", text)
	}
}
