package records

import (
	"slices"

	"golang.org/x/net/html"

	"github.com/awarc/awarc/engine/read/page"
)

// longestLeft bounds a text that is left out since other records have it too, in letters.
const longestLeft = 200

// left lists the nodes inside the contents that are not of the post: author and date, what nearly
// all records say alike or count, and what each author has below all posts.
func (r *reading) left() [][]int {
	out := make([][]int, len(r.g.records))
	add := func(o *option, of func(i, n int) bool) {
		for i, n := range o.nodes {
			if c := r.content.nodes[i]; n >= 0 && c >= 0 && n != c && r.p.Within(n, c) && of(i, n) {
				out[i] = append(out[i], n)
			}
		}
	}
	all := func(int, int) bool { return true }
	for _, o := range r.options {
		switch {
		case o == r.content || o.holds(r.content) > 0 || r.content.holds(o) < 0.5:
		case o == r.author || o == r.date:
			add(o, all)
		case o.mean() > longestLeft:
		case o.counts():
			add(o, all)
		case o.filled > 2 && len(o.texts()) < o.filled:
			usual, n := uint64(0), 0
			for _, t := range o.texts() {
				if t.n > n {
					usual, n = t.sum, t.n
				}
			}
			if 10*n >= 6*o.filled {
				add(o, func(_, at int) bool { return r.p.Sum(at) == usual })
			} else if o.constantPer(r.author) > 0.99 && o.hints[7] > 0 {
				add(o, all)
			}
		}
	}
	controls := r.controls()
	for i, rec := range r.g.records {
		c := r.content.nodes[i]
		if c < 0 {
			continue
		}
		for _, n := range rec.inner {
			if r.p.Within(n, c) {
				out[i] = append(out[i], n)
			}
		}
		for n := c + 1; n < r.p.Nodes[c].End; n++ {
			node := &r.p.Nodes[n]
			if controls[node.Mark] || node.Type == html.ElementNode && page.Attr(node.Node, "role") == "button" {
				out[i] = append(out[i], n)
			}
		}
	}
	return out
}

// longestControl bounds the text of a control inside posts, in letters.
const longestControl = 80

// controls returns the marks of elements that have the same few words wherever they are inside
// contents, as "Click to expand" below quotations, and no name of an author.
func (r *reading) controls() map[string]bool {
	by := map[string]said{}
	for _, c := range r.content.nodes {
		if c < 0 {
			continue
		}
		for n := c + 1; n < r.p.Nodes[c].End; n++ {
			node := &r.p.Nodes[n]
			if len(node.Classes) == 0 {
				continue
			}
			was, known := by[node.Mark]
			switch words := r.p.Words(n); {
			case len(words) == 0:
			case len(words) < 2 || r.p.Letters(n) > longestControl || known && was.sum != r.p.Sum(n) || r.naming(n):
				by[node.Mark] = said{n: -1}
			case was.n >= 0:
				by[node.Mark] = said{r.p.Sum(n), was.n + 1}
			}
		}
	}
	out := map[string]bool{}
	for mark, of := range by {
		if of.n > 1 {
			out[mark] = true
		}
	}
	return out
}

// naming reports whether a node holds a word of an author's name.
func (r *reading) naming(n int) bool {
	if r.author == nil {
		return false
	}
	for _, a := range r.author.nodes {
		if a >= 0 && slices.ContainsFunc(r.p.Words(a), func(w string) bool { return slices.Contains(r.p.Words(n), w) }) {
			return true
		}
	}
	return false
}

// counts reports whether an option numbers the records.
func (o *option) counts() bool {
	last, n := -1, 0
	for _, at := range o.nodes {
		if at < 0 {
			continue
		}
		words := o.p.Words(at)
		if len(words) != 1 {
			return false
		}
		number, digits := 0, 0
		for _, c := range words[0] {
			if c >= '0' && c <= '9' && digits < 9 {
				number, digits = 10*number+int(c-'0'), digits+1
			}
		}
		if digits == 0 || digits+2 < len(words[0]) || last >= 0 && number != last+1 && number != last-1 {
			return false
		}
		last, n = number, n+1
	}
	return n > 1
}
