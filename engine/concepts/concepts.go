// Package concepts scores texts by the concepts of an ontology that they name.
//
// An ontology is a SKOS or OWL file: concepts with labels in any language, and relations between
// them. The user chooses some concepts. Each other concept has a weight that falls with its
// distance from them in the graph, by a factor for each relation on the way (Ehrig and Maedche,
// "Ontology-focused crawling of web documents", 2003). A text is as relevant as the concepts that
// it names.
package concepts

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/awarc/awarc/plugins/sdk/names"
)

// Relations are the factors of one step in the graph, from 0 to 1, by the kind of relation.
type Relations struct {
	Narrower float64 `yaml:"narrower"` // to a narrower concept, subclass or instance
	Broader  float64 `yaml:"broader"`  // to a broader concept or superclass
	Related  float64 `yaml:"related"`  // any other relation, either way
}

// Usual are the default factors. The values are arbitrary: a narrower concept belongs to the topic
// nearly as a whole, a broader or related one in part.
var Usual = Relations{Narrower: 0.8, Broader: 0.4, Related: 0.4}

// leastWeight ends the walk away from the chosen concepts. It is arbitrary.
const leastWeight = 0.05

// Graph is an ontology with the weights of its concepts. It is immutable and safe for concurrent
// use.
type Graph struct {
	concepts []concept
	names    *names.Names
}

type concept struct {
	iri    string
	label  string // the first preferred one
	labels []string
	edges  []edge
	top    bool // declared as a top concept
	under  bool // it has a broader one
	weight float64
}

type edge struct {
	to   int
	kind kind
}

type kind int

const (
	narrower kind = iota
	broader
	related
)

// New reads an ontology and weighs its concepts by their distance from some, which are named by
// label or IRI. Without any, the top concepts are chosen. name is the name of the file, for errors.
func New(name string, data []byte, chosen []string, r Relations) (*Graph, error) {
	triples, err := read(data)
	if err != nil {
		return nil, fmt.Errorf("ontology %s: %w", name, err)
	}
	g := build(triples)
	if len(g.concepts) == 0 {
		return nil, fmt.Errorf("ontology %s: no concept with a label (skos:prefLabel, skos:altLabel, rdfs:label)", name)
	}
	if err := g.weigh(chosen, r); err != nil {
		return nil, fmt.Errorf("ontology %s: %w", name, err)
	}
	g.names = names.New()
	for i := range g.concepts {
		c := &g.concepts[i]
		if c.weight == 0 {
			continue
		}
		for _, l := range c.labels {
			g.names.Add(l, i)
		}
	}
	g.names.Link()
	return g, nil
}

// Namespaces of the terms that are read.
const (
	skos = "http://www.w3.org/2004/02/skos/core#"
	rdfs = "http://www.w3.org/2000/01/rdf-schema#"
	rdf  = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"
	owl  = "http://www.w3.org/2002/07/owl#"
)

// labelling are the properties that name a concept.
var labelling = map[string]bool{
	skos + "prefLabel": true, skos + "altLabel": true, skos + "hiddenLabel": true, rdfs + "label": true,
}

// downwards reports for the relations of the hierarchy whether they lead from the broader concept
// to the narrower one.
var downwards = map[string]bool{
	skos + "broader": false, skos + "broaderTransitive": false, skos + "broadMatch": false, rdfs + "subClassOf": false,
	rdfs + "subPropertyOf": false, rdf + "type": false,
	skos + "narrower": true, skos + "narrowerTransitive": true, skos + "narrowMatch": true,
}

func build(triples []triple) *Graph {
	g, places := &Graph{}, map[string]int{}
	for _, t := range triples {
		if !labelling[t.predicate] || !t.literal || strings.TrimSpace(t.object) == "" {
			continue
		}
		i, known := places[t.subject]
		if !known {
			i = len(g.concepts)
			places[t.subject] = i
			g.concepts = append(g.concepts, concept{iri: t.subject})
		}
		c := &g.concepts[i]
		c.labels = append(c.labels, t.object)
		if c.label == "" || t.predicate == skos+"prefLabel" && !t.foreign {
			c.label = t.object
		}
	}
	for _, t := range triples {
		from, is := places[t.subject]
		to, leads := places[t.object]
		switch {
		case !is && t.predicate == skos+"hasTopConcept" && leads:
			g.concepts[to].top = true
		case is && t.predicate == skos+"topConceptOf":
			g.concepts[from].top = true
		case !is || !leads || t.literal || from == to:
		default:
			g.relate(from, to, t.predicate)
		}
	}
	return g
}

func (g *Graph) relate(from, to int, predicate string) {
	there, back := related, related
	if down, is := downwards[predicate]; is {
		if !down {
			from, to = to, from
		}
		there, back = narrower, broader
		g.concepts[to].under = true
	}
	g.concepts[from].edges = append(g.concepts[from].edges, edge{to, there})
	g.concepts[to].edges = append(g.concepts[to].edges, edge{from, back})
}

// weigh gives each concept the weight of the best way to it from a chosen one.
func (g *Graph) weigh(chosen []string, r Relations) error {
	factors := [...]float64{narrower: r.Narrower, broader: r.Broader, related: r.Related}
	for _, f := range factors {
		if !(f >= 0 && f <= 1) {
			return fmt.Errorf("relations: factor %g; expected 0 to 1", f)
		}
	}
	queue, err := g.choose(chosen)
	if err != nil {
		return err
	}
	for len(queue) > 0 {
		at := &g.concepts[queue[0]]
		queue = queue[1:]
		for _, e := range at.edges {
			if w := at.weight * factors[e.kind]; w >= leastWeight && w > g.concepts[e.to].weight {
				g.concepts[e.to].weight = w
				queue = append(queue, e.to)
			}
		}
	}
	return nil
}

// choose gives the chosen concepts the weight 1 and returns them.
func (g *Graph) choose(chosen []string) (at []int, err error) {
	take := func(is func(*concept) bool) (any bool) {
		for i := range g.concepts {
			if c := &g.concepts[i]; is(c) {
				any = true
				if c.weight == 0 {
					at = append(at, i)
				}
				c.weight = 1
			}
		}
		return any
	}
	for _, name := range chosen {
		folded := names.Fold(strings.TrimSpace(name))
		if !take(func(c *concept) bool {
			return c.iri == name || slices.ContainsFunc(c.labels, func(l string) bool { return names.Fold(l) == folded })
		}) {
			return nil, fmt.Errorf("no concept has the IRI or label %q", name)
		}
	}
	if len(chosen) == 0 && !take(func(c *concept) bool { return c.top }) && !take(func(c *concept) bool { return !c.under }) {
		take(func(*concept) bool { return true }) // a circle
	}
	return at, nil
}

// wordsApart is how many words of a text are expected for one mention of a concept that it is
// about. It is arbitrary, about a paragraph.
const wordsApart = 150

// Score returns how relevant a text is, from 0 to 1. Further mentions of a concept count less, and
// so do mentions in long texts.
func (g *Graph) Score(text string) float64 {
	words := names.Split(text)
	times := map[int]float64{}
	g.names.Each(text, words, func(c int) { times[c]++ })
	apart := max(1, float64(len(words))/wordsApart)
	irrelevant := 1.0
	for _, c := range slices.Sorted(maps.Keys(times)) {
		irrelevant *= 1 - g.concepts[c].weight*(1-math.Exp(-times[c]/apart))
	}
	return 1 - irrelevant
}

// Weight is a concept with its weight.
type Weight struct {
	IRI, Label string
	Weight     float64
}

// Weights returns the concepts that count, the heaviest first.
func (g *Graph) Weights() (all []Weight) {
	for _, c := range g.concepts {
		if c.weight > 0 {
			all = append(all, Weight{c.iri, c.label, c.weight})
		}
	}
	slices.SortStableFunc(all, func(a, b Weight) int { return cmp.Compare(b.Weight, a.Weight) })
	return all
}
