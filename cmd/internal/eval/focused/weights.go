package focused

import (
	"github.com/awarc/awarc/engine/score"
	"github.com/awarc/awarc/frontier"
)

// weighing gives links their priorities as the engine does: what the page and the anchor say
// of a link, by weights that are learned from what the pages turn out to be worth. With
// weights that stay this is the average of the two, as in the paper.
type weighing struct {
	aggregator *score.Aggregator
	learner    *score.Learner
	names      *score.Names
}

func newWeighing() (*weighing, error) {
	a, err := score.NewAggregator(nil)
	if err != nil {
		return nil, err
	}
	return &weighing{a, score.NewLearner(a), score.NewNames(nil, func([]score.Name) error { return nil })}, nil
}

// harvest takes in what the page behind a link turned out to be worth. A seed has no score to
// learn from.
func (w *weighing) harvest(lease frontier.Lease, worth float64) {
	if stored, err := score.DecodeStored([]byte(lease.Why), w.names.List()); err == nil {
		w.learner.Harvest(stored.Score.Parts, worth)
	}
}

// prioritise gives the links of a page their priorities, and keeps with each what they come from.
func (w *weighing) prioritise(similar float64, anchors []float64, links []frontier.URL) error {
	v := w.aggregator.Combine(&score.Page{Links: make([]score.Link, len(links))}, []score.Opinion{
		{Module: score.ModuleDocument, Doc: similar},
		{Module: score.ModuleAnchor, Doc: score.None, Links: anchors},
	})
	for i, s := range v.Links {
		why, err := score.Stored{Score: s, Page: v.Doc.Value}.Encode(w.names)
		if err != nil {
			return err
		}
		links[i].Priority, links[i].Why = scale(s.Value), string(why)
	}
	return nil
}

// weights crawls with weights that are learned and with weights that stay, over the
// web of the other tables and over one whose anchors mislead.
func (m *measurement) weights() error {
	for _, best := range []bool{false, true} {
		for _, k := range m.report.Updates {
			if k.Update == "avg" && k.BestFirst == best {
				m.report.Weights = append(m.report.Weights, k)
			}
		}
		if err := m.run(&m.report.Weights, Row{PerTurn: 1, Update: "avg", BestFirst: best, Learned: true}); err != nil {
			return err
		}
	}
	told := m.sim.web
	defer func() { m.sim.web = told }()
	m.sim.web = newTopicalWeb(m.Web, m.Seed).misled()
	for _, best := range []bool{false, true} {
		for _, learned := range []bool{false, true} {
			row := Row{Site: "anchors that mislead", PerTurn: 1, Update: "avg", BestFirst: best, Learned: learned}
			if err := m.run(&m.report.Weights, row); err != nil {
				return err
			}
		}
	}
	return nil
}
