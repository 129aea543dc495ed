package frontier

import (
	"cmp"
	"maps"
	"slices"
)

// The model's part about URLs that are put off.

// modelFamily has no count of what waits in it: that is counted when it is asked for.
type modelFamily struct {
	born   int // of two with as many drawn, the older one has the turn
	note   string
	closed bool
	drawn  map[string]int // by host
	added  int
}

func (f *modelFamily) drawnInAll() (n int) {
	for _, on := range f.drawn {
		n += on
	}
	return n
}

func (m *model) family(name string) *modelFamily {
	if m.families[name] == nil {
		m.born++
		m.families[name] = &modelFamily{born: m.born, drawn: make(map[string]int)}
	}
	return m.families[name]
}

// change lets the hosts of a family that is not held any more have their turns.
func (m *model) change(name string, how func(*modelFamily)) {
	f := m.family(name)
	was := m.held(name)
	if how(f); !was || m.held(name) {
		return
	}
	hosts := make(map[string]bool)
	for _, e := range m.entries {
		if e.state == PutOff && e.url.Family == name {
			hosts[e.host] = true
		}
	}
	for _, host := range slices.Sorted(maps.Keys(hosts)) {
		m.turn(host)
	}
}

// postpone lets an entry wait in its family.
func (m *model) postpone(e *modelEntry) {
	e.state, e.batched = PutOff, false
	m.host(e.host)
	if m.family(e.url.Family); !m.held(e.url.Family) {
		m.turn(e.host)
	}
}

// drew counts a drawn URL, or with -1 takes that back.
func (m *model) drew(e *modelEntry, n int) {
	m.change(e.url.Family, func(f *modelFamily) { f.drawn[e.host] += n })
}

func (m *model) changeFamilies(changes map[string]FamilyChange) {
	for _, name := range slices.Sorted(maps.Keys(changes)) {
		m.change(name, func(f *modelFamily) {
			if c := changes[name]; c.Note != nil {
				f.note = *c.Note
			}
			if c := changes[name]; c.Closed != nil {
				f.closed = *c.Closed
			}
		})
	}
}

func (m *model) reopen() {
	for _, name := range slices.Sorted(maps.Keys(m.families)) {
		m.change(name, func(f *modelFamily) {
			f.closed = false
			if most := m.options.PutOffLimit; most > 0 {
				f.added = max(f.added, f.drawnInAll()+m.waiting(name)-most)
			}
		})
	}
}

// waiting counts the URLs that wait in a family.
func (m *model) waiting(family string) (n int) {
	for _, e := range m.entries {
		if e.state == PutOff && e.url.Family == family {
			n++
		}
	}
	return n
}

func (m *model) held(family string) bool {
	f, most := m.families[family], m.options.PutOffLimit
	return f.closed || most > 0 && f.drawnInAll() >= most+f.added
}

// drawable reports whether an entry may be drawn, now or when a lease has ended.
func (m *model) drawable(e *modelEntry) bool { return e.state == PutOff && !m.held(e.url.Family) }

// draws reports whether some host that is not stopped has URLs to draw.
func (m *model) draws() bool {
	for _, e := range m.entries {
		if m.drawable(e) && !m.stopped(e.host) {
			return true
		}
	}
	return false
}

// nextDrawn is the URL of a host that would be drawn: nil for none. What is leased counts for the limit.
func (m *model) nextDrawn(host string) (next *modelEntry) {
	out := make(map[string]int)
	for _, e := range m.entries {
		if e.state == PutOff && e.leased {
			out[e.url.Family]++
		}
	}
	before := func(a, b *modelEntry) bool {
		f, g := m.families[a.url.Family], m.families[b.url.Family]
		return cmp.Or(cmp.Compare(f.drawn[host], g.drawn[host]), cmp.Compare(f.born, g.born), cmp.Compare(a.seq, b.seq)) < 0
	}
	for _, e := range m.entries {
		if e.host != host || e.leased || !m.drawable(e) {
			continue
		}
		f, most := m.families[e.url.Family], m.options.PutOffLimit
		if n := out[e.url.Family]; n > 0 && most > 0 && f.drawnInAll()+n >= most+f.added {
			continue
		}
		if next == nil || before(e, next) {
			next = e
		}
	}
	return next
}

// drawnBefore is the URL that is drawn before the first of the host that is scheduled and due, which may be nil: nil for none.
func (m *model) drawnBefore(host string, first *modelEntry) *modelEntry {
	h, pending, reading := m.hosts[host], 0, false
	for _, e := range m.entries {
		if e.host == host && (e.state == Pending && e.drawn || e.state == PutOff && e.leased) {
			pending++
		}
	}
	for _, l := range m.leases {
		reading = reading || m.entries[l.key].host == host && !l.ended.IsZero() && !l.drawn
	}
	after := float64(pending + 1) // if all that is drawn were requested now
	keeps := float64(h.drawn)+after <= m.options.PutOffShare*(float64(h.requests)+after)
	if first != nil && (first.front || first.drawn) || (first != nil || reading) && !keeps {
		return nil
	}
	return m.nextDrawn(host)
}

// forgetFamilies drops those of which nothing is known.
func (m *model) forgetFamilies() {
	for name, f := range m.families {
		if f.drawnInAll()+f.added+m.waiting(name) == 0 && f.note == "" && !f.closed {
			delete(m.families, name)
		}
	}
}
