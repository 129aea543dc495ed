package engine

import (
	"bytes"
	"context"
	"fmt"
	"net/url"
	"strings"
	"time"

	"github.com/awarc/awarc/engine/extract"
	"github.com/awarc/awarc/engine/fetch"
	"github.com/awarc/awarc/frontier"
)

// robots decides whether a lease may be fetched now. nil means yes; otherwise
// the outcome says what becomes of the lease: deferred, because robots.txt was
// fetched first; excluded; or to be retried, because the server could not say.
func (e *Engine) robots(ctx context.Context, lease leased) (*frontier.Outcome, error) {
	if e.options.Agent == "" {
		return nil, nil
	}
	u := lease.at
	known, now := RobotsOf(lease.Note, u), e.options.Now()
	switch {
	case known == nil || known.Expired(now),
		known.Access() == fetch.RobotsUnreachable && known.Fetched().Before(e.failuresSince()):
		return e.fetchRobots(ctx, lease, known)
	case known.Access() == fetch.RobotsUnreachable && lease.Tries > 0 && now.Sub(known.Fetched()) >= robotsAgain:
		return e.fetchRobots(ctx, lease, known)
	case known.Access() == fetch.RobotsUnreachable && lease.Health.Refusals > 0:
		return e.fetchRobots(ctx, lease, known)
	case known.Access() == fetch.RobotsUnreachable:
		out := e.tryAgain(lease, "robots_unreachable", "robots.txt of "+u.Host+" is unavailable")
		out.NoRequest = true
		return &out, nil
	case !known.Allowed(e.options.Agent, fetch.Escape(lease.URL.URL)):
		out := frontier.Outcome{State: frontier.Excluded, Reason: robotsOf + u.Host + " forbids it to " + e.options.Agent,
			NoRequest: true,
			Counters:  map[string]int64{countExcluded: 1}}
		if lease.Seed {
			out.Counters[countFaults+"seed_excluded_by_robots"] = 1
			e.warn("robots.txt forbids a seed", "url", lease.URL.URL)
		}
		return &out, nil
	}
	return nil, nil
}

// robotsOf begins the reason of what a robots.txt excludes.
const robotsOf = "robots.txt of "

func excludedByRobots(reason string) bool { return strings.HasPrefix(reason, robotsOf) }

// robotsAgain is the least time between two tries to get an unreachable
// robots.txt, however many URLs of its host wait for it.
const robotsAgain = 4 * time.Second

// A host's note holds the robots.txt of each scheme, since http and https of one
// authority are two sites (RFC 9309, 2.3): a line with the scheme and the length
// in bytes, then as many bytes of fetch's form.
func eachRobots(note []byte, fn func(scheme string, part []byte)) {
	for len(note) > 0 {
		line, rest, _ := bytes.Cut(note, []byte{'\n'})
		var scheme string
		var n int
		if _, err := fmt.Sscanf(string(line), "%s %d", &scheme, &n); err != nil || n < 0 || n > len(rest) {
			return // asked for again
		}
		fn(scheme, rest[:n])
		note = rest[n:]
	}
}

// RobotsOf returns the robots.txt in the frontier's note of a host, for a
// URL, or nil.
func RobotsOf(note []byte, u *url.URL) (known *fetch.Robots) {
	eachRobots(note, func(scheme string, part []byte) {
		if scheme != u.Scheme {
			return
		}
		if r, err := fetch.UnmarshalRobots(part); err == nil {
			known = r
		}
	})
	return known
}

// withRobots gives the note with the robots.txt of one scheme replaced.
func withRobots(note []byte, scheme string, r *fetch.Robots) []byte {
	part := r.Marshal()
	out := append(fmt.Appendf(nil, "%s %d\n", scheme, len(part)), part...)
	eachRobots(note, func(other string, part []byte) {
		if other != scheme {
			out = append(fmt.Appendf(out, "%s %d\n", other, len(part)), part...)
		}
	})
	return out
}

// maxRobotsBody bounds what is fetched of a robots.txt, in bytes on the wire: more than MaxRobotsSize of it says nothing to
// anybody, but what a server really sends is worth archiving.
const maxRobotsBody = 4 * fetch.MaxRobotsSize

// fetchRobots fetches robots.txt as a prerequisite, redirects included, each
// hop a capture of its own, and defers the lease.
func (e *Engine) fetchRobots(ctx context.Context, lease leased, before *fetch.Robots) (*frontier.Outcome, error) {
	out := frontier.Outcome{State: frontier.Defer, Counters: map[string]int64{}}
	target := robotsURL(lease.at)
	var answer *fetch.Robots
	var cause error
	moved, status := 0, 0 // of the last redirect, and of the answer
	ctx = fetch.WithMaxBody(ctx, maxRobotsBody)
	for hop := 0; answer == nil; hop++ {
		a, err := e.robotsHop(ctx, &out, lease, target, hop)
		if err != nil {
			return nil, err
		}
		if cause = a.err; hop == 0 && isPrivate(cause) {
			refused := unreached(cause)
			return &refused, nil
		}
		if to := extract.Resolve(target, a.next); to != "" && hop < fetch.MaxRobotsRedirects {
			target, moved = parseURL(to), a.status
			continue
		}
		switch {
		case isPrivate(cause):
			// It redirects to where the crawl may not go, as if it had redirected too often.
			a.status, cause = moved, nil
			out.Counters[countFaults+string(fetch.KindPrivate)]++
		case cause != nil:
			a.status = 0
		}
		status = a.status
		answer = fetch.ParseRobots(a.status, a.body, e.options.Now()).After(before)
	}
	out.HostNote = withRobots(lease.Note, lease.at.Scheme, answer)
	out.HostDelay = e.crawlDelay(lease.at.Host, answer)
	if answer.Access() != fetch.RobotsUnreachable {
		out.Links = e.sitemaps(lease, answer.Sitemaps())
		return &out, nil
	}
	if rest := e.robotsRefused(lease, status); rest != nil {
		rest.HostNote, rest.IP = out.HostNote, out.IP
		if out.HostNotBefore.After(rest.HostNotBefore) {
			rest.HostNotBefore = out.HostNotBefore
		}
		addCounters(rest.Counters, out.Counters)
		return rest, nil
	}
	kind, reason := "robots_unreachable", "robots.txt of "+lease.at.Host+" is unavailable"
	if cause != nil {
		kind, reason = errorKind(cause), cause.Error()
	}
	again := e.tryAgain(lease, kind, reason)
	again.HostNote, again.IP, again.HostDelay, again.HostNotBefore = out.HostNote, out.IP, out.HostDelay, out.HostNotBefore
	addCounters(again.Counters, out.Counters)
	return &again, nil
}

// robotsAnswer is what one hop on the way to a robots.txt gave.
type robotsAnswer struct {
	status int
	body   []byte // of an answer that is no redirect
	next   string // address that it redirects to
	err    error  // there was no answer
}

// robotsHop asks for a robots.txt at one address and archives the answer, with what follows for the host and the counters in out.
func (e *Engine) robotsHop(ctx context.Context, out *frontier.Outcome, lease leased, target *url.URL, hop int) (a robotsAnswer, err error) {
	l := prerequisite(lease, target)
	l.Tries = lease.Tries
	var ex *fetch.Exchange
	ex, a.err = e.fetcher.Do(ctx, l.URL.URL, nil)
	defer closeExchange(ex)
	if err := fatal(ctx, a.err); err != nil {
		return a, err
	}
	v := visited{lease: l, ex: ex, err: a.err}
	if hop == 0 && isPrivate(a.err) {
		e.tell(e.line(v, false)) // the page is on that host, too
		return a, nil
	}
	if ex != nil {
		if a.status, a.next = ex.Status, ex.Redirect(); a.next == "" {
			a.body, _ = ex.Body(fetch.MaxRobotsSize + 1) // of a broken body what came counts
		}
		if target.Host == lease.at.Host {
			out.IP = bareIP(ex.IP)
		}
	}
	if err := e.keepRobots(out, v); err != nil {
		return a, err
	}
	if ex != nil && retryable[ex.Status] {
		e.obey(out, ex, lease)
	}
	return a, nil
}

func robotsURL(page *url.URL) *url.URL {
	return &url.URL{Scheme: page.Scheme, Host: page.Host, Path: "/robots.txt"}
}

// prerequisite is a URL that is asked for before the leased one.
func prerequisite(lease leased, u *url.URL) leased {
	at := frontier.URL{URL: u.String(), Via: lease.URL.URL, Hops: lease.Hops, Path: lease.hop(hopPrerequisite)}
	return leased{frontier.Lease{URL: at}, u}
}

// keepRobots archives an exchange for a robots.txt, or says in the log that it failed, and counts it in out.
func (e *Engine) keepRobots(out *frontier.Outcome, v visited) (err error) {
	v.robots = true
	v.stored, err = e.store(v)
	addCounters(out.Counters, e.counters(v, out.State))
	e.tell(e.line(v, false))
	return err
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
		e.warn("robots.txt has a longer Crawl-delay than awarc accepts", "host", host, "asked", d.String(), "granted",
			e.options.MaxCrawlDelay.String())
		return e.options.MaxCrawlDelay
	}
	return d
}
