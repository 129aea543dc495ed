package adapt

import (
	_ "embed"
	"slices"
	"strings"
	"sync"

	"github.com/awarc/awarc/engine/rank"
	"github.com/awarc/awarc/kb"
)

// Kind is what a question is about: each kind has features and weights of its own.
type Kind string

// The kinds of questions.
const (
	KindContent Kind = "content" // which element holds what was written
	KindDate    Kind = "date"
	KindName    Kind = "name"    // of a person
	KindTitle   Kind = "title"   // of the page, or of one of its objects
	KindText    Kind = "text"    // any other field
	KindRecords Kind = "records" // which elements are the objects of a class
	KindLinks   Kind = "links"   // which links an action follows
)

// feature is one thing that speaks for or against an answer, as a number, mostly from 0 to 1.
type feature[Q, A any] struct {
	name string
	doc  string // one line, for people
	of   func(q Q, a A) float64
}

// features describe the questions of a kind: that no answer is right, an answer by itself, and one beside the others. A vector holds them
// in this order.
type features[Q, A any] struct {
	none            []feature[Q, struct{}]
	alone, compared []feature[Q, A]
}

// ofNone describes that no answer is right.
func (f features[Q, A]) ofNone(q Q) []float64 {
	v := make([]float64, len(f.none)+len(f.alone)+len(f.compared))
	for i, f := range f.none {
		v[i] = f.of(q, struct{}{})
	}
	return v
}

// of describes an answer by itself.
func (f features[Q, A]) of(q Q, a A) []float64 {
	v := make([]float64, len(f.none)+len(f.alone)+len(f.compared))
	for i, of := range f.alone {
		v[len(f.none)+i] = of.of(q, a)
	}
	return v
}

// compare adds to the vector of an answer what it is beside the others.
func (f features[Q, A]) compare(q Q, a A, v []float64) {
	for i, of := range f.compared {
		v[len(f.none)+len(f.alone)+i] = of.of(q, a)
	}
}

// told lists the features of a kind as they are told.
func (f features[Q, A]) told() []listed {
	return slices.Concat(told(f.none), told(f.alone), told(f.compared))
}

// Question is one decision about a page, with all that it was made by.
type Question struct {
	Kind  Kind
	URL   string // of the page
	Place kb.Place
	Class string // of the object; empty for links
	Field string // its name, or the level that links lead to
	rank.Question
	// Exprs are the answers as expressions, and Values what they give: of a field one value a record, empty for none; of links the
	// different addresses.
	Exprs  []string
	Values [][]string
	// IDs are of the records, as far as the page tells them; empty for links.
	IDs     []string
	Verdict rank.Verdict
	// Taken reports whether the best answer was believed.
	Taken bool
}

// weightsFile is the table that is used where [Options] have none.
//
//go:embed weights.tsv
var weightsFile string

// Weights is the table of weights that awarc comes with. Its head says which are learned and which are set by hand.
var Weights = sync.OnceValue(func() rank.Table {
	t, err := rank.Read(strings.NewReader(weightsFile))
	if err != nil {
		panic("weights.tsv: " + err.Error()) // it is part of the program
	}
	return t
})

// sees reports a decision to who watches.
func (s *session) sees(q Question) {
	if s.watch != nil {
		q.URL = s.page.URL.String()
		s.watch(q)
	}
}
