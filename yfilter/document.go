package yfilter

import (
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/net/html"
)

// Meta is what a page is known by besides its HTML. Every field may be zero:
// unknown values are absent from the virtual document.
type Meta struct {
	Status int // of the HTTP response
	Header http.Header
	URL    *url.URL
}

// Document builds the virtual document of a page (section 4 of the paper) and
// returns its document node:
//
//	<page>
//	  <http>
//	    <status>200</status>
//	    <header name="content-type">text/html</header>   names in lower case, sorted
//	    <cookie name="phpbb3_sid">9c1f</cookie>          one for each Set-Cookie
//	  </http>
//	  <url>
//	    <scheme>http</scheme>
//	    <host>example.org</host>                         lower case, no port
//	    <path>/viewtopic.php</path>                      decoded; at least "/"
//	    <shape>/viewtopic.php</shape>                    the path with each digit as 9: /2010/08/ is /9999/99/
//	    <param name="t">7</param>                        decoded, in the order of the query
//	  </url>
//	  <html>...</html>
//	</page>
//
// It takes root apart: everything below it but the doctype moves under page,
// where it keeps its own structure, so that the result is one ordinary tree
// that other tools can evaluate too. A root that is an element moves as a
// whole. root may be nil, for answers that are not HTML.
//
// Parameters are separated by "&" or ";", because some forums write the
// second; one that cannot be decoded stays as it is.
func Document(root *html.Node, m Meta) *html.Node {
	page := element("page", "", "")
	page.AppendChild(httpElement(m))
	page.AppendChild(urlElement(m.URL))
	if root != nil {
		moveTo(page, root)
	}
	doc := &html.Node{Type: html.DocumentNode}
	doc.AppendChild(page)
	return doc
}

func moveTo(page, root *html.Node) {
	if root.Type != html.DocumentNode {
		if root.Parent != nil {
			root.Parent.RemoveChild(root)
		}
		page.AppendChild(root)
		return
	}
	for c := root.FirstChild; c != nil; {
		next := c.NextSibling
		if c.Type != html.DoctypeNode {
			root.RemoveChild(c)
			page.AppendChild(c)
		}
		c = next
	}
}

func httpElement(m Meta) *html.Node {
	e := element("http", "", "")
	if m.Status != 0 {
		e.AppendChild(element("status", "", strconv.Itoa(m.Status)))
	}
	for _, name := range slices.Sorted(maps.Keys(m.Header)) {
		for _, v := range m.Header[name] {
			e.AppendChild(element("header", strings.ToLower(name), v))
		}
	}
	for _, line := range m.Header.Values("Set-Cookie") {
		// net/http refuses names and values that servers do send; a pattern
		// wants to see them.
		pair, _, _ := strings.Cut(line, ";")
		name, value, _ := strings.Cut(pair, "=")
		if name = strings.TrimSpace(name); name != "" {
			e.AppendChild(element("cookie", name, strings.TrimSpace(value)))
		}
	}
	return e
}

func urlElement(u *url.URL) *html.Node {
	e := element("url", "", "")
	if u == nil {
		return e
	}
	path := u.Path
	if path == "" {
		path = "/"
	}
	e.AppendChild(element("scheme", "", u.Scheme))
	e.AppendChild(element("host", "", strings.ToLower(u.Hostname())))
	e.AppendChild(element("path", "", path))
	e.AppendChild(element("shape", "", strings.Map(digitShape, path)))
	for pair := range strings.FieldsFuncSeq(u.RawQuery, func(r rune) bool { return r == '&' || r == ';' }) {
		name, value, _ := strings.Cut(pair, "=")
		e.AppendChild(element("param", unescape(name), unescape(value)))
	}
	return e
}

func digitShape(r rune) rune {
	if r >= '0' && r <= '9' {
		return '9'
	}
	return r
}

func unescape(s string) string {
	if d, err := url.QueryUnescape(s); err == nil {
		return d
	}
	return s
}

// element makes an element with a name attribute and a text, each left out
// when it is empty. A cookie, header or param always has a name attribute,
// since a name that is empty would be no name.
func element(tag, name, text string) *html.Node {
	e := &html.Node{Type: html.ElementNode, Data: tag}
	if name != "" {
		e.Attr = []html.Attribute{{Key: "name", Val: name}}
	}
	if text != "" {
		e.AppendChild(&html.Node{Type: html.TextNode, Data: text})
	}
	return e
}
