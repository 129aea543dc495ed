package plugins

import "time"

// Numbers of the circuit breaker.
const (
	breakerRow      = 5   // failures one after the other that open it
	breakerWindow   = 200 // calls looked back on
	breakerFailures = 20  // failures among them that it bears
	breakerPause    = 10 * time.Minute
	breakerOpenings = 3 // after which it stays open
)

// breaker stops calling a plugin that fails too often. It is a pure state machine:
// its owner holds the lock and tells it the time.
type breaker struct {
	row      int
	window   [breakerWindow]bool // failures, a ring
	at       int
	failures int // in the window

	openings int
	until    time.Time // open until then; zero when closed
	probing  bool      // one call is on its way to see whether it may close
}

// allow reports whether a call may be made. After the pause one call at a time is let
// through; its end decides.
func (b *breaker) allow(now time.Time) bool {
	switch {
	case b.until.IsZero():
		return true
	case b.openings >= breakerOpenings, now.Before(b.until), b.probing:
		return false
	}
	b.probing = true
	return true
}

// record takes the end of an allowed call, and reports whether the breaker opened.
func (b *breaker) record(failed bool, now time.Time) bool {
	if b.probing {
		b.probing = false
		if failed {
			return b.open(now)
		}
		b.until = time.Time{}
	}
	if !b.until.IsZero() {
		return false // a call that began before it opened
	}
	if b.window[b.at] {
		b.failures--
	}
	b.window[b.at] = failed
	b.at = (b.at + 1) % breakerWindow
	b.row++
	if !failed {
		b.row = 0
		return false
	}
	b.failures++
	if b.row >= breakerRow || b.failures > breakerFailures {
		return b.open(now)
	}
	return false
}

func (b *breaker) open(now time.Time) bool {
	*b = breaker{openings: b.openings + 1, until: now.Add(breakerPause)}
	return true
}

// cancel takes back an allowed call that says nothing about the plugin.
func (b *breaker) cancel() { b.probing = false }

// pause is how long an open breaker stays so; 0: until the file changes.
func (b *breaker) pause() time.Duration {
	if b.openings >= breakerOpenings {
		return 0
	}
	return breakerPause
}
