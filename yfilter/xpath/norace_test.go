//go:build !race

package xpath_test

const raceDetector = false
