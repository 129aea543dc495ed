package crawl

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"sync"
	"time"
)

// Clock is the wall clock of a crawl. AWARC_CLOCK replaces it in tests.
type Clock struct {
	source string // address of a clock; "" for the system's

	mu    sync.Mutex
	base  float64 // Unix seconds of the source at the real time at
	speed float64
	at    time.Time
}

// ClockVariable names the environment variable with the address of a clock.
const ClockVariable = "AWARC_CLOCK"

// OpenClock reads the clock that the environment names, or uses the system's.
func OpenClock() (*Clock, error) {
	c := &Clock{source: os.Getenv(ClockVariable), speed: 1}
	if c.source == "" {
		return c, nil
	}
	return c, c.read()
}

// read asks the source.
func (c *Clock) read() error {
	unix, speed, err := readClock(c.source)
	if err != nil {
		return fmt.Errorf("%s: %w", ClockVariable, err)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.base, c.speed, c.at = unix, speed, time.Now()
	return nil
}

// Now returns the time.
func (c *Clock) Now() time.Time {
	return c.At(time.Now())
}

// At returns the time of the clock at a time of the system's clock.
func (c *Clock) At(t time.Time) time.Time {
	if c.source == "" {
		return t
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return time.UnixMilli(int64(1000 * (c.base + c.speed*t.Sub(c.at).Seconds())))
}

// Speed is by how much the clock is faster than the system's.
func (c *Clock) Speed() float64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.speed
}

// longestNap is after how long a wait reads the clock again, which may have been set: arbitrary.
const longestNap = 20 * time.Millisecond

// Wait waits until a time; false when the context ended. A value in wake ends the wait, too.
func (c *Clock) Wait(ctx context.Context, until time.Time, wake <-chan struct{}) bool {
	for {
		left := until.Sub(c.Now())
		if left <= 0 {
			return true
		}
		nap := left
		if c.source != "" {
			nap = longestNap
			if c.speed > 0 {
				nap = min(nap, time.Duration(float64(left)/c.speed)+time.Millisecond)
			}
		} else {
			nap = min(nap, time.Minute) // the system's clock may be set, or the machine sleep
		}
		timer := time.NewTimer(nap)
		select {
		case <-timer.C:
		case <-wake:
			timer.Stop()
			return true
		case <-ctx.Done():
			timer.Stop()
			return false
		}
		if c.source != "" {
			_ = c.read() // the last reading holds
		}
	}
}

// readClock reads {"unix": seconds, "speed": factor}.
func readClock(address string) (unix, speed float64, err error) {
	client := http.Client{Timeout: 10 * time.Second}
	answer, err := client.Get(address)
	if err != nil {
		return 0, 0, err
	}
	defer answer.Body.Close()
	var read struct{ Unix, Speed float64 }
	if err := json.NewDecoder(io.LimitReader(answer.Body, 1<<16)).Decode(&read); err != nil {
		return 0, 0, fmt.Errorf("%s: expected {\"unix\": seconds, \"speed\": factor}: %w", address, err)
	}
	if !(read.Speed >= 0 && read.Speed <= 1e9) {
		return 0, 0, fmt.Errorf("%s: the speed %g is not between 0 and 1e9", address, read.Speed)
	}
	return read.Unix, read.Speed, nil
}
