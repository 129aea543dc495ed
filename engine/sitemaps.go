package engine

import (
	"bytes"
	"compress/gzip"
	"io"
	"net/url"
	"strings"

	"github.com/awarc/awarc/engine/extract"
	"github.com/awarc/awarc/engine/fetch"
	"github.com/awarc/awarc/frontier"
)

// sitemaps gives the sitemaps of the host of a page that are in scope: those that its
// robots.txt names, and the one at the usual address.
func (e *Engine) sitemaps(lease leased, robots *fetch.Robots) []frontier.URL {
	if !e.options.Sitemaps {
		return nil
	}
	var links []frontier.URL
	page := lease.at
	for _, href := range append(robots.Sitemaps(), "/sitemap.xml") {
		u := parseURL(extract.Resolve(&url.URL{Scheme: page.Scheme, Host: page.Host, Path: "/"}, href))
		if e.options.Scope.Contains(u, lease.Hops) {
			links = append(links, frontier.URL{URL: u.String(), Key: e.follower.rules(u, nil).Key(u), Hops: lease.Hops,
				Path: lease.hop(hopManifest), Priority: priorityList})
		}
	}
	return links
}

// unpacked is the text of a feed or sitemap in UTF-8; sitemaps may be files of gzip.
func unpacked(ex *fetch.Exchange) (fetch.Text, error) {
	if mime := ex.MediaType(); !strings.HasSuffix(mime, "gzip") {
		return ex.HTML()
	}
	body, err := ex.Body(fetch.MaxPage)
	if err != nil {
		return fetch.Text{}, err
	}
	z, err := gzip.NewReader(bytes.NewReader(body))
	if err != nil {
		return fetch.Text{}, err
	}
	text, err := io.ReadAll(io.LimitReader(z, fetch.MaxPage))
	if len(text) == 0 && err != nil {
		return fetch.Text{}, err
	}
	return fetch.DecodeHTML(text, ""), nil
}

// isSitemapFile reports whether an address is that of a sitemap in a file of gzip.
func isSitemapFile(u *url.URL, mime string) bool {
	return (mime == "application/gzip" || mime == "application/x-gzip") && strings.HasSuffix(u.Path, ".xml.gz")
}
