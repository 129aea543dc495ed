package layers

import (
	"cmp"
	"math"
	"slices"
)

const (
	kept     = 40   // stems of a page that count, as in the paper
	outliers = 0.05 // share of a layer's examples below its threshold; arbitrary
)

// model are the classifiers of all layers. It is immutable.
type model struct {
	depth  int
	idf    map[string]float64 // of the dictionary
	layers []layer            // layer 0 to depth
}

// layer is the classifier of one layer; without examples it never wins.
type layer struct {
	log       map[string]float64 // logarithms of the probabilities of stems
	unseen    float64            // of stems of the dictionary without an example
	threshold float64            // least mean logarithm of a page's stems
	examples  int
}

func newModel(pages []example, of []int, depth int) *model {
	m := &model{depth: depth, idf: make(map[string]float64), layers: make([]layer, depth+1)}
	df := map[string]float64{}
	for i, p := range pages {
		for _, t := range p.Stems {
			df[t.Text]++
			if of[i] <= 1 {
				m.idf[t.Text] = 0
			}
		}
	}
	for stem := range m.idf {
		m.idf[stem] = math.Log(1 + float64(len(pages))/df[stem])
	}
	reduced := make([][]Stem, len(pages))
	counts := make([]map[string]float64, depth+1)
	sums := make([]float64, depth+1)
	for i, p := range pages {
		c := of[i]
		if c > depth {
			continue
		}
		if reduced[i] = m.reduce(p.Stems); len(reduced[i]) == 0 {
			continue
		}
		m.layers[c].examples++
		if counts[c] == nil {
			counts[c] = map[string]float64{}
		}
		for _, t := range reduced[i] {
			counts[c][t.Text] += t.N
			sums[c] += t.N
		}
	}
	for c := range m.layers {
		all := sums[c] + float64(len(m.idf))
		m.layers[c].log, m.layers[c].unseen = make(map[string]float64, len(counts[c])), math.Log(1/all)
		for stem, n := range counts[c] {
			m.layers[c].log[stem] = math.Log((n + 1) / all)
		}
	}
	m.setThresholds(reduced, of)
	return m
}

func (m *model) setThresholds(reduced [][]Stem, of []int) {
	likelihoods := make([][]float64, len(m.layers))
	for i, terms := range reduced {
		if len(terms) > 0 {
			likelihoods[of[i]] = append(likelihoods[of[i]], m.layers[of[i]].likelihood(terms))
		}
	}
	for c, all := range likelihoods {
		if len(all) > 0 {
			slices.Sort(all)
			m.layers[c].threshold = all[int(outliers*float64(len(all)))]
		}
	}
}

// reduce returns the stems of the dictionary with the highest TF-IDF, each with its number of
// occurrences.
func (m *model) reduce(stems []Stem) []Stem {
	var in []Stem
	for _, t := range stems {
		if m.idf[t.Text] > 0 {
			in = append(in, t)
		}
	}
	slices.SortStableFunc(in, func(a, b Stem) int {
		return cmp.Compare(b.N*m.idf[b.Text], a.N*m.idf[a.Text])
	})
	return in[:min(len(in), kept)]
}

// likelihood is the mean logarithm of the probabilities of stems.
func (l *layer) likelihood(terms []Stem) float64 {
	sum, n := 0.0, 0.0
	for _, t := range terms {
		p, seen := l.log[t.Text]
		if !seen {
			p = l.unseen
		}
		sum += t.N * p
		n += t.N
	}
	return sum / n
}

// classify returns the layer of a page and its normalised likelihood from 0 to 1; depth+1 for
// "other".
func (m *model) classify(stems []Stem) (best int, likelihood float64) {
	terms := m.reduce(stems[:min(len(stems), maxStems)])
	if len(terms) == 0 {
		return m.depth + 1, 0
	}
	all := make([]float64, len(m.layers))
	best = -1
	for c := range m.layers {
		if all[c] = math.Inf(-1); m.layers[c].examples > 0 {
			all[c] = m.layers[c].likelihood(terms)
		}
		if best < 0 || all[c] > all[best] {
			best = c
		}
	}
	sum := 0.0
	for _, x := range all {
		sum += math.Exp(x - all[best])
	}
	if all[best] < m.layers[best].threshold {
		return m.depth + 1, 0
	}
	return best, 1 / sum
}

// Score returns the score of a page by its stems, by falling frequency, from 0 to 1. The links of
// the page inherit it. Layer 0 has the highest band of scores, "other" has the score 0. ok is false
// before anything was learned.
func (l *Learner) Score(stems []Stem) (score float64, ok bool) {
	m := l.model.Load()
	if m == nil {
		return 0, false
	}
	c, likelihood := m.classify(stems)
	if c > m.depth {
		return 0, true
	}
	return (float64(m.depth-c) + likelihood) / float64(m.depth+1), true
}

// LayerOf returns the layer that a score of a learner with a depth stands for; depth+1 for "other".
func LayerOf(s float64, depth int) int {
	if s <= 0 {
		return depth + 1
	}
	const rounding = 1e-4 // scores are stored with four digits at least
	return depth + 1 - max(1, int(math.Ceil(s*float64(depth+1)-rounding)))
}
