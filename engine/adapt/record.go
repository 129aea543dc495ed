package adapt

import (
	"cmp"
	"fmt"
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
	list   []int
	score  float64
	change *change // of the template that it stands for, or nil
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
		if len(nodes) > maxRecords || s.spent() || !s.framed(nodes, o.Nests) || s.x.nodes[nodes[0]].DataAtom == atom.Body || s.x.parent[nodes[0]] < 1 {
			return // too many, or the page itself
		}
		score := s.frame(o, nodes, ctx, anchors)
		if share, known := s.past.frames(o.Class, nodes); known {
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
		set := &recordSet{candidate: *c, list: nodes}
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
	for _, g := range all {
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

func listKey(list []int) string {
	b := make([]byte, 0, 3*len(list))
	for _, n := range list {
		b = append(b, byte(n), byte(n>>8), byte(n>>16))
	}
	return string(b)
}

// framed tells whether elements can be objects: none lies in
// another, unless objects do, and they hold some text.
func (s *session) framed(nodes []int, nests bool) bool {
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
				if r.Before != "" || len(elementSteps(r.Expr)) == 0 || r.Expr.Steps[0].Axis == xpath.Child {
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

// frame scores elements as the nodes of objects, without its name.
func (s *session) frame(o *kb.Object, nodes []int, ctx int, anchors [][][]int) float64 {
	score := 0.0
	for _, lists := range anchors {
		best := 0.0
		for _, list := range lists {
			in, hit := s.spread(list, nodes)
			// One in each and none outside; several in one are replies, or lists.
			best = max(best, float64(hit)/float64(len(nodes))*float64(in)/float64(len(list))*float64(hit)/float64(max(1, in)))
		}
		score += best
	}
	if slices.ContainsFunc(o.Fields, func(f *kb.Field) bool { return f.As == kb.Date }) {
		in, hit := s.spread(s.dateSpots(), nodes)
		share := float64(hit) / float64(len(nodes))
		score += share
		if hit > 0 && in > 4*hit { // a frame around several objects
			score -= 0.3
		}
	}
	var all, run int
	if outer := max(ctx, 0); true {
		all = s.x.running(outer)
	}
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
		score += 1.5 * float64(run) / float64(all)
	}
	if len(nodes) > 1 {
		score += 0.4
	}
	return score
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
		if src.reading.Before != "" {
			continue
		}
		c := s.relaxed(src, g, g.nodes[0], ctx, xpath.Test{}, known)
		if c == nil || best != own && c.cost.Compare(best.cost) >= 0 {
			continue
		}
		c.reading.Pick = ""
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
	best.expr = best.reading.String()
	return best
}

// named tells whether objects at the nodes of a list would have ids, each its
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

// plan is how the actions of one object, and of those inside it, are mended
// together.
type plan struct {
	records  []int
	steps    []planned
	score    float64
	margin   float64
	missing  []string // required fields that are not found
	contents string   // to tell plans apart
	inner    []int    // nodes of the objects inside
	searched int      // fields that what is known of the template does not find
}

// planned is one mended place.
type planned struct {
	spot   kb.Spot
	by     *candidate
	margin float64
}

// object plans an object whose nodes are found by what is declared or, where
// nothing is found, by the best record set. ok is false where it cannot be mended;
// needed tells that the page is nothing without it.
func (s *session) object(v *kb.Level, spots []kb.Spot, o *kb.Object, ctx int, needed, all bool) (plan, bool) {
	if len(o.At) == 0 {
		return s.fields(v, spots, o, []int{ctx}, nil, all), true
	}
	nodes := s.nodesOf(o.At, ctx)
	if len(nodes) > 0 && s.named(o, nodes, false) {
		return s.fields(v, spots, o, nodes, nil, all), true
	}
	if s.past.gone(o.Class) {
		return plan{}, false
	}
	spot := spotOf(spots, o, nil)
	var sets []*recordSet
	if len(nodes) > 0 && s.named(o, nodes, true) { // they are there, but what names them moved
		set := &recordSet{list: nodes, score: 1}
		set.expr, set.from, set.cost.Changes = spot.Tries[0].Expr.Source, spot.Tries[0].Expr.Source, 1
		sets = append(sets, set)
	}
	sets = append(sets, s.changedSets(spot, ctx)...)
	hasty := s.hasty
	s.hasty = true
	best, next, of := s.choose(v, spots, o, sets)
	if s.hasty = hasty; best == nil {
		if s.hasty {
			return plan{}, false
		}
		best, next, of = s.choose(v, spots, o, append(slices.Clone(sets[:min(len(sets), searchedSets)]), s.recordSets(spot, ctx)...))
	}
	if best == nil {
		return plan{}, false
	}
	best.margin = 3
	if next != nil {
		best.margin = best.score - next.score
	}
	enough := planEnough
	if of.change != nil && best.searched == 0 {
		enough = planChanged
	}
	if best.score < enough || best.margin < planMargin || !needed && !s.likely(o, of) {
		return plan{}, false
	}
	whole := *best
	if all {
		whole = s.fields(v, spots, o, of.list, of, true)
		whole.score, whole.margin = best.score, best.margin
	}
	at := whole.steps[0].by
	at.score, at.why = best.score, append(at.why, fmt.Sprintf("%d objects, each with an id and its fields", len(whole.records)))
	whole.steps[0].margin = best.margin
	return whole, true
}

// choose plans the fields of record sets and gives the best plan, and the next that
// reads the page differently.
func (s *session) choose(v *kb.Level, spots []kb.Spot, o *kb.Object, sets []*recordSet) (best, next *plan, of *recordSet) {
	for _, set := range sets {
		p := s.fields(v, spots, o, set.list, set, false)
		p.score += set.score
		if !s.convincing(o, &p) || set.change != nil && len(set.list) == 1 && p.searched > 0 {
			continue // one record under a guess, with fields that are guesses too
		}
		if best != nil && p.searched == 0 && best.searched == 0 { // the object, not a frame around several
			if s.encloses(p.records, best.records) {
				continue
			}
			if s.encloses(best.records, p.records) {
				best, of = &p, set
				continue
			}
		}
		switch {
		case best == nil || p.score > best.score:
			if best != nil && best.contents != p.contents {
				next = best
			}
			best, of = &p, set
		case (next == nil || p.score > next.score) && p.contents != best.contents:
			next = &p
		}
		if next != nil && s.unknown && s.same(next.records, best.records) {
			next = nil
		}
	}
	return best, next, of
}

// same tells whether the elements of a list are those of another, or some of them, or
// lie in or around one of them each: the same things, seen less well.
func (s *session) same(list, of []int) bool {
	return len(list) <= len(of) && !slices.ContainsFunc(list, func(n int) bool {
		met := 0
		for _, m := range of {
			if s.x.inside(n, m) || s.x.inside(m, n) {
				met++
			}
		}
		return met != 1
	})
}

// encloses tells whether all elements of a list lie in fewer of another.
func (s *session) encloses(outer, inner []int) bool {
	return len(outer) < len(inner) && !slices.ContainsFunc(inner, func(n int) bool {
		return !slices.ContainsFunc(outer, func(o int) bool { return s.x.inside(n, o) })
	})
}

// What a plan for lost objects must reach.
const (
	planEnough = 2.0
	// planChanged is enough where one change of the template explains the nodes and all
	// that is required of them.
	planChanged = 1.5
	planMargin  = 0.3
	planNamed   = 0.3 // how much its name must say where nothing says that it must be there
)

// likely tells whether record sets of an object that a page need not have are it:
// by a relaxation that keeps most, or by their name. Names must say it in each of
// them: lists of related articles have names and dates too.
func (s *session) likely(o *kb.Object, set *recordSet) bool {
	if !s.marked(o.Class, set.list) {
		return false
	}
	return !set.proposed && set.cost.Changes <= 1 && !set.cost.Worst || s.hint(o.Class, lastLiteral(set.reading.Expr)) > planNamed
}

// lastLiteral is what an expression's last predicate compares with.
func lastLiteral(e *xpath.Expr) string {
	preds := e.Steps[len(e.Steps)-1].Preds
	for _, p := range slices.Backward(preds) {
		if p.Literal != "" {
			return p.Literal
		}
	}
	return ""
}

// convincing tells whether lost objects would be objects: with a content and all
// that is required, which is not the same in all.
func (s *session) convincing(o *kb.Object, p *plan) bool {
	return len(p.missing) == 0
}

// spotOf finds the spot of an object's nodes, or of a field of it.
func spotOf(spots []kb.Spot, o *kb.Object, f *kb.Field) kb.Spot {
	i := slices.IndexFunc(spots, func(s kb.Spot) bool {
		return len(s.Objects) > 0 && s.Objects[len(s.Objects)-1] == o && s.Field == f && s.Total == nil && s.At == (f == nil)
	})
	return spots[i]
}

// fields plans the fields of an object at some nodes: those that are required, or
// all. set is the record set that they are from where they are not what is declared.
func (s *session) fields(v *kb.Level, spots []kb.Spot, o *kb.Object, nodes []int, set *recordSet, all bool) plan {
	p := plan{records: nodes}
	if set != nil {
		p.steps = append(p.steps, planned{spot: spotOf(spots, o, nil), by: &set.candidate})
	}
	var inner []int
	for _, in := range o.Objects {
		for _, n := range nodes[:min(1, len(nodes))] {
			if !essential(o) && (!all || s.otherFound(o, in, n)) {
				continue
			}
			if !essential(o) && set == nil && s.unbroken(spots, in) {
				inner = append(inner, s.nodesOf(in.At, n)...)
				continue
			}
			sub, ok := s.object(v, spots, in, n, essential(o), all)
			if !ok {
				if essential(o) {
					p.missing = append(p.missing, in.Class)
					return p
				}
				continue
			}
			if slices.ContainsFunc(sub.records, func(m int) bool { return slices.Contains(inner, m) }) {
				continue // what one declaration found is not another's too
			}
			inner = append(inner, sub.records...)
			p.steps = append(p.steps, sub.steps...)
			p.missing = append(p.missing, sub.missing...)
			p.score += sub.score
			p.contents += sub.contents
			p.searched += sub.searched
		}
	}
	slices.Sort(inner)
	p.inner = inner
	sc := &scope{records: spreadOut(nodes), inner: slices.Compact(inner)}
	sc.ends = s.ends(nodes, sc.records)
	if o.Nests {
		sc.inner = nodes
	}
	tk := newTaken(len(sc.records))
	work := map[*kb.Field]*candidate{}
	for _, f := range o.Fields {
		spot := spotOf(spots, o, f)
		if set == nil && s.void[spot.Place] {
			continue // no object has it
		}
		if c := s.working(f, spot.Tries, sc); c.coverage() >= 0.5 || !f.Required && c.coverage() > 0 {
			work[f] = c
			tk.add(c) // what works says what the lost ones are not
		}
	}
	for _, f := range inOrder(o.Fields, nodes[0] < 0) {
		spot := spotOf(spots, o, f)
		if !f.Required && (!all || set == nil && s.faulted != nil && !s.faulted[spot.Place]) {
			continue
		}
		if f.Unless != nil && len(s.r.Select(f.Unless, s.node(sc.records[0]))) > 0 {
			continue
		}
		if c := work[f]; c != nil {
			p.score += c.coverage()
			if f.Name == "content" {
				p.contents += c.values[0]
			}
			continue
		}
		if set != nil && set.change != nil {
			if c := s.underChange(set.change, spot, sc, tk); c != nil {
				tk.add(c)
				p.score += c.coverage()
				p.steps = append(p.steps, planned{spot, c, 1})
				if f.Name == "content" {
					p.contents += c.values[0]
				}
				continue
			}
		}
		p.searched++
		if s.hasty {
			if f.Required {
				p.missing = append(p.missing, o.Class+" "+f.Name)
			}
			continue
		}
		found := s.field(spot, sc, tk)
		if found.why != "" {
			if f.Required {
				p.missing = append(p.missing, o.Class+" "+f.Name+": "+found.why)
				p.score--
			}
			continue
		}
		tk.add(found.best)
		p.score += min(found.best.score, 4) / 4
		p.steps = append(p.steps, planned{spot, found.best, found.margin})
		if f.Name == "content" {
			p.contents += found.best.values[0]
		}
	}
	return p
}

// unbroken tells whether no fault is about an object or what is in it.
func (s *session) unbroken(spots []kb.Spot, o *kb.Object) bool {
	return s.faulted != nil && !slices.ContainsFunc(spots, func(spot kb.Spot) bool {
		return slices.Contains(spot.Objects, o) && s.faulted[spot.Place]
	})
}

// otherFound tells whether another declaration of the same class finds its nodes,
// and this one does not: comments need not be pingbacks too.
func (s *session) otherFound(o, in *kb.Object, ctx int) bool {
	if len(s.nodesOf(in.At, ctx)) > 0 {
		return false
	}
	return slices.ContainsFunc(o.Objects, func(other *kb.Object) bool {
		return other != in && other.Class == in.Class && len(s.nodesOf(other.At, ctx)) > 0
	})
}

// essential tells whether what an object is about lies in the objects inside it:
// a thread without posts is nothing, a post without comments is a post.
func essential(o *kb.Object) bool {
	return !slices.ContainsFunc(o.Fields, func(f *kb.Field) bool { return f.As == kb.HTML })
}

// spreadOut picks records for a closer look, over the whole page.
func spreadOut(nodes []int) []int {
	const most = 12
	if len(nodes) <= most {
		return nodes
	}
	out := make([]int, 0, most)
	for i := range most {
		out = append(out, nodes[i*(len(nodes)-1)/(most-1)])
	}
	return out
}

// inOrder puts the fields that others are told apart by first: in repeating
// objects date and name, on a whole page title and content.
func inOrder(fields []*kb.Field, page bool) []*kb.Field {
	rank := func(f *kb.Field) int {
		switch {
		case page && f.Name == "title":
			return -2
		case page && f.As == kb.HTML:
			return -1
		case f.As == kb.HTML:
			return 4
		case f.As == kb.Date:
			return 0
		case f.Name == "creator" || f.Name == "name":
			return 1
		case f.Name == "title":
			return 2
		}
		return 3
	}
	out := slices.Clone(fields)
	slices.SortStableFunc(out, func(a, b *kb.Field) int {
		return cmp.Or(boolInt(b.Required)-boolInt(a.Required), rank(a)-rank(b))
	})
	return out
}

func boolInt(b bool) int {
	if b {
		return 1
	}
	return 0
}
