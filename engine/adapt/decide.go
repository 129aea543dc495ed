package adapt

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/awarc/awarc/engine/rank"
	"github.com/awarc/awarc/kb"
)

// ask is a question about a page: which of some candidates gives a field in the records of a scope.
type ask struct {
	s       *session
	spot    kb.Spot
	field   *kb.Field
	sc      *scope
	tk      *taken
	early   bool // only what the page states was gathered
	answers []*candidate
}

// kind tells what a question is about.
func (q *ask) kind() Kind { return kindOf(q.field) }

// kindOf tells what a question about a field is about.
func kindOf(f *kb.Field) Kind {
	switch {
	case f.As == kb.HTML:
		return KindContent
	case f.As == kb.Date:
		return KindDate
	case named(f):
		return KindName
	case f.Name == "title":
		return KindTitle
	}
	return KindText
}

// class is that of the objects.
func (q *ask) class() string { return q.spot.Objects[len(q.spot.Objects)-1].Class }

// mostCompared bounds the answers of which it is asked whether they are alike, and beside which others are seen.
const mostCompared = 12

// decide weighs candidates for a field and tells the best.
func (q *ask) decide(candidates []*candidate) found {
	model, kind := q.s.weights[string(q.kind())], q.kind()
	q.gather(candidates, model)
	if len(q.answers) == 0 {
		why := "nothing on the page looks like it"
		if !page(q.sc) {
			why = "nothing that half of the objects have looks like it"
		}
		return found{cause: NoCandidate, why: why}
	}
	query := rank.Question{Names: namesOf[kind], None: evidenceOf[kind].ofNone(q), Alike: make([][]int, len(q.answers))}
	for i, c := range q.answers {
		query.Answers = append(query.Answers, c.vector)
		for k, d := range q.answers[:min(len(q.answers), mostCompared)] {
			if k != i && i < mostCompared && variant(q.s.x, q.field, c, d) {
				query.Alike[i] = append(query.Alike[i], k)
			}
		}
	}
	v := model.Decide(query)
	best := q.answers[v.Best]
	best.sure = v.Sure
	out := found{best: best}
	next := ""
	if v.Next >= 0 {
		next = fmt.Sprintf("; next %s (%.2f)", q.answers[v.Next].written(), v.P[v.Next])
	}
	best.why = append(spoke(model, kind, query.Names, best.vector, true), fmt.Sprintf("sure %.2f", v.Sure)+next)
	if v.Sure < model.Sure {
		if out.cause = NotSure; v.Next >= 0 && v.P[v.Next] > v.None {
			out.cause = Disagree
		}
		out.why = fmt.Sprintf("the best candidate, %s, is not sure: %.2f of %.2f; against it: %s%s; "+
			"if it is right, add it to the field as a <try>", best.written(), v.Sure, model.Sure,
			strings.Join(spoke(model, kind, query.Names, best.vector, false), ", "), next)
	}
	q.report(kind, query, v, out.why == "")
	return out
}

// spoke names the features that spoke most for an answer, or against it.
func spoke(m rank.Model, kind Kind, names []string, vector []float64, pro bool) []string {
	const most = 5
	var out []string
	for _, p := range m.Parts(names, vector) {
		if (p.Logits > 0) == pro && p.Logits != 0 && len(out) < most {
			out = append(out, Doc(kind, p.Name))
		}
	}
	return out
}

// report tells who watches.
func (q *ask) report(kind Kind, query rank.Question, v rank.Verdict, taken bool) {
	if q.s.watch == nil {
		return
	}
	seen := Question{Kind: kind, Place: q.spot.Place, Class: q.class(), Field: q.field.Name, Question: query, Verdict: v, Taken: taken}
	for _, c := range q.answers {
		seen.Exprs, seen.Values = append(seen.Exprs, c.written()), append(seen.Values, c.values)
	}
	o := q.spot.Objects[len(q.spot.Objects)-1]
	for _, rec := range q.sc.records {
		seen.IDs = append(seen.IDs, q.s.r.IDAnyway(o, q.s.node(rec), q.s.page.URL.String()))
	}
	q.s.sees(seen)
}

// gather reads candidates and makes one answer of those that give the same, the likeliest first.
func (q *ask) gather(candidates []*candidate, model rank.Model) {
	slices.SortStableFunc(candidates, func(a, b *candidate) int {
		return cmp.Or(cmp.Compare(b.early, a.early), a.cost.Compare(b.cost))
	})
	q.answers = nil
	kind := q.kind()
	list, names := evidenceOf[kind], namesOf[kind]
	byValues := map[string]*candidate{}
	for _, c := range candidates {
		if q.s.spent() {
			break
		}
		if !q.read(c) {
			continue
		}
		c.vector = list.of(q, c)
		c.score = model.Score(names, c.vector)
		key := strings.Join(c.values, "\x00")
		same := byValues[key]
		switch {
		case same == nil:
			byValues[key] = c
			q.answers = append(q.answers, c)
		case q.likelier(c, same) < 0:
			*same = *c
		}
	}
	slices.SortStableFunc(q.answers, q.likelier)
	all := q.answers
	q.answers = all[:min(len(all), mostCompared)]
	for _, c := range q.answers {
		list.compare(q, c, c.vector)
	}
	q.answers = all
}

// likelier orders candidates by score, then by cost, then as the author of the expressions did: a
// text beside an edit note gives the same as its element only until a post is edited.
func (q *ask) likelier(a, b *candidate) int {
	return cmp.Or(cmp.Compare(b.score, a.score), a.cost.Compare(b.cost), cmp.Compare(q.order(a), q.order(b)))
}

// read evaluates a candidate; false for one that cannot be: in most records it gives nothing, what another field has, or another value than
// an earlier crawl found there, or a content that holds none of the text or some of it twice.
func (q *ask) read(c *candidate) bool {
	s, f, sc := q.s, q.field, q.sc
	c.nodes = s.selects(c, sc)
	if f.As == kb.HTML && !s.bulky(sc, c) {
		return false
	}
	s.values(f, c, sc)
	if c.match != nil && c.coverage() < 0.5 { // it cut what the original selected
		c.match = nil
		c.cost.Changes++
		s.values(f, c, sc)
	}
	if c.coverage() < 0.5 || f.As != kb.Date && q.tk.has(c) {
		return false
	}
	q.cut(c)
	if share, known := s.past.agreement(q.class(), f, sc.records, c.values); known {
		if share < 0.5 {
			return false
		}
		c.earlier = share
	}
	if f.As == kb.HTML && !q.measure(c) {
		return false
	}
	q.states(c)
	return true
}

// cut cuts what stands beside values: as an earlier crawl has them, or a label of a name or a title.
func (q *ask) cut(c *candidate) {
	s, f, sc := q.s, q.field, q.sc
	if f.As == kb.Text && !f.Many && c.match == nil {
		if m := s.past.cut(q.class(), f, sc.records, c.values); m != nil {
			c.match = m
			s.values(f, c, sc)
		}
	}
	if named(f) && c.match == nil && labelled(c.values) {
		c.match = nameCut
		s.values(f, c, sc)
	}
	if f.Name == "title" && len(sc.records) > 1 {
		s.subject(f, sc, c)
	}
}
