package adapt

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/awarc/awarc/kb"
	"github.com/awarc/awarc/yfilter/xpath"
)

// plan is how the actions of one object, and of those inside it, are mended
// together.
type plan struct {
	records  []int
	steps    []planned
	score    float64
	missing  []Left     // required fields that are not found
	contents string     // to tell plans apart
	inner    []int      // nodes of the objects inside
	searched int        // fields that what is known of the template does not find
	set      *recordSet // that the records are from, or nil
	text     *candidate // for their content, or nil
	weakest  float64    // of the fields, how sure the least sure is
	filled   float64    // fields that are found, each as far as the objects have it
}

// planned is one mended place.
type planned struct {
	spot kb.Spot
	by   *candidate
}

// object plans an object whose nodes are found by what is declared or, where
// nothing is found, by the best record set. ok is false where it cannot be mended, and why is what is missing;
// needed tells that the page is nothing without it.
func (s *session) object(v *kb.Level, spots []kb.Spot, o *kb.Object, ctx int, needed, all bool) (plan, bool) {
	if len(o.At) == 0 {
		return s.fields(v, spots, o, []int{ctx}, nil, all), true
	}
	nodes := s.nodesOf(o.At, ctx)
	if len(nodes) > 0 && s.named(o, nodes, false) {
		if rooted(o) && ctx < 0 {
			nodes = []int{-1} // it is the page
		}
		return s.fields(v, spots, o, nodes, nil, all), true
	}
	spot := spotOf(spots, o, nil)
	if s.past.gone(o.Class) {
		return plan{missing: s.without(spot, "an earlier crawl found none here either")}, false
	}
	if rooted(o) && ctx < 0 {
		return s.whole(v, spots, o, spot, all)
	}
	var sets []*recordSet
	if len(nodes) > 0 && s.named(o, nodes, true) { // they are there, but what names them moved
		set := &recordSet{list: nodes, score: 1}
		set.expr, set.from, set.cost.Changes = spot.Tries[0].Expr.Tree, spot.Tries[0].Expr.Source, 1
		sets = append(sets, set)
	}
	sets = append(sets, s.changedSets(spot, ctx)...)
	hasty := s.hasty
	s.hasty = true
	best, next, of := s.choose(v, spots, o, ctx, sets)
	if s.hasty = hasty; best == nil {
		if s.hasty {
			return plan{missing: s.without(spot, "no change of one name explains them")}, false
		}
		best, next, of = s.choose(v, spots, o, ctx, append(slices.Clone(sets[:min(len(sets), searchedSets)]), s.recordSets(spot, ctx)...))
	}
	if best == nil {
		return plan{missing: s.without(spot, "no elements that repeat look like them")}, false
	}
	sure, unsure := (&recordsAsk{s, v, o, spot, best, next}).decide()
	if sure == 0 || !needed && !s.likely(o, of) {
		return plan{missing: unsure}, false
	}
	whole := *best
	if all {
		whole = s.fields(v, spots, o, of.list, of, true)
		whole.score = best.score
	}
	at := whole.steps[0].by
	at.sure, at.why = sure, append(at.why, fmt.Sprintf("%d objects, each with an id and its fields", len(whole.records)))
	return whole, true
}

// choose plans the fields of record sets and gives the best plan, and the next that
// reads the page differently.
func (s *session) choose(v *kb.Level, spots []kb.Spot, o *kb.Object, ctx int, sets []*recordSet) (best, next *plan, of *recordSet) {
	var anchors [][][]int
	for _, set := range sets {
		if set.outline == (outline{}) {
			if anchors == nil {
				anchors = s.anchors(o, ctx)
			}
			set.outline = s.outline(o, set.list, ctx, anchors)
		}
		if best != nil && s.unknown && s.same(set.list, best.records) {
			continue // seen less well, and what it costs to look is much of the page's work
		}
		p := s.fields(v, spots, o, set.list, set, false)
		p.score += set.score
		if len(p.missing) > 0 || set.change != nil && len(set.list) == 1 && p.searched > 0 {
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
		if next != nil && (s.unknown && s.same(next.records, best.records) || nearlyAll(next.records, best.records)) {
			next = nil
		}
	}
	return best, next, of
}

// nearlyAll reports whether a list is of elements of another, and of most of them: the
// posts but for the first, which is marked as the topic.
func nearlyAll(list, of []int) bool {
	return len(list) < len(of) && 10*len(list) >= 9*len(of) &&
		!slices.ContainsFunc(list, func(n int) bool { return !slices.Contains(of, n) })
}

// same reports whether the elements of a list are those of another, or some of them, or
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

// encloses reports whether all elements of a list lie in fewer of another.
func (s *session) encloses(outer, inner []int) bool {
	return len(outer) < len(inner) && !slices.ContainsFunc(inner, func(n int) bool {
		return !slices.ContainsFunc(outer, func(o int) bool { return s.x.inside(n, o) })
	})
}

// planNamed is how much the name of an object must say where nothing says that it must be there.
const planNamed = 0.3

// likely reports whether record sets of an object that a page need not have are it:
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
	p := plan{records: nodes, set: set, weakest: 1}
	if set != nil {
		p.steps = append(p.steps, planned{spot: spotOf(spots, o, nil), by: &set.candidate})
	}
	if !s.inside(&p, v, spots, o, all) {
		return p
	}
	sc := &scope{records: spreadOut(nodes), inner: slices.Compact(slices.Clone(p.inner))}
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
		switch {
		case !f.Required && (!all || set == nil && s.faulted != nil && !s.faulted[spot.Place]):
		case f.Unless != nil && len(s.r.Select(f.Unless, s.node(sc.records[0]))) > 0:
		case work[f] != nil:
			p.finds(f, work[f], work[f].coverage())
		default:
			s.lostField(&p, v, spot, sc, tk)
		}
	}
	return p
}

// inside plans the objects in the first one of a plan; false where one of them is all that it is about, and is not found.
func (s *session) inside(p *plan, v *kb.Level, spots []kb.Spot, o *kb.Object, all bool) bool {
	var classes []string // that were looked for: what one declaration of a class finds, or should have found, is not another's
	defer func() { slices.Sort(p.inner) }()
	for _, in := range o.Objects {
		n := p.records[0]
		if !essential(o) && (!all || s.otherFound(o, in, n)) {
			continue
		}
		if !essential(o) && p.set == nil && s.unbroken(spots, in) {
			p.inner = append(p.inner, s.nodesOf(in.At, n)...)
			continue
		}
		if slices.Contains(classes, in.Class) && len(s.nodesOf(in.At, n)) == 0 {
			continue
		}
		classes = append(classes, in.Class)
		sub, ok := s.object(v, spots, in, n, essential(o), all)
		if !ok && essential(o) {
			p.missing = append(p.missing, sub.missing...)
			return false
		}
		if !ok || slices.ContainsFunc(sub.records, func(m int) bool { return slices.Contains(p.inner, m) }) {
			continue // what one declaration found is not another's too
		}
		p.inner = append(p.inner, sub.records...)
		p.steps = append(p.steps, sub.steps...)
		p.missing = append(p.missing, sub.missing...)
		p.score += sub.score
		p.contents += sub.contents
		p.searched += sub.searched
		p.filled += sub.filled
	}
	return true
}

// lostField plans a field that no action finds.
func (s *session) lostField(p *plan, v *kb.Level, spot kb.Spot, sc *scope, tk *taken) {
	f := spot.Field
	if p.set != nil && p.set.change != nil {
		if c := s.underChange(p.set.change, spot, sc, tk); c != nil {
			tk.add(c)
			p.finds(f, c, c.coverage())
			p.steps = append(p.steps, planned{spot, c})
			return
		}
	}
	p.searched++
	if s.hasty {
		if f.Required {
			p.missing = append(p.missing, s.left(spot.Place, NoCandidate, "no change of one name explains it"))
		}
		return
	}
	found := s.fieldOnce(spot, sc, tk)
	if found.why != "" && !f.Required && page(sc) {
		if c := s.worded(spot); c != nil {
			found.best, found.why = c, ""
		}
	}
	if found.why != "" && f.As == kb.HTML && (s.mainText >= 0 && article(spot, sc) || s.ownArticle(v, spot, sc)) {
		if n := s.bulk(); n >= 0 { // as generic reading will
			c := &candidate{nodes: [][]int{{n}}, values: []string{s.x.read(s.x.nodes[n])}}
			tk.add(c)
			p.finds(f, c, c.coverage())
			return
		}
	}
	if found.why != "" {
		if f.Required {
			p.missing = append(p.missing, s.left(spot.Place, found.cause, found.why))
			p.score--
		}
		return
	}
	if !found.best.stated { // JSON-LD holds all of it in one place
		tk.add(found.best)
	}
	p.finds(f, found.best, found.best.sure)
	p.steps = append(p.steps, planned{spot, found.best})
}

// finds notes what gives a field, and how sure that is.
func (p *plan) finds(f *kb.Field, c *candidate, sure float64) {
	p.score += sure
	p.filled += c.coverage()
	p.weakest = min(p.weakest, sure)
	if f.Name == "content" {
		p.contents += c.values[0]
		p.text = c
	}
}

// whole reports whether the fields that had to be found are all right, likely enough that it is worth it to believe all of them: in an
// object that is none each of them is wrong.
func (p *plan) whole() bool {
	all, n := 1.0, 0.0
	for _, st := range p.steps {
		if st.by.sure > 0 {
			all, n = all*st.by.sure, n+1
		}
	}
	return all > n/(n+1)
}

// fieldOnce is field, asked once about the page's own object.
func (s *session) fieldOnce(spot kb.Spot, sc *scope, tk *taken) found {
	if !page(sc) {
		return s.field(spot, sc, tk)
	}
	key := fmt.Sprint(spot.Place, len(sc.inner), s.unknown)
	f, known := s.fieldsFound[key]
	if !known {
		f = s.field(spot, sc, tk)
		s.fieldsFound[key] = f
	}
	return f
}

// unbroken reports whether no fault is about an object or what is in it.
func (s *session) unbroken(spots []kb.Spot, o *kb.Object) bool {
	return s.faulted != nil && !slices.ContainsFunc(spots, func(spot kb.Spot) bool {
		return slices.Contains(spot.Objects, o) && s.faulted[spot.Place]
	})
}

// otherFound reports whether another declaration of the same class finds its nodes,
// and this one does not: comments need not be pingbacks too.
func (s *session) otherFound(o, in *kb.Object, ctx int) bool {
	if len(s.nodesOf(in.At, ctx)) > 0 {
		return false
	}
	return slices.ContainsFunc(o.Objects, func(other *kb.Object) bool {
		return other != in && other.Class == in.Class && len(s.nodesOf(other.At, ctx)) > 0
	})
}

// essential reports whether what an object is about lies in the objects inside it:
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

// rooted reports whether an object is the page, where something is on it: its expressions
// select the root under a condition.
func rooted(o *kb.Object) bool {
	return len(o.At) > 0 && !slices.ContainsFunc(o.At, func(t *kb.Try) bool { return !ofRoot(t.Expr.Tree) })
}

// ofRoot reports whether an expression selects the root, or what is below it, under a condition.
func ofRoot(n xpath.Node) bool {
	path, ok := xpath.First(n).(*xpath.Path)
	if !ok || path.From != nil || path.Root || len(path.Steps) == 0 {
		return false
	}
	s := path.Steps[0]
	return s.Axis == "" && s.Test == "html" && len(s.Preds) > 0
}

// whole plans such an object: its condition becomes that its content is there.
func (s *session) whole(v *kb.Level, spots []kb.Spot, o *kb.Object, spot kb.Spot, all bool) (plan, bool) {
	set := &recordSet{list: []int{-1}}
	set.from = spot.Tries[0].Expr.Source
	set.cost.Changes = 1
	p := s.fields(v, spots, o, set.list, set, all)
	if len(p.missing) > 0 {
		return p, false
	}
	i := slices.IndexFunc(p.steps, func(st planned) bool {
		return st.spot.Field != nil && st.spot.Field.As == kb.HTML && len(st.spot.Objects) == 1
	})
	if i < 0 {
		return plan{missing: s.without(spot, "its content is not there")}, false
	}
	there := []xpath.Node{xpath.Below(p.steps[i].by.expr)}
	set.expr = &xpath.Path{Steps: []*xpath.PathStep{{Test: "html", Preds: there}}}
	if e, err := kb.ExprOf(set.expr); err != nil || len(s.selectAll(e, -1)) == 0 {
		return plan{missing: s.without(spot, "its content is not there")}, false
	}
	set.sure, set.why = p.steps[i].by.sure, p.steps[i].by.why
	return p, true
}
