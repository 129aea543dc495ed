package archive

import (
	"bytes"
	"io"
	"regexp"
	"strings"
)

// httpHead is what the archive needs of the head of an HTTP message.
type httpHead struct {
	line        string // the first
	size        int64  // of the head in bytes, the empty line included
	status      string // as CDXJ has it
	hasStatus   bool
	mime        string // likewise
	hasMIME     bool
	chunked     bool
	http        bool // starts as HTTP does
	complete    bool // ended in an empty line
	contentType []string
}

// readHTTPHead reads up to the empty line after the header fields. A head that has none, or that is longer than
// maxHead, ends with the block or there.
func readHTTPHead(in *lines) (httpHead, error) {
	var h httpHead
	line, err := h.firstLine(in)
	if err != nil {
		return h, notTooLong(err)
	}
	if line == "" {
		return h, nil
	}
	h.line = line
	h.status, h.hasStatus = statusText(line), true
	h.http = len(line) >= 5 && strings.EqualFold(line[:5], "HTTP/")
	var name, value string
	set := func() {
		switch strings.ToLower(name) {
		case "content-type":
			h.contentType = append(h.contentType, value)
		case "transfer-encoding":
			for coding := range strings.SplitSeq(value, ",") {
				h.chunked = h.chunked || strings.EqualFold(strings.TrimSpace(coding), "chunked")
			}
		}
		name, value = "", ""
	}
	for room := maxHead; ; {
		b, err := in.line(room)
		room -= len(b)
		h.size += int64(len(b))
		if err != nil || len(bytes.TrimRight(b, "\r\n")) == 0 {
			set()
			h.mime, h.hasMIME = mimeText(h.contentType)
			h.complete = err == nil
			return h, notTooLong(err)
		}
		text := string([]rune(string(b))) // one U+FFFD for each byte that is not UTF-8
		if value != "" && (text[0] == ' ' || text[0] == '\t') {
			value += strings.TrimRight(text, " \t\r\n")
			continue
		}
		set()
		if n, v, ok := strings.Cut(text, ":"); ok {
			name, value = strings.TrimLeft(n, " \t"), strings.TrimSpace(v)
		}
	}
}

const (
	maxBlank = 64 // bytes of line breaks before a first line, as package fetch has it
	maxJunk  = 4  // and of other bytes
)

// statusLine finds a status line behind junk. A request line may name "http://" there.
var statusLine = regexp.MustCompile(`^(?s:.{0,4}?)((?i:HTTP)/\d)`)

// firstLine reads the first line, behind the line breaks and the few bytes of junk that browsers and
// package fetch skip before a status line.
func (h *httpHead) firstLine(in *lines) (string, error) {
	for {
		b, err := in.line(maxHead)
		h.size += int64(len(b))
		line := strings.TrimRight(string(b), " \t\r\n")
		if err == nil && len(line) <= maxJunk && h.size <= maxBlank {
			continue
		}
		if at := statusLine.FindStringSubmatchIndex(line); at != nil {
			line = line[at[2]:]
		}
		return line, err
	}
}

// notTooLong forgives the end of the block and a line that is too long: both only end the head.
func notTooLong(err error) error {
	if err == io.EOF || err == errLong {
		return nil
	}
	return err
}
