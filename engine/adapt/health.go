package adapt

import (
	"slices"

	"github.com/awarc/awarc/engine/extract"
	"github.com/awarc/awarc/kb"
)

// health is how an entry in force does.
type health struct{ good, bad int }

// mostBad is on how many pages in a row an entry in force may fail.
const mostBad = 3

// watch looks after the entries that are in force: one whose place fails again
// and again on pages is dropped.
func (l *Learner) watch(h extract.Harvest, faults []Fault) []kb.Entry {
	if h.Level == nil {
		return nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, e := range h.Learned {
		bad := slices.ContainsFunc(faults, func(f Fault) bool { return f.Place == e.Place && !e.Cuts() })
		s := l.mu.inForce[e.ID()]
		if s == nil {
			s = &health{}
			l.mu.inForce[e.ID()] = s
		}
		if bad {
			s.bad++
		} else {
			s.good, s.bad = s.good+1, 0
		}
	}
	var dropped []kb.Entry
	for _, e := range h.Learned {
		if s := l.mu.inForce[e.ID()]; s.bad == mostBad && !e.Accepted {
			dropped = append(dropped, *e)
			l.mu.dropped[e.ID()] = true
		}
	}
	return dropped
}
