package main

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/awarc/awarc/engine/detect"
	"github.com/awarc/awarc/kb"
)

// rules is the knowledge base in use; it changes while a crawl runs.
type rules struct {
	mu   sync.Mutex
	base *kb.Base
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
// invalid one is told and changes nothing.
func (x *session) reload(ctx context.Context) {
	store := x.store()
	if len(store.Paths) == 0 && store.Learned == "" {
		return
	}
	err := store.Watch(ctx, x.rules.get(), func(next *kb.Base, err error) {
		if err != nil {
			x.progress.note("the knowledge base is invalid; the old rules stay: " + strings.ReplaceAll(err.Error(), "\n", "\n    "))
			return
		}
		x.respect(next)
		start := time.Now()
		d := detect.New(next)
		x.engine.Use(d)
		x.progress.note(fmt.Sprintf("knowledge base reloaded: %s (%s, compiled in %s)", x.rules.get().Changes(next), next.Hash, time.Since(start).Round(time.Millisecond)))
		x.rules.set(next)
	})
	if err != nil {
		x.progress.note(err.Error() + "; edits take effect at the next session")
	}
}
