package frontier

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// harness is an open frontier whose methods fail the test.
type harness struct {
	*Frontier
	t   *testing.T
	dir string
}

func start(t *testing.T, options Options) *harness {
	t.Helper()
	h := &harness{t: t, dir: t.TempDir()}
	h.open(options)
	return h
}

func (h *harness) open(options Options) {
	h.t.Helper()
	f, err := Open(h.dir, options)
	if err != nil {
		h.t.Fatal(err)
	}
	f.db.NoSync = true // no test with a harness loses what was written
	h.Frontier = f
	h.t.Cleanup(func() {
		if err := f.Close(); err != nil {
			h.t.Error(err)
		}
	})
}

func (h *harness) reopen(options Options) {
	h.t.Helper()
	if err := h.Close(); err != nil {
		h.t.Fatal(err)
	}
	h.open(options)
}

func (h *harness) add(urls ...URL) int {
	h.t.Helper()
	n, err := h.Add(context.Background(), urls)
	if err != nil {
		h.t.Fatal(err)
	}
	return n
}

func (h *harness) addAll(urls ...string) {
	h.t.Helper()
	for _, u := range urls {
		h.add(URL{URL: u})
	}
}

func (h *harness) next() Lease {
	h.t.Helper()
	l, err := h.Next(context.Background())
	if err != nil {
		h.t.Fatal(err)
	}
	return l
}

func (h *harness) done(l Lease, o Outcome) {
	h.t.Helper()
	if err := h.Done(l, o); err != nil {
		h.t.Fatal(err)
	}
}

func (h *harness) drained() {
	h.t.Helper()
	if l, err := h.Next(context.Background()); !errors.Is(err, ErrDrained) {
		h.t.Fatalf("Next = %q, %v; want ErrDrained", l.URL.URL, err)
	}
}

// order fetches everything and returns the URLs in the order in which they came.
func (h *harness) order() string {
	h.t.Helper()
	var urls []string
	for {
		l, err := h.Next(context.Background())
		if errors.Is(err, ErrDrained) {
			return strings.Join(urls, " ")
		}
		if err != nil {
			h.t.Fatal(err)
		}
		urls = append(urls, strings.TrimPrefix(l.URL.URL, "http://"))
		h.done(l, Outcome{State: Fetched})
	}
}

func (h *harness) state(key string, want State) Entry {
	h.t.Helper()
	e, ok := h.Lookup(key)
	if !ok || e.State != want {
		h.t.Fatalf("%s is %v (%v), want %v", key, e.State, ok, want)
	}
	return e
}

func TestHigherPriorityComesFirstAndEqualsBreadthFirst(t *testing.T) {
	h := start(t, Options{})
	h.add(URL{URL: "http://a/1"}, URL{URL: "http://a/2", Priority: 5}, URL{URL: "http://a/3", Priority: -1 << 40},
		URL{URL: "http://a/4"}, URL{URL: "http://a/5", Priority: 5}, URL{URL: "http://a/6", Priority: 1 << 40})
	if have := h.order(); have != "a/6 a/2 a/5 a/1 a/4 a/3" {
		t.Error(have)
	}
}

func TestHostsTakeTurnsWhateverTheirSizeAndPriority(t *testing.T) {
	h := start(t, Options{})
	for i := range 5 {
		h.add(URL{URL: fmt.Sprint("http://big/", i), Priority: 100})
	}
	h.addAll("http://small/1", "http://middle/1", "http://middle/2")
	if have := h.order(); have != "big/0 small/1 middle/1 big/1 middle/2 big/2 big/3 big/4" {
		t.Error(have)
	}
}

func TestKeyIsAcceptedOnce(t *testing.T) {
	h := start(t, Options{})
	if n := h.add(URL{URL: "http://a/?sid=1", Key: "http://a/"}, URL{URL: "http://a/?sid=2", Key: "http://a/"}, URL{URL: "http://a/"}); n !=
		1 {
		t.Errorf("added %d, want 1", n)
	}
	if have := h.order(); have != "a/?sid=1" {
		t.Error(have)
	}
	if n := h.add(URL{URL: "http://a/", Priority: 9}); n != 0 {
		t.Errorf("a settled key was added again")
	}
	h.drained()
}

func TestEveryFieldOfAURLComesBack(t *testing.T) {
	h := start(t, Options{})
	want := URL{"http://a/x", "key", "http://a/", 3, "LRL", -7, true, false, "phpbb", "topic", "a link", true, true, 2, 1700000000,
		"because", ""}
	h.add(want)
	if l := h.next(); l.URL != want || l.Host != "a" {
		t.Errorf("lease %+v", l)
	}
	if e := h.state("key", Pending); e.URL != want || e.Added.IsZero() {
		t.Errorf("entry %+v", e)
	}
}

func TestPriorityRisesButNeverFalls(t *testing.T) {
	h := start(t, Options{})
	h.addAll("http://a/1", "http://a/2", "http://a/3")
	h.add(URL{URL: "http://a/3", Priority: 2, Via: "http://a/list", Level: "topic", Hops: 7})
	h.add(URL{URL: "http://a/2", Priority: 1})
	h.add(URL{URL: "http://a/3", Priority: 0, Via: "http://a/footer"})
	if e := h.state("http://a/3", Pending); e.Via != "http://a/list" || e.Level != "topic" || e.Hops != 0 {
		t.Errorf("entry %+v", e)
	}
	if have := h.order(); have != "a/3 a/2 a/1" {
		t.Error(have)
	}
}

func TestLeasedURLCanBeRaisedAndSettled(t *testing.T) {
	h := start(t, Options{PerHost: 2})
	h.addAll("http://a/1", "http://a/2")
	l := h.next()
	h.add(URL{URL: "http://a/1", Priority: 5})
	if other := h.next(); other.URL.URL != "http://a/2" {
		t.Fatalf("leased %s twice", other.URL.URL)
	}
	h.done(l, Outcome{State: Fetched})
	if err := h.Check(); err != nil {
		t.Error(err)
	}
}

func TestUnusableURLIsRecordedNotQueued(t *testing.T) {
	h := start(t, Options{})
	bad := []string{"mailto:a@b.test", "http://", "//a/b", "http://:80/", "http://a b/", "http://a\x00b/", "/path?u=http://a/",
		"http://" + strings.Repeat("h", 300) + "/", "http://a/" + strings.Repeat("x", 1<<20)}
	for _, u := range bad {
		if n := h.add(URL{URL: u, Anchor: strings.Repeat("ä", 1000)}); n != 0 {
			t.Errorf("%.40q was added", u)
		}
		if e := h.state(u, Excluded); e.Reason == "" || len(e.URL.URL) > maxURL || len(e.Anchor) > maxAnchor {
			t.Errorf("%.40q: reason %q", u, e.Reason)
		}
	}
	h.drained()
	if err := h.Check(); err != nil {
		t.Error(err)
	}
}

func TestHostOf(t *testing.T) {
	for url, want := range map[string]string{
		"http://Example.COM/a":       "example.com",
		"https://example.com:443":    "example.com",
		"http://example.com:443/":    "example.com:443",
		"http://u:p@ss@example.com?": "example.com",
		"HTTP://[::1]:8080/#x":       "[::1]:8080",
		"http://example.com/100%":    "example.com",
		"http://example.com:80#@x":   "example.com",
		"http://example.com:/":       "example.com",
	} {
		if have, err := HostOf(url); have != want || err != nil {
			t.Errorf("HostOf(%q) = %q, %v; want %q", url, have, err, want)
		}
	}
}

func TestRetryBacksOffAndGivesUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := start(t, Options{MaxTries: 4})
		h.addAll("http://a/1")
		var waits []time.Duration
		for tries := range 4 {
			before := time.Now()
			l := h.next()
			waits = append(waits, time.Since(before))
			if l.Tries != tries {
				t.Errorf("lease says %d tries, want %d", l.Tries, tries)
			}
			h.done(l, Outcome{State: Retry, Reason: "refused"})
		}
		if fmt.Sprint(waits) != "[0s 10s 20s 40s]" {
			t.Errorf("waits %v", waits)
		}
		if e := h.state("http://a/1", Failed); e.Tries != 4 || e.Reason != "refused" || e.Settled.IsZero() {
			t.Errorf("entry %+v", e)
		}
		h.drained()
	})
}

// TestRetryLetsAnotherURLShowWhetherTheHostIsDown: with a Crawl-delay as long as the
// back-off a URL would come three times in a row.
func TestRetryLetsAnotherURLShowWhetherTheHostIsDown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := start(t, Options{Backoff: 5 * time.Second, MaxTries: 3})
		h.addAll("http://a/1", "http://a/2")
		h.done(h.next(), Outcome{State: Retry, HostDelay: 20 * time.Second})
		if l := h.next(); l.URL.URL != "http://a/2" {
			t.Errorf("after a failure %s was leased again", l.URL.URL)
		}
	})
}

func TestRetryDoesNotHoldUpItsHost(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := start(t, Options{Delay: time.Second})
		h.add(URL{URL: "http://a/1", Priority: 1})
		h.addAll("http://a/2", "http://a/3")
		began := time.Now()
		h.done(h.next(), Outcome{State: Retry, RetryAfter: 1500 * time.Millisecond})
		if have := h.order(); have != "a/2 a/1 a/3" {
			t.Errorf("order %s: a due retry comes by its priority", have)
		}
		if d := time.Since(began); d != 3*time.Second {
			t.Errorf("took %v, want 3s", d)
		}
	})
}

func TestDeferredURLIsNextOfItsHostAndNotATry(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := start(t, Options{Delay: time.Second, MaxTries: 1})
		h.add(URL{URL: "http://a/page"}, URL{URL: "http://a/important", Priority: 9})
		first := h.next()
		h.done(first, Outcome{State: Fetched})
		began := time.Now()
		l := h.next()
		h.add(URL{URL: "http://a/urgent", Priority: 99})
		h.done(l, Outcome{State: Defer, HostNote: []byte("User-agent: *"), HostDelay: 4 * time.Second})
		l = h.next()
		if l.URL.URL != "http://a/page" || l.Tries != 0 || string(l.Note) != "User-agent: *" {
			t.Errorf("lease %+v", l)
		}
		if d := time.Since(began); d != 5*time.Second {
			t.Errorf("came after %v, want 1s + 4s: the exchange before it counts", d)
		}
		h.done(l, Outcome{State: Defer, RetryAfter: time.Hour, NoRequest: true})
		if l := h.next(); l.URL.URL != "http://a/urgent" {
			t.Errorf("%s came before the others of its host", l.URL.URL)
		}
	})
}

func TestPolitenessOutlivesTheProcess(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		options := Options{Delay: time.Second}
		h := start(t, options)
		h.addAll("http://slow/1", "http://slow/2", "http://busy/1", "http://busy/2")
		h.done(h.next(), Outcome{State: Fetched, HostDelay: 10 * time.Second, HostNote: []byte("robots")})
		h.done(h.next(), Outcome{State: Retry, RetryAfter: time.Minute, HostNotBefore: time.Now().Add(30 * time.Second)})
		time.Sleep(2 * time.Second)
		h.reopen(options)
		began := time.Now()
		l := h.next()
		if d := time.Since(began); l.URL.URL != "http://slow/2" || d != 10*time.Second || string(l.Note) != "robots" {
			t.Errorf("%s after %v with note %q, want slow/2 after 10s: an exchange may have been under way", l.URL.URL, d, l.Note)
		}
		l = h.next()
		if d := time.Since(began); l.URL.URL != "http://busy/2" || d != 28*time.Second {
			t.Errorf("%s after %v, want busy/2 after 28s: Retry-After", l.URL.URL, d)
		}
		h.done(l, Outcome{State: Fetched})
		l = h.next()
		if d := time.Since(began); l.URL.URL != "http://busy/1" || d != 58*time.Second || l.Tries != 1 {
			t.Errorf("%s after %v and %d tries, want busy/1 after 58s and 1", l.URL.URL, d, l.Tries)
		}
	})
}

func TestHostsOfOneAddressAreAskedOneAtATime(t *testing.T) {
	h := start(t, Options{})
	h.addAll("http://a/1", "http://b/1", "http://a/2", "http://b/2", "http://c/1")
	for range 2 {
		h.done(h.next(), Outcome{State: Fetched, IP: "192.0.2.1"})
	}
	l := h.next()
	if l.Host != "c" {
		t.Fatalf("leased %s, want c whose turn it is", l.Host)
	}
	l = h.next()
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	h.mu.Lock()
	other, found, err := h.take()
	h.mu.Unlock()
	if l.Host != "a" || found || err != nil {
		t.Fatalf("leased %s and %s at once, %v", l.Host, other.Host, err)
	}
	if _, err := h.Next(ctx); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	h.done(l, Outcome{State: Fetched})
	if l := h.next(); l.Host != "b" {
		t.Errorf("leased %s, want b", l.Host)
	}
}

func TestAliasIsNeverFetched(t *testing.T) {
	h := start(t, Options{PerHost: 3})
	h.addAll("http://a/topic", "http://a/post", "http://a/other", "http://a/last")
	topic, post, other := h.next(), h.next(), h.next()
	h.done(topic, Outcome{State: Fetched, Aliases: []string{"http://a/topic", "http://a/post", "http://a/other", "http://a/last",
		"http://a/new"},
		Links: []URL{{URL: "http://a/new"}}})
	if s := h.Stats(); s.Pending != 0 || s.Leased != 2 || s.Aliased != 4 || s.Seen != 5 {
		t.Errorf("stats %+v", s)
	}
	h.state("http://a/topic", Fetched)
	h.state("http://a/last", Aliased)
	if e := h.state("http://a/new", Aliased); e.Via != "http://a/topic" {
		t.Errorf("entry %+v", e)
	}
	// The two that were under way: a capture counts, a failed try is not repeated.
	h.done(post, Outcome{State: Fetched})
	h.state("http://a/post", Fetched)
	h.done(other, Outcome{State: Retry, Reason: "timeout"})
	if e := h.state("http://a/other", Aliased); e.Reason != "captured as http://a/topic" {
		t.Errorf("entry %+v", e)
	}
	h.drained()
	if err := h.Check(); err != nil {
		t.Error(err)
	}
}

func TestCountersMarksNotesAndSettingsLast(t *testing.T) {
	h := start(t, Options{})
	h.addAll("http://a/1", "http://a/2")
	marks := []Mark{{"post 1", "sioc:Post", "Hello"}, {"post 2", "sioc:Post", ""}, {"post 1", "sioc:Post", "Hello again"}}
	h.done(h.next(), Outcome{State: Fetched, Counters: map[string]int64{"bytes": 10}, Marks: marks, HostNote: []byte("note")})
	h.done(h.next(), Outcome{State: Excluded, Counters: map[string]int64{"bytes": -3}, Marks: marks[:1]})
	if err := h.PutMeta("flags", []byte("--delay 0")); err != nil {
		t.Fatal(err)
	}
	h.reopen(Options{})
	if have := h.Counters(); !maps.Equal(have, map[string]int64{"bytes": 7, "sioc:Post": 2}) {
		t.Errorf("counters %v", have)
	}
	var have []Mark
	if err := h.EachMark(func(m Mark) error { have = append(have, m); return nil }); err != nil {
		t.Fatal(err)
	}
	slices.SortFunc(have, func(a, b Mark) int { return strings.Compare(a.Key, b.Key) })
	if !slices.Equal(have, marks[:2]) {
		t.Errorf("marks %v", have)
	}
	if string(h.Note("a")) != "note" || h.Note("b") != nil || string(h.Meta("flags")) != "--delay 0" || h.Meta("x") != nil {
		t.Errorf("note %q, setting %q", h.Note("a"), h.Meta("flags"))
	}
	if err := h.PutMeta("", nil); err == nil {
		t.Error("a setting without a name was stored")
	}
}

// What is found later on a settled page is one transaction, as its outcome was.
func TestAmendAndSettingsOfAnOutcome(t *testing.T) {
	h := start(t, Options{})
	h.addAll("http://a/1")
	h.done(h.next(), Outcome{State: Fetched, Meta: map[string][]byte{"page 1": []byte("x"), "page 2": []byte("y"), "pal": []byte("z")}})
	o := Outcome{Links: []URL{{URL: "http://a/2"}, {URL: "http://a/1"}}, Counters: map[string]int64{"n": 2},
		Marks: []Mark{{Key: "p", Counter: "sioc:Post"}}, Meta: map[string][]byte{"page 1": nil}}
	for range 2 { // once more, as after a crash: only counters count again
		if err := h.Amend("http://a/1", o); err != nil {
			t.Fatal(err)
		}
	}
	h.reopen(Options{})
	if have := h.Counters(); !maps.Equal(have, map[string]int64{"n": 4, "sioc:Post": 1}) {
		t.Errorf("counters %v", have)
	}
	have := map[string]string{}
	if err := h.EachMeta("page ", func(key string, value []byte) error { have[key] = string(value); return nil }); err != nil {
		t.Fatal(err)
	}
	if !maps.Equal(have, map[string]string{"page 2": "y"}) {
		t.Errorf("settings %v", have)
	}
	if l := h.next(); l.URL.URL != "http://a/2" || l.Via != "http://a/1" {
		t.Errorf("the next lease is %+v", l)
	}
	if err := h.Amend("http://a/1", Outcome{Counters: map[string]int64{"": 1}}); err == nil {
		t.Error("a counter without a name was taken")
	}
}

func TestEachAndPendingAllowCallsAndStop(t *testing.T) {
	h := start(t, Options{})
	var urls []URL
	for i := range 2*scanStep + 1 {
		urls = append(urls, URL{URL: fmt.Sprintf("http://h%d/%04d", i%2, i), Priority: -i})
	}
	h.add(urls...)
	h.done(h.next(), Outcome{State: Retry})
	h.done(h.next(), Outcome{State: Fetched})
	var order []string
	err := h.Pending(func(e Entry) error {
		order = append(order, e.URL.URL)
		return h.PutMeta("last", []byte(e.Key)) // would deadlock or grow the file in an open transaction
	})
	if err != nil || len(order) != 2*scanStep || order[0] != "http://h0/0002" || order[len(order)-1] != "http://h0/0000" {
		t.Errorf("%d pending, first %s, last %s, %v", len(order), order[0], order[len(order)-1], err)
	}
	var n int
	stop := errors.New("enough")
	if err := h.Each(Pending, func(Entry) error { n++; return nil }); err != nil || n != 2*scanStep {
		t.Errorf("%d pending, %v", n, err)
	}
	if err := h.Each(Fetched, func(e Entry) error { n--; return stop }); !errors.Is(err, stop) || n != 2*scanStep-1 {
		t.Errorf("%d, %v", n, err)
	}
}

func TestLeaseIsSettledExactlyOnce(t *testing.T) {
	h := start(t, Options{})
	h.addAll("http://a/1")
	l := h.next()
	for _, bad := range []Outcome{{}, {State: Aliased}, {State: Fetched, RetryAfter: -1},
		{State: Fetched, Counters: map[string]int64{"": 1}}, {State: Fetched, Marks: []Mark{{Key: "k"}}}} {
		if err := h.Done(l, bad); err == nil {
			t.Errorf("outcome %+v was accepted", bad)
		}
	}
	h.done(l, Outcome{State: Fetched})
	if err := h.Done(l, Outcome{State: Failed}); err == nil {
		t.Error("settled twice")
	}
	h.state("http://a/1", Fetched)
	if err := h.Done(Lease{ID: 99}, Outcome{State: Fetched}); err == nil {
		t.Error("settled a lease that never was")
	}
}

func TestLeaseReturnsAfterReopen(t *testing.T) {
	h := start(t, Options{})
	h.addAll("http://a/1", "http://a/2")
	old := h.next()
	h.reopen(Options{})
	if l := h.next(); l.URL.URL != old.URL.URL || l.Tries != 0 {
		t.Errorf("lease %+v, want %s again and not a try", l, old.URL.URL)
	}
}

func TestOptionsAreCheckedTogether(t *testing.T) {
	_, err := Open(t.TempDir(), Options{Delay: -1, MaxTries: -1, Now: time.Now})
	for _, want := range []string{"Delay", "MaxTries", "Now and After"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v does not speak of %s", err, want)
		}
	}
}
