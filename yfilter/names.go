package yfilter

import (
	"math/bits"

	"golang.org/x/net/html/atom"
)

// names numbers the tags, or the attributes, that an automaton mentions: from
// 1, in the order in which they are first met. Pages are full of names, so the
// table looks at three bytes and the length before it compares.
type names struct {
	list  []string
	known map[string]int32 // while the automaton is built
	slots []nameSlot       // the length is a power of two
}

// nameSlot is empty where the number is 0.
type nameSlot struct {
	name   string
	number int32
}

// name returns the name with a number, or "" for 0.
func (t *names) name(number int32) string {
	if number == 0 {
		return ""
	}
	return t.list[number-1]
}

// number returns the number of a name, which it enters if need be.
func (t *names) number(name string) int32 {
	if n, ok := t.known[name]; ok {
		return n
	}
	if t.known == nil {
		t.known = map[string]int32{}
	}
	t.list = append(t.list, name)
	t.known[name] = int32(len(t.list))
	return int32(len(t.list))
}

// arrange makes the table that of looks names up in.
func (t *names) arrange() {
	t.known = nil
	t.slots = make([]nameSlot, max(16, 1<<bits.Len(uint(len(t.list)*4))))
	for i, name := range t.list {
		if known := atom.Lookup([]byte(name)); known != 0 {
			name = known.String() // the very string that package html gives: equal at a glance
			t.list[i] = name
		}
		at := nameHash(name) & uint32(len(t.slots)-1)
		for t.slots[at].number != 0 {
			at = (at + 1) & uint32(len(t.slots)-1)
		}
		t.slots[at] = nameSlot{name, int32(i + 1)}
	}
}

// of returns the number of a name of a page, or 0 if the automaton does not
// mention it.
func (t *names) of(name string) int32 {
	at := nameHash(name) & uint32(len(t.slots)-1)
	for {
		slot := &t.slots[at]
		if slot.number == 0 || slot.name == name {
			return slot.number
		}
		at = (at + 1) & uint32(len(t.slots)-1)
	}
}

func nameHash(s string) uint32 {
	if s == "" {
		return 0
	}
	h := uint32(len(s)) ^ uint32(s[0])<<5 ^ uint32(s[len(s)/2])<<11 ^ uint32(s[len(s)-1])<<17
	h *= 0x9e3779b1
	return h >> 15
}

// byNumber is a map from the numbers of names, filled by add, then arranged,
// then read.
type byNumber[T any] struct {
	few   []numbered[T]
	dense []*T         // by number, instead of few, when there are many
	far   map[int32]*T // instead of dense, when the numbers lie far apart
}

type numbered[T any] struct {
	number int32
	value  *T
}

// fewNames are compared as fast as one is looked up.
const fewNames = 6

func (m *byNumber[T]) add(number int32, v *T) { m.few = append(m.few, numbered[T]{number, v}) }

// last returns what was added last.
func (m *byNumber[T]) last() *T { return m.few[len(m.few)-1].value }

func (m *byNumber[T]) arrange() {
	if len(m.few) <= fewNames {
		return
	}
	most := int32(0)
	for _, e := range m.few {
		most = max(most, e.number)
	}
	if int(most) > 64*len(m.few) {
		m.far = make(map[int32]*T, len(m.few))
		for _, e := range m.few {
			m.far[e.number] = e.value
		}
	} else {
		m.dense = make([]*T, most+1)
		for _, e := range m.few {
			m.dense[e.number] = e.value
		}
	}
	m.few = nil
}

func (m *byNumber[T]) empty() bool { return len(m.few) == 0 && m.dense == nil && m.far == nil }

// get returns what was added under a number, or nil.
func (m *byNumber[T]) get(number int32) *T {
	if int(number) < len(m.dense) {
		return m.dense[number]
	}
	for i := range m.few {
		if m.few[i].number == number {
			return m.few[i].value
		}
	}
	return m.far[number]
}
