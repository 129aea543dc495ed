//go:build !wasip1

package sdk

import "embed"

// Files are the SDKs as source, for projects with their own copy: the SDK of Go, and
// the SDKs of C, Rust and AssemblyScript in a folder each.
//
//go:embed doc.go sdk.go host_wasip1.go host_native.go match/match.go
//go:embed score/score.go score/export_wasip1.go score/native.go
//go:embed extract/extract.go extract/export_wasip1.go extract/native.go
//go:embed c/awarc.h rust/awarc.rs assemblyscript/awarc.ts
var Files embed.FS
