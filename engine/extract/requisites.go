package extract

import (
	"bytes"
	"encoding/json"
	"net/url"
	"slices"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// requisiteAttrs are where elements hold the addresses of what a browser loads to
// show the page. Those of lists are in requisite.
var requisiteAttrs = map[string][]string{
	"img": {"src", "lowsrc", "dynsrc", "data-src", "href"}, "image": {"href"}, "feimage": {"href"}, "use": {"href"},
	"source": {"src"}, "track": {"src"}, "audio": {"src"}, "video": {"src", "poster"}, "bgsound": {"src"}, "fig": {"src"},
	"script": {"src", "href"}, "input": {"src"}, "import": {"implementation"}, "html": {"manifest"},
	"body": {"background"}, "table": {"background"}, "tr": {"background"}, "td": {"background"}, "th": {"background"},
	"thead": {"background"}, "tbody": {"background"}, "tfoot": {"background"}, "col": {"background"}, "colgroup": {"background"},
}

// frameAttrs are where elements hold the addresses of documents that are shown inside the page. Objects are in plugIn.
var frameAttrs = map[string][]string{
	"iframe": {"src"}, "frame": {"src"}, "embed": {"src"}, "layer": {"src"}, "ilayer": {"src"}, "overlay": {"src"},
}

// paintAttrs are the attributes of SVG that are properties of CSS and may hold an address.
var paintAttrs = map[string]bool{
	"fill": true, "stroke": true, "filter": true, "mask": true, "clip-path": true, "cursor": true, "marker": true,
	"marker-start": true, "marker-mid": true, "marker-end": true,
}

// loadedRels are the relations of <link> and of the Link header that browsers load.
var loadedRels = map[string]bool{
	"stylesheet": true, "icon": true, "mask-icon": true, "fluid-icon": true, "apple-touch-icon": true,
	"apple-touch-icon-precomposed": true,
	"apple-touch-startup-image":    true, "manifest": true, "preload": true, "modulepreload": true, "prefetch": true, "prerender": true,
	"import": true, "compression-dictionary": true,
}

// feedTypes are the media types of feeds. A page's own feeds are part of what is shown of it, in readers.
var feedTypes = map[string]bool{
	"application/rss+xml": true, "application/atom+xml": true, "application/rdf+xml": true, "application/feed+json": true,
}

// isLoaded reports whether a browser loads what a link of a relation and a media type names.
func isLoaded(rel, mediaType string) bool {
	for r := range strings.FieldsSeq(strings.ToLower(rel)) {
		if loadedRels[r] {
			return true
		}
	}
	return isFeedLink(rel, mediaType)
}

// isFeedLink reports whether a link of a relation and a media type names a feed of the page or its site.
func isFeedLink(rel, mediaType string) bool {
	return feedTypes[strings.ToLower(strings.TrimSpace(mediaType))] && slices.Contains(strings.Fields(strings.ToLower(rel)), "alternate")
}

// Feeds extracts the addresses of the feeds that a page declares, each once.
func Feeds(p Page) []Link {
	c := &collector{p: p}
	c.start()
	c.eachHeader(func(name, value string) {
		for _, l := range linkHeader(value) {
			if name == "link" && isFeedLink(l.rel, l.mediaType) {
				c.add(l.target, nil)
			}
		}
	})
	c.eachElement(func(n *html.Node) {
		if n.DataAtom == atom.Link && isFeedLink(attr(n, "rel"), attr(n, "type")) {
			c.add(attr(n, "href"), n)
		}
	})
	return c.links
}

func isIcon(rel string) bool { return slices.Contains(strings.Fields(strings.ToLower(rel)), "icon") }

// mediaParams are the names of parameters by which plug-ins were told what to load.
var mediaParams = map[string]bool{"src": true, "movie": true, "filename": true, "url": true, "href": true, "ref": true, "data": true}

// Requisites extracts what a page needs to be shown as it was, each address once: images, style sheets and what those in the
// page load, scripts, media, fonts, icons, feeds, and the documents inside it, which are marked as frames.
func Requisites(p Page) []Link {
	c := &collector{p: p}
	c.start()
	c.eachHeader(func(name, value string) {
		if name == "link" {
			for _, l := range linkHeader(value) {
				if isLoaded(l.rel, l.mediaType) {
					c.icon = c.icon || isIcon(l.rel)
					c.add(l.target, nil)
					c.images(l.images)
				}
			}
		}
	})
	c.eachElement(c.requisite)
	if !c.icon && !p.Frame {
		c.add(Resolve(p.URL, "/favicon.ico"), nil) // browsers ask for it then
	}
	return c.links
}

// requisite adds what an element loads.
func (c *collector) requisite(n *html.Node) {
	name := strings.ToLower(n.Data)
	for _, key := range requisiteAttrs[name] {
		c.add(linkAttr(n, key), n)
	}
	for _, key := range frameAttrs[name] {
		c.addFrame(c.resolve.link(attr(n, key)))
	}
	for _, a := range n.Attr {
		if (a.Key == "style" || paintAttrs[a.Key]) && a.Namespace == "" && strings.Contains(a.Val, "(") {
			c.style(a.Val)
		}
	}
	switch n.DataAtom {
	case atom.Img, atom.Source:
		c.images(attr(n, "srcset"))
		c.images(attr(n, "data-srcset"))
	case atom.Style:
		c.style(textOf(n))
	case atom.Link:
		if rel := attr(n, "rel"); isLoaded(rel, attr(n, "type")) {
			c.icon = c.icon || isIcon(rel)
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

// addFrame adds the absolute address of a document inside the page.
func (c *collector) addFrame(address string) {
	c.add(address, nil)
	if at, has := c.seen[address]; has {
		c.links[at].Frame = true
	}
}

func (c *collector) images(srcset string) {
	for _, src := range sourceSet(srcset) {
		c.add(src, nil)
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
	for _, f := range files {
		if u := at.resolve(f); u != "" {
			c.add(u, n)
		}
	}
	c.addFrame(at.resolve(attr(n, "data")))
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

// VectorLinks extracts what an SVG document loads, each address once.
func VectorLinks(svg string, from *url.URL) []Link {
	c := &collector{p: Page{URL: from}}
	c.start()
	c.eachTag(svg, maxInner, c.requisite)
	return c.links
}

// maxManifest is the size in bytes up to which a manifest is read.
const maxManifest = 1 << 20

// ManifestLinks extracts the images that the manifest of a web application names, each address once.
func ManifestLinks(manifest []byte, from *url.URL) []Link {
	type images []struct {
		Src string `json:"src"`
	}
	var m struct {
		Icons       images `json:"icons"`
		Screenshots images `json:"screenshots"`
		Shortcuts   []struct {
			Icons images `json:"icons"`
		} `json:"shortcuts"`
	}
	if len(manifest) > maxManifest {
		return nil
	}
	_ = json.Unmarshal(bytes.TrimPrefix(manifest, []byte("\ufeff")), &m) // a member of another form leaves the others as they are
	c := &collector{p: Page{URL: from}}
	c.start()
	all := slices.Concat(m.Icons, m.Screenshots)
	for _, s := range m.Shortcuts {
		all = append(all, s.Icons...)
	}
	for _, image := range all {
		c.add(image.Src, nil)
	}
	return c.links
}
