//go:build !race

package detect

const raceDetector = false
