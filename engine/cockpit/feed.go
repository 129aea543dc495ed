package cockpit

import (
	"cmp"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/awarc/awarc/engine"
	"github.com/awarc/awarc/engine/extract"
)

// What a feed keeps.
const (
	lastExchanges  = 100
	lastNotes      = 50
	lastObjects    = 30
	titleLength    = 80 // letters
	errorExamples  = 3
	errorKinds     = 50
	rateSlots      = 60
	rateSlotLength = 5 * time.Second
)

// Feed keeps the last of what a session did, for those who watch it. Its methods may be called at once; none waits for a watcher.
type Feed struct {
	mu       sync.Mutex
	ring     [lastExchanges]engine.Exchanged
	n        int    // exchanges ever
	objects  []Made // the last ones
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

// Made is an object as it comes: its title, or how its text begins.
type Made struct {
	Time              time.Time
	URL, Class, Title string
}

// Extracted takes the objects of an address: see [crawl.Events].
func (f *Feed) Extracted(url string, objects []extract.Object) {
	now := time.Now()
	f.mu.Lock()
	defer f.mu.Unlock()
	objects = objects[max(0, len(objects)-lastObjects):]
	for i := range objects {
		o := &objects[i]
		title := cmp.Or(o.Value("title"), o.Value("name"), o.Value("content"), o.ID)
		f.objects = append(f.objects[max(0, len(f.objects)-lastObjects+1):], Made{now, url, o.Class, begins(title)})
	}
}

// begins is the beginning of a text, in memory of its own.
func begins(text string) string {
	n := 0
	for at := range text {
		if n++; n > titleLength {
			return strings.Clone(text[:at]) + "…"
		}
	}
	return strings.Clone(text)
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
	Last      []Made             // objects, the last first
	Notes     []Note             // the last first
	Failures  map[string][]engine.Exchanged
	Slots     [rateSlots]int // the last is not over yet
	Slot      time.Time
}

func (f *Feed) watched() watched {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.advance(time.Now())
	w := watched{Last: slices.Clone(f.objects), Notes: slices.Clone(f.notes),
		Failures: map[string][]engine.Exchanged{}, Slots: f.slots, Slot: f.slot}
	slices.Reverse(w.Last)
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
