// Package abi holds the messages that pass between awarc and its plugins: what
// awarc_plugin.proto publishes, as Go structs with a codec.
//
// # Terminology
//
// A request goes from the host to the guest, a response from the guest to the
// host. The host encodes requests and decodes responses; the Go SDK does the
// opposite with the same code.
//
// # Encoding
//
// The wire format is protobuf (proto3), written by hand: no reflection and only
// the standard library, so that a guest of a few hundred kilobytes can hold it and the host
// allocates next to nothing. Differential tests against a real protobuf library
// keep the codec and the published schema from drifting apart.
//
// Decoding takes a string and the decoded strings are parts of it: nothing is
// copied, and nothing can change behind the reader's back. The host copies a
// response out of the guest's memory once and decodes that copy; the Go SDK
// decodes its input buffer in place.
//
// # Strictness
//
// A decoder follows protobuf (unknown fields are skipped, the last scalar wins,
// embedded messages merge, packed and unpacked are accepted) and is stricter where
// this does not affect valid messages: no groups, no field with
// another wire type than the schema's, no number that does not fit its type, and
// never more elements than a response may have. Strings of a response are valid UTF-8; the
// encoder of a request replaces invalid bytes by U+FFFD.
//
// Decoding checks that a response is well formed; [ScoreResponse.Validate] and
// [ExtractResponse.Validate] check that it is an answer to the request. A
// response is used whole or not at all.
package abi
