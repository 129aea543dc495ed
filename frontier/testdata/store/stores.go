package main

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"path/filepath"

	"github.com/awarc/awarc/frontier"
	"github.com/cockroachdb/pebble"
	"github.com/cockroachdb/pebble/bloom"
	bolt "go.etcd.io/bbolt"
)

type frontierStore struct{ *frontier.Frontier }

func openFrontier(dir string) (store, error) {
	f, err := frontier.Open(dir, frontier.Options{})
	return frontierStore{f}, err
}

func (f frontierStore) add(links []frontier.URL) (int, error) {
	return f.Add(context.Background(), links)
}

func (f frontierStore) close() error { return f.Close() }

// key, value and place are what the plain stores keep of a URL: its hash, what is known
// about it, and its place in the queue of its host.
func key(u *frontier.URL) []byte {
	sum := sha256.Sum256([]byte(u.URL))
	return sum[:16]
}

func value(u *frontier.URL) []byte {
	return fmt.Appendf(nil, "%s\x00%s\x00%s\x00%s\x00%s\x00%d\x00%d", u.URL, u.Via, u.Type, u.Level, u.Anchor, u.Hops, u.Priority)
}

func place(u *frontier.URL, number uint64) []byte {
	host, err := frontier.HostOf(u.URL)
	if err != nil {
		panic(err)
	}
	b := append(append([]byte(host), 0), byte(255-u.Priority))
	return binary.BigEndian.AppendUint64(b, number)
}

type boltStore struct{ db *bolt.DB }

func openBolt(dir string) (store, error) {
	db, err := bolt.Open(filepath.Join(dir, "plain.db"), 0o666, &bolt.Options{FreelistType: bolt.FreelistMapType})
	if err != nil {
		return nil, err
	}
	return boltStore{db}, db.Update(func(tx *bolt.Tx) error {
		for _, name := range []string{"seen", "queue"} {
			if _, err := tx.CreateBucketIfNotExists([]byte(name)); err != nil {
				return err
			}
		}
		return nil
	})
}

func (s boltStore) add(links []frontier.URL) (added int, err error) {
	err = s.db.Update(func(tx *bolt.Tx) error {
		seen, queue := tx.Bucket([]byte("seen")), tx.Bucket([]byte("queue"))
		for i := range links {
			k := key(&links[i])
			if seen.Get(k) != nil {
				continue
			}
			added++
			n, err := seen.NextSequence()
			if err != nil {
				return err
			}
			if err := seen.Put(k, value(&links[i])); err != nil {
				return err
			}
			if err := queue.Put(place(&links[i], n), k); err != nil {
				return err
			}
		}
		return nil
	})
	return added, err
}

func (s boltStore) close() error { return s.db.Close() }

type pebbleStore struct {
	db     *pebble.DB
	number *uint64
}

func openPebble(dir string) (store, error) {
	cache := pebble.NewCache(256 << 20)
	defer cache.Unref()
	options := &pebble.Options{Cache: cache, MemTableSize: 64 << 20, Logger: quiet{}}
	options.Levels = make([]pebble.LevelOptions, 7)
	for i := range options.Levels {
		options.Levels[i] = pebble.LevelOptions{FilterPolicy: bloom.FilterPolicy(10), FilterType: pebble.TableFilter}
	}
	db, err := pebble.Open(filepath.Join(dir, "pebble"), options)
	return pebbleStore{db, new(uint64)}, err
}

type quiet struct{}

func (quiet) Infof(string, ...any)  {}
func (quiet) Errorf(string, ...any) {}
func (quiet) Fatalf(format string, args ...any) {
	panic(fmt.Sprintf(format, args...))
}

func (s pebbleStore) add(links []frontier.URL) (added int, err error) {
	batch := s.db.NewBatch()
	defer batch.Close()
	fresh := make(map[string]bool)
	for i := range links {
		k := append([]byte{'s'}, key(&links[i])...)
		if fresh[string(k)] {
			continue
		}
		_, closer, err := s.db.Get(k)
		if err == nil {
			closer.Close()
			continue
		}
		if err != pebble.ErrNotFound {
			return added, err
		}
		added++
		*s.number++
		fresh[string(k)] = true
		if err := batch.Set(k, value(&links[i]), nil); err != nil {
			return added, err
		}
		if err := batch.Set(append([]byte{'q'}, place(&links[i], *s.number)...), k, nil); err != nil {
			return added, err
		}
	}
	return added, batch.Commit(pebble.Sync)
}

func (s pebbleStore) close() error { return s.db.Close() }
