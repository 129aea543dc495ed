package kb

// WithLevels returns a copy of the base in which a type has other levels: those
// that it would have had if its sources had said no more. Types below it keep
// what they have. It returns b itself where the type is not known.
func (b *Base) WithLevels(id TypeID, levels []*Level) *Base {
	if b.byID[id] == nil {
		return b
	}
	out := &Base{Hash: b.Hash, Entries: b.Entries, byID: make(map[TypeID]*Type, len(b.Types))}
	for _, t := range b.Types { // parents come before children
		c := *t
		if c.ID == id {
			c.Levels = levels
		}
		if c.Parent != nil {
			c.Parent = out.byID[c.Parent.ID]
		}
		out.Types = append(out.Types, &c)
		out.byID[c.ID] = &c
	}
	return out
}
