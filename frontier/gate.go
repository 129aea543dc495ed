package frontier

import "time"

// gate is hosts that must not be asked at the same time, or one right after
// the other: those of one IP address, or of one pay-level domain. A host whose
// address is not known has a gate of its own.
//
// It is closed while it has as many leases as it may have, and for the least
// wait after the end of one. Hosts that come to a closed gate park there. When it
// opens, the first of them goes on; the others stay, so that a thousand hosts behind
// one address cost no more than one. What must hold whenever a host is chosen is:
// an open gate with parked hosts has one in the ready heap that comes before them.
// Whenever it may have lost that one, because it opened or because a host of it
// left the heap, the first of the parked ones goes on.
type gate struct {
	name    string
	in      map[string]*gate // where it is kept; nil for an address that is not known
	limit   int              // leases at a time
	leases  int
	due     time.Time         // not to be asked earlier
	members hostSet           // hosts that it belongs to
	parked  *leaveHeap[*host] // nil until a host parks
	place   slot[*gate]
	dirty   bool // in schedule.dirty
}

// hold keeps a gate closed until a time.
func (s *schedule) hold(g *gate, until time.Time) {
	if !until.After(g.due) {
		return
	}
	if g.place.in != nil {
		g.place.in.remove(g)
	}
	g.due = until
	s.touch(g)
}

// waits tells whether hosts are parked.
func (g *gate) waits() bool { return g.parked != nil && len(g.parked.items) > 0 }

func (g *gate) open(now time.Time) bool { return g.leases < g.limit && !g.due.After(now) }

// closed returns a gate of the host that is closed, or nil.
func (h *host) closed(now time.Time) *gate {
	for _, g := range h.gates {
		if !g.open(now) {
			return g
		}
	}
	return nil
}

// join makes the host one of those behind a gate.
func (s *schedule) join(h *host, kind int, in map[string]*gate, name string) {
	s.quit(h, kind)
	g := in[name]
	if g == nil || name == "" {
		g = &gate{name: name, limit: s.options.PerHost}
		if kind == 1 {
			g.limit = s.options.PerDomain
		}
		if name != "" {
			g.in, in[name] = in, g
		}
	}
	g.members.add(h)
	h.gates[kind] = g
}

func (s *schedule) quit(h *host, kind int) {
	g := h.gates[kind]
	if g == nil {
		return
	}
	g.members.remove(h)
	h.gates[kind] = nil
	s.touch(g)
}

// admit puts a host that is due into the ready heap, or parks it at a gate.
func (s *schedule) admit(h *host, now time.Time) {
	if g := h.closed(now); g != nil {
		s.park(h, g)
		return
	}
	s.ready.push(h)
}

func (s *schedule) park(h *host, g *gate) {
	if g.parked == nil {
		g.parked = hostsBy(inOrder)
	}
	g.parked.push(h)
	s.touch(g)
}

// touch notes that something happened to a gate.
func (s *schedule) touch(g *gate) {
	if !g.dirty {
		g.dirty = true
		s.dirty = append(s.dirty, g)
	}
}

// pass looks at the gates that something happened to.
func (s *schedule) pass(now time.Time) {
	for len(s.dirty) > 0 {
		g := s.dirty[len(s.dirty)-1]
		s.dirty = s.dirty[:len(s.dirty)-1]
		g.dirty = false
		s.settle(g, now)
	}
}

// settle makes a gate what its leases, its due time and its hosts say.
func (s *schedule) settle(g *gate, now time.Time) {
	if g.place.in != nil {
		g.place.in.remove(g)
	}
	for g.open(now) && g.waits() {
		h := g.parked.items[0]
		g.parked.remove(h)
		if s.admit(h, now); h.place.in == s.ready {
			break
		}
	}
	switch {
	case g.due.After(now) && (g.waits() || g.members.empty()):
		s.gates.push(g) // to open it, or to forget it, when it is due
	case g.members.empty() && g.leases == 0 && g.in != nil && g.in[g.name] == g:
		// Nobody needs it. One with a lease stays: a host that left it, or a new
		// one, must still be kept from its address.
		delete(g.in, g.name)
		if _, rule := s.rules[g.name]; !rule {
			delete(s.records, g.name)
		}
	}
}

// hostSet is a set that is small where it has one member, as most of them.
type hostSet struct {
	one  *host
	more map[*host]struct{}
}

func (s *hostSet) empty() bool { return s.one == nil && len(s.more) == 0 }

func (s *hostSet) add(h *host) {
	switch {
	case s.one == h:
	case s.empty():
		s.one = h
	case s.more == nil:
		s.more = map[*host]struct{}{h: {}}
	default:
		s.more[h] = struct{}{}
	}
}

func (s *hostSet) remove(h *host) {
	if s.one == h {
		s.one = nil
	}
	delete(s.more, h)
}

// all yields the members.
func (s *hostSet) all(yield func(*host) bool) {
	if s.one != nil && !yield(s.one) {
		return
	}
	for h := range s.more {
		if !yield(h) {
			return
		}
	}
}
