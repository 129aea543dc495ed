package quads

import (
	"encoding/binary"
	"errors"
	"hash/crc32"
	"slices"
)

// A tuple is a row of an order: the numbers of a quad's terms in the order of the key.
type tuple [4]uint32

func compare(a, b tuple) int { return slices.Compare(a[:], b[:]) }

// less is compare for sorting, which is most of the work of loading.
func less(a, b *tuple) bool {
	for i := range a {
		if a[i] != b[i] {
			return a[i] < b[i]
		}
	}
	return false
}

// blockTuples is how many tuples a block should have, and what one that is merged is cut into. A block with twice as many is cut.
const blockTuples = 1024

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// encodeBlock writes sorted tuples: a checksum, their number, and of each how it differs from the one before: the first column
// that does, by how much, and the differences of the columns behind it.
func encodeBlock(tuples []tuple) []byte {
	b := binary.AppendUvarint(make([]byte, 4, 4+6*len(tuples)), uint64(len(tuples)))
	var last tuple
	for _, t := range tuples {
		column := 0
		for column < 3 && t[column] == last[column] {
			column++
		}
		b = binary.AppendUvarint(b, uint64(t[column]-last[column])<<2|uint64(column))
		for i := column + 1; i < 4; i++ {
			b = binary.AppendVarint(b, int64(t[i])-int64(last[i]))
		}
		last = t
	}
	binary.LittleEndian.PutUint32(b, crc32.Checksum(b[4:], castagnoli))
	return b
}

// errDamaged says that what was read is not what was written.
var errDamaged = errors.New("the index is damaged; rebuild it with awarc index --rebuild")

// decodeBlock reads what encodeBlock wrote.
func decodeBlock(b []byte) ([]tuple, error) {
	if len(b) < 5 || binary.LittleEndian.Uint32(b) != crc32.Checksum(b[4:], castagnoli) {
		return nil, errDamaged
	}
	count, n := binary.Uvarint(b[4:])
	b = b[4:]
	if n <= 0 || count > uint64(len(b)) {
		return nil, errDamaged
	}
	b = b[n:]
	tuples := make([]tuple, count)
	var last tuple
	for i := range tuples {
		head, n := uvarint(b)
		if n <= 0 {
			return nil, errDamaged
		}
		b = b[n:]
		column := int(head & 3)
		last[column] += uint32(head >> 2)
		for c := column + 1; c < 4; c++ {
			u, n := uvarint(b)
			if n <= 0 {
				return nil, errDamaged
			}
			b = b[n:]
			last[c] += uint32(int64(u>>1) ^ -int64(u&1))
		}
		tuples[i] = last
	}
	return tuples, nil
}

// uvarint is binary.Uvarint with its most frequent case first.
func uvarint(b []byte) (uint64, int) {
	if len(b) > 0 && b[0] < 0x80 {
		return uint64(b[0]), 1
	}
	return binary.Uvarint(b)
}

// mergeTuples gives the tuples that are in one of two sorted lists without copies, and how many of them are not in the first.
func mergeTuples(old, add []tuple) (merged []tuple, added int) {
	merged = make([]tuple, 0, len(old)+len(add))
	for len(old) > 0 && len(add) > 0 {
		switch {
		case less(&old[0], &add[0]):
			merged, old = append(merged, old[0]), old[1:]
		case old[0] == add[0]:
			add = add[1:]
		default:
			merged, add, added = append(merged, add[0]), add[1:], added+1
		}
	}
	merged = append(append(merged, old...), add...)
	return merged, added + len(add)
}
