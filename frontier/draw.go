package frontier

import (
	"bytes"
	"fmt"

	bolt "go.etcd.io/bbolt"
)

// draws is what a host counts of deferred URLs.
type draws struct {
	drawable int // URLs that wait in families that are not held
	pending  int // drawn URLs that are pending
	requests int // made for drawn URLs
}

// mayDraw reports whether the host has a deferred URL to give if it has nothing better. While one of its pages is being
// read, which may lead to something better, only its share says so.
func (s *schedule) mayDraw(h *host) bool {
	return h.draws.drawable > int(h.leased[queueDeferred]) && (h.reading == 0 || s.inShare(h))
}

// inShare reports whether the share of the host's requests allows one more for a drawn URL, if all that are drawn were
// requested now.
func (s *schedule) inShare(h *host) bool {
	drawn := float64(h.draws.pending + int(h.leased[queueDeferred]+h.leased[queueHeld]) + 1)
	return float64(h.draws.requests)+drawn <= s.options.PutOffShare*(float64(h.requests)+drawn)
}

// drawn reports whether the URL was put off and drawn.
func (r *record) drawn() bool { return r.Family != "" && r.State != PutOff }

// firstDeferred returns the deferred URL of a host that is drawn next; its record is nil for none. It passes over families whose leased
// URLs are the last that their limit allows, and says so. The caller holds mu.
func (f *Frontier) firstDeferred(tx *bolt.Tx, name string) (*front, error) {
	prefix, found := hostPrefix(name), new(front)
	cursor := bucket(tx, bucketTurns).Cursor()
	for key, family := cursor.Seek(prefix); bytes.HasPrefix(key, prefix); key, family = cursor.Next() {
		if len(key) != len(prefix)+16 {
			return nil, fmt.Errorf("%w: turn %x of %s", errRecord, key, name)
		}
		busy, err := f.leasedOut(tx, string(family))
		if err != nil {
			return nil, err
		}
		if busy {
			found.busy = true
			continue
		}
		urls := append(append(bytes.Clone(key[len(key)-8:]), name...), 0)
		r, err := f.firstOf(tx, urls, string(family))
		if err != nil || r != nil {
			return &front{record: r, deferred: true}, err
		}
	}
	return found, nil
}

// firstOf returns the first deferred URL under a prefix that is not leased.
func (f *Frontier) firstOf(tx *bolt.Tx, prefix []byte, family string) (*record, error) {
	cursor := bucket(tx, bucketPutOff).Cursor()
	for key, _ := cursor.Seek(prefix); bytes.HasPrefix(key, prefix); key, _ = cursor.Next() {
		if id := queued(key); f.mu.byEntry[id] == nil {
			return deferredEntry(tx, family, id)
		}
	}
	return nil, nil
}

// leasedOut reports whether as many URLs of a family are leased as its limit still allows.
func (f *Frontier) leasedOut(tx *bolt.Tx, name string) (bool, error) {
	out, most := f.mu.drawing[name], f.options.PutOffLimit
	if out == 0 || most == 0 {
		return false, nil
	}
	one, err := decodeFamily(bucket(tx, bucketFamilies).Get([]byte(name)))
	if err != nil {
		return false, fmt.Errorf("family %q: %w", name, err)
	}
	return one.drawn+out >= one.limit(most), nil
}

// holdLeases lets leases count for the queue that their family is now. The caller holds mu.
func (f *Frontier) holdLeases(p *putOffs) {
	if p == nil || len(f.mu.drawing) == 0 {
		return
	}
	for _, l := range f.mu.leases {
		one := p.open[l.family]
		if one == nil || !l.deferred() {
			continue
		}
		f.mu.schedule.unqueue(l)
		if one.held {
			f.mu.schedule.requeue(l, queueHeld)
		} else {
			f.mu.schedule.requeue(l, queueDeferred)
		}
	}
}

// deferred reports whether the URL of a lease waits in its family.
func (l *held) deferred() bool { return l.queued && (l.queue == queueDeferred || l.queue == queueHeld) }

// draw takes a deferred URL whose lease ends out of its family.
func (b *batch) draw(r *record, host string) error {
	if err := b.resume(r, host, 1); err != nil {
		return err
	}
	b.totals[Pending]++
	r.State = Pending
	h, err := b.host(host)
	if err == nil {
		h.draws.pending++
	}
	return err
}

// undraw notes that a drawn URL is not pending any more. drawn is -1 if it shall count as not drawn.
func (b *batch) undraw(r *record, drawn int) error {
	host, err := r.host()
	if err != nil {
		return err
	}
	h, err := b.host(host)
	if err != nil {
		return err
	}
	if h.draws.pending--; h.draws.pending < 0 {
		return fmt.Errorf("%w %q: entry %x was drawn, but is not counted", errFamily, r.Family, r.id)
	}
	if drawn == 0 {
		return nil
	}
	f, err := b.family(r.Family)
	if err != nil {
		return err
	}
	return b.countPart(f, host, 0, drawn)
}

// loadFamilies counts the URLs in families that are held. Which are held follows from Options.PutOffLimit, which may be another
// than before: then turns are given anew. A file that is only read keeps those that it has.
func (f *Frontier) loadFamilies() error {
	var limit int64
	err := f.view(func(tx *bolt.Tx) (err error) {
		limit, err = decodeCount(bucket(tx, bucketMeta).Get([]byte(keyLimit)))
		return err
	})
	if most := f.options.PutOffLimit; err == nil && !f.db.IsReadOnly() && int(limit) != most {
		limit = int64(most)
		err = f.update(func(tx *bolt.Tx) error { return giveTurns(tx, most) })
	}
	if err != nil {
		return err
	}
	return f.view(func(tx *bolt.Tx) (err error) {
		f.mu.held, err = heldURLs(tx, int(limit))
		return err
	})
}

// heldURLs counts the URLs that wait in families that are held.
func heldURLs(tx *bolt.Tx, most int) (n int, err error) {
	err = bucket(tx, bucketFamilies).ForEach(func(name, value []byte) error {
		f, err := decodeFamily(value)
		if err != nil {
			return fmt.Errorf("family %q: %w", name, err)
		}
		if f.held(most) {
			n += f.waiting
		}
		return nil
	})
	return n, err
}

// giveTurns makes the turns of families anew, and what hosts count of them.
func giveTurns(tx *bolt.Tx, most int) error {
	if err := tx.DeleteBucket([]byte(bucketTurns)); err != nil {
		return err
	}
	turns, err := tx.CreateBucket([]byte(bucketTurns))
	if err != nil {
		return err
	}
	drawable := make(map[string]int)
	err = bucket(tx, bucketFamilies).ForEach(func(name, value []byte) error {
		f, err := decodeFamily(value)
		if err != nil {
			return fmt.Errorf("family %q: %w", name, err)
		}
		hosts, parts, err := partsOf(bucket(tx, bucketParts), &f)
		for i, host := range hosts {
			drawable[host] += 0 // which it may not be now
			if err == nil && parts[i].waiting > 0 && !f.held(most) {
				drawable[host] += parts[i].waiting
				err = turns.Put(parts[i].turnKey(&f, host), name)
			}
		}
		return err
	})
	for name, n := range drawable {
		if err == nil {
			err = changeHost(tx, name, func(h *hostRecord) { h.draws.drawable = n })
		}
	}
	if err != nil {
		return err
	}
	return bucket(tx, bucketMeta).Put([]byte(keyLimit), encodeCount(int64(most)))
}
