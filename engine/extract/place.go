package extract

import (
	"strings"
	"unicode"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

const (
	deepest  = 24 // elements of a place, those nearest to the link
	longStep = 40 // bytes of an element in it
)

// place is where on the page an element is: its path from the body, each element with its first class. Numbers are left out, so that the
// items of a list are at one place.
func (c *collector) place(n *html.Node) string {
	if !c.p.Places || n == nil {
		return ""
	}
	at := step(n)
	if n.DataAtom != atom.Body && n.Parent != nil && n.Parent.Type == html.ElementNode {
		if above := c.placeAbove(n.Parent); above != "" {
			at = above + "/" + at
		}
	}
	for strings.Count(at, "/") >= deepest {
		_, at, _ = strings.Cut(at, "/")
	}
	return at
}

// placeAbove is place for an element that may have many links in it.
func (c *collector) placeAbove(n *html.Node) string {
	at, known := c.places[n]
	if !known {
		if c.places == nil {
			c.places = map[*html.Node]string{}
		}
		at = c.place(n)
		c.places[n] = at
	}
	return at
}

func step(n *html.Node) string {
	class, _, _ := strings.Cut(strings.TrimSpace(attr(n, "class")), " ")
	class = strings.Trim(strings.Map(func(r rune) rune {
		if unicode.IsDigit(r) || r == '/' || unicode.IsSpace(r) {
			return -1
		}
		return r
	}, class), "-_")
	s := n.Data
	if class != "" {
		s += "." + class
	}
	return s[:min(len(s), longStep)]
}
