package extract

import (
	"regexp"
	"strconv"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/awarc/awarc/kb"
)

// maxDepth bounds how deep a value's markup is followed; deeper nodes are left
// out of its text. Real content is never that deep.
const maxDepth = 2000

// fold joins runs of white space, no-break spaces included, to single spaces.
func fold(s string) string { return strings.Join(strings.Fields(s), " ") }

// breaks are elements that end a line in running text.
var breaks = map[atom.Atom]bool{
	atom.P: true, atom.Div: true, atom.Br: true, atom.Li: true, atom.Ul: true, atom.Ol: true, atom.Dl: true, atom.Dt: true, atom.Dd: true,
	atom.Blockquote: true, atom.Pre: true, atom.Table: true, atom.Tr: true, atom.H1: true, atom.H2: true, atom.H3: true, atom.H4: true,
	atom.H5: true, atom.H6: true, atom.Hr: true, atom.Section: true, atom.Article: true, atom.Aside: true, atom.Header: true, atom.Footer: true,
	atom.Figure: true, atom.Figcaption: true, atom.Fieldset: true, atom.Form: true, atom.Address: true, atom.Center: true, atom.Details: true, atom.Summary: true,
}

// silent are elements whose text nobody reads.
var silent = map[atom.Atom]bool{
	atom.Script: true, atom.Style: true, atom.Noscript: true, atom.Template: true, atom.Head: true, atom.Select: true, atom.Textarea: true, atom.Iframe: true, atom.Object: true,
}

// blockText gives the text of a node with paragraphs and line breaks as line
// breaks, without empty lines and without the dropped nodes.
func blockText(n *html.Node, drop map[*html.Node]bool) string {
	var b strings.Builder
	var walk func(n *html.Node, depth int)
	walk = func(n *html.Node, depth int) {
		if depth > maxDepth || drop[n] {
			return
		}
		switch n.Type {
		case html.TextNode:
			b.WriteString(strings.Map(unbreak, n.Data))
			return
		case html.ElementNode:
			if silent[n.DataAtom] {
				return
			}
			if n.DataAtom == atom.Td || n.DataAtom == atom.Th {
				b.WriteByte(' ')
			}
		}
		br := breaks[n.DataAtom]
		if br {
			b.WriteByte('\n')
		}
		for c := n.FirstChild; c != nil; c = c.NextSibling {
			walk(c, depth+1)
		}
		if br {
			b.WriteByte('\n')
		}
	}
	walk(n, 0)
	var lines []string
	for _, l := range strings.Split(b.String(), "\n") {
		if l = fold(l); l != "" {
			lines = append(lines, l)
		}
	}
	return strings.Join(lines, "\n")
}

// unbreak turns the line ends of the source into spaces: only elements break.
func unbreak(r rune) rune {
	if r == '\n' || r == '\r' {
		return ' '
	}
	return r
}

// innerHTML gives the markup inside a node, without the dropped nodes, scripts
// and styles.
func innerHTML(n *html.Node, drop map[*html.Node]bool) string {
	var b strings.Builder
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		if copied := cloned(c, drop, 0); copied != nil {
			if err := html.Render(&b, copied); err != nil {
				return ""
			}
		}
	}
	return strings.TrimSpace(b.String())
}

func cloned(n *html.Node, drop map[*html.Node]bool, depth int) *html.Node {
	if depth > maxDepth || drop[n] || n.DataAtom == atom.Script || n.DataAtom == atom.Style || n.Type == html.CommentNode {
		return nil
	}
	c := &html.Node{Type: n.Type, DataAtom: n.DataAtom, Data: n.Data, Namespace: n.Namespace, Attr: n.Attr}
	for k := n.FirstChild; k != nil; k = k.NextSibling {
		if cc := cloned(k, drop, depth+1); cc != nil {
			c.AppendChild(cc)
		}
	}
	return c
}

var numberForm = regexp.MustCompile(`[0-9]{1,3}(?:[.,' \x{a0}\x{202f}][0-9]{3})+|[0-9]+`)

// number gives the first whole number in a text, without its thousands marks.
func number(s string) string {
	return strings.Map(func(r rune) rune {
		if r >= '0' && r <= '9' {
			return r
		}
		return -1
	}, numberForm.FindString(s))
}

func total(t *kb.Total, n *html.Node) (int, bool) {
	for _, try := range t.Tries {
		for _, v := range try.Expr.Select(n) {
			if c, err := strconv.Atoi(number(cut(try, v.Text))); err == nil {
				return c, true
			}
		}
	}
	return 0, false
}

func attr(n *html.Node, name string) string {
	for _, a := range n.Attr {
		if a.Key == name && a.Namespace == "" {
			return a.Val
		}
	}
	return ""
}

// anchorText is the text of the link around a node: what a reader would click.
func anchorText(n *html.Node) string {
	for a := n; a != nil; a = a.Parent {
		if a.DataAtom == atom.A {
			n = a
			break
		}
	}
	if n == nil || n.Type != html.ElementNode {
		return ""
	}
	s := strings.ReplaceAll(blockText(n, nil), "\n", " ")
	if s == "" {
		s = fold(attr(n, "title"))
	}
	const most = 300
	if len(s) > most {
		s = strings.ToValidUTF8(s[:most], "")
	}
	return s
}
