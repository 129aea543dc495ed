package cluster

import "sync"

// group lets callers that want the same thing done share one doing of it that begins after they came.
type group struct {
	mu   sync.Mutex
	turn sync.Mutex
	next *round
}

type round struct {
	done chan struct{}
	err  error
}

func (g *group) do(what func() error) error {
	g.mu.Lock()
	r := g.next
	first := r == nil
	if first {
		r = &round{done: make(chan struct{})}
		g.next = r
	}
	g.mu.Unlock()
	if !first {
		<-r.done
		return r.err
	}
	g.turn.Lock()
	defer g.turn.Unlock()
	g.mu.Lock()
	g.next = nil
	g.mu.Unlock()
	r.err = what()
	close(r.done)
	return r.err
}
