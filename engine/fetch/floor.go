package fetch

import (
	"context"
	"fmt"
	"os"
	"sync/atomic"
	"time"

	"github.com/awarc/awarc/engine/httpmsg"
)

// errTooSlow ends an exchange that fell below Options.SpeedLimit. It is a kind of timeout.
var errTooSlow = fmt.Errorf("slower than the speed limit: %w", os.ErrDeadlineExceeded)

// floor holds an exchange to a least speed. Each window is the time in which the server must send
// its share of bytes, and ends as soon as they are here. Only the time of waiting for the server
// counts: neither that of writing to the disk nor that before the first byte, for which a header
// has a time of its own.
type floor struct {
	share  int64         // bytes that each window must bring; 0: none
	window time.Duration // of waiting
	had    int64         // bytes of this window
	waited time.Duration // in this window
	begun  bool          // the first byte is here
}

// floor makes that of an exchange.
func (o *Options) floor() floor {
	share := int64(float64(o.SpeedLimit) * o.SpeedTime.Seconds())
	return floor{share: share, window: o.SpeedTime}
}

// left returns how long the next read may wait, and whether that is bounded.
func (f *floor) left() (time.Duration, bool) {
	return f.window - f.waited, f.share > 0 && f.begun
}

// got counts n bytes for which a read waited.
func (f *floor) got(n int, waited time.Duration) {
	if f.begun {
		f.waited += waited
		f.had += int64(n)
	}
	f.begun = f.begun || n > 0
	if f.had >= f.share {
		f.had, f.waited = 0, 0
	}
}

// slow reports whether a read that reached its deadline did so since the window was over.
func (f *floor) slow() bool {
	left, bounded := f.left()
	return bounded && left <= 0
}

// Progress counts the bytes of an exchange as they come.
type Progress struct {
	Received atomic.Int64
	// Total is how many bytes there will be, by Content-Length, of at most Options.MaxBody; 0 is
	// unknown.
	Total atomic.Int64
}

type progressKey struct{}

// WithProgress returns a context with which Do counts in p the bytes that it receives.
func WithProgress(ctx context.Context, p *Progress) context.Context {
	return context.WithValue(ctx, progressKey{}, p)
}

// progress returns the counts that WithProgress was given, or some that nobody reads.
func progress(ctx context.Context) *Progress {
	if p, ok := ctx.Value(progressKey{}).(*Progress); ok {
		return p
	}
	return new(Progress)
}

// expect sets how many bytes there will be: the body comes after those received, but for buffered
// ones.
func (c *Client) expect(ctx context.Context, ex *Exchange, buffered int) {
	if ex.framing != httpmsg.Length {
		return
	}
	p := progress(ctx)
	p.Total.Store(p.Received.Load() - int64(buffered) + min(ex.length, c.maxBody(ctx)))
}
