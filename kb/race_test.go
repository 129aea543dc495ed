//go:build race

package kb

// raceDetector: one goroutine that loads everything again and again is nothing for it.
const raceDetector = true
