package frontier

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
)

func TestDrainedCountsChangesBehindTheOneUnderWay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		gate := make(chan struct{}, 9)
		h := start(t, Options{BeforeCommit: func() error { <-gate; return nil }})
		var calls sync.WaitGroup
		calls.Go(func() {
			if err := h.PutMeta("key", nil); err != nil {
				t.Error(err)
			}
		})
		synctest.Wait()
		calls.Go(func() { h.addAll("http://a/1") })
		synctest.Wait()
		gate <- struct{}{} // the setting is durable, the URL is not
		answer := h.worker(t.Context())
		gate <- struct{}{}
		if err := <-answer; err != nil {
			t.Errorf("Next said %v while an Add was waiting", err)
		}
		calls.Wait()
	})
}

func TestConcurrentDonesOfOneLease(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		gate := make(chan struct{}, 9)
		gate <- struct{}{}
		h := start(t, Options{BeforeCommit: func() error { <-gate; return nil }})
		h.addAll("http://a/1")
		l := h.next()
		var calls sync.WaitGroup
		var settled atomic.Int32
		for range 5 {
			calls.Go(func() {
				if h.Done(l, Outcome{State: Fetched, Counters: map[string]int64{"pages": 1}}) == nil {
					settled.Add(1)
				}
			})
		}
		synctest.Wait()
		close(gate)
		calls.Wait()
		if settled.Load() != 1 || h.Counters()["pages"] != 1 || h.Stats().Leased != 0 {
			t.Errorf("settled %d times, %d pages, %+v", settled.Load(), h.Counters()["pages"], h.Stats())
		}
	})
}

// TestNextBetweenCommitAndInstall stops time in the gap in which the file is ahead
// of memory: a capture has satisfied the only URL that memory knows as pending.
func TestNextBetweenCommitAndInstall(t *testing.T) {
	h := start(t, Options{})
	h.addAll("http://a/1", "http://b/1")
	l := h.next()
	h.mu.Lock()
	h.mu.uncommitted++
	held := h.mu.leases[l.ID]
	h.mu.Unlock()
	o := Outcome{State: Fetched, Aliases: []string{"http://b/1"}, Links: []URL{{URL: "http://b/2"}}}
	for _, links := range [][]URL{nil, o.Links} {
		o.Links = links
		c := &change{result: make(chan error, 1), apply: func(b *batch) error {
			return b.settle(held, &o, nil, at(0), &h.options)
		}}
		b, err := h.write([]*change{c})
		if err != nil {
			t.Fatal(err)
		}
		h.mu.Lock()
		early, found, err := h.take()
		h.mu.Unlock()
		if links == nil && (found || err != nil) {
			t.Fatalf("leased %q, %v: it is captured", early.URL.URL, err)
		}
		if links == nil {
			h.install(b, []*change{c}, nil)
			h.mu.Lock()
			h.mu.uncommitted++
			h.mu.Unlock()
			continue
		}
		if found {
			t.Fatalf("leased %q before memory knew of it", early.URL.URL)
		}
		h.install(b, []*change{c}, nil)
	}
	if l := h.next(); l.URL.URL != "http://b/2" {
		t.Errorf("leased %s, want http://b/2", l.URL.URL)
	}
}

// TestCommitThatFailedHalfWayStopsTheFrontier lets a transaction reach the file and
// fail after that, as when the last fsync fails. Nobody knows then what is
// durable, so nothing more may be promised before the file is opened anew.
func TestCommitThatFailedHalfWayStopsTheFrontier(t *testing.T) {
	h := start(t, Options{})
	h.addAll("http://a/1")
	err := h.commit(func(b *batch) error {
		b.meta.Tx().OnCommit(func() { panic("fsync failed") })
		_, err := b.add([]URL{{URL: "http://a/2"}}, nil, "", false)
		return err
	}, nil)
	if err == nil {
		t.Fatal("no error")
	}
	if _, err := h.Add(context.Background(), []URL{{URL: "http://a/3"}}); err == nil {
		t.Error("Add went on")
	}
	if _, err := h.Next(context.Background()); err == nil || errors.Is(err, ErrDrained) {
		t.Errorf("Next went on: %v", err)
	}
	h.reopen(Options{})
	if s := h.Stats(); s.Pending != 2 {
		t.Errorf("stats %+v", s)
	}
}
