package frontier

import "time"

// gate is hosts that must not be asked at the same time, or one right after
// the other: those of one IP address, or of one pay-level domain.
//
// It is closed while it has as many leases as it may have, and for the least
// wait after the end of one. Hosts that come to a closed gate park there. When it
// opens, the first of them goes on; the others stay, so that a thousand hosts behind
// one address cost no more than one. What must hold whenever a host is chosen is:
// an open gate with parked hosts has one in the ready heap that comes before them.
// Whenever it may have lost that one, because it opened or because a host of it
// left the heap, the first of the parked ones goes on.
type gate struct {
	name    string             // "" for one that was forgotten
	due     instant            // not to be asked earlier
	parked  *leaveHeap[hostID] // nil until a host parks
	leases  int32
	members hostID // the first of the hosts that it belongs to
	slot    int32  // in schedule.closing
	sharing gateID // the next gate of this hash
	kind    uint8  // 0 for an address, 1 for a domain
	closing bool   // in schedule.closing
	dirty   bool   // in schedule.dirty
}

// hold keeps a gate closed until a time.
func (s *schedule) hold(id gateID, until instant) {
	g := s.gate(id)
	if until <= g.due {
		return
	}
	s.open(id)
	g.due = until
	s.touch(id)
}

// open takes a gate out of those that wait to be opened.
func (s *schedule) open(id gateID) {
	if g := s.gate(id); g.closing {
		g.closing = false
		s.closing.remove(id)
	}
}

// waits reports whether hosts are parked.
func (g *gate) waits() bool { return g.parked != nil && !g.parked.empty() }

// isOpen reports whether a host may go through a gate.
func (s *schedule) isOpen(g *gate, now time.Time) bool {
	limit := s.options.PerHost
	if g.kind == 1 {
		limit = s.options.PerDomain
	}
	return int(g.leases) < limit && g.due <= s.instant(now)
}

// closed reports whether, and which, gate of the host is closed.
func (s *schedule) closed(h *host, now time.Time) (kind int, closed bool) {
	for kind, id := range h.gates {
		if id != 0 && !s.isOpen(s.gate(id), now) {
			return kind, true
		}
	}
	return 0, false
}

// gateNamed returns the gate of a name, 0 if there is none.
func (s *schedule) gateNamed(kind int, name string) gateID {
	id := s.gates[kind][s.hash(name)]
	for id != 0 && s.gate(id).name != name {
		id = s.gate(id).sharing
	}
	return id
}

// join makes the host one of those behind a gate; "" is none.
func (s *schedule) join(h *host, kind int, name string) {
	s.quit(h, kind)
	if name == "" {
		return
	}
	id := s.gateNamed(kind, name)
	if id == 0 {
		id = gateID(s.gateSlot.take())
		hash := s.hash(name)
		*s.gate(id) = gate{name: name, due: never, kind: uint8(kind), sharing: s.gates[kind][hash]}
		s.gates[kind][hash] = id
	}
	g := s.gate(id)
	h.gates[kind], h.members[kind] = id, sibling{after: g.members}
	if g.members != 0 {
		s.host(g.members).members[kind].before = h.id
	}
	g.members = h.id
}

func (s *schedule) quit(h *host, kind int) {
	id := h.gates[kind]
	if id == 0 {
		return
	}
	at := h.members[kind]
	if at.before == 0 {
		s.gate(id).members = at.after
	} else {
		s.host(at.before).members[kind].after = at.after
	}
	if at.after != 0 {
		s.host(at.after).members[kind].before = at.before
	}
	h.gates[kind], h.members[kind] = 0, sibling{}
	s.touch(id)
}

// admit puts a host that is due into the ready heap, or parks it at a gate.
func (s *schedule) admit(h *host, now time.Time) {
	if kind, closed := s.closed(h, now); closed {
		s.park(h, kind)
		return
	}
	h.in = inReady
	s.ready.push(h.id)
}

// park puts the host among those that wait at its gate of that kind.
func (s *schedule) park(h *host, kind int) {
	id := h.gates[kind]
	g := s.gate(id)
	if g.parked == nil {
		parked := s.hostsBy(s.inOrder)
		g.parked = &parked
	}
	h.in = inParked + heapName(kind)
	g.parked.push(h.id)
	s.touch(id)
}

// touch notes that something happened to a gate.
func (s *schedule) touch(id gateID) {
	if id == 0 {
		return
	}
	if g := s.gate(id); !g.dirty {
		g.dirty = true
		s.dirty = append(s.dirty, id)
	}
}

// pass looks at the gates that something happened to.
func (s *schedule) pass(now time.Time) {
	for len(s.dirty) > 0 {
		id := s.dirty[len(s.dirty)-1]
		s.dirty = s.dirty[:len(s.dirty)-1]
		s.gate(id).dirty = false
		s.settle(id, now)
	}
}

// settle makes a gate what its leases, its due time and its hosts say.
func (s *schedule) settle(id gateID, now time.Time) {
	s.open(id)
	g := s.gate(id)
	for s.isOpen(g, now) && g.waits() {
		h := s.host(g.parked.items[0])
		s.remove(h)
		if s.admit(h, now); h.in == inReady {
			break
		}
	}
	if g.parked != nil && g.parked.empty() {
		g.parked = nil // most gates have no host that waits
	}
	switch {
	case g.due > s.instant(now) && (g.waits() || g.members == 0):
		g.closing = true
		s.closing.push(id) // to open it, or to forget it, when it is due
	case g.members == 0 && g.leases == 0:
		// Nobody needs it. One with a lease stays: a host that left it, or a new
		// one, must still be kept from its address.
		s.forgetGate(id)
	}
}

func (s *schedule) forgetGate(id gateID) {
	g := s.gate(id)
	hash, in := s.hash(g.name), s.gates[g.kind]
	switch first := in[hash]; {
	case first != id:
		before := s.gate(first)
		for before.sharing != id {
			before = s.gate(before.sharing)
		}
		before.sharing = g.sharing
	case g.sharing == 0:
		delete(in, hash)
	default:
		in[hash] = g.sharing
	}
	if _, rule := s.rules[g.name]; !rule {
		delete(s.records, g.name)
	}
	s.gateSlot.release(int32(id))
}
