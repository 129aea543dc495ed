package cockpit

import (
	"slices"
	"sync"
	"time"

	"github.com/awarc/awarc/engine"
)

// What a feed keeps.
const (
	lastExchanges  = 100
	lastNotes      = 50
	errorExamples  = 3
	errorKinds     = 50
	rateSlots      = 60
	rateSlotLength = 5 * time.Second
)

// Feed keeps the last of what a session did, for those who watch it. Its methods may be called at once; none waits for a watcher.
type Feed struct {
	mu       sync.Mutex
	ring     [lastExchanges]engine.Exchanged
	n        int // exchanges ever
	notes    []Note
	failures map[string][]engine.Exchanged // the last of each kind
	slots    [rateSlots]int                // exchanges in the last lengths of time
	slot     time.Time                     // when the last of them began
}

// Note is a message about the crawl as a whole.
type Note struct {
	Time time.Time
	Text string
}

// Exchanged takes an exchange: see [crawl.Events].
func (f *Feed) Exchanged(e engine.Exchanged) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.ring[f.n%lastExchanges] = e
	f.n++
	f.advance(time.Now())
	f.slots[rateSlots-1]++
	if e.Error == "" {
		return
	}
	if f.failures == nil {
		f.failures = map[string][]engine.Exchanged{}
	}
	kept := f.failures[e.Error]
	if kept == nil && len(f.failures) == errorKinds {
		return
	}
	f.failures[e.Error] = append(kept[max(0, len(kept)-errorExamples+1):], e)
}

// Noted takes a message.
func (f *Feed) Noted(text string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.notes = append(f.notes[max(0, len(f.notes)-lastNotes+1):], Note{time.Now(), text})
}

// advance begins the slot of now. The caller holds mu.
func (f *Feed) advance(now time.Time) {
	passed := int(now.Sub(f.slot) / rateSlotLength)
	if passed <= 0 {
		return
	}
	if passed < rateSlots {
		copy(f.slots[:], f.slots[passed:])
	}
	clear(f.slots[max(0, rateSlots-passed):])
	f.slot = now.Truncate(rateSlotLength)
}

// watched is what a page shows of a feed.
type watched struct {
	Exchanges []engine.Exchanged // the last first
	Notes     []Note             // the last first
	Failures  map[string][]engine.Exchanged
	Slots     [rateSlots]int // the last is not over yet
	Slot      time.Time
}

func (f *Feed) watched() watched {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.advance(time.Now())
	w := watched{Notes: slices.Clone(f.notes), Failures: map[string][]engine.Exchanged{}, Slots: f.slots, Slot: f.slot}
	slices.Reverse(w.Notes)
	for i := range min(f.n, lastExchanges) {
		w.Exchanges = append(w.Exchanges, f.ring[(f.n-1-i)%lastExchanges])
	}
	for kind, list := range f.failures {
		w.Failures[kind] = slices.Clone(list)
	}
	return w
}

// perMinute is the rate of the slots that are over: of the last minute, or of the time since the first exchange.
func (w watched) perMinute() float64 {
	const slots = int(time.Minute / rateSlotLength)
	n, first := 0, -1
	for i, k := range w.Slots[rateSlots-1-slots : rateSlots-1] {
		if n += k; k > 0 && first < 0 {
			first = i
		}
	}
	if first < 0 {
		return 0
	}
	return float64(n) / float64(slots-first) * float64(slots)
}
