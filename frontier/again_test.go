package frontier

import (
	"context"
	"fmt"
	"testing"
	"testing/synctest"
	"time"
)

// requeues are entries that count once as lost.
func requeues(keys ...string) (entries []Requeue) {
	for _, key := range keys {
		entries = append(entries, Requeue{Key: key, Counters: map[string]int64{"lost": 1, "pages": -2}})
	}
	return entries
}

// What is asked for again comes again, once, in its place, wherever its place was before.
func TestAgain(t *testing.T) {
	for name, m := range map[string]merging{"recent": usualMerging, "placed": placedAtOnce,
		"between": {after: 20, tail: 40, slice: 3, host: 10}} {
		t.Run(name, func(t *testing.T) {
			options := Options{MaxTries: 1, merging: m}
			h := start(t, options)
			var urls []URL
			for n := range 60 {
				urls = append(urls, URL{URL: fmt.Sprintf("http://host%d/%d", n%5, n), Key: fmt.Sprint("key", n)})
			}
			h.add(urls...)
			states := map[string]State{}
			for n := range 45 {
				l := h.next()
				state := []State{Fetched, Failed, Excluded}[n%3]
				states[l.Key] = state
				h.done(l, Outcome{State: state})
			}
			var keys []string
			for key := range states {
				keys = append(keys, key, "unknown "+key)
			}
			held := h.next()
			n, err := h.Again(t.Context(), requeues(append(keys, held.Key)...), "lost")
			readmitted, rerr := h.Readmit(t.Context(), requeues(append(keys, held.Key)...), "wanted")
			if err != nil || rerr != nil || n != 30 || readmitted != 15 {
				t.Fatalf("%d again, %v, and %d, %v; want the 30 that were fetched or failed, and the 15 that were excluded", n, err,
					readmitted, rerr)
			}
			e, _ := h.Lookup(keys[0])
			if e.State != Pending || e.Reason != "lost" && e.Reason != "wanted" || e.Tries != 0 || !e.Settled.IsZero() {
				t.Errorf("%+v", e)
			}
			if err := h.Check(); err != nil {
				t.Fatal(err)
			}
			h.done(held, Outcome{State: Fetched})
			h.reopen(options)
			if c := h.Counters(); c["lost"] != 45 || c["pages"] != -90 {
				t.Errorf("counters %v", c)
			}
			came := map[string]int{}
			for range 45 + 14 {
				l := h.next()
				if came[l.Key]++; came[l.Key] > 1 {
					t.Errorf("%s (%v) came %d times", l.Key, states[l.Key], came[l.Key])
				}
				h.done(l, Outcome{State: Fetched})
			}
			h.drained()
			if s := h.Stats(); s.Fetched != 60 || s.Excluded != 0 || s.Pending != 0 || s.Failed != 0 {
				t.Errorf("%+v", s)
			}
			if err := h.Check(); err != nil {
				t.Error(err)
			}
		})
	}
}

// TestDrawnURLComesAgainLikeAnyOther: it has been counted among those that its family gave.
func TestDrawnURLComesAgainLikeAnyOther(t *testing.T) {
	h := start(t, Options{PutOffShare: 1})
	h.add(URL{URL: "http://a/1", Family: "calendar"})
	h.done(h.next(), Outcome{State: Fetched})
	if n, err := h.Again(t.Context(), requeues("http://a/1"), "lost"); n != 1 || err != nil {
		t.Fatal(n, err)
	}
	l := h.next()
	if l.Drawn {
		t.Error("it is drawn once more")
	}
	h.done(l, Outcome{State: Fetched})
	h.drained()
	if err := h.Check(); err != nil {
		t.Error(err)
	}
}

// TestAgainWithWait: an entry that is to come again later waits, and keeps the tries it is given;
// counters change once.
func TestAgainWithWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		options := Options{MaxTries: 2}
		h := start(t, options)
		h.addAll("http://a/1", "http://a/2")
		h.done(h.next(), Outcome{State: Failed})
		h.done(h.next(), Outcome{State: Fetched})
		later := []Requeue{{Key: "http://a/1", Tries: 2, NotBefore: time.Now().Add(time.Minute), Counters: map[string]int64{"again": 1}}}
		for want := range 2 {
			if n, err := h.Again(context.Background(), later, "later"); n != 1-want || err != nil {
				t.Fatal(n, err)
			}
		}
		h.reopen(options)
		began := time.Now()
		l := h.next()
		if wait := time.Since(began); wait != time.Minute || l.Tries != 2 || h.Counters()["again"] != 1 {
			t.Errorf("after %v with %d tries; counters %v", wait, l.Tries, h.Counters())
		}
		h.done(l, Outcome{State: Retry})
		if e := h.state("http://a/1", Failed); e.Tries != 3 {
			t.Errorf("%d tries", e.Tries)
		}
		h.drained()
	})
}

// TestAgainLeavesWhatWasSettledSince: of two nodes that read an entry before either makes it
// pending, the later one does not take back the outcome of the request that the other one caused.
func TestAgainLeavesWhatWasSettledSince(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := start(t, Options{MaxTries: 1})
		h.addAll("http://a/1")
		h.done(h.next(), Outcome{State: Failed})
		q := Requeue{Key: "http://a/1", Settled: h.state("http://a/1", Failed).Settled, Counters: map[string]int64{"again": 1}}
		for want := range 2 {
			if n, err := h.Again(t.Context(), []Requeue{q}, "again"); n != 1-want || err != nil {
				t.Fatalf("%d entries, %v", n, err)
			}
			if want == 0 {
				time.Sleep(time.Second)
				h.done(h.next(), Outcome{State: Failed})
			}
		}
		h.state("http://a/1", Failed)
		if c := h.Counters(); c["again"] != 1 {
			t.Errorf("counters %v", c)
		}
	})
}
