package engine

import (
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/awarc/awarc/engine/fetch"
	"github.com/awarc/awarc/frontier"
)

func outcomeEngine() *Engine {
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	return &Engine{
		options: Options{Persistence: Persistence{MaxTries: 3}, MaxCrawlDelay: 5 * time.Minute, Now: func() time.Time { return now }},
		outages: outages{first: 5 * time.Second, row: maxRow, patience: defaultPatience},
	}
}

func TestErrorsMapToOutcomes(t *testing.T) {
	e := outcomeEngine()
	for kind, firstTry := range map[fetch.Kind]frontier.State{
		fetch.KindBlocked: frontier.Failed, fetch.KindProtocol: frontier.Failed, fetch.KindTLS: frontier.Failed,
		fetch.KindDNS: frontier.Retry, fetch.KindRefused: frontier.Retry, fetch.KindUnreachable: frontier.Retry,
		fetch.KindTimeout: frontier.Retry, fetch.KindSlow: frontier.Retry,
		fetch.KindReset: frontier.Retry, fetch.KindProxy: frontier.Retry, fetch.KindOther: frontier.Retry,
	} {
		err := &fetch.Error{Op: "dial", URL: "http://a.example/", Kind: kind, Err: errors.New("cause")}
		out := e.decision(visited{lease: leased{Lease: frontier.Lease{}}, err: err})
		if out.State != firstTry {
			t.Errorf("%s: first try ends as %v, want %v", kind, out.State, firstTry)
		}
		out = e.decision(visited{lease: leased{Lease: frontier.Lease{Tries: 2}}, err: err})
		if out.State != frontier.Failed || out.Counters[countErrors+string(kind)] != 1 {
			t.Errorf("%s: last try ends as %v with %v", kind, out.State, out.Counters)
		}
	}
	if out := e.decision(visited{lease: leased{Lease: frontier.Lease{Tries: 2}}, err: errors.New("untyped")}); out.State !=
		frontier.Failed || out.Counters[countErrors+"other"] != 1 {
		t.Errorf("an untyped error ends as %v with %v", out.State, out.Counters)
	}
}

func TestRequestsThatWereSent(t *testing.T) {
	for op, want := range map[string]bool{"parse": false, "lookup": false, "dial": false, "handshake": false, "proxy": false, "write": true,
		"header": true} {
		if got := wasSent(&fetch.Error{Op: op, Kind: fetch.KindTimeout, Err: errors.New("cause")}); got != want {
			t.Errorf("after an error of %s: sent %v, want %v", op, got, want)
		}
	}
}

func TestStatusesMapToOutcomes(t *testing.T) {
	for status, want := range map[int]frontier.State{
		200: frontier.Fetched, 204: frontier.Fetched, 206: frontier.Fetched, 301: frontier.Fetched, 304: frontier.Fetched,
		400: frontier.Fetched,
		401: frontier.Fetched, 403: frontier.Fetched, 404: frontier.Fetched, 410: frontier.Fetched, 451: frontier.Fetched,
		501: frontier.Fetched,
		408: frontier.Retry, 425: frontier.Retry, 429: frontier.Defer, 500: frontier.Retry, 502: frontier.Retry, 503: frontier.Defer,
		504: frontier.Retry,
	} {
		e := outcomeEngine()
		ex := &fetch.Exchange{Status: status, Header: http.Header{}, IP: "127.0.0.1"}
		out := e.decision(visited{lease: leased{Lease: frontier.Lease{}}, ex: ex})
		if out.State != want || out.IP != "127.0.0.1" {
			t.Errorf("status %d ends as %v with IP %q, want %v", status, out.State, out.IP, want)
		}
		out = e.decision(visited{lease: leased{Lease: frontier.Lease{Tries: 2}}, ex: ex})
		if want == frontier.Retry && (out.State != frontier.Failed || len(out.Counters) == 0) {
			t.Errorf("status %d in the last try ends as %v with %v", status, out.State, out.Counters)
		}
	}
}

func TestSeedsAreCounted(t *testing.T) {
	e := outcomeEngine()
	seed := frontier.Lease{URL: frontier.URL{Seed: true}}
	for status, counter := range map[int]string{200: countSeedsGood, 204: countSeedsGood, 404: countFaults + "seed_http_404",
		403: countFaults + "seed_http_403", 301: "", 304: ""} {
		out := e.decision(visited{lease: leased{Lease: seed}, ex: &fetch.Exchange{Status: status, Header: http.Header{}}})
		if counter != "" && out.Counters[counter] != 1 || counter == "" && len(out.Counters) > 0 {
			t.Errorf("a seed with status %d counts %v, want %q", status, out.Counters, counter)
		}
		if out := e.decision(visited{lease: leased{Lease: frontier.Lease{}},
			ex: &fetch.Exchange{Status: status, Header: http.Header{}}}); len(out.Counters) > 0 {
			t.Errorf("a link with status %d counts %v", status, out.Counters)
		}
	}
	loop := &fetch.Exchange{Status: 302, Header: http.Header{"Location": {"/"}}}
	if out := e.decision(visited{lease: leased{Lease: seed}, ex: loop}); out.State != frontier.Failed ||
		out.Counters[countErrors+"redirect_loop"] != 1 {
		t.Errorf("a seed that leads nowhere ends as %v with %v", out.State, out.Counters)
	}
	long := frontier.Lease{URL: frontier.URL{Redirects: maxRedirects}}
	if out := e.decision(visited{lease: leased{Lease: long}, ex: loop}); out.State != frontier.Failed ||
		out.Counters[countErrors+"redirect_loop"] != 1 {
		t.Errorf("a chain that is too long ends as %v with %v", out.State, out.Counters)
	}
}

func TestRetryAfterHoldsURLAndHost(t *testing.T) {
	for value, want := range map[string]struct{ url, host time.Duration }{
		"": {}, "0": {}, "soon": {}, "7": {7 * time.Second, 7 * time.Second}, "Fri, 02 Jan 2026 03:05:05 GMT": {time.Minute, time.Minute},
		"1800": {30 * time.Minute, 5 * time.Minute}, "99999999": {time.Hour, 5 * time.Minute},
		"Fri, 31 Dec 9999 23:59:59 GMT": {time.Hour, 5 * time.Minute},
	} {
		e := outcomeEngine()
		ex := &fetch.Exchange{Status: 503, Header: http.Header{"Retry-After": {value}}}
		out := e.decision(visited{lease: leased{Lease: frontier.Lease{}}, ex: ex})
		if out.RetryAfter != want.url {
			t.Errorf("Retry-After %q: the URL waits %v, want %v", value, out.RetryAfter, want.url)
		}
		if held := out.HostNotBefore; want.host > 0 && !held.Equal(e.options.Now().Add(want.host)) || want.host == 0 &&
			!held.After(e.options.Now()) {
			t.Errorf("Retry-After %q: the host waits until %v", value, held)
		}
		if out = e.decision(visited{lease: leased{Lease: frontier.Lease{Tries: 2}}, ex: ex}); want.host > 0 && out.HostNotBefore.IsZero() {
			t.Errorf("Retry-After %q of the last try does not hold the host", value)
		}
	}
}

// A host that goes on asking for an absurd wait gets ever more of it, until it gives content again.
func TestLongWaitsGrowWhenRepeated(t *testing.T) {
	e := outcomeEngine()
	busy := &fetch.Exchange{Status: 429, Header: http.Header{"Retry-After": {"99999999"}}}
	ask := func() time.Duration {
		return e.decision(visited{lease: leased{Lease: frontier.Lease{Host: "a.example"}}, ex: busy}).HostNotBefore.Sub(e.options.Now())
	}
	for _, want := range []time.Duration{5 * time.Minute, 10 * time.Minute, 20 * time.Minute} {
		if got := ask(); got != want {
			t.Errorf("the host waits %v, want %v", got, want)
		}
	}
	for range 50 {
		ask()
	}
	if got := ask(); got != longestRetryAfter {
		t.Errorf("in the end the host waits %v", got)
	}
	e.decision(visited{lease: leased{Lease: frontier.Lease{Host: "a.example"}}, ex: &fetch.Exchange{Status: 404, Header: http.Header{}}})
	if got := ask(); got != 5*time.Minute {
		t.Errorf("after an answer the host waits %v", got)
	}
}

func TestAnswersThatBreakOffComeAgain(t *testing.T) {
	e := outcomeEngine()
	ex := &fetch.Exchange{Status: 200, Header: http.Header{}, Truncated: fetch.TruncatedDisconnect}
	if out := e.decision(visited{lease: leased{Lease: frontier.Lease{}}, ex: ex}); out.State != frontier.Retry {
		t.Errorf("it ends as %v, want a retry", out.State)
	}
	out := e.decision(visited{lease: leased{Lease: frontier.Lease{Tries: 2}}, ex: ex})
	addCounters(out.Counters, e.counters(visited{ex: ex}, out.State))
	if out.State != frontier.Fetched || out.Counters[countFaults+"truncated_disconnect"] != 1 {
		t.Errorf("the last try ends as %v with %v; it is to be taken and reported", out.State, out.Counters)
	}
	for _, how := range []string{fetch.TruncatedLength, fetch.TruncatedTime} {
		ex.Truncated = how
		if out := e.decision(visited{lease: leased{Lease: frontier.Lease{}}, ex: ex}); out.State != frontier.Fetched {
			t.Errorf("truncated by %s: it ends as %v; another try would end the same", how, out.State)
		}
	}
}

// An answer below the speed limit is requested again; the last one is kept, and counted as what it is.
func TestAnswersTooSlowComeAgain(t *testing.T) {
	e := outcomeEngine()
	ex := &fetch.Exchange{Status: 200, Header: http.Header{}, Truncated: fetch.TruncatedTime, TooSlow: true}
	if out := e.decision(visited{lease: leased{Lease: frontier.Lease{}}, ex: ex}); out.State != frontier.Retry ||
		!strings.HasPrefix(out.Reason, "too_slow: ") {
		t.Errorf("it ends as %v: %s", out.State, out.Reason)
	}
	out := e.decision(visited{lease: leased{Lease: frontier.Lease{Tries: 2}}, ex: ex})
	addCounters(out.Counters, e.counters(visited{ex: ex}, out.State))
	if out.State != frontier.Fetched || out.Counters[countFaults+"too_slow"] != 1 || out.Counters[countFaults+"truncated_time"] != 0 {
		t.Errorf("the last try ends as %v with %v", out.State, out.Counters)
	}
}

// TestProbesLastForThePatience: probes of a dead host go on for the patience, and are few.
func TestProbesLastForThePatience(t *testing.T) {
	o := outages{first: 5 * time.Second, row: maxRow, patience: defaultPatience}
	o.known("a.example")
	counts, down := o.failed("a.example", "/", errors.New("refused"), false, false)
	if counts || !down {
		t.Fatalf("counts %v, down %v", counts, down)
	}
	begin := time.Unix(1e9, 0)
	now, health, probes := begin, frontier.Health{}, 0
	for over := false; !over; probes++ {
		var pause time.Duration
		pause, over = o.down("a.example", health, now)
		if health.Refusals++; health.Refusals == 1 {
			health.Since = now
		}
		now = now.Add(pause)
	}
	if waited := now.Sub(begin); waited < defaultPatience || waited > defaultPatience+maxPause || probes > 35 {
		t.Errorf("it is given up after %v and %d probes", waited, probes)
	}
	if o.answered("a.example", "/", true); o.inDoubt("a.example") {
		t.Error("it is in doubt after an answer")
	}
	if counts, _ = o.failed("a.example", "/", errors.New("refused"), false, false); counts {
		t.Error("the next outage costs tries")
	}
}
