package yfilter

import (
	"github.com/awarc/awarc/yfilter/xpath"
	"golang.org/x/net/html"
)

// isAt reports whether a point is at a place below the element of the top
// frame. The place is found at most once for each frame.
func (r *runner) isAt(p *place, at point) bool {
	f := &r.frames[len(r.frames)-1]
	s := &r.slots[p.slot]
	if s.frame != f.id {
		r.undo = append(r.undo, saved{p.slot, *s})
		*s = slot{f.id, r.find(p, f.node)}
	}
	return s.at == at
}

// find returns the point at a place below parent, or the zero point.
func (r *runner) find(p *place, parent *html.Node) point {
	if p.test.IsAttr() {
		return r.findAttr(p, parent)
	}
	seen := 0
	c := parent.FirstChild
	if p.n == 0 {
		c = parent.LastChild
	}
	for c != nil {
		if at := (point{c, itself}); passes(p.test, c) && r.allHold(p.before, at) {
			if seen++; seen >= p.n {
				return at
			}
		}
		if p.n == 0 {
			c = c.PrevSibling
		} else {
			c = c.NextSibling
		}
	}
	return point{}
}

func (r *runner) findAttr(p *place, n *html.Node) point {
	var last point
	seen := 0
	for i := range n.Attr {
		at := point{n, i}
		if !named(p.test, n.Attr[i].Key) || !r.allHold(p.before, at) {
			continue
		}
		if seen++; seen == p.n {
			return at
		}
		last = at
	}
	if p.n == 0 {
		return last
	}
	return point{}
}

// passes reports whether a child passes the test of a step or value.
func passes(t xpath.Test, c *html.Node) bool {
	switch t.Kind {
	case xpath.Tag:
		return c.Type == html.ElementNode && c.Data == t.Name
	case xpath.AnyTag:
		return c.Type == html.ElementNode
	case xpath.Text:
		return c.Type == html.TextNode
	}
	return false
}

func (r *runner) allHold(preds []xpath.Pred, at point) bool {
	for i := range preds {
		if !r.holds(&preds[i], at) {
			return false
		}
	}
	return true
}

// holds evaluates a condition. "=" and existence ask for any node that the
// value names; the string functions look at the first one, and at the empty
// string if there is none.
func (r *runner) holds(p *xpath.Pred, at point) bool {
	switch {
	case p.Kind == xpath.Not:
		return !r.holds(p.Inner, at)
	case p.Value.Kind == xpath.Self:
		return p.Kind == xpath.Exists || r.matches(p, at)
	case at.attr != itself || at.n.Type != html.ElementNode:
		return ofNone(p)
	case p.Value.IsAttr():
		return r.ofAttrs(p, at.n)
	}
	for c := at.n.FirstChild; c != nil; c = c.NextSibling {
		if !passes(p.Value, c) {
			continue
		}
		if p.Kind == xpath.Exists || r.matches(p, point{c, itself}) {
			return true
		}
		if p.Kind != xpath.Equals {
			return false
		}
	}
	return ofNone(p)
}

// ofAttrs is holds for a value that names attributes.
func (r *runner) ofAttrs(p *xpath.Pred, n *html.Node) bool {
	for i := range n.Attr {
		if !named(p.Value, n.Attr[i].Key) {
			continue
		}
		if p.Compare(n.Attr[i].Val) {
			return true
		}
		if p.Kind != xpath.Equals {
			return false
		}
	}
	return ofNone(p)
}

// ofNone is holds where the value names no node, or none that equals.
func ofNone(p *xpath.Pred) bool {
	return (p.Kind == xpath.Contains || p.Kind == xpath.StartsWith) && p.Literal == ""
}

// named reports whether t names the attributes with this key. The prefix that
// an attribute in SVG may have is not part of its key.
func named(t xpath.Test, key string) bool {
	return t.Kind == xpath.AnyAttr || t.Name == key
}

// matches compares the string-value of one node.
func (r *runner) matches(p *xpath.Pred, at point) bool {
	switch {
	case at.attr != itself:
		return p.Compare(at.n.Attr[at.attr].Val)
	case at.n.Type == html.TextNode:
		return p.Compare(at.n.Data)
	}
	return r.text.matches(p, at.n)
}
