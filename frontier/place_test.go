package frontier

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"testing"

	bolt "go.etcd.io/bbolt"
)

// placedAtOnce merges what a commit made recent with the next one.
var placedAtOnce = merging{after: 1, tail: 1, slice: 1 << 20, host: 1 << 20}

// TestQueueOnDiskAgreesWithASortedList inserts and removes places at random, in many transactions, and
// reads them again from any place on.
func TestQueueOnDiskAgreesWithASortedList(t *testing.T) {
	db, err := bolt.Open(filepath.Join(t.TempDir(), "queue"), 0o666, &bolt.Options{NoSync: true})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	hosts := []string{"a.test", "a.test:80", "b.test"}
	want := make(map[string][]place)
	r := rand.New(rand.NewPCG(5, 6))
	for round := range 20 {
		err := db.Update(func(tx *bolt.Tx) error {
			b, err := tx.CreateBucketIfNotExists([]byte(bucketReady))
			if err != nil {
				return err
			}
			q := readyQueues{Bucket: b}
			for range 8 {
				host := hosts[r.IntN(len(hosts))]
				if r.IntN(3) == 0 { // nearly all, so that pages become empty
					for _, p := range want[host][min(len(want[host]), r.IntN(9)):] {
						if err := q.remove(host, p); err != nil {
							return err
						}
						want[host] = slices.DeleteFunc(slices.Clone(want[host]), func(x place) bool { return x == p })
					}
					continue
				}
				var added []place
				for range r.IntN(400) {
					p := place{byte(r.IntN(3)), uint64(r.IntN(3)), entryID(1 + r.IntN(40*(round+1)))}
					if i, found := slices.BinarySearchFunc(want[host], p, place.compare); !found {
						added = append(added, p)
						want[host] = slices.Insert(want[host], i, p)
					}
				}
				slices.SortFunc(added, place.compare)
				if err := q.insert(host, added); err != nil {
					return err
				}
			}
			for host, places := range want {
				if err := sameQueue(b, host, places, r); err != nil {
					return err
				}
			}
			return q.tidy()
		})
		if err != nil {
			t.Fatal(err)
		}
		err = db.View(func(tx *bolt.Tx) error {
			n, all := 0, 0
			for host, places := range want {
				if err := sameQueue(bucket(tx, bucketReady), host, places, r); err != nil {
					return err
				}
				all += len(places)
			}
			n, err := placedURLs(tx) // refuses blocks that were left empty
			if err == nil && n != all {
				err = fmt.Errorf("%d places, want %d", n, all)
			}
			return err
		})
		if err != nil {
			t.Fatalf("round %d: %v", round, err)
		}
	}
}

func sameQueue(b *bolt.Bucket, host string, want []place, r *rand.Rand) error {
	var behind place
	if len(want) > 0 && r.IntN(2) == 0 {
		i := r.IntN(len(want))
		behind, want = want[i], want[i+1:]
	}
	var have []place
	for p, err := range onDisk(b, host, behind) {
		if err != nil {
			return err
		}
		have = append(have, p)
	}
	if !slices.Equal(have, want) {
		return fmt.Errorf("queue of %s behind %v has %d places, want %d", host, behind, len(have), len(want))
	}
	return nil
}

func TestRemovingAPlaceThatIsNotThereIsAnError(t *testing.T) {
	h := start(t, Options{})
	err := h.update(func(tx *bolt.Tx) error {
		q := readyQueues{Bucket: bucket(tx, bucketReady)}
		if err := q.insert("a", []place{{rankNormal, 1, 5}}); err != nil {
			return err
		}
		return q.remove("a", place{rankNormal, 1, 6})
	})
	if kindOf(err) != Corrupt {
		t.Errorf("%v", err)
	}
}
