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
	further bool // it leads to a further page of what the page shows
	folder  bool // other links of the page lead to what is in it
	rel     string
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
	folders := map[string]bool{}
	for _, n := range s.x.tags["a"] {
		href, _ := s.x.attr(n, "href")
		a := &anchor{node: n, href: href, url: s.r.Link(href)}
		if href == "" || a.url == "" {
			continue
		}
		a.text, a.at, a.local = strings.TrimSpace(textContent(s.x.nodes[n])), s.addressed(a.url), s.local(a.url) != nil
		a.trail = s.near(n, isTrail)
		a.menu = !a.trail && s.near(n, isMenu)
		a.further = s.further(a.url)
		a.rel, _ = s.x.attr(n, "rel")
		s.anchorsOf[n] = a
		for i := strings.Index(a.url, "://") + 3; i < len(a.url)-1; i++ {
			if a.url[i] == '/' {
				folders[a.url[:i+1]] = true
			}
		}
	}
	for _, a := range s.anchorsOf {
		at := strings.TrimSuffix(a.url, "/") + "/"
		a.folder = folders[at] && strings.Count(at, "/") > 3 // everything is in the front of the site
	}
	return s.anchorsOf
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

// near reports whether an element or one of the next around it has a name of a kind.
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
	return slices.Contains([]string{"nav", "navbar", "navigation", "sidebar", "footer"}, word) || strings.HasPrefix(word, "menu")
}

// further reports whether a link leads to a further page of what a page shows: the type's URL rules say that both are one object, and not
// the same page of it.
func further(p extract.Page, link string) bool {
	u, err := url.Parse(link)
	if err != nil || len(p.Type.URLs.Pagings) == 0 || u.Host != p.URL.Host {
		return false
	}
	rules := &p.Type.URLs
	return rules.ObjectKey(u) == rules.ObjectKey(p.URL) && rules.Key(u) != rules.Key(p.URL)
}

// further is what the type's URL rules say of a link where the page's address is known.
func (s *session) further(link string) bool {
	s.x.spend(urlWork)
	u := s.local(link)
	if u == nil || s.own.level == "" {
		return further(s.page, link)
	}
	rules := &s.page.Type.URLs
	return rules.ObjectKey(u) == s.own.key && rules.Key(u) != rules.Key(s.local(s.page.URL.String())) && numbered(rules, u)
}

// numbered reports whether what tells apart the pages of an object is a number in an address: "start=msg99" is the page of a post, and
// "start=new" the last.
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

var numbers = regexp.MustCompile(`\d+`)

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
