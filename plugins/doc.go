// Package plugins runs what strangers wrote: scorers and extractors as WebAssembly
// modules in a sandbox, one or more files for a crawl.
//
//	set, err := plugins.Open(ctx, []string{"birds.wasm"}, plugins.Options{Topic: topic})
//	...
//	for _, s := range set.Score(ctx, page) {
//		if s.Kind == plugins.KindOK {
//			use(s.Plugin, s.Response.Doc, s.Response.Links)
//		}
//	}
//
// A program calls [CompileInChild] first thing in main.
//
// # Terminology
//
// A plugin is a file. A generation is one version of it in use; its identity is the SHA-256
// of the file. An instance is one sandbox of a generation, with memory of its own, and
// works on one page at a time. A call is one page given to one instance, or its
// configuration. How a call ended is its [Kind].
//
// # The life of a file
//
// It is read once. Package module verifies it and rewrites it so that it pays fuel
// for what it does. A process of its own compiles it into a cache of code, one file at
// a time, with limits of time and memory. An instance is made, initialized and
// configured, and has to stand two small pages. Then it is in use.
//
// The file is looked at every two seconds. What has changed goes the same way, and takes the
// place of the version before only at its end; calls that are going on end on
// the version that they began with, which closes after the last of them. A version that
// is refused changes nothing.
//
// # What bounds a call
//
// Fuel and a deadline: when a guest has used a slice of about two million
// instructions it comes back to this package, which gives more or ends it. What functions of
// the host do for a guest is charged too. Memory, output, log, error message and the
// number of elements of a response have limits. A guest sees no file, network,
// environment or clock: time stands still during a call, and random bytes are a stream
// of seed, plugin and URL. A response that breaks one rule of the ABI is not used.
//
// A call that fails costs its answer and nothing else: the error is typed, counted and
// told to Events, and the instance is not used again. A plugin that fails five
// times in a row, or more than 20 times in 200 calls, is left alone for ten minutes.
//
// # What to know
//
// Instances are not shared by sets: what one crawl told a plugin cannot show up in
// another. Within a crawl an instance sees one page after the other, unless
// Options.Deterministic gives each page a fresh one. A guest that overflows
// its stack takes about 160 MiB for a moment, which the engine does not let us lower.
//
// Guests are written with package sdk, or with the schema that package abi publishes.
package plugins
