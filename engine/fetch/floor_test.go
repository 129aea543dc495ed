package fetch

import (
	"errors"
	"io"
	"net"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// TestFloor reads what a server sends in pieces, at a least speed of 100 bytes a second over a
// minute.
func TestFloor(t *testing.T) {
	t.Parallel()
	const enough = 6000 // bytes a minute
	piece := func(n int, after time.Duration) func(net.Conn) error {
		return func(c net.Conn) error {
			time.Sleep(after)
			_, err := c.Write([]byte(strings.Repeat("x", n)))
			return err
		}
	}
	for _, c := range []struct {
		name   string
		server []func(net.Conn) error // over and over
		times  int
		busy   time.Duration // of the client, after each read
		slow   time.Duration // after which it is cut; 0: it is not
	}{
		{"a drip", []func(net.Conn) error{piece(1, time.Second)}, 1000, 0, 61 * time.Second},
		{"half the speed", []func(net.Conn) error{piece(enough/2, 59*time.Second)}, 10, 0, 119 * time.Second},
		{"the speed, evenly", []func(net.Conn) error{piece(200, time.Second)}, 1000, 0, 0},
		{"the speed, in one piece a minute", []func(net.Conn) error{piece(enough, 59*time.Second)}, 10, 0, 0},
		{"a long wait for the first byte", []func(net.Conn) error{piece(enough, 50*time.Minute)}, 1, 0, 0},
		{"a drip after much", []func(net.Conn) error{piece(10*enough, time.Second), piece(1, 50*time.Second),
			piece(1, 20*time.Second)}, 1, 0, 61 * time.Second},
		{"a slow disk", []func(net.Conn) error{piece(10, time.Second)}, 40, time.Hour, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ours, theirs := net.Pipe()
				var serving sync.WaitGroup
				defer serving.Wait()
				serving.Go(func() {
					defer theirs.Close()
					for range c.times {
						for _, send := range c.server {
							if send(theirs) != nil {
								return
							}
						}
					}
				})
				start, far := time.Now(), time.Now().Add(1000*time.Hour)
				o := Options{SpeedLimit: 100, SpeedTime: time.Minute}
				tap := &tap{conn: ours, spool: &spool{memMax: 1 << 20}, inBody: true, end: far, silence: time.Hour,
					floor: o.floor(), received: new(atomic.Int64)}
				_, err := io.Copy(io.Discard, reading{tap, c.busy})
				ours.Close()
				if slow := errors.Is(err, errTooSlow); slow != (c.slow > 0) || slow != errors.Is(err, os.ErrDeadlineExceeded) {
					t.Errorf("it ended by %v", err)
				}
				if took := time.Since(start); c.slow > 0 && took != c.slow {
					t.Errorf("it was cut after %v, want %v", took, c.slow)
				}
				if tap.received.Load() != tap.n || tap.n == 0 {
					t.Errorf("%d bytes were reported of %d", tap.received.Load(), tap.n)
				}
			})
		})
	}
}

// reading is a reader that takes its time after each read.
type reading struct {
	io.Reader
	busy time.Duration
}

func (r reading) Read(p []byte) (int, error) {
	n, err := r.Reader.Read(p[:min(len(p), 4096)])
	time.Sleep(r.busy)
	return n, err
}
