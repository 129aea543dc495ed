package frontier

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// In these tests time is that of a synctest bubble: it passes only while every
// goroutine waits. A poll would show as time passed.

// worker starts Next in a goroutine and returns where its answer will be.
func (h *harness) worker(ctx context.Context) <-chan error {
	answer := make(chan error, 1)
	go func() {
		_, err := h.Next(ctx)
		answer <- err
	}()
	synctest.Wait()
	return answer
}

func TestNextWakesWithoutPolling(t *testing.T) {
	for name, wake := range map[string]struct {
		do   func(h *harness, l Lease, cancel func())
		want error
	}{
		"Add": {func(h *harness, _ Lease, _ func()) { h.addAll("http://b/1") }, nil},
		"Done": {func(h *harness, l Lease, _ func()) {
			h.done(l, Outcome{State: Fetched, Links: []URL{{URL: "http://a/2"}}})
		}, nil},
		"Deferred": {func(h *harness, l Lease, _ func()) { h.done(l, Outcome{State: Defer}) }, nil},
		"Drained":  {func(h *harness, l Lease, _ func()) { h.done(l, Outcome{State: Failed}) }, ErrDrained},
		"Close":    {func(h *harness, _ Lease, _ func()) { h.Close() }, ErrClosed},
		"Cancel":   {func(_ *harness, _ Lease, cancel func()) { cancel() }, context.Canceled},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				h := start(t, Options{})
				h.addAll("http://a/1")
				l := h.next()
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				answer := h.worker(ctx)
				select {
				case err := <-answer:
					t.Fatalf("Next did not wait: %v", err)
				default:
				}
				began := time.Now()
				wake.do(h, l, cancel)
				if err := <-answer; !errors.Is(err, wake.want) {
					t.Errorf("Next: %v, want %v", err, wake.want)
				}
				if d := time.Since(began); d != 0 {
					t.Errorf("woke after %v", d)
				}
			})
		})
	}
}

func TestDrainedWaitsForLeasesOfOthersAndForChangesUnderWay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		gate := make(chan struct{})
		close(gate)
		h := start(t, Options{BeforeCommit: func() error { <-gate; return nil }})
		h.drained()
		gate = make(chan struct{})
		added := make(chan error, 1)
		go func() {
			_, err := h.Add(t.Context(), []URL{{URL: "http://a/1"}})
			added <- err
		}()
		synctest.Wait()
		answer := h.worker(t.Context())
		close(gate)
		if err := <-added; err != nil {
			t.Fatal(err)
		}
		if err := <-answer; err != nil {
			t.Errorf("Next said %v while an Add was being committed", err)
		}
		h.addAll("http://b/1") // drained is not for ever
		h.next()
	})
}

func TestConcurrentChangesShareCommits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var commits atomic.Int32
		gate := make(chan struct{})
		h := start(t, Options{BeforeCommit: func() error { commits.Add(1); <-gate; return nil }})
		var calls sync.WaitGroup
		for i := range 50 {
			calls.Go(func() { h.addAll(fmt.Sprint("http://a/", i)) })
		}
		synctest.Wait()
		close(gate)
		calls.Wait()
		if n := commits.Load(); n != 2 {
			t.Errorf("%d commits for 50 calls, want 2: one that was under way and one for the rest", n)
		}
		if s := h.Stats(); s.Pending != 50 {
			t.Errorf("stats %+v", s)
		}
	})
}

func TestPausedFrontierLeasesNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := start(t, Options{Delay: time.Second})
		h.addAll("http://a/1", "http://a/2")
		l := h.next()
		h.Pause(true)
		answer := h.worker(t.Context())
		h.done(l, Outcome{State: Fetched})
		time.Sleep(time.Hour)
		synctest.Wait()
		select {
		case err := <-answer:
			t.Fatalf("a paused frontier answered: %v", err)
		default:
		}
		if !h.Paused() {
			t.Error("it does not know that it is paused")
		}
		h.Pause(false)
		if err := <-answer; err != nil {
			t.Error(err)
		}
	})
}

func TestArchiveComesFirst(t *testing.T) {
	synced := false
	var fail error
	h := start(t, Options{})
	h.reopen(Options{BeforeCommit: func() error {
		h.Stats() // the hook may ask the frontier: no lock is held
		if _, known := h.Lookup("http://a/2"); known {
			t.Error("committed before the archive was synced")
		}
		synced = true
		return fail
	}})
	h.addAll("http://a/1")
	l := h.next()
	synced, fail = false, errors.New("archive: disk full")
	o := Outcome{State: Fetched, Links: []URL{{URL: "http://a/2"}}, Counters: map[string]int64{"pages": 1}}
	if err := h.Done(l, o); !errors.Is(err, fail) || !synced {
		t.Fatalf("Done: %v, synced %v", err, synced)
	}
	h.state("http://a/1", Pending)
	if s := h.Stats(); s.Leased != 1 || s.Seen != 1 || len(h.Counters()) != 0 {
		t.Errorf("a failed commit left traces: %+v", s)
	}
	fail = nil
	h.done(l, o)
	h.state("http://a/1", Fetched)
	h.state("http://a/2", Pending)
}

func TestCloseCommitsWhatWasAccepted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		gate := make(chan struct{})
		h := start(t, Options{BeforeCommit: func() error { <-gate; return nil }})
		var calls sync.WaitGroup
		for i := range 3 {
			calls.Go(func() { h.addAll(fmt.Sprint("http://a/", i)) })
		}
		synctest.Wait()
		calls.Go(func() { h.Close() })
		synctest.Wait()
		close(gate)
		calls.Wait()
		for name, err := range map[string]error{
			"Add":     second(h.Add(t.Context(), []URL{{URL: "http://a/9"}})),
			"Next":    second(h.Next(t.Context())),
			"PutMeta": h.PutMeta("k", nil),
			"Each":    h.Each(Pending, func(Entry) error { return nil }),
		} {
			if !errors.Is(err, ErrClosed) {
				t.Errorf("%s after Close: %v", name, err)
			}
		}
		if _, ok := h.Lookup("http://a/1"); ok || h.Meta("k") != nil {
			t.Error("a closed frontier answered")
		}
		h.open(Options{})
		if s := h.Stats(); s.Pending != 3 {
			t.Errorf("stats %+v", s)
		}
	})
}

func second[T any](_ T, err error) error { return err }

func TestAddRespectsTheContext(t *testing.T) {
	h := start(t, Options{})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := h.Add(ctx, []URL{{URL: "http://a/"}}); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

func TestLeasesAreExclusivePerHostAndAddress(t *testing.T) {
	const hosts, addresses, workers, pages = 12, 4, 16, 15
	h := start(t, Options{})
	ip := func(host int) string { return fmt.Sprint("192.0.2.", host%addresses) }
	for i := range hosts { // addresses become known one by one
		h.addAll(fmt.Sprintf("http://%d/", i))
		h.done(h.next(), Outcome{State: Fetched, IP: ip(i)})
	}
	for i := range hosts {
		h.add(URL{URL: fmt.Sprintf("http://%d/0", i)})
	}
	var busyHost [hosts]atomic.Int32
	var busyIP [addresses]atomic.Int32
	var fetched atomic.Int32
	visit := func(l Lease) error {
		var host, page int
		if _, err := fmt.Sscanf(l.URL.URL, "http://%d/%d", &host, &page); err != nil {
			return err
		}
		if busyHost[host].Add(1) > 1 || busyIP[host%addresses].Add(1) > 1 {
			return fmt.Errorf("%s leased while its host or address was busy", l.URL.URL)
		}
		runtime.Gosched()
		o := Outcome{State: Fetched}
		if page < pages {
			o.Links = []URL{{URL: fmt.Sprintf("http://%d/%d", host, page+1)}, {URL: fmt.Sprintf("http://%d/%d", (host+1)%hosts, page+1)}}
		}
		fetched.Add(1)
		busyIP[host%addresses].Add(-1)
		busyHost[host].Add(-1)
		return h.Done(l, o)
	}
	var all sync.WaitGroup
	for range workers {
		all.Go(func() {
			for {
				l, err := h.Next(t.Context())
				if errors.Is(err, ErrDrained) {
					return
				}
				if err == nil {
					err = visit(l)
				}
				if err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	all.Wait()
	if n := fetched.Load(); n != hosts*(pages+1) {
		t.Errorf("fetched %d, want %d", n, hosts*(pages+1))
	}
	if err := h.Check(); err != nil {
		t.Error(err)
	}
}
