package cockpit

import (
	"strings"
	"testing"

	"github.com/awarc/awarc/engine"
)

// TestLivePageShowsDownloads: the live page has a bar of a long download, and bytes alone where the
// total is unknown.
func TestLivePageShowsDownloads(t *testing.T) {
	t.Parallel()
	v := liveView{Long: []engine.Download{
		{URL: "https://a.example/film.mp4", Received: 12_300_000, Total: 700_000_000},
		{URL: "https://a.example/stream", Received: 5_000_000},
	}}
	page, err := rendered("live", "exchanges", v)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"a.example/film.mp4", "12.3 of 700.0 MB", `<progress max="700000000" value="12300000"`, "5.0 MB"} {
		if !strings.Contains(string(page), want) {
			t.Errorf("the page lacks %s:\n%s", want, page)
		}
	}
	if strings.Count(string(page), "<progress") != 1 {
		t.Errorf("a bar without a total:\n%s", page)
	}
}
