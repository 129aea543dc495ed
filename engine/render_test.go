package engine

import (
	"errors"
	"net/http"
	"testing"

	"github.com/awarc/awarc/engine/browser"
)

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

// TestLongPollsAreRefused: after a request waited for news, others of its path are refused,
// whatever their query.
func TestLongPollsAreRefused(t *testing.T) {
	e := new(Engine)
	e.renderings.init()
	r := &rendering{Engine: e}
	e.renderings.setPoll(parseURL("http://h.example/socket.io/?t=1"))
	get := browser.Request{Method: http.MethodGet, Kind: "xhr"}
	if err := r.refuses(t.Context(), parseURL("http://h.example/socket.io/?t=2"), get); !errors.Is(err, errStream) {
		t.Errorf("%v, want %v", err, errStream)
	}
}
