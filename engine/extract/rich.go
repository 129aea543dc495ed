package extract

import (
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/awarc/awarc/kb"
)

// content is what is read of a content.
type content struct {
	text, markup string
	own          string   // the text without quotations
	quoted       []string // these
}

// rich reads a content; learned tells that no author of the knowledge
// base saw what is selected.
func (r *run) rich(f *kb.Field, v kb.Value, learned bool) content {
	if v.Node == nil || v.Attr != "" || v.Node.Type != html.ElementNode {
		s := fold(unhyphenate(v.Text()))
		return content{text: s, markup: html.EscapeString(s), own: s}
	}
	drop := map[*html.Node]bool{}
	for _, t := range r.tries(f.Without) {
		for _, d := range t.Expr.Select(v.Node, r.work) {
			if d.Node != nil && d.Node != v.Node {
				drop[d.Node] = true
				r.used(t)
			}
		}
	}
	switch {
	case f.Until != "":
		dropFrom(v.Node, func(t *html.Node) bool { return strings.Contains(t.Data, f.Until) }, drop)
	case learned:
		if below := textBelow(v.Node, aboveSignature); below <= longestSignature {
			dropFrom(v.Node, aboveSignature, drop)
		}
		if note := editNote(v.Node); note != nil {
			drop[note] = true
		}
	}
	if v.Node == r.whole {
		for _, b := range r.byline {
			if line := lineOf(b.Node, r.whole); line != nil {
				drop[line] = true
			}
		}
	}
	left := func(n *html.Node) bool { return drop[n] || n != v.Node && (r.claimed[n] || control(n)) }
	c := &copier{work: r.work, left: left, resolve: r.resolve}
	out := content{text: c.blockText(v.Node), markup: c.innerHTML(v.Node)}
	if !r.keep(len(out.text) + len(out.markup)) {
		return content{}
	}
	out.own = out.text
	if f.Name == contentField {
		if own, quoted, ok := r.quoting(v.Node, left); ok {
			out.own, out.quoted = own, quoted
		}
	}
	return out
}

// control reports whether an element is a part of the page that does something with a
// content, such as the "Click to expand" of a long quotation, and not of the content. A span
// that is a button may be a spoiler, whose text is content.
func control(n *html.Node) bool {
	return n.DataAtom == atom.A && attr(n, "role") == "button" && attr(n, "href") == ""
}

// shortestLine is how many underscores are the line above a signature, at least: phpBB
// writes 17 of them and vBulletin 18.
const shortestLine = 15

// longestSignature is how long a signature can be, in bytes: boards allow 255 to 1000 characters. What is longer, below
// such a line, is a part of the post.
const longestSignature = 2000

// textBelow measures the text below n that comes after a mark, in bytes.
func textBelow(n *html.Node, mark func(*html.Node) bool) (length int) {
	over := false
	for d := range n.Descendants() {
		switch {
		case d.Type != html.TextNode:
		case over:
			length += len(strings.TrimSpace(d.Data))
		default:
			over = mark(d)
		}
	}
	return length
}

// aboveSignature reports whether a text is the line that boards write above a signature, and
// of no quotation.
func aboveSignature(t *html.Node) bool {
	s := strings.TrimSpace(t.Data)
	return len(s) >= shortestLine && strings.Trim(s, "_") == "" && !quoted(t)
}

func quoted(n *html.Node) bool {
	for n != nil && n.DataAtom != atom.Blockquote {
		n = n.Parent
	}
	return n != nil
}

// dropFrom drops the first text below n that is a mark, and all after it.
func dropFrom(n *html.Node, mark func(*html.Node) bool, drop map[*html.Node]bool) {
	over := false
	for d := range n.Descendants() {
		if d.Type == html.TextNode && !over {
			over = mark(d)
		}
		if over && (d.Type == html.TextNode || d.FirstChild == nil) {
			drop[d] = true
		}
	}
}
