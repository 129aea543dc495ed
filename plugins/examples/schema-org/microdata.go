package main

import (
	"maps"
	"slices"
	"strings"

	"golang.org/x/net/html"
)

// keys are those of an object, sorted: equal pages give equal answers.
func keys(m map[string]any) []string {
	list := slices.Sorted(maps.Keys(m))
	return slices.DeleteFunc(list, func(s string) bool { return s == "" })
}

// items are the items of a page as they are met, and what itemref points to.
type items struct {
	*reader
	byID map[string]*html.Node
	done map[*html.Node]*thing // an item is read once, be it referred to from several places
}

// microdata reads the items of a page that are of schema.org, after the algorithm of the
// HTML standard (section 5.4, "Microdata").
func (r *reader) microdata(root *html.Node) {
	it := &items{r, map[string]*html.Node{}, map[*html.Node]*thing{}}
	for n := range root.Descendants() {
		if id := attribute(n, "id"); n.Type == html.ElementNode && id != "" && it.byID[id] == nil {
			it.byID[id] = n
		}
	}
	for n := range root.Descendants() {
		if n.Type == html.ElementNode && has(n, "itemscope") {
			it.item(n, 0)
		}
	}
}

func has(n *html.Node, name string) bool {
	return slices.ContainsFunc(n.Attr, func(a html.Attribute) bool { return a.Key == name })
}

// item reads the item that an element begins; nil when it is none of schema.org.
func (it *items) item(n *html.Node, depth int) *thing {
	if t, read := it.done[n]; read {
		return t
	}
	var types []string
	for _, full := range strings.Fields(attribute(n, "itemtype")) {
		if name := localName(full); strings.Contains(full, "schema.org") && name != "" {
			types = append(types, name)
		}
	}
	it.done[n] = nil
	if len(types) == 0 || depth > maxDepth {
		return nil
	}
	t := it.add(types, attribute(n, "itemid"))
	it.done[n] = t
	if t == nil {
		return nil
	}
	it.children(t, n, depth)
	for _, id := range strings.Fields(attribute(n, "itemref")) {
		if other := it.byID[id]; other != nil && other != n && !within(n, other) {
			it.element(t, other, depth)
		}
	}
	return t
}

// within reports whether a node is inside another.
func within(n, other *html.Node) bool {
	for p := n.Parent; p != nil; p = p.Parent {
		if p == other {
			return true
		}
	}
	return false
}

// children reads the properties below an element, up to items of their own.
func (it *items) children(t *thing, n *html.Node, depth int) {
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		if c.Type == html.ElementNode {
			it.element(t, c, depth)
		}
	}
}

func (it *items) element(t *thing, n *html.Node, depth int) {
	item := has(n, "itemscope")
	if names := strings.Fields(attribute(n, "itemprop")); len(names) > 0 {
		var value any
		if item {
			if inner := it.item(n, depth+1); inner != nil {
				value = inner
			}
		} else {
			value = it.valueOf(n)
		}
		for _, name := range names {
			it.set(t, name, value, "")
		}
	}
	if !item {
		it.children(t, n, depth)
	}
}

// valueOf is the value of an element that is a property (section 5.2.4 of the standard).
func (it *items) valueOf(n *html.Node) any {
	reference := ""
	switch n.Data {
	case "meta":
		return attribute(n, "content")
	case "audio", "embed", "iframe", "img", "source", "track", "video":
		reference = "src"
	case "a", "area", "link":
		reference = "href"
	case "object":
		reference = "data"
	case "data", "meter":
		return attribute(n, "value")
	case "time":
		if has(n, "datetime") {
			return attribute(n, "datetime")
		}
	}
	if reference != "" {
		if full := it.absolute(attribute(n, reference)); full != "" {
			return iri(full)
		}
		return nil
	}
	if has(n, "content") { // not of the standard, and on many pages
		return attribute(n, "content")
	}
	var b strings.Builder
	for d := range n.Descendants() {
		if d.Type == html.TextNode && d.Parent.Data != "script" && d.Parent.Data != "style" {
			b.WriteString(d.Data)
		}
	}
	return strings.Join(strings.Fields(b.String()), " ")
}
