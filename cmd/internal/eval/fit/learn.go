package fit

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/optimize"

	"github.com/awarc/awarc/engine/rank"
)

// problem is what is learned of one kind of questions.
type problem struct {
	names    []string
	samples  []sample
	examples []*Example
}

// sample is a question in numbers: a row for each answer, and the last for none.
type sample struct {
	rows   []row
	right  []bool
	site   int // of sites
	typ    int // of types
	weight float64
}

// row describes an answer by the features that are not 0.
type row []term

type term struct {
	feature int
	value   float64
}

// score is the sum of a row.
func (r row) score(weights []float64) (sum float64) {
	for _, t := range r {
		sum += t.value * weights[t.feature]
	}
	return sum
}

// newProblem puts questions of one kind in numbers.
func newProblem(examples []*Example) *problem {
	p := &problem{examples: examples}
	column := map[string]int{}
	for _, x := range examples {
		for _, n := range x.Names {
			if _, known := column[n]; !known {
				column[n] = -1
				p.names = append(p.names, n)
			}
		}
	}
	slices.Sort(p.names)
	for i, n := range p.names {
		column[n] = i
	}
	sites, types := map[string]int{}, map[string]int{}
	for _, x := range examples {
		s := sample{site: numbered(sites, x.site()), typ: numbered(types, string(x.Type))}
		row := func(features []float64, right bool) {
			var r row
			for i, f := range features {
				if f != 0 {
					r = append(r, term{column[x.Names[i]], f})
				}
			}
			s.rows, s.right = append(s.rows, r), append(s.right, right)
		}
		for i, a := range x.Answers {
			if x.Labels[i] != Enough { // neither to be preferred nor to be shunned
				row(a, x.Labels[i] == Right)
			}
		}
		row(x.None, !x.answerable())
		p.samples = append(p.samples, s)
	}
	p.weigh()
	return p
}

func numbered(m map[string]int, key string) int {
	n, known := m[key]
	if !known {
		n = len(m)
		m[key] = n
	}
	return n
}

// weigh gives each sample its weight. The questions about one place of a page, which edits of it repeat, count as one; those of a
// site with n such places as their root, so that a large site does not outweigh all others. The sum is 1.
func (p *problem) weigh() {
	repeated, places := map[string]int{}, map[int]int{}
	spot := func(x *Example) string { return x.site() + "\n" + x.File + "\n" + x.Place }
	for i, x := range p.examples {
		if repeated[spot(x)]++; repeated[spot(x)] == 1 {
			places[p.samples[i].site]++
		}
	}
	sum := 0.0
	for i, x := range p.examples {
		s := &p.samples[i]
		s.weight = 1 / float64(repeated[spot(x)]) / math.Sqrt(float64(places[s.site]))
		sum += s.weight
	}
	for i := range p.samples {
		p.samples[i].weight /= sum
	}
}

// loss is the negative logarithm of the probability of the right answers; it adds its gradient times the weight, unless nil.
func (s *sample) loss(weights, gradient []float64) float64 {
	var few [2 * 64]float64
	sums, odds := few[:0:64], few[64:64]
	most, mostRight := math.Inf(-1), math.Inf(-1)
	for i, r := range s.rows {
		x := r.score(weights)
		sums = append(sums, x)
		if most = max(most, x); s.right[i] {
			mostRight = max(mostRight, x)
		}
	}
	all, right := 0.0, 0.0
	for i, x := range sums {
		if s.right[i] {
			right += math.Exp(x - mostRight)
		}
		odds = append(odds, math.Exp(x-most))
		all += odds[i]
	}
	if gradient != nil {
		for i, r := range s.rows {
			g := odds[i] / all
			if s.right[i] {
				g -= math.Exp(sums[i]-mostRight) / right
			}
			for _, t := range r {
				gradient[t.feature] += s.weight * g * t.value
			}
		}
	}
	return most + math.Log(all) - mostRight - math.Log(right)
}

// belief is what weights are before anything is learned, and how much it costs to leave it.
type belief struct {
	weights []float64
	l2      float64
}

// objective is the mean loss of samples, each as it weighs, and half the square of the distance of the weights from what was
// believed times what that costs. It fills the gradient, unless nil.
func objective(samples []*sample, b belief, weights, gradient []float64) float64 {
	for i := range gradient {
		gradient[i] = 0
	}
	sum, total := 0.0, 0.0
	for _, s := range samples {
		sum += s.weight * s.loss(weights, gradient)
		total += s.weight
	}
	if total > 0 {
		sum /= total
		floats.Scale(1/total, gradient)
	}
	for i, w := range weights {
		d := w - b.weights[i]
		sum += b.l2 / 2 * d * d
		if gradient != nil {
			gradient[i] += b.l2 * d
		}
	}
	return sum
}

// learn finds the weights with the least loss over samples, from where it is told to start.
func learn(samples []*sample, b belief, start []float64) ([]float64, error) {
	if len(samples) == 0 || len(start) == 0 {
		return slices.Clone(start), nil
	}
	at, gradient, value := make([]float64, len(start)), make([]float64, len(start)), math.NaN()
	to := func(w []float64) { // both are asked for at the same place
		if math.IsNaN(value) || !slices.Equal(w, at) {
			copy(at, w)
			value = objective(samples, b, w, gradient)
		}
	}
	p := optimize.Problem{
		Func: func(w []float64) float64 { to(w); return value },
		Grad: func(g, w []float64) { to(w); copy(g, gradient) },
	}
	got, err := optimize.Minimize(p, start, &optimize.Settings{
		GradientThreshold: 1e-5, Converger: &optimize.FunctionConverge{Absolute: 1e-8, Iterations: 5}, MajorIterations: 2000,
	}, &optimize.LBFGS{})
	if got == nil || math.IsNaN(got.F) {
		return nil, fmt.Errorf("learning from %d questions: %w", len(samples), err)
	}
	return got.X, nil // a line search that finds nothing better any more is done
}

// without are the samples but those of which it is told.
func (p *problem) without(left func(*sample) bool) (rest, out []*sample) {
	for i := range p.samples {
		if s := &p.samples[i]; left(s) {
			out = append(out, s)
		} else {
			rest = append(rest, s)
		}
	}
	return rest, out
}

// model names weights as a table has them: with two places, and none that is nothing.
func (p *problem) model(weights []float64, sure float64) rank.Model {
	m := rank.Model{Weights: map[string]float64{}, Sure: sure}
	for i, w := range weights {
		m.Weights[p.names[i]] = math.Round(w*100)/100 + 0 // -0 is 0
	}
	return m
}
