package adapt

import (
	"slices"
	"strings"
	"time"

	"github.com/awarc/awarc/kb"
	"github.com/awarc/awarc/relax"
	"github.com/awarc/awarc/yfilter/xpath"
)

// found is the outcome of looking for a field.
type found struct {
	best *candidate // its sure says how likely it is right
	why  string     // why none is good enough, for people; cause is set with it

	cause Cause
}

// taken is what other fields of the objects hold: no text is claimed twice.
type taken struct {
	nodes  []map[int]bool      // by record
	values map[string][]string // by the name of a field, by record
}

func (t *taken) add(f *kb.Field, c *candidate) {
	t.values[f.Name] = c.values
	for i := range t.nodes {
		if i < len(c.nodes) {
			for _, n := range c.nodes[i][:min(1, len(c.nodes[i]))] {
				t.nodes[i][n] = true
			}
		}
	}
}

func newTaken(records int) *taken {
	t := &taken{nodes: make([]map[int]bool, records), values: map[string][]string{}}
	for i := range t.nodes {
		t.nodes[i] = map[int]bool{}
	}
	return t
}

// has reports whether the elements of a candidate are, in all records, what another field has.
func (t *taken) has(c *candidate) bool {
	for i, nodes := range c.nodes {
		if len(nodes) > 0 && !t.nodes[i][nodes[0]] {
			return false
		}
	}
	return true
}

// company is how many fields the objects have that are found, in the mean.
func (t *taken) company() float64 {
	n := 0
	for _, nodes := range t.nodes {
		n += len(nodes)
	}
	return float64(n) / float64(max(1, len(t.nodes)))
}

// holds tells in which share of the records a candidate's node contains a node that is taken, or is one.
func (t *taken) holds(x *index, c *candidate) float64 {
	return t.meets(c, func(k int, nodes []int) bool {
		return slices.ContainsFunc(nodes, func(m int) bool { return x.inside(k, m) })
	})
}

// within tells in which share of the records a candidate's node lies in, or is, a node that is taken.
func (t *taken) within(x *index, c *candidate) float64 {
	return t.meets(c, func(k int, nodes []int) bool { return len(nodes) > 0 && x.inside(nodes[0], k) })
}

// meets is the share of records in which some node that is taken is to those of a candidate as is asked.
func (t *taken) meets(c *candidate, is func(k int, nodes []int) bool) float64 {
	n := 0
	for i, nodes := range c.nodes {
		for k := range t.nodes[i] {
			if is(k, nodes) {
				n++
				break
			}
		}
	}
	return float64(n) / float64(max(1, len(c.nodes)))
}

// field looks for an expression that gives a field in the records of a scope: first where the page states it, then everywhere.
func (s *session) field(spot kb.Spot, sc *scope, tk *taken) found {
	q := &ask{s: s, spot: spot, field: spot.Field, sc: sc, tk: tk, early: true}
	if stated := s.stated(spot, sc); len(stated) > 0 {
		if out := q.decide(stated); out.why == "" {
			if s.misstated = s.contradicted(spot.Field, out.best); !s.misstated {
				return out
			}
		}
	}
	if !spot.Field.Required && (page(sc) || spot.Field.As == kb.URL) {
		// A search would find something, and the link of a name is read with it.
		return found{cause: NoCandidate,
			why: `an optional field of a page, or an optional link, is not searched; with required="yes" it is`}
	}
	q.early = false
	return q.decide(s.candidates(spot, sc))
}

// ofAttribute reports whether an expression ends in an attribute of what it selects: a date in one is written for programs.
func ofAttribute(n xpath.Node) bool {
	all := xpath.Operands(n, "|")
	path, ok := all[len(all)-1].(*xpath.Path)
	if !ok || len(path.Steps) == 0 || len(path.Steps) == 1 && path.From == nil {
		return false
	}
	last := path.Steps[len(path.Steps)-1]
	return last.Axis == "@" && last.Test != "*" && len(last.Preds) == 0
}

// tagged lists the last steps of a field's expressions, by themselves, where they ask for what no template names: the rel of a link.
func (s *session) tagged(spot kb.Spot) []*candidate {
	var out []*candidate
	for _, src := range s.sources(spot) {
		steps := elementSteps(src.reading.Expr)
		if src.reading.Before != nil || len(steps) < 2 {
			continue
		}
		last := steps[len(steps)-1]
		if !slices.ContainsFunc(last.Preds, func(p xpath.Pred) bool { return p.Kind != xpath.Not && p.Value.Name == "rel" }) {
			continue
		}
		last.Axis = xpath.Descendant
		s.x.spend(exprWork)
		is := &xpath.Expr{Steps: append([]xpath.Step{last}, src.reading.Expr.Steps[len(steps):]...)}
		e, err := kb.ExprOf(is.Tree())
		if err != nil {
			continue
		}
		out = append(out, &candidate{try: &kb.Try{Expr: e, Match: src.match}, expr: e.Tree, match: src.match, from: src.from, stated: true,
			holding: 1, cost: relax.Cost{Changes: 1}})
	}
	return out
}

// variant reports whether two candidates disagree only about the frame of the same thing: one lies in the other.
func variant(x *index, f *kb.Field, a, b *candidate) bool {
	if f.As == kb.Date { // the same moment, in another form
		return sameMoments(a.values, b.values)
	}
	nested, both := 0, 0
	for i := range a.nodes {
		if len(a.nodes[i]) > 0 && len(b.nodes[i]) > 0 {
			both++
			m, n := a.nodes[i][0], b.nodes[i][0]
			if x.inside(m, n) || x.inside(n, m) {
				nested++
			}
		}
	}
	return 2*nested > both || f.As == kb.HTML && a.share > mostOf*b.share && among(x, a, b)
}

// partsOf reports whether values lie each in another.
func partsOf(values, of []string) bool {
	for i, v := range values {
		if !strings.Contains(of[i], v) {
			return false
		}
	}
	return true
}

// deeper reports whether the first node of a candidate lies in that of another.
func deeper(x *index, c, outer *candidate) bool {
	for i := range c.nodes {
		if len(c.nodes[i]) > 0 && len(outer.nodes[i]) > 0 {
			return x.inside(c.nodes[i][0], outer.nodes[i][0])
		}
	}
	return false
}

// among reports whether the elements of a candidate lie each in one of several that another one selects: a cell with a post, and with it
// the cell of its author.
func among(x *index, c, outer *candidate) bool {
	several := false
	for i, nodes := range c.nodes {
		if len(nodes) == 0 {
			continue
		}
		if !slices.ContainsFunc(outer.nodes[i], func(n int) bool { return x.inside(nodes[0], n) }) {
			return false
		}
		several = several || len(outer.nodes[i]) > 1
	}
	return several
}

// zones is what two clocks of the world differ by, at most.
const zones = 14 * time.Hour

// sameMoments reports whether dates are the same in other forms, which may be of other zones or tell no time.
func sameMoments(a, b []string) bool {
	n := 0
	for i := range a {
		if a[i] == "" || b[i] == "" {
			continue
		}
		n++
		form := "2006-01-02T15:04"
		if len(a[i]) < len(form) || len(b[i]) < len(form) {
			form = "2006-01-02"
		}
		if len(a[i]) < len(form) || len(b[i]) < len(form) {
			return false
		}
		x, errX := time.Parse(form, a[i][:len(form)])
		y, errY := time.Parse(form, b[i][:len(form)])
		if errX != nil || errY != nil || x.Sub(y).Abs() > zones {
			return false
		}
	}
	return n > 0
}
