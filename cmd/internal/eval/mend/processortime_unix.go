//go:build unix

package mend

import (
	"syscall"
	"time"
)

// processorTime is what the program has used so far: what others do on the
// machine meanwhile does not count.
func processorTime() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
