package archive

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"

	"github.com/klauspost/compress/gzip"
)

// form is how the records of a file are packed.
type form byte

const (
	formGzip form = iota
	formPlain
	formZstd
)

var (
	gzipMagic = []byte{0x1f, 0x8b, 8}

	// versionLine matches what begins a record: the version and a header field. Text in a payload
	// rarely looks like it.
	versionLine = regexp.MustCompile(`^WARC/\d+\.\d+[ \t]*\r?\n[!-9;-~]+[ \t]*:`)
)

// versionPeek is how many bytes decide whether a record begins.
const versionPeek = 128

// formOf tells the form of a file by its first bytes, and where these say nothing by its name.
func formOf(name string, r io.ReaderAt) form {
	start := make([]byte, 512)
	n, _ := r.ReadAt(start, 0) // a failure comes again when the file is read
	start = start[:n]
	switch {
	case bytes.HasPrefix(start, gzipMagic):
		return formGzip
	case isZstdFrame(start):
		return formZstd
	}
	if at := bytes.TrimLeft(bytes.TrimPrefix(start, []byte("\xef\xbb\xbf")), " \t\r\n\x00"); startsRecord(at) {
		return formPlain
	}
	if lower := strings.ToLower(name); strings.HasSuffix(lower, ".warc") {
		return formPlain
	}
	return formGzip
}

// startsRecord reports whether bytes begin as a record does, in any case.
func startsRecord(b []byte) bool {
	return len(b) >= len(versionStart) && strings.EqualFold(string(b[:len(versionStart)]), versionStart)
}

// open opens the next member, behind padding and members that hold nothing. In a file without
// compression a member is a record. It returns io.EOF where there is none.
func (s *scanner) open() error {
	s.padding = 0
	for {
		if err := s.openNext(); err != nil || s.plain || s.strict || !s.blank() {
			return err
		}
	}
}

// blank reads the zeros and line breaks with which the open member begins, and reports whether it
// has nothing else.
func (s *scanner) blank() bool {
	for {
		b, err := s.from.ReadByte()
		switch {
		case err == io.EOF:
			s.padding += s.offset() - s.start
			s.close()
			return true
		case err != nil:
			return false
		case !isPadding(b):
			s.padding += s.inner() - 1
			_ = s.from.UnreadByte() // it was read
			return false
		}
	}
}

// isPadding reports whether a byte may stand between records.
func isPadding(b byte) bool { return b == 0 || b == '\r' || b == '\n' || b == ' ' }

func (s *scanner) openNext() error {
	if err := s.pad(); err != nil {
		return err
	}
	s.start, s.base, s.records = s.offset(), 0, 0
	start, err := s.in.Peek(versionPeek)
	if len(start) == 0 {
		return err
	}
	s.plain = s.form == formPlain
	switch {
	case !s.plain && !s.strict && versionLine.Match(start):
		s.mixed, s.plain = true, true
	case s.plain && bytes.HasPrefix(start, gzipMagic):
		s.mixed, s.plain = true, false
	}
	switch {
	case s.plain:
		s.from, s.base = &lines{s.in}, s.start
		return nil
	case s.form == formZstd && !s.mixed:
		err = s.openZstd()
	default:
		err = s.openGzip()
	}
	if err == io.EOF {
		err = io.ErrUnexpectedEOF
	}
	if err == nil {
		s.from = s.record
	}
	return err
}

// openGzip opens a gzip member.
func (s *scanner) openGzip() (err error) {
	if s.gz == nil {
		s.gz, err = gzip.NewReader(s.in)
	} else {
		err = s.gz.Reset(s.in)
	}
	if err == nil {
		s.gz.Multistream(s.across)
		s.unpacked.Reset(s.gz)
	}
	return err
}

// pad skips zeros and blank lines before a member.
func (s *scanner) pad() error {
	s.mixed = false
	if s.strict {
		return nil
	}
	from := s.offset()
	if from == 0 {
		if bom, _ := s.in.Peek(3); string(bom) == "\xef\xbb\xbf" {
			_, _ = s.in.Discard(len(bom)) // it was peeked
		}
	}
	for {
		b, err := s.in.ReadByte()
		if err != nil {
			s.padding += s.offset() - from
			if err == io.EOF {
				return nil
			}
			return err
		}
		if !isPadding(b) {
			s.padding += s.offset() - 1 - from
			return s.in.UnreadByte()
		}
	}
}

// inner is the position in the open member.
func (s *scanner) inner() int64 {
	if s.plain {
		return s.offset() - s.base
	}
	return s.unpacked.n - int64(s.record.Buffered())
}

// close ends the open member.
func (s *scanner) close() { s.from = nil }

// reopen goes back to a record that was read in part, at a position from its begin.
func (s *scanner) reopen(rec *record, skip int64) error {
	records := s.records
	s.restart(rec.offset)
	if err := s.open(); err != nil {
		return err
	}
	s.records = records
	_, err := s.from.Discard64(rec.skip + skip - s.inner())
	if err == io.EOF && !s.plain && !s.across {
		s.across = true // as where the place was found
		return s.reopen(rec, skip)
	}
	return err
}

// goesOn reports whether an error means that a record goes on in the next compressed member: the open
// one has ended within it, and another follows that does not begin with a record. bgzip and others
// compress files in members that have nothing to do with records.
func (s *scanner) goesOn(err error) bool {
	if s.strict || s.plain || s.across || s.vain < 0 || s.from == nil || s.offset() >= s.size ||
		!errors.As(err, new(*misfit)) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return false
	}
	if _, err := s.from.Peek(1); err != io.EOF {
		return false
	}
	next := newScanner(s.name, s.r, s.offset(), s.size)
	next.form = s.form
	s.vain -= int64(next.in.Size())
	if next.openNext() != nil || next.plain || next.padding > 0 {
		return false
	}
	start, _ := next.from.Peek(len(versionStart))
	return len(start) > 0 && !startsRecord(start)
}

// Discard64 skips n bytes.
func (l *lines) Discard64(n int64) (int64, error) {
	return io.CopyN(io.Discard, l, n)
}

// seek reads up to what begins a record, and returns how many bytes lie before it and the last four
// of these. At the end of the member, or of the file, the error is io.EOF.
func (l *lines) seek() (n int64, tail []byte, err error) {
	skip := func(b []byte) {
		n += int64(len(b))
		tail = append(tail, b[max(0, len(b)-4):]...)
		tail = tail[max(0, len(tail)-4):]
		_, _ = l.Discard(len(b)) // it was peeked
	}
	for {
		b, err := l.Peek(versionPeek)
		if all, _ := l.Peek(l.Buffered()); len(all) > len(b) {
			b = all
		}
		switch i := bytes.Index(b, []byte(versionStart)); {
		case i > 0:
			skip(b[:i])
			continue
		case i == 0 && versionLine.Match(b):
			return n, tail, nil
		case i == 0:
			skip(b[:1])
			continue
		case err != nil:
			skip(b)
			return n, tail, err
		default:
			skip(b[:len(b)-len(versionStart)+1])
		}
	}
}

// resync goes on at the next record of the open member, if there is one.
func (s *scanner) resync() {
	n, _, err := s.from.seek()
	s.vain -= n
	s.records++ // what was there
	if err != nil {
		s.close()
	}
}

// nextStart finds the next place that looks like the start of a member; the size of the file where
// there is none.
func (s *scanner) nextStart(from int64) (int64, error) {
	start := gzipMagic
	switch s.form {
	case formPlain:
		start = []byte(versionStart)
	case formZstd:
		start = zstdMagic
	}
	const step = 64 << 10
	buf := make([]byte, step+len(start)-1)
	for ; from < s.size; from += step {
		n, err := s.r.ReadAt(buf, from)
		if err != nil && err != io.EOF {
			return 0, err
		}
		if i := bytes.Index(buf[:n], start); i >= 0 {
			return from + int64(i), nil
		}
	}
	return s.size, nil
}

// misfit is the error of a record whose Content-Length is not the length of its block.
type misfit struct{ why string }

func (m *misfit) Error() string { return m.why }

// refit finds where a record ends whose Content-Length does not say it: at the next record, or at
// the end of the member or file. It is cut where the file ends within its block.
func (s *scanner) refit(rec *record) (length int64, cut bool, err error) {
	if err := s.reopen(rec, rec.head); err != nil {
		return 0, false, err
	}
	n, tail, err := s.from.seek()
	s.vain -= n + rec.skip
	breaks := int64(len(tail) - len(bytes.TrimRight(tail, "\r\n")))
	switch {
	case err == io.EOF && s.plain && rec.declared > n-breaks && breaks < 2, s.tornBy(err):
		return n, true, nil
	case err != nil && err != io.EOF:
		return 0, false, err
	}
	return n - breaks, false, nil
}

// tornBy reports whether an error means that the file ends within a compressed member.
func (s *scanner) tornBy(err error) bool {
	return errors.Is(err, io.ErrUnexpectedEOF) && !s.plain && s.offset() == s.size
}

// errVain ends the search for records in a file that is made to cost much reading.
var errVain = errors.New("too many unreadable bytes")

// again reads a record that does not end where its Content-Length says up to where it ends.
func (s *scanner) again(rec *record, digests bool, wrong error) (*record, error) {
	if s.vain < 0 {
		return nil, fmt.Errorf("%w, and %w", wrong, errVain)
	}
	length, cut, err := s.refit(rec)
	if err != nil {
		return nil, err
	}
	fresh := &record{offset: rec.offset, skip: rec.skip, header: map[string]string{}}
	if err := s.reopen(fresh, 0); err != nil {
		return nil, err
	}
	fresh.forced, fresh.cut, fresh.declared = true, cut, length
	err = s.read(fresh, digests && !cut)
	switch {
	case err != nil:
	case cut && (length == 0 || fresh.isHTTP() && !fresh.http.complete):
		err = io.ErrUnexpectedEOF // nothing of its content is there
	case cut:
		fresh.wrong = fmt.Errorf("the file ends within the record: its block has %d bytes of %s, which were read", length,
			fresh.header["content-length"])
	case fresh.wrong == nil:
		fresh.wrong = fmt.Errorf("%w: read to its end after %d bytes", wrong, length)
	}
	return fresh, err
}

// unpackedReader counts the bytes of an open member.
type unpackedReader struct {
	r io.Reader
	n int64
	// lines of it
	to *lines
}

// Reset begins a member.
func (u *unpackedReader) Reset(r io.Reader) {
	u.r, u.n = r, 0
	u.to.Reset(u)
}

func (u *unpackedReader) Read(p []byte) (int, error) {
	n, err := u.r.Read(p)
	u.n += int64(n)
	if errors.Is(err, gzip.ErrHeader) { // behind members that are read as one; it is named when it is opened
		err = io.EOF
	}
	return n, err
}
