package archive

import "fmt"

// Oddity is a way in which a record deviates from the standard and is read all the same. Its text
// names it in reports.
type Oddity string

// The oddities that readers know. docs/extract.md lists them with an example each.
const (
	OddPadding     Oddity = "bytes between records"
	OddVersion     Oddity = "WARC version"
	OddHeaderLine  Oddity = "header line without a colon"
	OddHeaderBreak Oddity = "header lines end in LF"
	OddMissing     Oddity = "missing header field"
	OddDate        Oddity = "date"
	OddLineBreaks  Oddity = "line breaks after the record"
	OddShared      Oddity = "several records in a compressed member"
	OddMixed       Oddity = "compressed and uncompressed records"
	OddStatusLine  Oddity = "status line"
	OddHead        Oddity = "HTTP head"
	OddNotHTTP     Oddity = "response without HTTP"
	OddLength      Oddity = "HTTP Content-Length"
	OddChunks      Oddity = "chunked framing"
	OddDigest      Oddity = "digest"
	OddDuplicate   Oddity = "record ID of another record"
	OddPackage     Oddity = "WACZ"
	OddUnread      Oddity = "passed over" // sound, but of a kind that extract does not read
)

// note is an oddity of one record, in words.
type note struct {
	kind Oddity
	text string
}

// oddness is what is unusual about a record.
type oddness struct{ notes []note }

// odd notes an oddity, each kind once.
func (o *oddness) odd(kind Oddity, format string, args ...any) {
	for _, n := range o.notes {
		if n.kind == kind {
			return
		}
	}
	o.notes = append(o.notes, note{kind, fmt.Sprintf(format, args...)})
}
