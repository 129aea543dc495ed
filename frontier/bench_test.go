package frontier

import (
	"context"
	"fmt"
	"sync"
	"testing"
)

// The benchmarks run on a real file with real fsyncs: they measure the disk as much
// as the code.

func benchFrontier(b *testing.B) *Frontier {
	b.Helper()
	f, err := Open(b.TempDir(), Options{})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { f.Close() })
	return f
}

func benchURLs(from, n, hosts int) []URL {
	urls := make([]URL, n)
	for i := range urls {
		urls[i] = URL{
			URL: fmt.Sprintf("http://host%d.test/viewtopic.php?f=%d&t=%d", (from+i)%hosts, (from+i)%17, from+i),
			Via: "http://host.test/viewforum.php?f=3", Priority: i % 5, Anchor: "A topic of some length",
		}
	}
	return urls
}

// BenchmarkAdd adds pages of 100 new links each, one call after the other.
func BenchmarkAdd(b *testing.B) {
	f := benchFrontier(b)
	const links = 100
	n := 0
	for b.Loop() {
		if _, err := f.Add(context.Background(), benchURLs(n, links, 50)); err != nil {
			b.Fatal(err)
		}
		n += links
	}
	b.ReportMetric(float64(n)/b.Elapsed().Seconds(), "urls/s")
}

// BenchmarkAddKnown adds 100 links that are known, as most links of a page are.
func BenchmarkAddKnown(b *testing.B) {
	f := benchFrontier(b)
	urls := benchURLs(0, 100, 50)
	n := 0
	for b.Loop() {
		if _, err := f.Add(context.Background(), urls); err != nil {
			b.Fatal(err)
		}
		n += len(urls)
	}
	b.ReportMetric(float64(n)/b.Elapsed().Seconds(), "urls/s")
}

// BenchmarkNextDone leases and settles pages that name one new page and twenty
// known ones, with as many workers as the name says.
func BenchmarkNextDone(b *testing.B) {
	for _, workers := range []int{1, 16, 64} {
		b.Run(fmt.Sprint("workers=", workers), func(b *testing.B) {
			f := benchFrontier(b)
			if _, err := f.Add(context.Background(), benchURLs(0, 1000, 100)); err != nil {
				b.Fatal(err)
			}
			known := benchURLs(0, 20, 100)
			tickets := make(chan int, workers)
			var all sync.WaitGroup
			for range workers {
				all.Go(func() {
					for n := range tickets {
						if err := benchVisit(f, append(benchURLs(1000+n, 1, 100), known...)); err != nil {
							b.Error(err)
							return
						}
					}
				})
			}
			b.ResetTimer()
			for n := range b.N {
				tickets <- n
			}
			close(tickets)
			all.Wait()
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "pages/s")
		})
	}
}

func benchVisit(f *Frontier, links []URL) error {
	l, err := f.Next(context.Background())
	if err != nil {
		return err
	}
	return f.Done(l, Outcome{State: Fetched, Links: links, Counters: map[string]int64{"pages": 1}})
}

// BenchmarkOpen opens a frontier of a hundred thousand pending URLs, with its check.
func BenchmarkOpen(b *testing.B) {
	dir := b.TempDir()
	f, err := Open(dir, Options{})
	if err != nil {
		b.Fatal(err)
	}
	if _, err := f.Add(context.Background(), benchURLs(0, 100_000, 1000)); err != nil {
		b.Fatal(err)
	}
	if err := f.Close(); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		f, err := Open(dir, Options{})
		if err != nil {
			b.Fatal(err)
		}
		if err := f.Close(); err != nil {
			b.Fatal(err)
		}
	}
}
