package archive

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/klauspost/compress/flate"
	"github.com/klauspost/compress/gzip"
)

// versionStart is how a record starts.
const versionStart = "WARC/"

// maxHead is how long, in bytes, the header of a record or the head of an HTTP message may be.
const maxHead = 1 << 20

var errLong = errors.New("line too long")

// BadRecord tells where a file is not a sound WARC file.
type BadRecord struct {
	File   string
	Offset int64 // of the gzip member, in the compressed file
	Reason string
	// Type, ID (without angle brackets) and URL are what its header says, as far as that can be read.
	Type, ID, URL string
	err           error
}

// Error names the file, the offset, the record and what is wrong there.
func (e *BadRecord) Error() string {
	return fmt.Sprintf("archive: %s: %s: %s", e.File, e.Place(), e.Reason)
}

// Place names the offset and the record.
func (e *BadRecord) Place() string {
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

// record is what scanning a member yields.
type record struct {
	offset, length int64 // of the member in the compressed file
	header         map[string]string
	http           httpHead
	unchecked      bool  // has a digest of an unknown algorithm
	wrong          error // a digest that is not that of what is there
}

func (r *record) typ() string { return strings.ToLower(r.header["warc-type"]) }
func (r *record) id() string  { return strings.Trim(r.header["warc-record-id"], "<>") }
func (r *record) uri() string { return strings.Trim(r.header["warc-target-uri"], "<>") }
func (r *record) concurrentTo() string {
	return strings.Trim(r.header["warc-concurrent-to"], "<>")
}

func (r *record) payloadDigest() string { return normalDigest(r.header["warc-payload-digest"]) }

func (r *record) refersTo() string { return strings.Trim(r.header["warc-refers-to"], "<>") }

// scanner walks the gzip members of a file. It keeps one buffer, whatever the file holds.
type scanner struct {
	name  string
	src   *counted
	in    *bufio.Reader
	gz    *gzip.Reader
	plain bool                                      // the file is not compressed
	keep  func(rec *record, length int64) io.Writer // takes the block of a record; nil, or one that returns nil, takes none
	// Readers of the record and of its block, kept for their buffers.
	record, block *lines
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
	s := &scanner{name: name, in: bufio.NewReaderSize(nil, 64<<10), record: newLines(nil), block: newLines(nil)}
	start := make([]byte, len(versionStart))
	n, _ := r.ReadAt(start, 0) // what fails here fails again in next
	s.plain = string(start[:n]) == versionStart
	s.restart(r, from, size)
	return s
}

// restart goes on at another place.
func (s *scanner) restart(r io.ReaderAt, from, size int64) {
	s.src = &counted{r: io.NewSectionReader(r, from, size-from), n: from}
	s.in.Reset(s.src)
}

// offset is where the next member starts.
func (s *scanner) offset() int64 { return s.src.n - int64(s.in.Buffered()) }

// member opens the next member; io.EOF when there is none. In a file without compression there is nothing to open.
func (s *scanner) member() error {
	_, err := s.in.Peek(1)
	if err != nil || s.plain {
		return err
	}
	if s.gz == nil {
		s.gz, err = gzip.NewReader(s.in)
	} else {
		err = s.gz.Reset(s.in)
	}
	if err == io.EOF {
		err = io.ErrUnexpectedEOF
	}
	if err == nil {
		s.gz.Multistream(false)
	}
	return err
}

// next reads one record. It returns io.EOF after the last, and a *BadRecord when what follows is not a whole gzip member
// with exactly one well-formed record in it, or such a record without compression. With digests, it says in the record whether one
// is wrong.
func (s *scanner) next(digests bool) (*record, error) {
	rec := &record{offset: s.offset(), header: map[string]string{}}
	err := s.member()
	if err == io.EOF {
		return nil, io.EOF
	}
	if err == nil {
		err = s.read(rec, digests)
	}
	rec.length = s.offset() - rec.offset
	if err != nil {
		return nil, rec.bad(s.name, err)
	}
	return rec, nil
}

// bad says what is wrong with a record, and which it is, as far as its header was read.
func (r *record) bad(file string, err error) *BadRecord {
	return &BadRecord{File: file, Offset: r.offset, Reason: reason(err), Type: r.typ(), ID: r.id(), URL: r.uri(), err: err}
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
	case errors.As(err, new(flate.CorruptInputError)):
		return "damaged, it does not unpack"
	}
	return err.Error()
}

// read reads the record of the open member and the end of the member.
func (s *scanner) read(rec *record, digests bool) error {
	in := s.record
	if s.plain {
		in = &lines{s.in}
	} else {
		in.Reset(s.gz)
	}
	length, err := readHeader(in, rec.header)
	if err != nil {
		return err
	}
	block := &io.LimitedReader{R: in, N: length}
	from := io.Reader(block)
	if s.keep != nil {
		if kept := s.keep(rec, length); kept != nil {
			from = io.TeeReader(block, kept)
		}
	}
	if err := rec.readBlock(from, s.block, digests); err != nil {
		return err
	}
	if block.N > 0 {
		return fmt.Errorf("block of %d bytes, but Content-Length is %d", length-block.N, length)
	}
	var end [4]byte
	if _, err := io.ReadFull(in, end[:]); err != nil {
		return unexpected(err)
	}
	if string(end[:]) != "\r\n\r\n" {
		return errors.New("no two line breaks after the block: Content-Length is wrong")
	}
	if s.plain {
		return nil
	}
	switch _, err := in.ReadByte(); err { // the end of the member, where its checksum is tested
	case nil:
		return errors.New("more than one record in the gzip member, so that replay cannot go to each: gunzip the file, which is read as " +
			"it is, or use warcio recompress")
	case io.EOF:
		return nil
	default:
		return err
	}
}

// readHeader reads the version line and the named fields into header, names in lower case, and returns Content-Length.
func readHeader(in *lines, header map[string]string) (int64, error) {
	room := maxHead
	first, err := in.line(room)
	if err != nil {
		return 0, unexpected(err)
	}
	if !bytes.HasPrefix(first, []byte(versionStart)) {
		return 0, fmt.Errorf("starts with %.20q, not with a WARC version", first)
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
			header[name] += " " + strings.TrimSpace(text)
			continue
		}
		n, value, ok := strings.Cut(text, ":")
		if !ok {
			return 0, fmt.Errorf("header line %.60q has no colon", text)
		}
		name = strings.ToLower(strings.TrimSpace(n))
		header[name] = strings.TrimSpace(value)
	}
	for _, name := range []string{"warc-type", "warc-record-id", "warc-date", "content-length"} {
		if header[name] == "" {
			return 0, fmt.Errorf("no %s", name)
		}
	}
	length, err := strconv.ParseUint(header["content-length"], 10, 63)
	if err != nil {
		return 0, fmt.Errorf("content-length %q is not a length", header["content-length"])
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
	typ := r.typ()
	isHTTP := typ == "response" || typ == "request" || typ == "revisit"
	var whole, payload *labelled
	if digests {
		whole = parseDigest(r.header["warc-block-digest"])
		payload = parseDigest(r.header["warc-payload-digest"])
		r.unchecked = whole == nil && r.header["warc-block-digest"] != "" || payload == nil && r.header["warc-payload-digest"] != ""
	}
	if typ == "revisit" || r.header["warc-segment-number"] != "" {
		payload = nil // is of a payload that is not here
	}
	if whole != nil {
		block = io.TeeReader(block, whole)
	}
	in.Reset(block)
	if isHTTP {
		head, err := readHTTPHead(in)
		if err != nil {
			return err
		}
		r.http = head
		if !head.complete && r.header["warc-payload-digest"] == r.header["warc-block-digest"] {
			payload = nil // no head, so all is payload: the same digest, compared once
		}
	}
	raw, plain := io.Writer(io.Discard), io.Writer(io.Discard)
	var chunked *labelled
	if payload != nil {
		plain = payload
		if isHTTP && r.http.chunked {
			// The specification means the entity without chunk framing; many writers hash what followed the head.
			chunked = parseDigest(r.header["warc-payload-digest"])
			raw = chunked
		}
	}
	if err := entity(in, isHTTP && r.http.chunked, raw, plain); err != nil {
		return err
	}
	if whole != nil && !whole.matches() {
		r.wrong = whole.mismatch("block")
	} else if payload != nil && !payload.matches() && (chunked == nil || !chunked.matches()) {
		r.wrong = payload.mismatch("payload")
	}
	return nil
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
