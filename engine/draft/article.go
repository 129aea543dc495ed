package draft

import (
	"maps"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/awarc/awarc/engine/read/page"
)

// article is the one text of a page, beside the posts on it.
type article struct {
	fields
	without []string // expressions of what of content is none: posts, forms, author and date
	bylines []byline // where the name of the author stands
}

// byline is an element with the name of the author behind some words.
type byline struct {
	at    selector
	after string
}

// path is the expression of the name.
func (b byline) path() string {
	if b.after == "" {
		return b.at.firstPath()
	}
	return "substring-after(" + b.at.firstPath() + ", '" + b.after + "')"
}

const leastArticle = 300 // letters of a text, on average

// mostJoined is how many pages are read as one.
const mostJoined = 12

// together finds posts that are few on each page, by reading several pages as one. One post a page
// is an article where the title of the page stands in it.
func together(group []*Page) (f fields, ok bool) {
	group = spread(group, mostJoined)
	if f, ok = learn([]*Page{joined(group, selector{})}, len(group)); !ok || !f.signed() {
		return f, false
	}
	if len(f.posts) > len(group) {
		return f, true
	}
	titled := 0
	for _, p := range group {
		for n := range bodyOf(p.Doc).Descendants() {
			heading := n.DataAtom == atom.H1 || n.DataAtom == atom.H2 || n.DataAtom == atom.H3
			if text := textOf(n); heading && text != "" && strings.Contains(p.title, text) && !f.at.around(n) {
				titled++
				break
			}
		}
	}
	return f, float64(titled) >= mostOf*float64(len(group))
}

// around reports whether an element is in one that the selector selects.
func (s selector) around(n *html.Node) bool {
	for ; n != nil; n = n.Parent {
		if s.isLike(n) {
			return true
		}
	}
	return false
}

// articleOf finds the text of the pages of a group that is in no post: the element with most text
// that few other pages have, the innermost of those.
func articleOf(group []*Page, posts *fields) (a article, ok bool) {
	var without selector
	if posts != nil {
		without = posts.at
	}
	some := spread(group, sample)
	size, depth, on := map[selector]int{}, map[selector]int{}, map[selector]int{}
	for _, p := range some {
		j := joined([]*Page{p}, without)
		a.posts = append(a.posts, post{page: j, top: bodyOf(j.Doc)})
		own := lettersOf(j.model, p.texts)
		seen := map[selector]bool{}
		for k, n := range j.model.Nodes {
			if n.Type != html.ElementNode || k == 0 || n.DataAtom == atom.A {
				continue
			}
			for _, s := range selectors(n.Node, bodyOf(j.Doc)) {
				if letters := own[n.End] - own[k]; letters > 0 && !seen[s] {
					seen[s] = true
					size[s] += letters
					depth[s] += n.Depth
					on[s]++
				}
			}
		}
	}
	most := 0
	for s, n := range on {
		if float64(n) >= mostOf*float64(len(some)) {
			most = max(most, size[s])
		}
	}
	if a.weight = most; most < leastArticle*len(some) {
		return a, false
	}
	a.content, ok = best(on, func(s selector, n int) float64 {
		if float64(n) < mostOf*float64(len(some)) || float64(size[s]) < nearlyAll*float64(most) {
			return 0
		}
		return float64(depth[s]) / float64(n)
	})
	a.sign()
	if posts != nil {
		a.leaveOut(group, posts)
	}
	return a, ok
}

// lettersOf counts the letters of some texts outside of links before each node.
func lettersOf(m *page.Page, texts map[uint64]bool) []int {
	out := make([]int, len(m.Nodes)+1)
	for k, n := range m.Nodes {
		out[k+1] = out[k]
		if n.Type == html.TextNode && m.LinkLetters(k) == 0 && texts[m.Sum(k)] {
			out[k+1] += m.Letters(k)
		}
	}
	return out
}

// mostBylines is how many places of a name a template has: another one for authors who say something
// of themselves.
const mostBylines = 3

// sign finds date and author of articles: the places that most of the pages have, with the most
// values.
func (a *article) sign() {
	found := func(pages []post, value func(m *page.Page, k int) string, least float64) (selector, []string) {
		elsewhere := func(s selector) bool {
			return slices.ContainsFunc(a.posts, func(p post) bool {
				return s.first(p.top) != nil && slices.ContainsFunc(a.bylines, func(b byline) bool { return b.at.first(p.top) != nil })
			})
		}
		of := map[selector]map[string]int{}
		for _, p := range pages {
			m, seen := p.page.model, map[selector]bool{}
			for k, n := range m.Nodes {
				if n.Type != html.ElementNode || m.Letters(k) > longestName {
					continue
				}
				v := value(m, k)
				for _, s := range selectors(n.Node, p.top) {
					if !seen[s] && v != "" {
						if of[s] == nil {
							of[s] = map[string]int{}
						}
						of[s][v]++
					}
					seen[s] = true
				}
			}
		}
		s, _ := best(of, func(s selector, values map[string]int) float64 {
			on, size := 0, 0
			for v, n := range values {
				on += n
				size += n * len(v)
			}
			if float64(on) < least*float64(len(pages)) || len(values) < 2 && len(pages) == len(a.posts) ||
				elsewhere(s) {
				return 0
			}
			return float64(on+len(values)) / float64(100+size/on)
		})
		return s, slices.Sorted(maps.Keys(of[s]))
	}
	a.created, _ = found(a.posts, func(m *page.Page, k int) string { iso, _ := m.Date(k); return iso }, nearlyAll)
	a.readDate()
	rest := slices.Clone(a.posts)
	for len(a.bylines) < mostBylines && 10*len(rest) > len(a.posts) {
		at, names := found(rest, func(m *page.Page, k int) string {
			if iso, _ := m.Date(k); iso != "" || !saysAuthor(m.Nodes[k].Node) {
				return ""
			}
			return m.Text(k)
		}, 0.5)
		if at.name == "" {
			break
		}
		a.bylines = append(a.bylines, byline{at, shared(names)})
		rest = slices.DeleteFunc(rest, func(p post) bool { return at.first(p.top) != nil })
	}
	if 2*len(rest) > len(a.posts) {
		a.bylines = nil
	}
}

// signPosts finds the author of posts whose authors differ too little for the reader, by the names
// that the template has for authors.
func (f *fields) signPosts() {
	on := map[selector]int{}
	for i := range f.posts {
		seen := map[selector]bool{}
		for n := range f.posts[i].top.Descendants() {
			if n.Type != html.ElementNode {
				continue
			}
			text := textOf(n)
			for _, s := range selectors(n, f.posts[i].top) {
				if !seen[s] && text != "" && len(text) <= longestName && saysAuthor(n) {
					on[s]++
				}
				seen[s] = true
			}
		}
	}
	f.creator, _ = best(on, func(_ selector, n int) float64 { return float64(n) - nearlyAll*float64(len(f.posts)) })
}

const longestName = 40 // letters

// shared are the words that all of several sorted values begin with: "By".
func shared(values []string) string {
	const several = 3 // or those who write have one first name
	if len(values) < several {
		return ""
	}
	first, last := values[0], values[len(values)-1] // words that both have, all have
	end := 0
	for i := range min(len(first), len(last)) {
		if first[i] != last[i] {
			break
		}
		if first[i] == ' ' {
			end = i + 1
		}
	}
	return quotable(first[:end])
}

var authorWords = regexp.MustCompile(`(?i)author|user|member|profile|poster|nick`)

// saysAuthor reports whether an element says that it names somebody, by the relation of HTML, a
// class, microdata or its address.
func saysAuthor(n *html.Node) bool {
	of := func(n *html.Node) string { return page.Attr(n, "class") + " " + page.Attr(n, "itemprop") }
	return authorWords.MatchString(of(n)+" "+page.Attr(n, "rel")+" "+page.Attr(n, "href")) ||
		n.Parent != nil && authorWords.MatchString(of(n.Parent))
}

// leaveOut finds what of the element of the content is none, where posts are in it: of the elements
// right in it those that hold posts, or that say in brief who wrote it when.
func (a *article) leaveOut(group []*Page, posts *fields) {
	const brief = 200 // letters
	type seen struct{ holds, says bool }
	parts, has := map[string]seen{}, false
	for _, p := range group {
		content := a.content.first(bodyOf(p.Doc))
		if content == nil {
			continue
		}
		has = has || posts.at.first(content) != nil
		for c := range content.ChildNodes() {
			e := named(c)
			if e == "" {
				continue
			}
			signs := false
			for _, s := range a.signs() {
				signs = signs || s.name != "" && (s.isLike(c) || s.first(c) != nil)
			}
			text := textOf(c)
			s := parts[e]
			s.holds = s.holds || posts.at.first(c) != nil || posts.at.isLike(c)
			s.says = s.says || len(text) > brief || text != "" && !signs && c.DataAtom != atom.Form
			parts[e] = s
		}
	}
	for _, e := range slices.Sorted(maps.Keys(parts)) {
		if has && (parts[e].holds || !parts[e].says) {
			a.without = append(a.without, e)
		}
	}
}

// signs are the selectors of date and author.
func (a *article) signs() []selector {
	out := []selector{a.created}
	for _, b := range a.bylines {
		out = append(out, b.at)
	}
	return out
}

// named is an expression of an element by its id or its classes, "" for one that has none.
func named(n *html.Node) string {
	if n.Type != html.ElementNode {
		return ""
	}
	if id := page.Attr(n, "id"); id != "" && !strings.ContainsAny(id, "0123456789'") {
		return n.Data + "[@id='" + id + "']"
	}
	if c := classes(n); len(c) > 0 {
		return selector{name: n.Data, class: c[0]}.step()
	}
	if n.DataAtom == atom.Form || n.DataAtom == atom.Script || n.DataAtom == atom.Style {
		return n.Data
	}
	return ""
}
