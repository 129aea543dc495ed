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

// Guesses extracts what looks like an address on a page and is no link to a browser: in
// scripts, texts, comments, forms, pings and other attributes. Many lead nowhere.
func Guesses(p Page) []Link {
	c := &collector{p: p}
	c.start()
	if p.Doc == nil {
		return nil
	}
	for n := range p.Doc.Descendants() {
		switch n.Type {
		case html.TextNode, html.CommentNode:
			c.guess(n.Data)
		case html.ElementNode:
			for _, a := range n.Attr {
				c.guess(a.Val)
			}
		}
	}
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
