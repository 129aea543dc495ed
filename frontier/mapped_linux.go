package frontier

import (
	"bytes"
	"os"
	"strconv"
	"syscall"

	bolt "go.etcd.io/bbolt"
)

// mappedMost is how many bytes of mapped files may be resident, and mappedEach after
// how many commits that is looked at.
const (
	mappedMost = 512 << 20
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
