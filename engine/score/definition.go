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
)

// Definition is an intelligent crawl definition: one YAML file that says what a
// crawl is about. All of it is optional.
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
	// Languages are the wanted languages of pages; keywords are stemmed by them.
	Languages []Lang `yaml:"languages"`
	// Keywords are words or phrases, each with a weight (default: 1); a
	// negative one lowers the score of a page.
	Keywords []Keyword `yaml:"keywords"`
	Entities []Entity  `yaml:"entities"`
	// References are files whose text describes the topic, relative to the
	// definition, and directories of crawls, whose pages do.
	References []string `yaml:"references"`
	// SeedPages lets the pages of the seeds describe the topic, once they are
	// fetched; nil does where nothing else does.
	SeedPages *bool `yaml:"seed_pages"`
	// URLs score links by regular expressions over their address; the first that
	// matches counts.
	URLs []URLRule `yaml:"urls"`
	// Blacklist are hosts that are never asked, with all below them.
	Blacklist []string `yaml:"blacklist"`
	// Weights of modules and plugins by name.
	Weights  Weights  `yaml:"weights"`
	Priority Priority `yaml:"priority"`
	Budget   Budget   `yaml:"budget"`
}

// Scope is what the flags of the same names say.
type Scope struct {
	Type    string   `yaml:"type"`
	Include []string `yaml:"include"`
	Exclude []string `yaml:"exclude"`
	MaxHops *int     `yaml:"max_hops"`
}

// Keyword is a term of the topic. In YAML it is a string, or a map with term and
// weight.
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

// Entity is a person, place or thing with its other names.
type Entity struct {
	Name    string   `yaml:"name" json:"name"`
	IRI     string   `yaml:"iri" json:"iri,omitempty"`     // what the graph calls it
	Class   string   `yaml:"class" json:"class,omitempty"` // such as schema:Place
	Aliases []string `yaml:"aliases" json:"aliases,omitempty"`
	Weight  float64  `yaml:"weight" json:"-"`
}

// UnmarshalYAML reads a name alone, too.
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

// Priority says how scores order the frontier.
type Priority struct {
	// Update is how a further score of a scheduled URL changes the one it has: first,
	// last, max, avg or sum (section 5.1 of the paper); "" is max.
	Update string `yaml:"update"`
	// Batch is after how many pages links are scheduled; 0 is at once.
	Batch int `yaml:"batch"`
	// PerTurn is how many URLs a host's queue gives in a row, the paper's b_l; 0 is 1.
	PerTurn int `yaml:"per_turn"`
	// BestFirst prefers the host with the best URL to taking turns.
	BestFirst bool `yaml:"best_first"`
	// Learn adapts the weights by the yield of pages.
	Learn bool `yaml:"learn"`
}

// Budget bounds what a crawl gives domains that no seed lies in, which defends it against
// link farms: a domain gets requests by the number of domains that link to it
// (IRLbot; 003 section 2).
type Budget struct {
	Domain  int `yaml:"domain"`   // requests that each gets; 0 is no limit
	PerLink int `yaml:"per_link"` // requests more for each domain that links to it
	Links   int `yaml:"links"`    // linking domains up to which that is counted
}

// maxDefinition bounds the file, in bytes; nothing that a person writes is larger.
const maxDefinition = 256 << 10

// ReadDefinition reads a definition. Unknown keys are errors; an error names file,
// line and column, or the invalid value. All invalid values are
// in one error.
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

// maxNesting is how deep lists and maps may be nested in one line; a definition
// needs three.
const maxNesting = 16

// RefuseHostile refuses YAML with what settings have no use for and the YAML library has
// no bounds for: anchors and aliases, of which a few lines grow beyond all memory
// or never end, and deep nesting.
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

// LearnsSeeds reports whether the pages of seeds describe the topic: where the
// definition sets it, or has no topic at all.
func (d *Definition) LearnsSeeds() bool {
	if d.SeedPages != nil {
		return *d.SeedPages
	}
	return len(d.Keywords)+len(d.Entities)+len(d.References) == 0
}

// Topic returns the topic of the definition; texts are the texts of its seed and
// reference pages.
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

// Modules are the built-in modules of the definition, with the module of the
// knowledge base first.
func (d *Definition) Modules(t *Topic) []Module {
	modules := []Module{Known{}, Text{t}}
	var patterns URLPatterns
	for _, u := range d.URLs {
		patterns = append(patterns, URLPattern{regexp.MustCompile(u.Match), u.Score})
	}
	if len(patterns) > 0 {
		modules = append(modules, patterns)
	}
	if len(d.Languages) > 0 {
		modules = append(modules, Languages(d.Languages))
	}
	if len(d.Blacklist) > 0 {
		modules = append(modules, Blacklist(d.Blacklist))
	}
	return modules
}
