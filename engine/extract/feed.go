package extract

import (
	"encoding/xml"
	"io"
	"net/url"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// What elements of feeds and sitemaps hold: an address, or HTML with links, as CDATA or
// escaped.
var (
	feedAddresses = map[string]bool{"link": true, "guid": true, "comments": true, "loc": true}
	feedMarkup    = map[string]bool{"description": true, "encoded": true, "content": true, "summary": true, "body": true}
)

// feedRels are the relations of links in Atom besides those of <link> that lead to pages.
var feedRels = map[string]bool{"": true, "related": true, "via": true, "replies": true, "enclosure": true}

// sitemapImages is the namespace of images in sitemaps, which are no pages.
const sitemapImages = "http://www.google.com/schemas/sitemap-image/1.1"

// FeedLinks extracts the links of a feed (RSS, Atom) or a sitemap in UTF-8, each
// address once; those of other XML, and what comes after broken XML, are left out.
func FeedLinks(feed string, from *url.URL) []Link {
	c := &collector{p: Page{URL: from}}
	c.start()
	d := xml.NewDecoder(strings.NewReader(feed))
	d.Strict, d.Entity = false, xml.HTMLEntity
	d.CharsetReader = func(_ string, r io.Reader) (io.Reader, error) { return r, nil }
	var in xml.StartElement // the element whose text is read
	var text strings.Builder
	for root := true; ; {
		token, err := d.Token()
		if err != nil {
			return c.links
		}
		switch t := token.(type) {
		case xml.StartElement:
			if root {
				if !isFeed(t.Name.Local) {
					return nil
				}
				if base, err := url.Parse(c.resolve.link(xmlAttr(t, "base"))); err == nil && base.Host != "" {
					c.resolve = newResolverAt(base)
				}
				root = false
			}
			c.feedElement(t)
			in = t
			text.Reset()
		case xml.CharData:
			text.Write(t)
		case xml.EndElement:
			if in.Name == t.Name {
				c.feedText(in, text.String())
			}
			in = xml.StartElement{}
		}
	}
}

func isFeed(root string) bool {
	switch root {
	case "rss", "feed", "RDF", "urlset", "sitemapindex":
		return true
	}
	return false
}

// feedElement adds what the attributes of an element lead to.
func (c *collector) feedElement(e xml.StartElement) {
	switch e.Name.Local {
	case "link":
		if rel := strings.ToLower(xmlAttr(e, "rel")); feedRels[rel] || leadsToPage(rel) {
			c.add(xmlAttr(e, "href"), nil)
		}
	case "enclosure", "source":
		c.add(xmlAttr(e, "url"), nil)
	case "a": // of XHTML inside Atom
		c.page(&html.Node{Type: html.ElementNode, Data: "a", DataAtom: atom.A,
			Attr: []html.Attribute{{Key: "href", Val: xmlAttr(e, "href")}}})
	}
}

// feedText adds what the text of an element leads to.
func (c *collector) feedText(e xml.StartElement, text string) {
	switch name := e.Name.Local; {
	case name == "guid" && strings.EqualFold(xmlAttr(e, "isPermaLink"), "false"), e.Name.Space == sitemapImages:
	case feedAddresses[name]:
		c.add(text, nil)
	case feedMarkup[name]:
		c.eachTag(text, maxInner, c.page)
	}
}

func xmlAttr(e xml.StartElement, name string) string {
	for _, a := range e.Attr {
		if a.Name.Local == name {
			return a.Value
		}
	}
	return ""
}
