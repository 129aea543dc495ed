package extract

import (
	"strings"

	"golang.org/x/net/html"
)

// lineOf returns the element around a node that says nothing else, if it is a line of its own; nil
// where the node stands in a text, or is not inside the object.
func lineOf(n, whole *html.Node) *html.Node {
	before, after := func(n *html.Node) *html.Node { return n.PrevSibling }, func(n *html.Node) *html.Node { return n.NextSibling }
	for n != nil && n != whole {
		left, right := nextTo(n, before), nextTo(n, after)
		if left != nil || right != nil || n.Parent == whole {
			ends := (left == nil || breaking(left)) && (right == nil || breaking(right))
			if n.Type == html.ElementNode && (breaking(n) || ends && !isText(left) && !isText(right)) {
				return n
			}
			return nil
		}
		n = n.Parent
	}
	return nil
}

// nextTo is the nearest neighbour of a node that says something, nil for none.
func nextTo(n *html.Node, on func(*html.Node) *html.Node) *html.Node {
	for n = on(n); n != nil; n = on(n) {
		if isText(n) {
			return n
		}
		for d := range n.Descendants() {
			if isText(d) {
				return n
			}
		}
	}
	return nil
}

func isText(n *html.Node) bool {
	return n != nil && n.Type == html.TextNode && strings.TrimSpace(n.Data) != ""
}
