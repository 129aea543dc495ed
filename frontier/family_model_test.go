package frontier

import (
	"maps"
	"slices"
)

// The model's part about URLs that are put off.

func (m *model) family(name string) *modelFamily {
	if m.families[name] == nil {
		m.born++
		m.families[name] = &modelFamily{born: m.born}
	}
	return m.families[name]
}

func (m *model) changeFamilies(changes map[string]FamilyChange) {
	for _, name := range slices.Sorted(maps.Keys(changes)) {
		f, c := m.family(name), changes[name]
		if c.Note != nil {
			f.note = *c.Note
		}
		if c.Closed != nil {
			f.closed = *c.Closed
		}
	}
}

func (m *model) reopen() {
	for name, f := range m.families {
		f.closed = false
		if most := m.options.PutOffLimit; most > 0 {
			f.added = max(f.added, f.drawn+m.waiting(name)-most)
		}
	}
}

// count counts the URLs of a family, "" being all, that are in a state, and where pending, were drawn.
func (m *model) count(family string, state State) (n int) {
	for _, e := range m.entries {
		if e.url.Family != "" && (family == "" || e.url.Family == family) && e.state == state {
			n++
		}
	}
	return n
}

func (m *model) waiting(family string) int { return m.count(family, PutOff) }

func (m *model) held(family string) bool {
	f, most := m.families[family], m.options.PutOffLimit
	return f.closed || most > 0 && f.drawn >= most+f.added
}

// nextDrawn is the URL that would be drawn: nil for none.
func (m *model) nextDrawn() (next *modelEntry) {
	for _, e := range m.entries {
		if e.state != PutOff || m.held(e.url.Family) || m.count(e.url.Family, Pending) >= m.options.drawing.each || m.stopped(e.host) {
			continue
		}
		if next == nil {
			next = e
			continue
		}
		a, b := m.families[e.url.Family], m.families[next.url.Family]
		if a == b && e.seq < next.seq || a.drawn < b.drawn || a != b && a.drawn == b.drawn && a.born < b.born {
			next = e
		}
	}
	return next
}

// drawMore draws as a transaction does at its end. Others may be pending if they are stopped, as many as Next has found so.
func (m *model) drawMore(stopped int) {
	for {
		others, out := 0, 0
		for _, e := range m.entries {
			switch {
			case e.leased && !e.drawn:
				others = len(m.entries) + 1
			case e.state == Pending && e.drawn:
				out++
			case e.state == Pending:
				others++
			}
		}
		e := m.nextDrawn()
		after := float64(out + 1)
		keeps := float64(m.drawnRequests)+after <= m.options.PutOffShare*(float64(m.requests)+after)
		if e == nil || out-m.idle >= m.options.drawing.most || others > stopped && !keeps {
			break
		}
		e.state, e.drawn = Pending, true
		m.families[e.url.Family].drawn++
		m.turn(e.host)
	}
}

// idleDrawn counts the drawn URLs that are not leased and in domains that are stopped.
func (m *model) idleDrawn() (n int) {
	for _, e := range m.entries {
		if e.state == Pending && e.drawn && !e.leased && m.stopped(e.host) {
			n++
		}
	}
	return n
}

// forgetFamilies drops those of which nothing is known.
func (m *model) forgetFamilies() {
	for name, f := range m.families {
		if f.drawn+f.added+m.waiting(name)+m.count(name, Pending) == 0 && f.note == "" && !f.closed {
			delete(m.families, name)
		}
	}
}

// drains reports whether URLs are to be drawn since all others are in domains that are stopped, and how many those are.
func (m *model) drains() (stopped int, drains bool) {
	for _, e := range m.entries {
		switch {
		case e.leased && !e.drawn:
			return 0, false
		case e.drawn || e.state != Pending:
		case e.batched || !m.stopped(e.host):
			return 0, false
		default:
			stopped++
		}
	}
	return stopped, m.nextDrawn() != nil
}
