package engine

import "testing"

// TestShareOfRenderedPages: beyond the first ten, the browser takes no more than its share of the
// pages.
func TestShareOfRenderedPages(t *testing.T) {
	for share, want := range map[float64]int{0: 100, 0.1: 10, 0.5: 50, 1: 100} {
		var r renderings
		r.init()
		taken := 0
		for range 100 {
			if r.seen(); r.take("h.example", share) {
				taken++
			}
		}
		if taken != want {
			t.Errorf("share %v: %d of 100 pages, want %d", share, taken, want)
		}
	}
}
