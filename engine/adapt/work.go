package adapt

import (
	"github.com/awarc/awarc/engine/extract"
	"github.com/awarc/awarc/kb"
	"golang.org/x/net/html"
)

// Work is counted in visits: looking at one element of the index once. What does more is charged for as many as it takes as long, by
// measurement (BENCHMARKS.md), so that the time of a page is bounded by its size whatever is on it.
const (
	parseWork   = 100  // of parsing, for each element
	leastWork   = 400  // elements that a smaller page counts as
	defaultWork = 50   // parses that a page may cost
	matchWork   = 8    // of laying one step on one element
	stepWork    = 4    // of a step of an expression, see [kb.Work]
	textWork    = 8    // bytes of text read in one visit
	valueWork   = 60   // of reading a value, besides its text
	urlWork     = 2000 // of asking the URL rules about a link
	nameWork    = 100  // of comparing two names
	exprWork    = 3000 // of writing and reading an expression
	likeWork    = 200  // of asking whether a text may be a date
	addressWork = 400  // of an address that the type's URL rules read
)

// budget is the visits that a page of so many elements is worth.
func budget(elements int, parses float64) int {
	return int(parses * parseWork * float64(max(elements, leastWork)))
}

// spend charges work.
func (x *index) spend(visits int) { x.work += visits }

// spent reports whether nothing more may be tried on the page.
func (s *session) spent() bool { return s.x.work >= s.most }

// parses is what the session cost so far, in times of parsing the page.
func (s *session) parses() float64 {
	return float64(s.x.work) / (parseWork * float64(max(len(s.x.nodes), leastWork)))
}

// selectAll evaluates an expression of the knowledge base below a node, once: what is guessed about one place is asked again about others.
// The values are not the caller's to change.
func (s *session) selectAll(e *kb.Expr, n int) []kb.Value {
	key := selectKey{e.Source, n}
	values, known := s.selectedBy[key]
	if !known {
		before := s.r.Steps()
		values = s.r.Select(e, s.node(n))
		s.x.spend(stepWork * (s.r.Steps() - before))
		s.selectedBy[key] = values
	}
	s.x.spend(1 + len(values))
	return values
}

// selectKey is an expression and the element that it is evaluated below.
type selectKey struct {
	source string
	n      int
}

// harvest runs the actions of a page, as a crawl would.
func (s *session) harvest(p extract.Page) extract.Harvest {
	h, steps := s.r.Run(p)
	s.x.spend(stepWork * steps)
	return h
}

// read is the text of a node, of at most 4 KiB.
func (x *index) read(n *html.Node) string {
	t := textContent(n)
	x.spend(1 + len(t)/textWork)
	return t
}
