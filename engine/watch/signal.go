package watch

import "math"

// Group counts how often the signals about the pages of one site and level were right.
type Group struct {
	Right  float64 `json:"right"`  // fetches after a signal that found a change
	Wrong  float64 `json:"wrong"`  // fetches after a signal that found none
	Missed float64 `json:"missed"` // changes that were found without a signal
	Told   int     `json:"told"`   // signals about its pages
	Prior  `json:"-"`
}

// Priors: nine of ten signals are right, and they announce nineteen of twenty changes. Each prior
// counts as much as two fetches.
const (
	priorRight, priorWrong = 1.8, 0.2
	priorTold, priorUntold = 1.9, 0.1
	mostEvidence           = 200.0 // older fetches count less
	certain                = 1e-6
	leastRecall            = 0.3
)

// Precision is the probability that a signal is right.
func (g *Group) Precision() float64 {
	return (g.Right + priorRight) / (g.Right + g.Wrong + priorRight + priorWrong)
}

// Recall is the share of the changes that signals announce.
func (g *Group) Recall() float64 {
	return (g.Right + priorTold) / (g.Right + g.Missed + priorTold + priorUntold)
}

// Learn counts the result of a fetch.
func (g *Group) Learn(signalled, changed bool) {
	switch {
	case signalled && changed:
		g.Right++
	case signalled:
		g.Wrong++
	case changed:
		g.Missed++
	}
	if all := g.Right + g.Wrong + g.Missed; all > mostEvidence {
		f := mostEvidence / all
		g.Right, g.Wrong, g.Missed = g.Right*f, g.Wrong*f, g.Missed*f
	}
}

// Outlook is the expected result of a fetch of a page.
type Outlook struct {
	Rate    float64 // changes a day that no signal announces
	Changed float64 // probability that it changed since the last fetch
	Gain    float64 // see Gain
	Covered bool    // signals announce its changes
}

// Outlook returns the expected result of a fetch at time now. told is set if sources of signals about
// the page are followed.
func (p *Page) Outlook(g *Group, now float64, told bool) Outlook {
	rate, days := p.Rate(g.Prior), max(0, now-p.Last)
	if !told || g.Recall() < leastRecall {
		return Outlook{Rate: rate, Changed: p.stale(g.Prior, days), Gain: p.weight() * Gain(rate, days)}
	}
	if p.Signal == 0 { // the silence is evidence, as far as signals announce the changes
		rate = p.Rate(Prior{g.Shape, g.Prior.Days + g.Recall()*days})
	}
	rate *= 1 - g.Recall()
	changed, since := -math.Expm1(-rate*days), days
	if p.Signal > 0 {
		wrong := max(certain, 1-g.Precision())
		changed = 1 - (1-changed)*wrong
		since += -math.Log(wrong) / rate // the wait after which a change is as probable
	}
	return Outlook{Rate: rate, Changed: changed, Gain: p.weight() * Gain(rate, since), Covered: true}
}

// leastWeight keeps a page in the schedule whose changes never lasted.
const leastWeight = 0.1

// weight is the share of the page's changes that lasts (Olston and Pandey's longevity).
func (p *Page) weight() float64 {
	if p.Persistent == 0 {
		return 1
	}
	return max(leastWeight, p.Persistent)
}

// LeastChanged is the probability of a change from which a page is fetched whose changes are
// announced by signals; with less, a fetch is most likely for nothing, and a signal will come.
const LeastChanged = 0.2
