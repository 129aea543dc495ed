package adapt

import (
	"cmp"
	"slices"

	"github.com/awarc/awarc/engine/adapt/rank"
	"github.com/awarc/awarc/engine/extract"
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
	implied bool // the level has no such action: what the type is tells that there may be one
	told    bool // the type's URL rules tell the addresses of what it leads to
	certain bool // the page is of the level
	before  int  // where the content of the page begins, as far as that is known
	// wanted are the links of the page that it may be about, and things how many different ones.
	wanted map[*anchor]bool
	things int
	trail  bool // some of them are in a trail
}

// routes lists the navigation actions of a level, those that lead down first, with those that follow from what the type is:
// pages of an object name its further pages, and what a list leads to names the list.
func (s *session) routes(v *kb.Level) []*route {
	var first, rest []*route
	had := map[string]bool{}
	add := func(spot kb.Spot, implied bool) {
		f := spot.Follow
		r := &route{s: s, spot: spot, from: v.ID, implied: implied, told: s.hasForm(f.To), way: upward, before: len(s.x.nodes)}
		switch {
		case f.Paging:
			r.way = ahead
		case down(s.page.Type, v.ID, f.To):
			r.way = downward
			first = append(first, r)
			return
		case v.Kind == kb.Terminal && depth(s.page.Type, f.To) == 0:
			r.way = across
		}
		rest = append(rest, r)
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
		part := kb.FollowPart(to, paging)
		if !had[part] {
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
	for _, to := range implied(s.page.Type, v) {
		imply(to, false)
	}
	return append(first, rest...)
}

// implied gives the levels that pages of a level may lead to though no page that is known does: the lists that it is reached from, its
// own if that is a list of lists, and texts that are told by their addresses and that nothing leads to.
func implied(t *kb.Type, v *kb.Level) []kb.LevelID {
	out := listsOf(t, v.ID)
	form := func(id kb.LevelID) bool {
		return slices.ContainsFunc(t.URLs.Addresses, func(a kb.Address) bool { return a.Level == id && !a.Part })
	}
	if v.Kind == kb.Intermediate && form(v.ID) {
		out = append(out, v.ID)
	}
	for _, w := range t.Levels {
		if w.Kind == kb.Terminal && !slices.Contains(out, w.ID) && form(w.ID) && slices.ContainsFunc(w.Objects, func(o *kb.Object) bool {
			return !essential(o)
		}) && !slices.ContainsFunc(t.Levels, func(x *kb.Level) bool {
			return slices.ContainsFunc(x.Follow, func(f *kb.Follow) bool { return f.To == w.ID && !f.Paging && x.ID != w.ID })
		}) {
			out = append(out, w.ID)
		}
	}
	return out
}

// listsOf gives the lists from which pages of a level are reached: those that lead to it or to such a list, and those that it or such
// a list leads up to.
func listsOf(t *kb.Type, id kb.LevelID) []kb.LevelID {
	var out []kb.LevelID
	leads := func(from *kb.Level, to kb.LevelID) bool {
		return slices.ContainsFunc(from.Follow, func(f *kb.Follow) bool { return f.To == to && !f.Paging && !f.Optional })
	}
	for at := []kb.LevelID{id}; len(at) > 0; at = at[1:] {
		for _, w := range t.Levels {
			if w.ID == id || w.Kind != kb.Intermediate || slices.Contains(out, w.ID) || down(t, at[0], w.ID) {
				continue
			}
			if down(t, w.ID, at[0]) && leads(w, at[0]) ||
				slices.ContainsFunc(t.Level(at[0]), func(v *kb.Level) bool { return leads(v, w.ID) }) {
				out, at = append(out, w.ID), append(at, w.ID)
			}
		}
	}
	return out
}

// contents gives the levels that a list must lead to of which no page that is known showed what it leads to: those of content
// whose addresses are told, and that are followed without being asked for.
func contents(t *kb.Type, v *kb.Level) []kb.LevelID {
	own := func(a kb.Address) bool { return a.Level == v.ID }
	if v.Kind != kb.Intermediate || depth(t, v.ID) != unreached || !slices.ContainsFunc(t.URLs.Addresses, own) ||
		slices.ContainsFunc(v.Follow, func(f *kb.Follow) bool { return !f.Paging && !f.Optional && down(t, v.ID, f.To) }) {
		return nil
	}
	var out []kb.LevelID
	for _, a := range t.URLs.Addresses {
		terminal := slices.ContainsFunc(t.Level(a.Level), func(w *kb.Level) bool { return w.Kind == kb.Terminal })
		if terminal && !slices.Contains(out, a.Level) && !slices.ContainsFunc(t.Levels, func(w *kb.Level) bool {
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
		return r.s.further(a.url)
	case r.told || r.way != downward:
		return a.at.level == r.spot.Follow.To && a.at.whole && a.at.key != r.s.own.key
	default:
		return a.local && a.at.level == "" && !r.s.further(a.url) && !r.s.ofOther(a.url, r.spot.Follow.To)
	}
}

// look finds the links of the page that the action may be about.
func (r *route) look() {
	r.wanted = map[*anchor]bool{}
	things := map[string]bool{}
	for _, a := range r.s.anchored() {
		if r.about(a) {
			r.wanted[a] = true
			things[a.thing()] = true
			r.trail = r.trail || a.trail
		}
	}
	if r.way == upward && r.told && r.spot.Follow.To == r.s.rooted().level {
		r.told = false
		for a := range r.wanted {
			r.told = r.told || a.at.form != nil
		}
	}
	if r.things = len(things); r.told && r.things == 0 && r.way == downward && r.certain {
		r.told = false // the site has addresses of its own
		r.look()
	}
}

// covered reports whether an action that leads to some pages names half of those that the page names, in no trail.
func (r *route) covered(links int) bool {
	r.look()
	beside := map[string]bool{}
	for a := range r.wanted {
		if !a.trail && !a.menu {
			beside[a.thing()] = true
		}
	}
	return 2*links >= len(beside)
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

// navigation plans the links of a level of which the page may have no other action. led
// counts the different links that lead nearer to content, by actions as they are too. What leads
// up stands before the content: the records, or the list.
func (s *session) navigation(v *kb.Level, records []int) (p plan, led int) {
	end := len(s.x.nodes)
	if len(records) > 0 && records[0] >= 0 {
		end = records[0]
	}
	done := map[kb.LevelID]bool{}
	for _, r := range s.routes(v) {
		f := r.spot.Follow
		if n := s.leadsNow(f); n > 0 {
			if done[f.To] = done[f.To] || !f.Paging && (v.Kind == kb.Terminal || r.covered(n)); r.way == downward {
				if led += n; s.own.level != v.ID || s.own.form == nil {
					r.choose() // what they have in common tells the level
				}
			}
			continue
		}
		if done[f.To] && !f.Paging {
			continue
		}
		r.before, r.certain = end, s.own.level == v.ID
		best := r.choose()
		if best == nil {
			continue
		}
		if done[f.To] = done[f.To] || !f.Paging; r.way == downward {
			led += len(best.links)
			end = min(end, best.links[len(best.links)-1].node)
		}
		p.add(r, best)
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

// mostJoined bounds the columns of one action.
const mostJoined = 3

// choose decides which columns of links are the action's, and joins the fewest that name all of them; nil for none.
func (r *route) choose() *column {
	r.look()
	model := r.s.weights[string(KindLinks)]
	var sure []*column
	for _, c := range r.columns() {
		if r.decide(c, model) {
			sure = append(sure, c)
		}
	}
	if len(sure) == 0 {
		return nil
	}
	slices.SortStableFunc(sure, func(a, b *column) int { return cmp.Compare(b.score, a.score) })
	if i := slices.IndexFunc(sure, func(c *column) bool { return c.name != nil && len(c.links) >= fewestTopics }); i >= 0 {
		r.s.listNames[r.spot.Place] = sure[i].name
	}
	return r.joined(sure)
}

// joined joins columns, the likeliest first, that name more. What leads to content is one list: what else names such pages
// stands beside it.
func (r *route) joined(sure []*column) *column {
	out := *sure[0]
	have, joined := map[string]bool{}, 1
	more := func(a *anchor) bool { return (r.wanted[a] || r.way == across || out.above) && !have[a.thing()] }
	for i, c := range sure {
		if i > 0 && (joined == mostJoined || r.way == downward && depth(r.s.page.Type, r.spot.Follow.To) == 0) {
			break
		}
		if i > 0 {
			if !slices.ContainsFunc(c.links, more) {
				continue
			}
			joined++
			out.expr, out.try = &xpath.Binary{Op: "|", Left: out.expr, Right: c.expr}, nil
			out.links, out.sure = append(slices.Clone(out.links), c.links...), min(out.sure, c.sure)
		}
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
			Values: [][]string{c.each(addressOf)}, Verdict: v, Taken: taken})
	}
	return taken
}

// barred reports whether all expressions of an action ask first that something is not on the
// page which is: an author wants no links there.
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

// guard is what an expression asks of the whole page before it selects anything,
// "self::node()[not(...)]"; nil where it asks nothing.
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

// depth is how many links lie between a level and content: 0 for a terminal level,
// 1 for what leads to one, and so on; unreached for what leads to none. A level that may
// be a text or a list, as the front of a blog, is a list. Optional
// links do not count: every list names the profiles of people.
func depth(t *kb.Type, id kb.LevelID) int {
	seen := map[kb.LevelID]bool{id: true}
	next := []kb.LevelID{id}
	for d := 0; len(next) > 0; d++ {
		here := next
		next = nil
		for _, at := range here {
			variants := t.Level(at)
			if len(variants) > 0 && !slices.ContainsFunc(variants, func(v *kb.Level) bool { return v.Kind != kb.Terminal }) {
				return d
			}
			for _, v := range variants {
				for _, f := range v.Follow {
					if !f.Paging && !f.Optional && !seen[f.To] {
						seen[f.To] = true
						next = append(next, f.To)
					}
				}
			}
		}
	}
	return unreached
}

const unreached = 1 << 20

// down reports whether a link leads nearer to content: not to further pages of the
// same, and not back up the trail.
func down(t *kb.Type, from, to kb.LevelID) bool { return depth(t, to) < depth(t, from) }

// leadsOn reports whether links of a page lead nearer to content without any mend.
// Then its mended ones can wait until they are confirmed: pages that nothing leads
// on from tell first whether the list is there in another form, or only empty here.
func leadsOn(t *kb.Type, h extract.Harvest) bool {
	return h.Level != nil && slices.ContainsFunc(h.Links, func(l extract.Link) bool {
		return !l.Paging && !l.Optional && down(t, h.Level.ID, l.To)
	})
}
