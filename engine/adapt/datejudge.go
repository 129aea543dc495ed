package adapt

import (
	"slices"

	"github.com/awarc/awarc/kb"
)

// judgeDate scores a date: it parses, differs, and follows the order of the page.
func (s *session) judgeDate(f *kb.Field, sc *scope, tk *taken, c *candidate) bool {
	if s.misstated && page(sc) && len(c.nodes[0]) > 0 && s.unseen(c.nodes[0][0]) {
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

// ambiguous tells whether a candidate for a date selects several in some record: that of
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
