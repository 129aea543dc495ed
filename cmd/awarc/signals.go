package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"sync"
	"syscall"
	"time"
)

// How long the program goes on after the signal that stops it: together less than the 10 s after
// which container runtimes kill. Exchanges in flight get most of it, since an answer that comes to
// its end needs no second request.
const (
	stopGrace    = 5 * time.Second // for exchanges in flight; then they are abandoned
	abandonGrace = 4 * time.Second // for writing the state down after that; then the process exits
)

// endingSignals are the signals that stop the program. SIGHUP is left alone where the program was
// started with it ignored, as by nohup.
func endingSignals() []os.Signal {
	list := []os.Signal{os.Interrupt, syscall.SIGTERM}
	if !signal.Ignored(syscall.SIGHUP) {
		list = append(list, syscall.SIGHUP)
	}
	return list
}

// stopper ends what a command does when a signal asks for it. The first signal calls what onFirst
// was given, the second abandons the exchanges in flight, and so does the first after grace. A
// process that is still there abandonGrace later exits, as it does at a third signal: what it has
// on disk is what a kill leaves, which loses nothing that was acknowledged.
type stopper struct {
	abandoned context.Context // ends when the exchanges in flight are abandoned
	abandon   context.CancelFunc
	signals   chan os.Signal
	over      chan struct{}
	errs      io.Writer
	grace     time.Duration // between the first signal and abandoning

	mu    sync.Mutex
	first func()
}

// newStopper watches for signals until release is called. Until onFirst is called, the first signal
// exits at once: nothing is in flight yet.
func newStopper(ctx context.Context, errs io.Writer, grace time.Duration) *stopper {
	p := &stopper{signals: make(chan os.Signal, 3), over: make(chan struct{}), errs: errs, grace: grace}
	p.abandoned, p.abandon = context.WithCancel(ctx)
	signal.Notify(p.signals, endingSignals()...)
	go p.watch()
	return p
}

// onFirst says what the first signal does. It is called once, in a goroutine of its own.
func (p *stopper) onFirst(do func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.first = do
}

// release ends the watch; signals do again what they do by default.
func (p *stopper) release() {
	signal.Stop(p.signals)
	p.abandon()
	close(p.over)
}

func (p *stopper) watch() {
	select {
	case <-p.over:
		return
	case <-p.signals:
	}
	p.mu.Lock()
	first := p.first
	p.mu.Unlock()
	if first == nil {
		os.Exit(exitInterrupted)
	}
	go first() // it may wait for a lock that what hangs holds
	select {
	case <-p.over:
		return
	case <-p.signals:
	case <-time.After(p.grace):
	}
	p.abandon()
	select {
	case <-p.over:
		return
	case <-p.signals:
	case <-time.After(abandonGrace):
	}
	fmt.Fprintln(p.errs, "awarc: exiting at once; the files are intact, and awarc resume continues")
	os.Exit(exitInterrupted)
}

// interruptible gives a context that the first signal ends, for commands that leave nothing behind.
func interruptible(ctx context.Context, errs io.Writer) (context.Context, func()) {
	p := newStopper(ctx, errs, 0)
	p.onFirst(p.abandon)
	return p.abandoned, p.release
}
