// Package endpoint sends what crawls extracted to a SPARQL server, by the Graph Store HTTP Protocol or by SPARQL Update.
//
// What is sent at once is a part: a graph, or, of one with more than some thousand triples, such as that of what is known of captures, a
// piece. A graph of one part replaces what the server has in the graph of that name; a piece is added to it, and so is all
// that is known of captures (graph.Meta), since other crawls have their captures in it. Sent twice, a part changes nothing,
// so that it never matters whether a request arrived whose answer did not.
//
// A log keeps a digest of each part that the server has acknowledged. Parts that are in it are passed over: what was interrupted goes on,
// and a crawl that has grown costs what is new. The log is a file beside the index; without it all is sent again.
//
// A request that fails for a reason that can pass (no connection, status 429 or 5xx) is tried again; a part that the server refuses (400)
// is reported and skipped; any other answer ends the run.
//
// Blank nodes are the server's to name: a graph of several parts, or without a name, that has some gets others each time.
package endpoint
