package frontier

import (
	"testing"
	"time"
)

// What a clock that was years ahead made wait comes when it was put right.
func TestEndWaits(t *testing.T) {
	ahead := func() time.Time { return time.Now().AddDate(3, 0, 0) }
	h := start(t, Options{Now: ahead, After: time.After})
	h.addAll("http://a/1", "http://b/1", "http://c/1", "http://c/2")
	for range 3 {
		l := h.next()
		o := Outcome{State: Retry, RetryAfter: time.Minute}
		if l.Host == "b" {
			o = Outcome{State: Defer, HostNotBefore: ahead().Add(time.Minute)}
		}
		h.done(l, o)
	}
	h.reopen(Options{})
	if n, err := h.EndWaits(t.Context(), 48*time.Hour); err != nil || n != 3 {
		t.Fatalf("%d waits ended, %v; want those of two URLs and a host", n, err)
	}
	if err := h.Check(); err != nil {
		t.Fatal(err)
	}
	for range 4 {
		h.done(h.next(), Outcome{State: Fetched})
	}
	h.drained()
	h.addAll("http://d/1")
	h.done(h.next(), Outcome{State: Retry, RetryAfter: time.Hour})
	if n, err := h.EndWaits(t.Context(), 48*time.Hour); err != nil || n != 0 {
		t.Errorf("%d waits ended that were asked for, %v", n, err)
	}
}
