//go:build race

package fetch

// raceDetector: it takes memory of its own, so what is measured says nothing.
const raceDetector = true
