//go:build !wasip1

package extract

import "github.com/awarc/awarc/plugins/sdk"

// Native runs the extractor in this process on an encoded page; package
// plugintest has a comfortable form of it.
func Native(request []byte) sdk.Call { return sdk.Native(serve, request) }
