package adapt

import (
	"errors"
	"slices"
	"strings"

	"github.com/awarc/awarc/kb"
	"github.com/awarc/awarc/relax"
	"github.com/awarc/awarc/yfilter/xpath"
)

// A person writes contains(@class, 'content') and knows the templates it is for. What was read off one page
// finds the class "dropdown-contents" of a menu as well, on the next page where a post has one. So where
// a page has such names, what is learned from it asks for the whole name.

// exact returns the expression of a candidate with tests for whole names of classes where the page has
// others that contain them, and the old one where that would find something else in the records of the page.
func (s *session) exact(c *candidate, records []int) (*kb.Expr, error) {
	old, err := c.compiled()
	if err != nil || !picks(c.expr) { // the first of what matches hides the others; elsewhere all are seen
		return old, err
	}
	tree := xpath.Edit(c.expr, func(n xpath.Node) (xpath.Node, bool) {
		p, ok := xpath.PredOf(n)
		if !ok || p.Kind != xpath.Contains || p.Value != (xpath.Test{Kind: xpath.Attr, Name: "class"}) ||
			strings.ContainsAny(p.Literal, "' ") || !s.x.resembled(p.Literal) {
			return n, true
		}
		return xpath.PaddedToken("class", p.Literal), false
	})
	if tree == c.expr {
		return old, nil
	}
	expr, err := kb.ExprOf(tree)
	if err != nil {
		return old, nil
	}
	if len(records) == 0 {
		records = []int{-1}
	}
	for _, rec := range records {
		if !slices.Equal(s.selectAll(old, rec), s.selectAll(expr, rec)) {
			return old, nil
		}
	}
	return expr, nil
}

// compiled is the expression of a candidate, ready to run.
func (c *candidate) compiled() (*kb.Expr, error) {
	switch {
	case c.expr == nil:
		return nil, errors.New("a candidate without an expression")
	case c.try != nil && c.try.Expr.Tree == c.expr:
		return c.try.Expr, nil
	}
	return kb.ExprOf(c.expr)
}

// picks reports whether an expression begins with what it picks a few of, in brackets.
func picks(n xpath.Node) bool {
	path, ok := xpath.First(n).(*xpath.Path)
	if !ok {
		return false
	}
	_, ok = path.From.(*xpath.Group)
	return ok
}

// resembled reports whether the page has a class of that name and another that contains it.
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

// wholly reports whether an element fulfils a term with a whole name of a class, and not with one that
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
