package adapt

import (
	"fmt"
	"slices"
	"unicode/utf8"

	"github.com/awarc/awarc/engine/adapt/rank"
	"github.com/awarc/awarc/kb"
)

// recordsAsk is the question whether elements of a page are the objects of a class: those of the best plan, of the next that
// reads the page differently, or none.
type recordsAsk struct {
	s          *session
	level      *kb.Level
	object     *kb.Object
	spot       kb.Spot
	best, next *plan // next may be nil
}

// aboutRecords are the features of records.
var aboutRecords = features[*recordsAsk, *plan]{
	none: []feature[*recordsAsk, struct{}]{
		{"none", "before anything else is known", func(*recordsAsk, struct{}) float64 { return 1 }},
		{"told", "the page's address tells its level", func(q *recordsAsk, _ struct{}) float64 {
			return truth(q.s.own.level == q.level.ID)
		}},
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
		{"anchors", "fields that still work lie one in each", func(_ *recordsAsk, p *plan) float64 {
			return min(1, p.set.outline.anchors/2)
		}},
		{"dated", "each has a date", func(_ *recordsAsk, p *plan) float64 { return p.set.outline.dated }},
		{"crowded", "many dates in each", func(_ *recordsAsk, p *plan) float64 { return truth(p.set.outline.crowded) }},
		{"running", "the share of the page's running text", func(_ *recordsAsk, p *plan) float64 { return p.set.outline.running }},
		{"single", "there is one", func(_ *recordsAsk, p *plan) float64 { return truth(len(p.records) == 1) }},
		{"many", "eight", func(_ *recordsAsk, p *plan) float64 { return float64(min(len(p.records), 8)) / 8 }},
		{"hint", "named as in other templates", func(q *recordsAsk, p *plan) float64 { return q.s.namedAs(q.object.Class, p.set) }},
		{"changed", "one change of the template explains them", func(_ *recordsAsk, p *plan) float64 {
			return truth(p.set.change != nil)
		}},
		{"explained", "one change explains them and all that is required", func(_ *recordsAsk, p *plan) float64 {
			return truth(p.set.change != nil && p.searched == 0)
		}},
		{"far", "far from what is written", func(q *recordsAsk, p *plan) float64 {
			return truth(!q.s.unknown) * q.s.farness(p.set.cost) / farthest
		}},
		{"foreign", "far from all that is written, of another template", func(q *recordsAsk, p *plan) float64 {
			return truth(q.s.unknown) * q.s.farness(p.set.cost) / farthest
		}},
		{"proposed", "read off the page", func(_ *recordsAsk, p *plan) float64 { return truth(p.set.proposed) }},
		{"doubt", "how little sure the least sure of their fields is", func(_ *recordsAsk, p *plan) float64 { return 1 - p.weakest }},
		{"searched", "fields that had to be searched, of four", func(_ *recordsAsk, p *plan) float64 {
			return float64(min(p.searched, 4)) / 4
		}},
		{"brief", "contents of a few words", func(_ *recordsAsk, p *plan) float64 {
			const few = 40 // letters
			if p.text == nil {
				return 0
			}
			return p.text.countOf(func(v string) bool { return utf8.RuneCountInString(v) < few })
		}},
		{"linky", "contents of links", func(q *recordsAsk, p *plan) float64 {
			if p.text == nil {
				return 0
			}
			return q.s.links(p.text)
		}},
		{"leading", "each leads to another list or object", func(q *recordsAsk, p *plan) float64 {
			return q.s.leading(q.level, p.records)
		}},
		{"speechless", "without contents", func(_ *recordsAsk, p *plan) float64 { return truth(p.text == nil) }},
	},
}

// namedAs says how strongly the last name of a record set suggests a class.
func (s *session) namedAs(class string, set *recordSet) float64 {
	if set.reading.Expr == nil {
		return 0
	}
	return s.hint(class, lastLiteral(set.reading.Expr))
}

// leading is the share of some elements that hold a link to a list, or to another object of a level: as the rows of a list do.
func (s *session) leading(v *kb.Level, records []int) float64 {
	some := spreadOut(records)
	n := 0
	for _, rec := range some {
		if slices.ContainsFunc(within(s.x.tags["a"], rec, s.x), func(a int) bool {
			link := s.linkOf(a)
			if link == "" {
				return false
			}
			to := s.addressed(link)
			return to.whole && to.key != s.own.key && (to.level == v.ID ||
				slices.ContainsFunc(s.page.Type.Level(to.level), func(l *kb.Level) bool { return l.Kind == kb.Intermediate }))
		}) {
			n++
		}
	}
	return float64(n) / float64(max(1, len(some)))
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
