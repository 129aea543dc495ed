package unknown

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/awarc/awarc/engine/assess"
	"github.com/awarc/awarc/engine/layers"
	"github.com/awarc/awarc/engine/score"
	"github.com/awarc/awarc/engine/ways"
)

// firstCome is breadth first.
type firstCome struct{}

func (firstCome) rank(int, link) float64 { return 0 }
func (firstCome) learn(visit) bool       { return false }

// shuffled orders links at random.
type shuffled struct{ *rand.Rand }

func (s shuffled) rank(int, link) float64 { return s.Float64() }
func (shuffled) learn(visit) bool         { return false }

// anchors is best-first by anchor text: links come first whose words are words of links that led to more new text than the average, and not
// of links that led to less (Rocchio, "Relevance feedback in information retrieval", 1971).
type anchors struct {
	weights map[string]float64
	length  float64 // of the vector of weights
	links   int
	sum     float64 // of new text
}

func newAnchors() *anchors { return &anchors{weights: map[string]float64{}} }

func (a *anchors) rank(_ int, l link) (cosine float64) {
	if len(l.words) == 0 || a.length == 0 {
		return 0
	}
	for _, w := range l.words {
		cosine += a.weights[w]
	}
	return cosine / math.Sqrt(float64(len(l.words))) / a.length
}

func (a *anchors) learn(v visit) (changed bool) {
	const anew = 16 // links after which ranks are computed again
	a.links++
	a.sum += float64(v.fresh)
	for _, w := range v.link.words {
		a.weights[w] += (float64(v.fresh) - a.sum/float64(a.links)) / math.Sqrt(float64(len(v.link.words)))
	}
	if a.links%anew != 0 {
		return false
	}
	a.length = 0
	for _, v := range a.weights {
		a.length += v * v
	}
	a.length = math.Sqrt(a.length)
	return true
}

// scored is best-first by scores: a link has the average of the score of its page and the score of its anchor, as in section 4.2 of
// Plachouras et al. (2014).
type scored struct {
	site  *site
	score func(text string) float64
	pages map[int]float64
	texts map[string]float64 // of anchors
}

func newScored(s *site, score func(text string) float64) *scored {
	return &scored{s, score, map[int]float64{}, map[string]float64{}}
}

func (s *scored) rank(from int, l link) float64 {
	if l.anchor == "" {
		return s.pages[from]
	}
	anchor, known := s.texts[l.anchor]
	if !known {
		anchor = s.score(l.anchor)
		s.texts[l.anchor] = anchor
	}
	return (s.pages[from] + anchor) / 2
}

func (s *scored) learn(v visit) bool {
	if _, known := s.pages[v.at]; !known {
		s.pages[v.at] = s.score(s.site.pages[v.at].text)
	}
	return false
}

// contextual orders links by the layers of a context graph, which learns from the crawl, too.
type contextual struct {
	site  *site
	layer *layers.Learner
	pages map[int]float64
}

func (c *contextual) rank(from int, _ link) float64 { return c.pages[from] }

func (c *contextual) learn(v visit) bool {
	at := &c.site.pages[v.at]
	if at.stems == nil {
		at.stems = assess.Stems(at.text)
	}
	var to []string
	for _, l := range v.links {
		to = append(to, fmt.Sprint(l.to))
	}
	worth := 0.0
	if len(at.has) > 0 {
		worth = 1
	}
	c.layer.Add(fmt.Sprint(v.at), at.stems, to, worth)
	c.pages[v.at], _ = c.layer.Score(at.stems)
	return false
}

// patterned orders links by the learned yield of their link patterns.
type patterned struct {
	learner *ways.Learner
	values  map[string]float64
	pages   int
	since   int // pages since values were computed
}

// host names the one site to the learner.
const host = "site"

func newPatterned() *patterned {
	return &patterned{learner: &ways.Learner{Reward: ways.NewTargets{}}, values: map[string]float64{}}
}

func (p *patterned) rank(_ int, l link) float64 {
	v, known := p.values[l.way]
	if !known {
		value, _ := p.learner.Value(host, l.way)
		v = float64(value.Level)
		p.values[l.way] = v
	}
	return v
}

func (p *patterned) learn(v visit) bool {
	var leads []ways.Link
	for _, l := range v.links {
		leads = append(leads, ways.Link{Way: l.way, Key: fmt.Sprint(l.to)})
	}
	p.learner.Page(host, v.link.way, ways.Answer{Targets: v.has}, leads)
	const anew = 32 // as in the learner
	p.pages++
	if p.since++; p.since < p.pages/anew {
		return false
	}
	p.since = 0
	clear(p.values)
	return true
}

// topical returns the orders for a topic, with their names.
func topical(d *score.Definition, t *score.Topic) (names []string, scores []func(text string) float64) {
	if !t.Empty() {
		lang := t.Langs()[0]
		names = append(names, "best first")
		scores = append(scores, func(text string) float64 { return t.Similarity(text, lang) })
	}
	if g := d.Graph(); g != nil {
		names, scores = append(names, "ontology"), append(scores, g.Score)
	}
	return names, scores
}
