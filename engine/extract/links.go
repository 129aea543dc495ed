package extract

import (
	"cmp"
	"slices"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/awarc/awarc/kb"
)

// maxLinks bounds the links taken from one page. Before it, their bytes do.
const maxLinks = 400_000

// pageAttrs are where elements hold the addresses of pages. Form actions, pings and
// scripts are not among them: asking for them is guessing.
var pageAttrs = map[string][]string{
	"a": {"href"}, "area": {"href"}, "iframe": {"src", "longdesc"}, "frame": {"src", "longdesc"}, "img": {"longdesc"},
	"layer": {"src"}, "ilayer": {"src"}, "portal": {"src"},
	"blockquote": {"cite"}, "q": {"cite"}, "ins": {"cite"}, "del": {"cite"},
}

// linkRels are the relations of <link> and of the Link header that lead to pages.
var linkRels = map[string]bool{
	"next": true, "prev": true, "previous": true, "canonical": true, "alternate": true, "first": true, "last": true,
	"index": true, "up": true,
	"chapter": true, "section": true, "subsection": true, "appendix": true, "start": true, "begin": true, "end": true, "top": true,
	"home":     true,
	"contents": true, "toc": true, "glossary": true, "copyright": true, "license": true, "author": true, "help": true, "bookmark": true,
}

func leadsToPage(rel string) bool {
	rels := strings.Fields(strings.ToLower(rel))
	return slices.ContainsFunc(rels, func(r string) bool { return linkRels[r] }) && !slices.Contains(rels, "stylesheet")
}

// AllLinks extracts the links of a page of an unknown application, each address
// once: those of its HTTP header, then in the order of the page anchors, image
// maps, frames, sources of quotations, related pages and refreshes.
func AllLinks(p Page) []Link { return (&collector{p: p}).pages() }

// collector gathers the addresses of a page, each once.
type collector struct {
	p       Page
	resolve *resolver
	links   []Link
	seen    map[string]int // places in links
	work    *kb.Work
	around  *surroundings
	places  map[*html.Node]string
	cut     bool // there are more than maxLinks
	icon    bool // the page names its icon
}

func (c *collector) pages() []Link {
	c.start()
	c.eachHeader(func(name, value string) {
		switch name {
		case "link":
			for _, l := range linkHeader(value) {
				if leadsToPage(l.rel) {
					c.add(l.target, nil)
				}
			}
		case "refresh":
			c.add(refreshTarget(value), nil)
		case "content-location":
			c.add(value, nil)
		}
	})
	c.eachElement(c.page)
	return c.links
}

func (c *collector) start() {
	c.resolve, c.seen, c.work = newResolver(c.p), map[string]int{}, kb.NewWork(maxWork)
}

// add adds a link that stands in n, nil for one that stands in no element.
func (c *collector) add(href string, n *html.Node) {
	if len(c.links) >= maxLinks {
		c.cut = true
		return
	}
	u := c.resolve.link(href)
	if _, has := c.seen[u]; has || u == "" {
		return
	}
	c.seen[u] = len(c.links)
	l := Link{URL: u, Around: c.around.of(n), Place: c.place(n)}
	l.Canonical = n != nil && n.DataAtom == atom.Link && strings.EqualFold(attr(n, "rel"), "canonical")
	if n != nil && n.DataAtom == atom.A {
		l.Text = anchorText(n, c.work)
	}
	c.links = append(c.links, l)
}

// page adds what an element leads to.
func (c *collector) page(n *html.Node) {
	switch n.DataAtom {
	case atom.Link:
		if leadsToPage(attr(n, "rel")) {
			c.add(attr(n, "href"), n)
		}
	case atom.Meta:
		if strings.EqualFold(attr(n, "http-equiv"), "refresh") {
			c.add(refreshTarget(attr(n, "content")), n)
		}
	}
	for _, name := range pageAttrs[n.Data] {
		c.add(linkAttr(n, name), n)
	}
}

// maxInner bounds documents inside documents: those of srcdoc, and what some
// browsers read of comments.
const maxInner = 2

// eachElement calls a function with the elements of the page, and with those of
// documents inside it.
func (c *collector) eachElement(do func(*html.Node)) {
	if c.p.Doc == nil {
		return
	}
	for n := range c.p.Doc.Descendants() {
		text := ""
		switch {
		case n.Type == html.CommentNode:
			text = inComment(n.Data)
		case n.Type == html.ElementNode:
			do(n)
			text = attr(n, "srcdoc")
			if a := n.DataAtom; a == atom.Noframes || a == atom.Noembed || a == atom.Iframe && text == "" {
				text = textOf(n) // for old browsers; the parser leaves it as it is
			}
		}
		if text != "" {
			c.eachTag(text, maxInner, do)
		}
	}
}

// eachTag is eachElement for HTML that is not parsed: one tag after the other is
// enough for addresses, and takes no memory.
func (c *collector) eachTag(text string, inner int, do func(*html.Node)) {
	if text == "" {
		return
	}
	z := html.NewTokenizer(strings.NewReader(text))
	for inner > 0 {
		switch z.Next() {
		case html.ErrorToken:
			return
		case html.StartTagToken, html.SelfClosingTagToken:
			t := z.Token()
			n := &html.Node{Type: html.ElementNode, Data: t.Data, DataAtom: t.DataAtom, Attr: t.Attr}
			if t.DataAtom == atom.Noscript {
				z.NextIsNotRawText()
			}
			if t.DataAtom == atom.Style && z.Next() == html.TextToken {
				n.AppendChild(&html.Node{Type: html.TextNode, Data: string(z.Text())})
			}
			do(n)
			c.eachTag(attr(n, "srcdoc"), inner-1, do)
		case html.CommentToken:
			c.eachTag(inComment(string(z.Text())), inner-1, do)
		}
	}
}

// inComment gives the markup that some browsers read of a comment: what Internet Explorer takes from "[if IE]>...<![endif]", and
// the style sheet of XML, whose processing instructions are comments to a parser of HTML.
func inComment(comment string) string {
	if attributes, ok := strings.CutPrefix(comment, "?xml-stylesheet "); ok {
		return "<link rel=stylesheet " + strings.TrimSuffix(attributes, "?") + ">"
	}
	condition, rest, ok := strings.Cut(comment, "]>")
	if !ok || !strings.HasPrefix(strings.TrimSpace(condition), "[if") {
		return ""
	}
	if end := strings.LastIndex(rest, "<!["); end >= 0 {
		return rest[:end]
	}
	return ""
}

// eachHeader calls a function with the header fields of the page, the names in lower
// case. Bytes that are not ASCII are %-encoded as they are, as browsers do.
func (c *collector) eachHeader(do func(name, value string)) {
	if c.p.Doc == nil || c.p.Doc.FirstChild == nil {
		return
	}
	for part := range c.p.Doc.FirstChild.ChildNodes() {
		if part.Data != "http" {
			continue
		}
		for n := range part.ChildNodes() {
			if n.Data == "header" && n.FirstChild != nil {
				do(attr(n, "name"), escapeHigh(n.FirstChild.Data))
			}
		}
		return
	}
}

// linkAttr is an attribute that holds an address: of SVG also with its prefix, as
// xlink:href.
func linkAttr(n *html.Node, name string) string {
	for _, a := range n.Attr {
		if a.Key == name && (a.Namespace == "" || a.Namespace == "xlink") || a.Key == "xlink:"+name {
			return a.Val
		}
	}
	return ""
}

// lookAttr is attr where it matters that an attribute is there.
func lookAttr(n *html.Node, name string) (value string, has bool) {
	i := slices.IndexFunc(n.Attr, func(a html.Attribute) bool { return a.Key == name && a.Namespace == "" })
	if i < 0 {
		return "", false
	}
	return n.Attr[i].Val, true
}

// refreshTarget reads the address of a refresh, of a meta element or a header, as
// the HTML Standard has it: "5; url=next.html", "0,next.html", "0 'next.html'". It is
// "" where the page itself is meant.
func refreshTarget(content string) string {
	const space = " \t\n\f\r"
	s := strings.TrimLeft(content, space)
	rest := strings.TrimLeft(s, "0123456789")
	if rest == s && !strings.HasPrefix(s, ".") {
		return ""
	}
	rest = strings.TrimLeft(rest, "0123456789.")
	if rest == "" || !strings.ContainsRune(";,"+space, rune(rest[0])) {
		return ""
	}
	rest = strings.TrimLeft(rest, space)
	if strings.HasPrefix(rest, ";") || strings.HasPrefix(rest, ",") {
		rest = strings.TrimLeft(rest[1:], space)
	}
	if len(rest) >= 3 && strings.EqualFold(rest[:3], "url") {
		value, ok := strings.CutPrefix(strings.TrimLeft(rest[3:], space), "=")
		if !ok {
			return rest // a file whose name begins so
		}
		rest = strings.TrimLeft(value, space)
	}
	if rest != "" && (rest[0] == '\'' || rest[0] == '"') {
		rest, _, _ = strings.Cut(rest[1:], rest[:1])
	}
	return rest
}

// headerLink is one link of a Link header (RFC 8288).
type headerLink struct{ target, rel, mediaType, images string }

// linkHeader reads a Link header: `<next.html>; rel="next", <a.css>; rel=preload`. Links of another context than the page
// are left out.
func linkHeader(s string) []headerLink {
	var links []headerLink
	for len(links) < maxLinks {
		_, rest, ok := strings.Cut(s, "<")
		if !ok {
			return links
		}
		target, rest, ok := strings.Cut(rest, ">")
		if !ok {
			return links
		}
		l := headerLink{target: target}
		var elsewhere bool
		for s = rest; s != "" && s[0] != ','; {
			var param string
			param, s = cutUnquoted(s)
			name, value, _ := strings.Cut(param, "=")
			value = strings.Trim(strings.TrimSpace(value), `"`)
			switch strings.ToLower(strings.Trim(name, "; \t")) {
			case "rel":
				l.rel = cmp.Or(l.rel, value)
			case "type":
				l.mediaType = cmp.Or(l.mediaType, value)
			case "imagesrcset":
				l.images = cmp.Or(l.images, value)
			case "anchor":
				elsewhere = elsewhere || value != ""
			}
		}
		if !elsewhere {
			links = append(links, l)
		}
	}
	return links
}

// cutUnquoted cuts s before its next comma or semicolon, behind the first byte, that is in no quoted string.
func cutUnquoted(s string) (before, after string) {
	quoted, escaped := false, false
	for i := range len(s) {
		switch c := s[i]; {
		case escaped:
			escaped = false
		case c == '\\' && quoted:
			escaped = true
		case c == '"':
			quoted = !quoted
		case (c == ',' || c == ';') && !quoted && i > 0:
			return s[:i], s[i:]
		}
	}
	return s, ""
}
