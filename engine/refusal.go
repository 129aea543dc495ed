package engine

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"time"

	"github.com/awarc/awarc/engine/fetch"
	"github.com/awarc/awarc/frontier"
)

const (
	// defaultPatience is how long a host may refuse all requests before its URLs fail: longer than a
	// restart or a nightly backup takes, short enough that an abandoned site ends the same day.
	defaultPatience = 2 * time.Hour
	// maxRefused bounds the memory of the URLs that one host refused in a row.
	maxRefused = 1000
	// Recovery takes this many answers; a refusal undoes half of it (AIMD). Arbitrary.
	recoveryAnswers = 200
	// loneRefusals in a row of one URL, of a host that served others and has nothing else to request,
	// are the URL's own trouble. Arbitrary: half a minute of rests.
	loneRefusals = 6
)

// refusal is the state of a host that answers "not now" (429, 503, or 5xx for robots.txt). It is a
// state of the host: the host rests, and the refused URL loses no try.
type refusal struct {
	row   int            // refusals since the last answer with content
	since time.Time      // of the first of them
	urls  map[string]int // refusals in the row by key
	over  bool           // it refused for longer than the patience

	last time.Time     // of the last answer with content
	gap  time.Duration // average time between answers while the host served
	slow time.Duration // least wait between requests that refusals taught; 0 for none
	step time.Duration // by which an answer lowers it
}

// refuses reports whether an answer is about the host and not about the URL.
func refuses(status int) bool {
	return status == http.StatusTooManyRequests || status == http.StatusServiceUnavailable
}

// failing reports whether an answer may be about the host: after several in a row a probe decides.
func failing(status int) bool {
	return status == http.StatusInternalServerError || status == http.StatusBadGateway || status == http.StatusGatewayTimeout
}

// refused notes that a host refused the URL with a key. counts is set if the host answers other URLs,
// so that the refusal is the URL's own trouble; over, if the patience with the host is at its end.
// Otherwise the host rests for pause, and the URL for again if that is longer.
func (o *outages) refused(host, key string, now time.Time) (counts, over bool, pause, again time.Duration) {
	o.mu.Lock()
	defer o.mu.Unlock()
	h := o.of(host)
	r := &h.refusal
	if h.suspects[key] || len(r.urls) == 1 && r.urls[key] >= loneRefusals && !r.last.IsZero() {
		h.suspects[key] = true
		return true, false, 0, 0
	}
	if r.row == 0 {
		r.since = now
		if !r.last.IsZero() {
			r.slow = max(r.slow, r.gap, o.unit()/20) * 3 / 2
			r.step = r.slow / recoveryAnswers
		}
	}
	if r.urls == nil || len(r.urls) >= maxRefused {
		r.urls = map[string]int{}
	}
	r.row++
	r.urls[key]++
	if r.over = now.Sub(r.since) >= o.patience; r.over {
		return false, true, 0, 0
	}
	pause = o.unit()
	for n := 1; n < r.row && pause < maxPause; n++ {
		if n < 3 {
			pause *= 2
		} else {
			pause = pause * 7 / 5
		}
	}
	pause = min(pause, maxPause)
	pause += time.Duration((rand.Float64() - 0.5) / 5 * float64(pause))
	if r.urls[key] > 1 {
		again = pause + o.unit() // another URL comes first and shows whether it is the host
	}
	return false, false, pause, again
}

// unit is the first rest of a host that refuses.
func (o *outages) unit() time.Duration { return o.first / 5 }

// refusing reports whether a host refused the last request, and whether the patience with it is over.
func (o *outages) refusing(host string) (refuses, over bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	h := o.hosts[host]
	return h != nil && h.refusal.row > 0, h != nil && h.refusal.over
}

// served notes an answer with content and returns the least wait that the host has now; changed is
// unset where it never had one. It is called with the lock held.
func (h *outage) served(key string, now time.Time) {
	r := &h.refusal
	if r.row == 0 && !r.last.IsZero() {
		r.gap = (3*r.gap + now.Sub(r.last)) / 4
	}
	for k := range r.urls {
		if k != key {
			h.suspects[k] = true
		}
	}
	r.row, r.urls, r.over, r.last = 0, nil, false, now
	r.slow = max(0, r.slow-r.step)
}

// pace sets the wait of a host that refused requests before: the longer of what refusals taught and
// what its robots.txt asks for.
func (e *Engine) pace(out *frontier.Outcome, lease leased) {
	e.outages.mu.Lock()
	r := &e.outages.of(lease.Host).refusal
	slow, known := r.slow, r.step > 0
	if slow == 0 {
		r.step = 0
	}
	e.outages.mu.Unlock()
	if !known {
		return
	}
	out.HostDelay = slow
	if robots := RobotsOf(lease.Note, lease.at); robots != nil {
		out.HostDelay = max(slow, min(robots.CrawlDelay(e.options.Agent), e.options.MaxCrawlDelay))
	}
	if out.HostDelay == 0 {
		out.HostDelay = -1
	}
}

// rests makes the host of a refused lease rest. nil means that the refusal is the URL's own trouble.
func (e *Engine) rests(lease leased, key, cause string) *frontier.Outcome {
	now := e.options.Now()
	counts, over, pause, again := e.outages.refused(lease.Host, key, now)
	switch {
	case counts:
		return nil
	case over:
		out := e.refusedForLong(lease)
		return &out
	}
	out := frontier.Outcome{State: frontier.Defer, Reason: "its host refuses requests: " + cause, HostNotBefore: now.Add(pause),
		RetryAfter: again, Counters: map[string]int64{}}
	e.pace(&out, lease)
	if pause >= longWait {
		e.warn("a host refuses requests and rests", "host", lease.Host, "wait", pause.Round(time.Second).String(), "answer", cause)
	}
	return &out
}

// refusedForLong fails a URL whose host refused all requests for longer than the patience.
func (e *Engine) refusedForLong(lease leased) frontier.Outcome {
	return failed("host_refused", fmt.Sprintf("%s refused all requests for %s (--patience)", lease.Host, e.options.Patience))
}

// robotsRefused makes a host rest that answers 5xx for its robots.txt.
func (e *Engine) robotsRefused(lease leased, status int) *frontier.Outcome {
	if status < http.StatusInternalServerError {
		return nil
	}
	return e.rests(lease, robotsURL(lease.at).String(), fmt.Sprintf("robots.txt is answered with %d", status))
}

// statusError is an answer that may mean that the host is down, as an error.
func statusError(ex *fetch.Exchange) error {
	return fmt.Errorf("http_%d: %s", ex.Status, http.StatusText(ex.Status))
}
