package yfilter

import (
	"strings"

	"github.com/awarc/awarc/yfilter/xpath"
	"golang.org/x/net/html"
)

// selectByHand evaluates one expression as the recommendation of XPath 1.0
// words it: step by step, from node-set to node-set, each predicate filtering
// the nodes that one context node contributes. It is slow and obvious.
func selectByHand(root *html.Node, e *xpath.Expr) map[point]bool {
	set := map[point]bool{{root, itself}: true}
	for _, step := range e.Steps {
		contexts := set
		if step.Axis == xpath.Descendant { // /descendant-or-self::node()/
			contexts = map[point]bool{}
			for p := range set {
				addDescendants(contexts, p)
			}
		}
		set = map[point]bool{}
		for context := range contexts {
			nodes := namedBy(step.Test, context)
			for _, pred := range step.Preds {
				nodes = filterByHand(nodes, pred)
			}
			for _, n := range nodes {
				set[n] = true
			}
		}
	}
	return set
}

func addDescendants(to map[point]bool, p point) {
	to[p] = true
	if p.attr == itself {
		for c := p.n.FirstChild; c != nil; c = c.NextSibling {
			addDescendants(to, point{c, itself})
		}
	}
}

// namedBy lists in document order the nodes that a test or value names, seen
// from a context node.
func namedBy(t xpath.Test, context point) []point {
	var list []point
	n := context.n
	switch {
	case t.Kind == xpath.Self:
		return []point{context}
	case context.attr != itself:
		return nil
	case t.Kind == xpath.Attr || t.Kind == xpath.AnyAttr:
		for i, a := range n.Attr {
			if n.Type == html.ElementNode && (t.Kind == xpath.AnyAttr || a.Key == t.Name) {
				list = append(list, point{n, i})
			}
		}
		return list
	}
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		if c.Type == html.TextNode && t.Kind == xpath.Text ||
			c.Type == html.ElementNode && (t.Kind == xpath.AnyTag || t.Kind == xpath.Tag && c.Data == t.Name) {
			list = append(list, point{c, itself})
		}
	}
	return list
}

func filterByHand(nodes []point, p xpath.Pred) []point {
	var kept []point
	for i, n := range nodes {
		switch {
		case p.Kind == xpath.Position && i+1 == p.N,
			p.Kind == xpath.Last && i+1 == len(nodes),
			!p.Positional() && holdsByHand(p, n):
			kept = append(kept, n)
		}
	}
	return kept
}

func holdsByHand(p xpath.Pred, n point) bool {
	if p.Kind == xpath.Not {
		return !holdsByHand(*p.Inner, n)
	}
	nodes := namedBy(p.Value, n)
	first := ""
	if len(nodes) > 0 {
		first = stringValue(nodes[0])
	}
	switch p.Kind {
	case xpath.Exists:
		return len(nodes) > 0
	case xpath.Contains:
		return strings.Contains(first, p.Literal)
	case xpath.StartsWith:
		return strings.HasPrefix(first, p.Literal)
	case xpath.Token:
		space := strings.NewReplacer("\t", " ", "\n", " ", "\r", " ")
		return strings.Contains(" "+space.Replace(first)+" ", " "+p.Literal+" ")
	}
	for _, n := range nodes {
		if stringValue(n) == p.Literal {
			return true
		}
	}
	return false
}

func stringValue(p point) string {
	switch {
	case p.attr != itself:
		return p.n.Attr[p.attr].Val
	case p.n.Type == html.TextNode:
		return p.n.Data
	case p.n.Type == html.CommentNode:
		return ""
	}
	var b strings.Builder
	for c := p.n.FirstChild; c != nil; c = c.NextSibling {
		b.WriteString(stringValue(point{c, itself}))
	}
	return b.String()
}
