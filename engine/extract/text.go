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
	atom.H5: true, atom.H6: true, atom.Hr: true, atom.Section: true, atom.Article: true, atom.Aside: true, atom.Header: true,
	atom.Footer: true,
	atom.Main:   true, atom.Nav: true, atom.Caption: true, atom.Legend: true, atom.Dir: true, atom.Menu: true, atom.Figure: true,
	atom.Figcaption: true, atom.Fieldset: true, atom.Form: true, atom.Address: true, atom.Center: true, atom.Details: true,
	atom.Summary: true, atom.Hgroup: true, atom.Dialog: true, atom.Listing: true, atom.Xmp: true, atom.Option: true, atom.Optgroup: true,
}

// blockStyle is a style that makes an element a block, in which its innerText begins and ends a line.
var blockStyle = regexp.MustCompile(`(?i)(^|;)\s*display\s*:\s*(block|flex|grid|table|list-item|flow-root)\b`)

// isBlock reports whether an element begins and ends a line: by its name or its own style, or as the line above a
// quotation that says whose it is, which boards show as a block.
func isBlock(n *html.Node) bool {
	if n.Type != html.ElementNode || breaks[n.DataAtom] {
		return n.Type == html.ElementNode
	}
	if n.DataAtom == atom.Cite {
		for up, levels := n.Parent, 0; up != nil && levels < 3; up, levels = up.Parent, levels+1 {
			if up.DataAtom == atom.Blockquote {
				return true
			}
		}
	}
	style := attr(n, "style")
	return style != "" && blockStyle.MatchString(style)
}

// silent are elements whose text nobody reads.
var silent = map[atom.Atom]bool{
	atom.Script: true, atom.Style: true, atom.Noscript: true, atom.Template: true, atom.Head: true, atom.Select: true, atom.Textarea: true,
	atom.Iframe: true, atom.Object: true,
}

// copier copies what a reader sees of a part of a page.
type copier struct {
	work *kb.Work
	// left tells which nodes are left out.
	left func(*html.Node) bool
	// resolve makes the addresses of markup absolute; nil leaves them.
	resolve *resolver
}

// blockText gives the text of a node with paragraphs and line breaks as line
// breaks, without empty lines.
func (c *copier) blockText(n *html.Node) string {
	var b strings.Builder
	c.text(&b, n, 0, false)
	var lines []string
	for l := range strings.SplitSeq(b.String(), "\n") {
		if l = fold(l); l != "" {
			lines = append(lines, l)
		}
	}
	return strings.Join(lines, "\n")
}

// text writes the text of a node; pre tells that its line ends are shown.
func (c *copier) text(b *strings.Builder, n *html.Node, depth int, pre bool) {
	if depth > maxDepth || !c.work.Spend(1+len(n.Data)/64) || c.left(n) {
		return
	}
	switch {
	case n.Type == html.TextNode && pre:
		b.WriteString(strings.ReplaceAll(unhyphenate(n.Data), "\r", "\n"))
		return
	case n.Type == html.TextNode:
		b.WriteString(strings.Map(unbreak, n.Data))
		return
	case n.Type == html.ElementNode && silent[n.DataAtom] && depth > 0:
		return
	case n.DataAtom == atom.Td || n.DataAtom == atom.Th:
		b.WriteByte(' ')
	}
	if isBlock(n) {
		b.WriteByte('\n')
		defer b.WriteByte('\n')
	}
	for k := n.FirstChild; k != nil; k = k.NextSibling {
		c.text(b, k, depth+1, pre || n.DataAtom == atom.Pre)
	}
}

// unbreak turns the line ends of the source into spaces, since only elements break, and
// leaves soft hyphens out.
func unbreak(r rune) rune {
	switch r {
	case '\n', '\r':
		return ' '
	case softHyphen:
		return -1
	}
	return r
}

// softHyphen says where a word may be broken. Nobody sees it elsewhere, and a word with it
// is found by no search and equals no other statement of a title or a name.
const softHyphen = '\u00ad'

func unhyphenate(s string) string { return strings.ReplaceAll(s, string(softHyphen), "") }

// innerHTML gives the markup inside a node, without scripts and styles, its addresses absolute.
func (c *copier) innerHTML(n *html.Node) string {
	var b strings.Builder
	for k := n.FirstChild; k != nil; k = k.NextSibling {
		if copied := c.clone(k, 0); copied != nil {
			if err := html.Render(&b, copied); err != nil {
				return ""
			}
		}
	}
	return strings.TrimSpace(b.String())
}

func (c *copier) clone(n *html.Node, depth int) *html.Node {
	if depth > maxDepth || n.DataAtom == atom.Script || n.DataAtom == atom.Style || n.Type == html.CommentNode ||
		!c.work.Spend(1+len(n.Data)/64) || c.left(n) {
		return nil
	}
	out := &html.Node{Type: n.Type, DataAtom: n.DataAtom, Data: n.Data, Namespace: n.Namespace, Attr: n.Attr}
	if c.resolve != nil {
		out.Attr = c.resolve.attributes(n)
	}
	for k := n.FirstChild; k != nil; k = k.NextSibling {
		if copied := c.clone(k, depth+1); copied != nil {
			out.AppendChild(copied)
		}
	}
	return out
}

var numberForm = regexp.MustCompile(`([-\x{2212}]?)([0-9]{1,3}(?:[.,' \x{a0}\x{202f}\x{2019}][0-9]{3})+|[0-9]{1,2}(?:,[0-9]{2})+,` +
	`[0-9]{3}|[0-9]+)((?:[.,][0-9]+)? ?[kKmM]\b|[.,]?[0-9])?`)

// number gives the first whole number in a text, without its thousands marks:
// "" where it is rounded ("1.2k") and so is not the number.
func number(s string) string {
	m := numberForm.FindStringSubmatch(s)
	if m == nil || strings.ContainsAny(m[3], "kKmM") {
		return ""
	}
	digits := strings.Map(func(r rune) rune {
		if r >= '0' && r <= '9' {
			return r
		}
		return -1
	}, m[2])
	if m[1] != "" && strings.HasPrefix(s, m[0]) {
		return "-" + digits
	}
	return digits
}

// total reads a number of things: the first that is selected, but of pages, which are numbered, the highest.
func (r *run) total(t *kb.Total, n *html.Node) (count int, ok bool) {
	for _, try := range r.tries(t.Tries) {
		for _, v := range try.Expr.Select(n, r.work) {
			c, err := strconv.Atoi(number(cut(try, v.Text())))
			if err == nil && c >= 0 && (!ok || c > count) {
				count, ok = c, true
			}
			if ok && t.Of != kb.OfPages {
				break
			}
		}
		if ok {
			r.used(try)
			return count + t.More, true
		}
	}
	return 0, false
}

func elementOf(doc *html.Node, a atom.Atom) *html.Node {
	for n := range doc.Descendants() {
		if n.DataAtom == a {
			return n
		}
	}
	return nil
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
func (r *run) anchorText(n *html.Node) string {
	n = anchorOf(n)
	text, known := r.anchors[n]
	if !known {
		text = anchorText(n, r.work)
		r.anchors[n] = text
	}
	return text
}

// anchorOf gives the anchor that n is or lies in, or n.
func anchorOf(n *html.Node) *html.Node {
	for a := n; a != nil; a = a.Parent {
		if a.DataAtom == atom.A {
			return a
		}
	}
	return n
}

// anchorText is the text of an anchor or what else leads somewhere, or its title.
func anchorText(n *html.Node, work *kb.Work) string {
	if n == nil || n.Type != html.ElementNode {
		return ""
	}
	c := &copier{work: work, left: func(*html.Node) bool { return false }}
	s := strings.ReplaceAll(c.blockText(n), "\n", " ")
	if s == "" {
		s = fold(attr(n, "title"))
	}
	const most = 300
	if len(s) > most {
		s = strings.ToValidUTF8(s[:most], "")
	}
	return s
}
