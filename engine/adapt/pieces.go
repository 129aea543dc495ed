package adapt

import (
	"slices"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// partial reports whether elements are pieces of a content and not all of it: one paragraph
// of several or, in an object of several, running text that a quotation parts.
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

// goesOn reports whether an element with text and of the same make comes after another one,
// beside it; of paragraphs the tag is enough.
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
