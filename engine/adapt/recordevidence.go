package adapt

import (
	"fmt"

	"github.com/awarc/awarc/engine/rank"
	"github.com/awarc/awarc/kb"
)

// recordsAsk is the question whether elements of a page are the objects of a class: those of the best plan, of the next that reads the page
// differently, or none.
type recordsAsk struct {
	s          *session
	object     *kb.Object
	spot       kb.Spot
	best, next *plan // next may be nil
}

// aboutRecords are the features of records.
var aboutRecords = features[*recordsAsk, *plan]{
	none: []feature[*recordsAsk, struct{}]{
		{"none", "before anything else is known", func(*recordsAsk, struct{}) float64 { return 1 }},
		{"list", "the page is a list, as far as its main text says", func(q *recordsAsk, _ struct{}) float64 { return truth(q.s.lists()) }},
		{"strange", "another template made the page", func(q *recordsAsk, _ struct{}) float64 { return truth(q.s.unknown) }},
		{"visiting", "the page is something without them", func(q *recordsAsk, _ struct{}) float64 {
			return truth(len(q.spot.Objects) > 1 && !essential(q.spot.Objects[len(q.spot.Objects)-2]))
		}},
	},
	alone: []feature[*recordsAsk, *plan]{
		{"earlier", "an earlier crawl found such texts in each", func(q *recordsAsk, p *plan) float64 {
			share, _ := q.s.past.hold(q.object.Class, p.records)
			return share
		}},
		{"anchors", "fields that still work lie one in each", func(_ *recordsAsk, p *plan) float64 { return min(1, p.set.held/2) }},
		{"dated", "each has a date", func(_ *recordsAsk, p *plan) float64 { return p.set.dated }},
		{"crowded", "many dates in each", func(_ *recordsAsk, p *plan) float64 { return truth(p.set.crowded) }},
		{"single", "there is one inside the page's object", func(q *recordsAsk, p *plan) float64 {
			return truth(len(p.records) == 1 && len(q.spot.Objects) > 1)
		}},
		{"hint", "named as in other templates", func(q *recordsAsk, p *plan) float64 { return q.s.namedAs(q.object.Class, p.set) }},
		{"far", "far from what is written", func(q *recordsAsk, p *plan) float64 {
			return truth(!q.s.unknown) * q.s.farness(p.set.cost) / farthest
		}},
		{"foreign", "far from all that is written, of another template", func(q *recordsAsk, p *plan) float64 {
			return truth(q.s.unknown) * q.s.farness(p.set.cost) / farthest
		}},
		{"doubt", "how little sure the least sure of their fields is", func(_ *recordsAsk, p *plan) float64 { return p.doubt }},
		{"searched", "fields that had to be searched, of four", func(_ *recordsAsk, p *plan) float64 {
			return float64(min(p.searched, 4)) / 4
		}},
	},
}

// namedAs says how strongly the names of a record set suggest a class.
func (s *session) namedAs(class string, set *recordSet) float64 {
	best := 0.0
	if set.reading.Expr != nil {
		for _, p := range set.reading.Expr.Steps[len(set.reading.Expr.Steps)-1].Preds {
			best = max(best, s.hint(class, p.Literal))
		}
	}
	return best
}

// decide tells how sure the best plan has the objects; 0 where it is not sure enough, and why.
func (q *recordsAsk) decide() (float64, []Left) {
	model := q.s.weights[string(KindRecords)]
	query := rank.Question{Names: namesOf[KindRecords], None: aboutRecords.ofNone(q)}
	plans := []*plan{q.best}
	if q.next != nil {
		plans = append(plans, q.next)
	}
	for _, p := range plans {
		query.Answers = append(query.Answers, aboutRecords.of(q, p))
	}
	v := model.Decide(query)
	taken := v.P[0] >= model.Sure
	if q.s.watch != nil {
		seen := Question{Kind: KindRecords, Place: q.spot.Place, Class: q.object.Class, Question: query, Verdict: v, Taken: taken}
		for _, p := range plans {
			var ids []string
			for _, n := range p.records {
				ids = append(ids, q.s.r.IDAnyway(q.object, q.s.node(n), q.s.page.URL.String()))
			}
			seen.Exprs, seen.Values = append(seen.Exprs, p.set.written()), append(seen.Values, ids)
		}
		q.s.sees(seen)
	}
	if !taken {
		why, cause := fmt.Sprintf("%d %s are not sure: %.2f", len(q.best.records), q.object.Class, v.P[0]), NotSure
		if len(v.P) > 1 && v.P[1] > v.None {
			cause = Disagree
		}
		q.s.why = append(q.s.why, why)
		return 0, []Left{q.s.left(q.spot.Place, cause, why)}
	}
	return v.P[0], nil
}
