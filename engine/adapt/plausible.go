package adapt

import (
	"slices"

	"golang.org/x/net/html/atom"

	"github.com/awarc/awarc/kb"
	"github.com/awarc/awarc/relax"
	"github.com/awarc/awarc/yfilter/xpath"
)

// named reports whether a field is the name of a person.
func named(f *kb.Field) bool { return f.Name == "creator" || f.Name == "name" }

// hints says how strongly the names around a candidate's first node suggest what it is for.
func (s *session) hints(purpose string, sc *scope, c *candidate) float64 {
	best := 0.0
	for i, nodes := range c.nodes {
		if len(nodes) == 0 {
			continue
		}
		strength := 1.0
		for m := nodes[0]; m >= 0 && m != sc.records[i] && strength > 0.3; m = s.x.parent[m] {
			for _, cond := range s.x.conditions(m) {
				if cond.Value.Name == "href" {
					continue
				}
				if h := s.hint(purpose, cond.Literal) * strength; h > best {
					best = h
				}
			}
			strength -= 0.35
		}
		if to := c.target(); to.Kind == xpath.Attr {
			best = max(best, s.hint(purpose, to.Name))
		}
		break
	}
	return best
}

func (s *session) hint(purpose, literal string) float64 {
	key := purpose + "\x00" + literal
	h, known := s.hinted[key]
	if !known {
		h = s.lex.hint(purpose, literal)
		s.hinted[key] = h
	}
	return h
}

// bulky reports whether what a candidate for a content selects is a good part of its records; it spares reading texts.
func (s *session) bulky(sc *scope, c *candidate) bool {
	some := false
	for i, nodes := range c.nodes {
		got := 0
		for _, n := range nodes {
			got += s.x.length(n)
		}
		all := s.lengthOf(sc, i)
		if got > 0 && (sc.records[i] >= 0 && 10*got >= all || 20*got >= all) {
			some = true
		}
	}
	return some
}

func (s *session) lengthOf(sc *scope, i int) int {
	rec := sc.records[i]
	if rec < 0 {
		rec = 0
	}
	if sc.ends != nil {
		return max(1, s.x.after[sc.ends[i]-1]-s.x.text[rec])
	}
	return max(1, s.x.length(rec)-s.innerLength(rec, sc.inner, s.x.length))
}

func (s *session) innerLength(rec int, inner []int, length func(int) int) int {
	sum := 0
	for _, n := range within(inner, rec, s.x) {
		sum += length(n)
	}
	return sum
}

// headed reports whether a candidate for the text of a page holds its title, too.
func (s *session) headed(c *candidate, tk *taken) bool {
	for k := range tk.nodes[0] {
		if s.inTitle(s.x.read(s.x.nodes[k])) && s.heading(k) &&
			slices.ContainsFunc(c.nodes[0], func(n int) bool { return n != k && s.x.inside(k, n) }) {
			return true
		}
	}
	return false
}

// Shares of its object's text that a content has.
const (
	leastShare = 0.35 // or it is a small part of a page that is one text
	mostOf     = 0.8  // of what another one holds: the other adds signatures
	mostHeld   = 0.5  // of several objects in which it holds another field
	mereShare  = 0.3  // what it counts for of objects that say hardly anything
)

// page reports whether the object is the page itself.
func page(sc *scope) bool { return len(sc.records) == 1 && sc.records[0] < 0 }

// links is the share of a candidate's text that is in links.
func (s *session) links(c *candidate) float64 {
	all, linked := 1, 0
	for _, nodes := range c.nodes[:min(len(c.nodes), 6)] {
		for _, n := range nodes {
			all += s.x.length(n)
			if s.x.nodes[n].DataAtom == atom.A {
				linked += s.x.length(n)
			}
			for _, a := range within(s.x.tags["a"], n, s.x) {
				linked += s.x.length(a)
			}
		}
	}
	return float64(linked) / float64(all)
}

// heading reports whether an element is a heading, or lies in one.
func (s *session) heading(n int) bool {
	for up := 0; n >= 0 && up < 3; n, up = s.x.parent[n], up+1 {
		if isHeading(s.x.nodes[n]) {
			return true
		}
	}
	return false
}

// inMenu reports whether an element is an item of a menu.
func (s *session) inMenu(n int) bool {
	for m, up := n, 0; m >= 0 && s.x.nodes[m].DataAtom != atom.Body; m, up = s.x.parent[m], up+1 {
		class, _ := s.x.attr(m, "class")
		named := up < 5 && s.x.nodes[m].DataAtom == atom.Li && slices.ContainsFunc(relax.Words(class), isMenu)
		if named || s.x.nodes[m].DataAtom == atom.Nav {
			return true
		}
	}
	return false
}

// inNav reports whether an element is in a nav element: HTML's, for links that lead through the site.
func (s *session) inNav(n int) bool {
	for n >= 0 && s.x.nodes[n].DataAtom != atom.Nav {
		n = s.x.parent[n]
	}
	return n >= 0
}

// heads reports whether a candidate is the only heading of the first rank on the page.
func (s *session) heads(c *candidate) bool {
	list := s.x.tags["h1"]
	return len(list) == 1 && len(c.nodes[0]) > 0 && s.x.inside(c.nodes[0][0], list[0])
}
