package engine

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/awarc/awarc/engine/archive"
	"github.com/awarc/awarc/engine/browser"
	"github.com/awarc/awarc/engine/extract"
	"github.com/awarc/awarc/engine/fetch"
	"github.com/awarc/awarc/frontier"
	"github.com/awarc/awarc/kb"
)

// Renderer runs the scripts of a page whose requests the network answers; see [browser.Browser].
type Renderer interface {
	Render(context.Context, browser.Visit) (browser.Page, error)
}

// Rendering lets a browser run the scripts of pages that show next to nothing without them.
type Rendering struct {
	// Browser runs the scripts. Nil: no page is rendered.
	Browser Renderer
	// All renders all pages, not only those with scripts and little text.
	All bool
	// Delay is the least time between two requests of a page to one host.
	Delay time.Duration
	// Share is the greatest share of a session's pages that is rendered, beyond the first ten; 0
	// means all.
	Share float64
	// Methods are the methods besides GET that scripts may use, inside the scope of the crawl.
	// Clicked permits them after clicks that the browser chooses itself, too.
	Methods []string
	Clicked bool
	// Screenshots archives a picture of each rendered page.
	Screenshots bool
	// Keywords are the keywords of the crawl's topic, for steps that enter them.
	Keywords []string
}

// Counters of rendering.
const (
	countRendered      = "browser/pages"
	countRenderAsked   = "browser/requests"
	countRenderCached  = "browser/cached"
	countRenderClicks  = "browser/clicks"
	countRenderSent    = "browser/sent"
	countRenderSteps   = "browser/steps"
	countRenderRefused = "browser/refused/" // and the reason
	// kindRender is the kind of error of pages that lack what scripts would have loaded.
	kindRender = "render_failed"
)

// renderings is what the engine keeps from one rendered page to the next.
type renderings struct {
	mu     sync.Mutex
	cached map[string]*browser.Response // scripts and the like, by URL
	size   int                          // of their bodies
	robots map[string]*fetch.Robots     // by scheme and host
	last   map[string]time.Time         // end of the last request of a page, by host
	shells map[string]bool              // hosts that have pages with scripts and little text
	kinds  map[string]*pageKind         // see kindOf
	polls  map[string]bool              // hosts and paths whose answers wait for news
	pages  int                          // of the session
	done   int                          // of them rendered
}

// mostFree is how many pages are rendered whatever the share. The value is arbitrary.
const mostFree = 10

// seen counts a page of the session.
func (r *renderings) seen() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.pages++
}

// take reports whether another page of a host may be rendered, and counts it.
func (r *renderings) take(host string, share float64) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.shells[host] = true
	if share > 0 && r.done >= mostFree && float64(r.done) >= share*float64(r.pages) {
		return false
	}
	r.done++
	return true
}

// Bounds of the requests of a page with methods besides GET. The values are arbitrary.
const (
	mostSent     = 50
	mostSentBody = 1 << 20 // bytes
)

// mostCached bounds the bodies that are kept for later pages, in bytes.
const mostCached = 32 << 20

func (r *renderings) init() {
	r.cached, r.robots = map[string]*browser.Response{}, map[string]*fetch.Robots{}
	r.polls = map[string]bool{}
	r.last, r.shells, r.kinds = map[string]time.Time{}, map[string]bool{}, map[string]*pageKind{}
}

// mayRender reports whether a page of a host may need the browser, so that its host must wait for it.
func (e *Engine) mayRender(lease leased) bool {
	e.renderings.mu.Lock()
	defer e.renderings.mu.Unlock()
	return e.options.Rendering.Browser != nil && (e.options.Rendering.All || e.renderings.shells[lease.Host])
}

// isShell reports whether a page has scripts, and hardly anything else.
func (r *pageResult) isShell() bool { return r.counters[countSuspects+SuspectShell] > 0 }

// render lets the browser run the scripts of a page, if it needs that, takes the steps of its
// level, and reads the page again as they leave it.
func (e *Engine) render(ctx context.Context, v *visited) error {
	if !v.page.isPage || IsRequisite(v.lease.Level) {
		return nil
	}
	e.renderings.seen()
	o, steps := &e.options.Rendering, browseOf(&v.page.page.Finding, v.lease.at)
	p := &planning{Engine: e, lease: v.lease, finding: v.page.page.Finding, explore: o.All || v.page.isShell()}
	tries := !p.explore && e.triesScripts(v)
	if steps == nil && (o.Browser == nil || !p.explore && !tries) {
		return nil
	}
	text, err := v.content.HTML()
	if err != nil {
		return nil // the page is unreadable, which is told already
	}
	if links, ok := formLinks(text, v.lease.at, steps, o.Keywords); ok {
		e.lead(v, links)
		if steps, p.done = nil, true; !p.explore && !tries {
			return nil
		}
	}
	if o.Browser == nil {
		if steps != nil {
			addCounters(v.page.counters, map[string]int64{countSuspects + SuspectSteps: 1})
		}
		return nil
	}
	if !e.renderings.take(v.lease.Host, o.Share) {
		addCounters(v.page.counters, map[string]int64{countRenderRefused + errShare.Error(): 1})
		return nil
	}
	return e.renderBy(ctx, v, p, text.HTML)
}

// triesScripts reports whether the scripts of a page are run to find its requisites.
func (e *Engine) triesScripts(v *visited) bool {
	if e.options.Rendering.Browser == nil || !e.options.Requisites || e.options.Blind {
		return false
	}
	text, err := v.content.HTML()
	return err == nil && scriptTag.Match(text.HTML) && e.renderings.mayBring(kindOf(v.lease, &v.page.page.Finding))
}

var scriptTag = regexp.MustCompile(`(?i)<script[\s>]`)

// renderBy renders a page by a plan.
func (e *Engine) renderBy(ctx context.Context, v *visited, p *planning, html []byte) error {
	o, kind := &e.options.Rendering, kindOf(v.lease, &p.finding)
	r := &rendering{Engine: e, crawl: ctx, lease: v.lease, counts: map[string]int64{countRendered: 1},
		began: v.content.Start.Add(v.content.Duration)}
	header := v.content.Header.Clone()
	header.Set("Content-Type", "text/html; charset=utf-8")
	p.header = header
	page, err := o.Browser.Render(ctx, browser.Visit{Screenshot: o.Screenshots, URL: v.lease.URL.URL, Network: r.answer, Plan: p.plan,
		Document: browser.Response{Status: http.StatusOK, Header: header, Body: html}})
	switch {
	case r.fatal != nil:
		return r.fatal
	case ctx.Err() != nil:
		return errBrokenOff
	case err != nil:
		e.warn("a page is archived and read without its scripts", "url", v.lease.URL.URL, "error", err.Error())
		r.failed = err
	}
	r.count(&page)
	before := v.page.links
	if page.HTML != "" {
		if err := e.readRendered(ctx, v, header, page); err != nil {
			return err
		}
	}
	e.renderings.scripted(kind, r.fetched || newKeys(before, r.keys) || len(v.page.links) > len(before))
	f := e.follower.from(v.lease, v.page.page.Finding.Type)
	for _, text := range r.texts {
		v.page.links = append(v.page.links, f.speculateIn(text, v.lease.at)...)
	}
	addCounters(r.counts, f.counters)
	addCounters(r.counts, v.page.counters)
	if r.failed != nil {
		r.counts[countFaults+kindRender] = 1
	}
	v.page.counters = r.counts
	v.rendered = &rendered{html: page.HTML, keys: r.keys, steps: stepsOf(page), picture: page.Screenshot, entries: p.learn(page.Tried)}
	return nil
}

// stepsOf lists for the log what the browser did on a page.
func stepsOf(p browser.Page) []string {
	all := p.Steps
	for _, t := range p.Tried {
		text := fmt.Sprintf("tried %s: %d", t.Control, t.Times)
		if !t.Brought {
			text += ", nothing new"
		}
		all = append(all, text)
	}
	return all
}

// newKeys reports whether some keys are not of the links of a page.
func newKeys(links []frontier.URL, keys []string) bool {
	has := map[string]bool{}
	for _, l := range links {
		has[l.Key] = true
	}
	return slices.ContainsFunc(keys, func(k string) bool { return !has[k] })
}

// count counts what the browser did on a page.
func (r *rendering) count(p *browser.Page) {
	r.counts[countRenderClicks] += int64(p.Clicks)
	r.counts[countRenderSteps] += int64(len(p.Steps))
	for kind, n := range p.Refused {
		r.counts[countRenderRefused+kind] += int64(n)
	}
	if p.Unsettled && r.failed == nil {
		r.failed = errors.New("the page still loaded more when its time or its scrolls were over")
	}
}

// lead adds addresses that are no links of a page to its links.
func (e *Engine) lead(v *visited, links []extract.Link) {
	f := e.follower.from(v.lease, v.page.page.Finding.Type)
	v.page.links = append(v.page.links, f.besides(links, hopLink, priorityUnknown)...)
	addCounters(v.page.counters, f.counters)
}

// rendered is what the browser made of a page.
type rendered struct {
	html  string
	keys  []string // of the files that it requested
	steps []string // that it took, for the log

	picture []byte // PNG; nil for none
	entries []kb.Entry
}

// learned returns the entries that the browser learned on a page.
func (r *rendered) learned() []kb.Entry {
	if r == nil {
		return nil
	}
	return r.entries
}

// readRendered reads a page as its scripts left it.
func (e *Engine) readRendered(ctx context.Context, v *visited, header http.Header, p browser.Page) error {
	block := renderedBlock(header, []byte(p.HTML))
	content, err := e.fetcher.Stored(v.lease.URL.URL, bytes.NewReader(block), v.content.Start)
	if err != nil {
		return fmt.Errorf("reading %s as rendered: %w", v.lease.URL.URL, err)
	}
	defer closeExchange(content)
	before := v.page.links
	if v.page, err = e.readSafely(ctx, v.lease, content, atFirst); err != nil {
		return err
	}
	var left []extract.Link
	for _, to := range p.Left {
		left = append(left, extract.Link{URL: to})
	}
	e.lead(v, left)
	has := map[string]bool{}
	for _, l := range v.page.links {
		has[l.Key] = true
	}
	for _, l := range before { // scripts may have taken it away
		if !has[l.Key] {
			v.page.links = append(v.page.links, l)
		}
	}
	return nil
}

// read reports whether the page was read as its scripts left it.
func (r *rendered) read() bool { return r != nil && r.html != "" }

// renderedBlock is a rendered document as an HTTP message, with the fields of the answer from which it was made.
func renderedBlock(header http.Header, html []byte) []byte {
	var block bytes.Buffer
	block.WriteString("HTTP/1.1 200 OK\r\n")
	header = header.Clone()
	for _, name := range []string{"Content-Encoding", "Content-Length", "Transfer-Encoding"} {
		header.Del(name)
	}
	header.Set("Content-Type", "text/html; charset=utf-8")
	_ = header.Write(&block) // a buffer takes all
	block.WriteString("\r\n")
	block.Write(html)
	return block.Bytes()
}

// renderedRecord are the records of a rendered document and its picture; none for other pages.
func renderedRecord(v visited) (all []archive.Resource) {
	if !v.rendered.read() {
		return nil
	}
	html, picture := v.rendered.html, v.rendered.picture
	all = append(all, archive.Resource{URI: archive.DOMScheme + v.lease.URL.URL, MIME: "text/html", Data: strings.NewReader(html),
		Size: int64(len(html))})
	if picture != nil {
		all = append(all, archive.Resource{URI: viewScheme + v.lease.URL.URL, MIME: "image/png", Data: bytes.NewReader(picture),
			Size: int64(len(picture))})
	}
	return all
}

// viewScheme is the URI prefix of screenshot records. Browsertrix uses the same one.
const viewScheme = "urn:view:"

// RenderReport has the figures of the pages that the browser rendered.
type RenderReport struct {
	Pages    int64 `json:"pages"`
	Requests int64 `json:"requests"` // that scripts and frames made
	Sent     int64 `json:"sent"`     // of Requests, with a method such as POST
	Cached   int64 `json:"cached"`   // of requests that an earlier page had made
	Clicks   int64 `json:"clicks"`
	Steps    int64 `json:"steps"` // that the knowledge base prescribes
	// Refused counts requests without an answer, and what pages tried besides requests, by reason:
	// "failed", "method" (not a permitted one), "body" (beyond the bounds of POST), "robots",
	// "scope", "websocket", "stream", "worker", "download", "popup", "dialog"; "share" counts pages
	// beyond --browser-share, "repeat" repeated steps that still showed more; "click", "frame" and
	// "address" count pages and addresses beyond the bounds.
	Refused map[string]int64 `json:"refused,omitempty"`
}

// String returns the figures in one line.
func (r *RenderReport) String() string {
	text := fmt.Sprintf("%s rendered, %s, %s, %s (%d with POST or the like), %d answers from its cache", Counted(r.Pages, "page|pages"),
		Counted(r.Steps, "step|steps"), Counted(r.Clicks, "click|clicks"), Counted(r.Requests, "request|requests"), r.Sent, r.Cached)
	for i, kind := range slices.Sorted(maps.Keys(r.Refused)) {
		sep := ", "
		if i == 0 {
			sep = "; refused: "
		}
		text += fmt.Sprintf("%s%d %s", sep, r.Refused[kind], kind)
	}
	return text
}

// renderReport reads the figures of the browser from the counters, nil for none.
func renderReport(counters map[string]int64) *RenderReport {
	r := &RenderReport{Pages: counters[countRendered], Requests: counters[countRenderAsked], Cached: counters[countRenderCached],
		Clicks: counters[countRenderClicks], Steps: counters[countRenderSteps], Sent: counters[countRenderSent],
		Refused: map[string]int64{}}
	if r.Pages == 0 {
		return nil
	}
	for name, n := range counters {
		if reason, is := strings.CutPrefix(name, countRenderRefused); is {
			r.Refused[reason] = n
		}
	}
	return r
}
