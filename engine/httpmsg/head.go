// Package httpmsg reads HTTP messages from a connection or an archive with the tolerance of
// browsers. It accepts heads that violate RFC 9112, and bodies in any framing.
package httpmsg

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"net/http"
	"net/textproto"
	"regexp"
	"strconv"
	"strings"

	"golang.org/x/net/http/httpguts"
)

// ErrNotHTTP is in the error chain of ReadHead if there is no status line.
var ErrNotHTTP = errors.New("the response is not HTTP")

// notHTTPError is ErrNotHTTP where reading failed, too.
type notHTTPError struct{ cause error }

func (e *notHTTPError) Error() string   { return ErrNotHTTP.Error() }
func (e *notHTTPError) Unwrap() []error { return []error{ErrNotHTTP, e.cause} }

// Head is the status line and the header fields of a response.
type Head struct {
	Line   string // the status line
	HTTP11 bool   // or later
	Status int
	Header http.Header
}

// ReadHead reads a status line and header fields up to the empty line. It is as tolerant as
// browsers: lines end in LF or CRLF, ReadHead skips invalid fields, and a folded line continues the
// field before it. The caller bounds br.
func ReadHead(br *bufio.Reader) (*Head, error) {
	h, err := readStatusLine(br)
	if err != nil {
		return nil, err
	}
	return h, h.readFields(br)
}

// maxInterim bounds the responses before an archived response, as in package fetch.
const maxInterim = 16

// ReadArchivedHead is ReadHead for an archived response; it skips the responses that precede it.
func ReadArchivedHead(br *bufio.Reader) (*Head, error) {
	for range maxInterim {
		h, err := ReadHead(br)
		if err != nil || !Precedes(h.Status, h.Header, br) {
			return h, err
		}
	}
	return nil, ErrNotHTTP
}

// nextStatus matches a status line.
var nextStatus = regexp.MustCompile(`^(?i:HTTP)/\d(?:\.\d)?[ \t]+[1-9]\d\d`)

// Precedes reports whether an archived response precedes the one that counts: it is interim or has
// no body, and another status line follows. Some programs archive a proxy's response to CONNECT in
// this way, and redirects and password challenges that they handled.
func Precedes(status int, header http.Header, br *bufio.Reader) bool {
	start, _ := br.Peek(16)
	if !nextStatus.Match(start) {
		return false
	}
	length := header.Get("Content-Length")
	return status < http.StatusOK || length == "0" ||
		length == "" && header.Get("Transfer-Encoding") == "" && header.Get("Content-Type") == ""
}

// ReadFields reads header fields up to the empty line.
func ReadFields(br *bufio.Reader) (http.Header, error) {
	h := Head{Header: make(http.Header)}
	err := h.readFields(br)
	return h.Header, err
}

func (h *Head) readFields(br *bufio.Reader) error {
	last := "" // field that a folded line continues
	for {
		line, err := readLine(br)
		if err != nil {
			return err
		}
		if line == "" {
			return nil
		}
		if line[0] == ' ' || line[0] == '\t' {
			if values := h.Header[last]; len(values) > 0 {
				values[len(values)-1] += " " + strings.Trim(line, " \t")
			}
			continue
		}
		name, value, ok := strings.Cut(line, ":")
		name = strings.TrimRight(name, " \t")
		last = ""
		if ok && httpguts.ValidHeaderFieldName(name) {
			last = textproto.CanonicalMIMEHeaderKey(name)
			h.Header[last] = append(h.Header[last], strings.Trim(value, " \t"))
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

// readStatusLine reads the status line after line breaks and a few bytes of junk.
func readStatusLine(br *bufio.Reader) (*Head, error) {
	blank, junk := 0, 0
	for {
		line, err := readLine(br)
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
		if blank > maxBlank || skipped > maxJunk { // also when the line is cut short
			if err != nil {
				return nil, &notHTTPError{err}
			}
			return nil, ErrNotHTTP
		}
		if err != nil {
			return nil, err
		}
		if at < 0 {
			continue
		}
		h := &Head{Line: line[at:], Header: make(http.Header)}
		if !h.parseStatusLine(line[at:]) {
			return nil, ErrNotHTTP
		}
		return h, nil
	}
}

// startOfStatusLine returns the offset of "HTTP" in a line, in any case, or -1. At the end of a cut
// line, a part of the name is sufficient.
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

// readLine reads a line and drops its LF and the CRs before it. Without a LF it returns the rest
// with an error: io.ErrUnexpectedEOF if the connection ends within the line, io.EOF if it ends
// before.
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

// parseStatusLine reads "HTTP/1.1 200", with or without a reason, as browsers do. It accepts any
// case and any version; only support of chunks matters. The default status is 200.
func (h *Head) parseStatusLine(line string) bool {
	proto, rest, _ := strings.Cut(strings.ReplaceAll(line, "\t", " "), " ")
	h.HTTP11 = versionWithChunks.MatchString(proto)
	if !h.HTTP11 && !oldVersion.MatchString(proto) {
		return false
	}
	rest = strings.TrimLeft(rest, " ")
	code := rest[:len(rest)-len(strings.TrimLeft(rest, "0123456789"))]
	if code == "" && strings.Contains(proto, "/") {
		h.Status = http.StatusOK
		return true
	}
	status, err := strconv.Atoi(code)
	h.Status = status
	return err == nil && len(code) == 3 && status >= 100
}

// Protocol names of HTTP/1.1 and later, and of all other versions, which count as HTTP/1.0 as in
// browsers.
var (
	versionWithChunks = regexp.MustCompile(`^(?i:HTTP)/(?:1\.\d*[1-9]\d*|[hH]?[2-9](?:\.\d*)?)$`)
	oldVersion        = regexp.MustCompile(`^(?i:HTTP)(?:/[^/]*)?$`)
)
