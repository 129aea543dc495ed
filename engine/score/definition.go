package score

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/lexer"
	"github.com/goccy/go-yaml/token"

	"github.com/awarc/awarc/engine/concepts"
)

// Definition is an intelligent crawl definition: a YAML file that describes the topic of a crawl.
// All keys are optional.
//
//	name: The euro crisis
//	seeds: [https://blog.example.org/]
//	scope: {type: host, include: ['/politics/'], exclude: ['/sport/']}
//	languages: [en, el]
//	keywords:
//	  - austerity
//	  - {term: bailout, weight: 2}
//	entities:
//	  - {name: Antonis Samaras, aliases: [Samaras, Σαμαράς]}
//	ontology: {file: crisis.ttl, concepts: [Austerity], relations: {narrower: 0.8, broader: 0.4, related: 0.4}}
//	references: [texts/greece.html]
//	urls: [{match: '/\d{4}/\d{2}/', score: 0.8}]
//	blacklist: [spam.example]
//	weights: {text.anchor: 2, org.example.birds: 0.5}
//	seed_pages: false
//	priority: {update: avg, batch: 100, per_turn: 1, best_first: false, learn: false}
//	budget: {domain: 200, per_link: 20, links: 50}
type Definition struct {
	Name  string   `yaml:"name"`
	Seeds []string `yaml:"seeds"`
	Scope Scope    `yaml:"scope"`
	// Languages are the wanted languages of pages. They also select the stemmers of keywords.
	Languages []Lang `yaml:"languages"`
	// Keywords are words or phrases, each with a weight (default: 1). A negative weight lowers the
	// score of a page.
	Keywords []Keyword    `yaml:"keywords"`
	Entities []Entity     `yaml:"entities"`
	Ontology OntologySpec `yaml:"ontology"`
	// References are files and directories of crawls whose text describes the topic. Paths are
	// relative to the definition.
	References []string `yaml:"references"`
	// SeedPages reports whether the fetched pages of the seeds describe the topic. nil means true
	// if the definition has no keywords, entities and references.
	SeedPages *bool `yaml:"seed_pages"`
	// URLs score links by regular expressions over their address; the first match counts.
	URLs []URLRule `yaml:"urls"`
	// Blacklist are hosts that the crawl never requests, with all their subdomains.
	Blacklist []string `yaml:"blacklist"`
	// Weights are the weights of modules and plugins by name.
	Weights  Weights  `yaml:"weights"`
	Priority Priority `yaml:"priority"`
	Budget   Budget   `yaml:"budget"`

	graph *concepts.Graph // of Ontology; nil for none
}

// OntologySpec selects concepts of a SKOS or OWL file as the topic.
type OntologySpec struct {
	// File is RDF/XML, Turtle or N-Triples. Its path is relative to the definition.
	File string `yaml:"file"`
	// Concepts are the wanted concepts by label or IRI; default: the top concepts.
	Concepts []string `yaml:"concepts"`
	// Relations are the factors of weights for a step away from a wanted concept; nil means
	// [concepts.Usual].
	Relations *concepts.Relations `yaml:"relations"`
}

// ReadOntology reads the ontology of the definition from the contents of its file.
func (d *Definition) ReadOntology(data []byte) (err error) {
	d.graph, err = concepts.New(d.Ontology.File, data, d.Ontology.Concepts, d.Ontology.Factors())
	return err
}

// Factors returns Relations, or their default.
func (o OntologySpec) Factors() concepts.Relations {
	if o.Relations == nil {
		return concepts.Usual
	}
	return *o.Relations
}

// Graph returns the ontology of the definition after [Definition.ReadOntology]; nil without one.
func (d *Definition) Graph() *concepts.Graph { return d.graph }

// Scope has the values of the flags of the same names.
type Scope struct {
	Type    string   `yaml:"type"`
	Include []string `yaml:"include"`
	Exclude []string `yaml:"exclude"`
	MaxHops *int     `yaml:"max_hops"`
}

// Keyword is a term of the topic. In YAML it is a string, or a map with term and weight.
type Keyword struct {
	Term   string  `yaml:"term"`
	Weight float64 `yaml:"weight"`
}

// UnmarshalYAML reads either form.
func (k *Keyword) UnmarshalYAML(decode func(any) error) error {
	k.Weight = 1
	if decode(&k.Term) == nil {
		return nil
	}
	type plain Keyword
	return decode((*plain)(k))
}

// Entity is a person, place or thing with its aliases.
type Entity struct {
	Name    string   `yaml:"name" json:"name"`
	IRI     string   `yaml:"iri" json:"iri,omitempty"`     // its name in the graph
	Class   string   `yaml:"class" json:"class,omitempty"` // such as schema:Place
	Aliases []string `yaml:"aliases" json:"aliases,omitempty"`
	Weight  float64  `yaml:"weight" json:"-"`
}

// UnmarshalYAML reads a name or a map.
func (e *Entity) UnmarshalYAML(decode func(any) error) error {
	e.Weight = 1
	if decode(&e.Name) == nil {
		return nil
	}
	type plain Entity
	return decode((*plain)(e))
}

// URLRule is a pattern of addresses and its score.
type URLRule struct {
	Match string  `yaml:"match"`
	Score float64 `yaml:"score"`
}

// Priority sets how scores order the frontier.
type Priority struct {
	// Update sets how a further score changes the score of a scheduled URL: first, last, max, avg
	// or sum (section 5.1 of the paper); default: max.
	Update string `yaml:"update"`
	// Batch is the number of pages after which their links are scheduled; 0: at once.
	Batch int `yaml:"batch"`
	// PerTurn is the number of URLs per turn of a host, b_l in the paper; default: 1.
	PerTurn int `yaml:"per_turn"`
	// BestFirst selects the host with the best URL instead of taking turns.
	BestFirst bool `yaml:"best_first"`
	// Learn adapts the weights to the yield of pages.
	Learn bool `yaml:"learn"`
}

// Budget bounds the requests to domains without a seed, as a defence against link farms. The number
// of domains that link to a domain sets its budget (IRLbot; 003 section 2).
type Budget struct {
	Domain  int `yaml:"domain"`   // requests per domain; 0: no limit
	PerLink int `yaml:"per_link"` // extra requests per linking domain
	Links   int `yaml:"links"`    // number of linking domains that count
}

// maxDefinition bounds the file, in bytes. Definitions written by hand are smaller.
const maxDefinition = 256 << 10

// ReadDefinition reads a definition. Unknown keys are errors. An error names file, line and column,
// or the invalid value. One error lists all invalid values.
func ReadDefinition(name string, r io.Reader) (*Definition, error) {
	data, err := io.ReadAll(io.LimitReader(r, maxDefinition+1))
	if err != nil {
		return nil, fmt.Errorf("crawl definition %s: %w", name, err)
	}
	if len(data) > maxDefinition {
		return nil, fmt.Errorf("crawl definition %s: larger than %d bytes", name, maxDefinition)
	}
	if err := RefuseHostile(data); err != nil {
		return nil, fmt.Errorf("crawl definition %s: %w", name, err)
	}
	d := new(Definition)
	err = yaml.NewDecoder(bytes.NewReader(data), yaml.Strict(), yaml.DisallowUnknownField()).Decode(d)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("crawl definition %s: %w", name, err)
	}
	if err := d.validate(); err != nil {
		return nil, fmt.Errorf("crawl definition %s: %w", name, err)
	}
	return d, nil
}

// maxNesting bounds the nesting of lists and maps in one line. A definition needs 3.
const maxNesting = 16

// RefuseHostile refuses YAML features that settings do not need and the YAML library does not
// bound: deep nesting, anchors and aliases. A few lines of aliases can exhaust the memory or loop
// for ever.
func RefuseHostile(data []byte) error {
	depth, run := 0, 0
	for _, t := range lexer.Tokenize(string(data)) {
		line, column := t.Position.Line, t.Position.Column
		switch t.Type {
		case token.AnchorType, token.AliasType:
			return fmt.Errorf("[%d:%d] anchors and aliases (%s) are not supported; repeat the values", line, column, t.Value)
		case token.SequenceStartType, token.MappingStartType:
			depth++
		case token.SequenceEndType, token.MappingEndType:
			depth--
		case token.SequenceEntryType, token.MappingKeyType:
			run++
		default:
			run = 0
		}
		if depth > maxNesting || run > maxNesting {
			return fmt.Errorf("[%d:%d] nested deeper than %d", line, column, maxNesting)
		}
	}
	return nil
}

func (d *Definition) validate() error {
	var errs []error
	fail := func(format string, args ...any) { errs = append(errs, fmt.Errorf(format, args...)) }
	for _, s := range d.Seeds {
		if u, err := url.Parse(s); err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
			fail("seeds: %q is not an absolute http or https URL", s)
		}
	}
	for i, k := range d.Keywords {
		if strings.TrimSpace(k.Term) == "" {
			fail("keywords: number %d has no term", i+1)
		}
	}
	for i, e := range d.Entities {
		if strings.TrimSpace(e.Name) == "" {
			fail("entities: number %d has no name", i+1)
		}
	}
	for i, u := range d.URLs {
		if _, err := regexp.Compile(u.Match); err != nil || u.Match == "" {
			fail("urls: number %d: invalid regular expression %q: %v", i+1, u.Match, cmp.Or(err, errors.New("it is empty")))
		}
		if !(u.Score >= 0 && u.Score <= 1) {
			fail("urls: number %d: score %g; expected 0 to 1", i+1, u.Score)
		}
	}
	for _, l := range d.Languages {
		if len(l) != 2 || strings.ToLower(string(l)) != string(l) {
			fail("languages: %q is not a code of two lower-case letters, such as en", l)
		}
	}
	for _, b := range d.Blacklist {
		if b == "" || strings.ContainsAny(b, "/: ") {
			fail("blacklist: invalid host name %q", b)
		}
	}
	if d.Ontology.File == "" && (len(d.Ontology.Concepts) > 0 || d.Ontology.Relations != nil) {
		fail("ontology: no file")
	}
	if _, err := NewAggregator(d.Weights); err != nil {
		fail("weights: %w", err)
	}
	if u := d.Priority.Update; u != "" && !slices.Contains([]string{"first", "last", "max", "avg", "sum"}, u) {
		fail("priority: update %q; expected first, last, max, avg or sum", u)
	}
	if d.Priority.Batch < 0 || d.Priority.PerTurn < 0 {
		fail("priority: batch %d, per_turn %d; expected 0 or more", d.Priority.Batch, d.Priority.PerTurn)
	}
	if b := d.Budget; b.Domain < 0 || b.PerLink < 0 || b.Links < 0 || b.Domain == 0 && b != (Budget{}) {
		fail("budget: domain %d, per_link %d, links %d; expected 0 or more, and domain with either of the others", b.Domain, b.PerLink,
			b.Links)
	}
	return errors.Join(errs...)
}

// LearnsSeeds reports whether the pages of seeds describe the topic: seed_pages is true, or is
// missing and the definition has no topic.
func (d *Definition) LearnsSeeds() bool {
	if d.SeedPages != nil {
		return *d.SeedPages
	}
	return len(d.Keywords)+len(d.Entities)+len(d.References) == 0 && d.Ontology.File == ""
}

// Topic returns the topic of the definition. texts are the texts of its seed and reference pages.
func (d *Definition) Topic(texts ...string) *Topic {
	spec := TopicSpec{Name: d.Name, Langs: d.Languages, Texts: texts}
	for _, k := range d.Keywords {
		spec.Keywords = append(spec.Keywords, Term{k.Term, k.Weight})
	}
	for _, e := range d.Entities {
		for _, name := range append([]string{e.Name}, e.Aliases...) {
			spec.Entities = append(spec.Entities, Term{name, e.Weight})
		}
	}
	return NewTopic(spec)
}

// Modules returns the built-in modules of the definition; the module of the knowledge base is
// first.
func (d *Definition) Modules(t *Topic) []Module {
	modules := []Module{Known{}, Patterns{}, Text{t}}
	var patterns URLPatterns
	for _, u := range d.URLs {
		patterns = append(patterns, URLPattern{regexp.MustCompile(u.Match), u.Score})
	}
	if len(patterns) > 0 {
		modules = append(modules, patterns)
	}
	if d.graph != nil {
		modules = append(modules, Ontology{d.graph})
	}
	if len(d.Languages) > 0 {
		modules = append(modules, Languages(d.Languages))
	}
	if len(d.Blacklist) > 0 {
		modules = append(modules, Blacklist(d.Blacklist))
	}
	return modules
}
