// Package examples holds a scorer and an extractor in each language of an SDK, all of which
// answer as the golden vectors. `awarc plugin new` makes projects of them.
package examples

import "embed"

// Files are the examples, in a folder each, and the vectors that examples of one kind share. The
// files of an SDK stand in package sdk.
//
//go:embed go-keywords c-keywords rust-keywords as-keywords testdata/vectors.json
//go:embed go-mentions c-mentions rust-mentions as-mentions testdata/mentions.json
var Files embed.FS
