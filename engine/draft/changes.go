package draft

import (
	"slices"
	"strings"

	"golang.org/x/net/html"

	"github.com/awarc/awarc/engine/read/page"
	"github.com/awarc/awarc/kb"
)

// leastRows is how many rows of a list prove where their dates are.
const leastRows = 3

// rows finds the rows of the pages of a list around its links to another level, and the last date in
// each: when the page that a row leads to changed. The rows are the posts of the result.
func (s *site) rows(pages []*Page, to *list) (f fields, ok bool) {
	some := spread(pages, sample)
	for _, p := range some {
		f.posts = append(f.posts, p.rows(to)...)
	}
	if len(f.posts) < leastRows {
		return f, false
	}
	if f.at, f.posts, ok = place(some, f.posts); !ok {
		return f, false
	}
	if f.created, ok = expression(f.posts, func(row *post) *html.Node { return row.date }, mostFields); !ok {
		return f, false
	}
	f.readDate()
	return f, true
}

// rows finds the elements of a page that hold one link of a list each.
func (p *Page) rows(to *list) (rows []post) {
	m := p.model
	var links []int
	for i, n := range m.Nodes {
		if n.Type == html.ElementNode && to.at.fits(n.Node, nil) && strings.Contains(page.Attr(n.Node, "href"), to.href) {
			links = append(links, i)
		}
	}
	for k, link := range links {
		holds := func(k, n int) bool { return k >= 0 && k < len(links) && m.Within(links[k], n) }
		row := post{page: p, content: m.Nodes[link].Node}
		outer := -1
		for n := m.Nodes[link].Parent; n > 0 && !holds(k-1, n) && !holds(k+1, n); n = m.Nodes[n].Parent {
			row.chain, outer = append(row.chain, m.Nodes[n].Node), n
		}
		if outer < 0 || len(links) == 1 {
			continue // one link alone does not show where its row ends
		}
		slices.Reverse(row.chain)
		for _, d := range m.Dated() {
			if m.Within(d, outer) {
				row.date = m.Nodes[d].Node
			}
		}
		rows = append(rows, row)
	}
	return rows
}

// changes writes where a list says when the pages that it leads to changed.
func (w *writer) changes(l, to *list) {
	f, ok := w.site.rows(l.pages, to)
	if !ok {
		return
	}
	link := to.at.step() + to.hrefs()
	w.line(4, `<changes to="%s" at="%s" link="%s">`, to.to, kb.Escape(f.at.path()+"[.//"+link+"]"), kb.Escape(link))
	w.line(5, `<time>%s</time>`, kb.Escape(f.createdPath()))
	w.line(4, `</changes>`)
}
