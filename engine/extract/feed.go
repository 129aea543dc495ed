package extract

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"errors"
	"io"
	"net/url"
	"regexp"
	"strings"
	"time"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// What elements of feeds and sitemaps hold: an address, or HTML with links, as CDATA or
// escaped.
var (
	feedAddresses = map[string]bool{"link": true, "guid": true, "comments": true, "loc": true, "origLink": true}
	feedMarkup    = map[string]bool{"description": true, "encoded": true, "content": true, "summary": true, "body": true}
)

// feedRels are the relations of links in Atom besides those of <link> that lead to pages.
var feedRels = map[string]bool{"": true, "related": true, "via": true, "replies": true, "enclosure": true}

// otherSpace matches the namespaces of elements that are named like those with addresses: of images in sitemaps, which are not
// pages, and of numbers of comments. A prefix that nothing declares stands for its namespace.
var otherSpace = regexp.MustCompile(`(?i)^image$|sitemap-image|^slash$|/slash/`)

// maxFeedDepth bounds elements within elements, of which the decoder keeps a list. XHTML in Atom nests as pages do.
const maxFeedDepth = 500

// maxBefore bounds what stands before an XML declaration, in bytes: arbitrary, warnings have some hundreds.
const maxBefore = 64 << 10

// Feed is what a feed or a sitemap leads to.
type Feed struct {
	Links []Link // each address once
	// Changes are the reported changes of the pages of the entries. The time of an entry of a feed
	// may be missing.
	Changes []Change
	News    bool // a feed and not a sitemap: its entries are content
	Index   bool // they are those of sitemaps
	Cut     bool // parts of it were not read: its XML is broken, breaks off or nests too deep, or it has too many links
}

// ReadFeed extracts the links of a feed (RSS, Atom, JSON Feed) or a sitemap in UTF-8, and none of other XML. Behind broken XML it goes on
// with the next entry. Relative links are resolved against the xml:base around them (RFC 4287, section 2).
func ReadFeed(feed []byte, from *url.URL) Feed {
	r := feedReader{collector: &collector{p: Page{URL: from}}}
	r.start()
	r.home = r.resolve
	if bytes.HasPrefix(bytes.TrimSpace(feed), []byte("{")) {
		r.readJSON(feed)
		return Feed{Links: r.links, Changes: r.changes, News: true, Cut: r.feed.Cut || r.cut}
	}
	feed = withoutControls(feed)
	if at := bytes.Index(feed[:min(len(feed), maxBefore)], []byte("<?xml ")); at > 0 {
		feed = feed[at:] // behind what a program printed by mistake, such as a warning of PHP
	}
	for r.read(feed) {
		r.feed.Cut = true
		next := feedEntry.FindIndex(feed[r.at:])
		if next == nil {
			break
		}
		feed = feed[r.at+int64(next[0]):]
	}
	r.feed.Changes, r.feed.Links, r.feed.Cut = r.changes, r.links, r.feed.Cut || r.cut
	return r.feed
}

// IsJSONFeed reports whether JSON begins as JSON Feed does.
func IsJSONFeed(start []byte) bool { return jsonFeed.Match(start) }

var jsonFeed = regexp.MustCompile(`^\s*\{[^{]*"https?:(?:\\?/){2}jsonfeed\.org(?:\\?/)version`)

// readJSON reads JSON Feed (jsonfeed.org, 1.1).
func (r *feedReader) readJSON(feed []byte) {
	if !IsJSONFeed(feed) {
		return
	}
	var read struct {
		HomePageURL string `json:"home_page_url"`
		NextURL     string `json:"next_url"`
		Items       []struct {
			URL         string `json:"url"`
			ExternalURL string `json:"external_url"`
			HTML        string `json:"content_html"`
			Published   string `json:"date_published"`
			Modified    string `json:"date_modified"`
			Attachments []struct {
				URL string `json:"url"`
			}
		}
	}
	r.feed.Cut = json.Unmarshal(feed, &read) != nil // what could be read is there
	r.add(read.HomePageURL, nil)
	r.add(read.NextURL, nil)
	for _, item := range read.Items {
		r.add(item.URL, nil)
		r.add(item.ExternalURL, nil)
		r.eachTag(item.HTML, maxInner, r.page)
		for _, a := range item.Attachments {
			r.add(a.URL, nil)
		}
		r.entry = entry{at: r.resolve.link(item.URL)}
		r.entry.dated(item.Published)
		r.entry.dated(item.Modified)
		r.change(true)
	}
}

// feedEntry is where an entry of a feed or a sitemap begins.
var feedEntry = regexp.MustCompile(`<(?:\w+:)?(?:item|entry|url|sitemap)[\s>]`)

// feedReader reads the XML of one feed.
type feedReader struct {
	*collector
	feed    Feed
	root    bool // the root element was read
	home    *resolver
	bases   []*resolver // of the open elements
	in      xml.StartElement
	text    strings.Builder // of in
	entry   entry
	changes []Change
	at      int64 // where the XML is broken, in bytes
}

// read reads up to the end, or to where the XML is broken; more says that something may follow.
func (r *feedReader) read(feed []byte) (more bool) {
	d := xml.NewDecoder(bytes.NewReader(feed))
	d.Strict, d.Entity = false, xml.HTMLEntity
	d.CharsetReader = func(_ string, r io.Reader) (io.Reader, error) { return r, nil }
	r.bases, r.in, r.resolve = r.bases[:0], xml.StartElement{}, r.home
	for {
		token, err := d.Token()
		if err != nil || len(r.bases) > maxFeedDepth {
			r.at = min(max(d.InputOffset(), 1), int64(len(feed)))
			return !errors.Is(err, io.EOF) && r.root
		}
		switch t := token.(type) {
		case xml.StartElement:
			if !r.root && !isFeed(t.Name.Local) {
				return false
			}
			r.open(t)
		case xml.CharData:
			r.text.Write(t)
		case xml.EndElement:
			r.close(t)
		}
	}
}

func (r *feedReader) open(t xml.StartElement) {
	r.bases = append(r.bases, r.resolve)
	r.rebase(t)
	if !r.root {
		r.root, r.feed.Index, r.home = true, t.Name.Local == "sitemapindex", r.resolve
		r.feed.News = !r.feed.Index && t.Name.Local != "urlset"
	}
	if isEntry(t.Name.Local) || isItem(t.Name.Local) {
		r.entry = entry{}
	}
	r.feedElement(t)
	if rel := xmlAttr(t, "rel"); t.Name.Local == "link" && r.entry.at == "" && (rel == "" || rel == "alternate") {
		if href := xmlAttr(t, "href"); href != "" {
			r.entry.at = r.resolve.link(href)
		}
	}
	r.in = t
	r.text.Reset()
}

func (r *feedReader) close(t xml.EndElement) {
	if r.in.Name == t.Name {
		r.feedText(r.in, r.text.String(), &r.entry)
	}
	if isEntry(t.Name.Local) && r.entry.link > 0 {
		r.links[r.entry.link-1].Modified = r.entry.modified
	}
	if isEntry(t.Name.Local) || isItem(t.Name.Local) {
		r.change(isItem(t.Name.Local))
	}
	r.in = xml.StartElement{}
	if last := len(r.bases) - 1; last >= 0 {
		r.bases[last].size = r.resolve.size // one bound for all
		r.resolve, r.bases = r.bases[last], r.bases[:last]
	}
}

// change keeps the change that the current entry reports. An entry of a feed without a time reports a new
// page, while an address in a sitemap without one reports nothing.
func (r *feedReader) change(item bool) {
	if e := &r.entry; e.at != "" && (item || !e.changed.IsZero()) && len(r.changes) < mostFeedChanges {
		r.changes = append(r.changes, Change{URL: e.at, Time: e.changed, Exact: e.exact, Said: e.said})
	}
}

// rebase puts the xml:base of an element in force.
func (r *feedReader) rebase(t xml.StartElement) {
	for _, a := range t.Attr {
		if a.Name.Local != "base" || a.Name.Space == "" {
			continue
		}
		if base, err := url.Parse(r.resolve.link(a.Value)); err == nil && base.Host != "" {
			size := r.resolve.size
			r.resolve = newResolverAt(base)
			r.resolve.size = size
		}
	}
}

// withoutControls drops the characters that XML does not allow.
func withoutControls(feed []byte) []byte {
	control := func(r rune) bool { return r < ' ' && r != '\t' && r != '\n' && r != '\r' || r == 0xfffe || r == 0xffff }
	if bytes.IndexFunc(feed, control) < 0 {
		return feed
	}
	return bytes.Map(func(r rune) rune {
		if control(r) {
			return -1
		}
		return r
	}, feed)
}

// entry is what a sitemap says of one address.
type entry struct {
	link     int // its place among the links, from 1; 0 for none
	modified time.Time

	// at is the address of what a feed or sitemap lists, changed the latest time that it gives.
	at, said string
	changed  time.Time
	exact    bool
}

// mostFeedChanges is how many entries of a feed or sitemap are compared: all that the protocol of
// sitemaps allows.
const mostFeedChanges = 50_000

// isItem reports whether an element is an entry of RSS or Atom.
func isItem(name string) bool { return name == "item" || name == "entry" }

// dated takes the time of an entry in; the latest counts.
func (e *entry) dated(text string) {
	text = strings.TrimSpace(text)
	at, exact := lastModified(text), len(text) > len(time.DateOnly)
	for _, layout := range []string{time.RFC1123Z, time.RFC1123, "Mon, 2 Jan 2006 15:04:05 -0700", "Mon, 2 Jan 2006 15:04:05 MST"} {
		if t, err := time.Parse(layout, text); at.IsZero() && err == nil {
			at = t
		}
	}
	if at.After(e.changed) {
		e.changed, e.exact, e.said = at, exact, text
	}
}

func isEntry(name string) bool { return name == "url" || name == "sitemap" }

// maxLine is longer than an address may be, in bytes.
const maxLine = 64 << 10

// SitemapLines extracts the links of a sitemap that is a list of addresses, one a line. There are none where the first line is no
// address.
func SitemapLines(text []byte, from *url.URL) (f Feed) {
	c := &collector{p: Page{URL: from}}
	c.start()
	text = bytes.ReplaceAll(text, []byte("\r"), []byte("\n"))
	for all := range bytes.Lines(text) {
		line := strings.TrimSpace(string(all[:min(len(all), maxLine)]))
		if line == "" || line[0] == '#' || len(all) > maxLine {
			continue
		}
		if u, err := url.Parse(line); err == nil && u.Host != "" {
			c.add(line, nil)
		} else if len(c.links) == 0 {
			break
		}
	}
	return Feed{Links: c.links, Cut: c.cut}
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
	case "a", "area", "iframe", "blockquote", "q", "img": // of XHTML inside Atom
		n := &html.Node{Type: html.ElementNode, Data: e.Name.Local, DataAtom: atom.Lookup([]byte(e.Name.Local))}
		for _, a := range e.Attr {
			n.Attr = append(n.Attr, html.Attribute{Key: a.Name.Local, Val: a.Value})
		}
		c.page(n)
	}
}

// feedText adds what the text of an element leads to.
func (c *collector) feedText(e xml.StartElement, text string, at *entry) {
	switch name := e.Name.Local; {
	case name == "guid" && strings.EqualFold(xmlAttr(e, "isPermaLink"), "false"), otherSpace.MatchString(e.Name.Space):
	case name == "lastmod":
		at.modified = lastModified(text)
		at.dated(text)
	case name == "pubDate", name == "updated", name == "published", name == "date":
		at.dated(text)
	case feedAddresses[name]:
		c.add(text, nil)
		if i, has := c.seen[c.resolve.link(text)]; has && name == "loc" {
			at.link = i + 1
		}
		if at.at == "" && (name == "loc" || name == "link") {
			at.at = c.resolve.link(strings.TrimSpace(text))
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
