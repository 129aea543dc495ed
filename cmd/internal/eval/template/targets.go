package template

import (
	"regexp"
	"slices"
	"strings"

	"golang.org/x/net/html"

	"github.com/awarc/awarc/engine"
	"github.com/awarc/awarc/kb"
)

// targetFinder collects the elements of a page that its actions look at.
type targetFinder struct {
	list []Target
	at   map[Element]int
}

// TargetsOf lists what the patterns and actions of a page's level look at: what
// an edit must change to break anything.
func TargetsOf(p engine.Page) []Target {
	f := &targetFinder{at: map[Element]int{}}
	v := p.Harvest.Level
	for _, pattern := range v.Detect {
		if x, err := kb.ExprOf(pattern.Expr.Tree()); err == nil {
			for _, value := range x.Select(p.Doc, nil) {
				f.add(value.Node, p.Doc, x.Source)
			}
		}
	}
	for _, a := range v.Follow {
		f.action(a.Tries, p.Doc)
	}
	f.objects(v.Objects, p.Doc)
	return f.list
}

// action notes what the first expression that yields selects.
func (f *targetFinder) action(tries []*kb.Try, scope *html.Node) {
	for _, t := range tries {
		nodes := f.selected([]*kb.Try{t}, scope)
		for _, n := range nodes {
			f.add(n, scope, t.Expr.Source)
		}
		if len(nodes) > 0 {
			return
		}
	}
}

// selected are the elements of the first expression that yields; those around
// text.
func (f *targetFinder) selected(tries []*kb.Try, scope *html.Node) []*html.Node {
	for _, t := range tries {
		var nodes []*html.Node
		for _, v := range t.Expr.Select(scope, nil) {
			switch {
			case v.Node == nil:
			case v.Node.Type == html.ElementNode:
				nodes = append(nodes, v.Node)
			case v.Node.Parent != nil:
				nodes = append(nodes, v.Node.Parent)
			}
		}
		if len(nodes) > 0 {
			return nodes
		}
	}
	return nil
}

// named notes the nodes of objects by what all of them share: what only some
// have, such as "odd" or a class for each member, is no element of the template.
func (f *targetFinder) named(nodes []*html.Node) {
	for _, n := range nodes {
		all := elementsOf(n)
		if len(all) == 0 {
			if e, ok := plainElement(n); ok {
				all = append(all, e)
			}
		}
		for _, e := range all {
			if !slices.ContainsFunc(nodes, func(o *html.Node) bool { return !e.matches(o) }) {
				f.note(e, n, false, true)
			}
		}
	}
}

func (f *targetFinder) objects(list []*kb.Object, scope *html.Node) {
	for _, o := range list {
		nodes := []*html.Node{scope}
		if len(o.At) > 0 {
			nodes = f.selected(o.At, scope)
			f.named(nodes)
		}
		for _, n := range nodes {
			for _, field := range o.Fields {
				f.action(field.Tries, n)
			}
			f.objects(o.Objects, n)
		}
	}
}

var quoted = regexp.MustCompile(`'([^']*)'|"([^"]*)"`)

// add notes a selected node and what lies between it and its scope, as far as the
// expression asks for it.
func (f *targetFinder) add(node, scope *html.Node, source string) {
	var literals []string
	for _, m := range quoted.FindAllStringSubmatch(source, -1) {
		if l := strings.TrimSpace(m[1] + m[2]); len(l) > 1 {
			literals = append(literals, l)
		}
	}
	asked := func(token string) bool {
		return slices.ContainsFunc(literals, func(l string) bool {
			return strings.Contains(token, l) || strings.Contains(l, token) && len(token) > 2
		})
	}
	for n := node; n != nil && n.Type == html.ElementNode && n.Data != "html" && n.Data != "head" && n.Data != "page"; n = n.Parent {
		if n == scope { // the node of an object: see named
			return
		}
		found := false
		for _, e := range elementsOf(n) {
			if asked(e.token) {
				f.note(e, n, n != node, false)
				found = true
			}
		}
		if !found && n == node {
			if e, ok := plainElement(n); ok {
				f.note(e, n, false, false)
			}
		}
	}
}

func (f *targetFinder) note(e Element, n *html.Node, wraps, named bool) {
	i, known := f.at[e]
	if !known {
		i = len(f.list)
		f.at[e] = i
		f.list = append(f.list, Target{Element: e, wraps: wraps})
		for _, a := range n.Attr {
			f.list[i].attrs = append(f.list[i].attrs, a.Key)
		}
	}
	f.list[i].wraps = f.list[i].wraps && wraps
	f.list[i].named = f.list[i].named || named
}

// elementsOf are the ways to name a node by a class or an id that no number makes
// one of many.
func elementsOf(n *html.Node) []Element {
	var out []Element
	for _, c := range strings.Fields(attrOf(n, "class")) {
		if !digits.MatchString(c) {
			out = append(out, Element{tag: n.Data, attr: "class", token: c})
		}
	}
	if id := IDStem(attrOf(n, "id")); id != "" {
		out = append(out, Element{tag: n.Data, attr: "id", token: id})
	}
	return out
}

// plainElement names a node without class and id by what it is in.
func plainElement(n *html.Node) (Element, bool) {
	if all := elementsOf(n); len(all) > 0 {
		return all[0], true
	}
	if n.Parent == nil || attrOf(n, "class") != "" || attrOf(n, "id") != "" {
		return Element{}, false
	}
	over := elementsOf(n.Parent)
	if len(over) == 0 {
		return Element{}, false
	}
	return Element{tag: n.Data, under: &over[0]}, true
}

// ElementsIn lists everything on a page that a class or an id names.
func ElementsIn(root *html.Node) []Target {
	f := &targetFinder{at: map[Element]int{}}
	for n := range root.Descendants() {
		if n.Type != html.ElementNode || n.Data == "html" || n.Data == "body" || InsideHead(n) {
			continue
		}
		for _, e := range elementsOf(n) {
			f.note(e, n, false, false)
		}
	}
	return f.list
}

// InsideHead reports whether a node is in the head of its page.
func InsideHead(n *html.Node) bool {
	for ; n != nil; n = n.Parent {
		if n.Data == "head" {
			return true
		}
	}
	return false
}
