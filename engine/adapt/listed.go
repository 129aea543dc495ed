package adapt

import (
	"net/url"
	"slices"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/awarc/awarc/engine/extract"
	"github.com/awarc/awarc/kb"
)

// lister tells lists of articles, whole or not, from the pages of articles: each text of a
// list has a page of its own, to which the title above it leads.
type lister struct {
	p     extract.Page
	title string // the page's, plain
	link  func(href string) string
	self  map[string]bool // addresses of the page, plain
}

func newLister(p extract.Page) *lister {
	l := &lister{p: p, link: extract.NewReader(p).Link,
		self: map[string]bool{p.Type.URLs.ObjectKey(p.URL): true, plainAddress(p.URL): true}}
	for n := range p.Doc.Descendants() {
		switch n.DataAtom {
		case atom.Title:
			if l.title == "" {
				l.title = plainTitle(textContent(n))
			}
		case atom.Link, atom.Meta:
			if r := attribute(n, "rel"); r == "canonical" || r == "shortlink" {
				l.own(attribute(n, "href"))
			} else if attribute(n, "property") == "og:url" {
				l.own(attribute(n, "content"))
			}
		case atom.Body:
			return l
		}
	}
	return l
}

// listed finds that a page told as one article, though by nothing sure, is a list, or one of
// another level by its address.
func (j *judge) listed() {
	v := j.h.Level
	if len(v.Objects) != 1 || essential(v.Objects[0]) || len(j.h.Objects) == 0 ||
		!slices.ContainsFunc(j.p.Type.Levels, func(o *kb.Level) bool { return o.Kind == kb.Intermediate }) || j.sure(v) {
		return
	}
	why := ""
	if a := j.p.Type.URLs.Level(j.p.URL); a != nil && a.Level != v.ID {
		why = "its address is of another level"
	} else if n := j.content(); n != nil && newLister(j.p).lists(n) {
		why = "a list: its texts have pages of their own"
	}
	if why != "" {
		j.fault(NoLevel, v, kb.PartDetect, why)
	}
}

// lists reports whether the main text of the page is that of a list, asked once.
func (s *session) lists() bool {
	if s.isList == nil {
		s.x.spend(2 * len(s.x.nodes))
		n := s.bulk()
		is := n >= 0 && newLister(s.page).lists(s.x.nodes[n])
		s.isList = &is
	}
	return *s.isList
}

// content gives the element with the content of the page's object; nil for none.
func (j *judge) content() *html.Node {
	for _, f := range j.h.Level.Objects[0].Fields {
		if f.As != kb.HTML {
			continue
		}
		for _, t := range f.Tries {
			if !t.AppliesTo(j.p.URL) {
				continue
			}
			for _, v := range t.Expr.Select(j.p.Doc, nil) {
				if n := elementOf(v.Node); n != nil {
					return n
				}
			}
		}
	}
	if j.h.Generic {
		return extract.MainText(j.p)
	}
	return nil
}

// sure reports whether a pattern of a level fires that is enough by itself.
func (j *judge) sure(v *kb.Level) bool {
	return slices.ContainsFunc(v.Detect, func(p kb.Pattern) bool {
		if p.Weak || p.Learned != nil {
			return false
		}
		e, err := kb.ExprOf(p.Expr.Tree())
		return err == nil && len(e.Select(j.p.Doc, nil)) > 0
	})
}

// own notes an address of the page.
func (l *lister) own(href string) {
	if u, err := url.Parse(l.link(href)); err == nil && u.Host != "" {
		l.self[plainAddress(u)] = true
	}
}

// plainAddress is an address without what servers do not tell apart.
func plainAddress(u *url.URL) string {
	return strings.TrimPrefix(u.Host, "www.") + strings.TrimSuffix(strings.TrimSuffix(u.EscapedPath(), "index.html"), "/") + "?" +
		u.RawQuery
}

// lists reports whether what lies in an element is no article of the page's own: the titles
// of two texts in it, or the one above it, lead to other pages of the site.
func (l *lister) lists(n *html.Node) bool {
	texts, text := 0, 0
	titled, own := false, false
	var walk func(*html.Node)
	walk = func(d *html.Node) {
		switch {
		case own || unread(d):
		case isHeading(d) && l.leads(d):
			titled, text = true, 0
		case isHeading(d):
			own = !titled // what follows is the article
		case d.Type == html.TextNode:
			before := text
			if text += len(strings.TrimSpace(d.Data)); titled && before < fullText && text >= fullText {
				texts++
			}
		default:
			for c := d.FirstChild; c != nil && (titled || text < fullText); c = c.NextSibling {
				walk(c)
			}
		}
	}
	walk(n)
	if own || texts > 1 {
		return !own
	}
	h := headingBefore(n)
	return h != nil && l.leads(h)
}

// leads reports whether a heading is, or holds, a link to another page of the site which is
// not above the page; what the page is called is its own title, wherever it leads.
func (l *lister) leads(h *html.Node) bool {
	href := linkOfHeading(h)
	u, err := url.Parse(l.link(href))
	if href == "" || strings.HasPrefix(href, "#") || err != nil || strings.TrimPrefix(u.Host, "www.") !=
		strings.TrimPrefix(l.p.URL.Host, "www.") {
		return false
	}
	if l.self[plainAddress(u)] || l.self[l.p.Type.URLs.ObjectKey(u)] ||
		strings.HasPrefix(strings.TrimSuffix(l.p.URL.Path, "/")+"/", strings.TrimSuffix(u.Path, "/")+"/") {
		return false
	}
	t := plainTitle(textContent(h))
	return t != "" && !strings.Contains(l.title, t)
}

// linkOfHeading gives where a heading leads; "" for nowhere.
func linkOfHeading(h *html.Node) string {
	for d := range h.Descendants() {
		if d.DataAtom == atom.A {
			return attribute(d, "href")
		}
	}
	for up, n := h.Parent, 0; up != nil && n < 3; up, n = up.Parent, n+1 {
		if up.DataAtom == atom.A {
			return attribute(up, "href")
		}
	}
	return ""
}

// headingBefore gives the last heading before an element; nil for none.
func headingBefore(n *html.Node) *html.Node {
	for ; n != nil; n = n.Parent {
		for s := n.PrevSibling; s != nil; s = s.PrevSibling {
			if h := lastHeading(s); h != nil {
				return h
			}
		}
	}
	return nil
}

func lastHeading(n *html.Node) *html.Node {
	if isHeading(n) {
		return n
	}
	for c := n.LastChild; c != nil; c = c.PrevSibling {
		if h := lastHeading(c); h != nil {
			return h
		}
	}
	return nil
}

func isHeading(n *html.Node) bool {
	switch n.DataAtom {
	case atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6:
		return true
	}
	return false
}

func attribute(n *html.Node, name string) string {
	for _, a := range n.Attr {
		if a.Key == name && a.Namespace == "" {
			return a.Val
		}
	}
	return ""
}
