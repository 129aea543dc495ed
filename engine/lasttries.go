package engine

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/awarc/awarc/engine/fetch"
	"github.com/awarc/awarc/frontier"
)

// maxRetryDelay bounds the wait between two tries of a URL.
const maxRetryDelay = time.Hour

// lastTry ends the reason of a URL that failed in its further try, too.
const lastTry = ", also at the end of the crawl"

// troubledBy retries a URL that failed while its host answers other URLs, so the cause is the URL
// and not the host. After the last try the URL fails.
func (e *Engine) troubledBy(lease leased, cause error) frontier.Outcome {
	kind := errorKind(cause)
	reason := strings.TrimPrefix(cause.Error(), kind+": ")
	if lease.Tries >= e.options.MaxTries {
		reason += lastTry
	}
	out := e.tryAgain(lease, kind, reason)
	if out.State == frontier.Retry {
		out.RetryAfter = e.options.RetryDelay
		for n := 0; n < lease.Tries && out.RetryAfter < maxRetryDelay; n++ {
			out.RetryAfter = min(2*out.RetryAfter, maxRetryDelay)
		}
	}
	return out
}

// lastTries requests failed URLs once more when nothing else is left, if their host answers other
// URLs. The frontier stores the tries of each URL, so a killed crawl grants no second extra try.
type lastTries struct {
	*Engine
	searched int64 // requests of the crawl at the last search, and 1; 0 before
}

// search makes the URLs pending that failed since the last search. It reports whether there may be
// something to fetch, also because another node made these URLs pending.
func (l *lastTries) search(ctx context.Context) (more bool, err error) {
	e := l.Engine
	if e.options.RetryDelay == 0 || ctx.Err() != nil {
		return false, nil
	}
	counters := e.frontier.Counters()
	requests := counters[countRequests] + 1
	none := len(family(counters, countErrors)) == 0 && counters[countLastTries] == 0
	if none || requests == l.searched {
		return false, nil
	}
	l.searched = requests
	again := 0
	var some []frontier.Requeue
	flush := func() error {
		n, err := e.frontier.Again(ctx, some, "it failed and is retried at the end of the crawl")
		some, again = nil, again+n
		return err
	}
	err = e.frontier.Each(frontier.Failed, func(x frontier.Entry) error {
		if x.Tries != e.options.MaxTries || !e.isTroubled(x) {
			return nil
		}
		counters := UncountFailed(x, nil)
		counters[countLastTries] = 1
		some = append(some, frontier.Requeue{Key: x.Key, Settled: x.Settled, Tries: x.Tries, NotBefore: x.Settled.Add(e.options.RetryDelay),
			Counters: counters})
		if len(some) < lastTriesAtOnce {
			return nil
		}
		return flush()
	})
	if err == nil && len(some) > 0 {
		err = flush()
	}
	switch {
	case ctx.Err() != nil:
		return false, nil // they have their further try in the next session
	case err != nil:
		return false, fmt.Errorf("retrying failed URLs: %w", err)
	case again > 0:
		e.warn("only failed URLs are left; they are retried once", "urls", again)
	}
	return true, nil
}

// lastTriesAtOnce bounds the entries of one change of the frontier.
const lastTriesAtOnce = 1000

// isTroubled reports whether a URL failed for a reason of its own, which may be over by now.
func (e *Engine) isTroubled(x frontier.Entry) bool {
	kind, _, _ := strings.Cut(x.Reason, ":")
	var status int
	if n, _ := fmt.Sscanf(kind, "http_%d", &status); n == 1 {
		return retryable[status]
	}
	switch fetch.Kind(kind) {
	case fetch.KindTimeout, fetch.KindReset, fetch.KindRefused, fetch.KindUnreachable:
		host, err := frontier.HostOf(x.URL.URL)
		known := RobotsOf(e.frontier.Note(host), parseURL(x.URL.URL))
		return err == nil && known != nil && known.Access() != fetch.RobotsUnreachable
	}
	return false
}
