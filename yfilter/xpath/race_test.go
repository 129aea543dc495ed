//go:build race

package xpath_test

// raceDetector: expressions run in one goroutine, over all saved pages.
const raceDetector = true
