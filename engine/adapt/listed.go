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

// lister tells lists of articles, whole or not, from the pages of articles: each text of a list has a page of its own, to which the title
// above it leads.
type lister struct {
	p     extract.Page
	title string // the page's, plain
	link  func(href string) string
}

func newLister(p extract.Page) *lister {
	return &lister{p: p, title: plainTitle(windowTitle(p.Doc)), link: extract.NewReader(p).Link}
}

// elsewhere finds that the address of a page is of another level than weak patterns say.
func (j *judge) elsewhere() bool {
	v, a := j.h.Level, j.p.Type.URLs.Level(j.p.URL)
	if a == nil || a.Level == v.ID || j.sure(v) {
		return false
	}
	j.fault(NoLevel, v, kb.PartDetect, "its address is of another level")
	return true
}

// listed reports pages that weak patterns take for an article and that are lists.
func (j *judge) listed() {
	v := j.h.Level
	if len(v.Objects) != 1 || essential(v.Objects[0]) || len(j.h.Objects) == 0 || j.sure(v) ||
		!slices.ContainsFunc(j.p.Type.Levels, func(o *kb.Level) bool { return o.Kind == kb.Intermediate }) {
		return
	}
	if n := j.content(); n != nil && newLister(j.p).lists(n) {
		j.fault(NoLevel, v, kb.PartDetect, "a list: its texts have pages of their own")
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
		if n := j.first(f); n != nil {
			return n
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
		e, err := kb.ExprOf(p.Expr.Tree())
		return err == nil && !p.Weak && p.Learned == nil && len(e.Select(j.p.Doc, nil)) > 0
	})
}

// plainAddress is an address without what servers do not tell apart.
func plainAddress(u *url.URL) string {
	return plainHost(u) + strings.TrimSuffix(strings.TrimSuffix(u.EscapedPath(), "index.html"), "/") + "?" + u.RawQuery
}

func plainHost(u *url.URL) string { return strings.TrimPrefix(u.Host, "www.") }

// lists reports whether what lies in an element is no article of the page's own: the titles of two texts in it, or the one above it, lead
// to other pages of the site.
func (l *lister) lists(n *html.Node) bool {
	titles, text := 0, 0
	for d := range n.Descendants() {
		switch {
		case isHeading(d) && l.leads(d):
			titles++
		case isHeading(d) && titles == 0:
			return false // what follows is the article
		case d.Type == html.TextNode && !unread(d.Parent):
			text += len(strings.TrimSpace(d.Data))
		}
		if titles > 1 {
			return true
		}
		if titles == 0 && text >= fullText {
			break
		}
	}
	var above *html.Node
	for d := range l.p.Doc.Descendants() {
		if d == n {
			break
		}
		if isHeading(d) {
			above = d
		}
	}
	return above != nil && l.leads(above)
}

// leads reports whether a heading is, or holds, a link to another page of the site which is not above the page; what the page is called
// is its own title, wherever it leads.
func (l *lister) leads(h *html.Node) bool {
	href := linkOfHeading(h)
	u, err := url.Parse(l.link(href))
	if href == "" || strings.HasPrefix(href, "#") || err != nil || plainHost(u) != plainHost(l.p.URL) {
		return false
	}
	at, rules := l.p.URL, l.p.Type.URLs
	above := strings.HasPrefix(strings.TrimSuffix(at.Path, "/")+"/", strings.TrimSuffix(u.Path, "/")+"/")
	if above || plainAddress(u) == plainAddress(at) || rules.ObjectKey(u) == rules.ObjectKey(at) {
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
	for up := h.Parent; up != nil; up = up.Parent {
		if up.DataAtom == atom.A {
			return attribute(up, "href")
		}
	}
	return ""
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
