package frontier

import (
	"cmp"
	"slices"
	"time"
)

// Queue is what waits of one host.
type Queue struct {
	Host     string    `json:"host"`
	Pending  int       `json:"pending"`
	Deferred int       `json:"deferred"` // deferred, and may be drawn
	Leased   int       `json:"leased"`
	Next     time.Time `json:"next"` // when it may be asked again; zero: at once
	Wait     Wait      `json:"wait"`
}

// Wait is why a host is not asked now.
type Wait string

// Reasons of waiting.
const (
	WaitNone    Wait = ""        // its turn comes when a worker is free
	WaitAsked   Wait = "asked"   // it is being asked
	WaitPolite  Wait = "polite"  // the wait after its last request
	WaitBackoff Wait = "backoff" // after an error, Retry-After or robots.txt
	WaitRefused Wait = "refused" // it refuses, and rests until it is probed
	WaitAddress Wait = "address" // another host of its address is asked, or was just now
	WaitDomain  Wait = "domain"  // another host of its domain is asked, or was just now
	WaitShared  Wait = "shared"  // another crawl of this process has its turn at the host, its address or its domain
	WaitPaused  Wait = "paused"  // the frontier is
)

// queuesSeen bounds the hosts that are looked at, during which no URL is leased.
const queuesSeen = 20_000

// Queues are the hosts with most pending URLs, at most so many, the longest first: of a frontier of very many hosts, among the first.
func (f *Frontier) Queues(most int) (all []Queue) {
	f.mu.Lock()
	defer f.mu.Unlock()
	s, now := f.mu.schedule, f.options.Now()
	seen := 0
	for h := range s.all {
		if seen++; seen > queuesSeen {
			break
		}
		if n := h.idle(); n+h.idleDeferred() > 0 || h.leases > 0 {
			all = append(all, Queue{Host: h.name, Pending: n, Deferred: h.idleDeferred(), Leased: int(h.leases)})
		}
	}
	slices.SortFunc(all, func(a, b Queue) int { return cmp.Or(cmp.Compare(b.Pending, a.Pending), cmp.Compare(a.Host, b.Host)) })
	all = slices.Clip(all[:min(len(all), most)])
	for i := range all {
		h := s.named(all[i].Host)
		if due := s.time(h.dueAt); due.After(now) && h.in == inTimed {
			all[i].Next = due
		}
		all[i].Wait = s.waitOf(h, s.instant(now), f.mu.paused)
	}
	return all
}

func (s *schedule) waitOf(h *host, now instant, paused bool) Wait {
	switch {
	case h.leases > 0:
		return WaitAsked
	case paused:
		return WaitPaused
	case h.in == inParked:
		return WaitAddress
	case h.in == inParked+1:
		return WaitDomain
	case h.in == inTimed && h.dueAt > now && h.notBefore >= h.dueAt && h.refusing:
		return WaitRefused
	case h.in == inTimed && h.dueAt > now && (h.notBefore >= h.dueAt || h.nextWait == h.dueAt):
		return WaitBackoff
	case h.in == inTimed && h.dueAt > now:
		return WaitPolite
	}
	return WaitNone
}
