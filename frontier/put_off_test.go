package frontier

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// puts returns n URLs that are put off in a family, on a host.
func puts(host, family string, from, n int) (urls []URL) {
	for i := range n {
		urls = append(urls, URL{URL: fmt.Sprintf("http://%s/%s/%d", host, family, from+i), Family: family})
	}
	return urls
}

func (h *harness) family(name string) Family {
	h.t.Helper()
	for _, f := range h.Families() {
		if f.Name == name {
			return f
		}
	}
	return Family{}
}

func TestURLsThatArePutOffComeBehindAllElse(t *testing.T) {
	h := start(t, Options{})
	h.add(puts("a", "calendar", 1, 2)...)
	h.addAll("http://a/1", "http://b/1")
	if s := h.Stats(); s.PutOff != 2 || s.Pending != 2 || s.Seen != 4 || s.Held != 0 {
		t.Errorf("stats %+v", s)
	}
	if e := h.state("http://a/calendar/1", PutOff); e.Family != "calendar" || !e.Settled.IsZero() {
		t.Errorf("entry %+v", e)
	}
	h.reopen(Options{})
	if have := h.order(); have != "a/1 b/1 a/calendar/1 a/calendar/2" {
		t.Error(have)
	}
	if f := h.family("calendar"); f.Drawn != 2 || f.Waiting != 0 {
		t.Errorf("family %+v", f)
	}
	if e := h.state("http://a/calendar/1", Fetched); e.Family != "calendar" {
		t.Errorf("entry %+v does not tell that it was drawn", e)
	}
}

func TestLinkWithoutAFamilySchedulesWhatIsPutOff(t *testing.T) {
	h := start(t, Options{})
	h.add(puts("a", "f", 1, 4)...)
	h.add(URL{URL: "http://a/f/2", Family: "g", Priority: 9})
	if e := h.state("http://a/f/2", PutOff); e.Family != "f" || e.Priority != 0 {
		t.Errorf("a link with a family changes what is put off: %+v", e)
	}
	h.add(URL{URL: "http://a/f/2", Priority: 3, Via: "http://a/"})
	if e := h.state("http://a/f/2", Pending); e.Family != "" || e.Priority != 3 || e.Via != "http://a/" {
		t.Errorf("entry %+v", e)
	}
	h.add(URL{URL: "http://a/f/3", Family: "f", Seed: true})
	if e := h.state("http://a/f/3", Pending); !e.Seed || e.Family != "" {
		t.Errorf("entry %+v of a seed", e)
	}
	h.add(URL{URL: "http://a/f/2", Family: "f"})
	h.state("http://a/f/2", Pending)
	if f := h.family("f"); f.Waiting != 2 {
		t.Errorf("family %+v", f)
	}
}

func TestPutOffURLsAreExcludedAndAliased(t *testing.T) {
	h := start(t, Options{})
	h.add(puts("a", "f", 1, 3)...)
	h.addAll("http://a/1")
	if n, err := h.Exclude(t.Context(), []URL{{URL: "http://a/f/1"}}, "blacklisted"); n != 1 || err != nil {
		t.Error(n, err)
	}
	h.done(h.next(), Outcome{State: Fetched, Aliases: []string{"http://a/f/2"}})
	h.state("http://a/f/1", Excluded)
	h.state("http://a/f/2", Aliased)
	if have := h.order(); have != "a/f/3" {
		t.Error(have)
	}
}

func TestLeasedURLIsPutOffInsteadOfBeingFetched(t *testing.T) {
	h := start(t, Options{})
	h.addAll("http://a/1", "http://a/2")
	h.done(h.next(), Outcome{State: PutOff, Family: "f", Reason: "a calendar", NoRequest: true})
	if e := h.state("http://a/1", PutOff); e.Family != "f" || e.Reason != "a calendar" || e.Tries != 0 {
		t.Errorf("entry %+v", e)
	}
	h.done(h.next(), Outcome{State: Fetched})
	l := h.next()
	if l.URL.URL != "http://a/1" || !l.Drawn || l.Family != "f" {
		t.Errorf("lease %+v", l)
	}
	closed := true
	h.done(l, Outcome{State: PutOff, Family: "g", NoRequest: true, Families: map[string]FamilyChange{"g": {Closed: &closed}}})
	if f, g := h.family("f"), h.family("g"); f != (Family{}) || g.Waiting != 1 || g.Drawn != 0 {
		t.Errorf("families %+v, %+v: a drawn URL that is put off again counts as not drawn", f, g)
	}
	h.addAll("http://a/3")
	for _, o := range []Outcome{{State: PutOff}, {State: Fetched, Families: map[string]FamilyChange{"": {}}}} {
		if err := h.Done(h.next(), o); err == nil || !strings.Contains(err.Error(), "without a") {
			t.Errorf("%+v is taken: %v", o, err)
		}
		h.reopen(Options{})
	}
	h.add(URL{URL: "http://b/", Seed: true})
	for {
		l := h.next()
		if !l.Seed {
			h.done(l, Outcome{State: Fetched})
			continue
		}
		if err := h.Done(l, Outcome{State: PutOff, Family: "f"}); err == nil || !strings.Contains(err.Error(), "seed") {
			t.Errorf("a seed is put off: %v", err)
		}
		break
	}
}

// TestShareOfDrawnURLs crawls a site that always has other pages, and counts.
func TestShareOfDrawnURLs(t *testing.T) {
	for _, share := range []float64{0, 0.1, 0.5} {
		h := start(t, Options{PutOffShare: share})
		h.addAll("http://a/0", "http://b/0")
		drawn := 0
		for i := 1; i <= 400; i++ {
			l := h.next()
			if l.Drawn {
				drawn++
			}
			if float64(drawn) > share*float64(i) {
				t.Fatalf("%d of %d requests were for drawn URLs, want %v of all at most", drawn, i, share)
			}
			o := Outcome{State: Fetched}
			if !l.Drawn {
				o.Links = append(puts(l.Host, "f", 10*i, 3), URL{URL: fmt.Sprint("http://a/", i)}, URL{URL: fmt.Sprint("http://b/", i)})
			}
			h.done(l, o)
			if i == 200 {
				h.reopen(Options{PutOffShare: share})
			}
		}
		if want := share*400 - 2; float64(drawn) < want {
			t.Errorf("%d of 400 requests were for drawn URLs, want about %v", drawn, want)
		}
	}
}

// TestDeferredURLsDoNotWaitForOtherHosts: neither what others have pending, nor what is leased of them, nor their failures hold
// up the deferred URLs of a host that has nothing better.
func TestDeferredURLsDoNotWaitForOtherHosts(t *testing.T) {
	now := time.Unix(1e9, 0)
	h := start(t, Options{PerHost: 1, Now: func() time.Time { return now }, After: time.After})
	h.addAll("http://drip/1", "http://dead/1")
	for range 2 {
		if l := h.next(); l.Host == "dead" {
			h.done(l, Outcome{State: Retry, RetryAfter: time.Hour})
		}
	}
	h.add(puts("a", "f", 0, 40)...)
	h.add(puts("b", "g", 0, 40)...)
	count := make(map[string]int)
	for range 80 {
		l := h.next()
		count[l.Host]++
		if !l.Drawn || count["a"]-count["b"] > 1 || count["b"]-count["a"] > 1 {
			t.Fatalf("%s is leased after %v", l.URL.URL, count)
		}
		h.done(l, Outcome{State: Retry, RetryAfter: time.Hour}) // as many as wait may fail
	}
	if s := h.Stats(); s.PutOff != 0 || s.Leased != 1 {
		t.Errorf("stats %+v", s)
	}
}

// TestShareIsKeptPerHost: a host with many other URLs keeps the share, whatever others request.
func TestShareIsKeptPerHost(t *testing.T) {
	h := start(t, Options{PutOffShare: 0.1})
	for i := range 200 {
		h.addAll(fmt.Sprint("http://a/", i), fmt.Sprint("http://b/", i))
	}
	h.add(puts("a", "f", 0, 200)...)
	requests, drawn := make(map[string]int), make(map[string]int)
	for range 200 {
		l := h.next()
		requests[l.Host]++
		if l.Drawn {
			drawn[l.Host]++
		}
		h.done(l, Outcome{State: Fetched})
	}
	if requests["a"] != 100 || drawn["a"] != 10 || drawn["b"] != 0 {
		t.Errorf("%v requests, %v of them for deferred URLs", requests, drawn)
	}
}

// TestPageThatIsReadComesBeforeDeferredURLs: what it leads to may be better.
func TestPageThatIsReadComesBeforeDeferredURLs(t *testing.T) {
	h := start(t, Options{})
	h.addAll("http://a/0")
	h.done(h.next(), Outcome{State: Defer, IP: "192.0.2.1"})
	page := h.next()
	h.add(puts("a", "f", 0, 2)...)
	h.Answered(page)
	h.mu.Lock()
	if l, found, err := h.take(); found || err != nil {
		t.Errorf("%s is leased, %v", l.URL.URL, err)
	}
	h.mu.Unlock()
	h.done(page, Outcome{State: Fetched, Links: []URL{{URL: "http://a/1"}}})
	if have := h.order(); have != "a/1 a/f/0 a/f/1" {
		t.Error(have)
	}
}

// TestNothingGoesBeyondTheLimitOfAFamily: leases count, on all hosts, and what they leave comes when they end.
func TestNothingGoesBeyondTheLimitOfAFamily(t *testing.T) {
	h := start(t, Options{PutOffLimit: 2})
	for _, host := range []string{"a", "b", "c"} {
		h.add(puts(host, "f", 0, 1)...)
	}
	first, second := h.next(), h.next()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if l, err := h.Next(ctx); err == nil {
		t.Fatalf("%s is leased", l.URL.URL)
	}
	h.done(second, Outcome{State: PutOff, Family: "g", NoRequest: true})
	third := h.next()
	if third.Host == first.Host || third.Host == second.Host && third.Family == "f" {
		t.Errorf("%+v", third)
	}
	h.done(first, Outcome{State: Fetched})
	h.done(third, Outcome{State: Fetched})
	h.order()
	if f := h.family("f"); f.Drawn > 2 {
		t.Errorf("family %+v", f)
	}
}

// TestLeasedDeferredURLIsNamedOrSettledMeanwhile schedules and settles URLs while they are leased from their families.
func TestLeasedDeferredURLIsNamedOrSettledMeanwhile(t *testing.T) {
	h := start(t, Options{PerHost: 3})
	h.add(puts("a", "f", 0, 3)...)
	leases := []Lease{h.next(), h.next(), h.next()}
	h.add(URL{URL: leases[0].URL.URL})
	if _, err := h.Exclude(t.Context(), []URL{{URL: leases[1].URL.URL}}, "blacklisted"); err != nil {
		t.Fatal(err)
	}
	if s := h.Stats(); s.PutOff != 0 || s.Pending != 0 || s.Leased != 3 || s.Excluded != 1 {
		t.Errorf("stats %+v", s)
	}
	h.done(leases[0], Outcome{State: Defer})
	h.done(leases[1], Outcome{State: Retry})
	h.done(leases[2], Outcome{State: Fetched})
	if have := h.order(); have != "a/f/0" {
		t.Error(have)
	}
	if f := h.family("f"); f.Waiting != 0 || f.Drawn != 1 {
		t.Errorf("family %+v", f)
	}
	if err := h.Check(); err != nil {
		t.Error(err)
	}
}

// TestFailuresDoNotHoldUpTheirFamily: while a few of its URLs back off, others of a family are fetched.
func TestFailuresDoNotHoldUpTheirFamily(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := start(t, Options{})
		h.add(puts("a", "f", 0, 400)...)
		begun := time.Now()
		for n := 0; ; n++ {
			l, err := h.Next(t.Context())
			if errors.Is(err, ErrDrained) {
				break
			}
			if err != nil {
				t.Fatal(err)
			}
			time.Sleep(100 * time.Millisecond)
			o := Outcome{State: Fetched}
			if n%20 == 0 && l.Tries == 0 {
				o.State = Retry
			}
			h.done(l, o)
		}
		if s := h.Stats(); s.Fetched != 400 {
			t.Errorf("stats %+v", s)
		}
		if d := time.Since(begun); d > 60*time.Second {
			t.Errorf("400 URLs, each in a tenth of a second and 20 of them twice, took %v", d)
		}
		if err := h.Close(); err != nil {
			t.Error(err)
		}
	})
}

// TestFamiliesTakeTurnsUntilTheyAreClosedOrExhausted lets one family be closed after the first page, and one have no end.
func TestFamiliesTakeTurnsUntilTheyAreClosedOrExhausted(t *testing.T) {
	o := Options{PutOffLimit: 6}
	h := start(t, o)
	h.add(puts("a", "endless", 0, 1)...)
	h.add(puts("a", "copies", 0, 20)...)
	h.add(puts("a", "finite", 0, 5)...)
	closed, note := true, "copies of one page"
	crawl := func() map[string]int {
		pages := make(map[string]int)
		for {
			l, err := h.Next(context.Background())
			if errors.Is(err, ErrDrained) {
				return pages
			}
			if err != nil {
				t.Fatal(err)
			}
			pages[l.Family]++
			out := Outcome{State: Fetched}
			switch l.Family {
			case "endless":
				out.Links = puts("a", "endless", 3*h.family("endless").Drawn, 3)
			case "copies":
				out.Families = map[string]FamilyChange{"copies": {Note: &note, Closed: &closed}}
			}
			h.done(l, out)
		}
	}
	pages := crawl()
	if pages["endless"] != 6 || pages["finite"] != 5 || pages["copies"] != 1 {
		t.Errorf("pages %v", pages)
	}
	s := h.Stats()
	if e := h.family("endless"); e.Waiting == 0 || e.Limit != 6 || s.PutOff != s.Held || s.PutOff != e.Waiting+20-pages["copies"] {
		t.Errorf("family %+v, stats %+v", e, s)
	}
	if c := h.family("copies"); !c.Closed || c.Note != note {
		t.Errorf("family %+v", c)
	}
	waiting := h.family("endless").Waiting
	if err := h.Amend("", Outcome{Families: map[string]FamilyChange{"endless": {Note: &note}}}); err != nil {
		t.Fatal(err)
	}
	h.reopen(o)
	h.drained()
	if err := h.Reopen(); err != nil {
		t.Fatal(err)
	}
	closed = false
	if pages := crawl(); pages["endless"] != waiting || pages["copies"] == 0 || h.family("copies").Waiting != 0 {
		t.Errorf("after Reopen %v, want %d of what has no end, and all copies, of which %+v are left", pages, waiting, h.family("copies"))
	}
}

func TestEachPutOff(t *testing.T) {
	h := start(t, Options{})
	h.add(puts("b", "g", 0, 3)...)
	h.add(puts("a", "f", 0, 600)...)
	for most, want := range map[int]int{0: 600, 10: 10, 300: 300, 1000: 600} {
		var urls []string
		if err := h.EachPutOff("f", most, func(e Entry) error { urls = append(urls, e.URL.URL); return nil }); err != nil {
			t.Fatal(err)
		}
		if len(urls) != want || urls[9] != "http://a/f/9" {
			t.Errorf("%d URLs for at most %d, want %d in the order found", len(urls), most, want)
		}
	}
	stop := errors.New("enough")
	if err := h.EachPutOff("f", 0, func(Entry) error { return stop }); !errors.Is(err, stop) {
		t.Error(err)
	}
	if err := h.EachPutOff("unknown", 0, func(Entry) error { return stop }); err != nil {
		t.Error(err)
	}
}

// TestRulesHoldForWhatIsDrawn gives a domain a budget, and turns another one off.
func TestRulesHoldForWhatIsDrawn(t *testing.T) {
	h := start(t, Options{})
	h.add(puts("off.test", "mixed", 0, 5)...)
	h.add(puts("few.test", "mixed", 5, 9)...)
	h.add(puts("all.test", "mixed", 20, 2)...)
	for domain, r := range map[string]*Rule{"off.test": {Off: true}, "few.test": {Budget: 3}} {
		if err := h.SetRule(t.Context(), domain, r); err != nil {
			t.Fatal(err)
		}
	}
	have := strings.Fields(h.order())
	slices.Sort(have)
	if want := "all.test/mixed/20 all.test/mixed/21 few.test/mixed/5 few.test/mixed/6 few.test/mixed/7"; strings.Join(have, " ") != want {
		t.Errorf("%v, want %v", have, want)
	}
	h.drained()
	if err := h.SetRule(t.Context(), "off.test", nil); err != nil {
		t.Fatal(err)
	}
	if have := strings.Fields(h.order()); len(have) != 5 {
		t.Errorf("%v after the rule was taken back", have)
	}
	if s := h.Stats(); s.PutOff+s.Pending != 6 {
		t.Errorf("stats %+v", s)
	}
}

func TestManyFamilies(t *testing.T) {
	h := start(t, Options{PutOffShare: 0.5, PutOffLimit: 1})
	const families = 4000
	var urls []URL
	for i := range families {
		urls = append(urls, puts("a", fmt.Sprint("family", i), 0, 2)...)
	}
	h.add(urls...)
	h.addAll("http://a/1", "http://a/2", "http://a/3", "http://a/4")
	for range 200 {
		h.done(h.next(), Outcome{State: Fetched})
	}
	s := h.Stats()
	if len(h.Families()) != families || s.Held == 0 || s.PutOff+s.Pending+s.Fetched != 2*families+4 {
		t.Errorf("stats %+v", s)
	}
}

// TestOneChangePutsOffAndVouches says both of a URL in one transaction, where there are so many URLs that known ones are looked up before.
func TestOneChangePutsOffAndVouches(t *testing.T) {
	h := start(t, Options{})
	h.add(benchURLs(0, 3000, 9)...)
	h.add(puts("a", "f", 0, 1)...)
	h.add(URL{URL: "http://a/f/0"}, URL{URL: "http://a/f/0", Family: "f", Priority: 5})
	if e := h.state("http://a/f/0", Pending); e.Priority != 5 {
		t.Errorf("entry %+v: it was pending when it was named the second time", e)
	}
	l := h.next()
	h.done(l, Outcome{State: PutOff, Family: "f", NoRequest: true, Links: []URL{l.URL}})
	h.state(l.Key, Pending)
}

// TestTurnDoesNotTakeWhatWaitsForItsBatch puts off a URL that was chosen for the turn, and lets it come back in a batch.
func TestTurnDoesNotTakeWhatWaitsForItsBatch(t *testing.T) {
	h := start(t, Options{PerTurn: 3, PerHost: 2, Batch: 10})
	h.addAll("http://a/1", "http://a/2", "http://a/3")
	first, second := h.next(), h.next()
	h.done(second, Outcome{State: PutOff, Family: "f", NoRequest: true})
	h.done(first, Outcome{State: Fetched, Links: []URL{{URL: second.URL.URL}}})
	if e := h.state("http://a/2", Pending); !e.Batched {
		t.Errorf("entry %+v", e)
	}
	if l := h.next(); l.URL.URL != "http://a/3" {
		t.Errorf("%s is leased before its batch is complete", l.URL.URL)
	}
}
