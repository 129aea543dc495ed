package frontier

import (
	"io"
	"path/filepath"
	"time"

	bolt "go.etcd.io/bbolt"
)

// Lock keeps a folder from being used by two processes at a time, where its frontier is not a file in it. It is let go of by Close, or
// when the process ends. The error is an *Error of kind Locked when another process has it.
func Lock(dir string) (io.Closer, error) {
	path := filepath.Join(dir, "node.lock")
	db, err := bolt.Open(path, 0o666, &bolt.Options{Timeout: 100 * time.Millisecond})
	if err != nil {
		return nil, storageError(path, err)
	}
	return db, nil
}
