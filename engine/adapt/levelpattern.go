package adapt

import (
	"cmp"
	"slices"

	"github.com/awarc/awarc/kb"
	"github.com/awarc/awarc/relax"
	"github.com/awarc/awarc/yfilter/xpath"
)

// patterns gives the nearest relaxations of a level's patterns, each to the element of the page that is nearest; only to elements that lie
// around, on or in one of the given ones, where there are some.
func (s *session) patterns(v *kb.Level, near []int) []relax.Relaxation {
	var out []relax.Relaxation
	known := s.lex.known(s.category, kb.PartDetect)
	for _, p := range v.Detect {
		if p.Weak || target(p.Expr) != (xpath.Test{}) || p.Learned != nil || ofURL(p.Expr) {
			continue
		}
		var best relax.Relaxation
		for _, g := range s.allGroups() {
			n := g.nodes[0]
			if len(near) > 0 && !slices.ContainsFunc(near, func(m int) bool { return s.x.inside(m, n) || s.x.inside(n, m) }) {
				continue
			}
			if s.spent() {
				return out
			}
			path := s.x.path(n, -1)
			s.x.spend(matchWork * len(path) * len(p.Expr.Steps))
			r, ok := relax.Nearest(p.Expr, 0, path, xpath.Test{}, known)
			if ok && asks(r.Expr) && (best.Expr == nil || r.Compare(best) < 0) {
				best = r
			}
		}
		if best.Expr != nil {
			out = append(out, best)
		}
	}
	slices.SortFunc(out, relax.Relaxation.Compare)
	return out
}

// asks reports whether an expression asks for more than tags. That something is not there says nothing.
func asks(e *xpath.Expr) bool {
	return slices.ContainsFunc(e.Steps, func(s xpath.Step) bool {
		return slices.ContainsFunc(s.Preds, func(p xpath.Pred) bool { return p.Kind != xpath.Not })
	})
}

// ofURL reports whether a pattern is about the address or the answer: no template changes those.
func ofURL(e *xpath.Expr) bool {
	name := e.Steps[0].Test.Name
	return name == "url" || name == "http" || name == "page"
}

// pattern chooses the pattern to learn for a level: what its address or the page itself states, of a list its links, else the nearest
// relaxation of one of its own that is fulfilled by the nodes of its objects or what is around or in them, or where its contents are.
func (s *session) pattern(l *levelPlan, o Options) (kb.Entry, bool) {
	s.most = max(s.most, s.x.work) + s.most/5 // what was found is lost without a pattern
	e := kb.Entry{Place: placeOn(l.v, kb.PartDetect), Provenance: kb.Provenance{From: l.v.Detect[0].Expr.String(), Cost: 1,
		Site: o.site(s.page), Pages: 1, Confidence: 0.7}}
	if s.own.level == l.v.ID {
		e.Expr = s.addressPattern(s.own)
		if ofArticle(s.page.Type) == l.v.ID { // texts of other levels may have dates too
			e.Expr = cmp.Or(e.Expr, s.statedPattern())
		}
		if e.Expr != "" {
			e.Confidence, e.Evidence = 0.9, "such addresses are of pages of the level"
			return e, true
		}
	}
	if l.v.Kind == kb.Intermediate {
		e.Expr, e.Evidence = s.listPattern(l.v), "its links are there"
		return e, e.Expr != ""
	}
	near := slices.DeleteFunc(slices.Clone(l.records[:min(1, len(l.records))]), func(n int) bool { return n < 0 })
	if list := s.patterns(l.v, near); len(list) > 0 {
		e.Expr, e.Cost, e.Evidence = list[0].Expr.String(), list[0].Cost.Changes, "its actions make sense of the page"
		return e, true
	}
	e.Expr, e.Evidence = contentPattern(l.steps), "its contents are there"
	return e, e.Expr != ""
}

// listPattern gives as the pattern of a list the links that lead down from it: where it fires they are there, so that no page is taken for
// a list and leads nowhere. They must have a name of their own: links to topics are on many pages.
func (s *session) listPattern(v *kb.Level) string {
	for _, r := range s.routes(v) {
		if r.way != downward || r.implied {
			continue
		}
		var named []*xpath.Expr
		for _, src := range s.sources(r.spot) {
			if src.reading.Before == nil && src.reading.Pick == (xpath.Pred{}) {
				named = append(named, &xpath.Expr{Steps: elementSteps(src.reading.Expr)})
			}
		}
		if e := s.listNames[r.spot.Place]; e != nil {
			named = append(named, e)
		}
		for _, e := range named {
			if slices.ContainsFunc(e.Steps, hasName) && writable(e) && len(s.x.selectIn(e, -1)) >= fewestTopics {
				return e.String()
			}
		}
	}
	return ""
}

// writable reports whether an expression that was read off a page can be a pattern.
func writable(e *xpath.Expr) bool {
	tree := e.Tree()
	_, ok := xpath.Fragment(tree)
	return ok && xpath.Check(tree) == nil
}

// hasName reports whether a step asks for a class or an id.
func hasName(step xpath.Step) bool {
	return slices.ContainsFunc(step.Preds, func(p xpath.Pred) bool {
		return p.Kind != xpath.Not && p.Value.Kind == xpath.Attr && (p.Value.Name == "class" || p.Value.Name == "id") && p.Literal != ""
	})
}

// contentPattern gives as the pattern of a level where the contents of the objects inside its own stand, of which a page of another level
// has none: what selects an object, and inside that its content. One name alone is too little ("content"); "" for none.
func contentPattern(steps []planned) string {
	var at []xpath.Step
	for _, st := range steps {
		f := st.spot.Field
		if len(st.spot.Objects) < 2 || st.by.reading.Expr == nil || st.by.reading.Before != nil || f != nil && f.As != kb.HTML {
			continue
		}
		is := elementSteps(st.by.reading.Expr)
		if f == nil {
			at = is
			continue
		}
		is = slices.Concat(at, is)
		named := 0
		for _, step := range is {
			named += boolInt(hasName(step))
		}
		if e := (&xpath.Expr{Steps: is}); named > 1 && writable(e) {
			return e.String()
		}
	}
	return ""
}
