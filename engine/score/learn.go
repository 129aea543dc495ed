package score

import (
	"cmp"
	"maps"
	"math"
	"slices"
)

// Learner adapts the weights of an aggregator while a crawl runs: "decrease the
// weight of text in anchor texts if most of the crawled web pages use 'click here'
// links" (D5.2, section 5, future work 2). It compares what each module had said
// of a link with the harvest: what the page behind it turned out to be worth.
//
// A module's weight follows how well its scores rank pages: the correlation of its
// scores with the harvest, over the pages of the crawl so far, older ones
// counting less. One that says nothing of use keeps a tenth of the user's
// weight, so that it can win it back.
type Learner struct {
	to    *Aggregator
	first Weights
	seen  map[string]*moments
	pages int
}

// What learning goes by.
const (
	learnAfter  = 50     // pages before the first change
	learnEvery  = 10     // pages between changes
	leastShare  = 0.1    // of the user's weight that stays
	mostShare   = 3.0    // of the user's weight
	learnMemory = 0.9975 // weight of a page, one page later: half of it is gone after 277
)

// moments are the weighted sums of which a correlation is made.
type moments struct{ n, x, y, xx, yy, xy float64 }

func (m *moments) add(x, y float64) {
	for _, s := range []*float64{&m.n, &m.x, &m.y, &m.xx, &m.yy, &m.xy} {
		*s *= learnMemory
	}
	m.n++
	m.x += x
	m.y += y
	m.xx += x * x
	m.yy += y * y
	m.xy += x * y
}

// correlation is Pearson's, 0 where one side never varies.
func (m *moments) correlation() float64 {
	vx, vy := m.xx-m.x*m.x/m.n, m.yy-m.y*m.y/m.n
	if m.n < 2 || vx <= 1e-12 || vy <= 1e-12 {
		return 0
	}
	return (m.xy - m.x*m.y/m.n) / math.Sqrt(vx*vy)
}

// NewLearner makes a learner that changes the weights of an aggregator. One
// goroutine at a time may use it.
func NewLearner(a *Aggregator) *Learner {
	return &Learner{to: a, first: a.Weights(), seen: map[string]*moments{}}
}

// Harvest tells what a page turned out to be worth, from 0 to 1, and what the
// modules had said of the link to it. It returns whether the weights changed.
func (l *Learner) Harvest(parts []Part, worth float64) bool {
	if len(parts) == 0 || !Given(worth) {
		return false
	}
	for _, p := range parts {
		m := l.seen[p.Module]
		if m == nil {
			m = &moments{}
			l.seen[p.Module] = m
		}
		m.add(p.Score, worth)
	}
	l.pages++
	if l.pages < learnAfter || l.pages%learnEvery != 0 {
		return false
	}
	w := maps.Clone(l.first)
	if w == nil {
		w = Weights{}
	}
	for name, m := range l.seen {
		w[name] = l.first.of(name) * max(leastShare, mostShare*m.correlation())
	}
	l.to.set(w)
	return true
}

// Lesson is what was learned of one module.
type Lesson struct {
	Module      string  `json:"module"`
	Pages       int     `json:"pages"` // that it had scored, older ones counting less
	Correlation float64 `json:"correlation"`
	Before      float64 `json:"before"` // the user's weight
	Now         float64 `json:"now"`
}

// Lessons tell what was learned, by the names of the modules.
func (l *Learner) Lessons() []Lesson {
	now := l.to.Weights()
	var all []Lesson
	for name, m := range l.seen {
		all = append(all, Lesson{Module: name, Pages: int(m.n + 0.5), Correlation: m.correlation(), Before: l.first.of(name), Now: now.of(name)})
	}
	slices.SortFunc(all, func(a, b Lesson) int { return cmp.Compare(a.Module, b.Module) })
	return all
}
