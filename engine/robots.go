package engine

import (
	"context"
	"net/url"
	"strings"
	"time"

	"github.com/awarc/awarc/engine/fetch"
	"github.com/awarc/awarc/frontier"
)

// robots decides whether a lease may be fetched now. nil means yes; otherwise
// the outcome says what becomes of the lease: deferred, because robots.txt was
// fetched first; excluded; or to be retried, because the server could not say.
func (e *Engine) robots(ctx context.Context, lease frontier.Lease) (*frontier.Outcome, error) {
	if e.options.Agent == "" {
		return nil, nil
	}
	u := parseURL(lease.URL.URL)
	known := e.knownRobots(lease.Note)
	switch {
	case known == nil || known.Expired(e.options.Now()):
		return e.fetchRobots(ctx, lease, u, known)
	case known.Access() == fetch.RobotsUnreachable && lease.Tries > 0:
		return e.fetchRobots(ctx, lease, u, known)
	case known.Access() == fetch.RobotsUnreachable:
		out := e.tryAgain(lease, "robots_unreachable", "robots.txt of "+u.Host+" cannot be had")
		out.NoRequest = true
		return &out, nil
	case !known.Allowed(e.options.Agent, lease.URL.URL):
		out := frontier.Outcome{State: frontier.Excluded, Reason: "robots.txt of " + u.Host + " forbids it to " + e.options.Agent, NoRequest: true,
			Counters: map[string]int64{countExcluded: 1}}
		if lease.Seed {
			out.Counters[countErrors+"seed_excluded_by_robots"] = 1
			e.warn("robots.txt forbids a seed", "url", lease.URL.URL)
		}
		return &out, nil
	}
	return nil, nil
}

func (e *Engine) knownRobots(note []byte) *fetch.Robots {
	if len(note) == 0 {
		return nil
	}
	r, err := fetch.UnmarshalRobots(note)
	if err != nil {
		return nil // asked for again
	}
	return r
}

// fetchRobots fetches robots.txt as a prerequisite, redirects included, each
// hop a capture of its own, and defers the lease.
func (e *Engine) fetchRobots(ctx context.Context, lease frontier.Lease, page *url.URL, before *fetch.Robots) (*frontier.Outcome, error) {
	out := frontier.Outcome{State: frontier.Defer, Counters: map[string]int64{}}
	target := &url.URL{Scheme: page.Scheme, Host: page.Host, Path: "/robots.txt"}
	var answer *fetch.Robots
	var cause error
	for hop := 0; answer == nil; hop++ {
		l := frontier.Lease{URL: frontier.URL{URL: target.String(), Via: lease.URL.URL, Hops: lease.Hops}, Tries: lease.Tries}
		ex, err := e.fetcher.Do(ctx, l.URL.URL, nil)
		if ferr := fatal(ctx, err); ferr != nil {
			closeExchange(ex)
			return nil, ferr
		}
		cause = err
		status, next := 0, ""
		var body []byte
		if ex != nil {
			if status, next = ex.Status, ex.Redirect(); next == "" {
				body, _ = ex.Body(fetch.MaxRobotsSize + 1) // of a broken body what came counts
			}
		}
		s := e.seen(l, ex, err)
		s.Robots = true
		err = e.keep(&s, l, ex, nil)
		e.count(&out, ex, nil, s)
		e.tell(s)
		if ex != nil {
			out.IP = bareIP(ex.IP)
		}
		closeExchange(ex)
		if err != nil {
			return nil, err
		}
		if to, err := target.Parse(next); next != "" && err == nil && hop < fetch.MaxRobotsRedirects && strings.HasPrefix(to.Scheme, "http") {
			target = to
			continue
		}
		if cause != nil {
			status = 0
		}
		answer = fetch.ParseRobots(status, body, e.options.Now()).After(before)
	}
	out.HostNote = answer.Marshal()
	out.HostDelay = e.crawlDelay(page.Host, answer)
	if answer.Access() == fetch.RobotsUnreachable {
		kind, reason := "robots_unreachable", "robots.txt of "+page.Host+" cannot be had"
		if cause != nil {
			kind, reason = errorKind(cause), cause.Error()
		}
		again := e.tryAgain(lease, kind, reason)
		again.HostNote, again.IP, again.HostDelay = out.HostNote, out.IP, out.HostDelay
		for name, n := range out.Counters {
			again.Counters[name] += n
		}
		return &again, nil
	}
	return &out, nil
}

func closeExchange(ex *fetch.Exchange) {
	if ex != nil {
		_ = ex.Close() // it is archived; what is left is a temporary file
	}
}

// crawlDelay is the wait that a robots.txt asks for, bounded, as the frontier
// wants it: negative takes an earlier wish back.
func (e *Engine) crawlDelay(host string, r *fetch.Robots) time.Duration {
	d := r.CrawlDelay(e.options.Agent)
	switch {
	case d <= 0:
		return -1
	case d > e.options.MaxCrawlDelay:
		e.warn("robots.txt asks for a longer Crawl-delay than is granted", "host", host, "asked", d.String(), "granted", e.options.MaxCrawlDelay.String())
		return e.options.MaxCrawlDelay
	}
	return d
}
