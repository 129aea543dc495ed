package frontier

// glance is what tells, of most entries, that a further link to them changes nothing. It
// is read without a copy of anything: the key, in two parts, is that of the file.
type glance struct {
	key            [2][]byte
	state          State
	flags          uint64
	hops, priority int
	best           int
}

func glanceAt(value []byte) (g glance, err error) {
	d := unseal(value)
	g.state, g.flags = State(d.byte()), d.uvarint()
	g.key = d.key()
	d.uvarint() // Via
	d.bytes()
	for range 4 { // Type to Reason
		d.bytes()
	}
	g.hops, g.priority = int(d.varint()), int(d.varint())
	for range 4 { // Redirects to sum
		d.varint()
	}
	g.best = int(d.varint())
	if d.fault != "" {
		err = d.end("entry")
	}
	return g, err
}

func (g *glance) is(key string) bool {
	n := len(g.key[0])
	return len(key) == n+len(g.key[1]) && key[:n] == string(g.key[0]) && key[n:] == string(g.key[1])
}

// keeps reports whether a further link leaves the entry as it is: see batch.again.
func (g *glance) keeps(update Update, u *URL) bool { return u.Modified == 0 && g.outranks(update, u) }

// outranks reports whether a further link leaves the place of the entry as it is: see batch.raise.
func (g *glance) outranks(update Update, u *URL) bool {
	switch g.state {
	case Pending:
	case PutOff:
		return u.Family != "" && !u.Seed
	default:
		return true
	}
	priority := bounded(u.Priority)
	return (update == Max || update == First || update == Last && priority == g.priority) && priority <= g.best &&
		!u.Decisive && u.Hops >= g.hops && (!u.Immediate || g.flags&flagImmediate != 0)
}
