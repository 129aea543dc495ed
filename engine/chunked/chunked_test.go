package chunked

import (
	"bufio"
	"errors"
	"io"
	"net/http/httputil"
	"strings"
	"testing"
)

// Strict framing is read as net/http reads it; what servers send besides, as browsers do. What follows the message is left alone.
func TestReader(t *testing.T) {
	for _, c := range []struct {
		wire, want, rest string
		err              error
		strict           bool // net/http reads it, too
	}{
		{wire: "5\r\nhello\r\n6;x=y\r\n world\r\n0\r\n\r\nnext", want: "hello world", rest: "next", strict: true},
		{wire: "5\r\nhello\r\n0\r\nA: b\r\n\r\n", want: "hello", strict: true},
		{wire: "0\r\n\r\n", strict: true},
		{wire: "5\nhello\n0\n\nnext", want: "hello", rest: "next"},
		{wire: "005 \r\nhello\r\n0\r\n", want: "hello"},
		{wire: "5\r\nhello\r\n0", want: "hello", err: io.ErrUnexpectedEOF},
		{wire: "5\r\nhel", want: "hel", err: io.ErrUnexpectedEOF},
		{wire: "5\r\nhello\r\n", want: "hello", err: io.ErrUnexpectedEOF},
		{wire: "5\r\nhello, more\r\n0\r\n\r\n", want: "hello", err: ErrFraming},
		{wire: "-1\r\nx\r\n", err: ErrFraming},
		{wire: "<html>\r\n", err: ErrFraming},
		{wire: "5;" + strings.Repeat("x", 1<<20) + "\r\nhello\r\n0\r\n\r\n", err: ErrFraming},
	} {
		br := bufio.NewReader(strings.NewReader(c.wire))
		got, err := io.ReadAll(NewReader(br))
		if string(got) != c.want || !errors.Is(err, c.err) {
			t.Errorf("%.40q: %q, %v, want %q, %v", c.wire, got, err, c.want, c.err)
		}
		if rest, _ := io.ReadAll(br); c.err == nil && string(rest) != c.rest {
			t.Errorf("%.40q: left %q, want %q", c.wire, rest, c.rest)
		}
		slow, err := io.ReadAll(httputil.NewChunkedReader(strings.NewReader(c.wire)))
		if ok := err == nil && string(slow) == c.want; c.strict && !ok {
			t.Errorf("%.40q: net/http reads %q, %v", c.wire, slow, err)
		}
	}
}
