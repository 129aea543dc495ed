package frontier

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"time"

	bolt "go.etcd.io/bbolt"
	berrors "go.etcd.io/bbolt/errors"
)

const lockFile = "node.lock"

// Lock keeps a folder from being used by two processes at a time, where its frontier is not a file in it. It is let go of by Close, or
// when the process ends. The error is an *Error of kind Locked when another process has it.
func Lock(dir string) (io.Closer, error) {
	path := filepath.Join(dir, lockFile)
	db, err := bolt.Open(path, 0o666, &bolt.Options{Timeout: 100 * time.Millisecond})
	if err != nil {
		return nil, storageError(path, err)
	}
	return db, nil
}

// Held reports whether a process has the folder locked.
func Held(dir string) bool {
	path := filepath.Join(dir, lockFile)
	if _, err := os.Stat(path); err != nil {
		return false
	}
	db, err := bolt.Open(path, 0o666, &bolt.Options{Timeout: 100 * time.Millisecond, ReadOnly: true})
	if err == nil {
		_ = db.Close() // it was only read
	}
	return errors.Is(err, berrors.ErrTimeout)
}
