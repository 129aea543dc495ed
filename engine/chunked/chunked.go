// Package chunked removes the chunked transfer coding (RFC 9112, section 7.1) as browsers do: from what servers send, and
// from what archives hold of it. Lines of the framing may end in a bare LF, and the end may come right after the last chunk.
// net/http/httputil takes neither.
package chunked

import (
	"bufio"
	"bytes"
	"cmp"
	"errors"
	"io"
	"strconv"
	"strings"
)

// ErrFraming is returned where the framing is broken.
var ErrFraming = errors.New("broken chunked framing")

// Reader reads a body without its chunked framing, the trailer fields included. It ends in io.EOF after the last chunk, having
// read nothing beyond it and its trailer, in io.ErrUnexpectedEOF where the body is cut short, and in ErrFraming.
type Reader struct {
	br    *bufio.Reader
	left  int64 // bytes of the chunk that are still to come
	begun bool  // a chunk was read; its line end is next
	err   error // what ended it
	n     int64 // bytes that were read as framing and data
	good  int64 // n, without a line that ended it in ErrFraming, and without the trailer
}

// NewReader returns a Reader of the body in br, whose buffer bounds the lines of the framing.
func NewReader(br *bufio.Reader) *Reader { return &Reader{br: br} }

// Consumed returns how many bytes of the body were read as its framing and data. Where the framing is broken, the bytes behind are
// something else; where it ends, the trailer.
func (r *Reader) Consumed() int64 { return r.good }

// Read implements io.Reader.
func (r *Reader) Read(p []byte) (int, error) {
	for r.left == 0 && r.err == nil {
		r.left, r.err = r.next()
	}
	if r.err != nil {
		return 0, r.err
	}
	n, err := r.br.Read(p[:min(int64(len(p)), r.left)])
	r.left -= int64(n)
	r.n += int64(n)
	r.good = r.n
	r.begun = true
	r.err = unexpected(err)
	return n, r.err
}

// next reads up to the data of the next chunk and returns its size, or io.EOF after the last.
func (r *Reader) next() (int64, error) {
	if r.begun {
		if line, err := r.line(); err != nil || line != "" {
			return 0, cmp.Or(err, ErrFraming)
		}
		r.begun, r.good = false, r.n
	}
	line, err := r.line()
	if err != nil {
		return 0, err
	}
	digits, _, _ := strings.Cut(line, ";")
	size, err := strconv.ParseUint(strings.Trim(digits, " \t"), 16, 63)
	if err != nil {
		return 0, ErrFraming
	}
	if r.good = r.n; size > 0 {
		return int64(size), nil
	}
	// Servers that close right after the last chunk have sent all of the entity.
	if err := r.skipTrailer(); err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return 0, err
	}
	return 0, io.EOF
}

// line reads a line of the framing.
func (r *Reader) line() (string, error) {
	line, err := r.br.ReadSlice('\n')
	r.n += int64(len(line))
	if errors.Is(err, bufio.ErrBufferFull) {
		return "", ErrFraming
	}
	return string(bytes.TrimRight(line, "\r\n")), unexpected(err)
}

func (r *Reader) skipTrailer() error {
	for {
		line, err := r.br.ReadSlice('\n')
		if errors.Is(err, bufio.ErrBufferFull) {
			continue // a long field; the caller bounds them all
		}
		if err != nil {
			return err
		}
		if len(bytes.TrimRight(line, "\r\n")) == 0 {
			return nil
		}
	}
}

// unexpected is err, where the end is too early.
func unexpected(err error) error {
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}
