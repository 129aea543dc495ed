//go:build !wasip1

package abi

import "embed"

// Files are the published schema, and the source of this package for projects that
// bring their own copy.
//
//go:embed awarc_plugin.proto doc.go request.go response.go validate.go wire.go
var Files embed.FS
