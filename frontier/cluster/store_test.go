package cluster_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/awarc/awarc/frontier"
	"github.com/awarc/awarc/frontier/cluster"
	"github.com/awarc/awarc/frontier/cluster/clustertest"
)

// shared is the cluster of all tests that kill no server, of which each has a crawl of its own; nil where there is no Redis.
var shared *clustertest.Servers

func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "awarc-redis-")
	if err == nil {
		shared, err = clustertest.StartIn(dir, 3, 1)
	}
	if err != nil && !errors.Is(err, exec.ErrNotFound) {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	status := m.Run()
	if shared != nil {
		shared.Stop()
	}
	os.RemoveAll(dir)
	os.Exit(status)
}

// patience bounds each wait. It only has to be longer than any wait on a busy machine: a test takes
// that long only when it fails.
const patience = 5 * time.Minute

// until polls for a condition of other nodes or of the servers, which offer no event for it.
func until(t *testing.T, what string, holds func() bool) {
	t.Helper()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for deadline := time.Now().Add(patience); !holds(); <-tick.C {
		if time.Now().After(deadline) {
			t.Fatalf("waited %v in vain for %s", patience, what)
		}
	}
}

// harness is a node whose methods fail the test.
type harness struct {
	*cluster.Store
	t *testing.T
}

func open(t *testing.T, o cluster.Options) *harness {
	t.Helper()
	if shared == nil {
		t.Skip("redis-server is not installed, which make tools does: nothing is tested of crawls of several nodes")
	}
	if o.URL == "" {
		o.URL = shared.URL()
	}
	if o.Crawl == "" {
		o.Crawl = strings.ReplaceAll(t.Name(), "/", ".")
	}
	if o.Node == "" {
		o.Node = "node"
	}
	if o.Wait == 0 {
		o.Wait = -1
	}
	s, err := cluster.Open(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return &harness{s, t}
}

// alone is a node of a crawl in one partition, where the order of all URLs is told.
func alone(t *testing.T, o frontier.Options) *harness {
	t.Helper()
	return open(t, cluster.Options{Options: o, Partitions: 1})
}

func (h *harness) add(urls ...frontier.URL) int {
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
		h.add(frontier.URL{URL: u})
	}
}

func (h *harness) next() frontier.Lease {
	h.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	l, err := h.Next(ctx)
	if err != nil {
		h.t.Fatal(err)
	}
	return l
}

func (h *harness) done(l frontier.Lease, o frontier.Outcome) {
	h.t.Helper()
	if err := h.Done(l, o); err != nil {
		h.t.Fatal(err)
	}
}

func (h *harness) drained() {
	h.t.Helper()
	if l, err := h.Next(context.Background()); !errors.Is(err, frontier.ErrDrained) {
		h.t.Fatalf("Next = %q, %v; want ErrDrained", l.URL.URL, err)
	}
}

// order fetches everything and returns the URLs in the order in which they came.
func (h *harness) order() string {
	h.t.Helper()
	var urls []string
	for {
		l, err := h.Next(context.Background())
		if errors.Is(err, frontier.ErrDrained) {
			return strings.Join(urls, " ")
		}
		if err != nil {
			h.t.Fatal(err)
		}
		urls = append(urls, strings.TrimPrefix(l.URL.URL, "http://"))
		h.done(l, frontier.Outcome{State: frontier.Fetched})
	}
}

func (h *harness) state(key string, want frontier.State) frontier.Entry {
	h.t.Helper()
	e, ok := h.Lookup(key)
	if !ok || e.State != want {
		h.t.Fatalf("%s is %v (%v), want %v: %s", key, e.State, ok, want, e.Reason)
	}
	return e
}

func TestHigherPriorityComesFirstAndEqualsBreadthFirst(t *testing.T) {
	h := alone(t, frontier.Options{})
	h.add(frontier.URL{URL: "http://a/1"}, frontier.URL{URL: "http://a/2", Priority: 5},
		frontier.URL{URL: "http://a/3", Priority: -1 << 40}, frontier.URL{URL: "http://a/4"}, frontier.URL{URL: "http://a/5", Priority: 5},
		frontier.URL{URL: "http://a/6", Priority: 1 << 40})
	if have := h.order(); have != "a/6 a/2 a/5 a/1 a/4 a/3" {
		t.Error(have)
	}
}

func TestHostsTakeTurns(t *testing.T) {
	h := alone(t, frontier.Options{})
	for i := range 5 {
		h.add(frontier.URL{URL: fmt.Sprint("http://big/", i), Priority: 100})
	}
	h.addAll("http://small/1", "http://middle/1", "http://middle/2")
	if have := h.order(); have != "big/0 small/1 middle/1 big/1 middle/2 big/2 big/3 big/4" {
		t.Error(have)
	}
}

func TestEveryFieldOfAURLComesBack(t *testing.T) {
	h := open(t, cluster.Options{})
	want := frontier.URL{URL: "http://a/x", Key: "http://a/X", Via: "http://a/", Hops: 3, Priority: -7, Immediate: true, Type: "phpbb",
		Level: "topic", Path: "LL", Anchor: "a link", Seed: true, Forced: true, Redirects: 2, Modified: 1700000000,
		Why: "because"}
	h.add(want)
	if l := h.next(); l.URL != want || l.Host != "a" {
		t.Errorf("lease %+v", l)
	}
	if e := h.state(want.Key, frontier.Pending); e.URL != want || e.Added.IsZero() {
		t.Errorf("entry %+v", e)
	}
}

func TestURLOfManyPagesIsFetchedOnceByManyNodes(t *testing.T) {
	const nodes, hosts, pages = 4, 20, 15
	var all []*harness
	for i := range nodes {
		all = append(all, open(t, cluster.Options{Options: frontier.Options{PerHost: 1}, Node: fmt.Sprint("node ", i), Partitions: 16}))
	}
	page := func(host, n int) string { return fmt.Sprintf("http://host%d.test/%d", host, n) }
	all[0].addAll(page(0, 0))
	fetched := make(chan string, 10*hosts*pages)
	var failed [nodes]chan error
	for i, h := range all {
		failed[i] = make(chan error, 1)
		go func() {
			for {
				l, err := h.Next(context.Background())
				if errors.Is(err, frontier.ErrDrained) {
					failed[i] <- nil
					return
				}
				if err != nil {
					failed[i] <- err
					return
				}
				fetched <- l.URL.URL
				var host, n int
				fmt.Sscanf(l.URL.URL, "http://host%d.test/%d", &host, &n)
				var links []frontier.URL
				for other := range hosts {
					links = append(links, frontier.URL{URL: page(other, (n+1)%pages)}, frontier.URL{URL: page(host, n)})
				}
				o := frontier.Outcome{State: frontier.Fetched, Links: links, Counters: map[string]int64{"pages": 1}}
				if err := h.Done(l, o); err != nil {
					failed[i] <- err
					return
				}
			}
		}()
	}
	for i := range all {
		if err := <-failed[i]; err != nil {
			t.Fatal(err)
		}
	}
	close(fetched)
	count := map[string]int{}
	for u := range fetched {
		count[u]++
	}
	for u, n := range count {
		if n != 1 {
			t.Errorf("%s was leased %d times", u, n)
		}
	}
	want := hosts*(pages-1) + hosts // the first page of a host is linked to by the last
	if len(count) != want || all[1].Counters()["pages"] != int64(want) {
		t.Errorf("%d URLs, %v, want %d", len(count), all[1].Counters(), want)
	}
	if s := all[2].Stats(); s.Fetched != want || s.Pending+s.Leased+s.Hosts != 0 {
		t.Errorf("stats %+v", s)
	}
}

// TestExpiredLeaseIsGivenAgainAndItsOutcomeRefused: a node that was paused cannot settle what another one has taken over.
func TestExpiredLeaseIsGivenAgainAndItsOutcomeRefused(t *testing.T) {
	o := cluster.Options{Options: frontier.Options{Delay: 300 * time.Millisecond}, Node: "slow", Lease: time.Second}
	slow := open(t, o)
	slow.addAll("http://a.test/1")
	began := time.Now() // the lease is given after it
	first := slow.next()
	during, release := slow.During(context.Background(), first)
	defer release()
	slow.Freeze(true)
	o.Node = "other"
	other := open(t, o)
	again := other.next()
	if again.URL.URL != first.URL.URL {
		t.Fatalf("leased %s", again.URL.URL)
	}
	if d := time.Since(began); d < 990*time.Millisecond { // the server counts in milliseconds
		t.Errorf("given again after %v, before the lease had ended and the host had waited", d)
	}
	if err := slow.Done(first, frontier.Outcome{State: frontier.Failed, Links: []frontier.URL{{URL: "http://a.test/2"}},
		Counters: map[string]int64{"pages": 1}}); !errors.Is(err, frontier.ErrLost) {
		t.Errorf("Done of the old lease = %v", err)
	}
	if _, known := other.Lookup("http://a.test/2"); known || len(other.Counters()) > 0 {
		t.Error("an outcome that was refused has left traces")
	}
	other.done(again, frontier.Outcome{State: frontier.Fetched})
	if e := slow.state("http://a.test/1", frontier.Fetched); e.Tries != 1 {
		t.Errorf("entry %+v", e)
	}
	if during.Err() == nil {
		t.Error("what is done under a lost lease is not broken off")
	}
}

// TestNodeThatCannotRenewBeginsNoRequest: it may have lost its leases.
func TestNodeThatCannotRenewBeginsNoRequest(t *testing.T) {
	h := open(t, cluster.Options{Lease: time.Second})
	h.addAll("http://a.test/")
	during, release := h.During(context.Background(), h.next())
	defer release()
	if err := h.Sure(during); err != nil {
		t.Fatal(err)
	}
	h.Freeze(true)
	until(t, "a node to doubt leases that it has not renewed", func() bool {
		ctx, cancel := context.WithTimeout(during, 100*time.Millisecond)
		defer cancel()
		return h.Sure(ctx) != nil
	})
}

func TestRenewedLeaseLasts(t *testing.T) {
	h := open(t, cluster.Options{Lease: time.Second, Partitions: 1})
	h.addAll("http://a.test/1")
	l := h.next()
	for range 6 { // four of them take a lease's length
		<-h.Renewed()
	}
	if l, found, err := h.TakeNow(); found || err != nil {
		t.Fatalf("%s was given again, error %v", l.URL.URL, err)
	}
	h.done(l, frontier.Outcome{State: frontier.Fetched})
}

// TestWaitsHoldAcrossNodes: host, pay-level domain and address, each asked by two nodes in turn.
func TestWaitsHoldAcrossNodes(t *testing.T) {
	const wait = 250 * time.Millisecond
	for name, urls := range map[string][]string{
		"host":    {"http://a.test/1", "http://a.test/2", "http://a.test/3"},
		"domain":  {"http://x.a.test/", "http://y.a.test/", "http://z.a.test/"},
		"address": {"http://a.test/", "http://b.test/", "http://c.test/", "http://d.test/"},
	} {
		t.Run(name, func(t *testing.T) {
			o := cluster.Options{Options: frontier.Options{Delay: wait, IPDelay: wait, DomainDelay: wait}, Partitions: 16, Node: "one"}
			one := open(t, o)
			o.Node = "two"
			two := open(t, o)
			one.addAll(urls...)
			if name == "address" { // they are known after the first answer
				for range urls {
					l := one.next()
					one.done(l, frontier.Outcome{State: frontier.Retry, IP: "192.0.2.1", RetryAfter: time.Millisecond})
				}
			}
			var last time.Time
			for i := range urls {
				h := []*harness{one, two}[i%2]
				l := h.next()
				if d := time.Since(last); d < wait {
					t.Errorf("%s was leased %v after the end of another request", l.URL.URL, d)
				}
				last = time.Now()
				h.done(l, frontier.Outcome{State: frontier.Fetched, IP: "192.0.2.1"})
			}
		})
	}
}

func TestRetryBacksOffAndGivesUp(t *testing.T) {
	h := alone(t, frontier.Options{MaxTries: 3, Backoff: 200 * time.Millisecond})
	h.addAll("http://a/1")
	for tries := range 3 {
		began := time.Now()
		l := h.next()
		if d := time.Since(began); l.Tries != tries || tries > 0 && d < time.Duration(tries)*150*time.Millisecond {
			t.Errorf("try %d (%d) after %v", tries, l.Tries, d)
		}
		h.done(l, frontier.Outcome{State: frontier.Retry, Reason: "refused"})
	}
	if e := h.state("http://a/1", frontier.Failed); e.Tries != 3 || e.Reason != "refused" || e.Settled.IsZero() {
		t.Errorf("entry %+v", e)
	}
	h.drained()
}

func TestSettingsMarksAndPauseAreSharedAndPrivateOnesAreNot(t *testing.T) {
	o := cluster.Options{Private: []string{"mine "}, Poll: 50 * time.Millisecond, Node: "one"}
	one := open(t, o)
	o.Node = "two"
	two := open(t, o)
	for _, key := range []string{"mine x", "ours x", "ours y*"} {
		if err := one.PutMeta(key, []byte(key)); err != nil {
			t.Fatal(err)
		}
	}
	if string(two.Meta("ours x")) != "ours x" || two.Meta("mine x") != nil || string(one.Meta("mine x")) != "mine x" {
		t.Error("settings are not where they belong")
	}
	seen := 0
	if err := two.EachMeta("ours ", func(key string, value []byte) error {
		if seen++; key != string(value) {
			t.Errorf("%q is %q", key, value)
		}
		return nil
	}); err != nil || seen != 2 {
		t.Errorf("%d settings, %v", seen, err)
	}
	one.addAll("http://a.test/", "http://b.test/")
	for _, h := range []*harness{one, two} {
		h.done(h.next(), frontier.Outcome{State: frontier.Fetched, Marks: []frontier.Mark{{Key: "object", Counter: "objects"}}})
	}
	if n := two.Counters()["objects"]; n != 1 {
		t.Errorf("one object was counted %d times", n)
	}
	one.Pause(true)
	until(t, "the other node to pause", two.Paused)
}

func TestWhatCannotBeKeptIsRefused(t *testing.T) {
	h := open(t, cluster.Options{})
	ctx := context.Background()
	for name, u := range map[string]frontier.URL{
		"a key of another domain": {URL: "http://a.test/", Key: "http://elsewhere.example/"},
	} {
		if _, err := h.Add(ctx, []frontier.URL{u}); err == nil {
			t.Errorf("%s is accepted", name)
		}
	}
	for name, o := range map[string]cluster.Options{
		"avg":        {Options: frontier.Options{Update: frontier.Avg}},
		"batch":      {Options: frontier.Options{Batch: 5}},
		"name":       {Crawl: "{x}"},
		"password":   {URL: "redis://u:p@127.0.0.1:1"},
		"server":     {URL: "http://127.0.0.1:1"},
		"port":       {URL: "redis://127.0.0.1:many"},
		"setting":    {URL: "redis://127.0.0.1:1?wait=x"},
		"partitions": {Partitions: 5000},
		"missing":    {Crawl: "no-such-crawl", MustExist: true},
	} {
		if o.URL == "" {
			o.URL = shared.URL()
		}
		if o.Crawl == "" {
			o.Crawl = "refused"
		}
		o.Node = "node"
		if s, err := cluster.Open(ctx, o); err == nil {
			s.Close()
			t.Errorf("%s is accepted", name)
		}
	}
}

// TestDeferredURLsOfSeveralPartitions: each host draws for itself; a family is closed from another partition.
func TestDeferredURLsOfSeveralPartitions(t *testing.T) {
	h := open(t, cluster.Options{Partitions: 16})
	h.add(frontier.URL{URL: "http://a.test/day1", Family: "a.test/day"}, frontier.URL{URL: "http://b.test/day1", Family: "b.test/day"},
		frontier.URL{URL: "http://c.test/1", Family: "shut"}, frontier.URL{URL: "http://d.test/1", Family: "shut"})
	closed, note := true, "no end"
	err := h.Amend("http://e.test/", frontier.Outcome{Families: map[string]frontier.FamilyChange{"shut": {Closed: &closed, Note: &note}}})
	if err != nil {
		t.Fatal(err)
	}
	h.add(frontier.URL{URL: "http://e.test/"})
	var drawn []string
	var other frontier.Lease // which holds up nobody
	for range 3 {
		l := h.next()
		if l.Host == "e.test" {
			other = l
			continue
		}
		if !l.Drawn {
			t.Errorf("%s is not drawn", l.URL.URL)
		}
		drawn = append(drawn, l.URL.URL)
		h.done(l, frontier.Outcome{State: frontier.Fetched})
	}
	slices.Sort(drawn)
	if fmt.Sprint(drawn) != "[http://a.test/day1 http://b.test/day1]" {
		t.Errorf("drawn are %v", drawn)
	}
	h.done(other, frontier.Outcome{State: frontier.Fetched})
	h.drained()
	if s := h.Stats(); s.PutOff != 2 || s.Held != 2 {
		t.Errorf("stats %+v", s)
	}
	if err := h.Reopen(); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		h.done(h.next(), frontier.Outcome{State: frontier.Fetched})
	}
	h.drained()
	var have []string
	for _, f := range h.Families() {
		have = append(have, fmt.Sprint(f.Name, " ", f.Drawn, " ", f.Waiting, " ", f.Note))
	}
	if fmt.Sprint(have) != "[a.test/day 1 0  b.test/day 1 0  shut 2 0 no end]" {
		t.Errorf("families %v", have)
	}
}

// TestServersAreTaughtWhateverTheySay: servers that do not know the operations are given them, in whatever words they say so.
func TestServersAreTaughtWhateverTheySay(t *testing.T) {
	h := open(t, cluster.Options{URL: clustertest.Start(t, 1, 0).URL()})
	h.addAll("http://a.test/")
	if err := h.Forget(); err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	for i := range 8 { // one teaches it while others are told that it does not know them
		all.Go(func() { h.addAll(fmt.Sprintf("http://%d.test/1", i)) })
	}
	all.Wait()
	h.done(h.next(), frontier.Outcome{State: frontier.Fetched})
}
