//go:build linux || darwin || freebsd

package frontier

import (
	"os"
	"syscall"
)

// unlock lets go of the lock that bbolt takes, which closing a file does not where it is still mapped.
func unlock(file *os.File) { _ = syscall.Flock(int(file.Fd()), syscall.LOCK_UN) }
