package adapt

import (
	"cmp"
	"slices"

	"github.com/awarc/awarc/engine/extract"
	"github.com/awarc/awarc/engine/rank"
	"github.com/awarc/awarc/kb"
	"github.com/awarc/awarc/yfilter/xpath"
)

// way is how a navigation action leads on.
type way int

const (
	ahead    way = iota // to further pages of the same
	downward            // nearer to content
	upward              // to lists that the page may have been reached from
	across              // from content to other content
)

// route is a navigation action of a level, asked of the page.
type route struct {
	s       *session
	spot    kb.Spot
	way     way
	from    kb.LevelID
	implied bool             // the level has no such action: what the type is tells that there may be one
	told    bool             // the type's URL rules tell the addresses of what it leads to
	certain bool             // the page is of the level
	before  int              // where the content of the page begins, as far as that is known
	wanted  map[*anchor]bool // the links of the page that it may be about
	trail   bool             // some of them are in a trail
}

// routes lists the navigation actions of a level, those that lead down first, with those that follow from what the type is: pages of an
// object name its further pages, and a list leads to its contents.
func (s *session) routes(v *kb.Level) []*route {
	var out []*route
	had := map[string]bool{}
	add := func(spot kb.Spot, implied bool) {
		f := spot.Follow
		r := &route{s: s, spot: spot, from: v.ID, implied: implied, told: s.hasForm(f.To), way: upward, before: len(s.x.nodes)}
		switch {
		case f.Paging:
			r.way = ahead
		case down(s.page.Type, v.ID, f.To):
			r.way = downward
		case v.Kind == kb.Terminal && depth(s.page.Type, f.To) == 0:
			r.way = across
		}
		out = append(out, r)
	}
	for _, spot := range v.Spots() {
		if f := spot.Follow; f != nil {
			had[kb.FollowPart(f.To, f.Paging)] = true
			if !f.Optional && !s.barred(f) {
				add(spot, false)
			}
		}
	}
	imply := func(to kb.LevelID, paging bool) {
		if part := kb.FollowPart(to, paging); !had[part] {
			had[part] = true
			add(kb.Spot{Place: placeOn(v, part), Follow: &kb.Follow{To: to, Paging: paging}}, true)
		}
	}
	if len(s.page.Type.URLs.Pagings) > 0 {
		imply(v.ID, true)
	}
	for _, to := range contents(s.page.Type, v) {
		imply(to, false)
	}
	slices.SortStableFunc(out, func(a, b *route) int { return boolInt(b.way == downward) - boolInt(a.way == downward) })
	return out
}

// contents gives the levels that a list must lead to of which no page that is known showed what it leads to: those of content whose
// addresses are told, and that are followed without being asked for.
func contents(t *kb.Type, v *kb.Level) []kb.LevelID {
	own := func(a kb.Address) bool { return a.Level == v.ID }
	if v.Kind != kb.Intermediate || depth(t, v.ID) != unreached || !slices.ContainsFunc(t.URLs.Addresses, own) {
		return nil
	}
	var out []kb.LevelID
	for _, a := range t.URLs.Addresses {
		if depth(t, a.Level) == 0 && !slices.Contains(out, a.Level) && !slices.ContainsFunc(t.Levels, func(w *kb.Level) bool {
			return slices.ContainsFunc(w.Follow, func(f *kb.Follow) bool { return f.To == a.Level && f.Optional })
		}) {
			out = append(out, a.Level)
		}
	}
	return out
}

// hasForm reports whether the type's URL rules tell addresses of a level.
func (s *session) hasForm(id kb.LevelID) bool {
	return slices.ContainsFunc(s.page.Type.URLs.Addresses, func(a kb.Address) bool { return a.Level == id })
}

// about reports whether a link may be one of those that the action follows.
func (r *route) about(a *anchor) bool {
	switch {
	case r.way == ahead:
		return a.further
	case r.way == across:
		return a.rel == "next" || a.rel == "prev"
	case r.told || r.way != downward:
		return a.at.level == r.spot.Follow.To && a.at.whole && a.at.key != r.s.own.key
	}
	return a.local && a.at.level == "" && !a.further
}

// look finds the links of the page that the action may be about.
func (r *route) look() {
	r.wanted = map[*anchor]bool{}
	for _, a := range r.s.anchored() {
		if r.about(a) {
			r.wanted[a] = true
			r.trail = r.trail || a.trail
		}
	}
	if len(r.wanted) == 0 && r.told && r.way == downward && r.certain {
		r.told = false // the site has addresses of its own
		r.look()
	}
}

// thing names what a link leads to: of an address that is known, whatever it adds.
func (a *anchor) thing() string {
	if a.at.whole {
		return a.at.key
	}
	return a.url
}

// leadsNow counts the links that an action selects as it is.
func (s *session) leadsNow(f *kb.Follow) int {
	for _, t := range f.Tries {
		if t.AppliesTo(s.page.URL) {
			if n := len(s.selectAll(t.Expr, -1)); n > 0 {
				return n
			}
		}
	}
	return 0
}

// navigation plans the links of a level of which the page may have no other action. led counts the different links that lead nearer to
// content, by actions as they are too. What leads up stands before the content: the records, or the list.
func (s *session) navigation(v *kb.Level, records []int) (p plan, led int) {
	end := len(s.x.nodes)
	if len(records) > 0 && records[0] >= 0 {
		end = records[0]
	}
	done := map[kb.LevelID]bool{}
	for _, r := range s.routes(v) {
		f := r.spot.Follow
		n := s.leadsNow(f)
		switch {
		case n > 0 && r.way == downward && (s.own.level != v.ID || s.own.form == nil):
			r.choose() // what they have in common tells the level
		case n > 0:
		case done[f.To] && !f.Paging:
			continue
		default:
			r.before, r.certain = end, s.own.level == v.ID
			best := r.choose()
			if best == nil {
				continue
			}
			p.add(r, best)
			if n = len(best.links); r.way == downward {
				end = min(end, best.links[n-1].node)
			}
		}
		if done[f.To] = done[f.To] || !f.Paging; r.way == downward {
			led += n
		}
	}
	return p, led
}

// follows plans the navigation actions of a level that the faults name.
func (s *session) follows(v *kb.Level, faults []Fault) plan {
	var p plan
	for _, r := range s.routes(v) {
		if !slices.ContainsFunc(faults, func(f Fault) bool { return f.Kind == NoLink && f.Place == r.spot.Place }) {
			continue
		}
		r.certain = true
		if best := r.choose(); best != nil {
			p.add(r, best)
		} else {
			p.missing = append(p.missing, s.left(r.spot.Place, NoCandidate, "no links look like it"))
		}
	}
	return p
}

func (p *plan) add(r *route, c *column) {
	p.steps = append(p.steps, planned{r.spot, &c.candidate})
	p.score += c.sure
}

// choose decides which columns of links are the action's, and joins the fewest that name all of them; nil for none.
func (r *route) choose() *column {
	r.look()
	model := r.s.weights[string(KindLinks)]
	sure := slices.DeleteFunc(r.columns(), func(c *column) bool { return !r.decide(c, model) })
	if len(sure) == 0 {
		return nil
	}
	slices.SortStableFunc(sure, func(a, b *column) int { return cmp.Compare(b.score, a.score) })
	if i := slices.IndexFunc(sure, func(c *column) bool { return c.name != nil && len(c.links) >= fewestTopics }); i >= 0 {
		r.s.listNames[r.spot.Place] = sure[i].name
	}
	return r.joined(sure)
}

// joined joins columns, the likeliest first, that name more. What leads to content is one list: what else names such pages stands beside
// it.
func (r *route) joined(sure []*column) *column {
	out := *sure[0]
	most := 3 // columns
	if r.way == downward && depth(r.s.page.Type, r.spot.Follow.To) == 0 {
		most = 1
	}
	have := map[string]bool{}
	for _, c := range sure {
		if most == 0 || !slices.ContainsFunc(c.links, func(a *anchor) bool { return r.wanted[a] && !have[a.thing()] }) {
			continue
		}
		if len(have) > 0 {
			out.expr = &xpath.Binary{Op: "|", Left: out.expr, Right: c.expr}
			out.links, out.sure = slices.Concat(out.links, c.links), min(out.sure, c.sure)
		}
		most--
		for _, a := range c.links {
			have[a.thing()] = true
		}
	}
	return &out
}

// fewestTopics is how many links tell a list.
const fewestTopics = 3

// decide asks whether a column is of the action, and tells who watches.
func (r *route) decide(c *column, model rank.Model) bool {
	c.vector = aboutLinks.of(r, c)
	q := rank.Question{Names: namesOf[KindLinks], None: aboutLinks.ofNone(r), Answers: [][]float64{c.vector}}
	c.score = model.Score(q.Names, c.vector)
	v := model.Decide(q)
	c.sure = v.Sure
	c.why = spoke(model, KindLinks, q.Names, c.vector, true)
	taken := v.Sure >= model.Sure
	if r.s.watch != nil {
		r.s.sees(Question{Kind: KindLinks, Place: r.spot.Place, Field: string(r.spot.Follow.To), Question: q, Exprs: []string{c.written()},
			Values: [][]string{c.urls()}, Verdict: v, Taken: taken})
	}
	return taken
}

// barred reports whether all expressions of an action ask first that something is not on the page which is: an author wants no links there.
func (s *session) barred(f *kb.Follow) bool {
	return !slices.ContainsFunc(f.Tries, func(t *kb.Try) bool {
		m := guard(t.Expr.Tree)
		if m == nil {
			return true
		}
		e, err := kb.ExprOf(m)
		return err != nil || len(s.selectAll(e, -1)) > 0
	})
}

// guard is what an expression asks of the whole page before it selects anything, "self::node()[not(...)]"; nil where it asks nothing.
func guard(n xpath.Node) xpath.Node {
	path, ok := xpath.First(n).(*xpath.Path)
	if !ok || path.From != nil || len(path.Steps) < 2 || !path.Steps[1].Deep {
		return nil
	}
	s := path.Steps[0]
	if s.Axis != "self" || s.Test != "node()" || len(s.Preds) == 0 {
		return nil
	}
	if first, ok := s.Preds[0].(*xpath.Call); !ok || first.Name != "not" {
		return nil
	}
	return &xpath.Path{Steps: path.Steps[:1]}
}

// depth is how many links lie between a level and content: 0 for a terminal level, 1 for what leads to one, and so on; unreached for what
// leads to none. A level that may be a text or a list, as the front of a blog, is a list. Optional links do not count: every list names the
// profiles of people.
func depth(t *kb.Type, id kb.LevelID) int {
	far := map[kb.LevelID]int{id: 0}
	for next := []kb.LevelID{id}; len(next) > 0; next = next[1:] {
		here := t.Level(next[0])
		if len(here) > 0 && !slices.ContainsFunc(here, func(v *kb.Level) bool { return v.Kind != kb.Terminal }) {
			return far[next[0]]
		}
		for _, v := range here {
			for _, f := range v.Follow {
				if _, seen := far[f.To]; !seen && !f.Paging && !f.Optional {
					far[f.To] = far[next[0]] + 1
					next = append(next, f.To)
				}
			}
		}
	}
	return unreached
}

const unreached = 1 << 20

// down reports whether a link leads nearer to content: not to further pages of the same, and not back up the trail.
func down(t *kb.Type, from, to kb.LevelID) bool { return depth(t, to) < depth(t, from) }

// leadsOn reports whether links of a page lead nearer to content without any mend. Then its mended ones can wait until they are confirmed:
// pages that nothing leads on from tell first whether the list is there in another form, or only empty here.
func leadsOn(t *kb.Type, h extract.Harvest) bool {
	return h.Level != nil && slices.ContainsFunc(h.Links, func(l extract.Link) bool {
		return !l.Paging && !l.Optional && down(t, h.Level.ID, l.To)
	})
}
