package frontier

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	bolt "go.etcd.io/bbolt"
)

// Lookup returns what is known about a key. The second value is false for a
// key that was never added. A damaged entry is returned with that as its Reason.
func (f *Frontier) Lookup(key string) (Entry, bool) {
	var r *record
	err := f.view(func(tx *bolt.Tx) error {
		var err error
		_, r, err = f.seen.find(bucket(tx, bucketEntries), identity(key))
		return err
	})
	switch {
	case err != nil && !errors.Is(err, ErrClosed):
		return Entry{URL: URL{URL: key, Key: key}, Reason: err.Error()}, true
	case r == nil:
		return Entry{}, false
	}
	return r.Entry, true
}

// Each calls fn for every entry in the given state, in no particular order, until fn
// returns an error, which Each returns. No transaction is open during fn, so
// fn may call the frontier; entries that change meanwhile may be seen or not.
func (f *Frontier) Each(state State, fn func(Entry) error) error {
	return f.each(func(s State) bool { return s == state }, fn)
}

func (f *Frontier) each(wanted func(State) bool, fn func(Entry) error) error {
	return scan(f, bucketEntries, func(_ *bolt.Tx, _, value []byte) (Entry, bool, error) {
		r, err := decodeRecord(value)
		if err != nil {
			return Entry{}, false, err
		}
		return r.Entry, wanted(r.State), nil
	}, fn)
}

// All is Each for every entry, in the order in which they were found. It returns how many URLs the frontier has ever numbered, each of
// which has an entry: who finds fewer has found an error.
func (f *Frontier) All(fn func(Entry) error) (found int, err error) {
	if err := f.each(func(State) bool { return true }, fn); err != nil {
		return 0, err
	}
	err = f.view(func(tx *bolt.Tx) error {
		found = int(bucket(tx, bucketEntries).Sequence())
		return nil
	})
	return found, err
}

// Pending calls fn for every pending entry, leased or not: host by host in the
// order of their leases, first the ready ones, then the ones that wait for the end
// of a back-off. Otherwise it is like Each.
func (f *Frontier) Pending(fn func(Entry) error) error {
	f.mu.Lock()
	names := slices.Collect(maps.Keys(f.recent.hosts))
	f.mu.Unlock()
	err := scan(f, bucketHosts, func(_ *bolt.Tx, name, value []byte) (string, bool, error) {
		h, err := decodeHost(value)
		return string(name), err == nil && h.ready > 0, err
	}, func(name string) error {
		names = append(names, name)
		return nil
	})
	if err != nil {
		return err
	}
	slices.Sort(names)
	for _, name := range slices.Compact(names) {
		if err := f.pendingOf(name, fn); err != nil {
			return err
		}
	}
	return scan(f, bucketWaiting, func(tx *bolt.Tx, key, _ []byte) (Entry, bool, error) {
		r, err := readEntry(bucket(tx, bucketEntries), queued(key))
		if err != nil || r == nil {
			return Entry{}, false, err
		}
		return r.Entry, true, nil
	}, fn)
}

// pendingOf calls fn for the ready URLs of a host.
func (f *Frontier) pendingOf(name string, fn func(Entry) error) error {
	var last place
	for more := true; more; {
		var found []Entry
		f.mu.Lock()
		err := f.view(func(tx *bolt.Tx) error {
			more = false
			for p, err := range f.places(tx, name, last) {
				if err != nil {
					return err
				}
				if len(found) == scanStep {
					more = true
					break
				}
				last = p
				r, err := readEntry(bucket(tx, bucketEntries), p.id)
				if err != nil {
					return err
				}
				if r != nil && r.State == Pending {
					found = append(found, r.Entry)
				}
			}
			return nil
		})
		f.mu.Unlock()
		if err != nil {
			return err
		}
		for _, e := range found {
			if err := fn(e); err != nil {
				return err
			}
		}
	}
	return nil
}

// scanStep is how many values scan reads in one transaction. Short ones let
// the committer reuse pages and never block it.
const scanStep = 256

// scan walks a bucket in steps and hands what pick chooses to fn between them.
func scan[T any](f *Frontier, name string, pick func(tx *bolt.Tx, key, value []byte) (T, bool, error), fn func(T) error) error {
	var from []byte
	for more := true; more; {
		var found []T
		err := f.view(func(tx *bolt.Tx) error {
			cursor := bucket(tx, name).Cursor()
			key, value := cursor.Seek(from)
			for range scanStep {
				if key == nil {
					break
				}
				item, ok, err := pick(tx, key, value)
				if err != nil {
					return err
				}
				if ok {
					found = append(found, item)
				}
				key, value = cursor.Next()
			}
			more, from = key != nil, bytes.Clone(key)
			return nil
		})
		if err != nil {
			return err
		}
		for _, item := range found {
			if err := fn(item); err != nil {
				return err
			}
		}
	}
	return nil
}

// Counters returns the durable counters.
func (f *Frontier) Counters() map[string]int64 {
	f.mu.Lock()
	defer f.mu.Unlock()
	return maps.Clone(f.mu.counters)
}

// Note returns the note of a host, nil if it has none.
func (f *Frontier) Note(host string) []byte {
	return f.bytes(bucketNotes, host)
}

// Meta returns the setting of that key, nil if it was never put.
func (f *Frontier) Meta(key string) []byte {
	return f.bytes(bucketSettings, key)
}

func (f *Frontier) bytes(name, key string) (value []byte) {
	// A closed or damaged file has no bytes to give; the next Add, Next or Done says so.
	_ = f.view(func(tx *bolt.Tx) error {
		value = bytes.Clone(bucket(tx, name).Get([]byte(key)))
		return nil
	})
	return value
}

// PutMeta stores a setting of the caller, of at most 1 KiB of key, and returns
// once it is durable. A nil value takes the setting away.
func (f *Frontier) PutMeta(key string, value []byte) error {
	if err := validName(key); err != nil {
		return fmt.Errorf("frontier: setting: %w", err)
	}
	return f.commit(func(b *batch) error { return b.setting(key, value) }, nil)
}

func (b *batch) setting(key string, value []byte) error {
	if value == nil {
		return b.settings.Delete([]byte(key))
	}
	return b.settings.Put([]byte(key), value)
}

// EachMeta calls fn for every setting whose key starts with prefix. Otherwise it
// is like Each.
func (f *Frontier) EachMeta(prefix string, fn func(key string, value []byte) error) error {
	type setting struct {
		key   string
		value []byte
	}
	return scan(f, bucketSettings, func(_ *bolt.Tx, key, value []byte) (setting, bool, error) {
		return setting{string(key), bytes.Clone(value)}, strings.HasPrefix(string(key), prefix), nil
	}, func(s setting) error { return fn(s.key, s.value) })
}

func readEntry(entries *bolt.Bucket, id entryID) (*record, error) {
	value := entries.Get(id.bytes())
	if value == nil {
		return nil, nil
	}
	r, err := decodeRecord(value)
	if err != nil {
		return nil, fmt.Errorf("entry %x: %w", id, err)
	}
	r.id = id
	return r, nil
}

func readCounters(tx *bolt.Tx) (map[string]int64, error) {
	counters := make(map[string]int64)
	err := bucket(tx, bucketCounters).ForEach(func(name, value []byte) error {
		n, err := decodeCount(value)
		counters[string(name)] = n
		return err
	})
	return counters, err
}
