package engine

import (
	"bytes"
	"context"
	"maps"
	"net/http"
	"net/url"
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/awarc/awarc/engine/extract"
	"github.com/awarc/awarc/engine/fetch"
	"github.com/awarc/awarc/frontier"
	"github.com/awarc/awarc/kb"
)

// SitemapUse says which sitemaps a crawl follows.
type SitemapUse uint8

// The uses of sitemaps.
const (
	NamedSitemaps SitemapUse = iota // the sitemaps of robots.txt
	AllSitemaps                     // and /sitemap.xml of each host
	NoSitemaps
)

// LevelSitemap marks the URLs of sitemaps, and in a watch of feeds that pages declare. It is not a level
// of an application.
const LevelSitemap = "sitemap"

// What sitemaps may ask for. The protocol knows no index in an index; some sites have one.
const (
	maxIndexes      = 3       // on the way to a sitemap, itself included
	maxSitemaps     = 50_000  // of a host in a session
	maxSitemapHosts = 100_000 // of which that is remembered
)

// usualSitemap is where a sitemap lies that nobody names.
const usualSitemap = "/sitemap.xml"

// sitemaps gives the sitemaps of the host of a lease that the crawl follows.
func (e *Engine) sitemaps(lease leased, named []string) []frontier.URL {
	if e.options.Sitemaps == NoSitemaps {
		return nil
	}
	root := &url.URL{Scheme: lease.at.Scheme, Host: lease.at.Host, Path: "/"}
	if e.options.Sitemaps == AllSitemaps {
		named = append(slices.Clone(named), usualSitemap)
	}
	var found []*url.URL
	for _, href := range named {
		found = append(found, parseURL(extract.Resolve(root, href)))
	}
	return e.follower.sitemaps(lease, found)
}

// sitemaps follows addresses of sitemaps, named by the robots.txt of a lease's host or by the lease, a sitemap itself. They are where
// the crawl goes, or on the host that names them; what they lead to is held to the scope link by link.
func (w *follower) sitemaps(lease leased, found []*url.URL) (links []frontier.URL) {
	scope, home := w.options.Scope, !IsRequisite(lease.Level)
	for _, u := range found {
		in := scope.Contains(u, lease.Hops) ||
			home && u.Host == lease.at.Host && scope.kind != ScopePage && !scope.decide(u, lease.Hops, true).out
		if !in || scope.decide(u, lease.Hops+1, true).out || !w.listed.add(u.Host, maxSitemaps) {
			continue
		}
		links = append(links, frontier.URL{URL: u.String(), Key: w.rules(u, nil).Key(u), Hops: lease.Hops, Path: lease.hop(hopManifest),
			Priority: priorityList, Level: LevelSitemap})
	}
	return links
}

// mostFeeds bounds the feeds of a host that a session of a watch follows: arbitrary. A site has one of its
// news and one of its comments; others are of categories.
const mostFeeds = 16

// feeds follows the feeds that a page declares, in a watch: on seeds, home pages, and lists that do not
// report changes themselves. Feeds of other pages are of their comments, which the pages show.
func (f *following) feeds(p *Page) (links []frontier.URL) {
	level := p.Harvest.Level
	if f.options.Watch == nil || !f.options.Watch.Signals() ||
		!f.lease.Seed && strings.Trim(p.URL.Path, "/") != "" && (level == nil || level.Kind != kb.Intermediate || len(level.Changes) > 0) {
		return nil
	}
	var found []*url.URL
	for _, l := range extract.Feeds(p.extracted()) {
		if u := parseURL(l.URL); f.fed.add(u.Host, mostFeeds) {
			found = append(found, u)
		}
	}
	return f.sitemaps(f.lease, found)
}

// sitemapCounts counts the sitemaps, or the feeds, of each host.
type sitemapCounts struct {
	mu sync.Mutex
	n  map[string]int
}

// add counts a sitemap of a host, and reports whether the host may have one more.
func (c *sitemapCounts) add(host string, most int) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.n == nil || len(c.n) > maxSitemapHosts {
		c.n = map[string]int{}
	}
	c.n[host]++
	return c.n[host] <= most
}

// needless settles a sitemap of an application whose addresses do not tell content, since nothing in it would be followed.
func (e *Engine) needless(lease leased) *frontier.Outcome {
	if lease.Level != LevelSitemap || e.options.Watch != nil { // a watch reads its dates
		return nil
	}
	t := e.follower.knownNear(lease.at)
	if t == nil || len(contentLevels(t)) > 0 {
		return nil
	}
	return &frontier.Outcome{State: frontier.Excluded, NoRequest: true, Counters: map[string]int64{},
		Reason: "the addresses of " + string(t.ID) + " do not separate content from other pages, so its sitemaps are not used"}
}

// isSitemap reports whether an answer is to be read as a sitemap, or as a feed. What is asked for as a sitemap is one whatever
// its media type, unless it is a page.
func isSitemap(lease leased, ex *fetch.Exchange, mime string) bool {
	switch {
	case ex.Status != http.StatusOK:
		return false
	case lease.Level == LevelSitemap:
		return !isHTML(mime) || isList(ex)
	}
	return isFeed(ex, mime) || isPacked(mime) && strings.HasSuffix(lease.at.Path, ".xml.gz")
}

// isPacked reports whether a media type is of files of gzip.
func isPacked(mime string) bool { return strings.HasSuffix(mime, "gzip") }

// isList reports whether what a server calls a page begins as a list of addresses does.
func isList(ex *fetch.Exchange) bool {
	start, err := ex.Body(64)
	start = bytes.TrimSpace(bytes.TrimPrefix(start, []byte("\xef\xbb\xbf")))
	return err == nil && (bytes.HasPrefix(start, []byte("http://")) || bytes.HasPrefix(start, []byte("https://")))
}

// feedTypes matches the media types of XML that may be a feed or a sitemap, with those that servers make up.
var feedTypes = regexp.MustCompile(`^(?:application|text)/(?:[a-z0-9.-]*\+)?xml$|^(?:application|text)/(?:x[.-])?(?:rss|atom|rdf)$`)

// isFeed reports whether an answer may be a feed.
func isFeed(ex *fetch.Exchange, mime string) bool {
	switch mime {
	case "application/xhtml+xml":
		return false
	case "application/feed+json":
		return true
	case "application/json":
		start, err := ex.Body(1 << 10)
		return err == nil && extract.IsJSONFeed(start)
	}
	return feedTypes.MatchString(mime)
}

// noPage reports whether HTML at the address of a sitemap says that there is none, rather than being a page that lists others.
func noPage(lease leased) bool {
	return lease.Level == LevelSitemap && slices.Contains([]string{".xml", ".gz", ".txt"}, path.Ext(lease.at.Path))
}

// readFeed reads a feed or a sitemap.
func (e *Engine) readFeed(ctx context.Context, lease leased, ex *fetch.Exchange) (pageResult, error) {
	r := pageResult{mime: ex.MediaType()}
	length := int64(bigPage) // of what is in a file of gzip; nobody knows
	if !isPacked(r.mime) && path.Ext(lease.at.Path) != ".gz" {
		length = ex.Length(bigPage)
	}
	release, err := makeRoomFor(ctx, length)
	if err != nil {
		return pageResult{}, errBrokenOff
	}
	defer release()
	text, err := ex.Unpacked()
	if err != nil {
		return unreadable(ex, err), nil
	}
	r.charset = text.Charset
	feed := extract.ReadFeed(text.HTML, lease.at)
	if len(feed.Links) == 0 && lease.Level == LevelSitemap {
		feed = extract.SitemapLines(text.HTML, lease.at)
	}
	r.page.Harvest.Cut = text.Cut || feed.Cut || len(text.HTML) >= fetch.MaxPage
	if feed.Index {
		if strings.Count(lease.Path, string(hopManifest)) < maxIndexes {
			var found []*url.URL
			for _, l := range feed.Links {
				found = append(found, parseURL(l.URL))
			}
			r.links = e.follower.sitemaps(lease, found)
		}
		r.page.URL, r.page.Harvest.Changes = lease.at, feed.Changes
		return r, nil
	}
	links := e.follower.worthwhile(&feed)
	r.page.URL, r.page.Harvest.Links, r.page.Harvest.Changes = lease.at, links, feed.Changes
	f := e.follower.from(lease, nil)
	r.links = scheduled(f.follow(&r.page, links))
	r.suspects, r.counters = f.suspects, f.counters
	return r, nil
}

// knownNear is the type of the pages around an address, nil where none is known or the crawl drafted it.
func (w *follower) knownNear(u *url.URL) *kb.Type {
	if w.options.Blind {
		return nil
	}
	t := w.types(w.near.find(u))
	if w.options.undescribed(t) {
		return nil
	}
	return t
}

// worthwhile gives the links of a feed or sitemap that are followed: those around which no application is known, and of one that is
// those whose addresses are of its content. What else feeds and sitemaps have of it is what its actions leave out: lists in
// other orders, and parts of pages.
//
// A watch also follows the entries of feeds if neither addresses nor lists of an application lead to its content.
func (w *follower) worthwhile(feed *extract.Feed) (out []extract.Link) {
	entries := map[string]bool{}
	for _, c := range feed.Changes {
		entries[c.URL] = w.options.Watch != nil && feed.News
	}
	levels := map[kb.TypeID]map[kb.LevelID]bool{}
	for _, l := range feed.Links {
		u := parseURL(l.URL)
		t := w.knownNear(u)
		if t == nil || entries[l.URL] && len(contentLevels(t)) == 0 && !reportsChanges(t) {
			out = append(out, l)
			continue
		}
		if levels[t.ID] == nil {
			levels[t.ID] = contentLevels(t)
		}
		if a := t.URLs.Level(u); a != nil && !a.Part && levels[t.ID][a.Level] {
			out = append(out, l)
		}
	}
	return out
}

// reportsChanges reports whether lists of a type show which pages changed.
func reportsChanges(t *kb.Type) bool {
	return slices.ContainsFunc(t.Levels, func(v *kb.Level) bool { return len(v.Changes) > 0 })
}

// contentLevels are the levels of content that the addresses of a type tell and that its actions lead to.
func contentLevels(t *kb.Type) map[kb.LevelID]bool {
	levels := wantedLevels(t)
	maps.DeleteFunc(levels, func(id kb.LevelID, _ bool) bool {
		return slices.ContainsFunc(t.Level(id), func(v *kb.Level) bool { return v.Kind != kb.Terminal })
	})
	return levels
}
