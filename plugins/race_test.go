//go:build race

package plugins

// RaceDetector: its shadow of all memory ever touched is never given back, so what the
// process weighs says nothing; and with it guests built by the Go toolchain take minutes,
// most of them in processes that compile. `make plain` runs both without it; pools,
// reloading and the hostile modules are watched.
const RaceDetector = true
