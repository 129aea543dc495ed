// Package sparql answers SPARQL 1.1 queries over an index of package quads.
//
// Parser, optimizer, evaluator and writers come from oxigraph (crates spargebra, sparopt, spareval, sparesults, oxttl
// and oxjsonld, MIT or Apache 2.0), compiled to WebAssembly: evaluator is the source of some 600 lines that puts them
// together, evaluator.wasm the result, and make evaluator builds it again. To build awarc takes no Rust.
//
// A query is one run of that module, with memory of its own. It reads the query as its standard input and writes results to its standard
// output; it sees no file, network or environment. What it asks of the index are functions of the host: to begin a walk over the quads of a
// pattern, to go on with it, some hundred quads at a time, to end it, and to turn terms into numbers and back. So quads are numbers in
// the module, and as many of them in its memory as the query needs for its joins, groups and order.
//
// Time, memory and output of a query are bounded, and an error says which bound it met. The module asks now and then whether to go on, as
// it takes memory, which everything in it that can last does.
//
// The default graph is the union of all graphs, in which a statement is once, however many graphs hold it. SERVICE and updates are refused.
package sparql
