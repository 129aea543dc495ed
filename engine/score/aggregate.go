package score

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
)

// Weights are the weights of modules by name, from 0. A module without one has the
// weight 1; a module with the weight 0 does not count.
type Weights map[string]float64

// of returns the weight of a module.
func (w Weights) of(module string) float64 {
	if x, ok := w[module]; ok {
		return x
	}
	return 1
}

// Part is what one module contributed to a score.
type Part struct {
	Module string `json:"module"`
	// Source is the version of the plugin; "" for built-in modules.
	Source string  `json:"source,omitempty"`
	Score  float64 `json:"score"`
	Weight float64 `json:"weight"`
	// FromDocument is set if the module scored the page, not the link.
	FromDocument bool `json:"from_document,omitempty"`
}

// Score is an aggregated score with its parts; the Value is [None] where no module
// had an opinion.
type Score struct {
	Value float64
	Parts []Part
	// BlacklistedBy names the module that keeps a link out, or is "".
	BlacklistedBy string
}

// String explains a score in one line: "0.42 = kb 0.70 x1, text.anchor 0.14 x1".
func (s Score) String() string {
	if s.BlacklistedBy != "" {
		return "blacklisted by " + s.BlacklistedBy
	}
	if !Given(s.Value) {
		return "none"
	}
	var parts []string
	for _, p := range s.Parts {
		from := ""
		if p.FromDocument {
			from = " (page)"
		}
		parts = append(parts, fmt.Sprintf("%s%s %.2f x%g", p.Module, from, p.Score, p.Weight))
	}
	return fmt.Sprintf("%.2f = %s", s.Value, strings.Join(parts, ", "))
}

// Verdict has the scores of a page and its links by all modules.
type Verdict struct {
	Doc   Score
	Links []Score // one for each link of the page
}

// Aggregator makes one score of many opinions: the weighted average of section
// 4.2 of the paper. It is safe for concurrent use.
type Aggregator struct {
	mu      sync.Mutex
	weights Weights
}

// NewAggregator makes an aggregator. A negative weight is an error.
func NewAggregator(w Weights) (*Aggregator, error) {
	for _, name := range slices.Sorted(maps.Keys(w)) {
		if !(w[name] >= 0) {
			return nil, fmt.Errorf("the weight of %s is %g; expected 0 or more", name, w[name])
		}
	}
	return &Aggregator{weights: maps.Clone(w)}, nil
}

// Weights returns the weights of now.
func (a *Aggregator) Weights() Weights {
	a.mu.Lock()
	defer a.mu.Unlock()
	return maps.Clone(a.weights)
}

// set replaces the weights.
func (a *Aggregator) set(w Weights) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.weights = w
}

// Combine combines opinions of one page. An opinion of the document alone is
// passed on to each link. Opinions whose Links are not as many as the page's are
// taken for opinions of the document alone.
func (a *Aggregator) Combine(p *Page, opinions []Opinion) Verdict {
	w := a.Weights()
	v := Verdict{Doc: Score{Value: None}, Links: make([]Score, len(p.Links))}
	for _, o := range opinions {
		if Given(o.Doc) {
			v.Doc.Parts = append(v.Doc.Parts, Part{Module: o.Module, Source: o.Source, Score: o.Doc, Weight: w.of(o.Module)})
		}
		for i := range v.Links {
			l := &v.Links[i]
			own := len(o.Links) == len(v.Links)
			switch {
			case own && Given(o.Links[i]):
				l.Parts = append(l.Parts, Part{Module: o.Module, Source: o.Source, Score: o.Links[i], Weight: w.of(o.Module)})
			case !own && Given(o.Doc):
				l.Parts = append(l.Parts, Part{Module: o.Module, Source: o.Source, Score: o.Doc, Weight: w.of(o.Module),
					FromDocument: true})
			}
			if len(o.Blacklisted) == len(v.Links) && o.Blacklisted[i] && l.BlacklistedBy == "" {
				l.BlacklistedBy = o.Name().String()
			}
		}
	}
	v.Doc.average()
	for i := range v.Links {
		v.Links[i].average()
	}
	return v
}

// Replace returns a score of a link with a new part of a module, in the place of an earlier part if
// there is one.
func (a *Aggregator) Replace(s Score, module string, score float64) Score {
	p := Part{Module: module, Score: score, Weight: a.Weights().of(module)}
	i := slices.IndexFunc(s.Parts, func(old Part) bool { return old.Module == module })
	s.Parts = slices.Clone(s.Parts)
	if i < 0 {
		s.Parts = append(s.Parts, p)
	} else {
		s.Parts[i] = p
	}
	s.average()
	return s
}

// average sets the value to the weighted average of the parts.
func (s *Score) average() {
	sum, total := 0.0, 0.0
	for _, p := range s.Parts {
		sum += p.Score * p.Weight
		total += p.Weight
	}
	s.Value = None
	if total > 0 {
		s.Value = max(0, min(1, sum/total))
	}
}

// Of combines the opinions of modules on a page with further ones.
func (a *Aggregator) Of(p *Page, modules []Module, further ...Opinion) Verdict {
	var opinions []Opinion
	for _, m := range modules {
		opinions = append(opinions, m.Score(p)...)
	}
	return a.Combine(p, append(opinions, further...))
}
