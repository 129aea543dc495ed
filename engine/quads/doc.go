// Package quads keeps what crawls extracted in one file, an index, in which statements are found by any of their parts.
//
//	files, err := quads.Files("mycrawl")
//	...
//	result, err := quads.Build(ctx, "mycrawl/state/graph.db", files, quads.Options{})
//	...
//	r, err := quads.Open(ctx, "mycrawl/state/graph.db")
//	...
//	scan := r.Scan(quads.Quad{0, predicate}, quads.Union)
//
// The index can be made again from the files at any time, so it holds nothing that they do not, and they are never changed.
//
// # What is in an index
//
// An index is an SQLite database. Each term (an IRI, a blank node, a literal) has a number, from 1, and a quad is four of them. Quads are
// in four orderings: spo, pos, osp and gspo, each sorted by the parts in its name. For any known parts of a pattern, in one of
// them the matching quads are next to each other, or nearly so. A fifth ordering is of the hashes of terms, to find their numbers.
//
// An ordering is cut into blocks of about a thousand tuples, which SQLite stores: what differs from one tuple to the next takes four or
// five bytes, a row of SQLite forty. Which tuple each block begins with is kept in memory while an index is open (24 bytes a block); it
// also shows, without reading one, in which ordering a pattern is in the fewest blocks.
//
// Objects, which are subjects with a class and a title or a text, are in full text (FTS5), too, with words for what they can be filtered
// by: classes, host, creators, type and level of the page. All else about them is read from the quads. Search finds them.
//
// # Adding
//
// Build reads what the files have more than before, a million quads at a time, gives numbers to new terms, sorts, and merges the quads into
// the blocks. Objects with new statements are described again. All is one transaction. A new index is built under another name.
//
// Up to where a file was read is known by a place between two gzip members, of which a crawl writes one for each capture, and the bytes
// before it: when they are others, the file is another, and the index is made anew. So it is when a file is gone, and when a block, a term
// or SQLite's own pages are not as they were written.
//
// # Terminology
//
// A quad is a statement with its graph. A tuple is a quad in the order of an ordering. A source is a file of N-Quads or N-Triples.
//
// # Caveats
//
// Labels of blank nodes get a prefix for their file, so that two files never share one. Language tags are in lower case. An
// index holds at most 2,147,483,647 terms.
package quads
