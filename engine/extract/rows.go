package extract

import (
	"strings"
	"time"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/awarc/awarc/engine/dates"
	"github.com/awarc/awarc/kb"
)

// linked is a link that an action of a list selects, with its node.
type linked struct {
	url, key string
	node     *html.Node
}

const (
	// mostRows bounds the rows of a list whose dates are read; boards list up to 100 topics.
	mostRows = 500
	// mostRowTexts bounds the texts of a row that are read as dates; rows of boards have 10 to 30.
	mostRowTexts = 100
)

// rows reads the last date in each row of a list, where no changes action finds one: boards show the
// last post of each topic there. A row is the largest element around a link that
// holds no link to another page of the list.
func (r *run) rows() {
	around := map[*html.Node]string{} // key of the only page that an element links to, "" for several
	for _, l := range r.listed {
		for n := l.node; n != nil; n = n.Parent {
			if key, seen := around[n]; !seen {
				around[n] = l.key
			} else if key != l.key {
				around[n] = ""
			}
		}
	}
	done := map[*html.Node]bool{}
	for _, l := range r.listed {
		row := rowOf(l.node, around)
		if row == nil || done[row] || len(done) >= mostRows || r.work.Spent() {
			continue
		}
		done[row] = true
		if at, exact, said := r.lastDate(row, l.node); said != "" && r.keep(len(l.url)+len(said)) {
			r.h.Changes = append(r.h.Changes, Change{URL: l.url, Time: at, Exact: exact, Said: said})
		}
	}
}

// rowOf returns the row of a link, nil if there is none.
func rowOf(link *html.Node, around map[*html.Node]string) (row *html.Node) {
	key := around[link]
	for n := link; n != nil && key != "" && around[n] == key && n.DataAtom != atom.Body; n = n.Parent {
		row = n
	}
	if row == nil || row.Parent == nil || row.Parent.DataAtom != atom.Body && around[row.Parent] == "" {
		return row
	}
	// It is the only link of the page: its row is the usual element of one.
	for n := link; n != nil; n = n.Parent {
		switch n.DataAtom {
		case atom.Tr, atom.Li, atom.Article:
			return n
		}
	}
	return nil
}

// mayBeTime are the elements whose title may be a date.
var mayBeTime = map[atom.Atom]bool{atom.Time: true, atom.Span: true, atom.Abbr: true}

// lastDate returns the latest date in a row that is not in the future. Its link may be named like a
// date.
func (r *run) lastDate(row, link *html.Node) (last time.Time, exact bool, said string) {
	texts := 0
	take := func(text string) {
		if text = strings.TrimSpace(text); text == "" || len(text) > dates.Longest || texts >= mostRowTexts {
			return
		}
		texts++
		at, whole := r.when(text)
		if at.After(last) && !at.After(r.page.Captured.Add(24*time.Hour)) {
			last, exact, said = at, whole, text
		}
	}
	var walk func(n *html.Node)
	walk = func(n *html.Node) {
		if n == link {
			return
		}
		if n.Type == html.TextNode {
			take(n.Data)
		}
		for _, name := range []string{"datetime", "title", "data-time", "data-timestamp"} {
			if n.Type == html.ElementNode && (name != "title" || mayBeTime[n.DataAtom]) {
				take(attr(n, name))
			}
		}
		for c := n.FirstChild; c != nil; c = c.NextSibling {
			walk(c)
		}
	}
	walk(row)
	return last, exact, said
}

// list keeps a link of a list for rows.
func (r *run) list(v *kb.Level, f *kb.Follow, u string, node *html.Node) {
	if r.page.Rows && v.Kind == kb.Intermediate && !f.Paging && node != nil {
		r.listed = append(r.listed, linked{u, r.objectKey(u), node})
	}
}
