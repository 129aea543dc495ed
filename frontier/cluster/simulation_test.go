package cluster

import (
	"container/heap"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/awarc/awarc/frontier"
	"github.com/awarc/awarc/frontier/cluster/clustertest"
)

// What a server does for a page, in microseconds of its processor: BenchmarkOperations of 2026-11-24, a core of an AMD EPYC at load 8, and
// some 5 % more, which is what rules and large domains have added since, in instructions.
type services struct{ take, done, amend, enter, leave, poll float64 }

// A quarter of the links to other domains is of new URLs; others take half as much.
var measured = services{take: 62, done: 262, amend: 39, enter: 25, leave: 22, poll: 20}

// BenchmarkOperations measures them. An iteration is one of each.
func BenchmarkOperations(b *testing.B) {
	servers := clustertest.Start(b, 1, 0)
	s, err := Open(context.Background(), Options{URL: servers.URL(), Crawl: "operations", Node: "node", Partitions: 1, Wait: -1})
	if err != nil {
		b.Fatal(err)
	}
	defer s.Close()
	used := func() (sum float64) {
		out, err := servers.Command(0, "INFO", "cpu")
		if err != nil {
			b.Fatal(err)
		}
		for line := range strings.Lines(out) {
			if name, value, _ := strings.Cut(strings.TrimSpace(line), ":"); name == "used_cpu_user" || name == "used_cpu_sys" {
				v, _ := strconv.ParseFloat(value, 64)
				sum += v
			}
		}
		return sum * 1e6
	}
	measure := func(what string, do func(i int) error) {
		before := used()
		for i := range b.N {
			if err := do(i); err != nil {
				b.Fatal(err)
			}
		}
		b.ReportMetric((used()-before)/float64(b.N), what+"-us")
	}
	change := func(operation string, args ...any) error {
		_, err := s.change(s.alive, 0, operation, args...)
		return err
	}
	leases := make([]frontier.Lease, b.N)
	measure("poll", func(int) error { return change("take", "node", 1000, 1) })
	measure("amend", func(i int) error {
		at := fmt.Sprintf("http://www.domain%d.test/page-of-some-length.html", i)
		_, err := s.Add(s.alive, []frontier.URL{{URL: at, Anchor: "a link"}})
		return err
	})
	measure("take", func(i int) error {
		var found bool
		if leases[i], found, err = s.TakeNow(); !found {
			return fmt.Errorf("nothing to lease: %w", err)
		}
		return err
	})
	measure("done", func(i int) error {
		var links []frontier.URL
		for n := range 16 {
			path := fmt.Sprint("known", n)
			if n < 3 {
				path = fmt.Sprintf("page-with-a-title-of-some-length-%d.html", n)
			}
			links = append(links, frontier.URL{URL: "http://" + leases[i].Host + "/" + path, Anchor: "the text of the link"})
		}
		o := frontier.Outcome{State: frontier.Fetched, Links: links, Counters: map[string]int64{"pages": 1, "bytes": 1}}
		return s.Done(leases[i], o)
	})
	measure("enter", func(i int) error { return change("enter", fmt.Sprint("192.0.2.", i), "id", 1e6, 1, 1e6) })
	measure("leave", func(i int) error { return change("leave", fmt.Sprint("192.0.2.", i), "id", 1e6) })
	b.ReportMetric(0, "ns/op")
}

// simulation is a crawl as a network of queues: each shard does one operation at a time, each worker fetches, and has done for each page
// what the store does: take and enter, then amend for links to other domains, done and leave. Each node asks all partitions once a second.
type simulation struct {
	shards, nodes, workers int
	partitions             int
	domains                int     // with something to fetch
	hot                    float64 // share of the links to other domains that lead to one of them
	apart                  bool    // whose hosts have places of their own
	fetch                  float64 // seconds
	services
	r    *rand.Rand
	free []float64 // when each shard is
}

// on is the shard that has a partition, and at is when it has done an operation that came at a time.
func (m *simulation) on(partition int) int { return partition * m.shards / m.partitions }
func (m *simulation) at(t float64, partition int, micros float64) float64 {
	s := m.on(partition)
	m.free[s] = max(m.free[s], t) + micros/1e6
	return m.free[s]
}

// event is a worker that goes on at a time with its next step.
type event struct {
	at   float64
	step int
	home int // partition of the page
}

type events []event

func (e events) Len() int           { return len(e) }
func (e events) Less(i, j int) bool { return e[i].at < e[j].at }
func (e events) Swap(i, j int)      { e[i], e[j] = e[j], e[i] }
func (e *events) Push(x any)        { *e = append(*e, x.(event)) }
func (e *events) Pop() any          { last := (*e)[len(*e)-1]; *e = (*e)[:len(*e)-1]; return last }

// run returns how many pages a second are settled in the second half of so many seconds.
func (m *simulation) run(seconds float64) float64 {
	m.r, m.free = rand.New(rand.NewPCG(1, 2)), make([]float64, m.shards)
	homes := make([]int, m.domains)
	for i := range homes {
		homes[i] = m.r.IntN(m.partitions)
	}
	var queue events
	for range m.nodes * m.workers {
		queue = append(queue, event{at: m.r.Float64() * seconds / 4})
	}
	// The polls of all nodes are a load that each shard has besides.
	polls := 1 - float64(m.nodes*m.partitions)/float64(m.shards)*m.poll/1e6
	slow := func(micros float64) float64 { return micros / max(polls, 0.01) }
	heap.Init(&queue)
	pages := 0
	for len(queue) > 0 {
		e := queue[0]
		switch e.step {
		case 0: // a page of some domain
			e.home = homes[m.r.IntN(m.domains)]
			e.at = m.at(e.at, e.home, slow(m.take))
		case 1:
			e.at = m.at(e.at, m.r.IntN(m.partitions), slow(m.enter))
			e.at += m.fetch * (0.5 + m.r.Float64())
		case 2, 3, 4, 5: // a link to another domain
			to := homes[m.r.IntN(m.domains)]
			if m.r.Float64() < m.hot {
				if to = homes[0]; m.apart {
					to = m.r.IntN(m.partitions)
				}
			}
			e.at = m.at(e.at, to, slow(m.amend))
		case 6:
			e.at = m.at(e.at, e.home, slow(m.done))
		case 7:
			e.at = m.at(e.at, m.r.IntN(m.partitions), slow(m.leave))
			if e.at > seconds/2 && e.at <= seconds {
				pages++
			}
		}
		if e.step = (e.step + 1) % 8; e.at > seconds {
			heap.Pop(&queue)
			continue
		}
		queue[0] = e
		heap.Fix(&queue, 0)
	}
	return float64(pages) / (seconds / 2)
}

// TestSimulationIsLinearTo64Shards shows where it ends, too: AWARC_LONG=1 go test -v -run Simulation. With so many workers that the
// shards are never idle it says what they do at most.
func TestSimulationIsLinearTo64Shards(t *testing.T) {
	row := func(m simulation) float64 {
		m.workers, m.fetch, m.services = 400, 0.5, measured
		pages := m.run(4)
		t.Logf("%5d shards %5d nodes %6d partitions  hot %4.1f %%  %9.0f pages/s  %6.0f a shard", m.shards, m.nodes, m.partitions,
			100*m.hot, pages, pages/float64(m.shards))
		return pages
	}
	one := row(simulation{shards: 1, nodes: 4, partitions: 256, domains: 50_000})
	if one < 1000 {
		t.Errorf("%.0f pages/s on a shard, less than the 1,000 of a node", one)
	}
	for _, shards := range []int{4, 16, 64} {
		pages := row(simulation{shards: shards, nodes: 4 * shards, partitions: 256, domains: 50_000 * shards})
		if pages < 0.9*one*float64(shards) {
			t.Errorf("%d shards do %.0f pages/s, less than nine tenths of %d times %.0f", shards, pages, shards, one)
		}
	}
	if os.Getenv("AWARC_LONG") == "" {
		return
	}
	row(simulation{shards: 250, nodes: 1000, partitions: 256, domains: 5_000_000})
	row(simulation{shards: 250, nodes: 1000, partitions: 4096, domains: 5_000_000})
	for _, hot := range []float64{0.01, 0.05, 0.2} {
		row(simulation{shards: 64, nodes: 256, partitions: 256, domains: 3_200_000, hot: hot})
	}
	row(simulation{shards: 64, nodes: 256, partitions: 256, domains: 3_200_000, hot: 0.2, apart: true})
	row(simulation{shards: 64, nodes: 256, partitions: 256, domains: 2_000})
}
