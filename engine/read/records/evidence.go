package records

import (
	"math"
	"strings"

	"golang.org/x/net/html/atom"

	"github.com/awarc/awarc/engine/read/page"
)

// merged is the share of records in which a second node has the mark of the date, or of the
// author, where no date is found.
func (r *reading) merged() float64 {
	o := r.date
	if o == nil {
		o = r.author
	}
	if o == nil {
		return 0
	}
	n := 0
	for i, at := range o.nodes {
		if at < 0 {
			continue
		}
		for c := range iterate(r.p, &r.g.records[i]) {
			if c <= at || r.p.Nodes[c].Mark != r.p.Nodes[at].Mark || r.p.Nodes[c].Path != r.p.Nodes[at].Path {
				continue
			}
			if iso, _ := r.p.Date(c); o != r.date || iso != "" {
				n++
				break
			}
		}
	}
	return share(n, len(r.g.records))
}

// outside is how many nodes of the page have the mark and path of the contents, and are in no record,
// for each record: too few were taken.
func (r *reading) outside() float64 {
	n := r.names.like(r.content.firstOf())
	return share(max(0, n-r.content.filled*r.g.all/len(r.g.records)), r.g.all)
}

// identified is the share of records that hold an id or name with a number that no other one has.
func (r *reading) identified() float64 {
	seen := map[string]int{}
	for i := range r.g.records {
		here := ""
		for n := range iterate(r.p, &r.g.records[i]) {
			for _, name := range []string{"id", "name", "data-id", "data-post-id"} {
				if v := page.Attr(r.p.Nodes[n].Node, name); strings.ContainsAny(v, "0123456789") {
					here = v
				}
			}
			if here != "" || n > r.g.records[i].first+40 {
				break
			}
		}
		if here != "" {
			seen[here]++
		}
	}
	return share(len(seen), len(r.g.records))
}

// aside reports whether the records are in what a page names as its menu, footer or sidebar.
func (r *reading) aside() float64 {
	for n := r.p.Nodes[r.g.records[0].first].Parent; n > 0; n = r.p.Nodes[n].Parent {
		switch r.p.Nodes[n].DataAtom {
		case atom.Nav, atom.Footer, atom.Aside, atom.Header:
			return 1
		}
		name := strings.ToLower(page.Attr(r.p.Nodes[n].Node, "class") + " " + page.Attr(r.p.Nodes[n].Node, "id"))
		for _, w := range []string{"sidebar", "footer", "menu", "widget", "related"} {
			if strings.Contains(name, w) {
				return 1
			}
		}
	}
	return 0
}

// alike is the share of records whose first node has the mark of the first one's.
func (r *reading) alike() float64 {
	n := 0
	for _, rec := range r.g.records {
		if r.p.Nodes[rec.first].Mark == r.p.Nodes[r.g.records[0].first].Mark {
			n++
		}
	}
	return share(n, len(r.g.records))
}

// ragged is the spread of the lengths of contents, by their logarithm.
func (r *reading) ragged() float64 {
	sum, squares, n := 0.0, 0.0, 0.0
	for _, at := range r.content.nodes {
		if at >= 0 {
			x := logarithm(float64(r.p.Letters(at)))
			sum, squares, n = sum+x, squares+x*x, n+1
		}
	}
	if n < 2 {
		return 0
	}
	return min(1, math.Sqrt(max(0, squares/n-sum*sum/n/n))/2)
}

// titled is the share of records that have a link with some words, not to the author, before or at
// the start of their content, whose text no other record has: rows of a list lead to other pages.
func (r *reading) titled() float64 {
	seen := map[uint64]bool{}
	for i, rec := range r.g.records {
		content := r.content.nodes[i]
		for n := range iterate(r.p, &rec) {
			if content >= 0 && n > content+4 {
				break
			}
			node := &r.p.Nodes[n]
			href := page.Attr(node.Node, "href")
			if node.DataAtom != atom.A || r.p.Letters(n) < leastTitle || strings.HasPrefix(href, "#") || r.names.profile(href) {
				continue
			}
			if r.author != nil && r.author.nodes[i] >= 0 && (r.p.Within(r.author.nodes[i], n) || r.p.Within(n, r.author.nodes[i])) {
				continue
			}
			seen[r.p.Sum(n)] = true
			break
		}
	}
	return share(len(seen), len(r.g.records))
}

// leastTitle is the length of a title of a list, at least, in letters: shorter links are buttons.
const leastTitle = 4
