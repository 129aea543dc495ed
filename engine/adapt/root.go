package adapt

import (
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/awarc/awarc/engine/extract"
	"github.com/awarc/awarc/kb"
	"github.com/awarc/awarc/yfilter/xpath"
)

// root is where the addresses of a type begin on a site: the page of the level that all lists are reached from, the index of a forum.
type root struct {
	level kb.LevelID // "" where the type has none
	base  string     // its path
	rules *kb.URLRules
}

// rootOf finds the root of a site by what most addresses of the links of a page have in front of what the type's URL rules name; the
// front of the site where none tells.
func rootOf(t *kb.Type, links []*url.URL) root {
	r := root{level: rootLevel(t), rules: &t.URLs}
	if r.level == "" {
		return r
	}
	count := map[string]int{"/": 0}
	seen := map[string]bool{}
	for _, u := range links {
		a := t.URLs.Level(u)
		if a == nil {
			continue
		}
		key := t.URLs.ObjectKey(u)
		if folder, told := folderOf(key, a); told && !seen[key] {
			count[folder]++
			seen[key] = true
		}
	}
	r.base = most(count)
	return r
}

// rootLevel gives the level from which all lists of a type are reached; "" where no level, or several, are farthest from content.
func rootLevel(t *kb.Type) kb.LevelID {
	const least = 2
	best, far := kb.LevelID(""), 0
	for _, v := range t.Levels {
		switch d := depth(t, v.ID); {
		case d == unreached || d < least || v.ID == best:
		case d > far:
			best, far = v.ID, d
		case d == far:
			return ""
		}
	}
	return best
}

// folderOf is what stands in an address before its form.
func folderOf(key string, a *kb.Address) (folder string, told bool) {
	u, err := url.Parse(key)
	if err != nil {
		return "", false
	}
	target := u.EscapedPath()
	if u.RawQuery != "" {
		target += "?" + u.RawQuery
	}
	m := a.Form.FindStringIndex(target)
	if m == nil {
		return "", false
	}
	folder = target[:m[0]]
	return folder, strings.HasSuffix(folder, "/")
}

// is reports whether an address of the site is the root, or the script there that shows what a folder is.
func (r root) is(u *url.URL) bool {
	if r.level == "" || u == nil {
		return false
	}
	key, err := url.Parse(r.rules.ObjectKey(u))
	return err == nil && key.RawQuery == "" && (key.EscapedPath() == r.base || key.EscapedPath() == r.base+"index"+scriptExt)
}

// rooted is the root of the site of the page, asked once.
func (s *session) rooted() root {
	if s.rootOf == nil {
		var links []*url.URL
		for _, n := range s.x.tags["a"] {
			if u := s.local(s.linkOf(n)); u != nil {
				s.x.spend(addressWork)
				links = append(links, u)
			}
		}
		r := rootOf(s.page.Type, links)
		s.rootOf = &r
	}
	return *s.rootOf
}

// rootAddress is the address of the root, by one of the links to it.
func (s *session) rootAddress(u *url.URL) address {
	return address{level: s.rooted().level, whole: true, key: s.page.Type.URLs.ObjectKey(u)}
}

// markRoot notes which links lead to the root, where the type's URL rules tell no address of its level.
func (s *session) markRoot() {
	r := s.rooted()
	for _, a := range s.anchorsOf {
		if a.at.level == r.level {
			return
		}
	}
	for _, a := range s.anchorsOf {
		if u := s.local(a.url); a.at.level == "" && r.is(u) {
			a.at = s.rootAddress(u)
		}
	}
}

// toRoot writes links to the root as expressions.
func (r *route) toRoot() []*candidate {
	if r.spot.Follow.To != r.s.rooted().level {
		return nil
	}
	var out []*candidate
	for _, n := range r.s.x.tags["a"] {
		a := r.s.anchored()[n]
		if a == nil || !r.wanted[a] || strings.Contains(a.href, "'") {
			continue
		}
		if e, err := kb.NewExpr(fmt.Sprintf("a[@href='%s']", a.href)); err == nil {
			out = append(out, trial(e, nil, 2))
		}
	}
	return out
}

// rootPattern writes as a pattern of the root level that the page is the folder where the addresses of the site begin; "" for others.
func (s *session) rootPattern(v *kb.Level) string {
	path := s.page.URL.Path
	if r := s.rooted(); r.level != v.ID || path != r.base || s.page.URL.RawQuery != "" || strings.ContainsAny(path, "'%") {
		return ""
	}
	e := fmt.Sprintf("url/path[.='%s']", path)
	if x, err := xpath.Parse(e); err != nil || len(s.x.selectIn(x, -1)) == 0 {
		return ""
	}
	return e
}

// unfollowed finds links of a list to lists above it, and to content that no list of the type leads to, of which no action of the level
// tells. It asks the addresses, which no template changes. Pages of content are not asked: that they lead to no list is mostly meant.
func (j *judge) unfollowed() {
	v := j.h.Level
	var asked []kb.LevelID
	for _, to := range implied(j.p.Type, v) {
		if !slices.ContainsFunc(v.Follow, func(f *kb.Follow) bool { return f.To == to && !f.Paging }) {
			asked = append(asked, to)
		}
	}
	if len(asked) == 0 {
		return
	}
	var links []*url.URL
	for _, l := range extract.AllLinks(j.p) {
		if u, err := url.Parse(l.URL); err == nil && u.Host == j.p.URL.Host {
			links = append(links, unsaved(u))
		}
	}
	rules, r := &j.p.Type.URLs, rootOf(j.p.Type, links)
	own := rules.ObjectKey(unsaved(j.p.URL))
	for _, to := range asked {
		if slices.ContainsFunc(links, func(u *url.URL) bool {
			a := rules.Level(u)
			return (a != nil && a.Level == to && !a.Part || a == nil && r.level == to && r.is(u)) && rules.ObjectKey(u) != own
		}) {
			j.fault(NoLink, v, kb.FollowPart(to, false), "the page names some")
		}
	}
}
