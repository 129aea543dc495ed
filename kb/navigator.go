package kb

import (
	"strings"

	antxpath "github.com/antchfx/xpath"
	"golang.org/x/net/html"
)

// Work bounds what all expressions together may do on one page, in steps: about
// one for each node that is looked at. A hostile page can make an innocent
// expression such as "div//div[1]//b" visit its nodes billions of times; it then
// runs out of steps instead, always at the same place. Not safe for concurrent
// use.
type Work struct {
	left  int
	spent bool
}

// NewWork gives out a number of steps.
func NewWork(steps int) *Work { return &Work{left: steps} }

// Spend takes steps and tells whether there were so many left.
func (w *Work) Spend(steps int) bool {
	if steps > w.left {
		w.left, w.spent = 0, true
		return false
	}
	w.left -= steps
	return true
}

// Left is how many steps are left.
func (w *Work) Left() int { return w.left }

// Spent tells whether something was left undone for want of steps.
func (w *Work) Spent() bool { return w.spent }

// spendTree takes a step for each node at and below n.
func (w *Work) spendTree(n *html.Node) bool {
	for range n.Descendants() {
		if w.left == 0 {
			w.spent = true
			return false
		}
		w.left--
	}
	return true
}

// outOfWork is what a navigator panics with, since the library has no other way
// out; [Expr.Select] recovers it.
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

// maxText bounds the string-value of one element, in bytes.
const maxText = 1 << 20

// text is the string-value of a node, [maxText] bytes of it at most.
func (w *Work) text(n *html.Node) string {
	if n.Type != html.ElementNode && n.Type != html.DocumentNode {
		return n.Data
	}
	if c := n.FirstChild; c != nil && c.NextSibling == nil && c.Type == html.TextNode {
		return c.Data
	}
	var b strings.Builder
	for d := range n.Descendants() {
		if !w.Spend(1) || b.Len() > maxText {
			break
		}
		if d.Type == html.TextNode && w.Spend(len(d.Data)/64) {
			b.WriteString(d.Data)
		}
	}
	return b.String()
}

// compare orders two nodes by where they start in the document.
func (w *Work) compare(a, b *html.Node) int {
	if a == b {
		return 0
	}
	da, db := height(a), height(b)
	above := da - db // the outer of two nested nodes comes first
	for ; da > db; da-- {
		a = a.Parent
	}
	for ; db > da; db-- {
		b = b.Parent
	}
	if a == b {
		return above
	}
	for a.Parent != b.Parent {
		a, b = a.Parent, b.Parent
	}
	for x, y := a.NextSibling, b.NextSibling; (x != nil || y != nil) && w.Spend(1); {
		switch {
		case x == b:
			return -1
		case y == a:
			return 1
		}
		if x != nil {
			x = x.NextSibling
		}
		if y != nil {
			y = y.NextSibling
		}
	}
	return 0
}

func height(n *html.Node) int {
	h := 0
	for ; n.Parent != nil; n = n.Parent {
		h++
	}
	return h
}
