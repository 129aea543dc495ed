package frontier

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
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
// URL takes 9 to 12 bytes, 8 at a load of 0.7 to 0.875. The key of the hash is random, so
// that no site can choose URLs that collide.
//
// Twelve more bits of the hash choose one of the tables, which are small enough to
// grow one at a time, by a quarter, without a noticeable wait or a second copy of everything.
type seen struct {
	key    [16]byte     // of the hash
	mu     sync.RWMutex // against the committer, which alone inserts
	tables [1 << 12]seenTable
}

// seenTable is an open-addressing table with linear probing. A slot is 8 bytes; one of zeros is
// empty.
type seenTable struct {
	slots []byte
	used  int
}

func newSeen() *seen {
	s := new(seen)
	rand.Read(s.key[:]) // never fails
	return s
}

// free gives up the memory of the tables.
func (s *seen) free() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i := range s.tables {
		freeMemory(s.tables[i].slots)
		s.tables[i] = seenTable{}
	}
}

// split tells where the hash of a key belongs.
func (s *seen) split(key string) (table *seenTable, print uint32) {
	h := sipHash(&s.key, key)
	return &s.tables[h>>52], uint32(h)
}

func (t *seenTable) size() int { return len(t.slots) / 8 }

func (t *seenTable) slot(i int) uint64 { return binary.LittleEndian.Uint64(t.slots[8*i:]) }

// start is where the search for a print begins.
func (t *seenTable) start(print uint32) int {
	hi, _ := bits.Mul64(uint64(print)<<32, uint64(t.size()))
	return int(hi)
}

// possible appends the entries that may be that of the key: nearly always none
// for a new key and one for a known one.
func (s *seen) possible(key string, found []entryID) []entryID {
	s.mu.RLock()
	defer s.mu.RUnlock()
	t, print := s.split(key)
	return t.possible(print, found)
}

func (t *seenTable) possible(print uint32, found []entryID) []entryID {
	if t.used == 0 {
		return found
	}
	for i := t.start(print); ; {
		slot := t.slot(i)
		if slot == 0 {
			return found
		}
		if uint32(slot>>32) == print {
			found = append(found, entryID(slot))
		}
		if i++; i == t.size() {
			i = 0
		}
	}
}

// find returns the entry of a key, nil if it has none.
func (s *seen) find(entries *bolt.Bucket, key string) (entryID, *record, error) {
	for _, id := range s.possible(key, nil) {
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
		t, print := s.split(key)
		t.insert(uint64(print)<<32 | uint64(id))
	}
}

func (t *seenTable) insert(slot uint64) {
	if size := t.size(); 8*t.used >= 7*size {
		t.grow(16 + size + size/4)
	}
	t.place(slot)
	t.used++
}

// grow gives the table more slots.
func (t *seenTable) grow(size int) {
	old := *t
	t.slots = allocate(8 * size)
	for i := range old.size() {
		if slot := old.slot(i); slot != 0 {
			t.place(slot)
		}
	}
	freeMemory(old.slots)
}

func (t *seenTable) place(slot uint64) {
	i := t.start(uint32(slot >> 32))
	for t.slot(i) != 0 {
		if i++; i == t.size() {
			i = 0
		}
	}
	binary.LittleEndian.PutUint64(t.slots[8*i:], slot)
}

// loadedEach is after how many entries Open looks at how much of the file is mapped.
const loadedEach = 1 << 18

// load reads the entries of the file from a number on.
func (s *seen) load(entries *bolt.Bucket, from entryID, m *mapped) error {
	cursor := entries.Cursor()
	for id, value := cursor.Seek(from.bytes()); id != nil; id, value = cursor.Next() {
		if idOf(id)%loadedEach == 0 {
			m.trim(entries.Tx())
		}
		key, err := decodeKey(value)
		if err != nil {
			return fmt.Errorf("entry %x: %w", id, err)
		}
		t, print := s.split(string(key))
		t.insert(uint64(print)<<32 | uint64(idOf(id)))
	}
	return nil
}

// sipHash is SipHash-2-4 of Aumasson and Bernstein, "SipHash: a fast short-input PRF"
// (2012). Unlike hash/maphash it gives the same in the next process.
func sipHash(key *[16]byte, s string) uint64 {
	k0, k1 := binary.LittleEndian.Uint64(key[:]), binary.LittleEndian.Uint64(key[8:])
	v0, v1, v2, v3 := k0^0x736f6d6570736575, k1^0x646f72616e646f6d, k0^0x6c7967656e657261, k1^0x7465646279746573
	last := uint64(len(s)) << 56
	for ; len(s) >= 8; s = s[8:] {
		m := uint64(s[0]) | uint64(s[1])<<8 | uint64(s[2])<<16 | uint64(s[3])<<24 |
			uint64(s[4])<<32 | uint64(s[5])<<40 | uint64(s[6])<<48 | uint64(s[7])<<56
		v3 ^= m
		v0, v1, v2, v3 = sipRound(v0, v1, v2, v3)
		v0, v1, v2, v3 = sipRound(v0, v1, v2, v3)
		v0 ^= m
	}
	for i := range len(s) {
		last |= uint64(s[i]) << (8 * i)
	}
	v3 ^= last
	v0, v1, v2, v3 = sipRound(v0, v1, v2, v3)
	v0, v1, v2, v3 = sipRound(v0, v1, v2, v3)
	v0 ^= last
	v2 ^= 0xff
	for range 4 {
		v0, v1, v2, v3 = sipRound(v0, v1, v2, v3)
	}
	return v0 ^ v1 ^ v2 ^ v3
}

func sipRound(v0, v1, v2, v3 uint64) (uint64, uint64, uint64, uint64) {
	v0 += v1
	v1 = bits.RotateLeft64(v1, 13) ^ v0
	v0 = bits.RotateLeft64(v0, 32)
	v2 += v3
	v3 = bits.RotateLeft64(v3, 16) ^ v2
	v0 += v3
	v3 = bits.RotateLeft64(v3, 21) ^ v0
	v2 += v1
	v1 = bits.RotateLeft64(v1, 17) ^ v2
	v2 = bits.RotateLeft64(v2, 32)
	return v0, v1, v2, v3
}
