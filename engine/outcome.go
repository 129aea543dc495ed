package engine

import (
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/awarc/awarc/engine/extract"
	"github.com/awarc/awarc/engine/fetch"
	"github.com/awarc/awarc/frontier"
)

// Names of the frontier's durable counters. Those ending in "/" are families.
const (
	countRequests    = "requests"
	countPages       = "pages"
	countBytesIn     = "bytes_in"
	countRevisits    = "revisits"
	countTriples     = "triples"
	countTypes       = "types/"
	countLevels      = "levels/"
	countKB          = "kb/"
	countObjects     = "objects/"
	countStatus      = "status/"
	countErrors      = "errors/"
	countMissing     = "missing/"
	countCandidates  = "links/candidates"
	countSkipped     = "links/skipped_by_kb"
	countOutOfScope  = "links/out_of_scope"
	countExcluded    = "links/excluded_by_robots"
	countBlacklisted = "links/blacklisted"
	countSeedsGood   = "seeds/good"
	countAttempted   = "adaptation/attempted"
	countTried       = "adaptation/tried"
	countConfirmed   = "adaptation/confirmed"
	countPersisted   = "adaptation/persisted"
	countFailed      = "adaptation/failed"
	countReread      = "adaptation/reread"

	countPluginCalls  = "plugins/calls/" // and the plugin's name
	countPluginErrors = "plugins/errors/"
	countPluginTime   = "plugins/us/"
	countPluginKinds  = "plugins/kinds/" // name, "/" and how the call ended
)

// retryable are the statuses after which asking again is sensible: those that
// say "later" (RFC 9110).
var retryable = map[int]bool{
	http.StatusRequestTimeout: true, http.StatusTooEarly: true, http.StatusTooManyRequests: true, http.StatusInternalServerError: true,
	http.StatusBadGateway: true, http.StatusServiceUnavailable: true, http.StatusGatewayTimeout: true,
}

const (
	// longestRetryAfter bounds what a server may ask for, firstRetryAfter what it gets for a URL when it asks first.
	longestRetryAfter = 24 * time.Hour
	firstRetryAfter   = time.Hour
	// longWait is what the operator is told of.
	longWait = time.Minute
)

// failed gives a URL up.
func failed(kind, reason string) frontier.Outcome {
	return frontier.Outcome{State: frontier.Failed, Reason: kind + ": " + reason, Counters: map[string]int64{countErrors + kind: 1}}
}

// tryAgain retries a URL, or gives it up after its last try.
func (e *Engine) tryAgain(lease frontier.Lease, kind, reason string) frontier.Outcome {
	if lease.Tries+1 >= e.options.MaxTries {
		return failed(kind, reason)
	}
	return frontier.Outcome{State: frontier.Retry, Reason: kind + ": " + reason, Counters: map[string]int64{}}
}

// errorKind names the error of an exchange for the report.
func errorKind(err error) string {
	var fe *fetch.Error
	if errors.As(err, &fe) {
		return string(fe.Kind)
	}
	return "other"
}

// isPrivate reports whether the guard of the fetcher refused the address.
func isPrivate(err error) bool { return errorKind(err) == string(fetch.KindPrivate) }

// hopeless are kinds of errors that a later try cannot mend.
func hopeless(err error) bool {
	switch fetch.Kind(errorKind(err)) {
	case fetch.KindBlocked, fetch.KindPrivate, fetch.KindProtocol, fetch.KindTLS:
		return true
	}
	return false
}

// wasSent reports whether an exchange that failed had sent its request.
func wasSent(err error) bool {
	var fe *fetch.Error
	return errors.As(err, &fe) && (fe.Op == "write" || fe.Op == "header")
}

// cutShort reports whether the connection broke off within an answer that is worth
// asking for again. The last try is taken as it is.
func (e *Engine) cutShort(lease frontier.Lease, ex *fetch.Exchange) bool {
	return ex.Truncated == fetch.TruncatedDisconnect && lease.Tries+1 < e.options.MaxTries
}

// outcome is the one place that maps the end of a visit to what becomes of the
// URL: done, retried later, or given up.
func (e *Engine) outcome(lease frontier.Lease, ex *fetch.Exchange, err error, r *reading) frontier.Outcome {
	switch {
	case err != nil && hopeless(err):
		return unreached(err)
	case err != nil:
		return e.unanswered(lease, err)
	}
	e.outages.answered(lease.Host, lease.Key, !retryable[ex.Status])
	if e.cutShort(lease, ex) {
		out := e.tryAgain(lease, "truncated_"+ex.Truncated, "the answer broke off")
		out.IP = bareIP(ex.IP)
		return out
	}
	out := frontier.Outcome{State: frontier.Fetched, Reason: fmt.Sprintf("status %d", ex.Status), IP: bareIP(ex.IP), Counters: map[string]int64{}}
	if retryable[ex.Status] {
		out = e.tryAgain(lease, fmt.Sprintf("http_%d", ex.Status), http.StatusText(ex.Status))
		out.IP = bareIP(ex.IP)
		e.obey(&out, ex, lease)
		return out
	}
	if r.excluded != "" {
		return leaveOut(r, ex)
	}
	switch {
	case lease.Redirects >= maxRedirects && ex.Redirect() != "":
		out = failed("redirect_loop", fmt.Sprintf("more than %d redirects in a row", maxRedirects))
	case lease.Seed && ex.Redirect() != "" && len(r.links) == 0:
		out = failed("redirect_loop", "the seed redirects to itself, or to what cannot be fetched: "+ex.Redirect())
	case lease.Seed && ex.Status >= http.StatusBadRequest:
		out.Counters[fmt.Sprintf("%sseed_http_%d", countErrors, ex.Status)] = 1
	case lease.Seed && ex.Status < http.StatusMultipleChoices:
		out.Counters[countSeedsGood] = 1
	}
	if r.unfollowed != "" {
		out.Reason += "; its links are not followed: " + r.unfollowed
	}
	if r.away != "" {
		out.Reason += "; " + r.away
		out.Counters[countErrors+"seed_redirected_away"] = 1
	}
	out.Links, out.Exclude, out.Families = r.links, r.exclude, e.families(r.suspects)
	if r.meta != nil {
		out.Meta = r.meta
	}
	if t := r.page.Finding.Type; t != nil && r.isPage {
		// A seed was added before its type was known. Under the type's rules it
		// may be the page that links will lead to.
		if key := t.URLs.Key(r.page.URL); key != lease.Key {
			out.Aliases = []string{key}
		}
	}
	return out
}

// unreached gives a URL up that cannot be asked for.
func unreached(err error) frontier.Outcome {
	out := failed(errorKind(err), err.Error())
	out.NoRequest = isPrivate(err)
	return out
}

// unanswered decides after an exchange without an answer whether that counts as a try of the URL.
func (e *Engine) unanswered(lease frontier.Lease, err error) frontier.Outcome {
	if known := RobotsOf(lease.Note, parseURL(lease.URL.URL)); known != nil && known.Access() != fetch.RobotsUnreachable {
		e.outages.known(lease.Host) // also from a session before
	}
	counts, pause := e.outages.failed(lease.Host, lease.Key, err, wasSent(err))
	if counts {
		return e.tryAgain(lease, errorKind(err), err.Error())
	}
	out := frontier.Outcome{State: frontier.Defer, Reason: "its host may be down: " + err.Error(), Counters: map[string]int64{}}
	e.rest(&out, lease, pause, err)
	return out
}

// obey takes the wait that a server asks for with Retry-After over, for the URL and for its whole host. One answer is
// evidence of one URL: of a long wait the host gets at first no more than robots.txt may ask for, and the URL an hour; each
// further one doubles it.
func (e *Engine) obey(out *frontier.Outcome, ex *fetch.Exchange, lease frontier.Lease) {
	asked := min(fetch.RetryAfter(ex.Header, e.options.Now()), longestRetryAfter)
	if asked <= 0 {
		return
	}
	wait := e.outages.grant(lease.Host, asked, e.options.MaxCrawlDelay)
	if asked >= longWait {
		e.warn("a server asks for a long wait", "url", ex.URL, "asked", asked.String(), "host waits", wait.String())
	}
	out.HostNotBefore = e.options.Now().Add(wait)
	if out.State == frontier.Retry {
		out.RetryAfter = max(wait, min(asked, firstRetryAfter<<min(lease.Tries, 5)))
	}
}

// count adds what the exchange means to the durable counters, in the outcome's
// transaction: they are exact after a crash.
func (e *Engine) count(out *frontier.Outcome, ex *fetch.Exchange, r *reading, s Exchanged) {
	c := out.Counters
	if ex != nil || s.sent {
		c[countRequests]++
	}
	c[countTriples] += int64(s.Triples)
	if s.Revisit != "" {
		c[countRevisits]++
	}
	if ex != nil {
		c[countBytesIn] += ex.Size
		e.bytes.Add(ex.Size)
		c[fmt.Sprint(countStatus, ex.Status)]++
		// What robots.txt has beyond the bound nobody reads; that is no failure of the crawl.
		if ex.Truncated != "" && out.State != frontier.Retry && out.State != frontier.Excluded && !(s.Robots && ex.Truncated == fetch.TruncatedLength) {
			c[countErrors+"truncated_"+ex.Truncated]++
		}
	}
	if r == nil {
		return
	}
	c[countCandidates] += r.tally.candidates
	c[countSkipped] += r.tally.skippedByKB
	c[countOutOfScope] += r.tally.outOfScope
	for name, n := range r.refused {
		c[name] += n
	}
	for rule, n := range r.rules {
		c[rule] += n
	}
	if r.fault != "" {
		c[countErrors+r.kind]++
	}
	if r.isPage && s.Record != "" {
		c[countPages]++
		c[countKB+r.kb]++
		e.pages.Add(1)
		if s.Type != "" {
			c[countTypes+s.Type]++
		}
		if s.Level != "" {
			c[countLevels+s.Type+"/"+s.Level]++
		}
	}
	r.countAdaptation(c)
	r.judged.addTo(c)
	if s.Record != "" {
		r.judged.mark(out)
	}
	e.countHarvest(out, &r.page.Harvest)
}

func (e *Engine) countHarvest(out *frontier.Outcome, h *extract.Harvest) {
	for _, o := range h.Objects {
		out.Marks = append(out.Marks, frontier.Mark{Key: o.Class + " " + o.ID, Counter: countObjects + o.Class, Title: o.Value("title")})
	}
	if h.Cut {
		out.Counters[countErrors+"page_cut"]++
	}
	for _, m := range h.Misses {
		out.Counters[countMissing+m.Object+"."+m.Field]++
	}
}
