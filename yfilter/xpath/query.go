package xpath

import (
	"fmt"
	"sync"

	antxpath "github.com/antchfx/xpath"
	"golang.org/x/net/html"
)

// A Query is an expression that is ready to run. It is safe for concurrent use.
type Query struct {
	own  operand
	pool sync.Pool // of *antxpath.Expr for the rest, which keeps state while it runs
}

// Value is one result of an expression: a node, or a computed string.
type Value struct {
	// Node is the selected element or text node; for an attribute the element
	// that owns it; nil for a computed string.
	Node *html.Node
	// Attr is the attribute's name where one was selected.
	Attr string

	text string // of a computed string
	work *Work
}

// ValueAt gives a node, or the attribute of it with a name, as an expression
// that selects it would.
func ValueAt(n *html.Node, attr string, work *Work) Value {
	return Value{Node: n, Attr: attr, work: work}
}

// Text is the string-value; that of an element is cut after one mebibyte.
func (v Value) Text() string {
	switch {
	case v.Node == nil:
		return v.text
	case v.Attr == "" && v.work == nil: // not of an evaluation: a budget of its own
		return NewWork(maxText).text(v.Node)
	case v.Attr == "":
		return v.work.text(v.Node)
	}
	for _, a := range v.Node.Attr {
		if a.Key == v.Attr {
			return a.Val
		}
	}
	return ""
}

// Compile prepares an expression. A relative path also starts anywhere below the context
// node, unless it begins with "." or an axis: so does the first path of an expression, and
// the first of each branch of a union.
func Compile(n Node) (*Query, error) {
	n = Below(n)
	q := &Query{}
	var err error
	if q.own, err = compiled(n); err == nil {
		return q, nil
	}
	full := strictly(n)
	c, err := antxpath.Compile(full)
	if err != nil {
		return nil, fmt.Errorf("not an XPath 1.0 expression: %s: %w", full, err)
	}
	q.pool.New = func() any { return antxpath.MustCompile(full) }
	q.pool.Put(c)
	return q, nil
}

// Select runs the expression with n as its context node and returns what it
// yields, in document order and each node once. It never returns an error: an
// expression that selects nothing, panics inside the XPath library or runs out
// of work yields nothing.
func (q *Query) Select(n *html.Node, work *Work) (values []Value) {
	if q.own == nil {
		return q.byLibrary(n, work)
	}
	defer func() {
		if recover() != nil { // no more work
			values = nil
		}
	}()
	ev, at := &evaluation{root: n, work: work}, place{spot: spot{n, -1}, position: 1, size: 1}
	text := ""
	switch o := q.own.(type) {
	case nodes:
		for _, n := range o.list(ev, at) {
			v := Value{Node: n.node, work: work}
			if n.attr >= 0 {
				v.Attr = n.node.Attr[n.attr].Key
			}
			values = append(values, v)
		}
		return values
	case condition:
		return nil
	default:
		if text = o.text(ev, at); isNumber(o) && text == "NaN" {
			return nil
		}
	}
	if text == "" {
		return nil
	}
	return []Value{{text: text}}
}
