package adapt

import (
	"slices"
	"strings"
	"unicode"

	"golang.org/x/net/html/atom"

	"github.com/awarc/awarc/kb"
)

// judgeDate scores a date: it parses, differs, and follows the order of the page.
func (s *session) judgeDate(f *kb.Field, sc *scope, tk *taken, c *candidate) bool {
	if s.misstated && page(sc) && len(c.nodes[0]) > 0 && s.unseen(c.nodes[0][0]) {
		return false
	}
	if page(sc) && len(c.nodes[0]) > 0 && s.ofVisitors(c.nodes[0][0]) {
		return false
	}
	if f.Name == "modified" && !s.revises(f, sc, tk, c) {
		return false
	}
	c.say(1, "a date")
	if c.early == exact {
		c.say(0.5, "as programs write it")
	}
	n := 0
	clock := 0
	for _, v := range c.values {
		if v != "" {
			n++
			if len(v) > len("2006-01-02") {
				clock++
			}
		}
	}
	if 2*clock > n {
		c.say(0.8, "with a time")
	}
	if n > 2 {
		o := order(c.values)
		c.say(1.6*(o-0.5), "in order")
		if o < 0.85 {
			c.say(-1, "")
		}
		if distinct(c.values) < 0.3 {
			c.say(-0.8, "")
		}
	}
	if s.ambiguous(c) {
		c.say(-1, "")
	}
	c.say(-1.5*tk.within(s.x, c), "")
	c.say(-0.3*tk.holds(s.x, c), "")
	return true
}

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
