package crawl

import (
	"context"
	"strings"
	"sync"
	"time"

	"github.com/awarc/awarc/engine/detect"
	"github.com/awarc/awarc/kb"
)

// rules is the knowledge base in use; it changes while a crawl runs.
type rules struct {
	changing sync.Mutex // held by who puts another in force
	mu       sync.Mutex
	base     *kb.Base
}

func (r *rules) get() *kb.Base {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.base
}

func (r *rules) set(b *kb.Base) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.base = b
}

// reload follows the knowledge base while the crawl runs: the user's files, and
// what this crawl learned. A valid edit is compiled aside and swapped in at once; an
// invalid one is noted and changes nothing.
func (c *Crawl) reload(ctx context.Context) {
	store := c.store()
	if len(store.Paths) == 0 && store.Learned == "" {
		return
	}
	err := store.Watch(ctx, c.rules.get(), func(next *kb.Base, err error) {
		if err != nil {
			c.note("the knowledge base is invalid; the old rules stay: %s", strings.ReplaceAll(err.Error(), "\n", "\n    "))
			return
		}
		c.rules.changing.Lock()
		defer c.rules.changing.Unlock()
		c.putInForce(next)
		c.publishEdits()
	})
	if err != nil {
		c.note("%v; edits take effect at the next session", err)
	}
}

// putInForce makes a knowledge base the one that pages are read with, also those that were read before and that it concerns. The caller
// holds rules.changing.
func (c *Crawl) putInForce(next *kb.Base) {
	if next.Hash == c.rules.get().Hash {
		return
	}
	c.respect(next)
	start := time.Now()
	d := detect.New(next)
	c.engine.Use(d)
	took := time.Since(start).Round(time.Millisecond)
	changes := c.rules.get().Changes(next)
	c.note("knowledge base reloaded: %s (%s, compiled in %s)", changes, next.Hash, took)
	c.rules.set(next)
	c.concern(changes)
	c.tryExamples(d, changes)
}
