package main

import (
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/awarc/awarc/frontier/cluster/clustertest"
)

// TestNodesKeepTheRulesOfDomains: a budget, a domain that is off, and an edit of the file on one node hold for both.
func TestNodesKeepTheRulesOfDomains(t *testing.T) {
	t.Parallel()
	server := clustertest.Start(t, 1, 0)
	sites := watchSites(t, 4, 40)
	var hosts []string
	for _, seed := range sites.seeds {
		u, err := url.Parse(seed)
		if err != nil {
			t.Fatal(err)
		}
		hosts = append(hosts, u.Host)
	}
	asked := func(i int) int {
		sites.mu.Lock()
		defer sites.mu.Unlock()
		return len(sites.asked[hosts[i]])
	}
	base := t.TempDir()
	file := filepath.Join(base, "domains.yaml")
	rules := func(lines ...string) {
		t.Helper()
		if err := os.WriteFile(file, []byte(strings.Join(lines, "\n")+"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	budget, off := fmt.Sprintf("%q: {budget: 8}", hosts[0]), fmt.Sprintf("%q: {off: true}", hosts[1])
	rules(budget, off)
	begin := append([]string{"crawl", "--frontier", server.URL(), "--crawl", "ruled", "--delay", "50ms", "--domains", file}, sites.seeds...)
	first := startNode(t, filepath.Join(base, "one"), begin...)
	second := startNode(t, filepath.Join(base, "two"), begin...)
	until(t, "the first requests of both", func() bool { return first.fetches() && second.fetches() })
	rules(budget, fmt.Sprintf("%q: {budget: 5}", hosts[1]))
	first.ends(t, exitLimit)
	second.ends(t, exitLimit)
	// What was in flight when the budget was reached, and a robots.txt file, may come on top.
	for i, want := range []int{8, 5} {
		if n := asked(i); n < want || n > want+2 {
			t.Errorf("%d requests to a host with a budget of %d", n, want)
		}
	}
	if asked(2) < 15 || asked(3) < 15 {
		t.Errorf("%d and %d requests to hosts without rules", asked(2), asked(3))
	}
	third := startNode(t, filepath.Join(base, "three"), begin...) // takes part, and sets nothing back
	third.ends(t, exitLimit)
	if n := asked(1); n > 7 {
		t.Errorf("%d requests to a host with a budget of 5, after a node has joined", n)
	}
}
