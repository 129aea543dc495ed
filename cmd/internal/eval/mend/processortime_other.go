//go:build !unix

package mend

import "time"

var began = time.Now()

// processorTime is the time that went by: here what others do on the machine counts, too.
func processorTime() time.Duration { return time.Since(began) }
