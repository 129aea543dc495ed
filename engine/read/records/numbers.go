package records

// numbers maps hashes to numbers. Unlike a map, it is cleared in constant time: it is filled and
// cleared for each record of each group.
type numbers struct {
	slots []slot // a power of two of them, at most half in use
	used  int
	round uint32 // of the slots in use
}

type slot struct {
	key   uint64
	value int
	round uint32
}

const leastSlots = 1 << 8

// clear removes all numbers.
func (m *numbers) clear() {
	if m.round++; m.round == 0 || m.slots == nil {
		m.slots, m.round = make([]slot, max(leastSlots, len(m.slots))), 1
	}
	m.used = 0
}

// find returns the slot of a key, or a free one.
func (m *numbers) find(key uint64) *slot {
	mask := len(m.slots) - 1
	for i := int(key>>32^key) & mask; ; i = (i + 1) & mask {
		if s := &m.slots[i]; s.round != m.round || s.key == key {
			return s
		}
	}
}

// get returns the number of a key.
func (m *numbers) get(key uint64) (value int, known bool) {
	s := m.find(key)
	if s.round != m.round {
		return 0, false
	}
	return s.value, true
}

// set sets the number of a key.
func (m *numbers) set(key uint64, value int) {
	s := m.find(key)
	if s.round != m.round {
		if m.used++; 2*m.used > len(m.slots) {
			m.grow()
			s = m.find(key)
		}
	}
	*s = slot{key, value, m.round}
}

func (m *numbers) grow() {
	was := m.slots
	m.slots = make([]slot, 2*len(was))
	for _, s := range was {
		if s.round == m.round {
			*m.find(s.key) = s
		}
	}
}
