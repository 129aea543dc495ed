package archive

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"net/http"
	"regexp"
	"strings"

	"golang.org/x/net/http/httpguts"

	"github.com/awarc/awarc/engine/httpmsg"
)

// httpHead is what the archive needs of the head of an HTTP message.
type httpHead struct {
	line      string // the first, behind what precedes it
	size      int64  // of the head in bytes, interim answers and the empty line included
	status    string // as CDXJ has it
	hasStatus bool
	mime      string // likewise
	hasMIME   bool
	chunked   bool
	fields    http.Header
	code      int  // the status, 0 where there is no status line
	http      bool // starts as HTTP does
	complete  bool // ended in an empty line
}

// readHTTPHead reads up to the empty line after the header fields, and on to the answer that counts behind those that precede it. A head
// that has no empty line, or that is longer than maxHead, ends with the block or there.
func readHTTPHead(in *lines) (h httpHead, err error) {
	for room := maxHead; ; {
		raw, complete, err := rawHead(in, room)
		room -= len(raw)
		h = httpHead{size: h.size + int64(len(raw)), complete: complete}
		if err != nil {
			return h, notTooLong(err)
		}
		h.parse(raw)
		if h.code == 0 || !httpmsg.Precedes(h.code, h.fields, in.Reader) {
			return h, nil
		}
	}
}

// rawHead reads the bytes of a head, those that readers skip before its first line included.
func rawHead(in *lines, room int) (raw []byte, complete bool, err error) {
	begun := false
	for {
		b, err := in.line(room - len(raw))
		raw = append(raw, b...)
		if err != nil {
			return raw, false, notTooLong(err)
		}
		switch text := bytes.TrimRight(b, " \t\r\n"); {
		case !begun && len(text) <= maxJunk && len(raw) <= maxBlank:
		case len(bytes.TrimRight(b, "\r\n")) == 0:
			return raw, true, nil
		default:
			begun = true
		}
	}
}

const (
	maxBlank = 64 // bytes of line breaks before a first line, as package httpmsg has it
	maxJunk  = 4  // and of other bytes
)

// statusLine finds a status line behind junk. A request line may name "http://" there.
var statusLine = regexp.MustCompile(`^(?s:[^\n]{0,4}?)((?i:HTTP)/)`)

// otherLine matches the status line of another protocol, or with another name, as "h2 200".
var otherLine = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9-]*(?:/\d[\d.]*)?[ \t]+([1-9]\d\d)(?:[ \t]|$)`)

// otherStatus returns the status of a head whose first line names another protocol than HTTP; "" of
// all others.
func (h *httpHead) otherStatus() string {
	if m := otherLine.FindStringSubmatch(h.line); m != nil && !h.http && h.complete && len(h.fields) > 0 {
		return m[1]
	}
	return ""
}

// parse takes what is used of a head, and what its index line has of it.
func (h *httpHead) parse(raw []byte) {
	first, rest := nextLine(raw)
	for len(first) <= maxJunk && len(rest) > 0 {
		first, rest = nextLine(rest)
	}
	if at := statusLine.FindSubmatchIndex(first); at != nil {
		first = first[at[2]:]
	}
	h.line = strings.TrimRight(string(first), " \t\r\n")
	if h.line == "" {
		return
	}
	h.status, h.hasStatus = statusText(h.line), true
	h.http = len(h.line) >= 5 && strings.EqualFold(h.line[:5], "HTTP/")
	msg, err := httpmsg.ReadHead(bufio.NewReader(bytes.NewReader(raw)))
	if msg != nil && !errors.Is(err, httpmsg.ErrNotHTTP) {
		h.fields, h.code, h.http = msg.Header, msg.Status, true
	} else {
		h.fields, _ = httpmsg.ReadFields(bufio.NewReader(bytes.NewReader(rest))) // as far as they go
	}
	h.chunked = httpguts.HeaderValuesContainsToken(h.fields["Transfer-Encoding"], "chunked")
	h.mime, h.hasMIME = mimeText(contentTypes(rest))
}

func nextLine(b []byte) (line, rest []byte) {
	line, rest, _ = bytes.Cut(b, []byte("\n"))
	return bytes.TrimRight(line, "\r\n"), rest
}

// contentTypes gives the values of Content-Type as warcio.js reads them, whose index lines ours are held to: a blank before the colon makes
// another field of it.
func contentTypes(head []byte) (values []string) {
	var name, value string
	set := func() {
		if strings.EqualFold(name, "content-type") {
			values = append(values, value)
		}
		name, value = "", ""
	}
	for len(head) > 0 {
		var line []byte
		line, head = nextLine(head)
		if len(line) == 0 {
			break
		}
		text := string([]rune(string(line))) // one U+FFFD for each byte that is not UTF-8
		if value != "" && (text[0] == ' ' || text[0] == '\t') {
			value += strings.TrimRight(text, " \t\r\n")
			continue
		}
		set()
		if n, v, ok := strings.Cut(text, ":"); ok {
			name, value = strings.TrimLeft(n, " \t"), strings.TrimSpace(v)
		}
	}
	set()
	return values
}

// notTooLong forgives the end of the block and a line that is too long: both only end the head.
func notTooLong(err error) error {
	if err == io.EOF || err == errLong {
		return nil
	}
	return err
}
