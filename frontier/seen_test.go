package frontier

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	bolt "go.etcd.io/bbolt"
)

// TestSeenTable compares tables with a map, through all sizes up to some thousands
// and with prints of which many are equal.
func TestSeenTable(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, prints := range []uint32{1 << 31, 50} {
		s := newSeen()
		table := &s.tables[0]
		want := make(map[uint32][]entryID)
		for id := range entryID(5000) {
			print := r.Uint32N(prints) * (1 << 31 / prints)
			table.insert(uint64(print)<<32 | uint64(id+1))
			want[print] = append(want[print], id+1)
			if table.used != int(id)+1 || table.size() > 500 && 10*table.used < 6*table.size() {
				t.Fatalf("%d of %d slots used after %d keys", table.used, table.size(), id+1)
			}
			for _, print := range []uint32{print, print + 1, r.Uint32N(prints)} {
				have := slices.Sorted(slices.Values(table.possible(print, nil)))
				if !slices.Equal(have, want[print]) {
					t.Fatalf("entries of print %x are %v, want %v", print, have, want[print])
				}
			}
		}
	}
}

// TestSeenAsksTheEntry gives two keys the same slot but for the number.
func TestSeenAsksTheEntry(t *testing.T) {
	h := start(t, Options{})
	h.addAll("http://a/1", "http://a/2")
	f := h.Frontier
	for i := range f.seen.tables {
		f.seen.tables[i] = seenTable{}
	}
	for _, key := range []string{"http://a/1", "http://a/2", "http://a/3"} {
		for id := range entryID(2) {
			f.seen.insert(map[string]entryID{key: id + 1})
		}
	}
	err := f.view(func(tx *bolt.Tx) error {
		for key, want := range map[string]entryID{"http://a/1": 1, "http://a/2": 2, "http://a/3": 0} {
			if id, _, err := f.seen.find(bucket(tx, bucketEntries), key); err != nil || id != want {
				t.Errorf("%s is entry %d (%v), want %d", key, id, err, want)
			}
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}

func TestKeysLongerThanURLs(t *testing.T) {
	h := start(t, Options{})
	long := strings.Repeat("x", maxURL)
	for i := range 2 {
		h.add(URL{URL: fmt.Sprint("http://a/", i), Key: long + fmt.Sprint(i)})
	}
	h.reopen(Options{})
	for i := range 2 {
		if e, ok := h.Lookup(long + fmt.Sprint(i)); !ok || e.URL.URL != fmt.Sprint("http://a/", i) {
			t.Errorf("key %d is of %s, %v", i, e.URL.URL, ok)
		}
	}
}
