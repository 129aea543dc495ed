// Package examples holds one plugin in each language of an SDK, all of which score as
// golden vectors tell. `awarc plugin new` makes projects of them.
package examples

import "embed"

// Files are the examples, in a folder each, and the vectors that they share. The files
// of an SDK stand in package sdk.
//
//go:embed go-keywords c-keywords rust-keywords as-keywords testdata/vectors.json
var Files embed.FS
