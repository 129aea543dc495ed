package httpmsg

import (
	"bufio"
	"errors"
	"io"
	"net/http"
	"strconv"
	"strings"

	"golang.org/x/net/http/httpguts"

	"github.com/awarc/awarc/engine/chunked"
)

// Framing is how the end of a body is found.
type Framing uint8

const (
	None    Framing = iota // there is no body
	Length                 // Content-Length bytes
	Chunked                // the chunk of size 0
	Close                  // the end of the connection

	// Of archived answers, whose length the archive gives:
	Whole       // all of the body
	MaybeChunks // likewise, in chunks if there are any
)

// Framing follows RFC 9112, section 6.3, for the answer to a GET. Where
// Content-Length is nonsense the end of the connection decides.
func (h *Head) Framing() (Framing, int64) {
	if h.Status < 200 || h.Status == http.StatusNoContent || h.Status == http.StatusNotModified {
		return None, 0
	}
	if h.HTTP11 && len(h.Header["Transfer-Encoding"]) > 0 { // HTTP/1.0 has no such field
		if httpguts.HeaderValuesContainsToken(h.Header["Transfer-Encoding"], "chunked") {
			return Chunked, 0
		}
		return Close, 0
	}
	if len(h.Header["Content-Length"]) == 0 {
		return Close, 0
	}
	lengths := strings.Split(strings.Join(h.Header["Content-Length"], ","), ",")
	for i := range lengths {
		if lengths[i] = strings.TrimSpace(lengths[i]); lengths[i] != lengths[0] {
			return Close, 0
		}
	}
	n, err := strconv.ParseUint(lengths[0], 10, 63)
	if err != nil {
		return Close, 0
	}
	return Length, int64(n)
}

// Entity returns a reader of the body in br without its framing. It ends in io.EOF at the end
// of the message, having read nothing beyond it, and in another error when the message is cut short.
func Entity(br *bufio.Reader, f Framing, length int64) io.Reader {
	switch f {
	case Length:
		return &exactly{br, length}
	case Chunked:
		return chunked.NewReader(br)
	case Close:
		return br
	}
	return strings.NewReader("")
}

// exactly reads n bytes; fewer are an error.
type exactly struct {
	r io.Reader
	n int64
}

func (e *exactly) Read(p []byte) (int, error) {
	if e.n == 0 {
		return 0, io.EOF
	}
	n, err := e.r.Read(p[:min(int64(len(p)), e.n)])
	e.n -= int64(n)
	if errors.Is(err, io.EOF) && e.n > 0 {
		err = io.ErrUnexpectedEOF
	}
	return n, err
}
