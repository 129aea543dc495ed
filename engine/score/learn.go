package score

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
)

// Learner adapts the weights of an aggregator while a crawl runs: "decrease the
// weight of text in anchor texts if most of the crawled web pages use 'click here'
// links" (D5.2, section 5, future work 2). It compares the score of each module
// for a link with the harvest: the yield of the page behind it.
//
// A module's weight follows how well its scores rank pages: the correlation of its
// scores with the harvest, over the pages of the crawl so far, older ones
// counting less. A useless module keeps a tenth of the user's
// weight, so that it can win it back.
//
// It also learns the yield of pages of each level ([Learner.Level]), so that the score that
// the knowledge base gives a link follows the pages of such links.
type Learner struct {
	to     *Aggregator
	first  Weights
	seen   map[string]*moments
	levels map[string]*moments
	all    *moments // of all levels
	pages  int
}

// LearnEvery is how many pages are between two changes of the weights.
const LearnEvery = 10

// Bounds of learning; all are arbitrary.
const (
	learnAfter  = 50     // pages before the first change
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
	return &Learner{to: a, first: a.Weights(), seen: map[string]*moments{}, levels: map[string]*moments{}, all: &moments{}}
}

// Harvest takes the yield of a page, from 0 to 1, and the scores that the
// modules gave the link to it. It reports whether the weights changed.
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
	if l.pages < learnAfter || l.pages%LearnEvery != 0 {
		return false
	}
	l.apply()
	return true
}

// Pages is how many pages were harvested.
func (l *Learner) Pages() int { return l.pages }

// apply sets the weights that follow from what was seen.
func (l *Learner) apply() {
	w := maps.Clone(l.first)
	if w == nil {
		w = Weights{}
	}
	for name, m := range l.seen {
		w[name] = l.first.of(name) * max(leastShare, mostShare*m.correlation())
	}
	l.to.set(w)
}

// Bounds of learning the yield of levels; all are arbitrary.
const (
	levelPrior = 20 // pages of average yield that each level starts with
	leastLift  = 0.5
	mostLift   = 2.0
)

// Level takes the yield of a page of a level, from 0 to 1.
func (l *Learner) Level(level string, worth float64) {
	if level == "" || !Given(worth) {
		return
	}
	m := l.levels[level]
	if m == nil {
		m = &moments{}
		l.levels[level] = m
	}
	m.add(worth, worth)
	l.all.add(worth, worth)
}

// Lift returns the factor between the yield of pages of a level and the average:
// one half to 2, and 1 where nothing is known.
func (l *Learner) Lift(level string) float64 {
	m := l.levels[level]
	if m == nil || l.all.x <= 0 || l.pages < learnAfter {
		return 1
	}
	average := l.all.x / l.all.n
	return max(leastLift, min(mostLift, (m.x+levelPrior*average)/(m.n+levelPrior)/average))
}

// learned is the state of a learner as it is stored.
type learned struct {
	Pages  int                   `json:"pages"`
	Seen   map[string][6]float64 `json:"seen"`
	Levels map[string][6]float64 `json:"levels"`
	All    [6]float64            `json:"all"`
}

func (m *moments) array() [6]float64 { return [6]float64{m.n, m.x, m.y, m.xx, m.yy, m.xy} }

func momentsOf(a [6]float64) *moments { return &moments{a[0], a[1], a[2], a[3], a[4], a[5]} }

// State is what was learned so far, for another session of the crawl.
func (l *Learner) State() ([]byte, error) {
	s := learned{Pages: l.pages, Seen: map[string][6]float64{}, Levels: map[string][6]float64{}, All: l.all.array()}
	for name, m := range l.seen {
		s.Seen[name] = m.array()
	}
	for name, m := range l.levels {
		s.Levels[name] = m.array()
	}
	return json.Marshal(s)
}

// Restore goes on from a state, with the weights that follow from it.
func (l *Learner) Restore(state []byte) error {
	var s learned
	if err := json.Unmarshal(state, &s); err != nil {
		return fmt.Errorf("the learned weights: %w", err)
	}
	l.pages, l.all = s.Pages, momentsOf(s.All)
	for name, a := range s.Seen {
		l.seen[name] = momentsOf(a)
	}
	for name, a := range s.Levels {
		l.levels[name] = momentsOf(a)
	}
	if l.pages >= learnAfter {
		l.apply()
	}
	return nil
}

// Lesson is what was learned of one module.
type Lesson struct {
	Module      string  `json:"module"`
	Pages       int     `json:"pages"` // that it had scored, older ones counting less
	Correlation float64 `json:"correlation"`
	Before      float64 `json:"before"` // the user's weight
	Now         float64 `json:"now"`
}

// LevelLesson is what was learned of the pages of one level.
type LevelLesson struct {
	Level string  `json:"level"` // TYPE-ID/LEVEL-ID
	Pages int     `json:"pages"` // older ones counting less
	Worth float64 `json:"worth"` // of a page, on average
	Lift  float64 `json:"lift"`
}

// LevelLessons returns the learned data of levels, by their names.
func (l *Learner) LevelLessons() []LevelLesson {
	var all []LevelLesson
	for _, name := range slices.Sorted(maps.Keys(l.levels)) {
		m := l.levels[name]
		all = append(all, LevelLesson{Level: name, Pages: int(m.n + 0.5), Worth: m.x / m.n, Lift: l.Lift(name)})
	}
	return all
}

// Lessons returns the learned data, by the names of the modules.
func (l *Learner) Lessons() []Lesson {
	now := l.to.Weights()
	var all []Lesson
	for name, m := range l.seen {
		all = append(all, Lesson{Module: name, Pages: int(m.n + 0.5), Correlation: m.correlation(), Before: l.first.of(name),
			Now: now.of(name)})
	}
	slices.SortFunc(all, func(a, b Lesson) int { return cmp.Compare(a.Module, b.Module) })
	return all
}
