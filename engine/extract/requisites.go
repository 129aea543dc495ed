package extract

import (
	"net/url"
	"regexp"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// requisiteAttrs are where elements hold the addresses of what a browser loads to
// show the page. Those of lists are in requisite.
var requisiteAttrs = map[string][]string{
	"img": {"src", "lowsrc", "dynsrc", "data-src"}, "image": {"href"}, "feimage": {"href"}, "use": {"href"},
	"source": {"src"}, "track": {"src"}, "audio": {"src"}, "video": {"src", "poster"}, "bgsound": {"src"}, "embed": {"src"},
	"script": {"src", "href"}, "input": {"src"}, "import": {"implementation"}, "html": {"manifest"},
	"body": {"background"}, "table": {"background"}, "tr": {"background"}, "td": {"background"}, "th": {"background"},
}

// loadedRels are the relations of <link> and of the Link header that browsers load.
var loadedRels = map[string]bool{
	"stylesheet": true, "icon": true, "mask-icon": true, "fluid-icon": true, "apple-touch-icon": true,
	"apple-touch-icon-precomposed": true,
	"apple-touch-startup-image":    true, "manifest": true, "preload": true, "modulepreload": true, "prefetch": true, "prerender": true,
	"import": true,
}

func isLoaded(rel string) bool {
	for r := range strings.FieldsSeq(strings.ToLower(rel)) {
		if loadedRels[r] {
			return true
		}
	}
	return false
}

// mediaParams are the names of parameters by which plug-ins were told what to load.
var mediaParams = map[string]bool{"src": true, "movie": true, "filename": true, "url": true, "href": true, "ref": true, "data": true}

// Requisites extracts what a page needs to be shown as it was, each address once:
// images, style sheets and what these load, scripts, media, fonts.
func Requisites(p Page) []Link {
	c := &collector{p: p}
	c.start()
	c.eachHeader(func(name, value string) {
		if name == "link" {
			for _, l := range linkHeader(value) {
				if isLoaded(l.rel) {
					c.add(l.target, nil)
				}
			}
		}
	})
	c.eachElement(c.requisite)
	return c.links
}

// requisite adds what an element loads.
func (c *collector) requisite(n *html.Node) {
	for _, name := range requisiteAttrs[strings.ToLower(n.Data)] {
		c.add(linkAttr(n, name), n)
	}
	if style := attr(n, "style"); style != "" {
		c.style(style)
	}
	switch n.DataAtom {
	case atom.Img, atom.Source:
		c.images(attr(n, "srcset"))
		c.images(attr(n, "data-srcset"))
	case atom.Style:
		c.style(textOf(n))
	case atom.Link:
		if isLoaded(attr(n, "rel")) {
			c.add(attr(n, "href"), n)
		}
		c.images(attr(n, "imagesrcset"))
	case atom.Object, atom.Applet:
		c.plugIn(n)
	case atom.Param:
		if mediaParams[strings.ToLower(attr(n, "name"))] && strings.ContainsAny(attr(n, "value"), "./") {
			c.add(attr(n, "value"), n)
		}
	case atom.Meta:
		if name := strings.ToLower(attr(n, "name")); strings.HasPrefix(name, "msapplication-") &&
			strings.Contains(attr(n, "content"), "/") {
			c.add(attr(n, "content"), n)
		}
	}
}

func (c *collector) images(srcset string) {
	for _, src := range sourceSet(srcset) {
		c.add(src, nil)
	}
}

func (c *collector) style(css string) {
	for _, u := range styleAddresses(css) {
		c.add(u, nil)
	}
}

// plugIn adds the files of an object or applet, which may be relative to its codebase.
func (c *collector) plugIn(n *html.Node) {
	base := strings.TrimSpace(attr(n, "codebase"))
	at := c.resolve
	if u, err := url.Parse(c.resolve.link(base)); base != "" && err == nil && u.Host != "" {
		at = newResolverAt(u)
		at.query = c.resolve.query
	}
	files := strings.FieldsFunc(attr(n, "archive"), func(r rune) bool { return r == ',' || r == ' ' })
	if code := attr(n, "code"); code != "" && len(files) == 0 {
		files = []string{strings.ReplaceAll(strings.TrimSuffix(code, ".class"), ".", "/") + ".class"}
	}
	for _, f := range append(files, attr(n, "data")) {
		if u := at.resolve(f); u != "" {
			c.add(u, n)
		}
	}
}

// sourceSet gives the addresses of a srcset attribute, as the HTML Standard splits
// it: an address may hold commas, but not end in one.
func sourceSet(s string) []string {
	const space = " \t\n\f\r"
	var out []string
	for len(out) < maxLinks {
		s = strings.TrimLeft(s, space+",")
		if s == "" {
			break
		}
		end := strings.IndexAny(s, space)
		if end < 0 {
			end = len(s)
		}
		address := strings.TrimRight(s[:end], ",")
		if out = append(out, address); len(address) < end {
			s = s[end:]
			continue
		}
		inside := false
		next := strings.IndexFunc(s[end:], func(c rune) bool {
			inside = (inside || c == '(') && c != ')'
			return c == ',' && !inside
		})
		if next < 0 {
			break
		}
		s = s[end+next:]
	}
	return out
}

var (
	styleURL = regexp.MustCompile(`(?i)url\(\s*(?:"((?:[^"\\\n]|\\[\s\S])*)"|'((?:[^'\\\` +
		`n]|\\[\s\S])*)'|((?:[^"'()\\\s]|\\[\s\S])+))\s*\)|` +
		`@import\s+(?:"((?:[^"\\\n]|\\[\s\S])*)"|'((?:[^'\\\n]|\\[\s\S])*)')`)
	styleComment = regexp.MustCompile(`(?s)/\*.*?\*/`)
	styleEscape  = regexp.MustCompile(`\\(?:([0-9A-Fa-f]{1,6})[ \t\n\f\r]?|\r?\n|(.))`)
)

// styleAddresses gives the addresses in a style sheet, in url() and after @import.
func styleAddresses(css string) []string {
	var out []string
	for _, m := range styleURL.FindAllStringSubmatch(styleComment.ReplaceAllString(css, " "), maxLinks) {
		out = append(out, styleEscape.ReplaceAllStringFunc(strings.Join(m[1:], ""), unescapeStyle))
	}
	return out
}

// unescapeStyle undoes one escape of CSS: `\28 ` is "(", as is `\(`.
func unescapeStyle(escape string) string {
	m := styleEscape.FindStringSubmatch(escape)
	if m[1] == "" {
		return m[2]
	}
	code := rune(0)
	for _, d := range strings.ToLower(m[1]) {
		code = code<<4 | rune(strings.IndexRune("0123456789abcdef", d))
	}
	return string(code)
}

// StyleLinks extracts what a style sheet loads, each address once.
func StyleLinks(css string, sheet *url.URL) []Link {
	c := &collector{resolve: newResolverAt(sheet), seen: map[string]bool{}}
	c.style(css)
	return c.links
}
