package cluster_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/awarc/awarc/frontier"
	"github.com/awarc/awarc/frontier/cluster"
	"github.com/awarc/awarc/frontier/cluster/clustertest"
)

// info is the sum of a figure that servers tell about themselves.
func info(b *testing.B, s *clustertest.Servers, section string, names ...string) (sum float64) {
	b.Helper()
	for i := range s.Addresses {
		out, err := s.Command(i, "INFO", section)
		if err != nil {
			b.Fatal(err)
		}
		for line := range strings.Lines(out) {
			name, value, _ := strings.Cut(strings.TrimSpace(line), ":")
			for _, n := range names {
				if n == name {
					v, _ := strconv.ParseFloat(value, 64)
					sum += v
				}
			}
		}
	}
	return sum
}

// BenchmarkPages is the frontier's whole work for a page: it is leased and settled with 20 links, of which 4 are of new URLs, and 4 lead to
// other domains. An address is asked for leave before, as of hosts that were asked before. An iteration is a page.
func BenchmarkPages(b *testing.B) {
	for _, c := range []struct{ shards, nodes int }{{1, 1}, {1, 2}, {1, 4}, {3, 1}, {3, 4}} {
		b.Run(fmt.Sprintf("shards=%d/nodes=%d", c.shards, c.nodes), func(b *testing.B) { pages(b, c.shards, c.nodes) })
	}
}

func pages(b *testing.B, shards, nodes int) {
	servers := clustertest.Start(b, shards, 0)
	const domains, workers = 2000, 16
	var all []*cluster.Store
	for i := range nodes {
		s, err := cluster.Open(context.Background(), cluster.Options{URL: servers.URL(), Crawl: "pages", Node: fmt.Sprint("node ", i)})
		if err != nil {
			b.Fatal(err)
		}
		defer s.Close()
		all = append(all, s)
	}
	var seeds []frontier.URL
	for i := range domains {
		seeds = append(seeds, frontier.URL{URL: fmt.Sprintf("http://www.domain%d.test/", i)})
	}
	if _, err := all[0].Add(context.Background(), seeds); err != nil {
		b.Fatal(err)
	}
	var n atomic.Int64
	var group sync.WaitGroup
	before := info(b, servers, "cpu", "used_cpu_user", "used_cpu_sys")
	b.ResetTimer()
	for _, s := range all {
		for range workers {
			group.Go(func() { work(b, s, &n) })
		}
	}
	group.Wait()
	b.StopTimer()
	used := info(b, servers, "cpu", "used_cpu_user", "used_cpu_sys") - before
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "pages/s")
	b.ReportMetric(used/float64(b.N)*1e6, "redis-us/page")
	b.ReportMetric(0, "ns/op")
}

// work fetches pages until there were enough.
func work(b *testing.B, s *cluster.Store, n *atomic.Int64) {
	for {
		page := n.Add(1)
		if page > int64(b.N) {
			return
		}
		l, err := s.Next(context.Background())
		if err != nil {
			b.Error(err)
			return
		}
		var links []frontier.URL
		for i := range 16 {
			path := fmt.Sprint("known", i)
			if i < 3 {
				path = fmt.Sprintf("page-with-a-title-of-some-length-%d-%d.html", page, i)
			}
			links = append(links, frontier.URL{URL: "http://" + l.Host + "/" + path, Anchor: "the text of the link", Hops: 3})
		}
		for i := range 4 {
			path := "known"
			if i == 0 {
				path = fmt.Sprint("page-with-a-title-of-some-length-", page, ".html")
			}
			other := (int(page)*7 + i*531) % 2000
			links = append(links, frontier.URL{URL: fmt.Sprintf("http://www.domain%d.test/%s", other, path), Anchor: "elsewhere", Hops: 4})
		}
		o := frontier.Outcome{State: frontier.Fetched, Links: links, IP: "192.0.2." + l.Host,
			Counters: map[string]int64{"pages": 1, "bytes": 31415, "requests": 1, "links/followed": 4}}
		if err := s.Done(l, o); err != nil && !errors.Is(err, frontier.ErrLost) {
			b.Error(err)
			return
		}
	}
}

// BenchmarkMemory is what a URL that waits takes in the memory of Redis: 1,000,000 of 10,000 domains, ten times as many with AWARC_LONG=1.
func BenchmarkMemory(b *testing.B) {
	urls := 1_000_000
	if os.Getenv("AWARC_LONG") != "" {
		urls *= 10
	}
	servers := clustertest.Start(b, 1, 0)
	s, err := cluster.Open(context.Background(), cluster.Options{URL: servers.URL(), Crawl: "memory", Node: "node"})
	if err != nil {
		b.Fatal(err)
	}
	defer s.Close()
	empty := info(b, servers, "memory", "used_memory")
	var group sync.WaitGroup
	const at, callers = 2000, 8
	var next atomic.Int64
	for range callers {
		group.Go(func() {
			for {
				from := int(next.Add(at)) - at
				if from >= urls {
					return
				}
				var some []frontier.URL
				for i := from; i < from+at; i++ {
					domain := i / 100 % 10_000
					some = append(some, frontier.URL{
						URL: fmt.Sprintf("http://www.domain%d.test/forum/viewtopic.php?f=%d&t=%d", domain, i%97, i),
						Via: fmt.Sprintf("http://www.domain%d.test/forum/viewforum.php?f=%d", domain, i%97), Anchor: "the text of the link",
						Level: "topic", Type: "phpbb", Hops: 3,
					})
				}
				if _, err := s.Add(context.Background(), some); err != nil {
					b.Error(err)
					return
				}
			}
		})
	}
	group.Wait()
	b.ReportMetric((info(b, servers, "memory", "used_memory")-empty)/float64(urls), "B/URL")
	b.ReportMetric(info(b, servers, "cpu", "used_cpu_user", "used_cpu_sys")/float64(urls)*1e6, "redis-us/URL")
	b.ReportMetric(0, "ns/op")
}
