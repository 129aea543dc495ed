package xpath

import (
	"slices"
	"strconv"

	antxpath "github.com/antchfx/xpath"
	"golang.org/x/net/html"
)

// byLibrary runs an expression by the XPath library.
func (q *Query) byLibrary(n *html.Node, work *Work) (values []Value) {
	c := q.pool.Get().(*antxpath.Expr)
	defer func() {
		if recover() != nil { // some type errors, only seen at run time; no more work
			values = nil
			return
		}
		q.pool.Put(c)
	}()
	switch v := c.Evaluate(&navigator{root: n, curr: n, attr: -1, work: work}).(type) {
	case *antxpath.NodeIterator:
		return nodeSet(v, work)
	case string:
		if v != "" {
			values = append(values, Value{text: v})
		}
	case float64:
		if v == v { // not NaN
			values = append(values, Value{text: strconv.FormatFloat(v, 'f', -1, 64)})
		}
	}
	return values
}

// nodeSet reads what the library found. It keeps neither the document's order
// (unions, reverse axes) nor each node once (a "//" below a "//").
func nodeSet(it *antxpath.NodeIterator, work *Work) []Value {
	var values []Value
	seen := map[Value]bool{}
	for it.MoveNext() {
		at := it.Current().(*navigator)
		v := Value{Node: at.curr, work: work}
		if at.attr >= 0 {
			v.Attr = at.LocalName()
		}
		if !seen[v] {
			seen[v] = true
			values = append(values, v)
		}
	}
	order := func(a, b Value) int { return work.compare(a.Node, b.Node) }
	if !slices.IsSortedFunc(values, order) {
		slices.SortStableFunc(values, order)
	}
	return values
}

// outOfWork is what a navigator panics with, since the library has no other way
// out; [Query.Select] recovers it.
type outOfWork struct{}

// navigator shows an HTML tree to the XPath library and counts its moves. Its
// root is the context node, so that a leading "/" stays inside an object.
type navigator struct {
	root, curr *html.Node
	attr       int // index of the attribute it stands on, or -1
	work       *Work
}

func (v *navigator) step() {
	if !v.work.Spend(1) {
		panic(outOfWork{})
	}
}

func (v *navigator) NodeType() antxpath.NodeType {
	switch {
	case v.attr >= 0:
		return antxpath.AttributeNode
	case v.curr.Type == html.ElementNode:
		return antxpath.ElementNode
	case v.curr.Type == html.TextNode:
		return antxpath.TextNode
	case v.curr.Type == html.DocumentNode:
		return antxpath.RootNode
	default:
		return antxpath.CommentNode // doctypes too: no expression can mean one
	}
}

func (v *navigator) LocalName() string {
	if v.attr >= 0 {
		return v.curr.Attr[v.attr].Key
	}
	return v.curr.Data
}

func (v *navigator) Prefix() string { return "" }

func (v *navigator) Value() string {
	if v.attr >= 0 {
		return v.curr.Attr[v.attr].Val
	}
	return v.work.text(v.curr)
}

func (v *navigator) Copy() antxpath.NodeNavigator {
	const cost = 8 // the library may keep what it copies
	if !v.work.Spend(cost) {
		panic(outOfWork{})
	}
	c := *v
	return &c
}

func (v *navigator) MoveToRoot() { v.curr, v.attr = v.root, -1 }

func (v *navigator) MoveToParent() bool {
	v.step()
	if v.attr >= 0 {
		v.attr = -1
		return true
	}
	return v.to(v.curr.Parent)
}

func (v *navigator) MoveToNextAttribute() bool {
	v.step()
	if v.attr >= len(v.curr.Attr)-1 {
		return false
	}
	v.attr++
	return true
}

func (v *navigator) MoveToChild() bool {
	v.step()
	return v.attr < 0 && v.to(v.curr.FirstChild)
}

func (v *navigator) MoveToFirst() bool {
	v.step()
	return v.attr < 0 && v.curr.PrevSibling != nil && v.to(v.curr.Parent.FirstChild)
}

func (v *navigator) MoveToNext() bool {
	v.step()
	return v.attr < 0 && v.to(v.curr.NextSibling)
}

func (v *navigator) MoveToPrevious() bool {
	v.step()
	return v.attr < 0 && v.to(v.curr.PrevSibling)
}

func (v *navigator) MoveTo(other antxpath.NodeNavigator) bool {
	o, ok := other.(*navigator)
	if !ok || o.root != v.root {
		return false
	}
	v.curr, v.attr = o.curr, o.attr
	return true
}

func (v *navigator) to(n *html.Node) bool {
	if n == nil {
		return false
	}
	v.curr = n
	return true
}
