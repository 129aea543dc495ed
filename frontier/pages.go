package frontier

import (
	"encoding/binary"
	"fmt"
	"io"
	"sort"

	bolt "go.etcd.io/bbolt"
)

// entryPages finds entries in the file by reading the few
// pages that lead to each. bbolt finds them, too, in the mapped file; but a page that is not in the system's cache
// holds up a processor until it is mapped in, while reads of many goroutines wait for the disk together. The
// transaction that it belongs to keeps the pages as they are.
//
// It knows of bbolt's format: a page begins with its number (8 bytes), flags and the number of
// its elements (2 each) and how many pages more belong to it (4). An element of a branch is the offset of its key from
// itself, the key's length (4 each) and the number of a page (8); one of a leaf, flags,
// the same offset and length, and the length of the value that follows the key (4 each).
type entryPages struct {
	file  io.ReaderAt
	size  int    // of a page, in bytes
	root  uint64 // 0 for a bucket that has no page of its own
	pages map[uint64][]byte
	spare [][]byte
}

const (
	pageHead    = 16
	pageElement = 16
	branchPage  = 1
	leafPage    = 2

	overflowMost = 1 << 8 // pages more, of the longest entry
	pagesKept    = 64     // before they are read again
)

// begin turns to the entries of a transaction.
func (p *entryPages) begin(tx *bolt.Tx, file io.ReaderAt) {
	p.file, p.size, p.root = file, tx.DB().Info().PageSize, uint64(bucket(tx, bucketEntries).Root())
	if p.pages == nil {
		p.pages = make(map[uint64][]byte)
	}
	p.drop()
}

func (p *entryPages) drop() {
	for _, page := range p.pages {
		if len(page) == p.size {
			p.spare = append(p.spare, page)
		}
	}
	clear(p.pages)
}

// get returns the value of an entry until the next call; nil if there is none.
func (p *entryPages) get(id entryID) ([]byte, error) {
	at := p.root
	for depth := 0; ; depth++ {
		page, err := p.page(at)
		if err != nil {
			return nil, err
		}
		flags, count := binary.NativeEndian.Uint16(page[8:]), int(binary.NativeEndian.Uint16(page[10:]))
		if pageHead+count*pageElement > len(page) || count == 0 || depth > 16 {
			return nil, damagedPage(at)
		}
		i := sort.Search(count, func(i int) bool { return p.key(page, flags, i) > id }) - 1
		switch {
		case flags&branchPage != 0:
			at = binary.NativeEndian.Uint64(page[pageHead+max(i, 0)*pageElement+8:])
		case flags&leafPage == 0:
			return nil, damagedPage(at)
		case i < 0 || p.key(page, flags, i) != id:
			return nil, nil
		default:
			element := pageHead + i*pageElement
			from := element + int(binary.NativeEndian.Uint32(page[element+4:])) + 4
			to := from + int(binary.NativeEndian.Uint32(page[element+12:]))
			if to > len(page) {
				return nil, damagedPage(at)
			}
			return page[from:to], nil
		}
	}
}

// key returns the key of an element, 0 for a damaged one.
func (p *entryPages) key(page []byte, flags uint16, i int) entryID {
	element := pageHead + i*pageElement
	offset := binary.NativeEndian.Uint32(page[element:])
	if flags&leafPage != 0 {
		offset = binary.NativeEndian.Uint32(page[element+4:])
	}
	from := element + int(offset)
	if from+4 > len(page) {
		return 0
	}
	return idOf(page[from : from+4])
}

// page reads a page and those that belong to it.
func (p *entryPages) page(at uint64) ([]byte, error) {
	if page := p.pages[at]; page != nil {
		return page, nil
	}
	if len(p.pages) >= pagesKept {
		p.drop()
	}
	var page []byte
	if last := len(p.spare) - 1; last >= 0 {
		page, p.spare = p.spare[last], p.spare[:last]
	} else {
		page = make([]byte, p.size)
	}
	if err := p.read(page, at); err != nil {
		return nil, err
	}
	if binary.NativeEndian.Uint64(page) != at {
		return nil, damagedPage(at)
	}
	if more := int64(binary.NativeEndian.Uint32(page[12:])); more > 0 {
		if more > overflowMost {
			return nil, damagedPage(at)
		}
		page = make([]byte, (more+1)*int64(p.size))
		if err := p.read(page, at); err != nil {
			return nil, err
		}
	}
	p.pages[at] = page
	return page, nil
}

func (p *entryPages) read(page []byte, at uint64) error {
	if at>>40 != 0 {
		return damagedPage(at)
	}
	if _, err := p.file.ReadAt(page, int64(at)*int64(p.size)); err != nil {
		return fmt.Errorf("%w: %w", damagedPage(at), err)
	}
	return nil
}

func damagedPage(at uint64) error { return fmt.Errorf("%w: page %d of the file", errRecord, at) }
