package xpath

import (
	"strings"

	"golang.org/x/net/html"
)

// Work bounds what all expressions together may do on one page, in steps: about
// one for each node that is looked at. A hostile page can make an innocent
// expression such as "div//div[1]//b" visit its nodes billions of times; it then
// runs out of steps instead, always at the same place. Not safe for concurrent
// use.
type Work struct {
	left  int
	all   int
	spent bool
	by    map[any]int // steps of each user that took some
}

// NewWork gives out a number of steps.
func NewWork(steps int) *Work { return &Work{left: steps, all: steps, by: map[any]int{}} }

// Charge runs f and attributes the steps that it takes to a user, such as an expression.
func (w *Work) Charge(user any, f func()) {
	before := w.left
	f()
	if took := before - w.left; took > 0 {
		w.by[user] += took
	}
}

// By gives the steps of each user that [Work.Charge] saw. It is not to be changed.
func (w *Work) By() map[any]int { return w.by }

// Share is a part of all steps that were given out, from 0 to 1.
func (w *Work) Share(steps int) float64 { return float64(steps) / float64(w.all) }

// Spend takes steps and reports whether there were so many left.
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

// Spent reports whether something was left undone for want of steps.
func (w *Work) Spent() bool { return w.spent }

// SpendTree takes a step for each node below n and reports whether there were so many left.
func (w *Work) SpendTree(n *html.Node) bool {
	for range n.Descendants() {
		if w.left == 0 {
			w.spent = true
			return false
		}
		w.left--
	}
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
