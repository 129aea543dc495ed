// Package plugins is where strangers extend awarc: scorers and extractors as
// WebAssembly modules in a sandbox. The host arrives with its own issue; the
// package exists now so that the import graph already has its floor.
package plugins
