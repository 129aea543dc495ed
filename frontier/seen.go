package frontier

import (
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/maphash"
	"math"
	"math/bits"
	"sync"

	bolt "go.etcd.io/bbolt"
)

// entryID names an entry in the file: the number of its key in the order in which
// keys became known, from 1 on. So new entries are appended, whatever their hosts, and
// of two entries the one of the lower number was known first.
type entryID uint32

func (id entryID) bytes() []byte { return binary.BigEndian.AppendUint32(nil, uint32(id)) }

func idOf(key []byte) entryID { return entryID(binary.BigEndian.Uint32(key)) }

var errNumbers = errors.New("2^32 URLs are known, more than the frontier can number")

// nextID numbers a new entry.
func nextID(entries *bolt.Bucket) (entryID, error) {
	n, err := entries.NextSequence()
	if err == nil && n > math.MaxUint32 {
		err = errNumbers
	}
	return entryID(n), err
}

// identity returns what is stored as the key: the key itself, unless it is
// longer than any URL that can be asked for.
func identity(key string) string {
	if len(key) <= maxURL {
		return key
	}
	sum := sha256.Sum256([]byte(key))
	return clip(key, maxURL-2*len(sum)) + fmt.Sprintf("%x", sum)
}

// seen tells in memory which entry a key has. It holds no keys: a slot is 32 bits of
// the key's hash and the 32 bits of the entry's number, and the entry says whether it
// is the one, so that a new key costs no reading and a known one is read once. A
// URL takes 9 to 12 bytes, 8 at a load of 0.7 to 0.875. It is built anew when the frontier is opened; the
// seed of the hash is new, too, so that no site can choose URLs that collide.
//
// Twelve more bits of the hash choose one of the tables, which are small enough to
// grow one at a time, by a quarter, without a noticeable wait or a second copy of everything.
type seen struct {
	seed   maphash.Seed
	mu     sync.RWMutex // against the committer, which alone inserts
	tables [1 << 12]seenTable
}

// seenTable is an open-addressing table with linear probing. A slot of 0 is empty.
type seenTable struct {
	slots []uint64
	used  int
}

func newSeen() *seen { return &seen{seed: maphash.MakeSeed()} }

// split tells where the hash of a key belongs.
func (s *seen) split(h uint64) (table *seenTable, print uint32) {
	return &s.tables[h>>52], uint32(h)
}

// start is where the search for a print begins.
func (t *seenTable) start(print uint32) int {
	hi, _ := bits.Mul64(uint64(print)<<32, uint64(len(t.slots)))
	return int(hi)
}

// candidates appends the entries that may be that of the key: nearly always none
// for a new key and one for a known one.
func (s *seen) candidates(key string, found []entryID) []entryID {
	s.mu.RLock()
	defer s.mu.RUnlock()
	t, print := s.split(maphash.String(s.seed, key))
	return t.candidates(print, found)
}

func (t *seenTable) candidates(print uint32, found []entryID) []entryID {
	if t.used == 0 {
		return found
	}
	for i := t.start(print); t.slots[i] != 0; {
		if uint32(t.slots[i]>>32) == print {
			found = append(found, entryID(t.slots[i]))
		}
		if i++; i == len(t.slots) {
			i = 0
		}
	}
	return found
}

// find returns the entry of a key, nil if it has none.
func (s *seen) find(entries *bolt.Bucket, key string) (entryID, *record, error) {
	for _, id := range s.candidates(key, nil) {
		r, err := readEntry(entries, id)
		if err != nil {
			return id, nil, err
		}
		if r != nil && r.Key == key {
			return id, r, nil
		}
	}
	return 0, nil, nil
}

// insert makes keys known that were not.
func (s *seen) insert(keys map[string]entryID) {
	if len(keys) == 0 {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for key, id := range keys {
		t, print := s.split(maphash.String(s.seed, key))
		t.insert(uint64(print)<<32 | uint64(id))
	}
}

func (t *seenTable) insert(slot uint64) {
	if 8*t.used >= 7*len(t.slots) {
		old := t.slots
		t.slots = make([]uint64, 16+len(old)+len(old)/4)
		for _, slot := range old {
			if slot != 0 {
				t.place(slot)
			}
		}
	}
	t.place(slot)
	t.used++
}

func (t *seenTable) place(slot uint64) {
	i := t.start(uint32(slot >> 32))
	for t.slots[i] != 0 {
		if i++; i == len(t.slots) {
			i = 0
		}
	}
	t.slots[i] = slot
}

// load reads all entries of the file.
func (s *seen) load(entries *bolt.Bucket) error {
	cursor := entries.Cursor()
	for id, value := cursor.First(); id != nil; id, value = cursor.Next() {
		key, err := decodeKey(value)
		if err != nil {
			return fmt.Errorf("entry %x: %w", id, err)
		}
		t, print := s.split(maphash.Bytes(s.seed, key))
		t.insert(uint64(print)<<32 | uint64(idOf(id)))
	}
	return nil
}
