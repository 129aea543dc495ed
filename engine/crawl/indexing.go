package crawl

import (
	"context"
	"path/filepath"
	"time"

	"github.com/awarc/awarc/engine"
	"github.com/awarc/awarc/engine/quads"
)

// IndexFile is where the index of what a crawl extracted is, below its folder.
const IndexFile = "state/graph.db"

// The index is renewed after a while that doubles up to the most, and is at least so many times as long as it took the last time.
const (
	firstRenewal = time.Second
	mostRenewal  = time.Minute
	renewalRest  = 19
)

// keepIndex renews the index again and again until ctx ends.
func (c *Crawl) keepIndex(ctx context.Context) {
	if !c.settings.Flags.Index {
		return
	}
	var took time.Duration
	for pause := firstRenewal; ; pause = min(2*pause, mostRenewal) {
		select {
		case <-ctx.Done():
			return
		case <-time.After(max(pause, renewalRest*took)):
		}
		began := time.Now()
		if err := c.renewIndex(ctx); err != nil {
			return
		}
		took = time.Since(began)
	}
}

// renewIndex reads what the graph has more than before into the index. A crawl goes on without one: it can be made at any time.
func (c *Crawl) renewIndex(ctx context.Context) error {
	files, err := quads.Files(c.dir)
	if err == nil {
		_, err = quads.Build(ctx, filepath.Join(c.dir, IndexFile), files, quads.Options{Own: true})
	}
	if err != nil && ctx.Err() == nil {
		c.note("the index is not updated any more; run awarc index %s: %v", c.dir, err)
	}
	return err
}

// endIndex renews the index once more, unless the session is to end at once.
func (c *Crawl) endIndex(ctx context.Context, reason engine.Reason) {
	if c.settings.Flags.Index && reason != engine.Interrupted {
		_ = c.renewIndex(ctx) // it was told
	}
}
