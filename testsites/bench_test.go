package testsites

import (
	"runtime"
	"testing"
)

// BenchmarkPage measures the rendering of the canonical pages of a site.
func BenchmarkPage(b *testing.B) {
	for _, n := range Names() {
		b.Run(n.CMS+"-"+n.Template, func(b *testing.B) {
			s, err := New(n.CMS, n.Template, Options{Posts: 2000})
			if err != nil {
				b.Fatal(err)
			}
			pages := s.Truth(host).Pages
			c := newClient(s, true)
			for i := 0; b.Loop(); i++ {
				c.get(b, pages[i%len(pages)].URL)
			}
		})
	}
}

// BenchmarkMillionPosts measures how long a large site takes to lay out and what it keeps in memory.
func BenchmarkMillionPosts(b *testing.B) {
	for _, n := range []Name{{"phpbb", "prosilver"}, {"wordpress", "twentytwentyone"}} {
		b.Run(n.CMS, func(b *testing.B) {
			for b.Loop() {
				var before, after runtime.MemStats
				runtime.GC()
				runtime.ReadMemStats(&before)
				s, err := New(n.CMS, n.Template, Options{Posts: 1_000_000})
				if err != nil {
					b.Fatal(err)
				}
				runtime.GC()
				runtime.ReadMemStats(&after)
				b.ReportMetric(float64(after.HeapAlloc-before.HeapAlloc)/1e6, "MB")
				runtime.KeepAlive(s)
			}
		})
	}
}
