// Package sdk is the part of the Go SDK that every plugin shares: configuration,
// logging, and the way in and out of the sandbox. A scorer imports package score,
// an extractor package extract; both can be in one plugin.
//
// A plugin registers its functions from init and leaves main empty:
//
//	package main
//
//	import "github.com/awarc/awarc/plugins/sdk/score"
//
//	func init() {
//		score.OnPage(func(p *score.Page, out *score.Result) error {
//			out.Doc = 0.5
//			return nil
//		})
//	}
//
//	func main() {}
//
// The stock toolchain builds it, and the manifest makes it a plugin:
//
//	GOOS=wasip1 GOARCH=wasm go build -buildmode=c-shared -ldflags='-s -w' -o birds.wasm .
//	awarc plugin pack birds.wasm plugin.json
//
// # Rules of the sandbox
//
// An instance works on one page at a time, has no files, network or environment,
// and time stands still during a call. Strings of a page point into a buffer that the next
// call overwrites: clone what is kept (strings.Clone). Strings of the configuration
// may be kept. A panic becomes an error of the page; the instance goes on.
//
// The SDK uses neither reflection nor fmt nor encoding/json, and after the first
// pages does not allocate: do set-up in OnConfigure, and avoid regexp and
// encoding/json per page.
//
// Built for another system than wasip1 the same code runs natively in go test;
// package plugintest does that.
package sdk
