package adapt

import (
	"cmp"
	"slices"

	"golang.org/x/net/html/atom"

	"github.com/awarc/awarc/kb"
	"github.com/awarc/awarc/relax"
	"github.com/awarc/awarc/yfilter/xpath"
)

// recordSet is elements that could be the nodes of an object.
type recordSet struct {
	candidate
	list    []int
	score   float64
	held    float64 // see [index.held]
	dated   float64 // the share that hold a date
	crowded bool    // hold many: a frame around several objects
}

// What is asked of record sets.
const (
	maxRecords = 500 // of one object on a page
	finalists  = 6   // record sets that are looked at closely
	leastScore = 0.8 // of those that no change of a name explains
)

// recordSets lists what could be the nodes of an object inside ctx, the most likely first.
func (s *session) recordSets(spot kb.Spot, ctx int) []*recordSet {
	o := spot.Objects[len(spot.Objects)-1]
	known, sources := s.lex.known(s.category, purpose(spot)), s.sources(spot)
	anchors := s.anchors(o, ctx)
	var sets []*recordSet
	add := func(set *recordSet, c *candidate, name string) {
		s.tried++
		if c == nil || len(set.list) == 1 && len(spot.Objects) > 1 && c.cost.Worst {
			return // what is there once may be any frame: a page with several will tell
		}
		far := s.farness(c.cost)
		if s.unknown {
			far /= 4 // hardly anything: another template made the page
		}
		set.candidate = *c
		set.score += s.hint(o.Class, name) - far
		sets = append(sets, set)
	}
	groups := s.allGroups()
	if ctx >= 0 {
		groups = s.groups([]int{ctx}, nil)
	}
	for _, g := range groups {
		if set := s.recordSet(o, g.nodes, ctx, anchors); set != nil && set.score >= leastScore {
			add(set, s.recordExpr(g, ctx, sources, known), g.cond.Literal)
		}
	}
	from := ""
	if len(sources) > 0 {
		from = sources[0].from
	}
	for _, h := range s.holders(o, ctx, from) {
		if set := s.recordSet(o, h.list, ctx, anchors); set != nil && set.score >= leastScore {
			add(set, &h.candidate, "")
		}
	}
	slices.SortStableFunc(sets, func(a, b *recordSet) int { return cmp.Compare(b.score, a.score) })
	for _, anyway := range []bool{false, true} { // the number elsewhere only where no set has it in its place
		if out := s.finalists(o, sets, anyway); len(out) > 0 {
			return out
		}
	}
	return nil
}

// finalists are the best record sets whose objects would have ids.
func (s *session) finalists(o *kb.Object, sets []*recordSet, anyway bool) (out []*recordSet) {
	for _, set := range sets {
		if len(out) == finalists {
			break
		}
		frame := len(out) > 0 && len(out[0].list) > 1 && len(set.list) == 1
		again := slices.ContainsFunc(out, func(is *recordSet) bool { return slices.Equal(is.list, set.list) })
		if !frame && !again && s.named(o, set.list, anyway) {
			out = append(out, set)
		}
	}
	return out
}

// recordSet scores elements as the nodes of an object, without their names; nil where they can hardly be. What speaks for them: each holds
// a date; together they hold the text of the page.
func (s *session) recordSet(o *kb.Object, nodes []int, ctx int, anchors [][][]int) *recordSet {
	if len(nodes) > maxRecords || s.spent() || !s.separate(nodes, o.Nests) || s.x.nodes[nodes[0]].DataAtom == atom.Body ||
		s.x.parent[nodes[0]] < 1 {
		return nil // too many, or the page itself
	}
	set := &recordSet{list: nodes}
	if slices.ContainsFunc(o.Fields, func(f *kb.Field) bool { return f.As == kb.Date }) {
		in, hit := s.x.spread(s.dateSpots(), nodes)
		set.dated, set.crowded = float64(hit)/float64(len(nodes)), hit > 0 && in > 4*hit
	}
	run, ends := 0, s.ends(nodes)
	for i, n := range nodes {
		switch {
		case ends != nil:
			run += s.x.runEnd[ends[i]-1] - s.x.run[n]
		case i == 0 || n >= s.x.end[nodes[i-1]]:
			run += s.x.running(n)
		}
	}
	set.held = s.x.held(anchors, nodes)
	set.score = set.dated + 1.5*float64(run)/float64(max(1, s.x.running(max(ctx, 0))))
	if set.crowded {
		set.score -= 0.3
	}
	if len(nodes) > 1 {
		set.score += 0.4
	}
	if share, known := s.past.hold(o.Class, nodes); known {
		set.score += 4 * (share - 0.5)
	}
	return set
}

// anchors gives for each field of an object where its actions still find something inside ctx, by action.
func (s *session) anchors(o *kb.Object, ctx int) (out [][][]int) {
	for _, f := range o.Fields {
		var lists [][]int
		for _, t := range f.Tries {
			for _, r := range s.lex.read(t.Expr) {
				if r.Before != nil || len(elementSteps(r.Expr)) == 0 || r.Expr.Steps[0].Axis == xpath.Child {
					continue
				}
				if list := s.x.selectIn(r.Expr, ctx); len(list) > 0 && len(list) <= 2*maxRecords {
					lists = append(lists, list)
				}
			}
		}
		out = append(out, lists)
	}
	return out
}

// held counts the fields that lie in elements, of those that are still found: one in each and none outside is 1; several in one are
// replies, or lists.
func (x *index) held(anchors [][][]int, nodes []int) (all float64) {
	for _, lists := range anchors {
		best := 0.0
		for _, list := range lists {
			_, hit := x.spread(list, nodes)
			best = max(best, float64(hit*hit)/float64(len(list)*len(nodes)))
		}
		all += best
	}
	return all
}

// spread counts the elements of a list that lie in some of others, and of those how many hold some.
func (x *index) spread(list, others []int) (in, hit int) {
	for _, n := range others {
		first, _ := slices.BinarySearch(list, n)
		end, _ := slices.BinarySearch(list, x.end[n])
		if in += end - first; end > first {
			hit++
		}
	}
	return in, hit
}

// separate reports whether elements can be objects: none lies in another, unless objects do, and they hold some text.
func (s *session) separate(nodes []int, nests bool) bool {
	text := 0
	for i, n := range nodes {
		if i > 0 && !nests && n < s.x.end[nodes[i-1]] {
			return false
		}
		text += s.x.length(n)
	}
	return text >= 15*len(nodes) && !unread(s.x.nodes[nodes[0]])
}

// recordExpr writes a group as the nearest relaxation that selects just it; nil where no expression does.
func (s *session) recordExpr(g *group, ctx int, sources []source, known func(xpath.Pred) bool) *candidate {
	selects := func(c *candidate) bool { return slices.Equal(s.x.selectIn(c.reading.Expr, ctx), g.nodes) }
	var best, near *candidate
	for _, src := range sources {
		if src.reading.Before != nil {
			continue
		}
		c := s.relaxed(src, g.nodes[0], ctx, xpath.Test{}, known)
		if c == nil || best != nil && c.cost.Compare(best.cost) >= 0 {
			continue
		}
		c.reading.Pick = xpath.Pred{}
		if selects(c) {
			best = c
		} else if near == nil || c.cost.Compare(near.cost) < 0 {
			near = c
		}
	}
	if best == nil {
		if best = proposal(relax.Reading{Expr: g.expr()}, near); !selects(best) {
			return nil
		}
		if near == nil && len(sources) > 0 {
			best.from = sources[0].from
		}
	}
	best.expr = best.reading.Tree()
	return best
}

// named reports whether objects at the nodes of a list would have ids, each its own. A learned expression finds them by other means too.
func (s *session) named(o *kb.Object, list []int, learned bool) bool {
	name := s.r.ID
	if learned {
		name = s.r.IDAnyway
	}
	list = spreadOut(list, 6)
	ids := map[string]bool{}
	for _, n := range list {
		if id := name(o, s.x.nodes[n], "http://outer.example/"); id != "" {
			ids[id] = true
		}
	}
	return len(ids) > 0 && 10*len(ids) >= 9*len(list)
}
