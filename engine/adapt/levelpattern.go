package adapt

import (
	"cmp"
	"slices"

	"github.com/awarc/awarc/kb"
	"github.com/awarc/awarc/relax"
	"github.com/awarc/awarc/yfilter/xpath"
)

// patterns gives the nearest relaxations of a level's patterns, each to the element
// of the page that is nearest; only to elements that lie around, on or in one of
// the given ones, where there are some.
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

// asks reports whether an expression asks for more than tags. That something is not there
// says nothing.
func asks(e *xpath.Expr) bool {
	return slices.ContainsFunc(e.Steps, func(s xpath.Step) bool {
		return slices.ContainsFunc(s.Preds, func(p xpath.Pred) bool { return p.Kind != xpath.Not })
	})
}

// ofURL reports whether a pattern is about the address or the answer: no template
// changes those.
func ofURL(e *xpath.Expr) bool {
	name := e.Steps[0].Test.Name
	return name == "url" || name == "http" || name == "page"
}

// pattern chooses the pattern to learn for a level: of a list its links, else the
// nearest relaxation of one of its own that is fulfilled by the nodes of its objects
// or what is around or in them.
func (s *session) pattern(l *levelPlan, o Options) (kb.Entry, bool) {
	s.most = max(s.most, s.x.work) + s.most/5 // what was found is lost without a pattern
	if s.own.level == l.v.ID {
		is := ""
		if s.own.form != nil {
			is = s.addressPattern(s.own)
		}
		if ofArticle(s.page.Type) == l.v.ID { // texts of other levels may have dates too
			is = cmp.Or(is, s.statedPattern())
		}
		if is = cmp.Or(is, s.shapePattern(l.v)); is != "" {
			return kb.Entry{
				Place: kb.Place{Type: l.v.Type, Level: l.v.ID, Variant: l.v.Variant, Part: kb.PartDetect}, Expr: is,
				Provenance: kb.Provenance{From: l.v.Detect[0].Expr.String(), Cost: 1, Site: o.site(s.page), Pages: 1, Confidence: 0.9,
					Evidence: "such addresses are of pages of the level"},
			}, true
		}
	}
	if l.v.Kind == kb.Intermediate {
		is, ok := s.listPattern(l.v)
		if !ok {
			is = s.rootPattern(l.v)
			ok = is != ""
		}
		return kb.Entry{
			Place: kb.Place{Type: l.v.Type, Level: l.v.ID, Variant: l.v.Variant, Part: kb.PartDetect}, Expr: is,
			Provenance: kb.Provenance{From: l.v.Detect[0].Expr.String(), Cost: 1, Site: o.site(s.page), Pages: 1, Confidence: 0.7,
				Evidence: "its links are there"},
		}, ok
	}
	near := l.records[:min(1, len(l.records))]
	if len(near) == 1 && near[0] < 0 {
		near = nil
	}
	if is, was, cost, ok := s.changedPattern(l.v); ok {
		return kb.Entry{
			Place: kb.Place{Type: l.v.Type, Level: l.v.ID, Variant: l.v.Variant, Part: kb.PartDetect}, Expr: is,
			Provenance: kb.Provenance{From: was, Cost: cost.Changes, Site: s.patternSite(l.v, o.site(s.page)), Pages: 1, Confidence: 0.7,
				Evidence: "its actions make sense of the page"},
		}, true
	}
	for _, r := range s.patterns(l.v, near) {
		e := kb.Entry{
			Place: kb.Place{Type: l.v.Type, Level: l.v.ID, Variant: l.v.Variant, Part: kb.PartDetect}, Expr: r.Expr.String(),
			Provenance: kb.Provenance{From: l.v.Detect[0].Expr.String(), Cost: r.Cost.Changes, Site: s.patternSite(l.v, o.site(s.page)),
				Pages: 1, Confidence: 0.7, Evidence: "its actions make sense of the page"},
		}
		return e, true
	}
	if is := contentPattern(l.steps); is != "" {
		return kb.Entry{
			Place: kb.Place{Type: l.v.Type, Level: l.v.ID, Variant: l.v.Variant, Part: kb.PartDetect}, Expr: is,
			Provenance: kb.Provenance{From: l.v.Detect[0].Expr.String(), Cost: 1, Site: s.patternSite(l.v, o.site(s.page)), Pages: 1,
				Confidence: 0.7, Evidence: "its contents are there"},
		}, true
	}
	return kb.Entry{}, false
}

// listPattern gives as the pattern of a list the links that lead down from it: where
// it fires they are there, so that no page is taken for a list and leads nowhere. They
// must have a name of their own: links to topics are on many pages.
func (s *session) listPattern(v *kb.Level) (expr string, ok bool) {
	for _, spot := range v.Spots() {
		f := spot.Follow
		if f == nil || f.Paging || f.Optional || !down(s.page.Type, v.ID, f.To) {
			continue
		}
		var named []*xpath.Expr
		for _, src := range s.sources(spot) {
			if steps := elementSteps(src.reading.Expr); src.reading.Before == nil && src.reading.Pick == (xpath.Pred{}) &&
				slices.ContainsFunc(steps, hasName) {
				named = append(named, &xpath.Expr{Steps: steps})
			}
		}
		if e := s.listNames[spot.Place]; e != nil {
			named = append(named, e)
		}
		for _, e := range named {
			if writable(e) && len(s.x.selectIn(e, -1)) >= fewestTopics {
				return e.String(), true
			}
		}
	}
	return "", false
}

// hasName reports whether a step asks for a class or an id.
// writable reports whether an expression that was read off a page can be a pattern.
func writable(e *xpath.Expr) bool {
	tree := e.Tree()
	_, ok := xpath.Fragment(tree)
	return ok && xpath.Check(tree) == nil
}

func hasName(step xpath.Step) bool {
	return slices.ContainsFunc(step.Preds, func(p xpath.Pred) bool {
		return p.Kind != xpath.Not && p.Value.Kind == xpath.Attr && (p.Value.Name == "class" || p.Value.Name == "id") && p.Literal != ""
	})
}
