package maintext

import (
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"strings"

	"golang.org/x/net/html"

	"github.com/awarc/awarc/cmd/internal/eval/grow"
	"github.com/awarc/awarc/engine/rank"
	"github.com/awarc/awarc/engine/read/text"
)

// Example is a labelled page cut into blocks.
type Example struct {
	Labelled
	Extracted string // titles and contents of the objects
	Generic   bool   // an object is of generic reading

	page   *text.Page
	target []float64
	weight []float64
	words  []int
}

// NewExample cuts a page.
func NewExample(l Labelled, doc *html.Node) *Example {
	e := &Example{Labelled: l, page: text.NewPage(doc)}
	e.target, e.words = label(e.page.Blocks(), l.Text)
	// Each page weighs as much as its text: a wrong word of a short text costs more.
	const least, most = 100, 3.0
	truth := float64(max(len(words(l.Text)), least))
	sum := 0.0
	for _, w := range e.words {
		x := (float64(w) + 0.5) / truth
		e.weight = append(e.weight, x)
		sum += x
	}
	if sum > most {
		for i := range e.weight {
			e.weight[i] *= most / sum
		}
	}
	return e
}

// Best is the F1 of all blocks that are mostly main text, about the best possible choice of blocks.
func (e *Example) Best() float64 {
	var lines []string
	for i, b := range e.page.Blocks() {
		if e.target[i] > 0.5 {
			lines = append(lines, b)
		}
	}
	return F1(strings.Join(lines, "\n"), e.Text)
}

// fold returns the part of a site.
func fold(site string, of int, salt uint64) int {
	h := fnv.New64a()
	fmt.Fprint(h, site, salt)
	return int(h.Sum64() % uint64(of))
}

// Learning holds the settings of [Learn].
type Learning struct {
	First, Second grow.Growth
	Folds         int // for the second forest
	Seed          uint64
}

// DefaultLearning was chosen by hand; more and smaller trees gave the same F1 on left-out sites.
var DefaultLearning = Learning{
	First:  grow.Growth{Trees: 60, Leaves: 16, Rate: 0.12, Ridge: 1, Least: 0.3, Pages: 0.6, Features: 0.3},
	Second: grow.Growth{Trees: 60, Leaves: 12, Rate: 0.1, Ridge: 1, Least: 0.3, Pages: 0.6, Features: 0.3},
	Folds:  4, Seed: 1,
}

// Learn learns from examples. The second forest gets the probabilities of first forests that were
// learned without the site of the page.
func Learn(examples []*Example, l Learning) text.Model {
	random := rand.New(rand.NewPCG(l.Seed, 1))
	learn := func(of []*Example) rank.Forest {
		t := &grow.Rows{}
		for _, e := range of {
			t.Add(e.page.First(), e.target, e.weight)
		}
		return grow.Forest(t, text.Names(false), l.First, random)
	}
	second := &grow.Rows{}
	for f := range l.Folds {
		in, out := split(examples, l.Folds, f, 7)
		first := learn(in)
		for _, e := range out {
			second.Add(e.page.Second(first.All(e.page.First())), e.target, e.weight)
		}
	}
	return text.Model{First: learn(examples), Second: grow.Forest(second, text.Names(true), l.Second, random)}
}

// split parts the examples by their sites.
func split(examples []*Example, folds, f int, salt uint64) (in, out []*Example) {
	for _, e := range examples {
		if fold(e.Site(), folds, salt) == f {
			out = append(out, e)
		} else {
			in = append(in, e)
		}
	}
	return in, out
}

// textOf is the main text of an example by a model.
func textOf(e *Example, m *text.Model) text.Text { return e.page.Text(e.page.Sure(m)) }
