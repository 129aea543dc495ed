package archive

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"

	"github.com/klauspost/compress/flate"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

// versionStart is how a record starts.
const versionStart = "WARC/"

// maxHead is how long, in bytes, the header of a record or the head of an HTTP message may be.
const maxHead = 1 << 20

var errLong = errors.New("line too long")

// BadRecord is a place in a WARC file that is damaged or unusual.
type BadRecord struct {
	File   string
	Offset int64 // of the gzip member, in the compressed file
	Reason string
	// Type, ID (without angle brackets) and URL are what its header says, as far as that can be read.
	Type, ID, URL string
	Member        string // of a WACZ file: the file in it
	Kind          Oddity // what is unusual; "" where it is damaged
	Read          bool   // it is damaged, and was read all the same
	err           error
}

// Error names the file, the offset, the record and what is wrong there.
func (e *BadRecord) Error() string {
	return fmt.Sprintf("archive: %s: %s: %s", e.File, e.Place(), e.Reason)
}

// Place names the offset and the record.
func (e *BadRecord) Place() string {
	if e.Member != "" {
		return "file " + e.Member
	}
	place := fmt.Sprintf("record at byte %d", e.Offset)
	for _, s := range []string{e.Type, e.ID, e.URL} {
		if s != "" {
			place += ", " + s
		}
	}
	return place
}

// Unwrap returns the cause: of reading the disk, of gzip, or none that says more than Reason.
func (e *BadRecord) Unwrap() error { return e.err }

// record is what scanning yields.
type record struct {
	offset, length int64 // of its member in the file; without compression, of the record itself
	skip, size     int64 // of the record in the unpacked member
	head           int64 // bytes of its header
	declared       int64 // its Content-Length, or what was found where forced
	forced         bool
	cut            bool // the file ends within it
	shared         bool // others are in the same compressed member
	header         map[string]string
	http           httpHead
	unchecked      bool  // has a digest of an unknown algorithm
	wrong          error // why it is damaged, though it was read
	oddness
}

func (r *record) typ() string { return strings.ToLower(r.header["warc-type"]) }
func (r *record) id() string  { return strings.Trim(r.header["warc-record-id"], "<> ") }
func (r *record) uri() string { return strings.Trim(r.header["warc-target-uri"], "<> ") }
func (r *record) concurrentTo() string {
	return strings.Trim(r.header["warc-concurrent-to"], "<> ")
}

func (r *record) payloadDigest() string { return normalDigest(r.header["warc-payload-digest"]) }

func (r *record) refersTo() string { return strings.Trim(r.header["warc-refers-to"], "<> ") }

// scanner walks the records of a file. It keeps one buffer, whatever the file holds.
type scanner struct {
	name string
	r    io.ReaderAt
	size int64
	form form
	src  *counted
	in   *bufio.Reader
	// strict makes an error of what is unusual in the form of a file: in those of a Writer it is damage.
	strict bool
	// keep takes the block of a record, and begins anew when it is called again for the record; nil, or one that returns nil, takes none.
	keep func(rec *record, length int64) io.Writer
	vain int64 // bytes that may still be read for nothing
	// across says that records go on in the next compressed member: all members from here on are read as one.
	across bool

	opened

	gz       *gzip.Reader
	zst      *zstd.Decoder
	unpacked unpackedReader
	// Readers of the records and of a block, kept for their buffers.
	record, block *lines
}

// opened is the member that is open, or the record without compression.
type opened struct {
	from    *lines // nil: none is
	plain   bool
	start   int64
	base    int64 // where a record without compression starts
	records int   // that were read of it
	padding int64 // bytes before it
	mixed   bool  // it is not of the form of the file
}

// counted counts what was read.
type counted struct {
	r io.Reader
	n int64
}

func (c *counted) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	c.n += int64(n)
	return n, err
}

func newScanner(name string, r io.ReaderAt, from, size int64) *scanner {
	s := &scanner{name: name, r: r, size: size, form: formOf(name, r), vain: 16*size + 64<<20,
		in: bufio.NewReaderSize(nil, 64<<10), record: newLines(nil), block: newLines(nil)}
	s.unpacked.to = s.record
	s.restart(from)
	return s
}

// restart goes on at another place.
func (s *scanner) restart(from int64) {
	s.src = &counted{r: io.NewSectionReader(s.r, from, s.size-from), n: from}
	s.in.Reset(s.src)
	s.close()
}

// offset is where the next member starts, if none is open.
func (s *scanner) offset() int64 { return s.src.n - int64(s.in.Buffered()) }

// next reads one record. It returns io.EOF after the last, and a *BadRecord when what follows cannot be read. What is unusual about a
// record, or wrong though it can be read, is in the record; with digests, also that one is wrong.
func (s *scanner) next(digests bool) (*record, error) {
	rec := &record{offset: s.offset(), header: map[string]string{}}
	var err error
	if s.from == nil {
		if err = s.open(); err == io.EOF {
			return nil, io.EOF
		}
	}
	if err == nil {
		rec.offset, rec.skip = s.start, s.inner()
		err = s.read(rec, digests)
	} else {
		rec.offset = s.start
	}
	if err != nil && s.goesOn(err) {
		s.across = true
		rec = &record{offset: rec.offset, skip: rec.skip, header: map[string]string{}}
		if err = s.reopen(rec, 0); err == nil {
			err = s.read(rec, digests)
		}
	}
	var wrong *misfit
	if !s.strict && (errors.As(err, &wrong) || s.tornBy(err) && rec.head > 0) {
		var fresh *record
		if fresh, err = s.again(rec, digests, err); err == nil {
			rec = fresh
		}
	}
	if err == nil {
		rec.length = s.offset() - rec.offset
		return rec, nil
	}
	bad := rec.bad(s.name, err)
	if s.from != nil && !s.plain && !s.strict {
		s.resync()
	} else {
		s.close()
	}
	return nil, bad
}

// bad says what is wrong with a record, and which it is, as far as its header was read.
func (r *record) bad(file string, err error) *BadRecord {
	return &BadRecord{File: file, Offset: r.offset, Reason: reason(err), Type: r.typ(), ID: r.id(), URL: r.uri(), err: err}
}

// unusual says what is odd about a record.
func (r *record) unusual(file string, n note) *BadRecord {
	return &BadRecord{File: file, Offset: r.offset, Reason: string(n.kind) + ": " + n.text, Type: r.typ(), ID: r.id(), URL: r.uri(),
		Kind: n.kind, Read: n.kind != OddUnread}
}

// isRecord reports whether its header could be read.
func (e *BadRecord) isRecord() bool { return e.ID != "" }

// reason puts the terse errors of gzip into words.
func reason(err error) string {
	switch {
	case errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF):
		return "cut short"
	case errors.Is(err, gzip.ErrHeader):
		return "not a gzip member"
	case errors.Is(err, gzip.ErrChecksum):
		return "wrong gzip checksum"
	case errors.Is(err, zstd.ErrCRCMismatch):
		return "wrong zstd checksum"
	case errors.As(err, new(flate.CorruptInputError)):
		return "damaged, it does not unpack"
	}
	return err.Error()
}

// read reads a record of the open member.
func (s *scanner) read(rec *record, digests bool) error {
	in := s.from
	from := s.inner()
	length, err := s.readHeader(in, rec)
	if err != nil {
		return err
	}
	rec.head = s.inner() - from
	s.about(rec)
	if rec.forced {
		length = rec.declared
	}
	rec.declared = length
	if rec.cut && rec.header["warc-truncated"] == "" {
		rec.header["warc-truncated"] = "unspecified"
	}
	switch left := s.size - s.offset(); {
	case length < 0:
		return &misfit{fmt.Sprintf("content-length %q is not a length", rec.header["content-length"])}
	case s.plain && length > left && s.strict:
		return io.ErrUnexpectedEOF
	case s.plain && length > left:
		return &misfit{fmt.Sprintf("Content-Length is %d, and %d bytes are left of the file", length, left)}
	}
	block := &io.LimitedReader{R: in, N: length}
	read := io.Reader(block)
	if s.keep != nil {
		if kept := s.keep(rec, length); kept != nil {
			read = io.TeeReader(block, kept)
		}
	}
	if err := rec.readBlock(read, s.block, digests); err != nil {
		return err
	}
	if block.N > 0 {
		s.vain -= length - block.N
		return &misfit{fmt.Sprintf("block of %d bytes, but Content-Length is %d", length-block.N, length)}
	}
	if s.strict {
		err = s.strictEnd()
	} else {
		err = s.readEnd(rec)
	}
	rec.size = s.inner() - from
	if s.plain {
		rec.size = s.offset() - rec.offset
		s.close()
	}
	return err
}

// about notes what is unusual about the member of a record.
func (s *scanner) about(rec *record) {
	if s.padding > 0 && s.records == 0 {
		rec.odd(OddPadding, "%d bytes of zeros or blanks before it", s.padding)
	}
	if s.mixed {
		rec.odd(OddMixed, "packed in another way than the first record of the file")
	}
	if s.records++; s.records > 1 {
		rec.shared = true
	}
}

// mostBreaks is how many bytes of line breaks are looked at to name them.
const mostBreaks = 16

// readEnd reads the line breaks after a block, up to the next record or the end of the member or file.
func (s *scanner) readEnd(rec *record) error {
	var breaks []byte
	for {
		b, err := s.from.ReadByte()
		switch {
		case err == io.EOF:
			s.close()
		case !s.plain && (errors.Is(err, gzip.ErrChecksum) || errors.Is(err, zstd.ErrCRCMismatch) || errors.Is(err, io.ErrUnexpectedEOF)):
			s.close()
			rec.wrong = fmt.Errorf("the compressed member is damaged: %s", reason(err))
		case err != nil:
			return err
		case b == '\r' || b == '\n' || b == 0:
			if len(breaks) < mostBreaks {
				breaks = append(breaks, b)
			}
			continue
		default:
			_ = s.from.UnreadByte() // it was read
			next, _ := s.from.Peek(len(versionStart))
			if !startsRecord(next) && (!s.plain || !bytes.HasPrefix(next, gzipMagic)) {
				s.vain -= rec.declared
				return &misfit{fmt.Sprintf("no line break and no record after the block: Content-Length %d is wrong", rec.declared)}
			}
			rec.shared = rec.shared || !s.plain
		}
		if string(breaks) != "\r\n\r\n" && !rec.cut {
			rec.odd(OddLineBreaks, "%q after the block, and not two line breaks", breaks)
		}
		if rec.shared {
			rec.odd(OddShared, "more than one record in the compressed member, so that replay cannot go to each: use warcio recompress")
		}
		return nil
	}
}

// strictEnd reads the two line breaks after a block, and the end of the member with its checksum.
func (s *scanner) strictEnd() error {
	var end [4]byte
	if _, err := io.ReadFull(s.from, end[:]); err != nil {
		return unexpected(err)
	}
	if string(end[:]) != "\r\n\r\n" {
		return errors.New("no two line breaks after the block: Content-Length is wrong")
	}
	if s.plain {
		return nil
	}
	defer s.close()
	switch _, err := s.from.ReadByte(); err {
	case nil:
		return errors.New("more than one record in the gzip member")
	case io.EOF:
		return nil
	default:
		return err
	}
}

// knownVersions are those whose records are alike.
var knownVersions = regexp.MustCompile(`^WARC/(0\.1[678]|1\.[01])$`)

// readHeader reads the version line and the named fields into the header, names in lower case, and returns Content-Length; -1 where there
// is none.
func (s *scanner) readHeader(in *lines, rec *record) (int64, error) {
	room := maxHead
	first, err := in.line(room)
	if err != nil {
		return 0, unexpected(err)
	}
	if !startsRecord(first) {
		return 0, fmt.Errorf("starts with %.20q, not with a WARC version", first)
	}
	version := strings.TrimSpace(string(first))
	if !knownVersions.MatchString(version) {
		rec.odd(OddVersion, "%.20q is not a version of WARC", version)
	}
	if !bytes.HasSuffix(first, []byte("\r\n")) {
		rec.odd(OddHeaderBreak, "lines of its header end in LF, and not in CR LF")
	}
	for name := ""; ; {
		b, err := in.line(room)
		room -= len(b)
		if err != nil {
			return 0, unexpected(err)
		}
		text := strings.TrimRight(string(b), "\r\n")
		if text == "" {
			break
		}
		if text[0] == ' ' || text[0] == '\t' {
			rec.header[name] += " " + strings.TrimSpace(text)
			continue
		}
		n, value, ok := strings.Cut(text, ":")
		if !ok {
			rec.odd(OddHeaderLine, "header line %.60q has no colon", text)
			continue
		}
		name = strings.ToLower(strings.TrimSpace(n))
		rec.header[name] = strings.TrimSpace(value)
	}
	return rec.checkHeader()
}

// checkHeader notes what a header lacks. It is an error where it says nothing that records say.
func (r *record) checkHeader() (int64, error) {
	there := 0
	for _, name := range []string{"warc-type", "warc-record-id", "warc-date"} {
		if r.header[name] == "" {
			r.odd(OddMissing, "no %s", name)
			continue
		}
		there++
	}
	if there == 0 && r.header["warc-target-uri"] == "" {
		return 0, errors.New("no warc-type, warc-record-id, warc-date or warc-target-uri: not the header of a record")
	}
	r.checkDate()
	length, err := strconv.ParseUint(r.header["content-length"], 10, 62)
	if err != nil {
		return -1, nil
	}
	return int64(length), nil
}

func unexpected(err error) error {
	if err == io.EOF {
		return io.ErrUnexpectedEOF
	}
	return err
}

// readBlock reads the block of a record through in, and with digests compares them.
func (r *record) readBlock(block io.Reader, in *lines, digests bool) error {
	var whole, payload, framed *labelled
	if digests {
		whole, payload = r.digest("warc-block-digest"), r.digest("warc-payload-digest")
	}
	hashed := &hashing{in: block, to: whole}
	in.Reset(hashed)
	typ := r.typ()
	if typ == "" {
		typ = r.guessType(in)
	}
	isHTTP := r.isHTTP()
	if typ == "revisit" || r.header["warc-segment-number"] != "" {
		payload = nil // is of a payload that is not here
	}
	if isHTTP {
		head, err := readHTTPHead(in)
		if err != nil {
			return err
		}
		r.http = head
		if (!head.complete || r.holdsFile()) && r.header["warc-payload-digest"] == r.header["warc-block-digest"] {
			payload = nil // all is payload: the same digest, compared once
		}
	}
	raw, plain := io.Writer(io.Discard), io.Writer(io.Discard)
	if payload != nil {
		plain = payload
		if isHTTP && r.http.chunked {
			// The specification means the entity without chunk framing; many writers hash what followed the head.
			framed = parseDigest(r.header["warc-payload-digest"])
			raw = framed
		}
	}
	malformed, err := entity(in, isHTTP && r.http.chunked, raw, plain)
	if err != nil {
		return err
	}
	if typ == "response" && isHTTP {
		r.checkHTTP(malformed, hashed.n)
	}
	r.compare(whole, payload, framed)
	return nil
}

// digest returns the digest in a header field, nil where there is none that can be compared.
func (r *record) digest(field string) *labelled {
	text := r.header[field]
	d := parseDigest(text)
	if d != nil || text == "" {
		return d
	}
	if algorithm, _, _ := strings.Cut(unquoted(text), ":"); digestHashes[algorithmOf(algorithm)] == nil {
		r.unchecked = true
	} else {
		r.odd(OddDigest, "%s %.90q cannot be read, and was not compared", field, text)
	}
	return nil
}

// isHTTP reports whether the block of a record should be a message of HTTP.
func (r *record) isHTTP() bool {
	switch r.typ() {
	case "response", "request", "revisit":
		return true
	}
	return r.holdsFile() && strings.HasPrefix(strings.ToLower(r.header["content-type"]), "application/http")
}

// holdsFile reports whether the block of a record is the content of its URL, without a head.
func (r *record) holdsFile() bool { return r.typ() == "resource" || r.typ() == "conversion" }

// foreignRevisit reports whether a record is a revisit as other programs write it, without the place of its original.
func (r *record) foreignRevisit() bool {
	_, own := r.namedPlace()
	return r.typ() == "revisit" && !own
}

// compare compares the digests of a record that was read. Where that of the block is right, the bytes are.
func (r *record) compare(whole, payload, framed *labelled) {
	switch {
	case whole != nil && !whole.matches() && r.foreignRevisit():
		r.odd(OddDigest, "that of the block, %.90s, is not of the head that a revisit has; GNU wget gives that of the whole response",
			whole.want)
	case whole != nil && !whole.matches():
		r.wrong = whole.mismatch("block")
	case payload == nil || payload.matches() || framed != nil && framed.matches():
	case whole != nil:
		r.odd(OddDigest, "the payload has the digest %s:%x, not %.90s as its header says; the block has the digest that it should have",
			payload.algorithm, payload.Sum(nil), payload.want)
	default:
		r.wrong = payload.mismatch("payload")
	}
}

// hashing reads a block, and hashes and counts it.
type hashing struct {
	in io.Reader
	to *labelled // nil for none
	n  int64
}

func (h *hashing) Read(p []byte) (int, error) {
	n, err := h.in.Read(p)
	h.n += int64(n)
	if h.to != nil {
		_, _ = h.to.Write(p[:n]) // a hash never fails
	}
	return n, err
}

// guessType gives a record without WARC-Type the one that its block and its other fields suggest.
func (r *record) guessType(in *lines) string {
	start, _ := in.Peek(len("HTTP/"))
	contentType := strings.ToLower(r.header["content-type"])
	typ := "resource"
	switch {
	case strings.EqualFold(string(start), "HTTP/"):
		typ = "response"
	case strings.HasPrefix(contentType, "application/http"):
		typ = "request"
	case strings.HasPrefix(contentType, "application/warc-fields"):
		typ = "metadata"
	}
	r.header["warc-type"] = typ
	return typ
}

// plainStatusLine is what RFC 9112 has, and HTTP/1.0 had.
var plainStatusLine = regexp.MustCompile(`^HTTP/1\.[01] [1-9]\d\d( |$)`)

// checkHTTP notes what is unusual about the message of a response record with so many bytes.
func (r *record) checkHTTP(malformed bool, size int64) {
	h := &r.http
	if scheme, _, _ := strings.Cut(strings.ToLower(r.uri()), ":"); scheme != "http" && scheme != "https" {
		return
	}
	if code := h.otherStatus(); code != "" {
		r.odd(OddStatusLine, "%.60q; it is read as status %s", h.line, code)
		return
	}
	if !h.http {
		r.odd(OddNotHTTP, "the block begins with %.40q; it is read as the content of the URL", h.line)
		return
	}
	if h.code == 0 {
		return // see unread
	}
	if !plainStatusLine.MatchString(h.line) {
		r.odd(OddStatusLine, "%.60q; it is read as status %d", h.line, h.code)
	}
	if !h.complete {
		r.odd(OddHead, "it has no empty line at its end")
	}
	if malformed {
		r.odd(OddChunks, "the body is not, or not only, the chunks that its head declares; it is read as long as the record is")
	}
	lengths := h.fields["Content-Length"]
	if len(lengths) == 0 || h.chunked || r.header["warc-truncated"] != "" || r.header["warc-segment-number"] != "" {
		return
	}
	if body := size - h.size; lengths[0] != strconv.FormatInt(body, 10) && body > 0 {
		r.odd(OddLength, "it is %.20s, and the record has %d bytes of body, which are read", lengths[0], body)
	}
}

// lines reads lines of bounded length.
type lines struct {
	*bufio.Reader
}

func newLines(r io.Reader) *lines { return &lines{bufio.NewReaderSize(r, 16<<10)} }

// line returns the next line with its line break, or what is left together with io.EOF, or errLong when it does not end
// within most bytes.
func (l *lines) line(most int) ([]byte, error) {
	var line []byte
	for {
		part, err := l.ReadSlice('\n')
		line = append(line, part...)
		if len(line) > most {
			return line, errLong
		}
		if err != bufio.ErrBufferFull {
			return line, err
		}
	}
}
