package kb

import (
	"cmp"
	"slices"
	"strings"

	"github.com/awarc/awarc/yfilter/xpath"
)

// expr looks at one expression of an action.
func (l *linter) expr(pos Position, where string, e *Expr) {
	l.css(pos, where, e.Source)
	if e.Fragment != nil {
		l.headerCase(pos, where, e.Fragment)
	}
	xpath.Edit(e.Tree, func(n xpath.Node) (xpath.Node, bool) {
		switch n := n.(type) {
		case *xpath.Call:
			l.call(pos, where, n)
		case *xpath.Binary:
			if name := unquoted(n); name != "" {
				l.warn(pos, "value-unquoted", where, "write '"+name+"' in quotes if a text is meant",
					"%s compares with the text of an element <%s>", n, name)
			}
		case *xpath.Path:
			l.conditions(pos, where, n.Preds)
			for _, s := range n.Steps {
				l.conditions(pos, where, s.Preds)
			}
		}
		return n, true
	})
}

// fromPage looks at expressions whose context node is the page: its one child is <page>, so that other paths to a child find nothing.
// Only the first path of an expression has an implicit "//", arguments and brackets have none.
func (l *linter) fromPage(pos Position, where string, list ...*Expr) {
	for _, e := range list {
		if e == nil {
			continue
		}
		var look func(n xpath.Node) (xpath.Node, bool)
		look = func(n xpath.Node) (xpath.Node, bool) {
			p, ok := n.(*xpath.Path)
			if !ok {
				return n, true
			}
			if p.From != nil {
				xpath.Edit(p.From, look)
			} else if name := topChild(p.Steps); name != "" && name != "page" && name != "*" && name != "node()" {
				l.nowhere(cmp.Or(e.Pos, pos), where, p.String())
			}
			return n, false // conditions begin at an element
		}
		xpath.Edit(xpath.Below(e.Tree), look)
	}
}

// nowhere reports a path that finds nothing.
func (l *linter) nowhere(pos Position, where, path string) {
	l.errorf(pos, "path-nowhere", where, "write //"+strings.TrimLeft(path, "./"),
		"%s begins at the top of the page, which has no such child: it matches nothing", path)
}

// topChild gives the child of the context node that a path begins with, an attribute with "@"; "" for a path that begins with
// "//" or an axis.
func topChild(steps []*xpath.PathStep) string {
	for len(steps) > 0 && steps[0].Axis == "." && !steps[0].Deep {
		steps = steps[1:]
	}
	switch {
	case len(steps) == 0 || steps[0].Deep:
		return ""
	case steps[0].Axis == "@":
		return "@" + steps[0].Test
	case steps[0].Axis == "" || steps[0].Axis == "child":
		return steps[0].Test
	}
	return ""
}

// some looks at expressions that an action may lack.
func (l *linter) some(pos Position, where string, list ...*Expr) {
	for _, e := range list {
		if e != nil {
			l.expr(pos, where, e)
		}
	}
}

// functions are the functions of XPath 1.0, section 4.
var functions = strings.Fields("last position count id local-name namespace-uri name string concat starts-with contains " +
	"substring-before substring-after substring string-length normalize-space translate boolean not true false lang " +
	"number sum floor ceiling round")

func (l *linter) call(pos Position, where string, c *xpath.Call) {
	if !slices.Contains(functions, c.Name) {
		l.errorf(pos, "xpath-function", where,
			"use contains, starts-with, substring-before or translate, or cut the value with match=\"...\"",
			"%s() is not a function of XPath 1.0", c.Name)
		return
	}
	if (c.Name == "contains" || c.Name == "starts-with") && len(c.Args) == 2 {
		if name := elementName(c.Args[1]); name != "" && ownText(c.Args[0]) {
			l.warn(pos, "value-unquoted", where, "write '"+name+"' in quotes if a text is meant",
				"%s compares with the text of an element <%s>",
				c, name)
		}
	}
}

// unquoted gives the name of an element that a comparison has beside an attribute or a text, where a string is usual; "" for none.
func unquoted(b *xpath.Binary) string {
	switch {
	case b.Op != "=" && b.Op != "!=":
		return ""
	case ownText(b.Left):
		return elementName(b.Right)
	case ownText(b.Right):
		return elementName(b.Left)
	}
	return ""
}

// ownText reports whether a path selects an attribute or the text of its context node.
func ownText(n xpath.Node) bool {
	p, ok := n.(*xpath.Path)
	if !ok || p.From != nil || p.Root || len(p.Steps) != 1 || p.Steps[0].Deep {
		return false
	}
	s := p.Steps[0]
	return s.Axis == "@" || s.Axis == "." || s.Test == "text()"
}

// elementName gives the name of a path that is only the name of a child element; "" for others.
func elementName(n xpath.Node) string {
	p, ok := n.(*xpath.Path)
	if !ok || p.From != nil || p.Root || len(p.Steps) != 1 {
		return ""
	}
	s := p.Steps[0]
	if s.Deep || s.Axis != "" || len(s.Preds) > 0 || s.Test == "*" || strings.HasSuffix(s.Test, ")") {
		return ""
	}
	return s.Test
}

// conditions looks at predicates for paths that leave the element that they are a condition of.
func (l *linter) conditions(pos Position, where string, preds []xpath.Node) {
	for _, q := range preds {
		xpath.Edit(q, func(n xpath.Node) (xpath.Node, bool) {
			p, ok := n.(*xpath.Path)
			if !ok {
				return n, true
			}
			if p.Root && len(p.Steps) > 0 {
				l.warn(pos, "condition-absolute", where,
					"begin it with .// to look below the element; test the page in the patterns of the level",
					"%s in a condition begins at the page (or the object), not at the element: it selects the same for all elements", p)
			}
			if axis := wide(p); axis != "" {
				l.warn(pos, "cost-grows", where,
					"use preceding-sibling or following-sibling, or a position in a list: (//li[@class='x'])[position() > 1]",
					"%s in a condition can walk the whole page for each element (%s)", p, axis)
			}
			return n, true
		})
	}
}

// wide names the axis by which a path leaves its element for the rest of the page; "" for none.
func wide(p *xpath.Path) string {
	up := ""
	for _, s := range p.Steps {
		switch {
		case s.Axis == "following" || s.Axis == "preceding":
			return s.Axis + "::"
		case up != "" && s.Deep:
			return up + "//"
		case strings.HasPrefix(s.Axis, "ancestor"):
			up = s.Axis + "::" + s.Test
		}
	}
	return ""
}

// headerCase tells of headers whose name is not in lower case: the names on the page are.
func (l *linter) headerCase(pos Position, where string, e *xpath.Expr) {
	for _, s := range e.Steps {
		if s.Test != (xpath.Test{Kind: xpath.Tag, Name: "header"}) {
			continue
		}
		for _, p := range s.Preds {
			if p.Value == (xpath.Test{Kind: xpath.Attr, Name: "name"}) && p.Literal != strings.ToLower(p.Literal) {
				l.errorf(pos, "header-case", where, "write '"+strings.ToLower(p.Literal)+"'",
					"%s never matches: names of headers are in lower case here", p)
			}
		}
	}
}

// anyPage are expressions that match every page: the parser adds these elements, and every page has an address.
var anyPage = func() (all []*xpath.Expr) {
	for _, source := range []string{"/page/html/head", "/page/html/body", "/page/url/host", "/page/url/path"} {
		e, err := xpath.Parse(source)
		if err != nil {
			panic(err) // a test runs it
		}
		all = append(all, e)
	}
	return all
}()

// anywhere tells of a pattern of a type that matches every page.
func (l *linter) anywhere(where string, p Pattern) {
	if !slices.ContainsFunc(anyPage, func(q *xpath.Expr) bool { return implies(q, p.Expr) }) {
		return
	}
	const hint = "name an id, a class or an address that only this software has"
	if p.Weak {
		l.warn(p.Pos, "pattern-any", where+"/detect/pattern", hint, "%s matches every page: it proves nothing", p.Expr)
	} else {
		l.errorf(p.Pos, "pattern-any", where+"/detect/pattern", hint, "%s matches every page: all pages would be of this type", p.Expr)
	}
}
