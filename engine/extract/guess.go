package extract

import (
	"regexp"
	"strings"

	"golang.org/x/net/html"
)

// looksLikeAddress finds what may be an address in a script, a text or an attribute: a
// web address, a path from "/", "./" or "../" on, or a file name with the ending of a page.
var looksLikeAddress = regexp.MustCompile(`(?i)(?:^|[\s"'` + "`" + `(\[=,;|])(` +
	`(?:https?:)?//[\w.-]+\.\w[^\s"'` + "`" + `<>\\^{|}]*` +
	`|\.{0,2}/[\w%~-][^\s"'` + "`" + `<>\\^{|}]*` +
	`|[\w-][\w./%-]*\.(?:x?html?|php\d?|aspx?|jsp|cgi|cfm|pdf|json|xml)(?:\?[^\s"'` + "`" + `<>\\^{|}]*)?)`)

// Guesses extracts what looks like an address on a page and is no link to a browser: in scripts,
// texts, comments, forms, pings and other attributes, and the page's external scripts. Many lead
// nowhere. The header of the answer, which is in the document too, is left out: it names files
// without their folders.
func Guesses(p Page) []Link {
	c := &collector{p: p}
	c.start()
	if p.Doc == nil {
		return nil
	}
	top := p.Doc
	if page := top.FirstChild; page != nil && page.Data == "page" {
		top = page
	}
	for part := range top.ChildNodes() {
		if part.Data == "http" || part.Data == "url" { // see yfilter.Document
			continue
		}
		c.guessNode(part)
		for n := range part.Descendants() {
			c.guessNode(n)
		}
	}
	return c.links
}

func (c *collector) guessNode(n *html.Node) {
	switch n.Type {
	case html.TextNode, html.CommentNode:
		c.guess(n.Data)
	case html.ElementNode:
		for _, a := range n.Attr {
			if c.guess(a.Val); n.Data == "script" && a.Key == "src" {
				c.add(a.Val, nil)
			}
		}
	}
}

// ScriptGuesses extracts what looks like an address in an external script of a page.
func ScriptGuesses(p Page, text string) []Link {
	c := &collector{p: p}
	c.start()
	c.guess(text)
	return c.links
}

func (c *collector) guess(text string) {
	if !strings.ContainsAny(text, "/.") {
		return
	}
	for _, m := range looksLikeAddress.FindAllStringSubmatch(text, maxLinks) {
		c.add(strings.TrimRight(m[1], ".,;:!?)]"), nil)
	}
}
