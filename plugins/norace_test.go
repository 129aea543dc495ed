//go:build !race

package plugins

const RaceDetector = false
