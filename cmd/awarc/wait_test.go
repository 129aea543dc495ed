package main

import (
	"context"
	"net/http"
	"os/exec"
	"sync"
	"testing"
	"time"
)

// patience bounds each wait for another process. It only has to be longer than any wait on a busy
// machine: a test takes that long only when it fails.
func patience() time.Duration {
	if isLong() {
		return time.Hour
	}
	return 10 * time.Minute
}

// until polls for a condition that another process fulfils without an event. It polls ever less
// often, since the other process needs the processor.
func until(t *testing.T, what string, holds func() bool) {
	t.Helper()
	pause := 2 * time.Millisecond
	timer := time.NewTimer(pause)
	defer timer.Stop()
	for deadline := time.Now().Add(patience()); !holds(); <-timer.C {
		if time.Now().After(deadline) {
			t.Fatalf("waited %v in vain for %s", patience(), what)
		}
		pause = min(pause*5/4, 100*time.Millisecond)
		timer.Reset(pause)
	}
}

// gate answers as many requests as a test lets pass and holds the others, so that the test acts
// while a request is in flight, at a moment that no clock decides.
type gate struct {
	http.Handler
	held    chan struct{} // receives a value when a request is held
	mu      sync.Mutex
	left    int // requests that may still pass; negative: all
	waiting int // requests that are held
	changed chan struct{}
}

// newGate holds requests after the first few; negative passes: none.
func newGate(h http.Handler, passes int) *gate {
	return &gate{Handler: h, held: make(chan struct{}, 1), left: passes, changed: make(chan struct{})}
}

func (g *gate) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if g.enter(r.Context()) {
		g.Handler.ServeHTTP(w, r)
	}
}

// enter waits for a request's turn; it returns false when its client has hung up.
func (g *gate) enter(ctx context.Context) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	for g.left == 0 {
		changed := g.changed
		g.waiting++
		select {
		case g.held <- struct{}{}:
		default:
		}
		g.mu.Unlock()
		select {
		case <-changed:
		case <-ctx.Done():
		}
		g.mu.Lock()
		g.waiting--
		if ctx.Err() != nil {
			return false
		}
	}
	if g.left > 0 {
		g.left--
	}
	return true
}

// pass lets n more requests pass, those that are held first.
func (g *gate) pass(n int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	select {
	case <-g.held:
	default:
	}
	g.left = n
	close(g.changed)
	g.changed = make(chan struct{})
}

// holding returns the number of requests that are held.
func (g *gate) holding() int {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.waiting
}

// open lets all requests pass.
func (g *gate) open() { g.pass(-1) }

// wait waits until a request is held.
func (g *gate) wait(t *testing.T) {
	t.Helper()
	select {
	case <-g.held:
	case <-time.After(patience()):
		t.Fatalf("waited %v in vain for a request", patience())
	}
}

// until lets requests pass one by one until a condition holds.
func (g *gate) until(t *testing.T, holds func() bool) {
	t.Helper()
	for g.wait(t); !holds(); g.wait(t) {
		g.pass(1)
	}
}

// kill starts the program, lets n requests pass, kills it while it makes the next one and opens the
// gate. It reports false for a program that ended by itself before.
func (g *gate) kill(t *testing.T, n int, args ...string) bool {
	t.Helper()
	c := command(t, args...)
	g.pass(n)
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	ended := ending(c)
	select {
	case <-g.held:
	case <-ended:
		g.open()
		return false
	}
	_ = c.Process.Kill() // it cannot have ended
	<-ended
	until(t, "its connections to be closed", func() bool { return g.holding() == 0 })
	g.open()
	return true
}

// ending returns a channel that receives the error with which a process ends.
func ending(c *exec.Cmd) <-chan error {
	ended := make(chan error, 1)
	go func() { ended <- c.Wait() }()
	return ended
}
