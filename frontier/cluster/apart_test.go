package cluster_test

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/awarc/awarc/frontier"
	"github.com/awarc/awarc/frontier/cluster"
)

// large is a domain of many hosts, each page of which leads to pages of others.
type large struct {
	hosts, pages int
	mu           sync.Mutex
	asked        map[string]int
	spans        [][2]time.Time
	seen         chan struct{} // receives one value a request, before its outcome is settled; may be nil
}

func (d *large) url(host, page int) string {
	return fmt.Sprintf("http://h%d.large.test/%d", host%d.hosts, page%d.pages)
}

func (d *large) links(at string) (links []frontier.URL) {
	var host, page int
	fmt.Sscanf(at, "http://h%d.large.test/%d", &host, &page)
	for _, u := range []string{d.url(host, page+1), d.url(host+1, page), d.url(host*7+3, page+2), d.url(host+1, 0)} {
		links = append(links, frontier.URL{URL: u})
	}
	return links
}

// work fetches until nothing is left, or the node is closed.
func (d *large) work(t *testing.T, h *harness) {
	for {
		l, err := h.Next(context.Background())
		if errors.Is(err, frontier.ErrDrained) || errors.Is(err, frontier.ErrClosed) {
			return
		}
		if err != nil {
			t.Error(err)
			return
		}
		begin := time.Now()
		d.mu.Lock()
		d.asked[l.URL.URL]++
		if d.seen != nil {
			d.seen <- struct{}{}
		}
		d.spans = append(d.spans, [2]time.Time{begin, time.Now()})
		d.mu.Unlock()
		err = h.Done(l, frontier.Outcome{State: frontier.Fetched, Links: d.links(l.URL.URL)})
		if err != nil && !errors.Is(err, frontier.ErrClosed) && !errors.Is(err, frontier.ErrLost) {
			t.Error(err)
			return
		}
	}
}

// checkPolite checks that the domain was asked for one thing at a time, and no sooner than that after an answer.
func (d *large) checkPolite(t *testing.T, wait time.Duration) {
	t.Helper()
	slices.SortFunc(d.spans, func(a, b [2]time.Time) int { return a[0].Compare(b[0]) })
	for i, s := range d.spans[1:] {
		if gap := s[0].Sub(d.spans[i][1]); gap < wait {
			t.Errorf("the domain was asked %v after an answer", gap)
		}
	}
}

// TestLargeDomainIsInManyPlacesAndAskedAsOne: hosts that are found once it has too many URLs have partitions of their own, and the
// domain's pace holds for all of them, on two nodes.
func TestLargeDomainIsInManyPlacesAndAskedAsOne(t *testing.T) {
	const wait = 15 * time.Millisecond
	d := &large{hosts: 30, pages: 6, asked: make(map[string]int)}
	var nodes []*harness
	for i := range 2 {
		nodes = append(nodes, open(t, cluster.Options{
			Options:    frontier.Options{Delay: 20 * time.Millisecond, DomainDelay: wait, PerHost: 1},
			Partitions: 32, TooLarge: 20, Node: fmt.Sprint("node ", i), Poll: 20 * time.Millisecond,
		}))
	}
	nodes[0].addAll(d.url(0, 0))
	var all sync.WaitGroup
	for _, h := range nodes {
		for range 4 {
			all.Go(func() { d.work(t, h) })
		}
	}
	all.Wait()
	d.checkPolite(t, wait)
	for u, n := range d.asked {
		if n != 1 {
			t.Errorf("%s was asked %d times", u, n)
		}
	}
	if s := nodes[0].Stats(); s.Fetched != d.hosts*d.pages || len(d.asked) != s.Fetched {
		t.Errorf("%d URLs were asked, %+v", len(d.asked), s)
	}
	if n := nodes[0].Inhabited(); n < 10 {
		t.Errorf("the domain is in %d partitions", n)
	}
	for u := range d.asked {
		if e := nodes[1].state(u, frontier.Fetched); e.URL.URL != u {
			t.Errorf("%s is %+v", u, e)
		}
	}
}

// TestHostsElsewhereAreLearnedAtOnce: several that name a new host of a large domain at once, and are all refused, take it to its place.
func TestHostsElsewhereAreLearnedAtOnce(t *testing.T) {
	h := open(t, cluster.Options{Partitions: 16, TooLarge: 1})
	h.addAll("http://www.large.test/1", "http://www.large.test/2")
	for host := range 30 {
		var all sync.WaitGroup
		for i := range 8 {
			all.Go(func() {
				if _, err := h.Add(t.Context(), []frontier.URL{{URL: fmt.Sprintf("http://h%d.large.test/%d", host, i)}}); err != nil {
					t.Error(err)
				}
			})
		}
		all.Wait()
	}
	if s := h.Stats(); s.Pending != 2+30*8 {
		t.Errorf("stats %+v", s)
	}
}

// TestHostsOfALargeDomainTakeTurns: those that are with their domain, where its pace is known at once, take no more turns than others, or
// not many.
func TestHostsOfALargeDomainTakeTurns(t *testing.T) {
	o := frontier.Options{Delay: 20 * time.Millisecond, DomainDelay: 20 * time.Millisecond}
	h := open(t, cluster.Options{Options: o, Partitions: 8, TooLarge: 50, Poll: 20 * time.Millisecond})
	for host, pages := range map[string]int{"a": 60, "b": 60} {
		for i := range pages {
			h.addAll(fmt.Sprintf("http://%s.large.test/%d", host, i))
		}
	}
	for host := range 4 {
		for i := range 20 {
			h.addAll(fmt.Sprintf("http://h%d.large.test/%d", host, i))
		}
	}
	turns := make(map[bool]int)
	var mu sync.Mutex
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			for {
				l := h.next()
				mu.Lock()
				turns[strings.HasPrefix(l.Host, "h")]++
				enough := turns[true]+turns[false] >= 80
				mu.Unlock()
				h.done(l, frontier.Outcome{State: frontier.Fetched})
				if enough {
					return
				}
			}
		})
	}
	all.Wait()
	if turns[true] < 30 || turns[false] < 10 {
		t.Errorf("four hosts elsewhere had %d turns, two with their domain %d", turns[true], turns[false])
	}
}

// TestNothingOfALargeDomainIsLostWhenNodesDie: each of three nodes is closed in the middle of what it does, and the next one goes on.
func TestNothingOfALargeDomainIsLostWhenNodesDie(t *testing.T) {
	const workers = 4
	d := &large{hosts: 40, pages: 4, asked: make(map[string]int), seen: make(chan struct{})}
	node := func(i int) *harness {
		return open(t, cluster.Options{Options: frontier.Options{PerHost: 1, PerDomain: 3}, Partitions: 16, TooLarge: 10,
			Node: fmt.Sprint("node ", i), Lease: time.Second, Poll: 20 * time.Millisecond})
	}
	first := node(0)
	first.addAll(d.url(0, 0))
	again := 0
	for i, h := range []*harness{first, node(1), node(2), node(3)} {
		var all sync.WaitGroup
		for range workers {
			all.Go(func() { d.work(t, h) })
		}
		if i < 3 {
			for range 20 + 10*i {
				<-d.seen
			}
			if err := h.Close(); err != nil { // the last of these requests is still in flight
				t.Fatal(err)
			}
			again += workers
		}
		ended := make(chan struct{})
		go func() { all.Wait(); close(ended) }()
		for open := true; open; {
			select {
			case <-d.seen:
			case <-ended:
				open = false
			}
		}
	}
	twice := 0
	for _, n := range d.asked {
		twice += n - 1
	}
	if len(d.asked) != d.hosts*d.pages || twice > again {
		t.Errorf("%d URLs were asked, %d of them again; want %d, at most %d", len(d.asked), twice, d.hosts*d.pages, again)
	}
}

// TestLargeDomainAgreesWithTheFrontierInAFile: what is added, excluded and amended before and after a domain has become too large is known
// as it is to a frontier in a file, by all nodes.
func TestLargeDomainAgreesWithTheFrontierInAFile(t *testing.T) { agreeLarge(t, 0, 6) }

func agreeLarge(t *testing.T, from, to uint64) {
	for seed := from; seed < to; seed++ {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			r := rand.New(rand.NewPCG(seed, 3))
			url := func() frontier.URL {
				hosts := []string{"h%d.large.test", "h%d.large.test:8080", "other%d.test"}
				u := frontier.URL{URL: fmt.Sprintf("http://"+hosts[r.IntN(3)]+"/%d", r.IntN(12), r.IntN(6)), Priority: r.IntN(4)}
				if r.IntN(6) == 0 {
					u.Family = "family"
				}
				return u
			}
			urls := func() []frontier.URL {
				some := make([]frontier.URL, 1+r.IntN(5))
				for i := range some {
					some[i] = url()
				}
				return some
			}
			file, err := frontier.Open(t.TempDir(), frontier.Options{})
			if err != nil {
				t.Fatal(err)
			}
			defer file.Close()
			var nodes []store
			for i := range 3 {
				nodes = append(nodes, open(t, cluster.Options{Partitions: 8, TooLarge: 1 + r.IntN(40), Node: fmt.Sprint("node ", i)}).Store)
			}
			both := func(what string, do func(store) (int, error)) {
				t.Helper()
				want, wrong := do(file)
				if have, err := do(nodes[r.IntN(3)]); have != want || err != nil || wrong != nil {
					t.Fatalf("%s: %d, %v, want %d, %v", what, have, err, want, wrong)
				}
			}
			ctx := context.Background()
			for range 150 {
				some := urls()
				switch r.IntN(5) {
				case 0:
					for i := range some {
						some[i].Family = ""
					}
					both("Exclude", func(s store) (int, error) { return s.Exclude(ctx, some[:1], "no") })
				case 1:
					both("Amend", func(s store) (int, error) { return 0, s.Amend("http://h1.large.test/", frontier.Outcome{Links: some}) })
				default:
					both("Add", func(s store) (int, error) { return s.Add(ctx, some) })
				}
			}
			compareLarge(t, file, nodes)
			links := func(l frontier.Lease, _ int) []frontier.URL {
				h := fnv.New32()
				h.Write([]byte(l.Key))
				if n := h.Sum32(); n%3 == 0 {
					return []frontier.URL{{URL: fmt.Sprintf("http://h%d.large.test/%d", n/3%20, n%5)}}
				}
				return nil
			}
			if want, have := fetchAll(t, file, links), fetchAll(t, nodes[0].(domains), links); !maps.Equal(have, want) {
				t.Errorf("asked %v, want %v", have, want)
			}
			compareLarge(t, file, nodes)
		})
	}
}

// compareLarge compares all entries, as each node looks them up.
func compareLarge(t *testing.T, file *frontier.Frontier, nodes []store) {
	t.Helper()
	all := 0
	if _, err := file.All(func(want frontier.Entry) error {
		all++
		for _, n := range nodes {
			have, ok := n.(*cluster.Store).Lookup(want.Key)
			if !ok || have.State != want.State || have.Priority != want.Priority || have.Reason != want.Reason {
				// Whether a URL was drawn before a link named it follows from the order of domains, which differs.
				t.Fatalf("%s is %+v (%v), want %+v", want.Key, have, ok, want)
			}
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	if n, err := nodes[0].(*cluster.Store).All(func(frontier.Entry) error { return nil }); err != nil || n != all {
		t.Fatalf("%d entries (%v), want %d", n, err, all)
	}
	want, have := file.Stats(), nodes[0].(*cluster.Store).Stats()
	if want.Hosts = have.Hosts; have != want {
		t.Fatalf("stats %+v, want %+v", have, want)
	}
	if strings.Contains(fmt.Sprint(have), "-") {
		t.Fatalf("stats %+v", have)
	}
}
