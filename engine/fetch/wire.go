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
	"regexp"
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
	http11 bool // or later
	status int
	header http.Header
}

// readHead reads a status line and header fields up to the empty line. It is as forgiving
// as browsers are: lines end in LF or CRLF, a line that is not a field is skipped, a folded line
// continues the field before it. The caller bounds br.
func readHead(br *bufio.Reader) (*head, error) {
	h, err := readStatusLine(br)
	if err != nil {
		return nil, err
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

const (
	// maxBlank bounds the line breaks before a status line, in bytes: arbitrary.
	maxBlank = 64
	// maxJunk bounds other bytes before a status line: Chromium skips as many, which are usually the
	// end of a body that was longer than its Content-Length.
	maxJunk = 4
)

// readStatusLine finds the status line, behind line breaks and a few bytes of junk.
func readStatusLine(br *bufio.Reader) (*head, error) {
	blank, junk := 0, 0
	for {
		line, err := readLine(br)
		if oe := (*opError)(nil); errors.As(err, &oe) {
			return nil, err // the spool
		}
		skipped, at := junk, startOfStatusLine(line, err != nil)
		switch {
		case at >= 0:
			skipped += at
		case line == "" && err == nil:
			blank += len("\r\n")
		default:
			junk += len(line) + 1
			skipped = junk
		}
		if blank > maxBlank || skipped > maxJunk {
			return nil, errNotHTTP // also when the line is cut short
		}
		if err != nil {
			return nil, err
		}
		if at < 0 {
			continue
		}
		h := &head{header: make(http.Header)}
		if !h.parseStatusLine(line[at:]) {
			return nil, errNotHTTP
		}
		return h, nil
	}
}

// startOfStatusLine returns where "HTTP" stands in a line, in any case, at its end also where the
// line is cut off within the name; -1 where it does not.
func startOfStatusLine(line string, cut bool) int {
	const name = "http"
	for at := range min(len(line), maxJunk+1) {
		rest := line[at:]
		n := min(len(rest), len(name))
		if (n == len(name) || cut) && strings.EqualFold(rest[:n], name[:n]) {
			return at
		}
	}
	return -1
}

// readLine reads up to a LF and drops it and CRs before it. When there is none it returns what there is with
// the error: io.ErrUnexpectedEOF where the connection ends within a line, io.EOF before one.
func readLine(br *bufio.Reader) (string, error) {
	line, err := br.ReadBytes('\n')
	if err != nil {
		if errors.Is(err, io.EOF) && len(line) > 0 {
			err = io.ErrUnexpectedEOF
		}
		return string(line), err
	}
	return string(bytes.TrimRight(line, "\r\n")), nil
}

// parseStatusLine reads "HTTP/1.1 200", with or without a reason, as browsers do: in any case, of
// any version, of which only the one that has chunks matters, and with the status 200 where none is
// given.
func (h *head) parseStatusLine(line string) bool {
	proto, rest, _ := strings.Cut(strings.ReplaceAll(line, "\t", " "), " ")
	h.http11 = versionWithChunks.MatchString(proto)
	if !h.http11 && !oldVersion.MatchString(proto) {
		return false
	}
	rest = strings.TrimLeft(rest, " ")
	code := rest[:len(rest)-len(strings.TrimLeft(rest, "0123456789"))]
	if code == "" && strings.Contains(proto, "/") {
		h.status = http.StatusOK
		return true
	}
	status, err := strconv.Atoi(code)
	h.status = status
	return err == nil && len(code) == 3 && status >= 100
}

// The protocol names of HTTP/1.1 and later, and of what is read as HTTP/1.0.
var (
	versionWithChunks = regexp.MustCompile(`^(?i:HTTP)/(?:1\.[1-9]|[2-9](?:\.\d)?)$`)
	oldVersion        = regexp.MustCompile(`^(?i:HTTP)(?:/(?:0\.9|1(?:\.0)?)?)?$`)
)

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
	if h.http11 && len(h.header["Transfer-Encoding"]) > 0 { // HTTP/1.0 has no such field
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
	return h.http11 || httpguts.HeaderValuesContainsToken(h.header["Connection"], "keep-alive")
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
