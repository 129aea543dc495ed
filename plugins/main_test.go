package plugins

import (
	"os"
	"testing"
)

// TestMain makes the test binary its own compiler of plugins, as awarc is.
func TestMain(m *testing.M) {
	CompileInChild()
	os.Exit(m.Run())
}
