package engine

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"time"

	"github.com/awarc/awarc/frontier"
)

const (
	// defaultPatience is how long a host may refuse all requests before its URLs fail: longer than a
	// restart or a nightly backup takes, short enough that an abandoned site ends the same day.
	defaultPatience = 2 * time.Hour
	// maxRefused bounds the memory of the URLs that one host refused in a row.
	maxRefused = 1000
	// loneRefusals in a row of one URL, of a host that served others and has nothing else to request,
	// are the URL's own trouble. Arbitrary: half a minute of rests.
	loneRefusals = 6
)

// refusal is the state of a refusing host (429, 503, or 5xx for robots.txt) in this process.
// Refusing is a state of the host: the host rests, and the refused URL loses no try.
// [frontier.Health] has the count and the start of the refusals, which outlive the process and
// which all nodes share.
type refusal struct {
	urls   map[string]int // refusals in the row by key
	served bool           // it has answered with content
}

// refuses reports whether an answer is about the host and not about the URL.
func refuses(status int) bool {
	return status == http.StatusTooManyRequests || status == http.StatusServiceUnavailable
}

// failing reports whether an answer may be about the host: after several in a row a probe decides.
func failing(status int) bool {
	return status == http.StatusInternalServerError || status == http.StatusBadGateway || status == http.StatusGatewayTimeout
}

// refused decides after a refusal of the URL with a key. counts is set if the host answers other
// URLs, so the refusal is a failure of the URL. over is set if the patience is over. Otherwise the
// host rests for pause, and the URL for again if that is longer.
func (o *outages) refused(host, key string, health frontier.Health, now time.Time) (counts, over bool, pause, again time.Duration) {
	o.mu.Lock()
	defer o.mu.Unlock()
	h := o.of(host)
	r := &h.refusal
	if h.suspects[key] || len(r.urls) == 1 && r.urls[key] >= loneRefusals && r.served {
		h.suspects[key] = true
		return true, false, 0, 0
	}
	if o.impatient(health, now) {
		return false, true, 0, 0
	}
	if health.Refusals == 0 || r.urls == nil || len(r.urls) >= maxRefused {
		r.urls = map[string]int{}
	}
	r.urls[key]++
	pause = o.unit()
	for n := 0; n < health.Refusals && pause < maxPause; n++ {
		if n < 2 {
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

// impatient reports whether a host that does not serve now has not done so for longer than the
// patience.
func (o *outages) impatient(health frontier.Health, now time.Time) bool {
	return health.Refusals > 0 && now.Sub(health.Since) >= o.patience
}

// unit is the first rest of a host that refuses.
func (o *outages) unit() time.Duration { return o.first / 5 }

// served notes an answer with content to the URL with a key. It is called with the lock held.
func (h *outage) served(key string) {
	r := &h.refusal
	for k := range r.urls {
		if k != key {
			h.suspects[k] = true
		}
	}
	r.urls, r.served = nil, true
}

// rests makes the host of a refused lease rest. nil means that the refusal is the URL's own trouble.
func (e *Engine) rests(lease leased, key, cause string) *frontier.Outcome {
	now := e.options.Now()
	counts, over, pause, again := e.outages.refused(lease.Host, key, lease.Health, now)
	switch {
	case counts:
		return nil
	case over:
		out := e.refusedForLong(lease)
		return &out
	}
	out := frontier.Outcome{State: frontier.Defer, Reason: "its host refuses requests: " + cause, Host: frontier.HostRefuses,
		HostNotBefore: now.Add(pause), RetryAfter: again, Counters: map[string]int64{}}
	if pause >= longWait {
		e.warn("a host refuses requests and rests", "host", lease.Host, "wait", pause.Round(time.Second).String(), "answer", cause)
	}
	return &out
}

// refusedForLong fails a URL of a host that has served nothing for longer than the patience.
func (e *Engine) refusedForLong(lease leased) frontier.Outcome {
	out := failed("host_refused", fmt.Sprintf("%s refused all requests for %s (--patience)", lease.Host, e.options.Patience))
	out.Host = frontier.HostFails
	return out
}

// robotsRefused makes a host rest that answers 5xx for its robots.txt.
func (e *Engine) robotsRefused(lease leased, status int) *frontier.Outcome {
	if status < http.StatusInternalServerError {
		return nil
	}
	return e.rests(lease, robotsURL(lease.at).String(), fmt.Sprintf("robots.txt returns status %d", status))
}

// statusError is the status of an answer without content, as an error.
type statusError int

func (s statusError) kind() string { return fmt.Sprintf("http_%d", int(s)) }

func (s statusError) Error() string { return s.kind() + ": " + http.StatusText(int(s)) }
