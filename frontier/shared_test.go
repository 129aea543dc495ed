package frontier

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// crawlTogether lets a worker for each frontier fetch all that it has, each exchange
// taking 30 ms, and returns what was asked when, in order.
func crawlTogether(t *testing.T, members []*Member, answer func(l Lease) Outcome) (asked []string, most int) {
	t.Helper()
	var mu sync.Mutex
	began, now := time.Now(), 0
	var all sync.WaitGroup
	for i, m := range members {
		all.Go(func() {
			for {
				l, err := m.Next(t.Context())
				if errors.Is(err, ErrDrained) {
					return
				}
				if err != nil {
					t.Error(err)
					return
				}
				mu.Lock()
				asked = append(asked, fmt.Sprintf("%d %s at %v", i, l.Host, time.Since(began)))
				now++
				most = max(most, now)
				mu.Unlock()
				time.Sleep(30 * time.Millisecond)
				mu.Lock()
				now--
				mu.Unlock()
				if err := m.Done(l, answer(l)); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	return asked, most
}

func member(t *testing.T, s *Shared, o Options, urls ...string) *Member {
	h := start(t, o)
	h.addAll(urls...)
	return s.Join(h.Frontier)
}

// TestCrawlsShareTheirPoliteness lets one crawl ask for a URL, and says when another one, which
// began to wait meanwhile, may ask for its own.
func TestCrawlsShareTheirPoliteness(t *testing.T) {
	second := Options{Delay: time.Second, IPDelay: time.Second, DomainDelay: time.Second}
	three := Options{Delay: 3 * time.Second, IPDelay: 3 * time.Second, DomainDelay: 3 * time.Second}
	for name, test := range map[string]struct {
		a, b    string
		options Options // of the other crawl
		outcome Outcome // of the first one
		want    time.Duration
	}{
		"a host":                   {"http://a.test/1", "http://a.test/2", second, Outcome{}, time.Second},
		"a host, the longer wait":  {"http://a.test/1", "http://a.test/1", three, Outcome{}, 3 * time.Second},
		"a host, the shorter wait": {"http://a.test/1", "http://a.test/1", Options{}, Outcome{}, time.Second},
		"a domain":                 {"http://x.a.test/1", "http://y.a.test/1", second, Outcome{}, time.Second},
		"an address":               {"http://a.test/1", "http://b.test/1", second, Outcome{IP: "192.0.2.1"}, time.Second},
		"Retry-After": {"http://a.test/1", "http://a.test/2", second,
			Outcome{HostNotBefore: time.Date(2000, 1, 1, 0, 1, 0, 30e6, time.UTC)}, time.Minute},
		"Crawl-delay": {"http://a.test/1", "http://a.test/2", second, Outcome{HostDelay: 10 * time.Second},
			10 * time.Second},
		"no request was made":         {"http://a.test/1", "http://a.test/2", second, Outcome{NoRequest: true}, 0},
		"nothing in common":           {"http://a.test/1", "http://b.test/1", second, Outcome{IP: "192.0.2.1"}, -30 * time.Millisecond},
		"a host that is not its name": {"http://a.test/1", "http://a.test:81/1", Options{}, Outcome{}, -30 * time.Millisecond},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := NewShared(0)
				a, b := member(t, s, second, test.a), member(t, s, test.options, test.b)
				if name == "an address" { // that b.test has, too, is known from its own earlier answer
					s.ips["b.test"] = test.outcome.IP
					s.ips["a.test"] = test.outcome.IP
				}
				if name == "a host that is not its name" {
					b.options.PerDomain = 2
				}
				l, err := a.Next(t.Context())
				if err != nil {
					t.Fatal(err)
				}
				var at time.Time
				var waiting sync.WaitGroup
				waiting.Go(func() {
					if _, err := b.Next(t.Context()); err != nil {
						t.Error(err)
					}
					at = time.Now()
				})
				time.Sleep(30 * time.Millisecond)
				end := time.Now()
				test.outcome.State = Fetched
				if err := a.Done(l, test.outcome); err != nil {
					t.Fatal(err)
				}
				waiting.Wait()
				// It looks again now and then at a host that is being asked: busyWait, or its own wait.
				late := max(busyWait, test.options.Delay)
				if have := at.Sub(end); have < test.want || have > test.want+late || test.want < 0 && have != test.want {
					t.Errorf("asked %v after the end of the other, want %v", have, test.want)
				}
			})
		})
	}
}

// TestMembersPassOnWhatIsPutOff lets a member draw, put off again and close.
func TestMembersPassOnWhatIsPutOff(t *testing.T) {
	m := member(t, NewShared(1), Options{}, "http://a.test/1")
	if _, err := m.Add(t.Context(), puts("a.test", "f", 0, 9)); err != nil {
		t.Fatal(err)
	}
	closed, drawn := true, 0
	for {
		l, err := m.Next(t.Context())
		if errors.Is(err, ErrDrained) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		o := Outcome{State: Fetched}
		if l.Drawn {
			drawn++
			o = Outcome{State: PutOff, Family: "g", NoRequest: true}
			o.Families = map[string]FamilyChange{"f": {Closed: &closed}, "g": {Closed: &closed}}
		}
		if err := m.Done(l, o); err != nil {
			t.Fatal(err)
		}
	}
	if f := m.Families(); len(f) != 2 || f[1].Waiting != drawn || drawn == 0 || f[0].Waiting+drawn != 9 || m.Stats().Held != 9 {
		t.Errorf("%d were drawn, families %+v", drawn, f)
	}
}

// TestCrawlsAskAHostOneAtATime checks the gaps of many crawls with hosts in common.
func TestCrawlsAskAHostOneAtATime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const atOnce = 3
		s := NewShared(atOnce)
		o := Options{Delay: 200 * time.Millisecond, IPDelay: 200 * time.Millisecond}
		var members []*Member
		for i := range 6 {
			var urls []string
			for n := range 12 {
				urls = append(urls, fmt.Sprintf("http://h%d.test/%d-%d", (n+i)%4, i, n))
			}
			members = append(members, member(t, s, o, urls...))
		}
		asked, most := crawlTogether(t, members, func(l Lease) Outcome { return Outcome{State: Fetched, IP: l.Host[:1] + l.Host[2:]} })
		if len(asked) != 6*12 {
			t.Errorf("%d URLs were asked for, want %d", len(asked), 6*12)
		}
		if most > atOnce {
			t.Errorf("%d at once, want at most %d", most, atOnce)
		}
		last := make(map[string]time.Duration)
		for i, line := range asked {
			var crawl int
			var host, at string
			fmt.Sscanf(line, "%d %s at %s", &crawl, &host, &at)
			when, err := time.ParseDuration(at)
			if err != nil {
				t.Fatal(err)
			}
			if before, ok := last[host]; ok && when-before < 230*time.Millisecond {
				t.Errorf("request %d, %s, came %v after the one before it", i, line, when-before)
			}
			last[host] = when
		}
	})
}

// TestCrawlsTakeTurnsAtAHost: of crawls with other delays, on one host or one address, each has as many turns. The one that is told to
// wait says why.
func TestCrawlsTakeTurnsAtAHost(t *testing.T) {
	for name, hosts := range map[string][3]string{"host": {"a.test", "a.test", "a.test"}, "address": {"a.test", "b.test", "c.test"}} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := NewShared(0)
				var members []*Member
				for i, delay := range []time.Duration{500 * time.Millisecond, time.Second, 200 * time.Millisecond} {
					var urls []string
					for n := range 30 {
						urls = append(urls, fmt.Sprintf("http://%s/%d-%d", hosts[i], i, n))
					}
					members = append(members, member(t, s, Options{Delay: delay, IPDelay: delay}, urls...))
				}
				var shared atomic.Bool
				asked, _ := crawlTogether(t, members, func(Lease) Outcome {
					for _, m := range members {
						for _, q := range m.Queues(9) {
							if q.Wait == WaitShared {
								shared.Store(true)
							}
						}
					}
					return Outcome{State: Fetched, IP: "192.0.2.1"}
				})
				var count [3]int
				for _, line := range asked[:60] {
					count[line[0]-'0']++
				}
				for _, n := range count {
					if n < 18 || n > 22 {
						t.Errorf("requests of the crawls: %v of 60", count)
					}
				}
				if !shared.Load() || len(s.turns) > 0 {
					t.Errorf("a crawl says that it waits for another: %v; %d turns are left", shared.Load(), len(s.turns))
				}
			})
		})
	}
}

// TestACrawlThatDoesNotComeLosesItsTurn: it was turned away, and has no worker any more.
func TestACrawlThatDoesNotComeLosesItsTurn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := NewShared(0)
		a, b := member(t, s, Options{}, "http://a.test/1", "http://a.test/2"), member(t, s, Options{}, "http://a.test/3")
		l, err := a.Next(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), busyWait/2)
		defer cancel()
		if _, err := b.Next(ctx); !errors.Is(err, context.DeadlineExceeded) {
			t.Fatalf("Next: %v", err)
		}
		if err := a.Done(l, Outcome{State: Fetched}); err != nil {
			t.Fatal(err)
		}
		began := time.Now()
		if _, err := a.Next(t.Context()); err != nil || time.Since(began) > turnKept+2*busyWait {
			t.Errorf("Next: %v after %v", err, time.Since(began))
		}
	})
}

func TestACrawlThatLeavesHoldsNobodyBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := NewShared(1)
		a, b := member(t, s, Options{}, "http://a.test/1"), member(t, s, Options{}, "http://a.test/2")
		if _, err := a.Next(t.Context()); err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		if _, err := b.Next(ctx); !errors.Is(err, context.DeadlineExceeded) {
			t.Fatalf("Next: %v", err)
		}
		a.Leave()
		if l, err := b.Next(t.Context()); err != nil || l.URL.URL != "http://a.test/2" {
			t.Errorf("Next: %v, %v", l, err)
		}
	})
}

// TestALeaseThatStallsGivesItsSlotAway: another crawl has the slot while the exchange of one stalls,
// and the slots are as many as before once both are over.
func TestALeaseThatStallsGivesItsSlotAway(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := NewShared(1)
		a, b := member(t, s, Options{}, "http://a.test/1"), member(t, s, Options{}, "http://b.test/1", "http://b.test/2")
		stalled, err := a.Next(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		a.Stalled(stalled)
		a.Stalled(stalled) // which changes nothing
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		for range 2 {
			l, err := b.Next(ctx)
			if err != nil {
				t.Fatal(err)
			}
			if err := b.Done(l, Outcome{State: Fetched}); err != nil {
				t.Fatal(err)
			}
		}
		if err := a.Done(stalled, Outcome{State: Fetched}); err != nil || len(s.slots) != 0 {
			t.Errorf("%v; %d slots are taken", err, len(s.slots))
		}
	})
}
