package frontier

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

// TestUpdateFunctions gives one URL the priorities 10, 40 and 20 and compares it with
// URLs that have one priority each: the order tells what became of it.
func TestUpdateFunctions(t *testing.T) {
	for update, want := range map[Update]int{First: 10, Last: 20, Max: 40, Avg: 23, Sum: 70} {
		t.Run(update.String(), func(t *testing.T) {
			h := start(t, Options{Update: update})
			h.add(URL{URL: "http://a/x", Priority: 10, Level: "first"})
			h.add(URL{URL: "http://a/x", Priority: 40, Level: "best"})
			h.add(URL{URL: "http://a/x", Priority: 20, Level: "last"})
			e := h.state("http://a/x", Pending)
			scores := 2 // not that which was not the highest
			if update == Avg || update == Sum {
				scores = 3
			}
			if e.Priority != want || e.Scores != scores || e.Level != "best" {
				t.Errorf("entry %+v, want priority %d of %d scores and what the best says", e, want, scores)
			}
			h.add(URL{URL: "http://a/less", Priority: want - 1}, URL{URL: "http://a/more", Priority: want + 1},
				URL{URL: "http://a/equal", Priority: want})
			if have := h.order(); have != "a/more a/x a/equal a/less" {
				t.Error(have)
			}
		})
	}
	for _, name := range []string{"max", "first", "last", "avg", "sum"} {
		if u, err := ParseUpdate(name); err != nil || u.String() != name {
			t.Errorf("ParseUpdate(%s) = %v, %v", name, u, err)
		}
	}
	if _, err := ParseUpdate("best"); err == nil {
		t.Error("ParseUpdate takes any name")
	}
}

func TestDecisivePriorityReplacesAllOthers(t *testing.T) {
	h := start(t, Options{Update: Sum})
	h.add(URL{URL: "http://a/1", Priority: 5}, URL{URL: "http://a/2", Priority: 50})
	h.add(URL{URL: "http://a/2", Priority: 1, Decisive: true})
	h.add(URL{URL: "http://a/2", Priority: 2})
	if e := h.state("http://a/2", Pending); e.Priority != 3 {
		t.Errorf("priority %d, want 1 and 2", e.Priority)
	}
	if have := h.order(); have != "a/1 a/2" {
		t.Error(have)
	}
}

func TestImmediateComesBeforeAnyPriority(t *testing.T) {
	h := start(t, Options{Batch: 100})
	h.add(URL{URL: "http://a/1", Priority: 1000}, URL{URL: "http://a/2"}, URL{URL: "http://a/3", Immediate: true})
	h.done(h.next(), Outcome{State: Fetched, Links: []URL{{URL: "http://a/image", Immediate: true, Priority: -9},
		{URL: "http://a/link", Priority: 9999}}})
	h.add(URL{URL: "http://a/2", Immediate: true})
	if have := h.order(); have != "a/2 a/image a/1 a/link" {
		t.Error(have)
	}
}

// TestTurnTakesTheBestOfItsBeginning has turns of three URLs: what is found during a
// turn waits for the next, and the other host waits for its end.
func TestTurnTakesTheBestOfItsBeginning(t *testing.T) {
	h := start(t, Options{PerTurn: 3})
	for i := range 5 {
		h.add(URL{URL: fmt.Sprint("http://a/", i), Priority: -i})
	}
	h.addAll("http://b/1", "http://b/2")
	h.done(h.next(), Outcome{State: Fetched, Links: []URL{{URL: "http://a/better", Priority: 9}}})
	if have := h.order(); have != "a/1 a/2 b/1 b/2 a/better a/3 a/4" {
		t.Error(have)
	}
}

// TestTurnEndsWithWhatItBeganWith has turns of three URLs at a host that has two: the one that is found
// meanwhile waits until the other host has had its turn.
func TestTurnEndsWithWhatItBeganWith(t *testing.T) {
	h := start(t, Options{PerTurn: 3})
	h.addAll("http://a/1", "http://a/2", "http://b/1")
	h.done(h.next(), Outcome{State: Fetched, Links: []URL{{URL: "http://a/better", Priority: 9}}})
	if have := h.order(); have != "a/2 b/1 a/better" {
		t.Error(have)
	}
}

func TestBestFirstComparesHosts(t *testing.T) {
	h := start(t, Options{BestFirst: true})
	h.add(URL{URL: "http://a/1", Priority: 5}, URL{URL: "http://a/2", Priority: 3}, URL{URL: "http://b/1", Priority: 4},
		URL{URL: "http://c/1", Priority: 3}, URL{URL: "http://d/1", Immediate: true, Priority: -9})
	h.add(URL{URL: "http://c/1", Priority: 9})
	h.reopen(Options{BestFirst: true})
	if have := h.order(); have != "d/1 c/1 a/1 b/1 a/2" {
		t.Error(have)
	}
}

func TestBatchSchedulesItsLinksTogether(t *testing.T) {
	h := start(t, Options{Batch: 3, Update: Avg})
	h.addAll("http://a/1", "http://a/2", "http://a/3", "http://a/4")
	h.done(h.next(), Outcome{State: Fetched, Links: []URL{{URL: "http://a/x", Priority: 90}, {URL: "http://a/y", Priority: 60}}})
	h.done(h.next(), Outcome{State: Fetched, Links: []URL{{URL: "http://a/x", Priority: 10}}})
	if e := h.state("http://a/x", Pending); !e.Batched || e.Priority != 50 {
		t.Errorf("entry %+v, want it batched with the average of its priorities", e)
	}
	if s := h.Stats(); s.Batched != 2 || s.Pending != 4 {
		t.Errorf("stats %+v", s)
	}
	h.done(h.next(), Outcome{State: Fetched})
	if s := h.Stats(); s.Batched != 0 {
		t.Errorf("stats after three pages: %+v", s)
	}
	if have := h.order(); have != "a/y a/x a/4" {
		t.Error(have)
	}
}

func TestBatchEndsWhenNothingElseIsLeft(t *testing.T) {
	h := start(t, Options{Batch: 100})
	h.addAll("http://a/1")
	h.done(h.next(), Outcome{State: Fetched, Links: []URL{{URL: "http://a/2"}}})
	if l := h.next(); l.URL.URL != "http://a/2" {
		t.Errorf("leased %s", l.URL.URL)
	}
}

func TestBatchEndsWhenTheFrontierIsOpened(t *testing.T) {
	h := start(t, Options{Batch: 100})
	h.addAll("http://a/1", "http://a/1b")
	h.done(h.next(), Outcome{State: Fetched, Links: []URL{{URL: "http://b/2", Priority: 3}}})
	h.reopen(Options{Batch: 100})
	if s := h.Stats(); s.Batched != 0 || s.Pending != 2 {
		t.Errorf("stats %+v", s)
	}
	if have := h.order(); have != "a/1b b/2" {
		t.Error(have)
	}
}

func TestExcludedStaysOutForGood(t *testing.T) {
	h := start(t, Options{})
	h.addAll("http://a/1", "http://a/2", "http://a/3")
	h.done(h.next(), Outcome{State: Fetched})
	l := h.next()
	n, err := h.Exclude(t.Context(), []URL{{URL: "http://a/1"}, {URL: "http://a/2"}, {URL: "http://a/3"}, {URL: "http://a/4"}},
		"blacklisted")
	if err != nil || n != 3 {
		t.Fatalf("Exclude = %d, %v; want those that were not fetched", n, err)
	}
	h.done(l, Outcome{State: Retry, RetryAfter: time.Millisecond})
	if n := h.add(URL{URL: "http://a/3", Priority: 9, Decisive: true}, URL{URL: "http://a/4", Seed: true}); n != 0 {
		t.Errorf("%d excluded URLs were added again", n)
	}
	h.drained()
	h.state("http://a/1", Fetched)
	for _, key := range []string{"http://a/2", "http://a/3", "http://a/4"} {
		if e := h.state(key, Excluded); e.Reason != "blacklisted" {
			t.Errorf("%s: reason %q", key, e.Reason)
		}
	}
	if err := h.Check(); err != nil {
		t.Error(err)
	}
}

// What a page rules out is out in the transaction that settles the page, before its links are added.
func TestAnOutcomeExcludes(t *testing.T) {
	h := start(t, Options{})
	h.addAll("http://a/1", "http://a/2")
	out := func(keys ...string) (x []Exclusion) {
		for _, key := range keys {
			x = append(x, Exclusion{URL: URL{URL: key}, Reason: "spam", Counter: "blacklisted"})
		}
		return x
	}
	h.done(h.next(), Outcome{State: Fetched, Exclude: out("http://a/2", "http://a/3", "http://a/1"),
		Links: []URL{{URL: "http://a/3", Priority: 9}}})
	h.drained()
	h.state("http://a/1", Fetched)
	for _, key := range []string{"http://a/2", "http://a/3"} {
		if e := h.state(key, Excluded); e.Reason != "spam" {
			t.Errorf("%s: reason %q", key, e.Reason)
		}
	}
	if e := h.state("http://a/3", Excluded); e.Via != "http://a/1" {
		t.Errorf("excluded by %q", e.Via)
	}
	if n := h.Counters()["blacklisted"]; n != 2 {
		t.Errorf("%d counted, want 2: one was fetched", n)
	}
	if err := h.Check(); err != nil {
		t.Error(err)
	}
}

func TestTheHighestPriorityBringsItsWhy(t *testing.T) {
	h := start(t, Options{Update: Avg})
	h.add(URL{URL: "http://a/1", Priority: 5, Why: "five"})
	h.add(URL{URL: "http://a/1", Priority: 3, Why: "three"})
	if e := h.state("http://a/1", Pending); e.Why != "five" {
		t.Errorf("note %q after a lower priority", e.Why)
	}
	h.add(URL{URL: "http://a/1", Priority: 8, Why: "eight"}, URL{URL: "http://a/2", Why: strings.Repeat("x", maxWhy+1)})
	h.reopen(Options{Update: Avg})
	if l := h.next(); l.Why != "eight" {
		t.Errorf("leased because of %q", l.Why)
	}
	if e := h.state("http://a/2", Pending); e.Why != "" {
		t.Errorf("a part of a note is kept: %d bytes", len(e.Why))
	}
}
