//go:build !race

package kb

const raceDetector = false
