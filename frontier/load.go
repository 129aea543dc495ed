package frontier

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	bolt "go.etcd.io/bbolt"
)

// load makes a new file's buckets, or reads an old file's hosts into the schedule.
func (f *Frontier) load() error {
	now := f.options.Now()
	opened := now
	transaction := f.update
	if f.db.IsReadOnly() {
		transaction = f.view
	}
	err := transaction(func(tx *bolt.Tx) error {
		fresh, err := checkLayout(f.path, tx)
		if err != nil || !fresh {
			return err
		}
		if f.options.MustExist {
			return &Error{f.path, Missing, errors.New("a file without content")}
		}
		opened = time.Time{}
		return createLayout(tx)
	})
	if err != nil {
		return err
	}
	err = f.view(func(tx *bolt.Tx) error {
		if err := f.loadSeen(tx); err != nil {
			return err
		}
		return f.recent.load(tx, &f.mapped)
	})
	if err != nil {
		return err
	}
	if err := f.checkIfSmall(); err != nil {
		return err
	}
	f.mu.schedule = newSchedule(&f.options, opened)
	if err := f.settle(now); err != nil {
		return err
	}
	return f.view(func(tx *bolt.Tx) error {
		if err := f.loadRules(tx); err != nil {
			return err
		}
		var err error
		if f.mu.totals, err = readTotals(tx); err != nil {
			return err
		}
		if f.mu.counters, err = readCounters(tx); err != nil {
			return err
		}
		defer f.mapped.trim(tx)
		return f.loadHosts(tx, now)
	})
}

// settle ends what a process before this one has begun, but for a file that is only read.
func (f *Frontier) settle(now time.Time) error {
	if f.db.IsReadOnly() {
		return f.loadFamilies()
	}
	if err := f.releaseOld(now); err != nil {
		return err
	}
	return f.loadFamilies()
}

// loadHosts gives the hosts with URLs that may be leased their turns, in the order of their names.
func (f *Frontier) loadHosts(tx *bolt.Tx, now time.Time) error {
	add := func(name string, r *hostRecord) error {
		if f.options.BestFirst {
			var err error
			if r.best, err = bestOf(bucket(tx, bucketReady), name, f.recent.isGone); err != nil {
				return err
			}
		}
		h := f.setHost(name, r)
		domain := f.mu.schedule.domain(h)
		if value := bucket(tx, bucketDomains).Get([]byte(domain)); value != nil {
			var err error
			if f.mu.schedule.records[domain], err = decodeDomain(value); err != nil {
				return fmt.Errorf("domain %q: %w", domain, err)
			}
		}
		f.mu.schedule.place(h, now)
		return nil
	}
	recent := slices.Sorted(maps.Keys(f.recent.hosts)) // some are not in the bucket yet
	err := bucket(tx, bucketHosts).ForEach(func(key, value []byte) error {
		name := string(key)
		for ; len(recent) > 0 && recent[0] < name; recent = recent[1:] {
			if err := add(recent[0], new(hostRecord)); err != nil {
				return err
			}
		}
		r, err := decodeHost(value)
		if err != nil {
			return err
		}
		if len(recent) > 0 && recent[0] == name {
			recent = recent[1:]
		} else if r.ready+r.waiting+r.draws.drawable == 0 {
			return nil
		}
		return add(name, r)
	})
	for _, name := range recent {
		if err == nil {
			err = add(name, new(hostRecord))
		}
	}
	return err
}

// setHost tells the schedule what is known about a host. The caller places it afterwards.
func (f *Frontier) setHost(name string, r *hostRecord) *host {
	return f.growHost(f.mu.schedule.set(name, r))
}

// growHost tells the schedule how many URLs of a host are recent. The caller places it afterwards.
func (f *Frontier) growHost(h *host) *host {
	f.mu.schedule.remove(h)
	h.recent = f.recent.ready(h.name)
	if recent := f.recent.hosts[h.name]; len(recent) > 0 && f.options.BestFirst {
		h.best = max(h.best, recent[0].best())
	}
	return h
}

// releaseOld ends the batch that an earlier process left.
func (f *Frontier) releaseOld(now time.Time) error {
	var b *batch
	err := f.update(func(tx *bolt.Tx) error {
		if key, _ := bucket(tx, bucketBatched).Cursor().First(); key == nil {
			return nil
		}
		var err error
		if b, err = newBatch(tx, now, &f.options, f.seen, &f.recent, nil); err != nil {
			return err
		}
		if err := b.release(); err != nil {
			return err
		}
		return b.finish()
	})
	if err == nil && b != nil {
		f.recent.apply(b)
	}
	return err
}

// loadRules reads the rules and what was counted for them.
func (f *Frontier) loadRules(tx *bolt.Tx) error {
	rules := make(map[string]*Rule)
	err := bucket(tx, bucketRules).ForEach(func(name, value []byte) error {
		r, err := decodeRule(value)
		if err != nil {
			return fmt.Errorf("rule %q: %w", name, err)
		}
		rules[string(name)] = r
		counted := bucket(tx, bucketDomains).Get(name)
		if counted == nil {
			return nil
		}
		f.mu.schedule.records[string(name)], err = decodeDomain(counted)
		return err
	})
	f.mu.schedule.rules = rules
	return err
}
