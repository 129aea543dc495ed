package frontier

import (
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// The tests in this file state what crawler-commons/url-frontier expects of any frontier that is
// behind its interface, in the terms of this one: its queues are hosts here, its crawl ids are
// frontiers of their own, and an acknowledgement is that Add or Done returned.

// A URL that is discovered twice is acknowledged twice and is there once: one queue, one URL,
// and one in process after it was given out.
func TestURLFrontierUpdates(t *testing.T) {
	h := start(t, Options{})
	if n := h.add(URL{URL: "http://key1.com/"}, URL{URL: "http://key1.com/"}); n != 1 {
		t.Errorf("%d were new", n)
	}
	h.add(URL{URL: "http://key1.com/"})
	if s := h.Stats(); s.Hosts != 1 || s.Pending != 1 || s.Leased != 0 {
		t.Errorf("%+v", s)
	}
	if l := h.next(); l.URL.URL != "http://key1.com/" || l.Host != "key1.com" {
		t.Errorf("leased %+v", l)
	}
	if s := h.Stats(); s.Hosts != 1 || s.Pending != 0 || s.Leased != 1 {
		t.Errorf("%+v", s)
	}
}

// What was fetched and is not to be fetched again is not given out again, whoever discovers it.
func TestURLFrontierNeverRefetched(t *testing.T) {
	h := start(t, Options{})
	h.addAll("http://key1.com/")
	h.done(h.next(), Outcome{State: Fetched})
	for range 2 {
		h.addAll("http://key1.com/")
		h.drained()
		h.reopen(Options{})
	}
	if s := h.Stats(); s.Fetched != 1 || s.Seen != 1 {
		t.Errorf("%+v", s)
	}
}

// URLs of a queue come in the order of the dates on which they are due.
func TestURLFrontierRightOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := start(t, Options{})
		h.addAll("http://key1.com/1", "http://key1.com/2", "http://key1.com/3")
		for _, wait := range []time.Duration{3 * time.Hour, time.Hour, 2 * time.Hour} {
			h.done(h.next(), Outcome{State: Retry, RetryAfter: wait})
		}
		began := time.Now()
		for i, want := range []string{"2", "3", "1"} {
			l := h.next()
			if at := time.Since(began); l.URL.URL != "http://key1.com/"+want || at != time.Duration(i+1)*time.Hour {
				t.Errorf("%s came after %v", l.URL.URL, at)
			}
			h.done(l, Outcome{State: Fetched})
		}
	})
}

// A URL goes to the queue of its host. What has none, or one that no name server knows, is
// acknowledged and given to nobody.
func TestURLFrontierQueueNames(t *testing.T) {
	h := start(t, Options{})
	h.addAll("http://Key1.com/a", "https://key1.com:443/b", "http://user@key1.com:80/c", "http://key2.com:8080/")
	h.addAll("key3.com/", "http:///path", "http://"+strings.Repeat("k", 300)+".com/")
	if s := h.Stats(); s.Hosts != 2 || s.Pending != 4 || s.Excluded != 3 {
		t.Errorf("%+v", s)
	}
}

// Crawls know nothing of each other: the same URL is given out to both, and what becomes of it
// in one changes nothing in the other.
func TestURLFrontierCrawlIDs(t *testing.T) {
	a, b := start(t, Options{}), start(t, Options{})
	for _, h := range []*harness{a, b} {
		h.addAll("http://key1.com/")
	}
	a.done(a.next(), Outcome{State: Excluded, Reason: "deleted"})
	a.drained()
	b.state("http://key1.com/", Pending)
	b.done(b.next(), Outcome{State: Fetched})
	a.state("http://key1.com/", Excluded)
}

// A queue that is blocked until a time gives nothing before it, one with a delay gives a URL
// each such time, and a frontier that is not active gives nothing at all.
func TestURLFrontierBlockDelayAndActive(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := start(t, Options{})
		h.addAll("http://key1.com/1", "http://key1.com/2", "http://key1.com/3", "http://key1.com/4")
		began := time.Now()
		wait := 5 * time.Second
		at := func(want time.Duration, o Outcome) {
			t.Helper()
			o.State = Fetched
			l := h.next()
			if have := time.Since(began); have != want {
				t.Errorf("%s came after %v, want %v", l.URL.URL, have, want)
			}
			h.done(l, o)
		}
		at(0, Outcome{HostNotBefore: began.Add(time.Minute)})
		at(time.Minute, Outcome{})
		if err := h.SetRule(t.Context(), "key1.com", &Rule{Delay: &wait}); err != nil {
			t.Fatal(err)
		}
		at(time.Minute+wait, Outcome{})
		h.Pause(true)
		time.AfterFunc(time.Hour, func() { h.Pause(false) })
		at(time.Minute+wait+time.Hour, Outcome{})
		if _, err := h.Next(t.Context()); !errors.Is(err, ErrDrained) {
			t.Error(err)
		}
	})
}
