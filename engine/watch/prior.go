package watch

import "math"

// Prior is the Gamma distribution of the rates of change of a group's pages: Shape changes in Days.
type Prior struct {
	Shape, Days float64
}

// Bounds of a learned prior. A new group changes once in 100 days, with little confidence.
const (
	leastShape, mostShape = 0.05, 4
	newShape, newDays     = 0.2, 20.0
	leastEvidence         = 1.0 // changes that a group needs to be fitted
)

// Fit fits the prior of a group to its pages by the moments of the negative binomial distribution,
// which the counts of changes follow. The prior of new groups counts as one more page.
func Fit(pages []*Page) Prior {
	changes, days := newShape, newDays
	for _, p := range pages {
		changes, days = changes+p.Changes, days+p.Days
	}
	if changes-newShape < leastEvidence {
		return Prior{newShape, newDays + days*newShape/changes}
	}
	mean := changes / days // a day
	spread, expected := 0.0, 0.0
	for _, p := range pages {
		e := mean * p.Days
		spread += (p.Changes-e)*(p.Changes-e) - e
		expected += e * e
	}
	shape := float64(mostShape)
	if spread > 0 {
		shape = max(leastShape, min(mostShape, expected/spread))
	}
	return Prior{shape, shape / mean}
}

// Rate returns the expected number of changes a day.
func (p *Page) Rate(prior Prior) float64 {
	return (p.Changes + prior.Shape) / (p.Days + prior.Days)
}

// Stale returns the probability that the page changed within so many days, for an uncertain rate.
func (p *Page) stale(prior Prior, days float64) float64 {
	b := p.Days + prior.Days
	return 1 - math.Pow(b/(b+days), p.Changes+prior.Shape)
}
