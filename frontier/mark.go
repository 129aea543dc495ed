package frontier

import bolt "go.etcd.io/bbolt"

// A Mark counts distinct objects: the first time that its Key is seen, Counter goes up by
// one. Later marks of the same key change nothing.
type Mark struct {
	Key     string
	Counter string
	Title   string // for reports; cut at 512 bytes
}

// mark counts the objects that were not seen before.
func (b *batch) mark(marks []Mark) error {
	for _, m := range marks {
		id := hashOf(m.Key)
		if b.marks.Get(id[:]) != nil {
			continue
		}
		m.Key, m.Title = clip(m.Key, maxURL), clip(m.Title, maxAnchor)
		if err := b.marks.Put(id[:], m.encode()); err != nil {
			return err
		}
		if err := b.count(m.Counter, 1); err != nil {
			return err
		}
	}
	return nil
}

// EachMark calls fn for every mark, in no particular order. Otherwise it is like Each.
func (f *Frontier) EachMark(fn func(Mark) error) error {
	return scan(f, bucketMarks, func(_ *bolt.Tx, _, value []byte) (Mark, bool, error) {
		m, err := decodeMark(value)
		return m, true, err
	}, fn)
}

func (m *Mark) encode() []byte {
	b := []byte{recordFormat}
	for _, s := range []string{m.Key, m.Counter, m.Title} {
		b = appendString(b, s)
	}
	return seal(b)
}

func decodeMark(value []byte) (Mark, error) {
	d := unseal(value)
	m := Mark{Key: d.string(), Counter: d.string(), Title: d.string()}
	return m, d.end("mark")
}
