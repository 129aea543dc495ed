package cluster_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/awarc/awarc/frontier"
	"github.com/awarc/awarc/frontier/cluster"
)

// domains is what tests of budgets and rules call of a frontier in a file and of one in Redis.
type domains interface {
	store
	Next(ctx context.Context) (frontier.Lease, error)
	Done(l frontier.Lease, o frontier.Outcome) error
	Stats() frontier.Stats
	Rules() map[string]frontier.Rule
}

// inBoth runs a test of both frontiers, the one in Redis in so many partitions.
func inBoth(t *testing.T, o frontier.Options, partitions int, test func(t *testing.T, d domains)) {
	t.Run("file", func(t *testing.T) {
		f, err := frontier.Open(t.TempDir(), o)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		test(t, f)
	})
	t.Run("redis", func(t *testing.T) {
		test(t, open(t, cluster.Options{Options: o, Partitions: partitions, Poll: 50 * time.Millisecond}).Store)
	})
}

// fetchAll fetches until nothing is left, with the links that it is told of, and returns how often each domain was asked.
func fetchAll(t *testing.T, d domains, links func(l frontier.Lease, n int) []frontier.URL) map[string]int {
	t.Helper()
	asked := make(map[string]int)
	for {
		l, err := d.Next(context.Background())
		if errors.Is(err, frontier.ErrDrained) {
			return asked
		}
		if err != nil {
			t.Fatal(err)
		}
		domain := frontier.DomainOf(l.Host)
		if asked[domain]++; asked[domain] > 200 {
			t.Fatalf("%d requests to %s", asked[domain], domain)
		}
		o := frontier.Outcome{State: frontier.Fetched}
		if links != nil {
			o.Links = links(l, asked[domain])
		}
		if err := d.Done(l, o); err != nil {
			t.Fatal(err)
		}
	}
}

func add(t *testing.T, d domains, urls ...string) {
	t.Helper()
	for _, u := range urls {
		if _, err := d.Add(context.Background(), []frontier.URL{{URL: u}}); err != nil {
			t.Fatal(err)
		}
	}
}

// TestLinkFarmGetsWhatOthersGrantIt has a farm of hosts under one domain that link to each other, and a site that two others link to.
func TestLinkFarmGetsWhatOthersGrantIt(t *testing.T) {
	o := frontier.Options{InDegree: frontier.InDegree{Base: 5, Each: 10, Until: 2}}
	inBoth(t, o, 16, func(t *testing.T, d domains) {
		seeds := []frontier.URL{{URL: "http://seed.test/", Seed: true}, {URL: "http://other.test/", Seed: true}}
		if _, err := d.Add(context.Background(), seeds); err != nil {
			t.Fatal(err)
		}
		asked := fetchAll(t, d, func(l frontier.Lease, n int) (links []frontier.URL) {
			domain := frontier.DomainOf(l.Host)
			if domain == "seed.test" || domain == "other.test" {
				links = []frontier.URL{{URL: "http://1.good.test/"}}
				if domain == "seed.test" && n < 60 {
					links = append(links, frontier.URL{URL: fmt.Sprint("http://seed.test/", n)}, frontier.URL{URL: "http://1.farm.test/"})
				}
				return links
			}
			for i := range 3 {
				links = append(links, frontier.URL{URL: fmt.Sprintf("http://%d.%s/%d", n%7, domain, n*3+i)})
			}
			return links
		})
		if want := map[string]int{"seed.test": 60, "other.test": 1, "good.test": 25, "farm.test": 15}; !maps.Equal(asked, want) {
			t.Errorf("asked %v, want %v", asked, want)
		}
		if s := d.Stats(); s.Stopped == 0 || s.Stopped != s.Pending {
			t.Errorf("stats %+v", s)
		}
	})
}

func TestRulesStopDomainsAndLetThemGoOn(t *testing.T) {
	inBoth(t, frontier.Options{}, 16, func(t *testing.T, d domains) {
		set := func(domain string, r *frontier.Rule) {
			t.Helper()
			if err := d.SetRule(context.Background(), domain, r); err != nil {
				t.Fatal(err)
			}
		}
		for i := range 4 {
			add(t, d, fmt.Sprintf("http://x.a.test/%d", i), fmt.Sprintf("http://y.a.test/%d", i), fmt.Sprintf("http://x.b.test/%d", i),
				fmt.Sprintf("http://c.test:8080/%d", i))
		}
		set("b.test", &frontier.Rule{Off: true})
		set("a.test", &frontier.Rule{Budget: 5})
		if asked := fetchAll(t, d, nil); !maps.Equal(asked, map[string]int{"a.test": 5, "c.test": 4}) {
			t.Errorf("asked %v", asked)
		}
		if s := d.Stats(); s.Pending != 7 || s.Stopped != 7 {
			t.Errorf("stats %+v", s)
		}
		set("B.test.", nil)
		set("a.test", &frontier.Rule{Budget: 6})
		set("y.a.test", &frontier.Rule{}) // the rule of the longest name counts, alone
		if asked := fetchAll(t, d, nil); asked["b.test"] != 4 || asked["a.test"] > 3 || asked["a.test"] < 1 {
			t.Errorf("asked %v", asked)
		}
		if rules := d.Rules(); len(rules) != 2 || rules["a.test"].Budget != 6 {
			t.Errorf("rules %+v", rules)
		}
		if d.SetRule(t.Context(), "a.test", &frontier.Rule{Budget: -1}) == nil || d.SetRule(t.Context(), "", &frontier.Rule{}) == nil {
			t.Error("a rule that cannot be is accepted")
		}
	})
}

// TestBudgetOverManyDomainsIsOneForAllPartitions: what is under one rule may be in many of them, each of which knows of its own requests.
func TestBudgetOverManyDomainsIsOneForAllPartitions(t *testing.T) {
	const budget, each = 30, 10
	o := frontier.Options{Delay: 200 * time.Millisecond} // so that nodes learn of each other's requests in between
	inBoth(t, o, 16, func(t *testing.T, d domains) {
		for host := range each {
			for i := range each {
				add(t, d, fmt.Sprintf("http://www.d%d.test/%d", host, i))
			}
		}
		if err := d.SetRule(context.Background(), "test", &frontier.Rule{Budget: budget}); err != nil {
			t.Fatal(err)
		}
		sum := 0
		for _, n := range fetchAll(t, d, nil) {
			sum += n
		}
		if sum < budget || sum > budget+2*each {
			t.Errorf("%d requests, want %d and those of a moment more", sum, budget)
		}
		if s := d.Stats(); s.Stopped != s.Pending || s.Pending != each*each-sum {
			t.Errorf("stats %+v after %d requests", s, sum)
		}
	})
}

// TestPriorityOfARuleCountsBetweenPartitions: hosts of a higher priority come whenever they may be asked.
func TestPriorityOfARuleCountsBetweenPartitions(t *testing.T) {
	inBoth(t, frontier.Options{}, 16, func(t *testing.T, d domains) {
		if err := d.SetRule(context.Background(), "first.test", &frontier.Rule{Priority: 1}); err != nil {
			t.Fatal(err)
		}
		for i := range 5 {
			for host := range 20 {
				add(t, d, fmt.Sprintf("http://d%d.test/%d", host, i))
			}
			add(t, d, fmt.Sprintf("http://first.test/%d", i))
		}
		var order []string
		fetchAll(t, d, func(l frontier.Lease, _ int) []frontier.URL {
			order = append(order, l.Host)
			return nil
		})
		last := 0
		for i, host := range order {
			if host == "first.test" {
				last = i
			}
		}
		// Which partition has it is learned in the first round.
		if last > 25 {
			t.Errorf("the last of it was leased as number %d of %d: %s", last, len(order), strings.Join(order, " "))
		}
	})
}

// TestRulesAreThoseOfAllNodes: what is set on one is told by the others, and changes that come late do not undo later ones.
func TestRulesAreThoseOfAllNodes(t *testing.T) {
	o := cluster.Options{Partitions: 16, Poll: 20 * time.Millisecond, Node: "one"}
	one := open(t, o)
	o.Node = "two"
	two := open(t, o)
	wait := 3 * time.Second
	rules := map[string]*frontier.Rule{"a.test": {Delay: &wait, Priority: -2}, "b.test": {Off: true}, "c.test": {Budget: 7}}
	if err := one.SetRules(context.Background(), rules); err != nil {
		t.Fatal(err)
	}
	if err := two.SetRule(context.Background(), "b.test", nil); err != nil {
		t.Fatal(err)
	}
	until(t, "both rules", func() bool { return len(one.Rules()) == 2 })
	for _, s := range []*harness{one, two} {
		have := s.Rules()
		if names := slices.Sorted(maps.Keys(have)); !slices.Equal(names, []string{"a.test", "c.test"}) || *have["a.test"].Delay != wait ||
			have["a.test"].Priority != -2 || have["c.test"].Budget != 7 {
			t.Errorf("rules %+v", have)
		}
	}
	two.addAll("http://b.test/1")
	if l := one.next(); l.Host != "b.test" {
		t.Errorf("leased %s", l.URL.URL)
	}
}

// TestManyHostsArePlacedAFewAtATime: what a rule or a budget means for a thousand hosts holds at once, though they are placed anew little
// by little, by whoever leases.
func TestManyHostsArePlacedAFewAtATime(t *testing.T) {
	const hosts, pages = 1000, 2
	h := open(t, cluster.Options{Partitions: 1})
	var urls []frontier.URL
	for i := range hosts * pages {
		urls = append(urls, frontier.URL{URL: fmt.Sprintf("http://h%d.test/%d", i%hosts, i)})
	}
	if _, err := h.Add(t.Context(), urls); err != nil {
		t.Fatal(err)
	}
	begin := func(r *frontier.Rule) {
		t.Helper()
		if left, err := h.BeginRule("test", r); err != nil || !left {
			t.Fatalf("all hosts are placed at once: %v", err)
		}
	}
	fetch := func(most int) (n int) {
		t.Helper()
		for ; n < most; n++ {
			l, err := h.Next(t.Context())
			if errors.Is(err, frontier.ErrDrained) {
				break
			}
			if err != nil {
				t.Fatal(err)
			}
			h.done(l, frontier.Outcome{State: frontier.Fetched})
		}
		return n
	}
	stopped := func(want int) {
		t.Helper()
		if s := h.Stats(); s.Stopped != want || s.Pending != want || strings.Contains(fmt.Sprint(s), "-") {
			t.Errorf("stats %+v, want %d stopped", s, want)
		}
	}
	fetch(30)
	begin(&frontier.Rule{Off: true})
	if n := fetch(1); n > 0 {
		t.Error("a host that is off was asked")
	}
	stopped(hosts*pages - 30)
	begin(&frontier.Rule{Budget: 50})
	if n := fetch(100); n != 20 {
		t.Errorf("%d requests after 30 under a budget of 50", n)
	}
	stopped(hosts*pages - 50)
	begin(&frontier.Rule{Budget: 51})
	begin(&frontier.Rule{Budget: 60}) // before the other is through
	if n := fetch(100); n != 10 {
		t.Errorf("%d requests after 50 under a budget of 60", n)
	}
	stopped(hosts*pages - 60)
	begin(nil)
	if n := fetch(hosts * pages); n != hosts*pages-60 {
		t.Errorf("%d requests without a rule, want %d", n, hosts*pages-60)
	}
}

// TestBudgetOfADomainOfManyHosts: a domain of more hosts than are placed at once stops and goes on as others link to it.
func TestBudgetOfADomainOfManyHosts(t *testing.T) {
	o := frontier.Options{InDegree: frontier.InDegree{Base: 20, Each: 30, Until: 1}}
	inBoth(t, o, 1, func(t *testing.T, d domains) {
		if _, err := d.Add(t.Context(), []frontier.URL{{URL: "http://seed.test/", Seed: true}}); err != nil {
			t.Fatal(err)
		}
		for i := range 300 {
			add(t, d, fmt.Sprintf("http://h%d.farm.test/", i))
		}
		if asked := fetchAll(t, d, nil); asked["farm.test"] != 20 {
			t.Errorf("asked %v", asked)
		}
		if _, err := d.Add(t.Context(), []frontier.URL{{URL: "http://other.test/", Seed: true}}); err != nil {
			t.Fatal(err)
		}
		asked := fetchAll(t, d, func(l frontier.Lease, _ int) []frontier.URL {
			if l.Host != "other.test" {
				return nil
			}
			return []frontier.URL{{URL: "http://h1.farm.test/"}}
		})
		if asked["farm.test"] != 30 {
			t.Errorf("asked %v after a link", asked)
		}
	})
}
