package frontier

import (
	"bytes"
	"os"
	"strconv"
	"syscall"

	bolt "go.etcd.io/bbolt"
)

// mappedMost is how many bytes of mapped files may be resident, and mappedEach after how many
// commits that is looked at.
const (
	mappedMost = 256 << 20
	mappedEach = 4
)

// trimMapped keeps the part of the file that is mapped into the process small. bbolt
// maps all of it, and what was read once stays resident as long as there is free
// memory in the machine; a process that is watched by its size would seem to hold the whole file.
// The pages stay in the system's cache. Only the committer may call it, between
// transactions: nothing else moves the mapping.
func trimMapped(db *bolt.DB) {
	statm, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		return // an economy only
	}
	fields := bytes.Fields(statm)
	if len(fields) < 3 {
		return
	}
	pages, err := strconv.ParseInt(string(fields[2]), 10, 64)
	if err != nil || pages*int64(os.Getpagesize()) < mappedMost {
		return
	}
	var size int64
	if db.View(func(tx *bolt.Tx) error { size = tx.Size(); return nil }) != nil {
		return
	}
	syscall.Syscall(syscall.SYS_MADVISE, db.Info().Data, uintptr(size), syscall.MADV_DONTNEED)
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
