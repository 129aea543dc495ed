package draft

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/awarc/awarc/engine/dates"
	"github.com/awarc/awarc/engine/extract"
	"github.com/awarc/awarc/engine/read/page"
)

// fields are the expressions of posts, or of an article.
type fields struct {
	at                        selector
	creator, created, content selector // zero for none
	attr, order               string   // of created: the attribute that has the date, and the order of its numbers
	id                        string   // template behind the address
	weight                    int      // letters of the contents that they were learned from
	posts                     []post
}

// post is a post that the record reader found, with its fields; nil for those that it lacks.
type post struct {
	page                  *Page
	chain                 []*html.Node // elements that hold the whole post, the outermost first
	top                   *html.Node   // the one that is taken
	content, author, date *html.Node
	letters               int
}

// Shares of the posts that an expression has to give the right node for.
const (
	mostContents = 0.8
	mostFields   = 0.6
	mostPosts    = 0.7
)

// mostLearned is how many posts expressions are learned from.
const mostLearned = 120

// learn finds expressions for the posts of pages; ok is false where there are fewer than least posts
// or no expression selects them.
func learn(group []*Page, least int) (f fields, ok bool) {
	var posts []post
	texts := map[uint64]bool{}
	for _, p := range group {
		for _, r := range p.records() {
			if r.Content < 0 || len(posts) >= mostLearned {
				continue
			}
			one := p.postOf(r.First, r.End, r.Content, r.Author, r.Date)
			if len(one.chain) > 0 {
				posts = append(posts, one)
			}
			if sum := p.model.Sum(r.Content); !texts[sum] {
				texts[sum] = true
				f.weight += p.model.Letters(r.Content)
			}
		}
	}
	if len(posts) < least || 10*len(texts) < 7*len(posts) {
		return f, false // several pages show the same
	}
	if f.at, posts, ok = place(group, posts); !ok {
		return f, false
	}
	f.posts = posts
	content := func(p *post) *html.Node { return p.content }
	if f.content, ok = expression(posts, content, mostContents); !ok {
		return f, false
	}
	f.creator, _ = expression(posts, func(p *post) *html.Node { return p.author }, mostFields)
	if f.creator.name == "" {
		f.signPosts()
	}
	f.created, _ = expression(posts, func(p *post) *html.Node { return p.date }, mostFields)
	f.readDate()
	f.id = idOf(posts)
	return f, true
}

// signed reports whether posts have an author or a date, and something to name them by.
func (f *fields) signed() bool { return f.id != "" && (f.creator.name != "" || f.created.name != "") }

// postOf describes a record of a page.
func (p *Page) postOf(first, end, content, author, date int) post {
	m := p.model
	node := func(n int) *html.Node {
		if n < 0 {
			return nil
		}
		return m.Nodes[n].Node
	}
	out := post{page: p, content: node(content), author: node(author), date: node(date), letters: m.Letters(content)}
	if out.content.Type == html.TextNode {
		out.content = out.content.Parent
	}
	holds := func(n int) bool {
		for _, inner := range []int{content, author, date} {
			if inner >= 0 && !m.Within(inner, n) {
				return false
			}
		}
		return true
	}
	for n := first; n < end; {
		switch {
		case m.Nodes[n].Type != html.ElementNode || !holds(n):
			n = m.Nodes[n].End // a sibling
		case m.Nodes[n].Node == out.content:
			return out
		default:
			if !p.joined || m.Nodes[n].Parent > 0 {
				out.chain = append(out.chain, m.Nodes[n].Node)
			}
			end = m.Nodes[n].End
			n++
		}
	}
	return out
}

// place finds the selector of the elements of posts: it selects most of them and little else. It
// returns the selected posts.
func place(group []*Page, posts []post) (s selector, selected []post, ok bool) {
	hits, depth := map[selector]int{}, map[selector]int{}
	for i := range posts {
		seen := map[selector]bool{}
		for d, n := range posts[i].chain {
			for k, s := range selectors(n, nil) {
				if !seen[s] {
					seen[s] = true
					hits[s]++
					depth[s] += 8*d + min(k, 7)
				}
			}
		}
	}
	all := map[selector]int{}
	for s, n := range hits {
		if float64(n) >= mostPosts*float64(len(posts)) {
			for _, p := range group {
				for e := range p.Doc.Descendants() {
					if s.fits(e, nil) {
						all[s]++
					}
				}
			}
		}
	}
	s, ok = best(all, func(s selector, n int) float64 {
		share := float64(hits[s]) / float64(len(posts))
		return share * share * min(1, float64(hits[s])/float64(n)) / (1 + float64(depth[s])/float64(1000*hits[s]))
	})
	if !ok || hits[s] < all[s]/2 {
		return s, nil, false
	}
	for _, p := range posts {
		if at := slices.IndexFunc(p.chain, func(n *html.Node) bool { return s.fits(n, nil) }); at >= 0 {
			p.top = p.chain[at]
			selected = append(selected, p)
		}
	}
	return s, selected, true
}

// expression finds the selector whose first element in a post is that of a field, or says the same.
func expression(posts []post, of func(*post) *html.Node, least float64) (selector, bool) {
	candidates := map[selector]int{}
	known := 0
	for i := range posts {
		n := of(&posts[i])
		if n == nil || !inside(n, posts[i].top) {
			continue
		}
		known++
		for _, s := range selectorsOf(n, posts[i].top) {
			candidates[s]++
		}
	}
	rank := func(s selector, n int) float64 {
		if 4*n < known {
			return 0
		}
		right := 0.0
		for i := range posts {
			want := of(&posts[i])
			got := s.first(posts[i].top)
			switch {
			case want == nil && got != nil && known == len(posts):
				right -= 0.1
			case want == nil || got == nil:
			case got == want || s.text(got) == textOf(want) || inside(want, got) && 10*len(textOf(want)) > 8*len(textOf(got)):
				right++
			default:
				right--
			}
		}
		return max(0, right/float64(max(1, known))-least+0.001)
	}
	if 2*known < len(posts) {
		return selector{}, false
	}
	return best(candidates, rank)
}

// selectorsOf are the selectors of a field: of its element, or of a text in an element.
func selectorsOf(n, top *html.Node) []selector {
	if n.Type == html.ElementNode {
		return selectors(n, top)
	}
	var out []selector
	for _, o := range []own{firstText, lastText} {
		if text := o.text(n.Parent); text != "" && text == textOf(n) {
			for _, s := range append(selectors(n.Parent, top), selector{name: n.Parent.Data}) {
				s.own = o
				out = append(out, s)
			}
		}
	}
	if len(out) == 0 && n.Parent != top {
		return selectors(n.Parent, top)
	}
	return out
}

// readDate finds where the elements of dates have them, and the order of the numbers in them.
func (f *fields) readDate() {
	if f.created.name == "" {
		return
	}
	attrs := map[string]int{}
	for i := range f.posts {
		p := &f.posts[i]
		n := f.created.first(p.top)
		if n == nil {
			continue
		}
		r := dates.NewReader(extract.Language(p.page.Doc), p.page.Captured, texts(p.page.model))
		found := ""
		for _, name := range []string{"datetime", "title", "data-time", "data-timestamp"} {
			if v := page.Attr(n, name); v != "" && (name != "title" || dates.Like(v)) && r.Find(v, dates.Usual{}) != "" {
				found = name
				break
			}
		}
		attrs[found]++
		text := f.created.text(n)
		if found != "" {
			text = page.Attr(n, found)
		}
		f.order = cmp.Or(f.order, r.Order(text))
	}
	for _, name := range slices.Sorted(maps.Keys(attrs)) {
		if attrs[name] > attrs[f.attr] {
			f.attr = name
		}
	}
}

// texts are the texts that prove the order of numbers in dates.
func texts(m *page.Page) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		for _, n := range m.Nodes {
			if n.Type == html.TextNode && strings.ContainsAny(n.Data, "0123456789") && !yield(n.Data) {
				return
			}
		}
	}
}

// names is the place of the author.
func (f *fields) names() []byline {
	if f.creator.name == "" {
		return nil
	}
	return []byline{{at: f.creator}}
}

// createdPath is the expression of the date.
func (f *fields) createdPath() string {
	if f.attr == "" {
		return f.created.firstPath()
	}
	s := f.created
	s.own = whole
	return s.firstPath() + "/@" + f.attr
}

// best is the selector with the greatest rank, of those that are simplest and first by name.
func best[T any](of map[selector]T, rank func(selector, T) float64) (s selector, ok bool) {
	most := 0.0
	keys := slices.SortedFunc(maps.Keys(of), func(a, b selector) int {
		return cmp.Or(cmp.Compare(len(a.inside), len(b.inside)), strings.Compare(a.attr, b.attr), strings.Compare(a.id, b.id),
			strings.Compare(a.class, b.class), strings.Compare(a.name, b.name), cmp.Compare(a.own, b.own))
	})
	for _, k := range keys {
		if r := rank(k, of[k]); r > most {
			s, most, ok = k, r, true
		}
	}
	return s, ok
}

// idOf finds what distinguishes a post from the others of its page: an attribute of its element or
// of one inside it.
func idOf(posts []post) string {
	tells := func(id func(top *html.Node) string) bool {
		perPage := map[string]bool{}
		for i := range posts {
			v := id(posts[i].top)
			if v == "" {
				return false
			}
			perPage[fmt.Sprintf("%p %s", posts[i].page, v)] = true
		}
		return len(perPage) == len(posts)
	}
	for _, name := range []string{"id", "data-id"} {
		if tells(func(top *html.Node) string { return page.Attr(top, name) }) {
			return "{@" + name + "}"
		}
	}
	for _, name := range []string{"id", "name"} {
		for n := range posts[0].top.Descendants() {
			if !strings.ContainsAny(page.Attr(n, name), "0123456789") {
				continue
			}
			for _, s := range selectors(n, posts[0].top) {
				if tells(func(top *html.Node) string {
					if first := s.first(top); first != nil {
						return page.Attr(first, name)
					}
					return ""
				}) {
					return "{" + s.firstPath() + "/@" + name + "}"
				}
			}
		}
	}
	return ""
}

// joined is one page of several that have a record each, without the posts on them: the reader finds
// the text that pages repeat.
func joined(group []*Page, without selector) *Page {
	body := &html.Node{Type: html.ElementNode, DataAtom: atom.Body, Data: "body"}
	doc := &html.Node{Type: html.DocumentNode}
	doc.AppendChild(body)
	for _, p := range group {
		n := clone(bodyOf(p.Doc), without)
		n.Data, n.DataAtom, n.Attr = "div", atom.Div, nil
		body.AppendChild(n)
	}
	out := &Page{Doc: doc, URL: group[0].URL, Captured: group[0].Captured, joined: true}
	out.model = page.New(doc, extract.Language(group[0].Doc), out.Captured)
	return out
}

// clone copies a node without elements that a selector selects.
func clone(n *html.Node, without selector) *html.Node {
	out := &html.Node{Type: n.Type, DataAtom: n.DataAtom, Data: n.Data, Namespace: n.Namespace, Attr: n.Attr}
	for c := range n.ChildNodes() {
		if without.name == "" || !without.isLike(c) {
			out.AppendChild(clone(c, without))
		}
	}
	return out
}
