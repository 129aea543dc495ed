//go:build !wasip1

package score

import "github.com/awarc/awarc/plugins/sdk"

// Native runs the scorer in this process on an encoded page; package plugintest
// has a comfortable form of it.
func Native(request []byte) sdk.Call { return sdk.Native(serve, request) }
