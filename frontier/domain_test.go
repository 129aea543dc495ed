package frontier

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

func TestDomainOf(t *testing.T) {
	for host, want := range map[string]string{
		"example.org": "example.org", "www.example.org": "example.org", "a.b.example.co.uk:8080": "example.co.uk",
		"someone.blogspot.com": "someone.blogspot.com",
		"localhost":            "localhost", "localhost:8080": "localhost", "192.0.2.1": "192.0.2.1", "192.0.2.1:81": "192.0.2.1",
		"[2001:db8::1]:8080": "2001:db8::1", "[2001:db8::1]": "2001:db8::1",
		"co.uk": "co.uk", "example.org.": "example.org", "a.test": "a.test", "x.a.test": "a.test",
	} {
		if have := DomainOf(host); have != want {
			t.Errorf("DomainOf(%s) = %s, want %s", host, have, want)
		}
	}
}

// gaps fetches everything, each taking 100 ms, and returns for each URL how long after
// the end of the one before it began.
func (h *harness) gaps() (gaps []string) {
	end := time.Now()
	for {
		l, err := h.Next(h.t.Context())
		if err != nil {
			return gaps
		}
		gaps = append(gaps, fmt.Sprintf("%s+%v", strings.TrimPrefix(l.URL.URL, "http://"), time.Since(end)))
		time.Sleep(100 * time.Millisecond)
		end = time.Now()
		h.done(l, Outcome{State: Fetched, IP: "192.0.2.1"})
	}
}

func TestAddressAndDomainHaveAWaitOfTheirOwn(t *testing.T) {
	for name, test := range map[string]struct {
		options Options
		want    string
	}{
		"host": {Options{Delay: 4 * time.Second}, "[x.a.test/1+0s y.a.test/1+0s b.test/1+0s x.a.test/2+3.8s y.a.test/2+0s b.test/2+0s]"},
		"address": {Options{Delay: 4 * time.Second, IPDelay: time.Second},
			"[x.a.test/1+0s y.a.test/1+0s b.test/1+0s x.a.test/2+3.8s y.a.test/2+1s b.test/2+1s]"},
		"domain": {Options{Delay: 4 * time.Second, DomainDelay: 2 * time.Second},
			"[x.a.test/1+0s b.test/1+0s y.a.test/1+1.9s x.a.test/2+2s b.test/2+0s y.a.test/2+1.9s]"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				h := start(t, test.options)
				for i := 1; i <= 2; i++ {
					h.addAll(fmt.Sprintf("http://x.a.test/%d", i), fmt.Sprintf("http://y.a.test/%d", i), fmt.Sprintf("http://b.test/%d", i))
				}
				if have := fmt.Sprint(h.gaps()); have != test.want {
					t.Errorf("%s\nwant %s", have, test.want)
				}
			})
		})
	}
}

func TestDomainIsAskedOneAtATime(t *testing.T) {
	h := start(t, Options{PerDomain: 1})
	h.addAll("http://x.a.test/1", "http://y.a.test/1", "http://b.test/1")
	first, second := h.next(), h.next()
	if first.Host != "x.a.test" || second.Host != "b.test" {
		t.Fatalf("leased %s and %s", first.Host, second.Host)
	}
	h.done(first, Outcome{State: Fetched})
	if l := h.next(); l.Host != "y.a.test" {
		t.Errorf("leased %s", l.Host)
	}
}

// TestManyHostsBehindOneAddress has what a large blog platform looks like.
func TestManyHostsBehindOneAddress(t *testing.T) {
	const hosts = 3000
	h := start(t, Options{})
	var urls []URL
	for i := range hosts {
		urls = append(urls, URL{URL: fmt.Sprintf("http://%d.test/1", i)}, URL{URL: fmt.Sprintf("http://%d.test/2", i)})
	}
	h.add(urls...)
	for i := range hosts {
		h.done(h.next(), Outcome{State: Fetched, IP: fmt.Sprint("192.0.2.", i%2)})
	}
	a, b := h.next(), h.next()
	if a.Host != "0.test" || b.Host != "1.test" {
		t.Fatalf("leased %s and %s", a.Host, b.Host)
	}
	h.Frontier.mu.Lock()
	_, found, err := h.take()
	ready := len(h.mu.schedule.ready.items)
	h.Frontier.mu.Unlock()
	if found || err != nil || ready > 0 {
		t.Errorf("a third lease for two addresses: %v, %v; %d hosts are looked at again each time", found, err, ready)
	}
	h.done(a, Outcome{State: Fetched})
	if l := h.next(); l.Host != "2.test" {
		t.Errorf("leased %s", l.Host)
	}
}

func TestRulesChangeWhileTheyCount(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := start(t, Options{Delay: time.Second})
		set := func(domain string, r *Rule) {
			t.Helper()
			if err := h.SetRule(t.Context(), domain, r); err != nil {
				t.Fatal(err)
			}
		}
		for i := range 3 {
			h.addAll(fmt.Sprintf("http://a.test/%d", i), fmt.Sprintf("http://x.b.test/%d", i), fmt.Sprintf("http://c.test:8080/%d", i))
		}
		wait := 5 * time.Second
		set("b.test", &Rule{Off: true})
		set("c.test", &Rule{Priority: 1, Delay: &wait})
		set("a.test", &Rule{Budget: 2})
		if have := fmt.Sprint(h.gaps()); have != "[c.test:8080/0+0s a.test/0+0s a.test/1+1s c.test:8080/1+3.8s c.test:8080/2+5s]" {
			t.Error(have)
		}
		if s := h.Stats(); s.Pending != 4 || s.Stopped != 4 {
			t.Errorf("stats %+v", s)
		}
		h.reopen(Options{})
		h.drained()
		set("b.test", nil)
		set("a.test", &Rule{Budget: 3})
		if have := h.order(); have != "a.test/2 x.b.test/0 x.b.test/1 x.b.test/2" {
			t.Error(have)
		}
		if rules := h.Rules(); len(rules) != 2 || rules["a.test"].Budget != 3 || *rules["c.test"].Delay != wait {
			t.Errorf("rules %+v", rules)
		}
		if h.SetRule(t.Context(), "a.test", &Rule{Budget: -1}) == nil || h.SetRule(t.Context(), "", &Rule{}) == nil {
			t.Error("a rule that cannot be is accepted")
		}
	})
}

// TestLinkFarmGetsWhatOthersGrantIt has a farm of hosts under one domain that link to
// each other, and a site that two other domains link to.
func TestLinkFarmGetsWhatOthersGrantIt(t *testing.T) {
	h := start(t, Options{InDegree: InDegree{Base: 5, Each: 10, Until: 2}})
	h.add(URL{URL: "http://seed.test/", Seed: true}, URL{URL: "http://other.test/", Seed: true})
	fetched := map[string]int{}
	for {
		l, err := h.Next(t.Context())
		if err != nil {
			break
		}
		domain := DomainOf(l.Host)
		fetched[domain]++
		if fetched[domain] > 100 {
			t.Fatalf("%d pages of %s", fetched[domain], domain)
		}
		var links []URL
		if domain == "seed.test" || domain == "other.test" {
			links = []URL{{URL: "http://1.good.test/"}}
			if domain == "seed.test" && fetched[domain] < 60 {
				links = append(links, URL{URL: fmt.Sprintf("http://seed.test/%d", fetched[domain])}, URL{URL: "http://1.farm.test/"})
			}
		} else {
			for i := range 3 {
				links = append(links, URL{URL: fmt.Sprintf("http://%d.%s/%d", fetched[domain]%7, domain, fetched[domain]*3+i)})
			}
		}
		h.done(l, Outcome{State: Fetched, Links: links})
	}
	want := map[string]int{"seed.test": 60, "other.test": 1, "good.test": 25, "farm.test": 15}
	if fmt.Sprint(fetched) != fmt.Sprint(want) {
		t.Errorf("fetched %v, want %v", fetched, want)
	}
	if s := h.Stats(); s.Stopped == 0 || s.Stopped != s.Pending {
		t.Errorf("stats %+v", s)
	}
}
