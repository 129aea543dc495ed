package adapt

import (
	"regexp"
	"slices"
	"sort"
	"strings"
	"unicode/utf8"

	"github.com/awarc/awarc/kb"
	"github.com/awarc/awarc/yfilter/xpath"
)

// navigation plans the links of a level of which the page may have no other action:
// those whose addresses say where they lead, and further pages. led counts the
// different links that lead nearer to content, by actions as they are too. What leads
// elsewhere, such as the way up, stands before the content: the records, or the list;
// what comes after is a menu of all there is.
func (s *session) navigation(v *kb.Level, records []int) (p plan, led int) {
	end := len(s.x.nodes)
	if len(records) > 0 && records[0] >= 0 {
		end = records[0]
	}
	done := map[kb.LevelID]bool{}
	for _, list := range []bool{true, false} {
		for _, spot := range v.Spots() {
			f := spot.Follow
			if f == nil || f.Optional || list != (!f.Paging && down(s.page.Type, v.ID, f.To)) {
				continue
			}
			if s.barred(f) {
				continue
			}
			if n := s.leadsNow(f); n > 0 {
				if done[f.To] = done[f.To] || !f.Paging; list {
					led += n
				}
				continue
			}
			var best *linkSet
			by := margin
			switch {
			case f.Paging:
				best, by = s.follow(spot, nil)
			case v.Kind == kb.Terminal && depth(s.page.Type, f.To) == 0:
				best = s.beyond(spot) // pages that name it name others like it too
			case !done[f.To]:
				best = s.toLevel(spot, v, end)
			}
			if best == nil {
				continue
			}
			if done[f.To] = done[f.To] || !f.Paging; list {
				led += len(best.urls)
				end = min(end, best.last)
			}
			p.add(spot, best, by)
		}
	}
	return p, led
}

// beyond looks for links from content to other content, as to the next post, by what they
// say themselves; nil for none.
func (s *session) beyond(spot kb.Spot) *linkSet {
	const most = 4
	for _, c := range s.tagged(spot) {
		e, ok := xpath.Fragment(c.expr)
		if !ok {
			continue
		}
		c.reading.Expr = e
		l := s.leads(c)
		if len(l.urls) == 0 || len(l.urls) > most || slices.ContainsFunc(l.urls, func(u string) bool {
			a := s.addressed(u)
			return a.level != "" && (a.level != spot.Follow.To || !a.whole) || s.further(u)
		}) {
			continue
		}
		l.score = enoughLinks
		return l
	}
	return nil
}

func (p *plan) add(spot kb.Spot, l *linkSet, by float64) {
	p.steps = append(p.steps, planned{spot, &l.candidate, by})
	p.score += l.score
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

// pureShare is the share of links that must lead to the level by their addresses.
const pureShare = 0.9

// toLevel looks for the links to a level by their addresses: the group of links that
// names most of its pages. Those that do not lead down begin before an element of the
// page, and may be of several groups. nil for none.
func (s *session) toLevel(spot kb.Spot, v *kb.Level, before int) *linkSet {
	to := spot.Follow.To
	list := down(s.page.Type, v.ID, to)
	if spot.Follow.Paging {
		return nil
	}
	if !list && !s.hasForm(to) {
		return s.above(spot, before)
	}
	var sets []*linkSet
	seen := map[string]bool{}
	named := map[string]*xpath.Expr{} // by where they lead
	known := s.lex.known(s.category, purpose(spot))
	sources := s.sources(spot)
	for _, g := range s.allGroups() {
		if s.spent() {
			break
		}
		if !slices.ContainsFunc(g.nodes[:min(len(g.nodes), mostAsked)], func(m int) bool { return s.leadsTo(m, to) }) {
			continue
		}
		n := s.anchor(g.nodes[0])
		if n < 0 {
			continue
		}
		best, own := s.nearest(sources, nil, g, n, -1, xpath.Test{}, known)
		var lists []*linkSet
		for _, c := range []*candidate{best, own, s.proposedLinks(g, best)} {
			if c != nil {
				lists = append(lists, s.leads(c))
			}
		}
		lists = append(lists, s.byAddress(to, g)...)
		for _, l := range lists {
			key := strings.Join(l.urls, "\n")
			if len(l.urls) == 0 || !seen[key] && !s.pure(l, to) || !list && l.last >= before {
				continue
			}
			if steps := elementSteps(l.reading.Expr); named[key] == nil && slices.ContainsFunc(steps, hasName) {
				named[key] = &xpath.Expr{Steps: steps}
			}
			if seen[key] {
				continue
			}
			seen[key] = true
			sets = append(sets, l)
		}
	}
	if !list {
		sets = s.aside(sets, v.Kind == kb.Terminal)
		if v.Kind == kb.Terminal {
			sets = slices.DeleteFunc(sets, tooMany)
		}
	}
	sort.SliceStable(sets, func(a, b int) bool { return sets[a].score > sets[b].score })
	if list {
		for _, l := range sets {
			if e := named[strings.Join(l.urls, "\n")]; e != nil && len(l.urls) >= fewestTopics {
				s.listNames[spot.Place] = e
				break
			}
		}
	}
	all := s.byAddress(to, &group{tag: "a"})
	sort.SliceStable(all, func(a, b int) bool { return all[a].score > all[b].score })
	switch {
	case len(all) > 0 && list && (len(sets) == 0 || sets[0].score < mostOfThem*all[0].score):
		return s.union(all, false)
	case len(all) > 0 && len(sets) == 0 && !list:
		if all = slices.DeleteFunc(s.aside(all, false), func(l *linkSet) bool {
			return l.last >= before || v.Kind == kb.Terminal && tooMany(l)
		}); len(all) > 0 {
			return s.union(all, false)
		}
		return nil
	case len(sets) == 0:
		return nil
	}
	// Where lists lead to lists, what is beside the list names more of them: what lies in
	// what is listed.
	return s.union(sets, list && depth(s.page.Type, to) == 0)
}

// leadsTo reports whether an element is, or holds alone, a link to the first page of
// something of a level.
func (s *session) leadsTo(n int, to kb.LevelID) bool {
	a := s.anchor(n)
	if a < 0 {
		return false
	}
	href, _ := s.x.attr(a, "href")
	is := s.addressed(s.r.Link(href))
	return is.level == to && is.whole && is.key != s.own.key
}

// pure reports whether links lead to a level and nearly nowhere else, and scores them by
// how many things they name, and how: a title rather than a number.
func (s *session) pure(l *linkSet, to kb.LevelID) bool {
	in, named := 0, map[string]bool{}
	for i, u := range l.urls {
		a := s.addressed(u)
		if a.level != to || !a.whole {
			continue
		}
		if in++; a.key == s.own.key {
			continue // the page itself
		}
		if t := l.texts[i]; utf8.RuneCountInString(t) > 2 && strings.Trim(t, "0123456789 .,»«›‹") != "" {
			named[a.key] = true
		}
	}
	if float64(in) < pureShare*float64(len(l.urls)) || len(named) == 0 {
		return false
	}
	l.stray = len(l.urls) - in
	l.say(float64(len(named)), "their addresses are of such pages")
	return true
}

// union joins sets of links, the best first, with those that name more, unless the best
// is a list, and what else names such pages stands beside it.
func (s *session) union(sets []*linkSet, alone bool) *linkSet {
	best := *sets[0]
	if !alone {
		have := map[string]bool{}
		for _, u := range best.urls {
			have[s.addressed(u).key] = true
		}
		joined := 1
		for _, l := range sets[1:] {
			more := slices.ContainsFunc(l.urls, func(u string) bool { return !have[s.addressed(u).key] })
			if !more || l.stray > 0 || joined == mostJoined {
				continue
			}
			joined++
			best.expr = &xpath.Binary{Op: "|", Left: best.expr, Right: l.expr}
			for _, u := range l.urls {
				if k := s.addressed(u).key; !have[k] {
					have[k] = true
					best.urls = append(best.urls, u)
				}
			}
		}
	}
	best.score = toldScore
	return &best
}

const (
	mostOfThem = 0.7 // of all links to a level that the best set has: others stand beside the list
	mostAsked  = 40  // links of a group that are asked where they lead
	mostJoined = 3   // sets of links to one level
	toldScore  = 3.0 // of links whose addresses tell where they lead
)

// byAddress writes the links of a group to a level by what their addresses have and
// those of others have not, as a set for each form of address.
func (s *session) byAddress(to kb.LevelID, g *group) []*linkSet {
	if g.tag != "a" || g.outer != (xpath.Pred{}) || g.cond.Value.Name == "href" {
		return nil
	}
	var sets []*linkSet
	for _, form := range s.page.Type.URLs.Addresses {
		if form.Level != to || form.Part {
			continue
		}
		var preds []xpath.Pred
		if g.cond != (xpath.Pred{}) {
			preds = append(preds, g.cond)
		}
		for _, sign := range signs(form.Of) {
			preds = append(preds, xpath.Pred{Kind: xpath.Contains, Value: xpath.Test{Kind: xpath.Attr, Name: "href"}, Literal: sign.href()})
		}
		if len(preds) == 0 || preds[len(preds)-1] == g.cond {
			continue
		}
		var in, out []string
		for _, n := range s.x.step(xpath.Step{Test: xpath.Test{Kind: xpath.Tag, Name: "a"}, Preds: preds}).list {
			href, _ := s.x.attr(n, "href")
			switch a := s.addressed(s.r.Link(href)); {
			case a.level == to && a.whole:
				in = append(in, href)
			case href != "":
				out = append(out, href)
			}
		}
		if len(in) == 0 {
			continue
		}
		for _, word := range s.telling(in, out) {
			is := xpath.Pred{Kind: xpath.Contains, Value: xpath.Test{Kind: xpath.Attr, Name: "href"}, Literal: word}
			preds = append(preds, xpath.Pred{Kind: xpath.Not, Inner: &is})
			out = slices.DeleteFunc(out, func(href string) bool { return strings.Contains(href, word) })
		}
		for n := 0; len(out) > 0 && n < mostTelling; n++ { // "/forums/" beside "/forums/knots.2/"
			is := xpath.Pred{Kind: xpath.Equals, Value: xpath.Test{Kind: xpath.Attr, Name: "href"}, Literal: out[0]}
			preds = append(preds, xpath.Pred{Kind: xpath.Not, Inner: &is})
			out = slices.DeleteFunc(out, func(href string) bool { return href == is.Literal })
		}
		c := &candidate{proposed: true}
		c.reading.Expr = &xpath.Expr{Steps: []xpath.Step{{Test: xpath.Test{Kind: xpath.Tag, Name: "a"}, Preds: preds}}}
		c.expr = c.reading.Tree()
		c.cost.Worst, c.cost.Changes = true, 3
		if l := s.leads(c); s.pure(l, to) {
			sets = append(sets, l)
		}
	}
	return sets
}

// mostTelling bounds what is asked not to be in addresses.
const mostTelling = 4

// telling gives what is in addresses of one list and in none of another: names of
// parameters, folders of the path, or a fragment; the most frequent first.
func (s *session) telling(in, out []string) []string {
	var words []string
	for len(out) > 0 && len(words) < mostTelling {
		count := map[string]int{}
		for _, href := range out {
			for _, w := range addressWords.FindAllString(href, -1) {
				count[w]++
			}
		}
		best := ""
		for w, n := range count {
			if slices.ContainsFunc(in, func(href string) bool { return strings.Contains(href, w) }) {
				continue
			}
			if best == "" || n > count[best] || n == count[best] && w < best {
				best = w
			}
		}
		if best == "" {
			break
		}
		words = append(words, best)
		out = slices.DeleteFunc(out, func(href string) bool { return strings.Contains(href, best) })
	}
	return words
}

// addressWords are the parts of an address that stay the same from one to the next of
// its kind.
var addressWords = regexp.MustCompile(`[?&;][a-z_]+=(?:[a-z]+\b)?|/[a-z]{3,}(?:-|/|$)|#`)
