package fetch

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/textproto"
	"strconv"
	"strings"
	"time"

	"golang.org/x/net/http/httpguts"

	"github.com/awarc/awarc/engine/chunked"
)

const (
	// maxHeader bounds the header of an answer, interim answers included, in bytes.
	maxHeader = 256 << 10
	// maxInterim bounds the number of 1xx answers before the final one.
	maxInterim = 16
)

var (
	errHeaderTooLong = fmt.Errorf("header of more than %d bytes", maxHeader)
	errBodyTooLong   = errors.New("body longer than MaxBody")
	errNotHTTP       = errors.New("the answer is not HTTP/1")
	errInterim       = fmt.Errorf("more than %d interim answers", maxInterim)
)

// tap is the reading side of a connection. During an exchange it records what it reads and
// sets the deadline of each read; between exchanges (spool nil) it only reads.
type tap struct {
	conn     net.Conn
	spool    *spool
	n        int64         // bytes recorded in this exchange
	inBody   bool          // the header is complete
	headerBy time.Time     // deadline of the header
	end      time.Time     // deadline of the exchange
	silence  time.Duration // longest wait for the next byte of the body
}

func (t *tap) Read(p []byte) (int, error) {
	if t.spool == nil {
		return t.conn.Read(p)
	}
	deadline := t.headerBy
	if t.inBody {
		deadline = time.Now().Add(t.silence)
	} else {
		if t.n >= maxHeader {
			return 0, errHeaderTooLong
		}
		p = p[:min(int64(len(p)), maxHeader-t.n)]
	}
	if deadline.After(t.end) {
		deadline = t.end
	}
	if err := t.conn.SetReadDeadline(deadline); err != nil {
		return 0, err
	}
	n, err := t.conn.Read(p)
	t.n += int64(n)
	if _, werr := t.spool.Write(p[:n]); werr != nil {
		return 0, werr // with n the reader would hand on the bytes and might never come back for the error
	}
	return n, err
}

// head is the status line and the header fields of an answer.
type head struct {
	major, minor int
	status       int
	header       http.Header
}

// readHead reads a status line and header fields up to the empty line. It is as forgiving
// as browsers are: lines end in LF or CRLF, a line that is no field is skipped, a folded line
// continues the field before it. The caller bounds br.
func readHead(br *bufio.Reader) (*head, error) {
	line, err := readLine(br)
	if oe := (*opError)(nil); errors.As(err, &oe) {
		return nil, err // the spool
	}
	if !strings.HasPrefix(line, "HTTP/"[:min(len(line), 5)]) {
		return nil, errNotHTTP // also when the line is cut short
	}
	if err != nil {
		return nil, err
	}
	h := &head{header: make(http.Header)}
	if !h.parseStatusLine(line) {
		return nil, errNotHTTP
	}
	last := "" // field that a folded line continues
	for {
		line, err := readLine(br)
		if err != nil {
			return nil, err
		}
		if line == "" {
			return h, nil
		}
		if line[0] == ' ' || line[0] == '\t' {
			if values := h.header[last]; len(values) > 0 {
				values[len(values)-1] += " " + strings.Trim(line, " \t")
			}
			continue
		}
		name, value, ok := strings.Cut(line, ":")
		name = strings.TrimRight(name, " \t")
		last = ""
		if ok && httpguts.ValidHeaderFieldName(name) {
			last = textproto.CanonicalMIMEHeaderKey(name)
			h.header[last] = append(h.header[last], strings.Trim(value, " \t"))
		}
	}
}

// readLine reads up to a LF and drops it and a CR before it. When there is none it returns what there is with
// the error: io.ErrUnexpectedEOF where the connection ends within a line, io.EOF before one.
func readLine(br *bufio.Reader) (string, error) {
	line, err := br.ReadBytes('\n')
	if err != nil {
		if errors.Is(err, io.EOF) && len(line) > 0 {
			err = io.ErrUnexpectedEOF
		}
		return string(line), err
	}
	return string(bytes.TrimSuffix(line[:len(line)-1], []byte{'\r'})), nil
}

// parseStatusLine accepts "HTTP/1.1 200", with or without a reason.
func (h *head) parseStatusLine(line string) bool {
	proto, rest, _ := strings.Cut(line, " ")
	var ok bool
	if h.major, h.minor, ok = http.ParseHTTPVersion(proto); !ok || h.major != 1 {
		return false
	}
	code, _, _ := strings.Cut(strings.TrimLeft(rest, " "), " ")
	status, err := strconv.Atoi(code)
	h.status = status
	return err == nil && len(code) == 3 && status >= 100
}

// framing is how the end of a body is found.
type framing uint8

const (
	framingNone    framing = iota // there is no body
	framingLength                 // Content-Length bytes
	framingChunked                // the chunk of size 0
	framingClose                  // the end of the connection
)

// framing follows RFC 9112, section 6.3, for the answer to a GET. Where
// Content-Length is nonsense the end of the connection decides.
func (h *head) framing() (framing, int64) {
	if h.status < 200 || h.status == http.StatusNoContent || h.status == http.StatusNotModified {
		return framingNone, 0
	}
	if h.minor >= 1 && len(h.header["Transfer-Encoding"]) > 0 { // HTTP/1.0 has no such field
		if httpguts.HeaderValuesContainsToken(h.header["Transfer-Encoding"], "chunked") {
			return framingChunked, 0
		}
		return framingClose, 0
	}
	if len(h.header["Content-Length"]) == 0 {
		return framingClose, 0
	}
	lengths := strings.Split(strings.Join(h.header["Content-Length"], ","), ",")
	for i := range lengths {
		if lengths[i] = strings.TrimSpace(lengths[i]); lengths[i] != lengths[0] {
			return framingClose, 0
		}
	}
	n, err := strconv.ParseUint(lengths[0], 10, 63)
	if err != nil {
		return framingClose, 0
	}
	return framingLength, int64(n)
}

// keepsAlive reports whether the server offers another exchange on the connection.
func (h *head) keepsAlive() bool {
	if httpguts.HeaderValuesContainsToken(h.header["Connection"], "close") || h.status < 200 {
		return false
	}
	return h.minor >= 1 || httpguts.HeaderValuesContainsToken(h.header["Connection"], "keep-alive")
}

// entity returns a reader of the body in br without its framing. It ends in io.EOF at the end
// of the message, having read nothing beyond it, and in another error when the message is cut short.
func entity(br *bufio.Reader, f framing, length int64) io.Reader {
	switch f {
	case framingLength:
		return &exactly{br, length}
	case framingChunked:
		return chunked.NewReader(br)
	case framingClose:
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

// limited hands on at most n bytes of br and then fails, unless br ends there.
type limited struct {
	br   *bufio.Reader
	n    int64 // bytes left
	read int64 // bytes handed on
}

func (l *limited) Read(p []byte) (int, error) {
	if l.n == 0 {
		if _, err := l.br.Peek(1); err != nil {
			return 0, err
		}
		return 0, errBodyTooLong
	}
	n, err := l.br.Read(p[:min(int64(len(p)), l.n)])
	l.n -= int64(n)
	l.read += int64(n)
	return n, err
}
