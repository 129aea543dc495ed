package yfilter

// answers are those of matchers to the strings of a page. Its elements repeat their
// values and texts, so that most need not be matched again: each string is looked up
// by its ends and its length, and compared.
type answers struct {
	slots [answerSlots]answer
	found []*comparison
}

type answer struct {
	matcher  *matcher
	of       string
	from, to uint32 // in found
}

// The slots should stay in the first cache of a processor; found is forgotten
// between two elements when it is longer than maxFound.
const (
	answerBits  = 9
	answerSlots = 1 << answerBits
	maxFound    = 1 << 14
)

// match returns what a matcher says of a string, which must not change. The answer
// is good until trim or forget.
func (t *answers) match(m *matcher, s string) []*comparison {
	start, end := ends(s)
	a := &t.slots[(hashWhole(start, end, len(s))^m.salt)>>(64-answerBits)]
	if a.matcher != m || a.of != s {
		from := len(t.found)
		t.found = m.match(t.found, s, true)
		*a = answer{m, s, uint32(from), uint32(len(t.found))}
	}
	return t.found[a.from:a.to]
}

// trim bounds what is remembered.
func (t *answers) trim() {
	if len(t.found) > maxFound {
		t.forget()
	}
}

// forget forgets the page.
func (t *answers) forget() {
	clear(t.slots[:])
	t.found = t.found[:0]
	if cap(t.found) > 4*maxFound {
		t.found = nil
	}
}
