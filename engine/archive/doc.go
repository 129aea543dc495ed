// Package archive keeps what a crawl fetched: the exact bytes in WARC/1.1 files, the statements made from them in
// N-Quads files beside, and an index to find a capture by URL.
//
// # What is in a crawl directory
//
//	archive/NAME.warc.gz      WARC records, one gzip member each
//	archive/NAME-meta.warc.gz what the archive was made with, as resource records; see Writer.Describe
//	archive/index.cdxj        one line a response, revisit or resource, sorted
//	archive/.awarc/           parts of the index and temporary files
//	graph/NAME.nq.gz          the quads of the captures in NAME.warc.gz, one gzip member each, in the same order
//
// A file that is being written has ".open" after its name.
//
// # Writing
//
// A Writer takes captures from any number of goroutines. A capture is compressed in the caller's goroutine; then, under
// one lock, its records and its quads are appended, to both files or to neither: after an error both are truncated to
// where they were. Should even that fail, the Writer refuses to write. A file that would grow beyond Options.MaxSize is
// finished first: synced, renamed, and a new pair started.
//
// The caller decides when to Sync. A capture may be acknowledged, and its URL never fetched again, only after the Sync
// that follows its Write.
//
// # Copies
//
// A payload that is on disk already is not written again: the capture then begins with a revisit record, of the profile
// identical-payload-digest, with the head of the response and the place of the record that has the body. Response puts the two
// together. Options.NoRevisits switches that off.
//
// Payloads of other archives are referred to likewise: of earlier crawls (Options.Earlier), of which also whole captures can be looked up
// (Writer.Earlier), and of any index (Options.Dedupe). A capture that a server says to be unmodified (Capture.Unmodified) becomes a revisit
// of the profile server-not-modified.
//
// # After a crash
//
// Open finds the files that were left open. A capture counts as whole when all its records and its member in the graph
// file are; each graph member carries the id of its capture, by which the two files are paired. All whole captures
// are kept, those behind a damaged place included, and the files are finished. What is behind the last is cut off: had it
// been synced, it would be whole. A damaged place before that is filled with a record about the damage, since the graph and the
// crawl log name places in the file. A capture that is whole in one file only goes, too: kept, its page would count as
// archived though its objects were lost, or the reverse. Bytes that are damaged, and not just the torn end that a crash
// leaves, go to files with ".damaged" after the name. A revisit goes with its original, if that was in the same file; Captured says of
// others that they are lost.
//
// The archive has no list of acknowledged captures; Captured returns the captures that it has. Finished files are not
// read again; Faults lists the ones that are missing or have changed their size.
//
// # The index
//
// Each finished WARC file has a sorted part in archive/.awarc; archive/index.cdxj is the parts merged. A part that is
// missing is made from its file, so the index is complete after any crash and can be deleted at will. Keys and members are those of
// cdxj-indexer, which pywb reads; see Writer.Index.
//
// # Other people's files
//
// Answers reads the files of any program, Verify checks them, and Recover repairs them. They share one scanner, which keeps one buffer in
// memory for any file. The length of a record decides where its block ends, and never the framing of HTTP. Of each record it is
// known whether it is sound, unusual (read, and no error) or damaged. A finished file of a crawl is repaired in place: what is kept stays
// where the index, the graph and the crawl log say that it is. Files of a Writer are read strictly where they are resumed: what is unusual
// there is damage.
//
//	in the file                                   becomes                        is named
//	zeros, blanks, empty members between records  nothing                        unusual: OddPadding
//	0 to n line breaks after a record             nothing                        unusual: OddLineBreaks
//	several records in a compressed member        records                        unusual: OddShared
//	records across compressed members             records, all at one offset     unusual: OddShared
//	packed and unpacked records                   records                        unusual: OddMixed
//	LF for CR LF, lines without a colon           a header                       unusual: OddHeaderBreak, OddHeaderLine
//	an unknown version, in any case               a record                       unusual: OddVersion
//	no WARC-Type, WARC-Record-ID or WARC-Date     type by the block, an id, none unusual: OddMissing
//	dates of other forms                          the time, or none              unusual: OddDate
//	digests in base16, base32, base64, any case   compared                       nothing
//	digests that cannot be read                   not compared                   unusual: OddDigest
//	a payload digest alone that is wrong          the record                     unusual: OddDigest
//	status lines of any case, version, protocol   the status                     unusual: OddStatusLine
//	HTTP heads without an end, or no head         a head is made                 unusual: OddHead, OddNotHTTP
//	answers before the one that counts            the last answer                nothing
//	Content-Length and chunks that are not true   the body, as long as it is     unusual: OddLength, OddChunks
//	a second record with an id                    both, one with another id      unusual: OddDuplicate
//	revisits before their originals, elsewhere    the body, by id, place, date,  nothing; one without an original
//	                                              digest or URL, in that order   is skipped by extraction
//	revisits with a body                          an answer                      nothing
//	unknown types, invalid URLs                  nothing                        unusual: OddUnread; Bad of Answers
//	a wrong or no Content-Length                  a record up to the next        damaged, read
//	wrong digests and checksums                   the record                     damaged, read
//	a last record that is cut                     its part, WARC-Truncated       damaged, read
//	segments without the next ones               its part, WARC-Truncated       damaged, read
//	other bytes                                   nothing                        damaged
//
// Files in WACZ files are named by a path through them. ARC files, and other kinds that are known, are named with a remedy.
//
// # Terminology
//
// A capture is one HTTP exchange with what was learned from it. A record is what WARC/1.1 calls so; a capture is a group
// of them: response or revisit, request, what was made of it as resources, metadata. A member is a gzip member: the
// bytes that can be read from an offset without what is before. A segment is the pair of a WARC file and its graph file. To finish a
// segment is to give it its final name; to publish is to rename. A record is torn when the file ends within it,
// damaged when it is wrong in another way.
//
// # Caveats
//
// A capture is compressed before it is certain which file it goes to. Each record names the warcinfo record of its file, so a capture that
// comes to begin a new one is compressed again. The index line of a request with a body (awarc sends none) lacks what warcio.js
// adds for it.
package archive
