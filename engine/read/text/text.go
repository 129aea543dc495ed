package text

import (
	"bytes"
	"cmp"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"iter"
	"slices"
	"strings"
	"sync"

	"golang.org/x/net/html"

	"github.com/awarc/awarc/engine/rank"
)

// Text is the main text of a page.
type Text struct {
	// Text has a line for each line of each block; "" if the page neither shows nor declares a text.
	Text string
	// Confidence is the expected F1 over words of the text, from 0 to 1.
	Confidence float64
	// Declared reports that the page shows no text and the text is its declared text or description.
	Declared bool
	// Cut reports that the page is beyond the limits and part of it was not read.
	Cut bool
}

// Model holds the learned forests.
type Model struct {
	// First sees a block and the page around it, Second also the probabilities of First.
	First, Second rank.Forest
}

// Write writes the forests as forest.txt has them.
func (m *Model) Write(w io.Writer) error {
	return errors.Join(m.First.Write(w), m.Second.Write(w))
}

//go:embed forest.txt
var learned []byte

var model = sync.OnceValue(func() *Model {
	f, err := rank.ReadForests(bytes.NewReader(learned))
	if err == nil && len(f) != 2 {
		err = fmt.Errorf("%d forests instead of 2", len(f))
	}
	if err != nil {
		panic("engine/read/text/forest.txt: " + err.Error())
	}
	return &Model{First: f[0], Second: f[1]}
})

// Of finds the main text of a page.
func Of(doc *html.Node) Text { return Find(doc).Text }

// Page is a page cut into blocks. Only the learner needs it; others call [Of].
type Page struct {
	m    *measured
	rows [][]float32 // for the first forest
}

// NewPage cuts a page into blocks.
func NewPage(doc *html.Node) *Page {
	p := &Page{m: measure(walk(doc))}
	features := 0
	for i := range p.m.blocks {
		r := row{x: make([]float32, 0, features)}
		p.m.features(i, &r)
		p.rows = append(p.rows, r.x)
		features = len(r.x)
	}
	return p
}

// Blocks are the texts of the blocks.
func (p *Page) Blocks() []string {
	out := make([]string, len(p.m.blocks))
	for i, b := range p.m.blocks {
		out[i] = strings.Join(b.lines, "\n")
	}
	return out
}

// Names are the names of the features of the first or the second forest.
func Names(second bool) []string {
	m := measure(&walker{})
	m.blocks = []block{{at: &element{alike: &alike{}}}}
	m.before, m.linked, m.outline = make([]int, 2), make([]int, 2), []int{-1}
	m.paths[0] = &alike{count: 1}
	m.heavy = &element{}
	m.blocks[0].at = m.heavy
	m.heavy.alike = &alike{}
	m.page.headed = m.heavy
	m.beforeSaid = []float64{0}
	var names []string
	r := row{names: &names}
	m.features(0, &r)
	if second {
		m.second(0, &r, []float64{0})
	}
	return names
}

// First describes the blocks for the first forest.
func (p *Page) First() [][]float32 { return p.rows }

// Second describes the blocks for the second forest, which sees the probabilities of the first one.
func (p *Page) Second(said []float64) [][]float32 {
	rows := make([][]float32, 0, len(p.rows))
	for row := range p.second(said) {
		rows = append(rows, slices.Clone(row))
	}
	return rows
}

// second yields the rows of [Page.Second], each in the memory of the one before: a page can have many.
func (p *Page) second(said []float64) iter.Seq[[]float32] {
	return func(yield func([]float32) bool) {
		p.m.spread(said)
		r := row{}
		for i, first := range p.rows {
			r.x = append(r.x[:0], first...)
			p.m.second(i, &r, said)
			if !yield(r.x) {
				return
			}
		}
	}
}

// Sure gives each block its probability.
func (p *Page) Sure(m *Model) []float64 {
	sure := make([]float64, 0, len(p.rows))
	for row := range p.second(m.First.All(p.rows)) {
		sure = append(sure, m.Second.P(row))
	}
	return sure
}

// Text joins the blocks that maximise the expected F1, given the probability of each.
func (p *Page) Text(sure []float64) Text {
	t, _ := p.choose(sure)
	return t
}

// choose is Text, with whether each block is part of it.
func (p *Page) choose(sure []float64) (t Text, keep []bool) {
	keep, expected := best(p.m.blocks, sure)
	t = Text{Confidence: expected, Cut: p.m.cut}
	var lines []string
	for i, b := range p.m.blocks {
		if keep[i] {
			lines = append(lines, b.lines...)
		}
	}
	t.Text = strings.Join(lines, "\n")
	if p.m.words < little {
		t.declare(&p.m.page)
	}
	return t, keep
}

// little is the number of words below which a page is taken as a shell that scripts fill. It is
// arbitrary.
const little = 30

// declare takes the declared text, description or title of a page without text.
func (t *Text) declare(p *page) {
	// The mean F1 on the eight such pages of the sample. Most of their text is not in the page.
	const confidence = 0.1
	most := ""
	for _, s := range append(p.texts, p.summary) {
		if len(s) > len(most) {
			most = s
		}
	}
	var lines []string
	for l := range strings.Lines(cmp.Or(most, p.title)) {
		if l = strings.Join(strings.Fields(l), " "); l != "" {
			lines = append(lines, l)
		}
	}
	if s := strings.Join(lines, "\n"); len(s) > len(t.Text) {
		t.Text, t.Confidence, t.Declared = s, confidence, true
	}
}

// best keeps the likeliest blocks, as many as maximise the expected F1 over words. The ratio of expectations stands for
// the expectation of the ratio.
func best(blocks []block, sure []float64) (keep []bool, expected float64) {
	order := make([]int, len(blocks))
	total := 0.0
	for i, b := range blocks {
		order[i] = i
		total += sure[i] * float64(b.words)
	}
	slices.SortStableFunc(order, func(a, b int) int {
		switch {
		case sure[a] > sure[b]:
			return -1
		case sure[a] < sure[b]:
			return 1
		}
		return 0
	})
	keep = make([]bool, len(blocks))
	right, taken, until := 0.0, 0.0, 0
	for i, at := range order {
		right += sure[at] * float64(blocks[at].words)
		taken += float64(blocks[at].words)
		if f := 2 * right / (taken + total); f > expected {
			expected, until = f, i+1
		}
	}
	for _, at := range order[:until] {
		keep[at] = true
	}
	return keep, expected
}
