//go:build race

package plugins

// raceDetector: its shadow of all memory ever touched is never given back, so what
// the process weighs says nothing.
const raceDetector = true
