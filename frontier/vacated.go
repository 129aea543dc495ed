package frontier

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"slices"

	bolt "go.etcd.io/bbolt"
)

// vacancy is a place in the ready bucket that its URL has left.
type vacancy struct {
	host string
	place
}

// vacate notes that a URL leaves its place in the ready bucket.
func (b *batch) vacate(host string, p place) {
	b.left = append(b.left, vacancy{host, p})
	b.gone[p.id] = struct{}{}
}

// isGone reports whether a URL of a host has left the place in the ready bucket that it had.
func (b *batch) isGone(host string, id entryID) bool {
	_, gone := b.gone[id]
	return gone || b.recent.isGone(id) && !b.merged[host]
}

// logVacated appends a record of the places that the transaction vacates.
func (b *batch) logVacated() error {
	if len(b.left) == 0 {
		return nil
	}
	n, err := b.vacated.NextSequence()
	if err != nil {
		return err
	}
	value := []byte{recordFormat}
	for _, v := range b.left {
		value = appendString(value, v.host)
		value = append(value, v.rank)
		value = binary.BigEndian.AppendUint64(value, v.worth)
		value = binary.AppendUvarint(value, uint64(v.id))
	}
	return b.vacated.Put(binary.BigEndian.AppendUint64(nil, n), seal(value))
}

func decodeVacated(value []byte) (all []vacancy, err error) {
	d := unseal(value)
	for len(d.rest) > 0 {
		v := vacancy{host: d.string()}
		v.rank = d.byte()
		if len(d.rest) >= 8 {
			v.worth, d.rest = binary.BigEndian.Uint64(d.rest), d.rest[8:]
		}
		v.id = entryID(d.uvarint())
		all = append(all, v)
	}
	return all, d.end("vacated places")
}

// forgetVacated deletes the records up to one: all that they name are merged.
func (b *batch) forgetVacated(upTo uint64) error {
	cursor := b.vacated.Cursor()
	for key, _ := cursor.First(); len(key) == 8 && binary.BigEndian.Uint64(key) <= upTo; key, _ = cursor.First() {
		if err := cursor.Delete(); err != nil {
			return err
		}
	}
	return nil
}

// vacancies returns the places of the log that are not merged, in the order of the numbers of their entries.
func vacancies(tx *bolt.Tx) (all []vacancy, err error) {
	merged := make(map[string]uint64)
	err = bucket(tx, bucketVacated).ForEach(func(key, value []byte) error {
		if len(key) != 8 {
			return fmt.Errorf("%w: vacated places %x", errRecord, key)
		}
		record, err := decodeVacated(value)
		if err != nil {
			return err
		}
		for _, v := range record {
			upTo, known := merged[v.host]
			if !known {
				h, err := hostOnDisk(tx, v.host)
				if err != nil {
					return err
				}
				upTo = h.vacated
				merged[v.host] = upTo
			}
			if binary.BigEndian.Uint64(key) > upTo {
				all = append(all, v)
			}
		}
		return nil
	})
	slices.SortFunc(all, func(a, b vacancy) int { return cmp.Compare(a.id, b.id) })
	return all, err
}

// vacate takes over that a URL has left its place.
func (r *recent) vacate(v vacancy) {
	places := r.vacated[v.host]
	i, _ := slices.BinarySearchFunc(places, v.place, place.compare)
	r.vacated[v.host] = slices.Insert(places, i, v.place)
	r.gone[v.id] = struct{}{}
	r.n++
	r.crowded(v.host)
}

// loadVacated reads the log. What has left its place and is ready is recent.
func (r *recent) loadVacated(tx *bolt.Tx) error {
	all, err := vacancies(tx)
	if err != nil {
		return err
	}
	for _, v := range all {
		r.vacate(v)
		e, err := readEntry(bucket(tx, bucketEntries), v.id)
		switch {
		case err != nil:
			return err
		case e == nil:
			return fmt.Errorf("%w: entry %x has left its place and is not there", errRecord, v.id)
		case e.State == Pending && !e.waiting && !e.Batched:
			r.insert(v.host, []place{e.place()})
		}
	}
	return nil
}
