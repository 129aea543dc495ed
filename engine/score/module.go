package score

import (
	"math"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"github.com/awarc/awarc/engine/concepts"
)

// None is the score of a module that abstains.
var None = math.NaN()

// Given reports whether a score is one, and not [None].
func Given(s float64) bool { return !math.IsNaN(s) }

// Opinion has the scores of one module for a page, each from 0 to 1.
type Opinion struct {
	Module string
	Source string // version of a plugin; "" for built-in modules
	// Doc is the score of the document, or [None].
	Doc float64
	// Links holds a score or [None] for each link of the page, in their order; nil
	// where the module has no opinion of links: its document score is then passed
	// on to them.
	Links []float64
	// Blacklisted marks links that are never to be crawled; nil marks none.
	Blacklisted []bool
}

// Name returns the module, with the version of a plugin.
func (o Opinion) Name() Name { return Name{o.Module, o.Source} }

// String is the module, with the version of a plugin.
func (n Name) String() string {
	if n.Source == "" {
		return n.Module
	}
	return n.Module + "@" + n.Source
}

// Module scores pages. It is safe for concurrent use.
type Module interface {
	// Score never fails: a module without data abstains.
	Score(p *Page) []Opinion
}

// The names of the built-in modules, as weights and explanations have them.
const (
	ModuleKB        = "kb"
	ModuleDocument  = "text.document"
	ModuleParagraph = "text.paragraph"
	ModuleAnchor    = "text.anchor"
	ModuleURL       = "url"
	ModuleLanguage  = "language"
	ModuleBlacklist = "blacklist"
	ModulePattern   = "pattern"
	ModuleOntology  = "ontology"        // of the page
	ModuleConcepts  = "ontology.anchor" // of a link
	ModuleContext   = "context"         // the package layers
)

// BuiltIn are the names of all built-in modules.
func BuiltIn() []string {
	return []string{ModuleKB, ModuleDocument, ModuleParagraph, ModuleAnchor, ModuleURL, ModuleLanguage, ModuleBlacklist, ModulePattern,
		ModuleOntology, ModuleConcepts, ModuleContext}
}

// Known is the module that scores links by the knowledge base.
type Known struct{}

// Score implements [Module].
func (Known) Score(p *Page) []Opinion {
	o := Opinion{Module: ModuleKB, Doc: None, Links: make([]float64, len(p.Links))}
	for i, l := range p.Links {
		o.Links[i] = l.Known
	}
	return []Opinion{o}
}

// Patterns is the module that scores links by the earlier pages behind links of the same pattern.
type Patterns struct{}

// Score implements [Module].
func (Patterns) Score(p *Page) []Opinion {
	o := Opinion{Module: ModulePattern, Doc: None, Links: make([]float64, len(p.Links))}
	for i, l := range p.Links {
		o.Links[i] = l.Pattern
	}
	return []Opinion{o}
}

// Ontology scores a page and the anchors of its links by the concepts that they name. Each is an
// opinion of its own; links inherit the score of their page.
type Ontology struct{ Graph *concepts.Graph }

// Score implements [Module].
func (m Ontology) Score(p *Page) []Opinion {
	doc := Opinion{Module: ModuleOntology, Doc: m.Graph.Score(clip(p.Title+"\n"+strings.Join(p.Parts, "\n"), maxText))}
	anc := Opinion{Module: ModuleConcepts, Doc: None, Links: make([]float64, len(p.Links))}
	for i, l := range p.Links {
		if anc.Links[i] = None; strings.TrimSpace(l.Anchor) != "" {
			anc.Links[i] = m.Graph.Score(l.Anchor)
		}
	}
	return []Opinion{doc, anc}
}

// Text compares a page with a topic at three granularities: the document, the
// paragraph around each link, and its anchor. Each is an opinion of its own
// with a weight of its own.
type Text struct{ Topic *Topic }

// Score implements [Module]. A link without a paragraph or without a text has no
// score of that kind.
func (m Text) Score(p *Page) []Opinion {
	if m.Topic.Empty() {
		return nil
	}
	lang := m.Topic.stemming(p)
	doc := Opinion{Module: ModuleDocument, Doc: m.Topic.Similarity(p.Title+"\n"+strings.Join(p.Parts, "\n"), lang)}
	par := Opinion{Module: ModuleParagraph, Doc: None, Links: make([]float64, len(p.Links))}
	anc := Opinion{Module: ModuleAnchor, Doc: None, Links: make([]float64, len(p.Links))}
	known := map[string]float64{} // many links of a page may share a paragraph
	similar := func(text string) float64 {
		if strings.TrimSpace(text) == "" {
			return None
		}
		s, ok := known[text]
		if !ok {
			s = m.Topic.Similarity(text, lang)
			known[text] = s
		}
		return s
	}
	for i, l := range p.Links {
		par.Links[i], anc.Links[i] = similar(l.Context), similar(l.Anchor)
	}
	return []Opinion{doc, par, anc}
}

// URLPattern gives URLs a score by their address.
type URLPattern struct {
	Match *regexp.Regexp
	Score float64
}

// URLPatterns score links by the first pattern that matches their address.
type URLPatterns []URLPattern

// Score implements [Module].
func (m URLPatterns) Score(p *Page) []Opinion {
	if len(m) == 0 {
		return nil
	}
	o := Opinion{Module: ModuleURL, Doc: None, Links: make([]float64, len(p.Links))}
	for i, l := range p.Links {
		o.Links[i] = None
		address := l.URL.String()
		if at := slices.IndexFunc(m, func(x URLPattern) bool { return x.Match.MatchString(address) }); at >= 0 {
			o.Links[i] = m[at].Score
		}
	}
	return []Opinion{o}
}

// Languages prefers pages in some languages, and with them what they link to.
type Languages []Lang

// Score implements [Module].
func (m Languages) Score(p *Page) []Opinion {
	lang := p.language()
	if len(m) == 0 || lang == "" {
		return nil
	}
	o := Opinion{Module: ModuleLanguage}
	if slices.Contains(m, lang) {
		o.Doc = 1
	}
	return []Opinion{o}
}

// Blacklist keeps links to hosts, and to all hosts below them, out of a crawl:
// the simple spam filter of the paper. It gives no scores.
type Blacklist []string

// Score implements [Module].
func (m Blacklist) Score(p *Page) []Opinion {
	var o *Opinion
	for i, l := range p.Links {
		if m.Contains(l.URL) {
			if o == nil {
				o = &Opinion{Module: ModuleBlacklist, Doc: None, Blacklisted: make([]bool, len(p.Links))}
			}
			o.Blacklisted[i] = true
		}
	}
	if o == nil {
		return nil
	}
	o.Links = slices.Repeat([]float64{None}, len(p.Links))
	return []Opinion{*o}
}

// Contains reports whether the host of a URL is on the list.
func (m Blacklist) Contains(u *url.URL) bool {
	host := strings.ToLower(strings.TrimSuffix(u.Hostname(), "."))
	return slices.ContainsFunc(m, func(b string) bool {
		b = strings.ToLower(b)
		return host == b || strings.HasSuffix(host, "."+b)
	})
}
