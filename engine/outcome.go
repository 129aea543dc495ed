package engine

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/awarc/awarc/engine/extract"
	"github.com/awarc/awarc/engine/fetch"
	"github.com/awarc/awarc/frontier"
)

// Names of the frontier's durable counters. Those ending in "/" are families.
const (
	countRequests    = CounterRequests
	countPages       = CounterPages
	countBytesIn     = CounterBytes
	countRevisits    = "revisits"
	countElsewhere   = "revisits elsewhere"
	countTriples     = "triples"
	countRequisites  = "requisites"
	countTypes       = "types/"
	countLevels      = "levels/"
	countHostPages   = "hosts/pages/"
	countKB          = "kb/"
	countObjects     = "objects/"
	countStatus      = "status/"
	countErrors      = "errors/" // of URLs that failed, by kind
	countFaults      = "faults/" // of URLs that are archived, by kind
	countMissing     = "missing/"
	countLastTries   = "last tries/requested"
	countLastAnswers = "last tries/answered"
	countOffered     = "links/offered"
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
	countLeft        = "adaptation/left/" // and the cause

	countServices       = "api/answers/" // and the service, "/" and the operation
	countServiceObjects = "api/objects/"

	countPluginCalls   = "plugins/calls/" // and the plugin's name
	countPluginErrors  = "plugins/errors/"
	countPluginTime    = "plugins/us/"
	countPluginObjects = "plugins/objects/"
	countPluginTriples = "plugins/triples/"
	countPluginLost    = "plugins/log/"   // lines over the quota of a call
	countPluginKinds   = "plugins/kinds/" // name, "/" and how the call ended
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

// kindLoggedOut is the kind of error of answers for strangers, where the crawl fetches as a member: URLs that were refused, or pages
// as anybody sees them.
const kindLoggedOut = "logged_out"

// failed gives a URL up.
func failed(kind, reason string) frontier.Outcome {
	return frontier.Outcome{State: frontier.Failed, Reason: kind + ": " + reason, Counters: map[string]int64{countErrors + kind: 1}}
}

// tryAgain retries a URL, or gives it up after its last try.
func (e *Engine) tryAgain(lease leased, kind, reason string) frontier.Outcome {
	if lease.Tries+1 >= e.options.MaxTries {
		return failed(kind, reason)
	}
	return frontier.Outcome{State: frontier.Retry, Reason: kind + ": " + reason, Counters: map[string]int64{}}
}

// errorKind names the error of an exchange for the report.
func errorKind(err error) string {
	var fe *fetch.Error
	var status statusError
	switch {
	case errors.As(err, &fe):
		return string(fe.Kind)
	case errors.As(err, &status):
		return status.kind()
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

// cutShort reports whether an answer broke off, or was too slow, and is worth asking for again. The
// last try is taken as it is.
func (e *Engine) cutShort(lease leased, ex *fetch.Exchange) bool {
	return (ex.Truncated == fetch.TruncatedDisconnect || ex.TooSlow) && lease.Tries+1 < e.options.MaxTries
}

// cutKind names the error of an answer that is truncated.
func cutKind(ex *fetch.Exchange) string {
	if ex.TooSlow {
		return string(fetch.KindSlow)
	}
	return "truncated_" + ex.Truncated
}

// outcome is what becomes of a URL, with all that is written in the transaction that ends its lease; waits is the page if its
// objects wait for a decision. The counters are exact after a crash.
func (e *Engine) outcome(v visited) (out frontier.Outcome, waits *pendingPage) {
	out = e.decision(v)
	if v.ex != nil && !retryable[v.ex.Status] {
		out.Host = frontier.HostServes
	}
	e.serviceOutcome(&out, v)
	addCounters(out.Counters, e.counters(v, out.State))
	if out.State == frontier.Fetched && v.lease.Tries >= e.options.MaxTries {
		out.Counters[countLastAnswers] = 1
	}
	nameErrors(&out)
	out.Meta = with(out.Meta, e.pluginFailures(v))
	if v.stored.RecordID != "" {
		out.Marks = v.stored.marks
	}
	out.Marks = append(out.Marks, slices.Concat(v.page.marks(), v.page.targets)...)
	e.watched(v, &out)
	if out.State != frontier.Fetched || v.ex == nil {
		e.learnFailure(v)
		return out, nil
	}
	e.rank(v)
	out.Meta = with(out.Meta, e.learnWorth(v))
	out.Meta = with(out.Meta, e.learnLayers(v))
	more, settings := e.learnWays(v, out.Links)
	out.Links, out.Meta = append(out.Links, more...), with(out.Meta, settings)
	if waits = v.pending(); waits != nil {
		out.Meta = with(out.Meta, waits.remembered())
	}
	return out, waits
}

// rank adds a fetched page with its links to the rank that is covered.
func (e *Engine) rank(v visited) {
	if e.options.Limits.Rank == nil || v.robots || IsRequisite(v.lease.Level) || v.page.fault.kind != "" || v.pending() != nil {
		return // its links may be incomplete, so it stays uncovered
	}
	if err := e.options.Limits.Rank.Fetched(v.lease.Key, keysOf(v.page.links)); err != nil {
		e.warn("the link graph of --rank-mass is not stored, so the next session covers less rank: free disk space", "error", err.Error())
	}
}

// errorsNamed begins the part of an entry's reason that names the kinds of errors it was counted for.
const errorsNamed = "; error: "

// nameErrors puts the names of the counters of faults that an outcome adds to into its reason, so that
// [Failures] finds them again.
func nameErrors(out *frontier.Outcome) {
	var names []string
	for name := range out.Counters {
		if strings.HasPrefix(name, countFaults) {
			names = append(names, name)
		}
	}
	if len(names) > 0 && (out.State == frontier.Fetched || out.State == frontier.Failed) {
		slices.Sort(names)
		out.Reason += errorsNamed + strings.Join(names, " ")
	}
}

// decision is the one place that maps the end of a visit to what becomes of the
// URL: done, retried later, or given up.
func (e *Engine) decision(v visited) frontier.Outcome {
	lease, ex, err, r := v.lease, v.ex, v.err, &v.page
	switch {
	case err != nil && hopeless(err):
		return unreached(err)
	case err != nil:
		return e.unanswered(lease, err)
	}
	if failing(ex.Status) {
		return e.mayBeDown(lease, ex)
	}
	e.outages.answered(lease.Host, lease.Key, !retryable[ex.Status])
	if e.cutShort(lease, ex) {
		out := e.tryAgain(lease, cutKind(ex), "the response broke off")
		out.IP = bareIP(ex.IP)
		return out
	}
	out := frontier.Outcome{State: frontier.Fetched, Reason: fmt.Sprintf("status %d", ex.Status), IP: bareIP(ex.IP),
		Counters: map[string]int64{}}
	if refuses(ex.Status) {
		if rest := e.rests(lease, lease.Key, statusError(ex.Status).Error()); rest != nil {
			rest.IP = bareIP(ex.IP)
			e.obey(rest, ex, lease)
			return *rest
		}
	}
	if retryable[ex.Status] {
		out = e.troubledBy(lease, statusError(ex.Status))
		out.IP = bareIP(ex.IP)
		e.obey(&out, ex, lease)
		return out
	}
	if r.excluded != "" {
		return leaveOut(r, ex)
	}
	if ex.LoggedOut != "" {
		if ex.Status != http.StatusOK {
			out = failed(kindLoggedOut, fmt.Sprintf("status %d, %s", ex.Status, ex.LoggedOut))
			out.IP = bareIP(ex.IP)
			return out
		}
		out.Reason += "; " + kindLoggedOut + ": " + ex.LoggedOut
		out.Counters[countFaults+kindLoggedOut] = 1
	}
	v.redirected(&out)
	if r.unfollowed != "" {
		out.Reason += "; its links are not followed: " + r.unfollowed
	}
	if v.away != "" {
		out.Reason += "; " + v.away
		out.Counters[countFaults+"seed_redirected_away"] = 1
	}
	out.Links, out.Exclude, out.Families, out.Meta = r.links, r.exclusions(), e.families(r.suspects), r.settings
	if t := r.page.Finding.Type; t != nil && r.isPage {
		// A seed was added before its type was known. Under the type's rules it
		// may be the page that links will lead to.
		out.Aliases = e.options.aliases(t, r.page.URL)
	}
	if v.rendered != nil {
		out.Aliases = append(out.Aliases, v.rendered.keys...)
	}
	return out
}

// redirected fails a URL that redirects in a circle, names where others lead, and counts the answers of
// seeds.
func (v *visited) redirected(out *frontier.Outcome) {
	lease, ex, to := v.lease, v.ex, v.ex.Redirect()
	switch {
	case lease.Redirects >= maxRedirects && to != "":
		*out = failed("redirect_loop", fmt.Sprintf("more than %d redirects in a row", maxRedirects))
	case lease.Seed && to != "" && len(v.page.links) == 0:
		*out = failed("redirect_loop", "the seed redirects to itself or to an invalid URL: "+to)
	case lease.Seed && ex.Status >= http.StatusBadRequest:
		out.Counters[fmt.Sprintf("%sseed_http_%d", countFaults, ex.Status)] = 1
	case lease.Seed && (ex.Status < http.StatusMultipleChoices || v.earlier != nil):
		out.Counters[countSeedsGood] = 1
	}
	if to != "" && out.State == frontier.Fetched {
		out.Reason += redirectsTo + to
	}
}

// unreached gives a URL up that cannot be asked for.
func unreached(err error) frontier.Outcome {
	out := failed(errorKind(err), err.Error())
	out.NoRequest = isPrivate(err)
	return out
}

// unanswered decides after an exchange without an answer whether that counts as a try of the URL.
func (e *Engine) unanswered(lease leased, err error) frontier.Outcome {
	if known := RobotsOf(lease.Note, lease.at); known != nil && known.Access() != fetch.RobotsUnreachable {
		e.outages.known(lease.Host) // also from a session before
	}
	counts, down := e.outages.failed(lease.Host, lease.Key, err, wasSent(err), lease.Health.Refusals > 0)
	switch {
	case counts && e.outages.knows(lease.Host):
		return e.troubledBy(lease, err)
	case counts:
		return e.tryAgain(lease, errorKind(err), err.Error())
	case down:
		return e.isDown(lease, err)
	}
	return frontier.Outcome{State: frontier.Defer, Reason: "its host may be down: " + err.Error(), Counters: map[string]int64{}}
}

// mayBeDown decides after an answer that may mean that the host is down, as after none.
func (e *Engine) mayBeDown(lease leased, ex *fetch.Exchange) frontier.Outcome {
	e.outages.known(lease.Host)
	cause := statusError(ex.Status)
	out := frontier.Outcome{State: frontier.Defer, Reason: "its host may be down: " + cause.Error(), Counters: map[string]int64{}}
	if counts, _ := e.outages.failed(lease.Host, lease.Key, cause, true, lease.Health.Refusals > 0); counts {
		out = e.troubledBy(lease, cause)
	}
	out.IP = bareIP(ex.IP)
	e.obey(&out, ex, lease)
	return out
}

// obey takes the wait that a server asks for with Retry-After over, for the URL and for its whole host. One answer is
// evidence of one URL: of a long wait the host gets at first no more than robots.txt may ask for, and the URL an hour; each
// further one doubles it.
func (e *Engine) obey(out *frontier.Outcome, ex *fetch.Exchange, lease leased) {
	asked := min(fetch.RetryAfter(ex.Header, e.options.Now()), longestRetryAfter)
	if asked <= 0 {
		return
	}
	wait := e.outages.grant(lease.Host, asked, e.options.MaxCrawlDelay)
	if asked >= longWait {
		e.warn("a server requests a long wait", "url", ex.URL, "asked", asked.String(), "host waits", wait.String())
	}
	if until := e.options.Now().Add(wait); until.After(out.HostNotBefore) {
		out.HostNotBefore = until
	}
	if out.State == frontier.Retry || out.State == frontier.Defer {
		out.RetryAfter = max(out.RetryAfter, wait, min(asked, firstRetryAfter<<min(lease.Tries, 5)))
	}
}

// redirectsTo stands in the reason of a URL before the target of its redirect.
const redirectsTo = ", redirects to "

// counters are what an exchange adds to the durable counters.
func (e *Engine) counters(v visited, state frontier.State) map[string]int64 {
	c := map[string]int64{countTriples: int64(v.stored.triples)}
	if v.ex != nil || v.err != nil && wasSent(v.err) {
		c[countRequests] = 1
	}
	if v.stored.RefersTo != "" {
		c[countRevisits] = 1
	}
	if v.stored.Elsewhere {
		c[countElsewhere] = 1
	}
	if ex := v.ex; ex != nil {
		c[countBytesIn] = ex.Size
		e.bytes.Add(ex.Size)
		c[fmt.Sprint(countStatus, ex.Status)] = 1
		if IsRequisite(v.lease.Level) && ex.Status == http.StatusOK {
			c[countRequisites] = 1
		}
		if IsRequisite(v.lease.Level) && ex.Status >= http.StatusBadRequest && state == frontier.Fetched {
			c[countSuspects+SuspectRequisite] = 1
		}
		// What robots.txt has beyond the bound nobody reads; that is no failure of the crawl.
		if ex.Truncated != "" && state != frontier.Retry && state != frontier.Excluded &&
			!(v.robots && ex.Truncated == fetch.TruncatedLength) {
			c[countFaults+cutKind(ex)] = 1
		}
	}
	r := &v.page
	addCounters(c, r.counters)
	if r.fault.kind != "" {
		c[countFaults+r.fault.kind]++
	}
	if l := r.labels(); r.isPage && v.stored.RecordID != "" {
		c[countPages] = 1
		if e.hosts.counts(v.lease.Host) {
			c[countHostPages+v.lease.Host] = 1
		}
		c[countKB+r.kb] = 1
		e.pages.Add(1)
		if l.typ != "" {
			c[countTypes+l.typ] = 1
		}
		if l.level != "" {
			c[countLevels+l.typ+"/"+l.level] = 1
		}
	}
	addCounters(c, r.mended.counters())
	addCounters(c, pluginCounters(r.assessed))
	addCounters(c, harvestCounters(&r.page.Harvest))
	return c
}

// addCounters adds counters to others.
func addCounters(to, more map[string]int64) {
	for name, n := range more {
		to[name] += n
	}
}

// objectMarks count the objects of a harvest, each once however many pages show it.
func objectMarks(h *extract.Harvest) (marks []frontier.Mark) {
	for _, o := range h.All() {
		marks = append(marks, frontier.Mark{Key: o.Class + " " + o.ID, Counter: countObjects + o.Class, Title: o.Value("title")})
	}
	return marks
}

// marks count the objects of an answer; those that a service was the first to tell of apart.
func (r *pageResult) marks() []frontier.Mark {
	marks := objectMarks(&r.page.Harvest)
	if r.service != nil {
		for i, o := range r.page.Harvest.Objects {
			marks[i].Counter = countServiceObjects + o.Class
		}
	}
	return marks
}

// harvestCounters count what is not in a harvest, and should be.
func harvestCounters(h *extract.Harvest) map[string]int64 {
	c := map[string]int64{}
	if h.Cut {
		c[countFaults+"page_cut"] = 1
	}
	if n := len(h.SameID()); n > 0 {
		c[countFaults+"same_id"] = int64(n)
	}
	for _, m := range h.Misses {
		c[countMissing+m.Object+"."+m.Field]++
	}
	return c
}
