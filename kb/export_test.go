package kb

// RaceDetector lets tests outside the package skip what takes minutes with it.
const RaceDetector = raceDetector
