package cluster_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/awarc/awarc/frontier"
	"github.com/awarc/awarc/frontier/cluster"
)

// stopped waits until the crawl is stopped and returns the reason.
func (h *harness) stopped() string {
	h.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	reason, err := h.Stopped(ctx)
	if err != nil {
		h.t.Fatal(err)
	}
	return reason
}

// stoppedNow returns the reason for which the crawl is stopped, and "" if it is not.
func (h *harness) stoppedNow() string {
	h.t.Helper()
	reason, err := h.StoppedNow()
	if err != nil {
		h.t.Fatal(err)
	}
	return reason
}

// two are nodes of one crawl.
func two(t *testing.T) (a, b *harness) {
	o := cluster.Options{Poll: 50 * time.Millisecond, Node: "one"}
	a = open(t, o)
	o.Node = "two"
	return a, open(t, o)
}

// Limits are of what all nodes do together, and are those that were said last.
func TestLimitsAreOfAllNodes(t *testing.T) {
	one, two := two(t)
	ctx := context.Background()
	pages := func(n int64) []cluster.Limit { return []cluster.Limit{{Reason: "enough", Counter: "pages", Most: n}} }
	if err := errors.Join(one.Limit(ctx, pages(4), false), two.Limit(ctx, pages(1), false)); err != nil {
		t.Fatal(err)
	}
	for _, u := range []string{"http://a.test/", "http://b.test/", "http://c.test/", "http://d.test/", "http://e.test/"} {
		one.addAll(u)
	}
	fetch := func(h *harness) {
		h.done(h.next(), frontier.Outcome{State: frontier.Fetched, Counters: map[string]int64{"pages": 1}})
	}
	fetch(one)
	fetch(two)
	fetch(one)
	if reason := one.stoppedNow(); reason != "" {
		t.Errorf("stopped after three pages: %s", reason)
	}
	fetch(two)
	for _, h := range []*harness{one, two} {
		if reason := h.stopped(); reason != "enough" {
			t.Errorf("not stopped: %q", reason)
		}
	}
	if err := one.GoOn(ctx, time.Now()); err != nil || one.stopped() != "enough" {
		t.Errorf("it goes on beyond its limit: %v", err)
	}
	err := errors.Join(one.Limit(ctx, pages(5), true), one.GoOn(ctx, time.Now()))
	if err != nil || one.stoppedNow() != "" {
		t.Errorf("it does not go on with a new limit: %v", err)
	}
	fetch(one)
	if reason := one.stopped(); reason != "enough" {
		t.Errorf("the new limit does not hold: %q", reason)
	}
}

// A limit of time begins anew with each session of the crawl, whichever node begins it.
func TestTimeLimitIsOfASession(t *testing.T) {
	one, two := two(t)
	ctx := context.Background()
	if err := one.Limit(ctx, []cluster.Limit{{Reason: "late", Time: time.Second}}, false); err != nil {
		t.Fatal(err)
	}
	for _, h := range []*harness{one, two} {
		if reason := h.stopped(); reason != "late" {
			t.Errorf("not stopped: %q", reason)
		}
	}
	if err := errors.Join(two.Limit(ctx, []cluster.Limit{{Reason: "late", Time: time.Hour}}, true), two.GoOn(ctx, time.Now())); err != nil {
		t.Fatal(err)
	}
	if reason := two.stoppedNow(); reason != "" {
		t.Errorf("the new session ends at once: %q", reason)
	}
}

// A crawl can be stopped without taking part in it, and one that is not there cannot.
func TestStopFromOutside(t *testing.T) {
	one, two := two(t)
	o := cluster.Options{URL: shared.URL(), Crawl: t.Name()}
	if err := cluster.Stop(context.Background(), o, "enough"); err != nil {
		t.Fatal(err)
	}
	for _, h := range []*harness{one, two} {
		if reason := h.stopped(); reason != "enough" {
			t.Errorf("not stopped: %q", reason)
		}
	}
	o.Crawl = "no-such-crawl"
	var missing *frontier.Error
	if err := cluster.Stop(context.Background(), o, "enough"); !errors.As(err, &missing) || missing.Kind != frontier.Missing {
		t.Errorf("a crawl that is not there: %v", err)
	}
}

// TestStopWhileANodeBeginsHolds: who goes on ends the stops that were there before, and none that comes while it begins.
func TestStopWhileANodeBeginsHolds(t *testing.T) {
	one, two := two(t)
	ctx := context.Background()
	stop := func() {
		t.Helper()
		if err := one.Stop(ctx, "enough"); err != nil {
			t.Fatal(err)
		}
	}
	// The clock of the server is known as exactly as it answers fast, which is within a minute.
	stop()
	if err := two.GoOn(ctx, time.Now().Add(time.Minute)); err != nil || two.stoppedNow() != "" {
		t.Errorf("it does not go on: %v", err)
	}
	for range 2 { // the second time it is stopped already
		stop()
		if err := two.GoOn(ctx, time.Now().Add(-time.Minute)); err != nil || two.stopped() != "enough" {
			t.Errorf("a stop that came meanwhile does not hold: %v", err)
		}
	}
}

// What was done counts once, also when its answer is lost and it is asked for again.
func TestLostAnswersCountOnce(t *testing.T) {
	for _, operation := range []string{"amend", "again", "done", "total"} {
		t.Run(operation, func(t *testing.T) {
			h := open(t, cluster.Options{Poll: 50 * time.Millisecond})
			ctx := context.Background()
			if err := h.Limit(ctx, []cluster.Limit{{Reason: "enough", Counter: "pages", Most: 3}}, false); err != nil {
				t.Fatal(err)
			}
			h.addAll("http://a.test/")
			h.LoseAnswer(operation)
			h.done(h.next(), frontier.Outcome{State: frontier.Fetched, Counters: map[string]int64{"pages": 1}})
			if err := h.Amend("http://a.test/", frontier.Outcome{Counters: map[string]int64{"pages": 1}}); err != nil {
				t.Fatal(err)
			}
			lost := frontier.Requeue{Key: "http://a.test/", Counters: map[string]int64{"lost": 1}}
			if _, err := h.Again(ctx, []frontier.Requeue{lost}, "lost"); err != nil {
				t.Fatal(err)
			}
			if c := h.Counters(); c["pages"] != 2 || c["lost"] != 1 {
				t.Errorf("counted %v, want two pages and a lost one", c)
			}
			if reason := h.stoppedNow(); reason != "" {
				t.Errorf("stopped after one page of three: %s", reason)
			}
			h.done(h.next(), frontier.Outcome{State: frontier.Fetched, Counters: map[string]int64{"pages": 2}})
			if reason := h.stopped(); reason != "enough" {
				t.Errorf("not stopped after three pages: %q", reason)
			}
		})
	}
}
