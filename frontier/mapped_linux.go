package frontier

import (
	"bytes"
	"os"
	"strconv"
	"syscall"

	bolt "go.etcd.io/bbolt"
)

// residentMost is how many bytes the process may hold in memory before mapped pages of the file are given up;
// mappedMost bounds these where there is room, and mappedLeast may stay in any case.
const (
	residentMost = 1920 << 20
	mappedMost   = 1 << 30
	mappedLeast  = 128 << 20
)

const (
	mappedParts = 8       // one of so many parts of the file is given up at a time
	largePage   = 2 << 20 // bytes
)

// mapped keeps the part of the file that is mapped into the process small. bbolt
// maps all of it, and what was read once stays resident as long as there is free
// memory in the machine; a process that is watched by its size would seem to hold the whole file.
// The pages stay in the system's cache, but to map one in again takes microseconds.
type mapped struct{ next uintptr }

// trim gives pages up, part after part, if there are too many. The mapping stays where it is
// as long as the transaction is open.
func (m *mapped) trim(tx *bolt.Tx) {
	size := uintptr(tx.Size())
	if size <= mappedLeast {
		return
	}
	part := (size/mappedParts)&^(largePage-1) + largePage
	for n := 0; n < mappedParts && tooMuch(); n++ {
		if m.next >= size {
			m.next = 0
		}
		syscall.Syscall(syscall.SYS_MADVISE, tx.DB().Info().Data+m.next, min(part, size-m.next), syscall.MADV_DONTNEED)
		m.next += part
	}
}

// tooMuch reports whether mapped pages must be given up. It is an economy: what cannot be read is not too much.
func tooMuch() bool {
	statm, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		return false
	}
	var pages [3]int64 // of the address space, resident, and of these mapped from files
	for i, field := range bytes.Fields(statm) {
		if i < len(pages) {
			if pages[i], err = strconv.ParseInt(string(field), 10, 64); err != nil {
				return false
			}
		}
	}
	size := int64(os.Getpagesize())
	all, ofFiles := pages[1]*size, pages[2]*size
	return ofFiles > max(mappedLeast, min(mappedMost, residentMost-(all-ofFiles)))
}

// ownMemory is the size in bytes from which a table is kept outside of Go's heap. The
// collector lets a heap grow to twice of what is in use, and a table that has grown stays until it
// runs; of 100 million URLs that would be a gigabyte.
const ownMemory = 32 << 10

// allocate returns zeros to be given to freeMemory.
func allocate(size int) []byte {
	if size >= ownMemory {
		b, err := syscall.Mmap(-1, 0, size, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
		if err == nil {
			return b
		}
	}
	return make([]byte, size)
}

// freeMemory gives memory back; nothing may refer to it any more.
func freeMemory(b []byte) {
	if len(b) >= ownMemory {
		syscall.Munmap(b) // an error says that it is of the heap
	}
}
