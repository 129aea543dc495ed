package frontier

import (
	"fmt"
	"maps"
	"path/filepath"

	bolt "go.etcd.io/bbolt"
)

// change is one caller's part of a transaction.
type change struct {
	apply   func(*batch) error // writes it
	install func()             // optional; after the commit, under mu, before hosts are placed
	result  chan error
}

// commit hands a change to the committer and waits until it is durable.
func (f *Frontier) commit(apply func(*batch) error, install func()) error {
	c := &change{apply: apply, install: install, result: make(chan error, 1)}
	f.mu.Lock()
	if f.mu.closed {
		f.mu.Unlock()
		return ErrClosed
	}
	f.mu.queue = append(f.mu.queue, c)
	f.mu.uncommitted++
	f.mu.Unlock()
	f.nudge()
	return <-c.result
}

// nudge makes the committer look at its queue.
func (f *Frontier) nudge() {
	select {
	case f.work <- struct{}{}:
	default: // it will look anyway
	}
}

// commitLoop is the committer: it alone writes. Whatever is queued when it is done
// with one transaction makes up the next.
func (f *Frontier) commitLoop() {
	defer close(f.ended)
	for range f.work {
		f.mu.Lock()
		changes, closed, broken := f.mu.queue, f.mu.closed, f.mu.broken
		f.mu.queue = nil
		f.mu.Unlock()
		if len(changes) > 0 {
			b, err := new(batch), broken
			if err == nil {
				b, err = f.write(changes)
			}
			f.install(b, changes, err)
			if err == nil {
				f.saveSeen(b.sequence)
			}
			// What cannot be read is an error of the next commit; this is an economy.
			_ = f.view(func(tx *bolt.Tx) error { f.mapped.trim(tx); return nil })
		}
		if closed {
			return
		}
	}
}

// write makes the archive durable, then all changes in one transaction.
func (f *Frontier) write(changes []*change) (*batch, error) {
	if err := f.enoughSpace(); err != nil {
		return nil, err
	}
	if f.options.BeforeCommit != nil {
		if err := f.options.BeforeCommit(); err != nil {
			return nil, err
		}
	}
	f.mu.Lock()
	rules, pages := f.mu.schedule.rules, f.mu.batchPages
	f.mu.Unlock()
	var b *batch
	last, err := f.lastCommit()
	if err != nil {
		return nil, err
	}
	err = f.update(func(tx *bolt.Tx) error {
		var err error
		if b, err = newBatch(tx, f.options.Now(), &f.options, f.seen, &f.recent, rules); err != nil {
			return err
		}
		b.scheduled = f.scheduled
		if err := b.merge(); err != nil {
			return err
		}
		for _, c := range changes {
			if err := c.apply(b); err != nil {
				return err
			}
		}
		if f.options.Batch > 0 && pages+b.pages >= f.options.Batch {
			if err := b.release(); err != nil {
				return err
			}
		}
		if err := b.nameSnapshot(f.snapshots.ready); err != nil {
			return err
		}
		return b.finish()
	})
	if err == nil {
		if s := &f.snapshots; s.ready != nil {
			s.last, s.ready = s.ready.last, nil
		}
		return b, nil
	}
	// The last step of a commit may fail after it has reached the file. Then
	// memory would lag behind the disk, and only a new Open puts that right.
	if now, viewErr := f.lastCommit(); viewErr != nil || now != last {
		f.mu.Lock()
		f.mu.broken = fmt.Errorf("frontier: a commit failed half-way; open the frontier again: %w", err)
		f.mu.Unlock()
	}
	return nil, err
}

// scheduled reports whether a host is in the schedule and needs no record of its domain.
func (f *Frontier) scheduled(host string) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.options.InDegree.Base == 0 && f.mu.schedule.named(host) != nil
}

// enoughSpace refuses to fill the last of a disk.
func (f *Frontier) enoughSpace() error {
	if f.options.MinSpace == 0 {
		return nil
	}
	if free, known := freeSpace(filepath.Dir(f.path)); known && free < f.options.MinSpace {
		return &Error{f.path, Full, fmt.Errorf("%d bytes are free on the disk, but %d are needed", free, f.options.MinSpace)}
	}
	return nil
}

// lastCommit returns the number of the last transaction in the file.
func (f *Frontier) lastCommit() (id int, err error) {
	err = f.view(func(tx *bolt.Tx) error {
		id = tx.ID()
		return nil
	})
	return id, err
}

// install brings memory up to date with a transaction, or with its failure, and
// answers the callers.
func (f *Frontier) install(b *batch, changes []*change, err error) {
	f.mu.Lock()
	f.mu.uncommitted -= len(changes)
	s := f.mu.schedule
	touched := f.mu.stale
	f.mu.stale = nil
	if err == nil {
		f.seen.insert(b.fresh)
		f.recent.apply(b)
		f.mu.totals = b.totals
		if b.putOffs != nil {
			f.mu.held += b.putOffs.held
		}
		f.holdLeases(b.putOffs)
		f.mu.batched += b.inBatch
		f.mu.batchPages += b.pages
		if b.released {
			f.mu.batchPages = 0
		}
		s.setRules(b.newRules)
		maps.Copy(f.mu.counters, b.counts)
		for _, name := range b.touched {
			if r := b.hosts[name]; r != nil {
				touched = append(touched, f.setHost(name, r))
			} else { // it was scheduled, and only here hosts leave the schedule that have no lease
				touched = append(touched, f.growHost(s.named(name)))
			}
		}
		for name := range b.merged {
			if h := s.named(name); h != nil && !b.looked[name] { // it has the same URLs as before
				h.ready, h.recent = b.hosts[name].ready, 0
			}
		}
		s.setDomains(b.domains)
		for _, id := range b.unqueued {
			if l := f.mu.byEntry[id]; l != nil {
				f.unqueue(l)
			}
		}
		for id, queue := range b.requeued {
			if l := f.mu.byEntry[id]; l != nil {
				f.unqueue(l)
				s.requeue(l, queue)
			}
		}
		for _, c := range changes {
			if c.install != nil {
				c.install()
			}
		}
	}
	if err == nil {
		touched = append(touched, s.affected(b.domains, b.newRules)...)
	}
	now := f.options.Now()
	for _, h := range touched {
		s.place(h, now)
	}
	f.announce()
	f.mu.Unlock()
	for _, c := range changes {
		c.result <- err
	}
}
