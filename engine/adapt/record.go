package adapt

import (
	"slices"
	"sort"

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
	change  *change // of the template that it stands for, or nil
	outline outline
}

// outline is what speaks for elements as the nodes of objects, from 0 to 1 but for anchors, which is the sum over the fields
// that still work.
type outline struct {
	anchors float64 // lie one in each of them and none outside
	dated   float64 // hold a date
	crowded bool    // hold many: a frame around several objects
	running float64 // the share of the running text that they hold
	several bool
}

// score sums an outline up, to look closely at the best.
func (f outline) score() float64 {
	score := f.anchors + f.dated + 1.5*f.running
	if f.crowded {
		score -= 0.3
	}
	if f.several {
		score += 0.4
	}
	return score
}

// What is asked of record sets.
const (
	maxRecords = 500 // of one object on a page
	finalists  = 6   // record sets that are looked at closely
	// searchedSets are those of them that a change of the template explains in part.
	searchedSets = 3
)

// recordSets lists what could be the nodes of an object inside ctx, the most
// likely first. What speaks for a set: fields that still work lie inside its
// elements, one in each, and not outside; each element holds a date; together they
// hold the text of the page; their names are like those that were.
func (s *session) recordSets(spot kb.Spot, ctx int) []*recordSet {
	o := spot.Objects[len(spot.Objects)-1]
	known := s.lex.known(s.category, purpose(spot))
	sources := s.sources(spot)
	anchors := s.anchors(o, ctx)
	var sets []*recordSet
	byList := map[string]*recordSet{}
	all := s.allGroups()
	if ctx >= 0 {
		all = s.groups([]int{ctx}, nil)
	}
	add := func(nodes []int, name string, write func() *candidate) {
		if len(nodes) > maxRecords || s.spent() || s.holdsText(spot, nodes) || !s.separate(nodes, o.Nests) ||
			s.x.nodes[nodes[0]].DataAtom == atom.Body || s.x.parent[nodes[0]] < 1 {
			return // too many, or the page itself
		}
		is := s.outline(o, nodes, ctx, anchors)
		score := is.score()
		if share, known := s.past.hold(o.Class, nodes); known {
			score += 4 * (share - 0.5)
		}
		if score < 0.8 {
			return
		}
		c := write()
		s.tried++
		if c == nil {
			return
		}
		if len(nodes) == 1 && len(spot.Objects) > 1 && c.cost.Worst {
			return // what is there once may be any frame: a page with several will tell
		}
		set := &recordSet{candidate: *c, list: nodes, outline: is}
		set.score = score - s.far(c.cost)
		set.score += s.hint(o.Class, name)
		key := listKey(nodes)
		if same := byList[key]; same != nil {
			if set.score > same.score {
				*same = *set
			}
			return
		}
		byList[key] = set
		sets = append(sets, set)
	}
	for _, g := range slices.Concat(s.mixed(all), all) {
		add(g.nodes, g.cond.Literal, func() *candidate { return s.recordExpr(g, ctx, sources, known) })
	}
	from := ""
	if len(sources) > 0 {
		from = sources[0].from
	}
	for _, h := range s.holders(o, ctx, from) {
		add(h.list, "", func() *candidate { return &h.candidate })
	}
	sort.SliceStable(sets, func(a, b int) bool { return sets[a].score > sets[b].score })
	for _, anyway := range []bool{false, true} { // the number elsewhere only where no set has it in its place
		var out []*recordSet
		for _, set := range sets {
			if len(out) > 0 && len(out[0].list) > 1 && len(set.list) == 1 {
				continue // a frame around those
			}
			if len(out) < finalists && s.named(o, set.list, anyway) {
				out = append(out, set)
			}
		}
		if len(out) > 0 {
			return out
		}
	}
	return nil
}

// mixed joins groups of elements that are numbered alike and have several tags: the
// first post of a page is an article, and the others are none.
func (s *session) mixed(all []*group) []*group {
	byCond := map[xpath.Pred]*group{}
	several := map[xpath.Pred]bool{}
	var order []xpath.Pred
	for _, g := range all {
		if g.cond.Kind != xpath.StartsWith || g.cond.Value.Name != "id" {
			continue
		}
		if m := byCond[g.cond]; m != nil {
			m.nodes = append(m.nodes, g.nodes...)
			several[g.cond] = true
			continue
		}
		byCond[g.cond] = &group{tag: anyTag, cond: g.cond, nodes: slices.Clone(g.nodes)}
		order = append(order, g.cond)
	}
	var out []*group
	for _, c := range order {
		if several[c] {
			slices.Sort(byCond[c].nodes)
			out = append(out, byCond[c])
		}
	}
	return out
}

func listKey(list []int) string {
	b := make([]byte, 0, 3*len(list))
	for _, n := range list {
		b = append(b, byte(n), byte(n>>8), byte(n>>16))
	}
	return string(b)
}

// separate reports whether elements can be objects: none lies in
// another, unless objects do, and they hold some text.
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

// anchors gives for each field of an object where its actions still find
// something below ctx, by expression.
func (s *session) anchors(o *kb.Object, ctx int) [][][]int {
	var out [][][]int
	for _, f := range o.Fields {
		var lists [][]int
		for _, t := range f.Tries {
			for _, r := range s.lex.read(t.Expr) {
				if r.Before != nil || len(elementSteps(r.Expr)) == 0 || r.Expr.Steps[0].Axis == xpath.Child {
					continue
				}
				if list := s.x.selectIn(r.Expr, ctx); len(list) > 0 && len(list) <= 2*maxRecords && len(lists) < 3 {
					lists = append(lists, list)
				}
			}
		}
		if len(lists) > 0 {
			out = append(out, lists)
		}
	}
	return out
}

// outline reads what speaks for elements as the nodes of objects, without their name.
func (s *session) outline(o *kb.Object, nodes []int, ctx int, anchors [][][]int) (is outline) {
	for _, lists := range anchors {
		best := 0.0
		for _, list := range lists {
			in, hit := s.spread(list, nodes)
			// One in each and none outside; several in one are replies, or lists.
			best = max(best, float64(hit)/float64(len(nodes))*float64(in)/float64(len(list))*float64(hit)/float64(max(1, in)))
		}
		is.anchors += best
	}
	if slices.ContainsFunc(o.Fields, func(f *kb.Field) bool { return f.As == kb.Date }) {
		in, hit := s.spread(s.dateSpots(), nodes)
		is.dated = float64(hit) / float64(len(nodes))
		is.crowded = hit > 0 && in > 4*hit
	}
	all, run := s.x.running(max(ctx, 0)), 0
	ends := s.ends(nodes, nodes)
	for i, n := range nodes {
		switch {
		case ends != nil:
			run += s.x.runEnd[ends[i]-1] - s.x.run[n]
		case i == 0 || n >= s.x.end[nodes[i-1]]:
			run += s.x.running(n)
		}
	}
	if all > 0 {
		is.running = float64(run) / float64(all)
	}
	is.several = len(nodes) > 1
	return is
}

// spread counts the nodes of a list that lie in some element of another, and the
// elements with at least one.
func (s *session) spread(list, records []int) (in, hit int) {
	i := 0
	for _, rec := range records {
		for i < len(list) && list[i] < rec {
			i++
		}
		got := false
		for j := i; j < len(list) && list[j] < s.x.end[rec]; j++ {
			in++
			got = true
			i = j + 1
		}
		if got {
			hit++
		}
	}
	return in, hit
}

// recordExpr writes a group as the nearest relaxation that selects just it; nil where
// no expression does.
func (s *session) recordExpr(g *group, ctx int, sources []source, known func(xpath.Pred) bool) *candidate {
	own := &candidate{proposed: true, reading: relax.Reading{Expr: g.expr()}}
	own.cost.Worst, own.cost.Changes = true, 3
	if len(sources) > 0 {
		own.from = sources[0].from
	}
	best := own
	for _, src := range sources {
		if src.reading.Before != nil {
			continue
		}
		c := s.relaxed(src, g, g.nodes[0], ctx, xpath.Test{}, known)
		if c == nil || best != own && c.cost.Compare(best.cost) >= 0 {
			continue
		}
		c.reading.Pick = xpath.Pred{}
		if slices.Equal(s.x.selectIn(c.reading.Expr, ctx), g.nodes) {
			best = c
		} else if own.from == src.from || c.cost.Compare(own.cost) < 0 {
			own.cost, own.from = c.cost, c.from
			own.cost.Changes++
			own.cost.Worst = true
		}
	}
	if best == own && !slices.Equal(s.x.selectIn(own.reading.Expr, ctx), g.nodes) {
		return nil
	}
	best.expr = best.reading.Tree()
	return best
}

// far is what a record set loses for how far it is from what is written.
func (s *session) far(c relax.Cost) float64 {
	if s.unknown {
		return s.farness(c) / 4 // hardly anything: another template made the page
	}
	return s.farness(c)
}

// named reports whether objects at the nodes of a list would have ids, each its
// own. A learned expression finds them by other means too.
func (s *session) named(o *kb.Object, list []int, learned bool) bool {
	name := s.r.ID
	if learned {
		name = s.r.IDAnyway
	}
	const most = 6
	step := max(1, len(list)/most)
	ids := map[string]bool{}
	n := 0
	for i := 0; i < len(list) && n < most; i += step {
		n++
		if id := name(o, s.x.nodes[list[i]], "http://outer.example/"); id != "" {
			ids[id] = true
		}
	}
	return len(ids) > 0 && 10*len(ids) >= 9*n
}
