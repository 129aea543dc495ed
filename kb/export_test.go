package kb

import "os"

// RaceDetector lets tests outside the package skip what takes minutes with it.
const RaceDetector = raceDetector

// Long reports whether tests that take minutes run whole, as make test-long wants.
func Long() bool { return os.Getenv("AWARC_LONG") != "" }
