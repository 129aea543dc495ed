// Package module verifies and prepares WebAssembly plugins before an engine sees
// them. It never runs code and does no I/O.
//
// [Verify] parses a file, checks it against [Limits], validates every
// instruction, and holds imports, exports and manifest to ABI 1. What it accepts
// is a valid module of WebAssembly 2.0 that a host can compile in bounded time
// and memory. [Module.Meter] rewrites an accepted module so that it pays fuel for
// everything that it does.
//
// # Terminology
//
// A function is imported or defined; function indices count both, imported
// functions first. A head is a place that pays for the code up to the next one. An
// offset is a number of bytes from the start of the file.
package module
