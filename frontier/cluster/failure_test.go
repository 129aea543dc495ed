package cluster_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/awarc/awarc/frontier"
	"github.com/awarc/awarc/frontier/cluster"
	"github.com/awarc/awarc/frontier/cluster/clustertest"
)

// TestNodeThatIsCutOffLosesItsLeases: it begins nothing while it is, and what it has done meanwhile does not count.
func TestNodeThatIsCutOffLosesItsLeases(t *testing.T) {
	server := clustertest.Start(t, 1, 0)
	proxy := clustertest.StartProxy(t, server.Addresses[0])
	o := cluster.Options{URL: "redis://" + proxy.Address, Node: "cut", Lease: time.Second, Poll: 50 * time.Millisecond}
	away := open(t, o)
	o.URL, o.Node = server.URL(), "other"
	other := open(t, o)
	away.addAll("http://a.test/1", "http://b.test/1")
	first, second := away.next(), away.next()
	during, release := away.During(context.Background(), first)
	defer release()
	proxy.Cut(true)
	again := []string{other.next().URL.URL, other.next().URL.URL}
	if again[0] == again[1] {
		t.Fatalf("%s was leased twice", again[0])
	}
	ctx, cancel := context.WithTimeout(during, 300*time.Millisecond)
	defer cancel()
	if err := away.Sure(ctx); err == nil {
		t.Error("a node that is cut off begins requests")
	}
	settled := make(chan error, 1)
	failed, goOn := away.HoldAnswer("done")
	go func() { settled <- away.Done(second, frontier.Outcome{State: frontier.Fetched}) }()
	<-failed
	goOn()
	proxy.Cut(false)
	if err := <-settled; !errors.Is(err, frontier.ErrLost) {
		t.Errorf("the outcome of a lease that another node has: %v", err)
	}
	<-during.Done()
	away.addAll("http://c.test/")
	anew, done := away.During(context.Background(), away.next())
	defer done()
	if err := away.Sure(anew); err != nil {
		t.Error(err)
	}
}

// TestAddressOfALostLeaseComesFree: a node that was frozen renews nothing of what it has lost, so its address can be asked again.
func TestAddressOfALostLeaseComesFree(t *testing.T) {
	o := cluster.Options{Options: frontier.Options{PerHost: 1, Delay: time.Second}, Partitions: 1, Node: "slow", Lease: time.Second,
		Poll: 50 * time.Millisecond}
	slow := open(t, o)
	o.Node = "other"
	other := open(t, o)
	slow.addAll("http://a.test/")
	slow.done(slow.next(), frontier.Outcome{State: frontier.Retry, IP: "192.0.2.1", RetryAfter: time.Millisecond})
	during, release := slow.During(context.Background(), slow.next())
	slow.Freeze(true)
	until(t, "the lease to end", func() bool {
		if l, found, err := other.TakeNow(); found || err != nil {
			t.Fatalf("leased %q before its host had waited, error %v", l.URL.URL, err)
		}
		return other.Stats().Leased == 0
	})
	slow.Freeze(false)
	<-during.Done()
	release() // its visit is broken off; nobody settles it
	other.done(other.next(), frontier.Outcome{State: frontier.Fetched})
}

// TestLeaseOfACallThatWasGivenUpIsGivenBack: otherwise the node would keep it for as long as it runs.
func TestLeaseOfACallThatWasGivenUpIsGivenBack(t *testing.T) {
	h := open(t, cluster.Options{Partitions: 1, Poll: 50 * time.Millisecond})
	h.addAll("http://a.test/")
	answered, release := h.HoldAnswer("take")
	ctx, cancel := context.WithCancel(context.Background())
	go func() { <-answered; cancel() }()
	if l, err := h.Next(ctx); err == nil {
		t.Fatalf("%s was leased in time", l.URL.URL)
	}
	release()
	h.done(h.next(), frontier.Outcome{State: frontier.Fetched})
	h.drained()
}

// TestKeysThatAServerLostAreMadeAnewOrMissed: nobody waits for ever for what is in no queue any more.
func TestKeysThatAServerLostAreMadeAnewOrMissed(t *testing.T) {
	lose := func(h *harness, names ...string) {
		for _, name := range names {
			if err := h.LoseKeys(name); err != nil {
				t.Fatal(err)
			}
		}
	}
	h := open(t, cluster.Options{Options: frontier.Options{PerHost: 1}, Partitions: 4, Lease: time.Second, Poll: 50 * time.Millisecond})
	for i := range 10 {
		h.addAll(fmt.Sprintf("http://h%d.test/1", i), fmt.Sprintf("http://h%d.test/2", i))
	}
	h.next() // which is never settled
	h.Freeze(true)
	lose(h, "ready-domains", "timed-domains", "expiries")
	for range 20 {
		h.done(h.next(), frontier.Outcome{State: frontier.Fetched})
	}
	h.drained()

	h.addAll("http://h1.test/3")
	lose(h, "ready", "waiting", "ready-domains", "timed-domains")
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	if _, err := h.Next(ctx); err == nil || !strings.Contains(err.Error(), "1 URLs are pending and none is in a queue") {
		t.Errorf("a URL that is in no queue: %v", err)
	}
}

// TestNothingIsLostWhenAMasterDies: what was acknowledged is there afterwards, and what was not can be done.
func TestNothingIsLostWhenAMasterDies(t *testing.T) {
	servers := clustertest.Start(t, 3, 1)
	h := open(t, cluster.Options{URL: servers.URL(), Options: frontier.Options{PerHost: 1}, Partitions: 32, Lease: 2 * time.Second})
	const hosts, pages = 40, 3
	for i := range hosts {
		h.add(frontier.URL{URL: fmt.Sprintf("http://h%d.test/0", i)})
	}
	servers.Kill(servers.Masters()[0])
	fetched := map[string]int{}
	for {
		l, err := h.Next(context.Background())
		if errors.Is(err, frontier.ErrDrained) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		fetched[l.URL.URL]++
		var o = frontier.Outcome{State: frontier.Fetched, Counters: map[string]int64{"pages": 1}}
		var host, n int
		fmt.Sscanf(l.URL.URL, "http://h%d.test/%d", &host, &n)
		if n+1 < pages {
			o.Links = []frontier.URL{{URL: fmt.Sprintf("http://h%d.test/%d", (host+1)%hosts, n+1)}}
		}
		h.done(l, o)
	}
	if s := h.Stats(); len(fetched) != hosts*pages || s.Fetched != hosts*pages || h.Counters()["pages"] != hosts*pages {
		t.Errorf("%d URLs were leased, %+v", len(fetched), s)
	}
	for u, n := range fetched {
		if n > 1 {
			t.Errorf("%s was leased %d times although its outcome was acknowledged", u, n)
		}
	}
}

// TestChangesWaitForAReplicaThatMayTakeOver: one that is not connected, but may be promoted, is not taken for one that there is not.
func TestChangesWaitForAReplicaThatMayTakeOver(t *testing.T) {
	servers := clustertest.Start(t, 3, 1)
	h := open(t, cluster.Options{URL: servers.URL(), Partitions: 32})
	masters := servers.Masters()
	for i := range servers.Addresses {
		if slices.Contains(masters, i) {
			continue
		}
		if err := servers.Freeze(i, true); err != nil {
			t.Fatal(err)
		}
		defer servers.Freeze(i, false)
	}
	for _, i := range masters {
		if _, err := servers.Command(i, "CLIENT", "KILL", "TYPE", "replica"); err != nil {
			t.Fatal(err)
		}
	}
	for i := range 20 {
		h.add(frontier.URL{URL: fmt.Sprintf("http://h%d.test/", i)})
	}
	for _, i := range masters {
		if nodes, err := servers.Command(i, "CLUSTER", "NODES"); err != nil || !strings.Contains(nodes, "slave,fail ") {
			t.Errorf("changes count although no replica knows of them (%v):\n%s", err, nodes)
		}
	}
}

// TestOthersAreCrawledOnWhileAServerIsAway: a master without a replica dies, and comes back.
func TestOthersAreCrawledOnWhileAServerIsAway(t *testing.T) {
	servers := clustertest.Start(t, 3, 0)
	for i := range servers.Addresses { // otherwise the whole cluster stops
		// With everysec a server may keep two seconds' changes to itself while its disk is slow.
		set := []string{"CONFIG", "SET", "cluster-require-full-coverage", "no", "appendfsync", "always"}
		if _, err := servers.Command(i, set...); err != nil {
			t.Fatal(err)
		}
	}
	h := open(t, cluster.Options{URL: servers.URL(), Partitions: 32, Lease: 2 * time.Second})
	const hosts = 60
	for i := range hosts {
		h.add(frontier.URL{URL: fmt.Sprintf("http://h%d.test/", i)})
	}
	for i := range hosts { // what is known of an address may be on a server that is away, too
		h.done(h.next(), frontier.Outcome{State: frontier.Retry, IP: fmt.Sprint("192.0.2.", i), RetryAfter: time.Millisecond})
	}
	servers.Kill(1)
	for range hosts / 3 { // of two thirds
		h.done(h.next(), frontier.Outcome{State: frontier.Fetched})
	}
	if err := servers.Restart(1, true); err != nil {
		t.Fatal(err)
	}
	for range hosts - hosts/3 {
		h.done(h.next(), frontier.Outcome{State: frontier.Fetched})
	}
	h.drained()
}
