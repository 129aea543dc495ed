//go:build race

package main

// raceDetector: crawls of whole mirrors take minutes with it. `make corpus` runs
// them without; crawls of the test sites are watched.
const raceDetector = true
