package watching

import (
	"path/filepath"
	"testing"
	"time"

	"github.com/awarc/awarc/engine/crawl"
)

// TestLiveBoard: of a board that is watched for some weeks, each new post is fetched within a day, with fewer
// requests than the budget.
func TestLiveBoard(t *testing.T) {
	from := time.Date(2012, 2, 1, 0, 0, 0, 0, time.UTC)
	l := Live{Posts: 300, From: from, To: from.AddDate(0, 0, 28), Dir: filepath.Join(t.TempDir(), "crawl"),
		Watch: crawl.WatchOptions{Budget: 30, Every: 24 * time.Hour}}
	r, err := l.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if k := r.Kinds["posted"]; k.Changes == 0 || k.Captured != k.Changes || r.Score.Mean > 1 || r.Score.Fetches > 5 {
		t.Errorf("%d of %d posts were captured, after %.1f days on average, with %.1f requests a day", k.Captured, k.Changes, r.Score.Mean,
			r.Score.Fetches)
	}
}
