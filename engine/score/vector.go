package score

import (
	"cmp"
	"maps"
	"math"
	"slices"
)

// Vector is a term vector: stems with their weights. It is immutable; the zero
// Vector has no terms. Sums run in the order of the terms, so that equal texts
// give equal scores to the last bit.
type Vector struct {
	terms []Term // sorted by Text
	norm  float64
}

// Term is a word, or the stem of one, with its weight.
type Term struct {
	Text   string
	Weight float64
}

// NewVector makes a vector of weights by stem.
func NewVector(weights map[string]float64) Vector {
	v := Vector{terms: make([]Term, 0, len(weights))}
	for _, text := range slices.Sorted(maps.Keys(weights)) {
		w := weights[text]
		v.terms = append(v.terms, Term{text, w})
		v.norm += w * w
	}
	v.norm = math.Sqrt(v.norm)
	return v
}

// Terms returns the terms by falling weight, ties in the order of the alphabet.
func (v Vector) Terms() []Term {
	terms := slices.Clone(v.terms)
	slices.SortStableFunc(terms, func(a, b Term) int { return cmp.Compare(b.Weight, a.Weight) })
	return terms
}

// Len is the number of terms.
func (v Vector) Len() int { return len(v.terms) }

// Unit returns the vector with length one, or an empty one as it is.
func (v Vector) Unit() Vector { return v.scale(1 / v.norm) }

func (v Vector) scale(by float64) Vector {
	if v.norm == 0 {
		return v
	}
	weights := make(map[string]float64, len(v.terms))
	for _, t := range v.terms {
		weights[t.Text] = t.Weight * by
	}
	return NewVector(weights)
}

// Sum adds vectors up.
func Sum(vectors ...Vector) Vector {
	weights := map[string]float64{}
	for _, v := range vectors {
		for _, t := range v.terms {
			weights[t.Text] += t.Weight
		}
	}
	return NewVector(weights)
}

// Cosine is the cosine of the angle between two vectors: 1 where they have the
// same direction, 0 where they share no term or one is empty. Only terms of
// negative weight make it negative.
func Cosine(a, b Vector) float64 {
	if a.norm == 0 || b.norm == 0 {
		return 0
	}
	sum := 0.0
	for i, j := 0, 0; i < len(a.terms) && j < len(b.terms); {
		switch c := cmp.Compare(a.terms[i].Text, b.terms[j].Text); {
		case c < 0:
			i++
		case c > 0:
			j++
		default:
			sum += a.terms[i].Weight * b.terms[j].Weight
			i, j = i+1, j+1
		}
	}
	return max(-1, min(1, sum/a.norm/b.norm))
}
