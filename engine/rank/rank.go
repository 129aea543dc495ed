// Package rank decides between answers by what speaks for each of them.
//
// A question has some answers, each described by the same numbers (features), and one more: that none of them is right, described by
// features of its own. A [Model] weighs the features; the sums give each answer, and none, a probability (a conditional logit with an
// outside option: McFadden, "Conditional logit analysis of qualitative choice behavior", 1974). The answer that is likeliest is taken where
// it is sure enough.
//
// Nothing here knows what the questions are about. Weights are learned from questions of which the right answer is known, and stand in a
// [Table], a file that people read.
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

// Model is how much each feature counts, and how sure an answer must be.
type Model struct {
	// Weights are by feature, in logits for a feature of 1; what is not there weighs nothing.
	Weights map[string]float64
	// Sure is the least probability of an answer that is taken, from 0 to 1; Unconfirmed of one that too few questions confirm.
	Sure, Unconfirmed float64
}

// Question is what is to be decided.
type Question struct {
	// Names are of the features, those of none among them.
	Names []string
	// None describes that no answer is right, Answers describe each answer: one number a name.
	None    []float64
	Answers [][]float64
	// Alike lists for an answer those that say the same in another form, by number: they do not speak against each other. Nil where all are
	// different.
	Alike [][]int
}

// Verdict is what a model says of a question.
type Verdict struct {
	// Best is the likeliest answer and Next the likeliest that is not like it, by number; -1 for none.
	Best, Next int
	// P holds the probability of each answer, None that no answer is right.
	P    []float64
	None float64
	// Sure is the probability that the best answer, or one like it, is right.
	Sure float64
}

// Score is the sum of a description, in logits.
func (m Model) Score(names []string, features []float64) float64 {
	sum := 0.0
	for i, x := range features {
		if x != 0 {
			sum += x * m.Weights[names[i]]
		}
	}
	return sum
}

// Decide weighs a question.
func (m Model) Decide(q Question) Verdict {
	v := Verdict{Best: -1, Next: -1, P: make([]float64, len(q.Answers))}
	for i, a := range q.Answers {
		v.P[i] = m.Score(q.Names, a)
	}
	v.None = softmax(v.P, m.Score(q.Names, q.None))
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

// alike reports whether one answer says what another one does.
func (q *Question) alike(a, b int) bool { return a < len(q.Alike) && slices.Contains(q.Alike[a], b) }

// softmax turns the sums of answers into probabilities, in place, and gives that of none.
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

// Part is what one feature adds to the sum of an answer.
type Part struct {
	Name   string
	Value  float64
	Logits float64
}

// Parts lists what the features of an answer add, the most first.
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

// Table holds the models of all kinds of questions.
type Table map[string]Model

// The names under which the file has the least probabilities.
const (
	sure        = "sure"
	unconfirmed = "unconfirmed"
)

// Read reads a table: a line for each kind and feature, "kind feature weight", and "kind sure probability" and "kind unconfirmed
// probability". What follows a # is for people.
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

// Write writes a table as [Read] reads it, sorted; docs explains features, by kind and name.
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
