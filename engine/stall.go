package engine

import (
	"context"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/awarc/awarc/engine/fetch"
)

const (
	// stallAfter is how long an exchange may bring almost nothing before it is stalled. It is
	// arbitrary: most pages are here earlier, and a crawl of hosts that all stall is not held up
	// long.
	stallAfter = 2 * time.Second
	// stallBytes is what an exchange brings within stallAfter, or is stalled: 1 kB/s. A faster one
	// uses enough of the line to count as one of the workers.
	stallBytes = 2000
	// stalledMost bounds the exchanges that stall, as a multiple of the workers. It is arbitrary;
	// each costs a connection and a goroutine.
	stalledMost = 4
)

// places are those of the workers of a crawl. Each holds a seat while it waits for a URL and fetches
// it. One whose exchange stalls leaves its seat to a stand-in and ends with its URL, so that hosts
// that keep silent, or send byte by byte, do not keep the others waiting.
type places struct {
	seats   chan struct{}
	stalled chan struct{}   // has a value for each exchange that stalls
	next    context.Context // ends when no URL is begun any more
	standIn func()          // starts one
}

// placeKey is that of the *place in the context of a visit.
type placeKey struct{}

// place is that of a worker at work on one URL.
type place struct {
	*places
	leave    func()             // gives the seat back
	stalling func()             // called when a stand-in takes it, before that starts
	abandon  context.CancelFunc // breaks the visit off
	stood    bool               // a stand-in has the seat
}

// stall leaves the seat to a stand-in, if there may be one more.
func (p *place) stall() {
	if p.stood {
		return
	}
	select {
	case p.stalled <- struct{}{}:
		p.stood = true
		p.stalling()
		p.standIn()
		p.leave()
	default:
	}
}

// observe waits for an exchange to stall, until done. A stalled exchange is broken off once the
// session takes no more URLs: its URL comes again in the next one.
func (p *place) observe(received *atomic.Int64, each time.Duration, done <-chan struct{}) {
	tick := time.NewTicker(each)
	defer tick.Stop()
	var over <-chan struct{} // of the session, while the exchange stalls
	for before := int64(0); ; {
		select {
		case <-done:
			return
		case <-over:
			p.abandon()
			return
		case <-tick.C:
		}
		now := received.Load()
		if over = nil; now-before < stallBytes {
			p.stall()
			over = p.next.Done()
		}
		before = now
	}
}

// watched is a fetcher whose exchanges are observed.
type watched struct {
	Fetcher
	each      time.Duration // [Limits.Stall]
	downloads *downloads
	clock     func(time.Time) time.Time // [Watching.Clock]
}

// Do makes one exchange. It starts at a time of the crawl's clock.
func (w watched) Do(ctx context.Context, rawURL string, header http.Header) (*fetch.Exchange, error) {
	ex, err := w.do(ctx, rawURL, header)
	if ex != nil {
		ex.Start = w.clock(ex.Start)
	}
	return ex, err
}

func (w watched) do(ctx context.Context, rawURL string, header http.Header) (*fetch.Exchange, error) {
	var progress fetch.Progress
	ctx = fetch.WithProgress(ctx, &progress)
	defer w.downloads.begin(rawURL, &progress)()
	p, ok := ctx.Value(placeKey{}).(*place)
	if !ok {
		return w.Fetcher.Do(ctx, rawURL, header)
	}
	var observing sync.WaitGroup
	done := make(chan struct{})
	observing.Go(func() { p.observe(&progress.Received, w.each, done) })
	defer observing.Wait()
	defer close(done)
	return w.Fetcher.Do(ctx, rawURL, header)
}
