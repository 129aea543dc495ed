package adapt

import (
	"regexp"
	"slices"

	"golang.org/x/net/html/atom"

	"github.com/awarc/awarc/engine/dates"
	"github.com/awarc/awarc/kb"
	"github.com/awarc/awarc/relax"
	"github.com/awarc/awarc/yfilter/xpath"
)

// gathered are candidates, each once.
type gathered struct {
	list []*candidate
	seen map[string]bool
}

func (g *gathered) add(c *candidate) {
	if c == nil {
		return
	}
	key := c.written()
	if c.match != nil {
		key += "\x00" + c.match.String()
	}
	if !g.seen[key] {
		g.seen[key] = true
		g.list = append(g.list, c)
	}
}

// candidates lists expressions for a field: for each group of elements in the records that could be it, the cheapest relaxation that
// selects it, and the group itself. They leave half of the work for judging.
func (s *session) candidates(spot kb.Spot, sc *scope) []*candidate {
	f := spot.Field
	most := s.x.work + (s.most-s.x.work)/2
	known := s.lex.known(s.category, purpose(spot))
	sources := s.sources(spot)
	out := &gathered{seen: map[string]bool{}}
	if f.Name == "title" && f.Required && page(sc) {
		for _, c := range s.windowTitles() {
			out.add(c)
		}
	}
	befores := []*xpath.Path{nil}
	if sc.ends != nil {
		befores = append(befores, nextRow)
	}
	for _, before := range befores {
		var contexts []int // of some records
		for _, rec := range spreadOut(sc.records, 6) {
			if ctx, ok := s.x.context(rec, before); ok {
				contexts = append(contexts, ctx)
			}
		}
		slices.Sort(contexts)
		for _, g := range s.groups(contexts, sc.inner) {
			if s.x.work >= most {
				return out.list
			}
			if 2*g.in < len(contexts) || !s.possible(f, g) {
				continue
			}
			for _, n := range g.typical(s.x, contexts) {
				ctx := contextOf(s.x, n, contexts)
				for _, to := range s.targets(f, sources, n) {
					best := s.nearest(sources, before, n, ctx, to, known)
					for _, c := range []*candidate{best, s.proposed(f, g, n, ctx, before, to, best)} {
						if c != nil && f.As == kb.Date {
							s.asDate(c, n, to, out)
						}
						out.add(c)
					}
					if f.As == kb.HTML && before == nil && len(sc.records) > 1 {
						out.add(s.placed(g, n, ctx, best))
					}
					if f.As == kb.HTML && g.several(s.x) { // paragraphs of a content without an element of its own
						out.add(proposal(relax.Reading{Before: before, Expr: g.expr()}, best))
					}
				}
			}
		}
	}
	return out.list
}

// asDate notes how surely what a candidate finds at an element is a date, how that is cut out, and adds it cut in other ways.
func (s *session) asDate(c *candidate, n int, to xpath.Test, out *gathered) {
	raw := s.raw(n, to)
	c.early = earliness(raw)
	if c.match = s.dateCut(raw, c.match); c.match == nil && s.speaksOfDate(n) {
		if m := dateAmong(raw); m != nil {
			d := *c
			d.match = m
			out.add(&d)
		}
	}
}

// windowCuts take one part out of the title of a window: what stands before the last sign, before the first one, after it, or after a
// label.
var windowCuts = []*kb.Regexp{
	{Regexp: regexp.MustCompile(`^(.+)` + titleSign)},
	{Regexp: regexp.MustCompile(`^(.+?)` + titleSign)},
	{Regexp: regexp.MustCompile(`^.+?` + titleSign + `(.+)$`)},
	{Regexp: regexp.MustCompile(`^[^:]+:\s(.+)$`)},
}

// windowTitles proposes the title of the window, and parts of it: the rest is the name of the site, mostly.
func (s *session) windowTitles() []*candidate {
	e, err := kb.NewExpr("title")
	if err != nil || len(s.x.tags["title"]) == 0 {
		return nil
	}
	var out []*candidate
	for _, cut := range append([]*kb.Regexp{nil}, windowCuts...) {
		out = append(out, trial(e, cut, 1))
	}
	return out
}

// exact is the earliness of a moment written for programs.
const exact = 2

// earliness ranks texts by how surely they are dates: moments written for programs, then dates alone, then what has one in it.
func earliness(raw string) int {
	switch {
	case dates.ForPrograms(raw):
		return exact
	case dates.Like(raw):
		return 1
	}
	return 0
}

// typical gives the elements of a group that relaxations are made towards: the first of the first record and, where it has several, the
// last.
func (g *group) typical(x *index, contexts []int) []int {
	first, last := g.nodes[0], g.nodes[0]
	ctx := contextOf(x, first, contexts)
	for _, n := range g.nodes {
		if x.inside(n, ctx) {
			last = n
		}
	}
	return slices.Compact([]int{first, last})
}

// nearest gives the cheapest relaxation of some sources that selects a node; nil for none.
func (s *session) nearest(sources []source, before *xpath.Path, n, ctx int, to xpath.Test, known func(xpath.Pred) bool) (best *candidate) {
	for _, src := range sources {
		if !samePath(src.reading.Before, before) {
			continue
		}
		if c := s.relaxed(src, n, ctx, to, known); c != nil && (best == nil || c.cost.Compare(best.cost) < 0) {
			best = c
		}
	}
	return best
}

// samePath reports whether two paths, or none, are written alike.
func samePath(a, b *xpath.Path) bool {
	return a == b || a != nil && b != nil && a.String() == b.String()
}

// selectsFirst reports whether a reading selects a node before any other.
func (s *session) selectsFirst(r relax.Reading, n, ctx int) bool {
	if r.Pick == (xpath.Pred{}) || r.Pick == relax.First {
		for first := range s.x.selecting(r.Expr, ctx) {
			return first == n
		}
		return false
	}
	list := pick(s.x.selectIn(r.Expr, ctx), r.Pick)
	return len(list) > 0 && list[0] == n
}

// proposed writes a group as an expression of its own, with what is around it where that is needed to select a node first.
func (s *session) proposed(f *kb.Field, g *group, n, ctx int, before *xpath.Path, to xpath.Test, nearest *candidate) *candidate {
	r := relax.Reading{Before: before, Expr: g.expr()}
	if f.As == kb.HTML {
		r.Pick = relax.First
	}
	if frame := s.frame(n, ctx); frame != nil && !s.selectsFirst(r, n, ctx) {
		r.Expr = &xpath.Expr{Steps: append(frame, r.Expr.Steps[len(r.Expr.Steps)-1])}
	}
	if to != (xpath.Test{}) {
		r.Expr = &xpath.Expr{Steps: append(slices.Clone(r.Expr.Steps), xpath.Step{Axis: xpath.Child, Test: to})}
	}
	return proposal(r, nearest)
}

// placed proposes a group as it stands in the next element around it that has a name: elsewhere in some objects may be others like it.
func (s *session) placed(g *group, n, ctx int, nearest *candidate) *candidate {
	frame := s.frame(n, ctx)
	if frame == nil || g.cond == (xpath.Pred{}) {
		return nil
	}
	return proposal(relax.Reading{Expr: &xpath.Expr{Steps: append(frame, g.expr().Steps...)}, Pick: relax.First}, nearest)
}

// frame is the next element around another that has a name, as a step; nil for none.
func (s *session) frame(n, ctx int) []xpath.Step {
	for up := s.x.parent[n]; up > ctx; up = s.x.parent[up] {
		if conds := s.x.conditions(up); len(conds) > 0 {
			return []xpath.Step{{Test: xpath.Test{Kind: xpath.AnyTag}, Preds: conds[:1]}}
		}
	}
	return nil
}

// several reports whether a group has elements side by side, as paragraphs are.
func (g *group) several(x *index) bool {
	for i := 1; i < len(g.nodes); i++ {
		if x.parent[g.nodes[i]] == x.parent[g.nodes[i-1]] {
			return true
		}
	}
	return false
}

// contextOf is the innermost of some contexts around an element.
func contextOf(x *index, n int, contexts []int) int {
	for _, c := range slices.Backward(contexts) {
		if c >= 0 && c < n && x.inside(n, c) {
			return c
		}
	}
	return -1
}

// possible reports whether a group could be a field at all.
func (s *session) possible(f *kb.Field, g *group) bool {
	n := g.nodes[0]
	node := s.x.nodes[n]
	if unread(node) && node.DataAtom != atom.Head || node.DataAtom == atom.Body || node.DataAtom == atom.Html || node.DataAtom == atom.Br {
		return false
	}
	some := g.nodes[:min(4, len(g.nodes))]
	switch length := s.x.length(n); {
	case f.As == kb.HTML:
		return slices.ContainsFunc(some, func(n int) bool { return s.x.length(n) > 0 })
	case f.As == kb.Date:
		return slices.ContainsFunc(some, func(n int) bool { return len(s.dateTargets(n)) > 0 })
	case f.Name == "creator" || f.Name == "name":
		return length > 0 && length <= 2*maxName
	default:
		return length > 0 && length <= 400
	}
}

// targets lists what of an element could be a field: itself, its text, or an attribute. Of texts the
// attributes are those that the field's expressions end in.
func (s *session) targets(f *kb.Field, sources []source, n int) []xpath.Test {
	if f.As == kb.Date {
		return s.dateTargets(n)
	}
	out := []xpath.Test{{}}
	if f.Name == "title" && s.crowded(n) {
		out = append(out, xpath.Test{Kind: xpath.Text})
	}
	for _, src := range sources {
		to := target(src.reading.Expr)
		if v, has := s.x.attr(n, to.Name); to.Kind == xpath.Attr && has && v != "" && !slices.Contains(out, to) {
			out = append(out, to)
		}
	}
	return out
}

// crowded reports whether an element has a title as its first text and more in it: the buttons that stand beside a heading.
func (s *session) crowded(n int) bool {
	texts := parts(s.x.nodes[n], xpath.Test{Kind: xpath.Text})
	if len(texts) == 0 {
		return false
	}
	first := texts[0].Node
	return first.NextSibling != nil && s.inTitle(first.Data) && !s.inTitle(s.x.read(s.x.nodes[n]))
}

// dateTargets lists what of an element may be a date.
func (s *session) dateTargets(n int) (out []xpath.Test) {
	node := s.x.nodes[n]
	for _, a := range node.Attr {
		switch a.Key {
		case "id", "class", "href", "src", "style", "width", "height":
			continue
		}
		if s.dateLike(a.Val) {
			out = append(out, xpath.Test{Kind: xpath.Attr, Name: a.Key})
		}
	}
	if s.x.length(n) <= dates.LongestLike && s.x.length(n) > 0 && s.dateLike(s.x.read(node)) {
		out = append(out, xpath.Test{})
	}
	if node.FirstChild != node.LastChild && s.speaksOfDate(n) {
		out = append(out, xpath.Test{Kind: xpath.Text})
	}
	return out
}
