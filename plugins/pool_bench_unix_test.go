//go:build unix

package plugins

import (
	"fmt"
	"maps"
	"slices"
	"sync"
	"syscall"
	"testing"
	"time"
)

// BenchmarkPool is what two goroutines do in the time of one, with an instance each, and
// beside it in every round what two do that call a function of the program and share nothing:
// on a busy machine that is less than 2 too. A pool that scales has a quotient of 1, as far as
// the machine is as busy in both halves of a round; what does not depend on others is the
// processor time of a call, which is the same for one goroutine and for two where they do
// not stand in each other's way. All are medians over the rounds; each figure of a round is
// of a tenth of a second or more.
func BenchmarkPool(b *testing.B) {
	inGo := native()
	all := guests(b)
	for _, lang := range slices.Sorted(maps.Keys(all)) {
		file := all[lang]
		for _, size := range []int{10_000, 200_000} {
			b.Run(fmt.Sprintf("%s/%dKB", lang, size/1000), func(b *testing.B) {
				s, page := benchSet(b, file, true), benchPage(size)
				host := gain(func() { inGo(page) })
				guest := gain(func() { score(b, s, page, 1) })
				var hosts, guests, quotients, processor []float64
				for b.Loop() {
					h, _ := host()
					g, p := guest()
					hosts, guests, quotients, processor = append(hosts, h), append(guests, g), append(quotients, g/h), append(processor, p)
				}
				b.ReportMetric(median(hosts), "two/one-native")
				b.ReportMetric(median(guests), "two/one-plugin")
				b.ReportMetric(median(quotients), "plugin/native")
				b.ReportMetric(median(processor), "two/one-processor-time")
			})
		}
	}
}

// gain returns a function that measures how often two goroutines do something against one, in
// the same time, and the processor time that it takes them against what it takes one. It
// is done often enough to take a tenth of a second.
func gain(f func()) func() (rate, processor float64) {
	f()
	start, calls := time.Now(), 0
	for ; time.Since(start) < 100*time.Millisecond || calls%2 != 0; calls++ {
		f()
	}
	several := func(n int) {
		for range n {
			f()
		}
	}
	return func() (rate, processor float64) {
		start, used := time.Now(), processTime()
		several(calls)
		one, oneUsed := time.Since(start), processTime()-used
		start, used = time.Now(), processTime()
		var two sync.WaitGroup
		for range 2 {
			two.Go(func() { several(calls / 2) })
		}
		two.Wait()
		return float64(one) / float64(time.Since(start)), float64(processTime()-used) / float64(oneUsed)
	}
}

// processTime is the processor time of this process.
func processTime() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		panic(err) // it does not fail for this process
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

func median(v []float64) float64 {
	v = slices.Sorted(slices.Values(v))
	return (v[(len(v)-1)/2] + v[len(v)/2]) / 2
}
