package plugins

import (
	"os"
	"testing"
)

const envCompiled = "AWARC_TEST_COMPILED" // the folder in which each process that compiles leaves a file

// TestMain makes the test binary its own compiler of plugins, as awarc is.
func TestMain(m *testing.M) {
	if dir := os.Getenv(envCompiled); dir != "" && os.Getenv(envCompile) != "" {
		f, err := os.CreateTemp(dir, "")
		if err != nil {
			panic(err)
		}
		_ = f.Close()
	}
	CompileInChild()
	os.Exit(m.Run())
}
