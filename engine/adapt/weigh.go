package adapt

import (
	"slices"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// weighed is the text of one record, each piece by what it says: nothing where other records hold the same ("Reply", "Joined:") or where
// another field holds it, else its length.
type weighed struct {
	owners []int // the elements of the pieces, sorted
	own    []int // weight of the pieces before each
	all    []int // their length
	again  []int // length of those before each that other records have, too
}

// inside sums what lies in an element.
func (w *weighed) inside(n, end int) (own, all, again int) {
	from, _ := slices.BinarySearch(w.owners, n)
	to, _ := slices.BinarySearch(w.owners, end)
	return w.own[to] - w.own[from], w.all[to] - w.all[from], w.again[to] - w.again[from]
}

// piece is one text of a record.
type piece struct {
	owner int
	text  string
}

// weigh weighs the text of all records of a scope. A single record has nothing to be compared with: there, running text has weight.
func (s *session) weigh(sc *scope, tk *taken) []weighed {
	if s.weighedOf == sc {
		return s.weighed
	}
	pieces := make([][]piece, len(sc.records))
	in := map[string]int{} // records with a text
	for i, rec := range sc.records {
		pieces[i] = s.pieces(rec, sc.end(s.x, i), sc.inner)
		seen := map[string]bool{}
		for _, p := range pieces[i] {
			if !seen[p.text] {
				seen[p.text] = true
				in[p.text]++
			}
		}
	}
	out := make([]weighed, len(sc.records))
	for i := range pieces {
		held := map[string]bool{}
		for n := range tk.nodes[i] {
			held[strings.TrimSpace(s.x.read(s.x.nodes[n]))] = true
		}
		w := &out[i]
		w.own, w.all, w.again = []int{0}, []int{0}, []int{0}
		for k, p := range pieces[i] {
			own := len(p.text)
			switch {
			case len(sc.records) == 1:
				if own < longText {
					own = 0
				}
			case in[p.text] > 1 && own < longText || held[p.text]:
				own = 0 // what is long and repeated is quoted
			}
			again := 0
			if in[p.text] > 1 {
				again = len(p.text)
			}
			w.owners, w.again = append(w.owners, p.owner), append(w.again, w.again[k]+again)
			w.own, w.all = append(w.own, w.own[k]+own), append(w.all, w.all[k]+len(p.text))
		}
	}
	s.weighedOf, s.weighed = sc, out
	return out
}

// pieces lists the texts of a record, without those of objects inside it, by their elements.
func (s *session) pieces(rec, end int, inner []int) []piece {
	first := max(rec, 0)
	s.x.spend(4 * (end - first))
	var out []piece
	for n := first; n < end; n++ {
		if next := skip(s.x, n, rec, inner); next > n || unread(s.x.nodes[n]) {
			n = max(next, s.x.end[n]) - 1
			continue
		}
		for t := s.x.nodes[n].FirstChild; t != nil; t = t.NextSibling {
			if t.Type != html.TextNode {
				continue
			}
			if text := strings.TrimSpace(t.Data); text != "" {
				out = append(out, piece{n, text})
			}
		}
	}
	return out
}

// partial reports whether elements are pieces of a content and not all of it: one paragraph of several or, in an object of several, running
// text that a quotation parts.
func (s *session) partial(nodes []int, page bool) bool {
	if len(nodes) == 0 {
		return false
	}
	last := nodes[len(nodes)-1]
	switch tag := s.x.nodes[last].DataAtom; {
	case tag == atom.P:
		return len(nodes) == 1 && s.goesOn(last)
	case page || slices.Contains(blocks, tag):
		return false
	}
	if s.goesOn(last) {
		return true
	}
	for i, n := range nodes[1:] {
		if s.x.parent[n] == s.x.parent[nodes[i]] && s.textBetween(nodes[i], n) {
			return true
		}
	}
	return false
}

// goesOn reports whether an element with text and of the same make comes after another one, beside it; of paragraphs the tag is enough.
func (s *session) goesOn(n int) bool {
	node := s.x.nodes[n]
	class, _ := s.x.attr(n, "class")
	for t := node.NextSibling; t != nil; t = t.NextSibling {
		m, ok := s.x.number[t]
		if !ok || t.DataAtom != node.DataAtom || s.x.length(m) == 0 {
			continue
		}
		if its, _ := s.x.attr(m, "class"); t.DataAtom == atom.P || its == class {
			return true
		}
	}
	return false
}

// textBetween reports whether there is text between two elements that stand beside each other.
func (s *session) textBetween(n, next int) bool {
	for t := s.x.nodes[n].NextSibling; t != nil && t != s.x.nodes[next]; t = t.NextSibling {
		if m, ok := s.x.number[t]; ok && s.x.length(m) > 0 || t.Type == html.TextNode && strings.TrimSpace(t.Data) != "" {
			return true
		}
	}
	return false
}
