package frontier

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"fmt"
	"iter"
	"slices"

	bolt "go.etcd.io/bbolt"
)

// place is where a URL stands in the ready queue of its host. The least comes first.
type place struct {
	rank  byte
	worth uint64 // of its priority: the higher that is, the less
	id    entryID
}

// Ranks order the URLs of a host before their priorities do.
const (
	rankFront     = 0 // deferred, or drawn from its family
	rankImmediate = 1
	rankNormal    = 2
)

// place is where the entry stands when it is in the ready queue.
func (r *record) place() place {
	rank := byte(rankNormal)
	switch {
	case r.front || r.drawn():
		rank = rankFront
	case r.Immediate:
		rank = rankImmediate
	}
	return place{rank, ^intOrder(int64(r.Priority)), r.id}
}

func (p place) compare(q place) int {
	if p.rank != q.rank {
		return cmp.Compare(p.rank, q.rank)
	}
	if p.worth != q.worth {
		return cmp.Compare(p.worth, q.worth)
	}
	return cmp.Compare(p.id, q.id)
}

// best is the priority of a host whose first URL stands here: more than any for one
// that is deferred or immediate.
func (p place) best() int {
	if p.rank < rankNormal {
		return maxPriority + 1
	}
	return int(^p.worth ^ 1<<63)
}

// noBest is the same of a host without URLs.
const noBest = -maxPriority - 1

// The ready queues are in blocks: a key is the host and a place that is not behind the
// first of its block, the value the numbers of entries of that rank and priority, in order, as
// the differences to the one before (to that of the key). They are so small because the merge of recent
// URLs, which touches every part of the queues, should find them in the system's cache.
const (
	blockMost = 256 // entries
	blockKey  = 13  // bytes after the host
)

func placeKey(prefix []byte, p place) []byte {
	key := append(make([]byte, 0, len(prefix)+blockKey), prefix...)
	key = append(key, p.rank)
	key = binary.BigEndian.AppendUint64(key, p.worth)
	return binary.BigEndian.AppendUint32(key, uint32(p.id))
}

func hostPrefix(host string) []byte {
	return append(append(make([]byte, 0, len(host)+1), host...), 0)
}

// decodePlace reads what follows the host in a block's key.
func decodePlace(key []byte) (place, bool) {
	if len(key) != blockKey {
		return place{}, false
	}
	return place{key[0], binary.BigEndian.Uint64(key[1:]), idOf(key[9:])}, true
}

// block yields the places in a block. A damaged one yields an error at its end.
func block(key place, value []byte) iter.Seq2[place, error] {
	return func(yield func(place, error) bool) {
		at, last := uint64(key.id), uint64(0)
		for len(value) > 0 {
			step, size := binary.Uvarint(value)
			at += step
			if size <= 0 || at <= last || at>>32 != 0 {
				yield(place{}, fmt.Errorf("%w: block of a queue", errRecord))
				return
			}
			value, last = value[size:], at
			if !yield(place{key.rank, key.worth, entryID(at)}, nil) {
				return
			}
		}
	}
}

func decodeBlock(key place, value []byte) (ids []entryID, err error) {
	for p, err := range block(key, value) {
		if err != nil {
			return nil, err
		}
		ids = append(ids, p.id)
	}
	return ids, nil
}

func encodeBlock(first entryID, ids []entryID) []byte {
	value := make([]byte, 0, 3*len(ids))
	for _, id := range ids {
		value = binary.AppendUvarint(value, uint64(id-first))
		first = id
	}
	return value
}

// onDisk yields the places of a host in the ready bucket behind one, the first first.
func onDisk(ready *bolt.Bucket, host string, behind place) iter.Seq2[place, error] {
	return func(yield func(place, error) bool) {
		prefix := hostPrefix(host)
		begin := prefix
		if behind != (place{}) {
			if begin, _, _ = blockOf(ready, prefix, behind); begin == nil {
				begin = placeKey(prefix, behind)
			}
		}
		cursor := ready.Cursor()
		for key, value := cursor.Seek(begin); bytes.HasPrefix(key, prefix); key, value = cursor.Next() {
			start, ok := decodePlace(key[len(prefix):])
			if !ok {
				yield(place{}, fmt.Errorf("%w: queue of %s", errRecord, host))
				return
			}
			for p, err := range block(start, value) {
				if err == nil && p.compare(behind) <= 0 {
					continue
				}
				if !yield(p, err) || err != nil {
					return
				}
			}
		}
	}
}

// bestOf returns what the first URL in the ready bucket that is not gone makes of its host.
func bestOf(ready *bolt.Bucket, host string, gone func(entryID) bool) (int, error) {
	for p, err := range onDisk(ready, host, place{}) {
		if err != nil || !gone(p.id) {
			return p.best(), err
		}
	}
	return noBest, nil
}

// blockOf finds the block in which a place is or belongs: the last one of its rank and priority that
// does not begin behind it. The key is nil for none. before is the number from which on
// the next block holds those of its rank and priority.
func blockOf(ready *bolt.Bucket, prefix []byte, p place) (key, value []byte, before uint64) {
	before = 1 << 32
	kin := placeKey(prefix, p)
	cursor := ready.Cursor()
	key, value = cursor.Seek(kin)
	if bytes.Equal(key, kin) {
		next, _ := cursor.Next()
		return kin, value, startsAt(next, kin, before)
	}
	before = startsAt(key, kin, before)
	if key == nil {
		key, value = cursor.Last()
	} else {
		key, value = cursor.Prev()
	}
	if !isKin(key, kin) {
		return nil, nil, before
	}
	return bytes.Clone(key), value, before
}

// isKin reports whether two keys are of one host, rank and priority.
func isKin(key, other []byte) bool {
	return len(key) == len(other) && bytes.Equal(key[:len(key)-4], other[:len(other)-4])
}

func startsAt(key, kin []byte, none uint64) uint64 {
	if isKin(key, kin) {
		return uint64(idOf(key[len(key)-4:]))
	}
	return none
}

// readyQueues is the ready bucket for writing.
type readyQueues struct {
	*bolt.Bucket
	emptied [][]byte // keys of blocks without entries
}

// block reads the block in which a place is, or would be: its key, or nil where there is
// none, its entries, and the number from which on entries belong to the next.
func (q *readyQueues) block(prefix []byte, p place) (key []byte, ids []entryID, before uint64, err error) {
	key, value, before := blockOf(q.Bucket, prefix, p)
	if key != nil {
		start, _ := decodePlace(key[len(prefix):])
		ids, err = decodeBlock(start, value)
	}
	return key, ids, before, err
}

// insert adds places of a host, which are in order, to the queue.
func (q *readyQueues) insert(host string, places []place) error {
	prefix := hostPrefix(host)
	for len(places) > 0 {
		first := places[0]
		key, ids, before, err := q.block(prefix, first)
		if err != nil {
			return err
		}
		n := 1
		for n < len(places) && places[n].rank == first.rank && places[n].worth == first.worth && uint64(places[n].id) < before {
			n++
		}
		for _, p := range places[:n] {
			if i, found := slices.BinarySearch(ids, p.id); !found {
				ids = slices.Insert(ids, i, p.id)
			}
		}
		places = places[n:]
		for len(ids) > 0 {
			part := ids[:min(len(ids), blockMost)]
			ids = ids[len(part):]
			if key == nil {
				key = placeKey(prefix, place{first.rank, first.worth, part[0]})
			}
			if err := q.Put(key, encodeBlock(idOf(key[len(key)-4:]), part)); err != nil {
				return err
			}
			key = nil
		}
	}
	return nil
}

// remove takes a place out of the queue.
func (q *readyQueues) remove(host string, p place) error {
	prefix := hostPrefix(host)
	key, ids, _, err := q.block(prefix, p)
	if err != nil {
		return err
	}
	i, found := slices.BinarySearch(ids, p.id)
	if !found {
		return fmt.Errorf("%w: queue of %s lacks entry %x", errRecord, host, p.id)
	}
	if len(ids) == 1 {
		q.emptied = append(q.emptied, key)
	}
	return q.Put(key, encodeBlock(idOf(key[len(key)-4:]), slices.Delete(ids, i, i+1)))
}

// tidy deletes the blocks that were emptied, at the end of the transaction: before it,
// a cursor of bbolt cannot step back over a page that has become empty.
func (q *readyQueues) tidy() error {
	for _, key := range q.emptied {
		if value := q.Get(key); value != nil && len(value) == 0 {
			if err := q.Delete(key); err != nil {
				return err
			}
		}
	}
	return nil
}
