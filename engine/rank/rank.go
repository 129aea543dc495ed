// Package rank chooses between candidate answers by their features.
//
// A question has candidate answers, described by the same features, and the outside option that
// none of them is right, with its own features. A [Model] weighs the features, or sums decision
// trees over them, and the sums give the probability of each answer and of the outside option. This is a conditional logit with an
// outside option (McFadden, "Conditional logit analysis of qualitative choice behavior", 1974). The
// caller takes the most probable answer if its probability reaches a threshold.
//
// The package is independent of the subject of the questions. Weights are learned from questions
// with known answers and stored in a [Table], a readable text file.
package rank

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
)

// Model has the weights of features and the thresholds of answers.
type Model struct {
	// Weights has logits per unit, by feature. A missing weight is 0.
	Weights map[string]float64
	// Forest adds its logits to the score of an answer. It may be nil.
	Forest *Forest
	// Sure is the least probability, from 0 to 1, of an accepted answer. Unconfirmed is the least
	// probability of an answer that too few questions confirm.
	Sure, Unconfirmed float64
}

// Question is a choice between answers.
type Question struct {
	// Names are the names of all features, including the features of the outside option.
	Names []string
	// None has the features of the outside option, Answers the features of each answer, one number
	// per name.
	None    []float64
	Answers [][]float64
	// Alike lists for each answer the equivalent answers in another form, by number. Equivalent
	// answers do not compete. It is nil if all answers differ.
	Alike [][]int
}

// Verdict is the result of a model for a question.
type Verdict struct {
	// Best is the most probable answer, Next the most probable answer that is not equivalent to
	// Best, by number; -1 for none.
	Best, Next int
	// P has the probability of each answer, None the probability that no answer is right.
	P    []float64
	None float64
	// Sure is the probability that the best answer or an equivalent one is right.
	Sure float64
}

// Score returns the logits of an answer: the weighted sum of its features, and what the forest adds.
func (m Model) Score(names []string, features []float64) float64 {
	return m.score(names, m.weights(names), features)
}

func (m Model) score(names []string, weights, features []float64) float64 {
	sum := weighted(weights, features)
	if m.Forest != nil {
		sum += m.Forest.Score(m.Forest.row(names, features))
	}
	return sum
}

// weights are the weights of features by their place in a question.
func (m Model) weights(names []string) []float64 {
	out := make([]float64, len(names))
	for i, name := range names {
		out[i] = m.Weights[name]
	}
	return out
}

func weighted(weights, features []float64) float64 {
	sum := 0.0
	for i, x := range features {
		if x != 0 {
			sum += x * weights[i]
		}
	}
	return sum
}

// Decide evaluates a question.
func (m Model) Decide(q Question) Verdict {
	v := Verdict{Best: -1, Next: -1, P: make([]float64, len(q.Answers))}
	weights := m.weights(q.Names)
	for i, a := range q.Answers {
		v.P[i] = m.score(q.Names, weights, a)
	}
	v.None = softmax(v.P, weighted(weights, q.None))
	for i, p := range v.P {
		if v.Best < 0 || p > v.P[v.Best] {
			v.Best = i
		}
	}
	if v.Best < 0 {
		return v
	}
	v.Sure = v.P[v.Best]
	for i, p := range v.P {
		switch {
		case i == v.Best:
		case q.alike(v.Best, i):
			v.Sure += p
		case v.Next < 0 || p > v.P[v.Next]:
			v.Next = i
		}
	}
	return v
}

// alike reports whether two answers are equivalent.
func (q *Question) alike(a, b int) bool { return a < len(q.Alike) && slices.Contains(q.Alike[a], b) }

// softmax replaces the sums of answers by probabilities, and returns the probability of none.
func softmax(sums []float64, none float64) float64 {
	most := none
	for _, x := range sums {
		most = max(most, x)
	}
	rest := math.Exp(none - most)
	total := rest
	for i, x := range sums {
		sums[i] = math.Exp(x - most)
		total += sums[i]
	}
	for i := range sums {
		sums[i] /= total
	}
	return rest / total
}

// Part is the contribution of one feature to the sum of an answer.
type Part struct {
	Name   string
	Value  float64
	Logits float64
}

// Parts returns the contributions of the features of an answer, the largest first.
func (m Model) Parts(names []string, features []float64) []Part {
	var out []Part
	for i, x := range features {
		if x != 0 {
			out = append(out, Part{names[i], x, x * m.Weights[names[i]]})
		}
	}
	slices.SortStableFunc(out, func(a, b Part) int { return cmp.Compare(math.Abs(b.Logits), math.Abs(a.Logits)) })
	return out
}

// Table holds the models of all kinds of questions, by kind.
type Table map[string]Model

// Names of the thresholds in the file of a table.
const (
	sure        = "sure"
	unconfirmed = "unconfirmed"
)

// Read reads a table. It has a line "kind feature weight" for each feature of a kind, and the lines
// "kind sure probability" and "kind unconfirmed probability". A # starts a comment.
func Read(r io.Reader) (Table, error) {
	t := Table{}
	lines := bufio.NewScanner(r)
	for n := 1; lines.Scan(); n++ {
		line, _, _ := strings.Cut(lines.Text(), "#")
		fields := strings.Fields(line)
		if len(fields) == 0 {
			continue
		}
		if len(fields) != 3 {
			return nil, fmt.Errorf("line %d: want a kind, a feature and a number, have %q", n, line)
		}
		x, err := strconv.ParseFloat(fields[2], 64)
		if err != nil || math.IsNaN(x) || math.IsInf(x, 0) {
			return nil, fmt.Errorf("line %d: %q is no weight", n, fields[2])
		}
		m, known := t[fields[0]]
		if !known {
			m.Weights = map[string]float64{}
		}
		switch _, twice := m.Weights[fields[1]]; {
		case fields[1] == sure:
			m.Sure = x
		case fields[1] == unconfirmed:
			m.Unconfirmed = x
		case twice:
			return nil, fmt.Errorf("line %d: %s of %s stands there twice", n, fields[1], fields[0])
		default:
			m.Weights[fields[1]] = x
		}
		t[fields[0]] = m
	}
	return t, lines.Err()
}

// Write writes a sorted table in the form that [Read] reads. docs returns the comment on a feature,
// by kind and name.
func (t Table) Write(w io.Writer, docs func(kind, feature string) string) error {
	out := bufio.NewWriter(w)
	line := func(kind, name string, x float64, places int, doc string) {
		if doc != "" {
			doc = "  # " + doc
		}
		fmt.Fprintf(out, "%-8s %-14s %8s%s\n", kind, name, strconv.FormatFloat(x, 'f', places, 64), doc)
	}
	for _, kind := range slices.Sorted(maps.Keys(t)) {
		m := t[kind]
		line(kind, sure, m.Sure, 3, "the least probability of an answer that is taken")
		if m.Unconfirmed > 0 {
			line(kind, unconfirmed, m.Unconfirmed, 3, "the least confidence of what few pages confirm")
		}
		for _, name := range slices.Sorted(maps.Keys(m.Weights)) {
			line(kind, name, m.Weights[name], 2, docs(kind, name))
		}
	}
	return out.Flush()
}
