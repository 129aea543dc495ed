package engine_test

import (
	"os"
	"runtime/debug"
	"testing"
)

// TestMain: a fifth of the processor's time would go into collecting little garbage.
func TestMain(m *testing.M) {
	debug.SetGCPercent(400)
	os.Exit(m.Run())
}
