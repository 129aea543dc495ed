package frontier

import (
	"fmt"

	bolt "go.etcd.io/bbolt"
)

// The buckets and the key that layout 6 had and this one has not.
const (
	oldBlocked = "blocked"
	oldDrawn   = "drawn" // entryID of a drawn URL that is pending -> nothing
	oldCounts  = "drawing"
)

// regroup makes the present layout of layout 6, where families took turns for the whole file. How many URLs were drawn on which host is
// not known: all count for the first host where some wait.
func regroup(tx *bolt.Tx) error {
	r := regrouping{tx: tx, families: make(map[string]*family), pending: make(map[string]int)}
	for _, step := range []func() error{r.readFamilies, r.readWaiting, r.readDrawn, r.write} {
		if err := step(); err != nil {
			return fmt.Errorf("bringing families to layout %q: %w", layout, err)
		}
	}
	for _, name := range []string{oldBlocked, oldDrawn} {
		if err := tx.DeleteBucket([]byte(name)); err != nil {
			return err
		}
	}
	if err := bucket(tx, bucketMeta).Delete([]byte(oldCounts)); err != nil {
		return err
	}
	if err := giveTurns(tx, 0); err != nil {
		return err
	}
	return bucket(tx, bucketMeta).Put([]byte(keyLayout), []byte(layout))
}

type regrouping struct {
	tx       *bolt.Tx
	families map[string]*family
	waiting  []entryID
	pending  map[string]int // drawn URLs of hosts
}

func (r *regrouping) readFamilies() error {
	return bucket(r.tx, bucketFamilies).ForEach(func(name, value []byte) error {
		d := unseal(value)
		f := &family{number: d.uvarint(), note: d.string()}
		waiting, drawn, out := d.count(), d.count(), d.count()
		f.added = d.count()
		d.varint() // where to look for the next one
		f.closed = d.varint() == 1
		d.varint() // whether all are stopped
		f.waiting, f.drawn = waiting, max(drawn, out)
		r.families[string(name)] = f
		return d.end("family")
	})
}

func (r *regrouping) readWaiting() error {
	return bucket(r.tx, bucketPutOff).ForEach(func(key, _ []byte) error {
		r.waiting = append(r.waiting, queued(key))
		return nil
	})
}

// entry returns an entry with its host and family.
func (r *regrouping) entry(id entryID) (host string, f *family, err error) {
	one, err := readEntry(bucket(r.tx, bucketEntries), id)
	if err != nil {
		return "", nil, err
	}
	if one == nil || r.families[one.Family] == nil {
		return "", nil, fmt.Errorf("%w: entry %x waits in no family", errRecord, id)
	}
	host, err = one.host()
	return host, r.families[one.Family], err
}

func (r *regrouping) readDrawn() error {
	if _, err := r.tx.CreateBucket([]byte(bucketParts)); err != nil {
		return err
	}
	return bucket(r.tx, oldDrawn).ForEach(func(key, _ []byte) error {
		host, f, err := r.entry(queued(key))
		if err != nil {
			return err
		}
		r.pending[host]++
		return r.count(f, host, 0, 1)
	})
}

// count changes a part.
func (r *regrouping) count(f *family, host string, waiting, drawn int) error {
	parts := bucket(r.tx, bucketParts)
	p, err := decodePart(parts.Get(f.partKey(host)))
	if err != nil {
		return err
	}
	p.waiting, p.drawn = p.waiting+waiting, p.drawn+drawn
	return parts.Put(f.partKey(host), p.encode())
}

func (r *regrouping) write() error {
	if err := r.tx.DeleteBucket([]byte(bucketPutOff)); err != nil {
		return err
	}
	if err := createBuckets(r.tx, bucketPutOff); err != nil {
		return err
	}
	given := make(map[uint64]bool) // families whose drawn URLs are counted
	for _, id := range r.waiting {
		host, f, err := r.entry(id)
		if err != nil {
			return err
		}
		drawn := 0
		if !given[f.number] {
			given[f.number], drawn = true, f.drawn
		}
		if err := r.count(f, host, 1, drawn); err != nil {
			return err
		}
		if err := bucket(r.tx, bucketPutOff).Put(f.urlKey(host, id), []byte{}); err != nil {
			return err
		}
	}
	for name, f := range r.families {
		if err := bucket(r.tx, bucketFamilies).Put([]byte(name), f.encode()); err != nil {
			return err
		}
	}
	for host, n := range r.pending {
		if err := changeHost(r.tx, host, func(h *hostRecord) { h.draws.pending = n }); err != nil {
			return err
		}
	}
	return nil
}

// changeHost changes the record of a host.
func changeHost(tx *bolt.Tx, name string, change func(*hostRecord)) error {
	h, err := hostOnDisk(tx, name)
	if err != nil {
		return err
	}
	change(h)
	return bucket(tx, bucketHosts).Put([]byte(name), h.encode())
}
