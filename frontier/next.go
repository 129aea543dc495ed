package frontier

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"iter"
	"time"

	bolt "go.etcd.io/bbolt"
)

// A Lease is the right to fetch one URL now. It ends by Done, or with the process.
type Lease struct {
	ID uint64 // differs from that of every other lease of this process
	URL
	Host  string // as HostOf names it
	Tries int    // earlier tries of this URL
	Note  []byte // the host's note, nil if it has none
	Drawn bool   // it was deferred and drawn from its Family

	Health Health // of the host
}

// Next waits until a URL may be fetched and leases it. The order is described in the
// package comment. It returns ErrDrained when there is nothing to wait for (what is left
// may be in domains that are off or have used up their budget, or deferred in families that are closed or at their limit), ErrClosed
// after Close, and the context's error when that ends first.
func (f *Frontier) Next(ctx context.Context) (Lease, error) {
	for {
		if err := ctx.Err(); err != nil {
			return Lease{}, err
		}
		f.mu.Lock()
		lease, found, err := f.take()
		wake, timed := f.mu.schedule.wake()
		changed, starved := f.mu.changed, f.starved() && !f.mu.paused
		timed = timed && !f.mu.paused
		f.mu.Unlock()
		if found || err != nil {
			return lease, err
		}
		if starved {
			if err := f.commit((*batch).release, nil); err != nil {
				return Lease{}, err
			}
			continue
		}
		var due <-chan time.Time
		if timed {
			due = f.options.After(wake.Sub(f.options.Now()))
		}
		select {
		case <-changed:
		case <-due:
		case <-ctx.Done():
		}
	}
}

// take leases the URL whose turn it is, if there is one. The caller holds mu.
//
// The file may be ahead of memory, between a commit and its install: a host may
// then have lost the URLs that memory still counts. Such a host is set aside until
// the install. The other direction cannot be: what is in memory was on disk before.
func (f *Frontier) take() (lease Lease, found bool, err error) {
	switch {
	case f.mu.closed:
		return Lease{}, false, ErrClosed
	case f.mu.broken != nil:
		return Lease{}, false, f.mu.broken
	case f.mu.totals[Pending] == 0 && f.mu.totals[PutOff] == f.mu.held && f.quiet():
		return Lease{}, false, ErrDrained
	case f.mu.paused:
		return Lease{}, false, nil
	}
	s, now := f.mu.schedule, f.options.Now()
	for h := s.next(now); h != nil; h = s.next(now) {
		var head *front
		var note []byte
		var health Health
		err := f.view(func(tx *bolt.Tx) error {
			var err error
			if head, err = f.head(tx, h, now); err == nil && head.record != nil {
				note = bytes.Clone(bucket(tx, bucketNotes).Get([]byte(h.name)))
				health, err = healthOf(tx, h, now)
			}
			return err
		})
		switch {
		case err != nil:
			return Lease{}, false, err
		case head.record != nil:
			l := f.hold(h, head, note, now)
			l.Health = health
			return l, true, nil
		case head.busy:
			s.remove(h) // until one of these leases ends
			f.mu.stale = append(f.mu.stale, h)
		case head.next.After(now) && h.nothingReady() && !s.mayDraw(h):
			h.nextWait = s.instant(head.next)
			s.place(h, now)
		case f.mu.uncommitted == 0:
			return Lease{}, false, &Error{f.path, Corrupt, fmt.Errorf("host %s counts URLs that are not in its queue", h.name)}
		default:
			s.remove(h)
			f.mu.stale = append(f.mu.stale, h)
		}
	}
	if _, timed := s.wake(); !timed && f.mu.batched == 0 && f.quiet() {
		return Lease{}, false, ErrDrained // but for domains that are stopped, and families that are held
	}
	return Lease{}, false, nil
}

// quiet reports whether nothing is under way that could bring new URLs. The caller holds mu.
func (f *Frontier) quiet() bool { return len(f.mu.leases) == 0 && f.mu.uncommitted == 0 }

// starved reports whether the batch had better end now: nothing is under way, and nothing
// that is scheduled will be due for as long as a URL backs off. The caller holds mu.
func (f *Frontier) starved() bool {
	wake, timed := f.mu.schedule.wake()
	return f.mu.batched > 0 && f.quiet() && (!timed || wake.Sub(f.options.Now()) >= f.options.Backoff)
}

// hold makes the lease of a front.
func (f *Frontier) hold(h *host, c *front, note []byte, now time.Time) Lease {
	l := f.mu.schedule.lease(h, c.queue(), now)
	l.id, l.family = c.record.id, c.record.Family
	if c.deferred {
		f.mu.drawing[l.family]++
	}
	f.mu.lastLease++
	f.mu.leases[f.mu.lastLease] = l
	f.mu.byEntry[l.id] = l
	return Lease{ID: f.mu.lastLease, URL: c.record.URL, Host: h.name, Tries: c.record.Tries, Note: note, Drawn: l.family != ""}
}

// healthOf reads the Health of a host, which most do not have.
func healthOf(tx *bolt.Tx, h *host, now time.Time) (Health, error) {
	value := bucket(tx, bucketHosts).Get([]byte(h.name))
	if !h.troubled || value == nil {
		return Health{}, nil
	}
	r, err := decodeHost(value)
	if err != nil {
		return Health{}, fmt.Errorf("host %q: %w", h.name, err)
	}
	known := r.health(now)
	return Health{Refusals: known.Refusals, Since: known.Since, Failed: known.Failed, Slow: known.Slow}, nil
}

// front is the URL of a host that comes first, or the time when one will be due.
type front struct {
	record   *record
	next     time.Time
	deferred bool // it waits in its family
	busy     bool // there is no record, but may be when a lease has ended
}

func (c *front) queue() queueName {
	switch {
	case c.deferred:
		return queueDeferred
	case c.record.waiting:
		return queueWaiting
	}
	return queueReady
}

// head finds the URL of a host that is due, not leased and comes first. Leased ones are still in their
// queue. The caller holds mu.
func (f *Frontier) head(tx *bolt.Tx, h *host, now time.Time) (*front, error) {
	ready, err := f.firstReady(tx, h.name)
	if err != nil {
		return nil, err
	}
	waiting := new(front)
	if h.waiting > int(h.leased[queueWaiting]) {
		if waiting, err = f.firstWaiting(tx, h.name); err != nil {
			return nil, err
		}
	}
	if r := waiting.record; r != nil && r.NotBefore.After(now) {
		waiting = &front{next: r.NotBefore}
	}
	first := ready
	if ready.record == nil || waiting.record != nil && waiting.record.place().compare(ready.record.place()) < 0 {
		first = waiting
	}
	if drawn, err := f.drawnBefore(tx, h, first); err != nil || drawn != nil {
		return drawn, err
	}
	if first.record == nil || waiting.record != nil || first.record.place().rank < rankNormal {
		return first, nil
	}
	chosen, err := f.reserved(tx, h)
	if chosen == nil {
		chosen = ready
	}
	return chosen, err
}

// drawnBefore returns the deferred URL that a host gives before the first that is scheduled, nil for none: where none of these is due,
// or by its share. The caller holds mu.
func (f *Frontier) drawnBefore(tx *bolt.Tx, h *host, first *front) (*front, error) {
	s := f.mu.schedule
	if r := first.record; !s.mayDraw(h) || r != nil && (r.place().rank == rankFront || !s.inShare(h)) {
		return nil, nil
	}
	drawn, err := f.firstDeferred(tx, h.name)
	if err != nil || drawn.record != nil || drawn.busy && first.record == nil {
		return drawn, err
	}
	return nil, nil
}

// places yields where the ready URLs of a host are behind a place, on disk and in memory, the first
// first. The caller holds mu.
func (f *Frontier) places(tx *bolt.Tx, name string, behind place) iter.Seq2[place, error] {
	return func(yield func(place, error) bool) {
		recent := f.recent.behind(name, behind)
		for p, err := range onDisk(bucket(tx, bucketReady), name, behind) {
			if err == nil && f.recent.isGone(p.id) {
				continue
			}
			for ; err == nil && len(recent) > 0 && recent[0].compare(p) <= 0; recent = recent[1:] {
				if recent[0] != p && !yield(recent[0], nil) { // equal ones are placed since
					return
				}
			}
			if !yield(p, err) {
				return
			}
		}
		for _, p := range recent {
			if !yield(p, nil) {
				return
			}
		}
	}
}

// firstReady returns the first ready URL of a host that is not leased; its record is nil
// for none.
func (f *Frontier) firstReady(tx *bolt.Tx, name string) (*front, error) {
	for p, err := range f.places(tx, name, place{}) {
		if err != nil {
			return nil, err
		}
		if f.mu.byEntry[p.id] != nil {
			continue
		}
		r, err := readEntry(bucket(tx, bucketEntries), p.id)
		if err != nil {
			return nil, err
		}
		if r != nil && r.State == Pending && !r.waiting {
			return &front{record: r}, nil
		}
		if f.mu.uncommitted == 0 { // otherwise memory may not know yet
			return nil, fmt.Errorf("%w: queue of %s names an entry that is not pending", errRecord, name)
		}
	}
	return new(front), nil
}

// firstWaiting is the same for the URLs that back off, due or not.
func (f *Frontier) firstWaiting(tx *bolt.Tx, name string) (*front, error) {
	prefix := hostPrefix(name)
	cursor := bucket(tx, bucketWaiting).Cursor()
	for key, _ := cursor.Seek(prefix); bytes.HasPrefix(key, prefix); key, _ = cursor.Next() {
		id := queued(key)
		if f.mu.byEntry[id] != nil {
			continue
		}
		r, err := readEntry(bucket(tx, bucketEntries), id)
		if err == nil && (r == nil || r.State != Pending) {
			err = fmt.Errorf("%w: queue of %s names an entry that is not pending", errRecord, name)
		}
		return &front{record: r}, err
	}
	return new(front), nil
}

// reserved returns the next of the URLs that were chosen when the host's turn began,
// or nil if there is none. It chooses them when the turn begins, which ends with the last of them. URLs that are
// deferred, immediate or back from a back-off come before them.
func (f *Frontier) reserved(tx *bolt.Tx, h *host) (*front, error) {
	if f.options.PerTurn == 1 {
		return nil, nil
	}
	all := f.mu.schedule.reserved
	if _, begun := all[h.id]; !begun {
		ids, err := f.free(tx, h.name, int(h.left))
		if err != nil {
			return nil, err
		}
		all[h.id], h.left = ids, int32(max(1, len(ids))) // where these are fewer, what their pages lead to waits for the next turn
	}
	for len(all[h.id]) > 0 {
		id := all[h.id][0]
		r, err := readEntry(bucket(tx, bucketEntries), id)
		if err != nil {
			return nil, err
		}
		if r != nil && r.State == Pending && !r.waiting && !r.Batched && f.mu.byEntry[r.id] == nil {
			return &front{record: r}, nil
		}
		all[h.id] = all[h.id][1:] // settled, leased or put off since
	}
	return nil, nil
}

// free returns the first n ready URLs of a host that are not leased.
func (f *Frontier) free(tx *bolt.Tx, name string, n int) (ids []entryID, err error) {
	for p, err := range f.places(tx, name, place{}) {
		if err != nil {
			return nil, err
		}
		if f.mu.byEntry[p.id] == nil {
			ids = append(ids, p.id)
		}
		if len(ids) == n {
			break
		}
	}
	return ids, nil
}

// dueFirst returns when the first URL in the waiting queue of a host is due.
func dueFirst(waiting *bolt.Bucket, name string) (due time.Time, err error) {
	prefix := hostPrefix(name)
	key, _ := waiting.Cursor().Seek(prefix)
	if !bytes.HasPrefix(key, prefix) || len(key) != len(prefix)+12 {
		return time.Time{}, fmt.Errorf("%w: waiting queue of %s is not as long as counted", errRecord, name)
	}
	return time.Unix(0, int64(binary.BigEndian.Uint64(key[len(prefix):])^1<<63)), nil
}
