package adapt

import (
	"net/url"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/html/atom"

	"github.com/awarc/awarc/engine/extract"
	"github.com/awarc/awarc/kb"
)

// anchor is a link of the page with what is known of it by itself.
type anchor struct {
	node    int
	href    string // as it is written
	url     string
	text    string
	at      address
	local   bool // it leads to a page of the site
	trail   bool // it is in a trail
	menu    bool // it is in what is named as a menu, and in no trail
	headed  bool // it is in a heading, or around one
	shunned bool // programs are asked not to follow it
}

// named reports whether readers are told where it leads: numbers and signs alone do not.
func (a *anchor) named() bool {
	return utf8.RuneCountInString(a.text) > 2 && strings.Trim(a.text, "0123456789 .,»«›‹") != ""
}

// anchored are the links of the page that lead anywhere, by their elements. They are read once.
func (s *session) anchored() map[int]*anchor {
	if s.anchorsOf != nil {
		return s.anchorsOf
	}
	s.anchorsOf = map[int]*anchor{}
	for _, n := range s.x.tags["a"] {
		href, _ := s.x.attr(n, "href")
		a := &anchor{node: n, href: href, url: s.r.Link(href)}
		if href == "" || a.url == "" {
			continue
		}
		a.text, a.at, a.local = strings.TrimSpace(textContent(s.x.nodes[n])), s.addressed(a.url), s.local(a.url) != nil
		a.headed = s.inHeading(n)
		rel, _ := s.x.attr(n, "rel")
		a.shunned = strings.Contains(rel, "nofollow")
		s.anchorsOf[n] = a
	}
	s.markRoot()
	trails := s.trails()
	for n, a := range s.anchorsOf {
		a.trail = s.near(n, isTrail) || slices.ContainsFunc(trails, func(m int) bool { return s.x.inside(n, m) })
		a.menu = !a.trail && s.near(n, isMenu)
	}
	return s.anchorsOf
}

// inHeading reports whether a link is in a heading, or a heading is all that it holds.
func (s *session) inHeading(n int) bool {
	return s.heading(n) || n+1 < s.x.end[n] && isHeading(s.x.nodes[n+1])
}

// anchorsIn lists the links inside an element, or the element itself.
func (s *session) anchorsIn(n int) []*anchor {
	var out []*anchor
	for _, m := range within(s.x.tags["a"], n, s.x) {
		if a := s.anchored()[m]; a != nil {
			out = append(out, a)
		}
	}
	return out
}

// linkOf gives where a link leads; "" for nowhere.
func (s *session) linkOf(n int) string {
	href, _ := s.x.attr(n, "href")
	return s.r.Link(href)
}

// alone gives the link that an element is, or holds alone; -1 for none.
func (s *session) alone(n int) int {
	if s.x.nodes[n].DataAtom == atom.A {
		return n
	}
	if in := within(s.x.tags["a"], n, s.x); len(in) == 1 {
		return in[0]
	}
	return -1
}

// longestTrail bounds the links of what is taken for a trail.
const longestTrail = 8

// trails lists the elements that are trails by where their links lead: a few links, some
// up from the page, that end with the page itself.
func (s *session) trails() []int {
	var out []int
	for _, n := range s.x.tags["a"] {
		a := s.anchorsOf[n]
		if a == nil || s.own.level == "" || s.x.length(n) == 0 || a.at.key != s.own.key {
			continue
		}
		for up := s.x.parent[n]; up >= 0; up = s.x.parent[up] {
			links := within(s.x.tags["a"], up, s.x)
			if len(links) > longestTrail || links[len(links)-1] != n {
				break
			}
			if slices.ContainsFunc(links, func(l int) bool {
				a := s.anchorsOf[l]
				return a != nil && a.at.level != "" && a.at.level != s.own.level
			}) {
				out = append(out, up)
				break
			}
		}
	}
	return out
}

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

// further reports whether a link leads to a further page of what a page shows: the
// type's URL rules say that both are one object, and not the same page of it.
func further(p extract.Page, link string) bool {
	u, err := url.Parse(link)
	if err != nil || len(p.Type.URLs.Pagings) == 0 || u.Host != p.URL.Host {
		return false
	}
	rules := &p.Type.URLs
	return rules.ObjectKey(u) == rules.ObjectKey(p.URL) && rules.Key(u) != rules.Key(p.URL)
}

// further is what the type's URL rules say of a link, asked once.
func (s *session) further(link string) bool {
	is, known := s.furthers[link]
	if !known {
		s.x.spend(urlWork)
		if u := s.local(link); u != nil && s.own.level != "" {
			rules := &s.page.Type.URLs
			is = rules.ObjectKey(u) == s.own.key && rules.Key(u) != rules.Key(s.local(s.page.URL.String())) && numbered(rules, u)
		} else {
			is = further(s.page, link)
		}
		s.furthers[link] = is
	}
	return is
}

// numbered reports whether what tells apart the pages of an object is a number in an
// address: "start=msg99" is the page of a post, and "start=new" the last.
func numbered(rules *kb.URLRules, u *url.URL) bool {
	key, err := url.Parse(rules.Key(u))
	if err != nil {
		return false
	}
	asked := key.Query()
	return !slices.ContainsFunc(rules.Pagings, func(p kb.Paging) bool {
		return p.Param != "" && strings.Trim(asked.Get(p.Param), "0123456789") != ""
	})
}

// ofOther reports whether the script of an address shows other levels than one: lists in
// another order, mostly.
func (s *session) ofOther(link string, to kb.LevelID) bool {
	u := s.local(link)
	if u == nil {
		return false
	}
	name := u.Path[strings.LastIndexByte(u.Path, '/')+1:]
	other := false
	for _, a := range s.page.Type.URLs.Addresses {
		if strings.HasSuffix(name, scriptExt) && slices.Contains(signs(a.Of), sign{text: name}) {
			if a.Level == to {
				return false
			}
			other = true
		}
	}
	return other
}

var numbers = regexp.MustCompile(`\d+`)

// services reports whether links ask one script for different things by words alone
// (search.php?search_id=newposts): a menu. What a script shows many of has numbers.
func services(urls []string) bool {
	path := ""
	for _, link := range urls {
		u, err := url.Parse(link)
		if err != nil || u.RawQuery == "" || numbers.MatchString(u.RawQuery) || path != "" && u.Path != path {
			return false
		}
		path = u.Path
	}
	return true
}

// shapeOf is an address without its numbers and the words of its last part.
func shapeOf(link string) string {
	u, err := url.Parse(link)
	if err != nil {
		return ""
	}
	parts := strings.Split(strings.Trim(u.Path, "/"), "/")
	if last := len(parts) - 1; !strings.Contains(parts[last], ".php") {
		parts[last] = "*"
	}
	var names []string
	for name := range u.Query() {
		names = append(names, name)
	}
	slices.Sort(names)
	return u.Host + "/" + numbers.ReplaceAllString(strings.Join(parts, "/"), "#") + "?" + strings.Join(names, "&")
}
