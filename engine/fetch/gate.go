package fetch

import (
	"context"
	"sync"
)

// Gate lets one exchange at a time through for each key (an IP address, or a host name behind
// a proxy). Keys that are neither held nor waited for take no memory. The zero value is open.
type Gate struct {
	mu    sync.Mutex
	turns map[string]*turn
}

type turn struct {
	free  chan struct{} // holds one token while nobody has the turn
	users int           // holder and waiters
}

// enter waits for the turn of key and returns the function that ends it, or the
// error of ctx.
func (g *Gate) enter(ctx context.Context, key string) (leave func(), err error) {
	g.mu.Lock()
	if g.turns == nil {
		g.turns = make(map[string]*turn)
	}
	t := g.turns[key]
	if t == nil {
		t = &turn{free: make(chan struct{}, 1)}
		t.free <- struct{}{}
		g.turns[key] = t
	}
	t.users++
	g.mu.Unlock()

	select {
	case <-t.free:
		return func() { t.free <- struct{}{}; g.drop(key, t) }, nil
	case <-ctx.Done():
		g.drop(key, t)
		return nil, ctx.Err()
	}
}

func (g *Gate) drop(key string, t *turn) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if t.users--; t.users == 0 {
		delete(g.turns, key)
	}
}
