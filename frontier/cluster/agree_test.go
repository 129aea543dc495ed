package cluster_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"reflect"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/awarc/awarc/frontier"
	"github.com/awarc/awarc/frontier/cluster"
)

// pair is a frontier in a file, which its own tests compare with a model step by step, and one in Redis that is to do the same. What
// differs by design is left out: addresses, whose hosts wait for different times, and what happens to leases when a process dies.
type pair struct {
	t      *testing.T
	r      *rand.Rand
	passed atomic.Int64 // nanoseconds; stores read it in goroutines of their own
	file   *frontier.Frontier
	redis  *harness
	held   [][2]frontier.Lease
	waits  func() // what Next of the file does when nothing is due
	leased int
}

func (p *pair) now() time.Time { return time.Unix(1e9, p.passed.Load()) }

func (p *pair) url() frontier.URL {
	hosts := []string{"a.test", "b.test", "c.test:8080", "d.test", "x.b.test", "y.b.test"}
	u := frontier.URL{
		URL:      fmt.Sprintf("http://%s/%d", hosts[p.r.IntN(len(hosts))], p.r.IntN(60)),
		Priority: p.r.IntN(5) - 2,
		Hops:     p.r.IntN(4),
		Anchor:   fmt.Sprint("anchor ", p.r.IntN(100)),
		Level:    fmt.Sprint("level ", p.r.IntN(3)),
	}
	switch p.r.IntN(12) {
	case 0:
		u.Key = "key:" + u.URL // another identity for the same address
	case 1:
		u.URL = fmt.Sprint("mailto:", p.r.IntN(5))
	case 2:
		u.Via = "http://via.test/"
	case 3:
		u.Immediate = p.r.IntN(3) == 0
	case 4:
		u.Seed = p.r.IntN(20) == 0
	case 5:
		u.Decisive = true
	case 6:
		u.Priority = p.r.IntN(1<<42) - 1<<41
	case 7, 8, 9:
		u.Family = p.family()
	}
	return u
}

func (p *pair) family() string { return fmt.Sprint("family ", p.r.IntN(4)*p.r.IntN(3)) }

func (p *pair) families() map[string]frontier.FamilyChange {
	if p.r.IntN(6) > 0 {
		return nil
	}
	note, closed := fmt.Sprint("note ", p.r.IntN(3)), p.r.IntN(2) == 0
	return map[string]frontier.FamilyChange{p.family(): {Note: &note}, p.family(): {Closed: &closed}}
}

func (p *pair) urls(n int) []frontier.URL {
	urls := make([]frontier.URL, p.r.IntN(n))
	for i := range urls {
		urls[i] = p.url()
	}
	return urls
}

func keyOf(u frontier.URL) string {
	if u.Key != "" {
		return u.Key
	}
	return u.URL
}

func (p *pair) outcome() frontier.Outcome {
	seconds := func(n int) time.Duration { return time.Duration(p.r.IntN(n)) * time.Second }
	o := frontier.Outcome{
		State: []frontier.State{frontier.Fetched, frontier.Fetched, frontier.Fetched, frontier.Failed, frontier.Excluded, frontier.Retry,
			frontier.Retry, frontier.Defer, frontier.PutOff}[p.r.IntN(9)],
		Reason:    fmt.Sprint("reason ", p.r.IntN(9)),
		NoRequest: p.r.IntN(4) == 0,
		Links:     p.urls(6),
		Counters:  map[string]int64{"pages": 1},
		Families:  p.families(),
	}
	if o.State == frontier.PutOff {
		o.Family = p.family()
	}
	if p.r.IntN(2) == 0 {
		o.RetryAfter = seconds(30)
	}
	if p.r.IntN(3) == 0 {
		o.Host = []frontier.HostReply{frontier.HostServes, frontier.HostServes, frontier.HostRefuses, frontier.HostFails}[p.r.IntN(4)]
	}
	switch p.r.IntN(8) {
	case 0:
		o.HostDelay = seconds(9) - time.Second
	case 1:
		o.HostNotBefore = p.now().Add(seconds(60) - 10*time.Second)
	case 2:
		o.Exclude = []frontier.Exclusion{{URL: p.url(), Reason: "no", Counter: "excluded"}}
	case 3:
		o.Meta = map[string][]byte{"setting": fmt.Append(nil, p.r.IntN(9))}
	case 4:
		o.HostNote = fmt.Append(nil, "note ", p.r.IntN(9))
	case 5:
		o.Aliases = []string{keyOf(p.url()), keyOf(p.url())}
	case 6:
		o.Marks = []frontier.Mark{{Key: fmt.Sprint("object ", p.r.IntN(30)), Counter: "objects"}}
	}
	return o
}

// both compares what both say to the same.
func both[T comparable](p *pair, what string, do func(store) (T, error)) {
	p.t.Helper()
	want, wrong := do(p.file)
	have, err := do(p.redis.Store)
	if wrong != nil || err != nil || have != want {
		p.t.Fatalf("%s: %v, %v, want %v, %v", what, have, err, want, wrong)
	}
}

// store is what is called of both.
type store interface {
	Add(ctx context.Context, urls []frontier.URL) (int, error)
	Exclude(ctx context.Context, urls []frontier.URL, reason string) (int, error)
	Again(ctx context.Context, entries []frontier.Requeue, reason string) (int, error)
	Amend(via string, o frontier.Outcome) error
	EndWaits(ctx context.Context, longest time.Duration) (int, error)
	Reopen() error
	SetRule(ctx context.Context, domain string, r *frontier.Rule) error
}

// rule is one for a domain, a host, or all domains, or none.
func (p *pair) rule() (domain string, r *frontier.Rule) {
	domain = []string{"a.test", "b.test", "x.b.test", "c.test:8080", "test"}[p.r.IntN(5)]
	switch p.r.IntN(4) {
	case 0:
		d := time.Duration(p.r.IntN(3)) * time.Second
		r = &frontier.Rule{Delay: &d, Priority: p.r.IntN(3) - 1}
	case 1:
		r = &frontier.Rule{Budget: 1 + p.r.IntN(30)}
	case 2:
		r = &frontier.Rule{Off: true}
	}
	return domain, r
}

func (p *pair) step() {
	p.t.Helper()
	ctx := context.Background()
	switch n := p.r.IntN(100); {
	case n < 15:
		urls := p.urls(8)
		both(p, "Add", func(s store) (int, error) { return s.Add(ctx, urls) })
	case n < 50:
		p.take()
	case n < 82 && len(p.held) > 0:
		i := p.r.IntN(len(p.held))
		o := p.outcome()
		if p.held[i][0].Seed && o.State == frontier.PutOff {
			o.State = frontier.Fetched
		}
		if err := p.file.Done(p.held[i][0], o); err != nil {
			p.t.Fatal(err)
		}
		p.redis.done(p.held[i][1], o)
		p.held = slices.Delete(p.held, i, i+1)
	case n < 95:
		p.passed.Add(int64(time.Duration(p.r.IntN(20)) * time.Second / 2))
	case n < 96:
		domain, r := p.rule()
		both(p, "SetRule", func(s store) (int, error) { return 0, s.SetRule(ctx, domain, r) })
	case n < 97:
		urls := []frontier.URL{p.url()}
		urls[0].Immediate, urls[0].Seed, urls[0].Decisive = false, false, false
		both(p, "Exclude", func(s store) (int, error) { return s.Exclude(ctx, urls, "blacklisted") })
	case n < 98 && p.r.IntN(3) == 0:
		longest := time.Duration(p.r.IntN(3)) * 10 * time.Second
		both(p, "EndWaits", func(s store) (int, error) { return s.EndWaits(ctx, longest) })
	case n < 98 && p.r.IntN(2) == 0:
		both(p, "Reopen", func(s store) (int, error) { return 0, s.Reopen() })
	case n < 98:
		var again []frontier.Requeue
		for range 2 {
			q := frontier.Requeue{Key: keyOf(p.url()), Tries: p.r.IntN(3), Counters: map[string]int64{"again": 1, "lost": 2}}
			if e, known := p.file.Lookup(q.Key); known && p.r.IntN(2) == 0 {
				q.Settled = e.Settled.Add(time.Duration(p.r.IntN(2)) * time.Second)
			}
			if p.r.IntN(2) == 0 {
				q.NotBefore = p.now().Add(time.Duration(p.r.IntN(20)) * time.Second / 2)
			}
			again = append(again, q)
		}
		both(p, "Again", func(s store) (int, error) { return s.Again(ctx, again, "lost") })
	default:
		o := frontier.Outcome{Aliases: []string{keyOf(p.url())}, Links: p.urls(4), Families: p.families()}
		both(p, "Amend", func(s store) (int, error) { return 0, s.Amend("http://via.test/", o) })
	}
}

// take compares one lease, or its absence.
func (p *pair) take() {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 100*time.Millisecond)
	defer cancel()
	p.waits = cancel
	want, err := p.file.Next(ctx)
	have, found, wrong := p.redis.TakeNow()
	if found && errors.Is(err, context.DeadlineExceeded) { // the machine is slow
		late, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		p.waits = cancel
		want, err = p.file.Next(late)
	}
	for i := 0; !found && wrong == nil && i < 2; i++ { // what is put off is drawn when there is nothing else
		var drained bool
		drained, wrong = p.redis.Drained()
		s := p.file.Stats() // the file says so once the wait of what is stopped is over
		if waits := drained && s.Leased == 0 && s.Pending > 0 && s.Pending == s.Stopped; i == 1 && !waits &&
			drained != errors.Is(err, frontier.ErrDrained) {
			p.t.Fatalf("drained: %v, want %v", drained, err)
		}
		if wrong == nil {
			have, found, wrong = p.redis.TakeNow()
		}
	}
	if wrong != nil || found != (err == nil) {
		p.t.Fatalf("leased %q (%v), want %q (%v)", have.URL.URL, wrong, want.URL.URL, err)
	}
	if !found {
		return
	}
	p.held = append(p.held, [2]frontier.Lease{want, have})
	p.leased++
	if want.ID, have.ID = 0, 0; fmt.Sprintf("%+v", have) != fmt.Sprintf("%+v", want) {
		p.t.Fatalf("leased %+v, want %+v", have, want)
	}
}

// compare checks all that can be read.
func (p *pair) compare() {
	p.t.Helper()
	if have, want := p.redis.Counters(), p.file.Counters(); !maps.Equal(have, want) {
		p.t.Fatalf("counters %v, want %v", have, want)
	}
	if have, want := p.redis.Meta("setting"), p.file.Meta("setting"); string(have) != string(want) {
		p.t.Fatalf("setting %q, want %q", have, want)
	}
	entries := func(all func(fn func(frontier.Entry) error) (int, error)) (map[string]frontier.Entry, int) {
		found := make(map[string]frontier.Entry)
		n, err := all(func(e frontier.Entry) error {
			e.Added, e.NotBefore, e.Settled = time.Time{}, e.NotBefore.UTC(), e.Settled.UTC()
			found[e.Key] = e
			return nil
		})
		if err != nil {
			p.t.Fatal(err)
		}
		return found, n
	}
	have, found := entries(p.redis.All)
	want, n := entries(p.file.All)
	if found != n || len(have) != len(want) {
		p.t.Fatalf("%d entries of %d, want %d of %d", len(have), found, len(want), n)
	}
	for key, e := range want {
		if have[key] != e {
			p.t.Fatalf("entry %s is\n%+v, want\n%+v", key, have[key], e)
		}
	}
	if have, want := p.redis.Families(), p.file.Families(); !slices.Equal(have, want) {
		p.t.Fatalf("families %+v, want %+v", have, want)
	}
	for _, f := range p.file.Families() {
		waiting := func(each func(string, int, func(frontier.Entry) error) error) (keys []string) {
			if err := each(f.Name, 0, func(e frontier.Entry) error {
				if !slices.ContainsFunc(p.held, func(l [2]frontier.Lease) bool { return l[0].Key == e.Key }) {
					keys = append(keys, e.Key)
				}
				return nil
			}); err != nil {
				p.t.Fatal(err)
			}
			return keys
		}
		if have, want := waiting(p.redis.EachPutOff), waiting(p.file.EachPutOff); !slices.Equal(have, want) {
			p.t.Fatalf("in %s wait %q, want %q", f.Name, have, want)
		}
	}
	if have, want := p.redis.Rules(), p.file.Rules(); !reflect.DeepEqual(have, want) {
		p.t.Fatalf("rules %+v, want %+v", have, want)
	}
	for _, host := range []string{"a.test", "x.b.test", "c.test:8080"} {
		if have, want := p.redis.Note(host), p.file.Note(host); string(have) != string(want) {
			p.t.Fatalf("note of %s is %q, want %q", host, have, want)
		}
	}
}

// TestAgreesWithTheFrontierInAFile: in one partition, every lease and every entry is that of the frontier whose order is checked against
// a model.
func TestAgreesWithTheFrontierInAFile(t *testing.T) { agree(t, 0, 8) }

func TestLongAgreementWithTheFrontierInAFile(t *testing.T) {
	if os.Getenv("AWARC_LONG") == "" {
		t.Skip("set AWARC_LONG=1: more of what TestAgreesWithTheFrontierInAFile and TestLargeDomainAgreesWithTheFrontierInAFile do")
	}
	agree(t, 8, 200)
	t.Run("large", func(t *testing.T) { agreeLarge(t, 6, 200) })
}

func agree(t *testing.T, from, to int) {
	const steps = 500
	leased := 0
	for seed := from; seed < to; seed++ {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			p := &pair{t: t, r: rand.New(rand.NewPCG(uint64(seed), 1))}
			o := frontier.Options{
				Delay:       time.Duration(p.r.IntN(3)) * time.Second,
				PerHost:     1 + p.r.IntN(2),
				MaxTries:    1 + p.r.IntN(4),
				Backoff:     2 * time.Second,
				MaxBackoff:  6 * time.Second,
				Update:      []frontier.Update{frontier.Max, frontier.First, frontier.Last}[p.r.IntN(3)],
				PerDomain:   1 + p.r.IntN(3),
				PutOffShare: []float64{0, 0.1, 0.3, 1}[p.r.IntN(4)], PutOffLimit: p.r.IntN(2) * p.r.IntN(9),
				IPDelay: time.Second, DomainDelay: time.Duration(p.r.IntN(3)) * time.Second,
				Now: p.now,
				After: func(time.Duration) <-chan time.Time {
					p.waits()
					return nil
				},
			}
			if p.r.IntN(3) == 0 {
				o.InDegree = frontier.InDegree{Base: 1 + p.r.IntN(10), Each: p.r.IntN(5), Until: p.r.IntN(4)}
			}
			var err error
			if p.file, err = frontier.Open(t.TempDir(), o); err != nil {
				t.Fatal(err)
			}
			defer p.file.Close()
			p.redis = open(t, cluster.Options{Options: o, Partitions: 1, Lease: 1000 * time.Hour})
			for i := range steps {
				p.step()
				if have, want := p.redis.Stats(), p.file.Stats(); have != want {
					t.Fatalf("step %d: stats %+v, want %+v", i, have, want)
				}
				if i%50 == 0 {
					p.compare()
				}
			}
			p.compare()
			leased += p.leased
		})
	}
	if leased < (to-from)*steps/20 {
		t.Errorf("only %d leases were compared", leased)
	}
}
