//go:build !linux && !darwin && !freebsd

package frontier

import "os"

// unlock does nothing: on this system the lock of a file goes with its handle.
func unlock(*os.File) {}
