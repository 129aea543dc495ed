package cluster_test

import (
	"errors"
	"fmt"
	"maps"
	"testing"
	"time"

	"github.com/awarc/awarc/frontier"
	"github.com/awarc/awarc/frontier/cluster"
	"github.com/awarc/awarc/frontier/cluster/clustertest"
)

// TestLinksIntoALostServerWait: while a master without a replica is away, one worker crawls all
// hosts of the others, although every page links to every host, names objects that any partition may
// have, and one that it held is of a lost host. When the server is back, nothing is missing.
func TestLinksIntoALostServerWait(t *testing.T) {
	servers := clustertest.Start(t, 3, 0)
	for i := range servers.Addresses {
		set := []string{"CONFIG", "SET", "cluster-require-full-coverage", "no", "appendfsync", "always"}
		if _, err := servers.Command(i, set...); err != nil {
			t.Fatal(err)
		}
	}
	h := open(t, cluster.Options{URL: servers.URL(), Partitions: 32, Lease: 2 * time.Second, Failover: time.Second,
		Poll: 100 * time.Millisecond, Patience: patience})
	const hosts = 30
	address := func(host int, page string) string { return fmt.Sprintf("http://h%d.test/%s", host, page) }
	seeds := make(map[string]int)
	for i := range hosts {
		h.add(frontier.URL{URL: address(i, "")})
		seeds[address(i, "")] = i
	}
	var held []frontier.Lease // of all hosts; those of the lost server cannot be settled
	for range hosts {
		held = append(held, h.next())
	}
	servers.Kill(1)
	closed, lost := true, 0
	outcome := func(l frontier.Lease) frontier.Outcome {
		o := frontier.Outcome{State: frontier.Fetched, Counters: map[string]int64{"pages": 1}}
		from, seed := seeds[l.URL.URL]
		if !seed {
			return o
		}
		o.Meta = map[string][]byte{fmt.Sprint("setting ", from): []byte("kept")}
		o.Aliases = []string{address((from+1)%hosts, "alias")}
		o.Families = map[string]frontier.FamilyChange{"family": {Closed: &closed}}
		o.Exclude = []frontier.Exclusion{{URL: frontier.URL{URL: address((from+2)%hosts, "excluded")}, Reason: "by a page",
			Counter: "excluded"}}
		for to := range hosts {
			o.Links = append(o.Links, frontier.URL{URL: address(to, fmt.Sprint("from-", from))})
			o.Marks = append(o.Marks, frontier.Mark{Key: fmt.Sprint("object ", from, " ", to), Counter: "objects"})
		}
		return o
	}
	for _, l := range held {
		switch err := h.Done(l, outcome(l)); {
		case errors.Is(err, frontier.ErrLost):
			lost++
		case err != nil:
			t.Fatal(err)
		}
	}
	if lost == 0 || lost == hosts {
		t.Fatalf("%d of %d pages could not be settled, want those of one of three servers", lost, hosts)
	}
	for range (hosts - lost) * hosts { // the pages of hosts that answer: each seed has a link to each
		l := h.next()
		h.done(l, outcome(l))
	}
	if err := servers.Restart(1, true); err != nil {
		t.Fatal(err)
	}
	again := 0
	for {
		l, err := h.Next(t.Context())
		if errors.Is(err, frontier.ErrDrained) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		if _, seed := seeds[l.URL.URL]; seed {
			again++
		}
		h.done(l, outcome(l))
	}
	want := map[string]int64{"pages": hosts + hosts*hosts, "objects": hosts * hosts, "excluded": hosts}
	if got := h.Counters(); !maps.Equal(got, want) || again != lost {
		t.Errorf("counted %v, want %v; %d of %d pages of the lost server came again", got, want, again, lost)
	}
	for from := range hosts {
		h.state(address((from+1)%hosts, "alias"), frontier.Aliased)
		h.state(address((from+2)%hosts, "excluded"), frontier.Excluded)
		if got := h.Meta(fmt.Sprint("setting ", from)); string(got) != "kept" {
			t.Errorf("setting %d is %q", from, got)
		}
	}
	if f := h.Families(); len(f) != 1 || !f[0].Closed {
		t.Errorf("families %+v, want one that is closed", f)
	}
}
