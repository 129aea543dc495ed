package adapt

import (
	"net/url"
	"strings"

	"golang.org/x/net/html/atom"

	"github.com/awarc/awarc/engine/dates"
	"github.com/awarc/awarc/kb"
)

// judgeName scores the name of a person: short, often a link to a profile, not
// the same in all objects.
func (s *session) judgeName(f *kb.Field, sc *scope, tk *taken, c *candidate) bool {
	if page(sc) && f.Name == "name" && c.cost.Distance > near && !strings.Contains(s.title, plainTitle(c.values[0])) {
		return false // nothing repeats, so that any word of a menu would do
	}
	if page(sc) && len(c.nodes[0]) > 0 && s.ofVisitors(c.nodes[0][0]) {
		return false
	}
	sum, n := 0.0, 0
	for _, v := range c.values {
		if v == "" {
			continue
		}
		n++
		k := nameLike(v)
		if dates.Like(v) && len(v) > 7 {
			k = 0
		}
		sum += k
	}
	like := sum / float64(max(n, 1))
	if c.agreed {
		like = 1 // whatever stands in it
	}
	if like < 0.4 || labelled(c.values) || s.titles(sc, c.values) {
		return false
	}
	c.say(1.4*like, "short as a name")
	if s.button(c) {
		return false
	}
	links, profiles, whole := 0, 0, 0
	for _, nodes := range c.nodes {
		if len(nodes) == 0 {
			continue
		}
		if href, ok := s.linkAt(nodes[0]); ok {
			links++
			if s.profile(href) {
				profiles++
				if s.onlyLink(nodes[0]) {
					whole++
				}
			}
		}
	}
	if links > 0 { // guests have none
		c.say(0.5*min(1, 2*float64(links)/float64(n)), "a link")
	}
	if profiles > 0 {
		c.say(0.9*min(1, 2*float64(profiles)/float64(n)), "to a profile")
	}
	c.profiles = whole == n
	if s.unknown && 2*whole > n {
		c.say(0.2, "and nothing else")
	}
	if n > 2 {
		if d := distinct(c.values); d*float64(n) < 1.5 {
			c.say(-1.6, "") // a button
		} else {
			c.say(0.4, "it varies")
		}
	}
	c.say(-2*tk.within(s.x, c), "")
	c.say(-0.5*tk.holds(s.x, c), "")
	return true
}

// button reports whether what seems to be a name stands in links to several members: in those
// by which each is written to.
func (s *session) button(c *candidate) bool {
	leads := map[string]string{} // of each value
	again, others := 0, 0
	for i, nodes := range c.nodes {
		if len(nodes) == 0 || c.values[i] == "" {
			continue
		}
		href, _ := s.linkAt(nodes[0])
		to := s.r.Link(href)
		if was, seen := leads[c.values[i]]; !s.profile(href) {
			continue
		} else if seen && was != to {
			others++
		} else if seen {
			again++
		}
		leads[c.values[i]] = to
	}
	return others > again
}

// titles reports whether values are in most of several objects the title of their page,
// with "Re:" or without.
func (s *session) titles(sc *scope, values []string) bool {
	const shortest = 6 // letters and digits
	n, titles := 0, 0
	for _, v := range values {
		if v == "" {
			continue
		}
		n++
		_, rest, _ := strings.Cut(v, ":")
		for _, t := range []string{plainTitle(v), plainTitle(rest)} {
			if len(t) >= shortest && strings.HasPrefix(s.title, t) {
				titles++
				break
			}
		}
	}
	return n > 1 && 2*titles > n
}

// linkAt gives the address of the link that an element is, lies in or holds alone.
func (s *session) linkAt(n int) (string, bool) {
	for m, up := n, 0; m >= 0 && up < 3; m, up = s.x.parent[m], up+1 {
		if s.x.nodes[m].DataAtom == atom.A {
			return s.x.attr(m, "href")
		}
	}
	if in := within(s.x.tags["a"], n, s.x); len(in) > 0 {
		return s.x.attr(in[0], "href")
	}
	return "", false
}

// onlyLink reports whether an element is a link, or shows nothing but that of one.
func (s *session) onlyLink(n int) bool {
	if s.x.nodes[n].DataAtom == atom.A {
		return true
	}
	in := within(s.x.tags["a"], n, s.x)
	return len(in) == 1 && s.x.length(in[0]) == s.x.length(n)
}

// homeward reports whether an element is, or lies in, a link to the front page: the
// name of the site, not of what is on the page.
func (s *session) homeward(n int) bool {
	href, ok := s.linkAt(n)
	if !ok {
		return false
	}
	u, err := url.Parse(s.r.Link(href))
	if err != nil || u.Host != s.page.URL.Host && u.Host != s.home || u.RawQuery != "" || u.Path == s.page.URL.Path {
		return false
	}
	file := u.Path[strings.LastIndexByte(u.Path, '/')+1:]
	return strings.Trim(u.Path, "/") == "" || strings.HasPrefix(file, "index.")
}

// siteNames are the names of the site that the page gives: what it says of itself, and
// what links to the front page show.
func (s *session) siteNames() map[string]bool {
	if s.sites != nil {
		return s.sites
	}
	s.sites = map[string]bool{}
	note := func(name string) {
		if name = plainTitle(name); name != "" {
			s.sites[name] = true
		}
	}
	for _, n := range s.x.tags["meta"] {
		if v, _ := s.x.attr(n, "property"); v == "og:site_name" {
			name, _ := s.x.attr(n, "content")
			note(name)
		}
	}
	for _, n := range s.x.tags["a"] {
		if !s.homeward(n) {
			continue
		}
		note(s.x.read(s.x.nodes[n]))
		for _, img := range within(s.x.tags["img"], n, s.x) {
			alt, _ := s.x.attr(img, "alt")
			note(alt)
		}
	}
	return s.sites
}

// profile reports whether an address looks like that of a member.
func (s *session) profile(href string) bool {
	for _, w := range []string{"profile", "member", "user", "author", "people", "/u/", "u=", "uid="} {
		if strings.Contains(strings.ToLower(href), w) {
			return true
		}
	}
	return false
}

// farText is how much text, in bytes, may lie between the fields of an object
// that is the page itself.
const farText = 700

// judgeTitle scores a title, and other short texts.
func (s *session) judgeTitle(f *kb.Field, sc *scope, tk *taken, c *candidate) bool {
	if f.Many && c.stated {
		c.say(agreed, "links that say what they are")
	}
	headings, n, alike := 0, 0, 0
	for i, nodes := range c.nodes {
		if len(nodes) == 0 || c.values[i] == "" {
			continue
		}
		n++
		if s.x.nodes[nodes[0]].DataAtom == atom.Title && c.match == nil {
			return false // it names the site, too
		}
		if f.Name == "title" && page(sc) && s.inMenu(nodes[0]) {
			return false // of all pages
		}
		if f.Name == "title" && page(sc) && s.siteNames()[plainTitle(c.values[i])] {
			return false
		}
		if len(c.values[i]) > 300 || len(sc.records) == 1 && f.Name == "title" && s.homeward(nodes[0]) {
			return false
		}
		if s.heading(nodes) {
			headings++
		}
		if t := plainTitle(c.values[i]); f.Name == "title" && (s.partOfTitle(c.values[i]) || !page(sc) && s.inTitle(c.values[i])) {
			alike++
			if len(sc.records) == 1 {
				c.say(1.2*min(1, float64(len(t))/float64(max(1, len(s.title)))*1.6), "in the page's title")
			}
		}
	}
	if f.Name == "title" && len(sc.records) == 1 && s.title != "" && alike == 0 {
		if s.heads(c) {
			c.say(1, "the only heading of the page")
		} else {
			c.say(-0.8, "")
		}
	}
	share := 0.0
	if f.Name == "title" {
		share = s.answers(c.values, 0)
	}
	switch {
	case share > 0:
		c.say(answered*share, "the page's title, or what answers it")
	case alike > 0:
		c.say(0.8, "in the page's title")
	}
	if 2*headings > n {
		c.say(0.7, "a heading")
	}
	if f.Name == "title" && page(sc) && alike > 0 && s.leadsHere(c.nodes[0][0]) {
		c.say(0.7, "it leads to the page itself")
	}
	c.say(-1.5*tk.within(s.x, c), "")
	c.say(-1*tk.holds(s.x, c), "")
	return true
}

// inTitle reports whether a text is in the title of the window.
func (s *session) inTitle(v string) bool {
	t := plainTitle(v)
	return len(t) > 2 && strings.Contains(s.title, t)
}

// leadsHere reports whether an element is a link to what the page shows, or lies in one.
func (s *session) leadsHere(n int) bool {
	href, ok := s.linkAt(n)
	return ok && s.own.key != "" && s.addressed(s.r.Link(href)).key == s.own.key
}
