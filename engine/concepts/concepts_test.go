package concepts

import (
	"math"
	"strings"
	"testing"
)

const harbour = `@prefix skos: <http://www.w3.org/2004/02/skos/core#> .
@prefix : <http://example.org/> .
# A scheme.
:scheme a skos:ConceptScheme ; skos:hasTopConcept :craft .
:craft a skos:Concept ; skos:prefLabel "craft"@en, "Handwerk"@de .
:pottery skos:broader :craft ; skos:prefLabel "pottery"@en, "Töpferei"@de ; skos:altLabel """ceramics""" .
:kiln skos:broader :pottery ; skos:prefLabel "kiln" ; skos:note [ skos:example "x" ] ; skos:related :clay, :oven .
:clay skos:prefLabel "clay\u0020pit" . :oven skos:prefLabel "oven"^^<http://www.w3.org/2001/XMLSchema#string> .
:boat skos:prefLabel "boat" ; skos:member ( :craft :kiln ) .
`

const harbourXML = `<?xml version="1.0"?><!DOCTYPE rdf:RDF [<!ENTITY skos "http://www.w3.org/2004/02/skos/core#">]>
<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:rdfs="http://www.w3.org/2000/01/rdf-schema#"
 xmlns:owl="http://www.w3.org/2002/07/owl#" xml:base="http://example.org/">
<owl:Class rdf:ID="craft"><rdfs:label xml:lang="en">craft</rdfs:label></owl:Class>
<owl:Class rdf:ID="pottery"><rdfs:label>pottery</rdfs:label><rdfs:subClassOf rdf:resource="#craft"/></owl:Class>
<owl:Class rdf:about="#kiln"><rdfs:label>kiln</rdfs:label><rdfs:subClassOf>
 <owl:Class rdf:about="#pottery"/></rdfs:subClassOf></owl:Class></rdf:RDF>`

func weights(t *testing.T, data string, chosen ...string) map[string]float64 {
	t.Helper()
	g, err := New("test", []byte(data), chosen, Usual)
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]float64{}
	for _, w := range g.Weights() {
		all[w.Label] = math.Round(1000*w.Weight) / 1000
	}
	return all
}

func TestWeightsFallWithDistance(t *testing.T) {
	for _, c := range []struct {
		data   string
		chosen []string
		want   map[string]float64
	}{
		{harbour, []string{"töpferei"}, map[string]float64{"pottery": 1, "craft": 0.4, "kiln": 0.8, "clay pit": 0.32, "oven": 0.32}},
		{harbour, nil, map[string]float64{"craft": 1, "pottery": 0.8, "kiln": 0.64, "clay pit": 0.256}},
		{harbour, []string{"http://example.org/boat"}, map[string]float64{"boat": 1}},
		{harbourXML, []string{"kiln"}, map[string]float64{"kiln": 1, "pottery": 0.4, "craft": 0.16}},
		{harbourXML, nil, map[string]float64{"craft": 1, "pottery": 0.8, "kiln": 0.64}},
	} {
		got := weights(t, c.data, c.chosen...)
		for label, want := range c.want {
			if got[label] != want {
				t.Errorf("%v: %s weighs %g, want %g", c.chosen, label, got[label], want)
			}
		}
		if c.chosen != nil && len(c.want) == 1 && len(got) != 1 {
			t.Errorf("%v: %v", c.chosen, got)
		}
	}
}

func TestTextsAreScoredByTheirConcepts(t *testing.T) {
	g, err := New("test", []byte(harbour), []string{"pottery"}, Usual)
	if err != nil {
		t.Fatal(err)
	}
	german, english, near := g.Score("Die Töpferei am Hafen"), g.Score("Pottery at the harbour"), g.Score("A craft fair")
	none, long := g.Score("A boat"), g.Score("pottery "+strings.Repeat("and other words ", 500))
	if german != english || german <= near || near <= long || long <= none || none != 0 {
		t.Errorf("scores are %g, %g, %g, %g, %g", german, english, near, long, none)
	}
}

func TestBadOntologies(t *testing.T) {
	for _, bad := range []string{"", "x", `<http://a> <http://b> "c`, "@prefix : <x", ":a :b :c .",
		"[ [ [ [", strings.Repeat("[ <b> ", 5000), "(((",
		`<?xml version="1.0"?><rdf:RDF`, `<rdf:RDF xmlns:rdf="` + rdf + `">` + strings.Repeat("<a><b>", 500), `"a" <b> "c" .`, "\xff", `"\`,
		"<a> <b> 'x\\"} {
		if _, err := New("bad", []byte(bad), nil, Usual); err == nil {
			t.Errorf("%.40q is accepted", bad)
		}
	}
	if _, err := New("test", []byte(harbour), []string{"submarine"}, Usual); err == nil {
		t.Error("an unknown concept is accepted")
	}
	if _, err := New("test", []byte(harbour), nil, Relations{Narrower: 2}); err == nil {
		t.Error("a factor above 1 is accepted")
	}
}

func FuzzRead(f *testing.F) {
	f.Add([]byte(harbour))
	f.Add([]byte(harbourXML))
	f.Fuzz(func(_ *testing.T, data []byte) {
		_, _ = New("fuzz", data, nil, Usual) // it neither panics nor hangs
	})
}
