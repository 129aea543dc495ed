package adapt

import (
	"regexp"
	"slices"
	"sort"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/html/atom"

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

func (p *plan) add(spot kb.Spot, l *linkSet, by float64) {
	p.steps = append(p.steps, planned{spot, &l.candidate, by})
	p.score += l.score
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
	var sets []*linkSet
	seen := map[string]bool{}
	known := s.lex.known(s.category, purpose(spot))
	sources := s.sources(spot)
	for _, g := range s.allGroups() {
		if s.spent() {
			break
		}
		if !slices.ContainsFunc(g.typical(s.x, nil), func(m int) bool { return s.leadsTo(m, to) }) {
			continue
		}
		n := s.anchor(g.nodes[0])
		if n < 0 {
			continue
		}
		best, own := s.nearest(sources, "", g, n, -1, xpath.Test{}, known)
		var lists []*linkSet
		for _, c := range []*candidate{best, own, s.proposedLinks(g, best)} {
			if c != nil {
				lists = append(lists, s.leads(c))
			}
		}
		if l := s.byAddress(to, g); l != nil {
			lists = append(lists, l)
		}
		for _, l := range lists {
			key := strings.Join(l.urls, "\n")
			if len(l.urls) == 0 || seen[key] || !s.pure(l, to) || !list && l.last >= before {
				continue
			}
			seen[key] = true
			sets = append(sets, l)
		}
	}
	if !list {
		sets = s.aside(sets, v.Kind == kb.Terminal)
	}
	sort.SliceStable(sets, func(a, b int) bool { return sets[a].score > sets[b].score })
	switch all := s.byAddress(to, &group{tag: "a"}); {
	case all != nil && list && (len(sets) == 0 || sets[0].score < mostOfThem*all.score):
		return all
	case all != nil && len(sets) == 0 && all.last < before:
		return all
	case len(sets) == 0:
		return nil
	}
	return s.union(sets, list)
}

// aside leaves of sets of links those that are no menu; where there is a trail, and
// nothing else is expected, that alone.
func (s *session) aside(sets []*linkSet, trail bool) []*linkSet {
	in := func(l *linkSet) bool { return s.near(l.first, isTrail) }
	if trail && slices.ContainsFunc(sets, in) {
		return slices.DeleteFunc(sets, func(l *linkSet) bool { return !in(l) })
	}
	return slices.DeleteFunc(sets, func(l *linkSet) bool { return !in(l) && s.near(l.first, isMenu) })
}

// near tells whether an element or one of the next around it has a name of a kind.
func (s *session) near(n int, is func(word string) bool) bool {
	for m, up := n, 0; m >= 0 && up < 7; m, up = s.x.parent[m], up+1 {
		if s.x.nodes[m].DataAtom == atom.Nav && is("nav") {
			return true
		}
		for _, name := range []string{"class", "id", "itemtype"} {
			v, _ := s.x.attr(m, name)
			if slices.ContainsFunc(strings.FieldsFunc(strings.ToLower(v), func(r rune) bool { return r < 'a' || r > 'z' }), is) {
				return true
			}
		}
	}
	return false
}

func isTrail(word string) bool {
	return strings.Contains(word, "crumb") || word == "linktree" || word == "navbit"
}

func isMenu(word string) bool {
	return word == "nav" || word == "navbar" || word == "navigation" || strings.HasPrefix(word, "menu") || word == "sidebar" || word == "footer"
}

// leadsTo tells whether an element is, or holds alone, a link to the first page of
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

// pure tells whether links lead to a level and nearly nowhere else, and scores them by
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
	l.say(float64(len(named)), "their addresses are of such pages")
	return true
}

// union joins sets of links, the best first, with those that name more. Links that
// lead down are the list, and what else names such pages stands beside it.
func (s *session) union(sets []*linkSet, list bool) *linkSet {
	best := *sets[0]
	if !list {
		have := map[string]bool{}
		for _, u := range best.urls {
			have[s.addressed(u).key] = true
		}
		joined := 1
		for _, l := range sets[1:] {
			more := slices.ContainsFunc(l.urls, func(u string) bool { return !have[s.addressed(u).key] })
			if !more || joined == mostJoined {
				continue
			}
			joined++
			best.expr += " | " + l.expr
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
	mostJoined = 3   // sets of links to one level
	toldScore  = 3.0 // of links whose addresses tell where they lead
)

// byAddress writes the links of a group to a level by what their addresses have and
// those of others have not, as a set; nil where nothing does.
func (s *session) byAddress(to kb.LevelID, g *group) *linkSet {
	if g.tag != "a" || g.outer != (xpath.Pred{}) || g.cond.Value.Name == "href" {
		return nil
	}
	for _, form := range s.page.Type.URLs.Addresses {
		if form.Level != to || form.Part {
			continue
		}
		var preds []xpath.Pred
		if g.cond != (xpath.Pred{}) {
			preds = append(preds, g.cond)
		}
		for _, sign := range signs(form.Of) {
			text := sign.text
			if sign.param && !strings.HasSuffix(text, "/") {
				text += "="
			} else if !sign.param && !strings.Contains(text, ".") {
				text += "/"
			}
			preds = append(preds, xpath.Pred{Kind: xpath.Contains, Value: xpath.Test{Kind: xpath.Attr, Name: "href"}, Literal: text})
		}
		if len(preds) == 0 || preds[len(preds)-1] == g.cond {
			continue
		}
		var in, out []string
		for _, n := range s.x.step(xpath.Step{Test: xpath.Test{Kind: xpath.Tag, Name: "a"}, Preds: preds}).list {
			href, _ := s.x.attr(n, "href")
			if a := s.addressed(s.r.Link(href)); a.level == to && a.whole {
				in = append(in, href)
			} else {
				out = append(out, href)
			}
		}
		if len(in) == 0 {
			continue
		}
		for _, word := range s.telling(in, out) {
			is := xpath.Pred{Kind: xpath.Contains, Value: xpath.Test{Kind: xpath.Attr, Name: "href"}, Literal: word}
			preds = append(preds, xpath.Pred{Kind: xpath.Not, Inner: &is})
		}
		c := &candidate{proposed: true}
		c.reading.Expr = &xpath.Expr{Steps: []xpath.Step{{Test: xpath.Test{Kind: xpath.Tag, Name: "a"}, Preds: preds}}}
		c.expr = c.reading.Expr.String()
		c.cost.Worst, c.cost.Changes = true, 3
		if l := s.leads(c); s.pure(l, to) {
			return l
		}
	}
	return nil
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
