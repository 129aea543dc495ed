package archive

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"regexp"
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
		return "damaged, cannot be unpacked"
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
		return &misfit{fmt.Sprintf("Content-Length is %d, but the file has only %d more bytes", length, left)}
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
		rec.odd(OddMixed, "compressed differently from the first record of the file")
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
			rec.odd(OddLineBreaks, "%q after the block instead of two line breaks", breaks)
		}
		if rec.shared {
			rec.odd(OddShared, "more than one record in a compressed member, so replay cannot seek to each: run warcio recompress")
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
		rec.odd(OddVersion, "unknown WARC version %.20q", version)
	}
	if !bytes.HasSuffix(first, []byte("\r\n")) {
		rec.odd(OddHeaderBreak, "its header lines end in LF, not in CR LF")
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

func unexpected(err error) error {
	if err == io.EOF {
		return io.ErrUnexpectedEOF
	}
	return err
}

// plainStatusLine is what RFC 9112 has, and HTTP/1.0 had.
var plainStatusLine = regexp.MustCompile(`^HTTP/1\.[01] [1-9]\d\d( |$)`)

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
