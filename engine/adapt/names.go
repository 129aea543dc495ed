package adapt

import (
	"net/url"
	"slices"
	"strings"

	"golang.org/x/net/html"

	"golang.org/x/net/html/atom"
)

// button reports whether what seems to be a name stands in links to several members: in those by which each is written to.
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

// homeward reports whether an element is, or lies in, a link to the front page: the name of the site, not of what is on the page.
func (s *session) homeward(n int) bool {
	href, ok := s.linkAt(n)
	if !ok {
		return false
	}
	u, err := url.Parse(s.r.Link(href))
	if err != nil || u.Host != s.page.URL.Host && u.Host != s.home || u.Path == s.page.URL.Path {
		return false
	}
	if u = unsaved(u); u.RawQuery != "" || strings.Contains(u.Path, "?") { // copies of sites keep a query in a name
		return false
	}
	file := u.Path[strings.LastIndexByte(u.Path, '/')+1:]
	return strings.Trim(u.Path, "/") == "" || strings.HasPrefix(file, "index.")
}

// siteNames are the names of the site that the page gives: what it says of itself, and what links to the front page show.
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

// leadsNowhere reports whether an element is, or lies in, a link that does something on the page, or leads to it: "Reply".
func (s *session) leadsNowhere(n int) bool {
	href, ok := s.linkAt(n)
	if !ok {
		return false
	}
	if strings.HasPrefix(href, "#") || strings.HasPrefix(strings.ToLower(href), "javascript:") {
		return true
	}
	u, err := url.Parse(s.r.Link(href))
	own := s.page.URL
	if err != nil || u.Host != own.Host {
		return false
	}
	path, _, _ := strings.Cut(u.Path, "?") // copies of sites keep it so
	if strings.Trim(strings.TrimSuffix(path, "index.html"), "/") != strings.Trim(own.Path, "/") {
		return false
	}
	asked := u.Query()
	for name, values := range own.Query() {
		if !slices.Equal(values, asked[name]) {
			return false
		}
	}
	return true
}

// afterLabel reports whether the text before an element, or its own first, ends a label: "Posted:".
func (s *session) afterLabel(n int) bool {
	const longest = 30 // bytes of a label
	for t := s.x.nodes[n].PrevSibling; t != nil; t = t.PrevSibling {
		text := t.Data
		if t.Type == html.ElementNode {
			text = s.x.read(t)
		}
		if text = strings.TrimSpace(text); text != "" {
			return len(text) <= longest && strings.HasSuffix(text, ":")
		}
	}
	first, _, found := strings.Cut(strings.TrimSpace(s.x.read(s.x.nodes[n])), ": ")
	return found && len(first) <= longest
}

// addressHas reports whether the link that an element is, or lies in, has a name in its address.
func (s *session) addressHas(n int, name string) bool {
	href, ok := s.linkAt(n)
	if !ok {
		return false
	}
	if is, err := url.PathUnescape(href); err == nil {
		href = is
	}
	return strings.Contains(plainTitle(href), name)
}
