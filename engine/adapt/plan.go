package adapt

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/awarc/awarc/kb"
	"github.com/awarc/awarc/yfilter/xpath"
)

// plan is how the actions of one object, and of those inside it, are mended together.
type plan struct {
	records  []int
	steps    []planned
	score    float64
	missing  []Left     // required fields that are not found
	optional []Left     // other fields that are lost and not found
	contents string     // to tell plans apart
	inner    []int      // nodes of the objects inside
	searched int        // fields that what is known of the template does not find
	doubt    float64    // how little sure the least sure field is
	set      *recordSet // that the records are from, or nil
}

// planned is one mended place.
type planned struct {
	spot kb.Spot
	by   *candidate
}

// object plans an object whose nodes are found by what is declared or, where nothing is found, by the best record set. ok is false where it
// cannot be mended.
func (s *session) object(spots []kb.Spot, o *kb.Object, ctx int, all bool) (plan, bool) {
	if len(o.At) == 0 {
		return s.fields(spots, o, []int{ctx}, nil, all), true
	}
	nodes := s.nodesOf(o.At, ctx)
	if len(nodes) > 0 && s.named(o, nodes, false) {
		if rooted(o) && ctx < 0 {
			nodes = []int{-1} // it is the page
		}
		return s.fields(spots, o, nodes, nil, all), true
	}
	spot := spotOf(spots, o, nil)
	if s.past.gone(o.Class) {
		return plan{missing: s.without(spot, "an earlier crawl found none here either")}, false
	}
	if rooted(o) && ctx < 0 {
		return s.whole(spots, o, spot, all)
	}
	best, next := s.choose(spots, o, s.changedSets(spot, ctx), true)
	if best == nil {
		best, next = s.choose(spots, o, s.recordSets(spot, ctx), false)
	}
	if best == nil {
		return plan{missing: s.without(spot, "no elements that repeat look like them")}, false
	}
	sure, unsure := (&recordsAsk{s, o, spot, best, next}).decide()
	if sure == 0 {
		return plan{missing: unsure}, false
	}
	whole := *best
	if all {
		whole = s.fields(spots, o, best.records, best.set, true)
		whole.score = best.score
	}
	at := whole.steps[0].by
	at.sure, at.why = sure, append(at.why, fmt.Sprintf("%d objects, each with an id and its fields", len(whole.records)))
	return whole, true
}

// choose plans the fields of record sets and gives the best plan, and the next that reads the page differently. known asks for those alone
// whose required fields are all found by what is known of the template.
func (s *session) choose(spots []kb.Spot, o *kb.Object, sets []*recordSet, known bool) (best, next *plan) {
	var plans []*plan
	for _, set := range sets {
		if best != nil && s.unknown && s.same(set.list, best.records) {
			continue // seen less well, and what it costs to look is much of the page's work
		}
		p := s.fields(spots, o, set.list, set, false)
		if p.score += set.score; len(p.missing) > 0 || known && p.searched > 0 {
			continue
		}
		plans = append(plans, &p)
		if best == nil || p.score > best.score {
			best = &p
		}
	}
	for _, p := range plans {
		if p.contents != best.contents && (next == nil || p.score > next.score) && !(s.unknown && s.same(p.records, best.records)) {
			next = p
		}
	}
	return best, next
}

// same reports whether the elements of a list are those of another, or some of them, or lie in or around one of them each: the same things,
// seen less well.
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

// spotOf finds the spot of an object's nodes, or of a field of it.
func spotOf(spots []kb.Spot, o *kb.Object, f *kb.Field) kb.Spot {
	i := slices.IndexFunc(spots, func(s kb.Spot) bool {
		return len(s.Objects) > 0 && s.Objects[len(s.Objects)-1] == o && s.Field == f && s.Total == nil && s.At == (f == nil)
	})
	return spots[i]
}

// fields plans the fields of an object at some nodes: those that are required, or all. set is the record set that they are from where they
// are not what is declared.
func (s *session) fields(spots []kb.Spot, o *kb.Object, nodes []int, set *recordSet, all bool) plan {
	p := plan{records: nodes, set: set}
	if set != nil {
		p.steps = append(p.steps, planned{spot: spotOf(spots, o, nil), by: &set.candidate})
	}
	if !s.inside(&p, spots, o, all) {
		return p
	}
	sc := &scope{records: spreadOut(nodes, 12), inner: slices.Compact(slices.Clone(p.inner))}
	sc.ends = spreadOut(s.ends(nodes), len(sc.records))
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
			tk.add(f, c) // what works says what the lost ones are not
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
			s.lostField(&p, spot, sc, tk)
		}
	}
	return p
}

// inside plans the objects in the first one of a plan; false where one of them is all that it is about, and is not found.
func (s *session) inside(p *plan, spots []kb.Spot, o *kb.Object, all bool) bool {
	if !essential(o) && !all {
		return true
	}
	var classes []string // that were looked for: what one declaration of a class finds, or should have found, is not another's
	defer func() { slices.Sort(p.inner) }()
	for _, in := range o.Objects {
		if slices.Contains(classes, in.Class) && len(s.nodesOf(in.At, p.records[0])) == 0 {
			continue
		}
		classes = append(classes, in.Class)
		sub, ok := s.object(spots, in, p.records[0], all)
		switch {
		case !ok && essential(o):
			p.missing = append(p.missing, sub.missing...)
			return false
		case !ok || slices.ContainsFunc(sub.records, func(m int) bool { return slices.Contains(p.inner, m) }):
			continue // what one declaration found is not another's too
		}
		p.inner, p.steps, p.missing = append(p.inner, sub.records...), append(p.steps, sub.steps...), append(p.missing, sub.missing...)
		p.optional = append(p.optional, sub.optional...)
		p.score, p.contents, p.searched = p.score+sub.score, p.contents+sub.contents, p.searched+sub.searched
	}
	return true
}

// lostField plans a field that no action finds.
func (s *session) lostField(p *plan, spot kb.Spot, sc *scope, tk *taken) {
	f := spot.Field
	p.searched++
	found := s.fieldOnce(spot, sc, tk)
	if found.why != "" && !f.Required && page(sc) {
		if c := s.worded(spot); c != nil {
			found.best, found.why = c, ""
		}
	}
	switch {
	case found.why == "":
		if !found.best.stated { // JSON-LD holds all of it in one place
			tk.add(f, found.best)
		}
		p.finds(f, found.best, found.best.sure)
		p.steps = append(p.steps, planned{spot, found.best})
	case f.Required:
		p.missing = append(p.missing, s.left(spot.Place, found.cause, found.why))
		p.score--
	case s.faulted[spot.Place]:
		if found.cause == NoCandidate {
			found.cause = MayLack
		}
		p.optional = append(p.optional, s.left(spot.Place, found.cause, found.why))
	}
}

// finds notes what gives a field, and how sure that is.
func (p *plan) finds(f *kb.Field, c *candidate, sure float64) {
	p.score += sure
	p.doubt = max(p.doubt, 1-sure)
	if f.Name == "content" {
		p.contents += c.values[0]
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

// essential reports whether what an object is about lies in the objects inside it: a thread without posts is nothing, a post without
// comments is a post.
func essential(o *kb.Object) bool {
	return !slices.ContainsFunc(o.Fields, func(f *kb.Field) bool { return f.As == kb.HTML })
}

// spreadOut picks some of the elements of a list, over all of it.
func spreadOut(nodes []int, most int) []int {
	if len(nodes) <= most {
		return nodes
	}
	out := make([]int, most)
	for i := range out {
		out[i] = nodes[i*(len(nodes)-1)/(most-1)]
	}
	return out
}

// inOrder puts the fields that others are told apart by first: in repeating objects date and name, on a whole page title and content.
func inOrder(fields []*kb.Field, page bool) []*kb.Field {
	kinds := []Kind{KindDate, KindName, KindTitle, KindText, KindContent}
	if page {
		kinds = []Kind{KindTitle, KindContent, KindDate, KindName, KindText}
	}
	return slices.SortedStableFunc(slices.Values(fields), func(a, b *kb.Field) int {
		return cmp.Or(cmp.Compare(truth(b.Required), truth(a.Required)), slices.Index(kinds, kindOf(a))-slices.Index(kinds, kindOf(b)))
	})
}

// rooted reports whether an object is the page, where something is on it: its expressions select the root under a condition.
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
func (s *session) whole(spots []kb.Spot, o *kb.Object, spot kb.Spot, all bool) (plan, bool) {
	set := &recordSet{list: []int{-1}}
	set.from = spot.Tries[0].Expr.Source
	set.cost.Changes = 1
	p := s.fields(spots, o, set.list, set, all)
	if len(p.missing) > 0 {
		return p, false
	}
	i := slices.IndexFunc(p.steps, func(st planned) bool {
		return st.spot.Field != nil && st.spot.Field.As == kb.HTML && len(st.spot.Objects) == 1
	})
	if i >= 0 {
		content := p.steps[i].by
		set.expr = &xpath.Path{Steps: []*xpath.PathStep{{Test: "html", Preds: []xpath.Node{xpath.Below(content.expr)}}}}
		if e, err := kb.ExprOf(set.expr); err == nil && len(s.selectAll(e, -1)) > 0 {
			set.sure, set.why = content.sure, content.why
			return p, true
		}
	}
	return plan{missing: s.without(spot, "its content is not there")}, false
}
