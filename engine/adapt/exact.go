package adapt

import (
	"regexp"
	"slices"
	"strings"

	"github.com/awarc/awarc/kb"
	"github.com/awarc/awarc/relax"
	"github.com/awarc/awarc/yfilter/xpath"
)

// A person writes contains(@class, 'content') and knows the templates it is for. What was read off one page
// finds the class "dropdown-contents" of a menu as well, on the next page where a post has one. So where
// a page has such names, what is learned from it asks for the whole name.

// partOfClass is a test that any class fulfils that has the literal in it.
var partOfClass = regexp.MustCompile(`contains\(@class, '([^' ]+)'\)`)

// exact returns the expression of a candidate with tests for whole names of classes where the page has
// others that contain them, and the old one where that would find something else in the records of the page.
func (s *session) exact(c *candidate, records []int) string {
	if !strings.HasPrefix(c.expr, "(") { // the first of what matches hides the others; elsewhere all are seen
		return c.expr
	}
	source := partOfClass.ReplaceAllStringFunc(c.expr, func(test string) string {
		name := partOfClass.FindStringSubmatch(test)[1]
		if !s.x.resembled(name) {
			return test
		}
		return "contains(concat(' ', normalize-space(@class), ' '), ' " + name + " ')"
	})
	if source == c.expr {
		return source
	}
	expr, err := kb.NewExpr(source)
	old, errOld := kb.NewExpr(c.expr)
	if err != nil || errOld != nil {
		return c.expr
	}
	if len(records) == 0 {
		records = []int{-1}
	}
	for _, rec := range records {
		if !slices.Equal(s.selectAll(old, rec), s.selectAll(expr, rec)) {
			return c.expr
		}
	}
	return source
}

// resembled tells whether the page has a class of that name and another that contains it.
func (x *index) resembled(name string) bool {
	is, contains := false, false
	for n := range x.nodes {
		class, _ := x.attr(n, "class")
		for token := range strings.FieldsSeq(class) {
			is = is || token == name
			contains = contains || token != name && strings.Contains(token, name)
		}
	}
	return is && contains
}

// wholly tells whether an element fulfils a term with a whole name of a class, and not with one that
// contains it: "usertitle" is no title.
func (x *index) wholly(t relax.Term) bool {
	if t.Pred.Kind != xpath.Contains || t.Pred.Value.Name != "class" {
		return true
	}
	name := strings.TrimSpace(t.Pred.Literal)
	for n, node := range x.nodes {
		if class, ok := x.attr(n, "class"); ok && (t.Tag == "*" || node.Data == t.Tag) && slices.Contains(strings.Fields(class), name) {
			return true
		}
	}
	return false
}
