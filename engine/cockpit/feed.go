package cockpit

import (
	"sync"

	"github.com/awarc/awarc/engine"
)

// lastExchanges is how many exchanges a feed keeps.
const lastExchanges = 100

// Feed keeps the last of what a session did, for those who watch it. Its methods may be called at once; none waits for a watcher.
type Feed struct {
	mu   sync.Mutex
	ring [lastExchanges]engine.Exchanged
	n    int // exchanges ever
}

// Exchanged takes an exchange: see [crawl.Events].
func (f *Feed) Exchanged(e engine.Exchanged) {
	f.mu.Lock()
	f.ring[f.n%lastExchanges] = e
	f.n++
	f.mu.Unlock()
}
