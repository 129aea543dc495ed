package httpmsg

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"strconv"
	"strings"

	"github.com/awarc/awarc/engine/chunked"
)

// longestSize bounds the line with the size of a chunk, extensions included: arbitrary, real ones have ten bytes.
const longestSize = 4 << 10

// ArchivedFraming is the framing of an archived answer.
func (h *Head) ArchivedFraming() Framing {
	if f, _ := h.Framing(); f == Chunked {
		return MaybeChunks
	}
	return Whole
}

// Archived returns a reader of an archived body, which has size bytes. The archive says how long it is, not the header: tools store bodies
// decoded and keep the fields of the header, or wrote a wrong Content-Length. Chunks are joined where there are any. What follows broken
// framing, or the last chunk, is read as it is.
func Archived(body io.ReaderAt, size int64, f Framing) io.Reader {
	whole := io.NewSectionReader(body, 0, size)
	if f != MaybeChunks || !startsChunked(body, size) {
		return whole
	}
	return &archivedChunks{body: body, size: size, chunks: chunked.NewReader(bufio.NewReader(whole))}
}

// startsChunked reports whether a body begins with a chunk: with its size in a line of its own, and a line break behind so many bytes
// unless the body is cut short.
func startsChunked(body io.ReaderAt, size int64) bool {
	start := make([]byte, min(longestSize, size))
	n, _ := body.ReadAt(start, 0) // a failure comes again when the body is read
	line, _, found := bytes.Cut(start[:n], []byte("\n"))
	digits, _, _ := strings.Cut(string(line), ";")
	length, err := strconv.ParseUint(strings.Trim(digits, " \t\r"), 16, 62)
	if !found || err != nil {
		return false
	}
	behind := int64(len(line)) + 1 + int64(length)
	if length == 0 || behind >= size {
		return true
	}
	var next [1]byte
	_, err = body.ReadAt(next[:], behind)
	return err == nil && (next[0] == '\r' || next[0] == '\n')
}

// archivedChunks joins the chunks of an archived body.
type archivedChunks struct {
	body   io.ReaderAt
	size   int64
	chunks *chunked.Reader
	rest   io.Reader // what is behind them; nil while they are read
}

func (a *archivedChunks) Read(p []byte) (int, error) {
	if a.rest != nil {
		return a.rest.Read(p)
	}
	n, err := a.chunks.Read(p)
	switch {
	case err == nil || n > 0:
		return n, nil
	case errors.Is(err, chunked.ErrFraming):
		a.rest = io.NewSectionReader(a.body, a.chunks.Consumed(), a.size-a.chunks.Consumed())
	case err == io.EOF:
		a.rest = afterTrailer(io.NewSectionReader(a.body, a.chunks.Consumed(), a.size-a.chunks.Consumed()))
	default:
		return n, err
	}
	return a.rest.Read(p)
}

// afterTrailer returns what is behind the trailer of a chunked body, or all where there is none.
func afterTrailer(rest *io.SectionReader) io.Reader {
	br := bufio.NewReaderSize(rest, longestSize)
	var at int64
	for {
		line, err := br.ReadSlice('\n')
		text := bytes.TrimRight(line, "\r\n")
		switch {
		case len(text) == 0 && err == nil:
			at += int64(len(line))
			if blank(rest, at) {
				return strings.NewReader("")
			}
			return io.NewSectionReader(rest, at, rest.Size()-at)
		case len(text) == 0:
			return strings.NewReader("")
		case err != nil || !bytes.Contains(text, []byte(":")):
			return io.NewSectionReader(rest, 0, rest.Size())
		}
		at += int64(len(line))
	}
}

// blank reports whether only line breaks are left.
func blank(r *io.SectionReader, from int64) bool {
	const few = 64 // arbitrary: more are not left over from framing
	b := make([]byte, few+1)
	n, _ := r.ReadAt(b, from)
	return n <= few && len(bytes.Trim(b[:n], "\r\n")) == 0
}
