package adapt

import (
	"fmt"
	"net/url"
	"slices"
	"strings"

	"golang.org/x/net/html/atom"

	"github.com/awarc/awarc/kb"
)

// aside leaves of sets of links those that are no menu; where there is a trail, and
// nothing else is expected, that alone.
func (s *session) aside(sets []*linkSet, trail bool) []*linkSet {
	in := func(l *linkSet) bool { return s.inTrail(l.first) }
	if trail && slices.ContainsFunc(sets, in) {
		return slices.DeleteFunc(sets, func(l *linkSet) bool { return !in(l) })
	}
	return slices.DeleteFunc(sets, func(l *linkSet) bool { return !in(l) && s.near(l.first, isMenu) })
}

// inTrail reports whether a link is in a trail, by its name or by what it leads to: in a
// few links, some up from the page, that end with the page itself.
func (s *session) inTrail(n int) bool {
	if s.near(n, isTrail) {
		return true
	}
	for _, m := range s.trails() {
		if s.x.inside(n, m) {
			return true
		}
	}
	return false
}

// trails lists the elements that are trails by where their links lead.
func (s *session) trails() []int {
	if s.trailed {
		return s.trailsOf
	}
	s.trailed = true
	for _, n := range s.x.tags["a"] {
		if s.own.level == "" || s.x.length(n) == 0 || s.addressed(s.linkOf(n)).key != s.own.key {
			continue
		}
		for up := s.x.parent[n]; up >= 0; up = s.x.parent[up] {
			links := within(s.x.tags["a"], up, s.x)
			if len(links) > longestTrail || links[len(links)-1] != n {
				break
			}
			if slices.ContainsFunc(links, func(l int) bool {
				a := s.addressed(s.linkOf(l))
				return a.level != "" && a.level != s.own.level
			}) {
				s.trailsOf = append(s.trailsOf, up)
				break
			}
		}
	}
	return s.trailsOf
}

// tooMany tells that links are more than a trail has.
func tooMany(l *linkSet) bool { return len(l.urls) > longestTrail/2 }

// near reports whether an element or one of the next around it has a name of a kind.
func (s *session) near(n int, is func(word string) bool) bool {
	_, _, found := s.nameAround(n, is)
	return found
}

// nameAround gives the attribute and value by which an element or one of the next around
// it has a name of a kind; "" for its tag.
func (s *session) nameAround(n int, is func(word string) bool) (attr, value string, found bool) {
	for m, up := n, 0; m >= 0 && up < 7; m, up = s.x.parent[m], up+1 {
		if s.x.nodes[m].DataAtom == atom.Nav && is("nav") {
			return "", "", true
		}
		for _, name := range []string{"class", "id", "itemtype"} {
			v, _ := s.x.attr(m, name)
			if slices.ContainsFunc(strings.FieldsFunc(strings.ToLower(v), func(r rune) bool { return r < 'a' || r > 'z' }), is) {
				return name, v, true
			}
		}
	}
	return "", "", false
}

func isTrail(word string) bool {
	return strings.Contains(word, "crumb") || word == "linktree" || word == "navbit"
}

func isMenu(word string) bool {
	return word == "nav" || word == "navbar" || word == "navigation" || strings.HasPrefix(word, "menu") || word == "sidebar" || word ==
		"footer"
}

// hasForm reports whether the type's URL rules tell addresses of a level.
func (s *session) hasForm(id kb.LevelID) bool {
	return slices.ContainsFunc(s.page.Type.URLs.Addresses, func(a kb.Address) bool { return a.Level == id })
}

// longestTrail bounds the links of what is taken for a trail.
const longestTrail = 8

// above looks for the way to a level whose addresses tell nothing, and that leads to
// levels whose addresses do: in a trail each link leads down to the next, so that it is
// the last one before the first to such a level. nil for none.
func (s *session) above(spot kb.Spot, before int) *linkSet {
	below := s.below(spot.Follow.To)
	if len(below) == 0 {
		return nil
	}
	var marked, plain []int // links below, in what is named as a trail and elsewhere
	for _, n := range s.x.tags["a"] {
		if n >= before {
			break
		}
		switch a, told := s.told(n); {
		case !told || !slices.Contains(below, a.level) || !a.whole && a.key != s.own.key:
		case s.inTrail(n):
			marked = append(marked, n)
		case !s.near(n, isMenu):
			plain = append(plain, n)
		}
	}
	if len(marked) == 0 {
		marked = plain
	}
	for _, n := range marked {
		trail := s.trailOf(n)
		i := slices.Index(trail, n)
		if i < 1 {
			continue
		}
		a, _ := s.told(n)
		up := trail[i-1]
		if at, told := s.told(up); told && at.level != "" || ofArticle(s.page.Type) != "" && !s.homeward(up) {
			continue // beside an article also its author and subjects are named
		}
		for _, expr := range s.wayUp(up, a) {
			e, err := kb.NewExpr(expr)
			if err != nil {
				continue
			}
			c := &candidate{proposed: true, try: &kb.Try{Expr: e}, expr: e.Tree}
			c.cost.Worst, c.cost.Changes = true, 3
			if l := s.leadsOf(c, s.selected(e, -1)); len(l.urls) == 1 && l.urls[0] == s.linkOf(up) {
				l.score = toldScore
				l.why = append(l.why, "it stands above the rest of the trail")
				return l
			}
		}
	}
	return nil
}

// below lists the levels that a level leads down to.
func (s *session) below(id kb.LevelID) []kb.LevelID {
	var out []kb.LevelID
	for _, v := range s.page.Type.Level(id) {
		for _, f := range v.Follow {
			if !f.Paging && !f.Optional && down(s.page.Type, id, f.To) && s.hasForm(f.To) {
				out = append(out, f.To)
			}
		}
	}
	return out
}

func (s *session) linkOf(n int) string {
	href, _ := s.x.attr(n, "href")
	return s.r.Link(href)
}

// told reads where a link leads; false where that is no page of the site.
func (s *session) told(n int) (address, bool) {
	link := s.linkOf(n)
	return s.addressed(link), s.local(link) != nil
}

// trailOf lists the links of the smallest element around a link that has others before
// it, where they are few and all in front of it lead elsewhere on the site.
func (s *session) trailOf(n int) []int {
	for up := s.x.parent[n]; up >= 0; up = s.x.parent[up] {
		links := within(s.x.tags["a"], up, s.x)
		if len(links) > longestTrail {
			return nil
		}
		if len(links) > 0 && links[0] < n {
			return slices.DeleteFunc(slices.Clone(links),
				func(l int) bool { return s.local(s.linkOf(l)) == nil || s.x.length(l) == 0 && l != n })
		}
	}
	return nil
}

// wayUp writes a link of a trail as expressions: by its address, which is the same on
// all pages of a site, or as what stands before the first link below.
func (s *session) wayUp(n int, below address) []string {
	href, _ := s.x.attr(n, "href")
	var out []string
	u, err := url.Parse(href)
	if err == nil && u.RawQuery == "" && u.Fragment == "" && !strings.HasPrefix(href, ".") && !strings.Contains(href, "'") {
		out = append(out, fmt.Sprintf("a[@href='%s']", href))
	}
	in := ""
	if attr, value, _ := s.nameAround(n, isTrail); attr != "" && !strings.Contains(value, "'") {
		in = fmt.Sprintf("*[@%s='%s']//", attr, value)
	}
	for _, sign := range signs(below.form.Of) {
		out = append(out, fmt.Sprintf("(.//%sa[not(contains(@href, '%s'))][following::a[1][contains(@href, '%[2]s')]])[1]", in,
			sign.href()))
	}
	return out
}
