package adapt

import (
	"slices"
	"strings"
	"unicode"

	"golang.org/x/net/html/atom"
)

// ambiguous reports whether a candidate for a date selects several in some record: that of
// a last reply, and then that of the post. What is no date is not read as one.
func (s *session) ambiguous(c *candidate) bool {
	to := c.target()
	return slices.ContainsFunc(c.nodes, func(nodes []int) bool {
		return slices.ContainsFunc(nodes[:min(len(nodes), 3)], func(n int) bool {
			raw := s.raw(n, to)
			return raw != s.raw(nodes[0], to) && s.dateLike(raw)
		})
	})
}

// ofVisitors reports whether an element lies in what a template calls a comment, or in a form, or is that: its date and
// name are not those of the page. What holds most of the page may be called so for having comments.
func (s *session) ofVisitors(n int) bool {
	for ; n >= 0; n = s.x.parent[n] {
		if 2*s.x.length(n) > s.x.length(0) {
			return false
		}
		if s.x.nodes[n].DataAtom == atom.Form {
			return true
		}
		for _, name := range []string{"class", "id"} {
			v, _ := s.x.attr(n, name)
			words := strings.FieldsFunc(strings.ToLower(v), func(r rune) bool { return !unicode.IsLetter(r) })
			if slices.ContainsFunc(words, func(w string) bool { return strings.HasPrefix(w, "comment") }) {
				return true
			}
		}
	}
	return false
}
