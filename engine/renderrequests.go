package engine

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"sync"
	"time"

	"github.com/awarc/awarc/engine/browser"
	"github.com/awarc/awarc/engine/fetch"
	"github.com/awarc/awarc/frontier"
)

// rendering answers the requests of a page in the browser, one after the other.
type rendering struct {
	*Engine
	crawl context.Context
	lease leased
	began time.Time // end of the page's own request

	mu     sync.Mutex
	counts map[string]int64
	keys   []string // of the files that were requested
	texts  [][]byte // of scripts, where addresses in them are followed
	// fetched reports that the page requested more of its own host than files.
	fetched bool
	failed  error // why the page may lack something
	fatal   error // ends the crawl
}

// Reasons for which a request of a page is refused.
var (
	errMethod  = errors.New("method")   // not one that Rendering permits
	errStream  = errors.New("stream")   // an EventSource, which may have no end, or a long poll
	errShare   = errors.New("share")    // of a page beyond Rendering.Share
	errBody    = errors.New("body")     // beyond the bounds of requests with bodies
	errRobots  = errors.New("robots")   // forbidden by robots.txt
	errScope   = errors.New("scope")    // excluded by a rule of the scope
	errNotUsed = errors.New("not_used") // changes no text
)

// answer answers one request of a page: from the cache, or by a fetch that is archived and as polite as any other.
func (r *rendering) answer(ctx context.Context, req browser.Request) (*browser.Response, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	u, err := url.Parse(req.URL)
	if err == nil {
		err = r.refuses(ctx, u, req)
	}
	if err != nil {
		if !errors.Is(err, errNotUsed) {
			r.counts[countRenderRefused+err.Error()]++
		}
		return nil, err
	}
	if known := r.cachedResponse(req); known != nil {
		r.counts[countRenderCached]++
		return known, nil
	}
	waiting, cancel := context.WithTimeout(ctx, mostPoll)
	defer cancel()
	ex, err := r.exchange(waiting, u, req)
	defer closeExchange(ex)
	if err != nil && waiting.Err() != nil && ctx.Err() == nil && r.fatal == nil {
		r.renderings.setPoll(u)
		r.counts[countRenderRefused+errStream.Error()]++
		return nil, errStream
	}
	if err != nil {
		r.note(req, u, err)
		return nil, err
	}
	if failing(ex.Status) || retryable[ex.Status] || refuses(ex.Status) {
		r.note(req, u, statusError(ex.Status))
	}
	body, err := ex.Body(0)
	if err != nil {
		r.note(req, u, err)
		return nil, err
	}
	response := &browser.Response{Status: ex.Status, Header: ex.Header, Body: body}
	if req.Kind == "script" && r.options.Speculative && u.Host == r.lease.at.Host {
		r.texts = append(r.texts, body)
	}
	r.keep(req, response)
	return response, nil
}

// mostPoll bounds an exchange of a page. A longer one waits for news, as socket.io does for 25
// seconds, and the other requests of the page would wait for it. The value is arbitrary.
const mostPoll = 15 * time.Second

// setPoll remembers that requests of a URL's path wait for news.
func (r *renderings) setPoll(u *url.URL) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.polls[u.Host+u.Path] = true
}

func (r *renderings) isPoll(u *url.URL) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.polls[u.Host+u.Path]
}

// note remembers that a request failed whose answer could have changed the text of the page.
func (r *rendering) note(req browser.Request, u *url.URL, err error) {
	r.counts[countRenderRefused+"failed"]++
	if u.Host == r.lease.at.Host && r.failed == nil {
		r.failed = fmt.Errorf("%s: %w", req.URL, err)
	}
}

// refuses returns why a request of a page is not made; nil: it is.
func (r *rendering) refuses(ctx context.Context, u *url.URL, req browser.Request) error {
	switch {
	case u.Scheme != "http" && u.Scheme != "https":
		return errScope
	case sends(req) && (req.Clicked && !r.options.Rendering.Clicked || !slices.Contains(r.options.Rendering.Methods, req.Method)):
		return errMethod
	case sends(req) && (len(req.Body) > mostSentBody || r.counts[countRenderSent] == mostSent):
		return errBody
	case req.Header.Get("Accept") == "text/event-stream", r.renderings.isPoll(u):
		return errStream
	case !r.options.Requisites && !bringsText(req.Kind):
		return errNotUsed
	case r.options.Scope.decide(u, r.lease.Hops, !sends(req)).out:
		return errScope
	case !r.allowed(ctx, u):
		return errRobots
	}
	return nil
}

// sends reports whether a request may change something. A preflight asks for leave to make another
// one.
func sends(req browser.Request) bool {
	return req.Method != http.MethodGet && req.Method != http.MethodOptions
}

// bringsText reports whether a request of a kind can change the text of a page. Others are made with --requisites only.
func bringsText(kind string) bool {
	switch kind {
	case "document", "script", "xhr", "fetch", "preflight", "other":
		return true
	}
	return false
}

// isFile reports whether a request of a kind brings a file that is no page of the crawl.
func isFile(kind string) bool {
	switch kind {
	case "script", "stylesheet", "font", "image":
		return true
	}
	return false
}

// allowed reports whether robots.txt allows a URL, which is fetched first where it is not known.
func (r *rendering) allowed(ctx context.Context, u *url.URL) bool {
	if r.options.Agent == "" {
		return true
	}
	site := u.Scheme + "://" + u.Host
	r.renderings.mu.Lock()
	known := r.renderings.robots[site]
	r.renderings.mu.Unlock()
	if known == nil && u.Host == r.lease.at.Host {
		known = RobotsOf(r.lease.Note, u)
	}
	if known == nil || known.Expired(r.options.Now()) {
		at := frontier.URL{URL: u.String(), Hops: r.lease.Hops, Path: r.lease.Path}
		out, err := r.fetchRobots(ctx, leased{frontier.Lease{URL: at}, u}, nil)
		if err != nil {
			r.fatal = err
			return false
		}
		addCounters(r.counts, out.Counters)
		if known = RobotsOf(out.HostNote, u); known == nil {
			return false
		}
		r.renderings.mu.Lock()
		r.renderings.robots[site] = known
		r.renderings.mu.Unlock()
	}
	return known.Access() != fetch.RobotsUnreachable && known.Allowed(r.options.Agent, fetch.Escape(u.String()))
}

// exchange fetches and archives a URL that a page requests.
func (r *rendering) exchange(ctx context.Context, u *url.URL, req browser.Request) (*fetch.Exchange, error) {
	if err := r.pause(ctx, u.Host); err != nil {
		return nil, err
	}
	lease := leased{frontier.Lease{URL: frontier.URL{URL: u.String(), Via: r.lease.URL.URL, Hops: r.lease.Hops,
		Path: r.lease.hop(hopEmbed), Level: LevelRequisite}}, u}
	ctx = r.bounded(ctx, lease)
	if req.Method != http.MethodGet {
		ctx = fetch.WithBody(ctx, req.Method, req.Body)
	}
	ex, err := r.fetcher.Do(ctx, req.URL, req.Header)
	r.renderings.mu.Lock()
	r.renderings.last[u.Host] = time.Now()
	r.renderings.mu.Unlock()
	v := visited{lease: lease, ex: ex, err: err}
	if ex != nil {
		v.page.mime, ex.Request = ex.MediaType(), slices.Concat(ex.Request, req.Body)
	}
	r.counts[countRenderAsked]++
	if sends(req) {
		r.counts[countRenderSent]++
	}
	if r.fatal = fatal(r.crawl, err); r.fatal == nil {
		v.stored, r.fatal = r.store(v)
	}
	if r.fatal != nil {
		closeExchange(ex)
		return nil, r.fatal
	}
	addCounters(r.counts, r.counters(v, frontier.Fetched))
	line := r.line(v, false)
	if req.Method != http.MethodGet {
		line.Method = req.Method
	}
	r.tell(line)
	r.fetched = r.fetched || err == nil && !isFile(req.Kind) && u.Host == r.lease.at.Host
	if err == nil && isFile(req.Kind) && loading(lease, v.page.mime) == nil { // a style sheet is requested again, and read
		r.keys = append(r.keys, r.follower.rules(u, r.follower.typeOf(r.lease)).Key(u))
	}
	return ex, err
}

// pause waits until a host may be requested again.
func (r *rendering) pause(ctx context.Context, host string) error {
	r.renderings.mu.Lock()
	last := r.renderings.last[host]
	r.renderings.mu.Unlock()
	if host == r.lease.at.Host && last.Before(r.began) {
		last = r.began
	}
	wait := time.NewTimer(time.Until(last.Add(r.options.Rendering.Delay)))
	defer wait.Stop()
	select {
	case <-wait.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// cachedResponse returns the kept answer for a request, or nil.
func (r *rendering) cachedResponse(req browser.Request) *browser.Response {
	if req.Method != http.MethodGet {
		return nil
	}
	r.renderings.mu.Lock()
	defer r.renderings.mu.Unlock()
	return r.renderings.cached[req.URL]
}

// keep keeps an answer that later pages are likely to request too.
func (r *rendering) keep(req browser.Request, response *browser.Response) {
	if !isFile(req.Kind) {
		return
	}
	r.renderings.mu.Lock()
	defer r.renderings.mu.Unlock()
	if all := r.renderings.size + len(response.Body); response.Status == http.StatusOK && all <= mostCached {
		r.renderings.cached[req.URL], r.renderings.size = response, all
	}
}
