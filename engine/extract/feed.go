package extract

import (
	"bytes"
	"encoding/xml"
	"io"
	"net/url"
	"strings"
	"time"

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

// Namespaces of elements that are called like those with addresses: of images in sitemaps, which are no pages, and of numbers of comments.
const (
	sitemapImages = "http://www.google.com/schemas/sitemap-image/1.1"
	slash         = "http://purl.org/rss/1.0/modules/slash/"
)

// maxFeedDepth bounds elements within elements, of which the decoder keeps a list. XHTML in Atom nests as pages do.
const maxFeedDepth = 500

// Feed is what a feed or a sitemap leads to.
type Feed struct {
	Links []Link // each address once
	Index bool   // they are those of sitemaps
}

// ReadFeed extracts the links of a feed (RSS, Atom) or a sitemap in UTF-8. Those of other XML, and what comes after broken XML or is
// nested too deep, are left out.
func ReadFeed(feed []byte, from *url.URL) (f Feed) {
	c := &collector{p: Page{URL: from}}
	c.start()
	d := xml.NewDecoder(bytes.NewReader(feed))
	d.Strict, d.Entity = false, xml.HTMLEntity
	d.CharsetReader = func(_ string, r io.Reader) (io.Reader, error) { return r, nil }
	var in xml.StartElement // the element whose text is read
	var text strings.Builder
	var at entry
	depth := 0
	for root := true; ; {
		token, err := d.Token()
		if err != nil || depth > maxFeedDepth {
			f.Links = c.links
			return f
		}
		switch t := token.(type) {
		case xml.StartElement:
			depth++
			if root {
				if !isFeed(t.Name.Local) {
					return Feed{}
				}
				f.Index = t.Name.Local == "sitemapindex"
				if base, err := url.Parse(c.resolve.link(xmlAttr(t, "base"))); err == nil && base.Host != "" {
					c.resolve = newResolverAt(base)
				}
				root = false
			}
			if isEntry(t.Name.Local) {
				at = entry{}
			}
			c.feedElement(t)
			in = t
			text.Reset()
		case xml.CharData:
			text.Write(t)
		case xml.EndElement:
			depth--
			if in.Name == t.Name {
				c.feedText(in, text.String(), &at)
			}
			if isEntry(t.Name.Local) && at.link > 0 {
				c.links[at.link-1].Modified = at.modified
			}
			in = xml.StartElement{}
		}
	}
}

// entry is what a sitemap says of one address.
type entry struct {
	link     int // its place among the links, from 1; 0 for none
	modified time.Time
}

func isEntry(name string) bool { return name == "url" || name == "sitemap" }

// maxLine is longer than an address may be, in bytes.
const maxLine = 64 << 10

// SitemapLines extracts the links of a sitemap that is a list of addresses, one a line. There are none where the first line is no
// address.
func SitemapLines(text []byte, from *url.URL) (f Feed) {
	c := &collector{p: Page{URL: from}}
	c.start()
	for all := range bytes.Lines(text) {
		if len(all) > maxLine {
			continue
		}
		line := strings.TrimSpace(string(all))
		if line == "" {
			continue
		}
		if u, err := url.Parse(line); err == nil && u.Host != "" {
			c.add(line, nil)
		} else if len(c.links) == 0 {
			break
		}
	}
	return Feed{Links: c.links}
}

// lastModified reads a date as sitemaps have it (W3C Datetime): from a year to a fraction of a second. It is zero where that is none.
func lastModified(s string) time.Time {
	for _, layout := range []string{time.RFC3339, "2006-01-02", "2006-01-02T15:04Z07:00", "2006-01", "2006", "2006-01-02T15:04:05"} {
		if t, err := time.Parse(layout, strings.TrimSpace(s)); err == nil {
			return t.UTC()
		}
	}
	return time.Time{}
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
func (c *collector) feedText(e xml.StartElement, text string, at *entry) {
	switch name := e.Name.Local; {
	case name == "guid" && strings.EqualFold(xmlAttr(e, "isPermaLink"), "false"), e.Name.Space == sitemapImages, e.Name.Space == slash:
	case name == "lastmod":
		at.modified = lastModified(text)
	case feedAddresses[name]:
		c.add(text, nil)
		if i, has := c.seen[c.resolve.link(text)]; has && name == "loc" {
			at.link = i + 1
		}
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
