package frontier

import (
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"
)

// TestHealthOutlivesTheProcess: the health of a refusing host survives a restart.
func TestHealthOutlivesTheProcess(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		options := Options{Delay: time.Second}
		h := start(t, options)
		for i := range 9 {
			h.addAll(fmt.Sprintf("http://host/%d", i))
		}
		since := time.Now().Add(time.Second) // of the second exchange
		h.done(h.next(), Outcome{State: Fetched, Host: HostServes})
		for n := range 3 {
			l := h.next()
			if l.Health.Refusals != n || n > 0 && !l.Health.Since.Equal(since) {
				t.Errorf("after %d refusals since %v: %+v", n, since, l.Health)
			}
			h.done(l, Outcome{State: Defer, Host: HostRefuses, HostNotBefore: time.Now().Add(time.Minute)})
			h.reopen(options)
		}
		if q := h.Queues(1); len(q) != 1 || q[0].Wait != WaitRefused {
			t.Errorf("its queue: %+v", q)
		}
		h.done(h.next(), Outcome{State: Fetched, Host: HostServes})
		h.reopen(options)
		l := h.next()
		slow := l.Health.Slow
		if l.Health.Refusals != 0 || slow <= options.Delay {
			t.Errorf("after an answer: %+v", l.Health)
		}
		h.done(l, Outcome{State: Defer, Host: HostFails})
		h.reopen(options)
		began := time.Now()
		l = h.next()
		if wait := time.Since(began); wait < slow || l.Health.Failed.IsZero() {
			t.Errorf("after %v, the host that was given up: %+v", wait, l.Health)
		}
		h.done(l, Outcome{State: Fetched, Host: HostServes})
		if l = h.next(); !l.Health.Failed.IsZero() {
			t.Errorf("it serves: %+v", l.Health)
		}
	})
}

// Refusals of before a long pause of the crawl say nothing, so that patience does not end with the
// first request after it.
func TestHealthOfAPausedCrawlIsStale(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := start(t, Options{})
		h.addAll("http://host/1")
		h.done(h.next(), Outcome{State: Defer, Host: HostRefuses, HostNotBefore: time.Now().Add(time.Hour)})
		time.Sleep(time.Hour + staleRefusals)
		l := h.next()
		if l.Health.Refusals != 1 {
			t.Errorf("when it has just rested for an hour: %+v", l.Health)
		}
		h.done(l, Outcome{State: Defer, Host: HostRefuses, HostNotBefore: time.Now().Add(time.Hour)})
		time.Sleep(time.Hour + staleRefusals + time.Second)
		if l = h.next(); l.Health != (Health{}) {
			t.Errorf("long after its rest: %+v", l.Health)
		}
	})
}

// limit is a server with a rate limit of requests per window. With countsAll, refused requests
// count too.
type limit struct {
	requests  int
	window    time.Duration
	countsAll bool
	passed    []time.Time
	refused   int
}

func (l *limit) serves(now time.Time) bool {
	for len(l.passed) > 0 && now.Sub(l.passed[0]) >= l.window {
		l.passed = l.passed[1:]
	}
	ok := len(l.passed) < l.requests
	if ok || l.countsAll {
		l.passed = append(l.passed, now)
	}
	if !ok {
		l.refused++
	}
	return ok
}

// Hosts of many rate limits are requested nearly as fast as they allow, with few refusals.
func TestHealthFindsRateLimits(t *testing.T) {
	const pages = 601
	for _, l := range []limit{
		{requests: 1, window: 200 * time.Millisecond}, {requests: 5, window: time.Second},
		{requests: 5, window: time.Second, countsAll: true},
		{requests: 20, window: time.Second}, {requests: 60, window: time.Minute}, {requests: 30, window: 10 * time.Second, countsAll: true},
		{requests: 1, window: 2 * time.Second}, {requests: 10, window: 5 * time.Second},
	} {
		t.Run(fmt.Sprintf("%d in %v %v", l.requests, l.window, l.countsAll), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				h := start(t, Options{})
				for i := range pages {
					h.addAll(fmt.Sprintf("http://host/%d", i))
				}
				began, row, most := time.Now(), 0, 0
				for {
					lease, err := h.Next(t.Context())
					if errors.Is(err, ErrDrained) {
						break
					}
					if err != nil {
						t.Fatal(err)
					}
					time.Sleep(10 * time.Millisecond) // the exchange
					o := Outcome{State: Fetched, Host: HostServes}
					if !l.serves(time.Now()) {
						row = lease.Health.Refusals + 1
						most = max(most, row)
						o = Outcome{State: Defer, Host: HostRefuses, HostNotBefore: time.Now().Add(min(time.Second<<(row-1), time.Minute))}
					}
					h.done(lease, o)
				}
				ideal := l.window * pages / time.Duration(l.requests)
				ratio := float64(time.Since(began)) / float64(ideal)
				t.Logf("%d refused, %d in a row, %.2f times the ideal", l.refused, most, ratio)
				if l.refused > pages/10 {
					t.Errorf("%d of %d requests were refused", l.refused, pages+l.refused)
				}
				if ratio > 1.5 {
					t.Errorf("it took %.2f times the ideal", ratio)
				}
			})
		})
	}
}
