package main

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/awarc/awarc/plugins/abi"
	"github.com/awarc/awarc/plugins/sdk/extract"
	"github.com/awarc/awarc/plugins/sdk/names"
	"github.com/awarc/awarc/plugins/sdk/plugintest"
)

const people = `name,iri,class,other names
Harbour of Example,http://e.example/harbour,schema:Place,Example Harbour,Beispielhafen
Harbour,http://e.example/a-harbour,schema:Place
US,http://e.example/us,schema:Country
東京,http://e.example/tokyo,schema:Place
Inés O'Neil,,schema:Person
`

func page(texts ...string) *extract.Page {
	p := &extract.Page{URL: "http://e.example/t/1#x"}
	for i, t := range texts {
		p.Parts = append(p.Parts, abi.Part{Text: t, About: fmt.Sprint("http://e.example/t/1#", i+1)})
	}
	return p
}

// said are the triples of one property, as "subject object".
func said(r *abi.ExtractResponse, property string) (all []string) {
	for _, t := range r.Triples {
		if t.Predicate == property {
			all = append(all, strings.TrimPrefix(t.Subject, "http://e.example/")+" "+strings.TrimPrefix(t.Object, "http://e.example/"))
		}
	}
	return all
}

func TestEntities(t *testing.T) {
	plugintest.Configure(t, &abi.ConfigureRequest{Config: people, Topic: abi.Topic{Params: map[string]string{
		"entities": `[{"name": "Lantern", "aliases": ["Laterne"]}]`}}})
	r := plugintest.Extract(t, page(
		"The HARBOUR of – Example, and the harbour.", "Tell us of the US and of example harbours.", "明日は東京へ行く。Beispielhafen!",
		"ines o’neil broke the Laterne, and O'Neil Inés did not.", "Harbour of nothing"))
	want := []string{"t/1#1 harbour", "t/1#1 a-harbour", "t/1#2 us", "t/1#3 tokyo", "t/1#3 harbour",
		"t/1#4 urn:awarc:entity:In%C3%A9s%20O%27Neil", "t/1#4 urn:awarc:entity:Lantern", "t/1#5 a-harbour"}
	if got := said(r, mentions); !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
	if len(r.Objects) != 6 || r.Objects[0].Type != "schema:Place" || r.Objects[0].Fields[0].Value.Str != "Harbour of Example" {
		t.Errorf("%+v", r.Objects)
	}
	r = plugintest.Extract(t, &extract.Page{URL: "http://e.example/p#x", Parts: []abi.Part{{Text: "A lantern"}}})
	if len(r.Triples) != 1 || r.Triples[0].Subject != "http://e.example/p" {
		t.Errorf("%+v", r)
	}
}

// The automaton finds what looking for each name everywhere finds.
func TestNamesAgreeWithSlowSearch(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	some := func(most int) string {
		var words []string
		for range 1 + r.IntN(most) {
			words = append(words, string(rune('a'+r.IntN(3))))
		}
		return strings.Join(words, " ")
	}
	for range 3000 {
		m := names.New()
		var list []string
		for i := range 1 + r.IntN(6) {
			list = append(list, some(4))
			m.Add(list[i], i)
		}
		m.Link()
		text := some(12)
		if got, want := m.Find(text, names.Split(text)), slowly(list, text); !slices.Equal(got, want) {
			t.Fatalf("%q in %q: got %v, want %v", list, text, got, want)
		}
	}
}

func slowly(names []string, text string) (entities []int) {
	words := strings.Fields(text)
	for at := 0; at < len(words); {
		longest := 0
		for _, name := range names {
			if n := strings.Fields(name); len(n) > longest && len(n) <= len(words)-at && slices.Equal(n, words[at:at+len(n)]) {
				longest = len(n)
			}
		}
		for e, name := range names {
			if n := strings.Fields(name); longest > 0 && slices.Equal(n, words[at:at+longest]) && !slices.Contains(entities, e) {
				entities = append(entities, e)
			}
		}
		at += max(1, longest)
	}
	return entities
}

func TestSettings(t *testing.T) {
	const skos = `# concepts
<http://e.example/c1> <http://www.w3.org/2004/02/skos/core#altLabel> "Hafen"@de .
<http://e.example/c1> <http://www.w3.org/2004/02/skos/core#prefLabel> "Harbour \"of\" \U0001F30Dx"@en .
<http://e.example/c1> <http://www.w3.org/2004/02/skos/core#broader> <http://e.example/c2> .
<http://e.example/c2> <http://www.w3.org/2004/02/skos/core#altLabel> "Bucht" .
`
	s, err := read(skos, "")
	if err != nil || len(s.entities) != 2 || s.entities[0].Name != `Harbour "of" 🌍x` || s.entities[0].Aliases[0] != "Hafen" ||
		s.entities[1].Name != "Bucht" {
		t.Errorf("%+v (%v)", s, err)
	}
	s, err = read(`{"entities": [{"name": "Ines", "aliases": ["Inés"]}], "keywords": 0, "language": false}`, "")
	if err != nil || s.keywords != 0 || s.language || s.entities[0].IRI != "urn:awarc:entity:Ines" {
		t.Errorf("%+v (%v)", s, err)
	}
	for config, want := range map[string]string{
		`{"entitys": []}`: "unknown field", `{"entities": [{"iri": "http://x/"}]}`: "entity 1 has no name",
		"Ines,no iri": "shall be an IRI",
		"a,\"b":       "gazetteer", "<http://x/> <http://www.w3.org/2004/02/skos/core#prefLabel> x .": "line 1: expected a literal",
		strings.Repeat("a\n", mostNames+1): "more than 100000 names",
	} {
		if _, err := read(config, ""); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.40q: %v, want %q", config, err, want)
		}
	}
}

func TestKeywordsAndLanguage(t *testing.T) {
	plugintest.Configure(t, &abi.ConfigureRequest{Config: `{"keywords": 2}`})
	r := plugintest.Extract(t, page(
		"The harbour wall was repaired by the town, and the harbour wall stood for many years after the storm of the century.",
		"I do not think that the town can pay for the harbour wall. The town has never paid for anything, as we all know.",
		"Ich glaube nicht, dass die Stadt das bezahlen kann, denn sie hat noch nie etwas bezahlt, und das wissen wir alle sehr gut."))
	if got := said(r, keywords); !slices.Equal(got, []string{"t/1#1 harbour wall", "t/1#1 town", "t/1#2 harbour wall", "t/1#2 town"}) {
		t.Errorf("%q", got)
	}
	if got := said(r, language); !slices.Equal(got, []string{"t/1#1 en", "t/1#2 en", "t/1#3 de"}) {
		t.Errorf("%q", got)
	}
}
