package engine

import (
	"context"
	"path"
	"strings"

	"github.com/awarc/awarc/engine/extract"
	"github.com/awarc/awarc/engine/fetch"
)

// The levels of the files that a page needs, on any host: embedded documents, and all others. They are not
// levels of an application.
const (
	LevelRequisite = "requisite"
	LevelFrame     = "frame"
)

// maxEmbedded bounds style sheets that import others, and frames within frames: one may name ever another one.
const maxEmbedded = 12

// IsRequisite reports whether URLs of a level are requested because a page needs them.
func IsRequisite(level string) bool { return level == LevelRequisite || level == LevelFrame }

// leadsNowhere reports whether a URL is needed by a page of the crawl and is no page of the crawl itself: what it needs is
// followed, and its links are not.
func (e *Engine) leadsNowhere(lease leased) bool {
	return IsRequisite(lease.Level) && !e.options.Scope.Contains(lease.at, lease.Hops+1)
}

// loading gives the function that extracts what an answer that is no page needs itself; nil for what needs nothing.
func loading(lease leased, mime string) func(text []byte) []extract.Link {
	untold := mime == "" || mime == "text/plain" || mime == "application/octet-stream"
	kind := path.Ext(lease.at.Path)
	switch {
	case mime == "text/css" || IsRequisite(lease.Level) && untold && kind == ".css":
		return func(text []byte) []extract.Link { return extract.StyleLinks(string(text), lease.at) }
	case !IsRequisite(lease.Level):
	case mime == "image/svg+xml":
		return func(text []byte) []extract.Link { return extract.VectorLinks(string(text), lease.at) }
	case mime == "application/manifest+json" || kind == ".webmanifest" && untold || mime == "application/json" &&
		strings.Contains(path.Base(lease.at.Path), "manifest"):
		return func(text []byte) []extract.Link { return extract.ManifestLinks(text, lease.at) }
	}
	return nil
}

// readLoaded reads what a page needs and what needs something itself, such as a style sheet.
func (e *Engine) readLoaded(ctx context.Context, lease leased, ex *fetch.Exchange, links func([]byte) []extract.Link) (pageResult, error) {
	release, err := makeRoom(ctx, ex)
	if err != nil {
		return pageResult{}, errBrokenOff
	}
	defer release()
	text, err := ex.HTML()
	if err != nil {
		return unreadable(ex, err), nil
	}
	f := e.follower.from(lease, e.follower.typeOf(lease))
	return pageResult{mime: ex.MediaType(), charset: text.Charset, links: f.require(links(text.HTML)), counters: f.counters}, nil
}

// isScript reports whether an answer is a script.
func isScript(mime string) bool {
	return strings.HasSuffix(mime, "javascript") || strings.HasSuffix(mime, "ecmascript")
}

// readScript follows what looks like an address in a script. Scripts make addresses relative to the
// page that loads them.
func (e *Engine) readScript(ctx context.Context, lease leased, ex *fetch.Exchange) (pageResult, error) {
	release, err := makeRoom(ctx, ex)
	if err != nil {
		return pageResult{}, errBrokenOff
	}
	defer release()
	text, err := ex.HTML()
	if err != nil {
		return unreadable(ex, err), nil
	}
	page := lease.at
	if via := parseURL(lease.Via); via.Host == lease.at.Host {
		page = via
	}
	f := e.follower.from(lease, e.follower.typeOf(lease))
	links := f.speculateIn(text.HTML, page)
	return pageResult{mime: ex.MediaType(), charset: text.Charset, links: links, counters: f.counters}, nil
}

// readFrame reads a document that is shown inside a page and is no page of the crawl.
func (e *Engine) readFrame(lease leased, ex *fetch.Exchange, text fetch.Text) pageResult {
	r := pageResult{mime: ex.MediaType(), charset: text.Charset}
	if ex.Status/100 == 2 && e.options.Requisites {
		p := blind(Answer{URL: lease.at, Status: ex.Status, Header: ex.Header, HTML: text.HTML, Charset: text.Charset}, false)
		f := e.follower.from(lease, nil)
		r.links, r.counters = f.require(p.requisites(true)), f.counters
	}
	return r
}
