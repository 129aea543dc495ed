//go:build race

package main

import "testing"

// heavy skips what takes minutes with the race detector: crawls of mirrors, and those
// that are killed a dozen times. `make plain` runs all without it; the other crawls
// of the test sites are watched.
func heavy(t *testing.T) {
	t.Helper()
	t.Skip("skipped with the race detector: make plain runs it without")
}
