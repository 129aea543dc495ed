//go:build race

package engine_test

// raceDetector: one goroutine walks a thousand saved pages; the race detector
// finds nothing there and takes minutes. `make plain` runs those tests without.
const raceDetector = true
