// Package archive stores the captures of a crawl: the exact bytes in WARC/1.1 files, the statements
// extracted from them in N-Quads files beside, and an index that finds a capture by URL.
//
// # Layout of a crawl directory
//
//	archive/NAME.warc.gz      WARC records, one gzip member each
//	archive/NAME-meta.warc.gz resource records about the tools and settings; see Writer.Describe
//	archive/index.cdxj        one line per response, revisit or resource, sorted
//	archive/.awarc/           parts of the index and temporary files
//	graph/NAME.nq.gz          the quads of the captures in NAME.warc.gz, one gzip member each, in the same order
//
// The name of a file that is being written ends in ".open".
//
// # Writing
//
// A Writer accepts captures from any number of goroutines. It compresses a capture in the caller's
// goroutine. Then, under one lock, it appends the records and the quads to both files or to
// neither: after an error it truncates both files to their previous size. If that fails too, the
// Writer refuses further writes. When a file would grow beyond Options.MaxSize, the Writer first
// syncs and renames it, and starts a new pair of files.
//
// The caller decides when to Sync. It may acknowledge a capture, and never fetch its URL again,
// only after the Sync that follows the Write.
//
// # Duplicates
//
// The Writer does not store a payload twice. It stores a revisit record instead, with the profile
// identical-payload-digest, the head of the response and a reference to the record with the body.
// Response joins the two. Options.NoRevisits disables revisit records.
//
// Revisit records may refer to other archives: earlier crawls (Options.Earlier) and any index
// (Options.Dedupe). Writer.Earlier looks up whole captures of earlier crawls. A capture that the
// server reports as unmodified (Capture.Unmodified) becomes a revisit record with the profile
// server-not-modified.
//
// # After a crash
//
// Open finishes the files that a crash left open. It keeps all complete captures, including
// captures behind a damaged region. A capture is complete when all its records and its member in
// the graph file are readable. Each graph member carries the id of its capture, which pairs the two
// files.
//
//   - Open cuts off the bytes after the last complete capture: synced captures are complete.
//   - It fills an earlier damaged region with a record about the damage, because the graph and the
//     crawl log refer to offsets in the file.
//   - It drops a capture that is complete in one file only. Otherwise its page would count as
//     archived without its objects, or the reverse.
//   - It moves damaged bytes, except the torn end that a crash leaves, to files whose names end in
//     ".damaged".
//   - It drops a revisit together with its original if both were in the same file. Captured reports
//     other revisits of lost originals as lost.
//
// The archive stores no list of acknowledged captures; Captured returns the captures that exist.
// Open does not read finished files again; Faults lists finished files that are missing or have
// changed their size.
//
// # The index
//
// Each finished WARC file has a sorted part of the index in archive/.awarc; archive/index.cdxj
// merges the parts. Open rebuilds a missing part from its file, so the index is complete after any
// crash and may be deleted at any time. Keys and members follow cdxj-indexer, which pywb reads; see
// Writer.Index.
//
// # WARC files of other programs
//
// Answers reads the files of any program, Verify checks them, and Recover repairs them. They share
// one scanner, which needs one buffer in memory for a file of any size. The length of a record
// decides where its block ends; the framing of HTTP never does. The scanner classifies each record
// as sound, unusual (readable and not an error) or damaged. Recover repairs a finished file of a
// crawl in place: the offsets in the index, the graph and the crawl log stay valid. Files of a
// Writer are read strictly on resumption: unusual records count as damaged.
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
// A path through a WACZ file names a file inside it. Errors for ARC files and other known formats
// name the format and a remedy.
//
// # Terminology
//
//   - A capture is one HTTP exchange with the data extracted from it. It is a group of records:
//     response or revisit, request, derived resources, metadata.
//   - A record is a record of WARC/1.1.
//   - A member is a gzip member: it can be read from its offset without the bytes before it.
//   - A segment is the pair of a WARC file and its graph file. Finishing a segment gives both files
//     their final names; publishing is the renaming.
//   - A record is torn when the file ends within it, and damaged when it is wrong in another way.
//
// # Caveats
//
// A capture is compressed before its file is certain. Each record names the warcinfo record of its
// file, so the first capture of a new file is compressed twice. awarc sends no requests with a
// body: the index lines of such requests lack the fields that warcio.js adds.
package archive
