package fetch_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/awarc/awarc/engine/fetch"
)

// TestMisdeeds has a row for each thing that servers do and should not, and what must come of it. More of them are in TestExactBytes,
// TestCloseDelimitedBody, TestDisconnectedBody, TestWrecks and TestSlowBody.
func TestMisdeeds(t *testing.T) {
	t.Parallel()
	const ok = "HTTP/1.1 200 OK\r\n"
	const chunked = ok + "Transfer-Encoding: chunked\r\n\r\n"
	for _, c := range []struct {
		name, answer string
		status       int
		body         string
		truncated    string
	}{
		{"a length and chunks", ok + "Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n", 200, "hello", ""},
		{"chunks of HTTP/1.0", "HTTP/1.0 200 OK\r\nTransfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\nhello", 200, "hello", ""},
		{"two equal lengths in a field", ok + "Content-Length: 5, 5\r\n\r\nhello", 200, "hello", ""},
		{"a folded length", ok + "Content-Length:\r\n 5\r\n\r\nhello", 200, "hello", ""},
		{"a negative length", ok + "Content-Length: -5\r\n\r\nhello", 200, "hello", ""},
		{"a length too long", ok + "Content-Length: 50\r\n\r\nhello", 200, "hello", "disconnect"},
		{"LF alone", "HTTP/1.1 200 OK\nTransfer-Encoding: chunked\n\n5\nhello\n0\n\n", 200, "hello", ""},
		{"chunks with extensions and spaces", chunked + "  0A ; a=\"b\"\r\nhellohello\r\n0;last\r\n\r\n", 200, "hellohello", ""},
		{"no end after the last chunk", chunked + "5\r\nhello\r\n0\r\n", 200, "hello", ""},
		{"a chunk of all bytes", chunked + "5\r\nhello\r\nffffffffffffffff\r\nhello", 200, "hello", "disconnect"},
		{"a chunk of 2^63-1 bytes", chunked + "7fffffffffffffff\r\nhello", 200, "hello", "disconnect"},
		{"a negative chunk", chunked + "5\r\nhello\r\n-1\r\nx", 200, "hello", "disconnect"},
		{"a chunk longer than it says", chunked + "5\r\nhelloooo\r\n0\r\n\r\n", 200, "hello", "disconnect"},
		{"an endless extension", chunked + "5\r\nhello\r\n1;" + strings.Repeat("x", 1<<16), 200, "hello", "disconnect"},
		{"no size of a chunk", chunked + "5\r\nhello\r\n\r\n\r\n", 200, "hello", "disconnect"},
		{"100, 102, 103", "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 102 Processing\r\nX: y\r\n\r\nHTTP/1.1 103 Early Hints\r\n\r\n" + ok +
			"\r\nhello", 200, "hello", ""},
		{"switching", "HTTP/1.1 101 Switching Protocols\r\nUpgrade: h2c\r\n\r\n\x00\x00\x12", 101, "", ""},
		{"304 with a body", "HTTP/1.1 304 Not Modified\r\n\r\nhello", 304, "", ""},
		{"a status nobody knows", "HTTP/1.1 799 What\r\n\r\nhello", 799, "hello", ""},
		{"a large header", ok + strings.Repeat("X-Field: value\r\n", 15_000) + "\r\nhello", 200, "hello", ""},
		{"a line of 200 kB", ok + "X: " + strings.Repeat("y", 200_000) + "\r\n\r\nhello", 200, "hello", ""},
		{"NUL in a field", ok + "X: a\x00b\r\n\r\nhello", 200, "hello", ""},
		{"lower case", "http/1.1 200 ok\r\nContent-Length: 5\r\n\r\nhello", 200, "hello", ""},
		{"a version of another protocol", "HTTP/2 200\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n", 200, "hello", ""},
		{"no minor version", "HTTP/1 404 Gone\r\n\r\nhello", 404, "hello", ""},
		{"no status", "HTTP/1.0 OK\r\n\r\nhello", 200, "hello", ""},
		{"no space before the reason", "HTTP/1.1 404Not Found\r\n\r\nhello", 404, "hello", ""},
		{"a tab before the status", "HTTP/1.1\t200\tOK\r\n\r\nhello", 200, "hello", ""},
		{"a line break before the status line", "\r\n" + ok + "\r\nhello", 200, "hello", ""},
		{"many line breaks before the status line", "\n\r\n\n\r\n" + ok + "\r\nhello", 200, "hello", ""},
		{"four bytes before the status line", "</p>" + ok + "\r\nhello", 200, "hello", ""},
		{"a short line before the status line", "0\r\n\r\n" + ok + "\r\nhello", 200, "hello", ""},
		{"no space behind a colon", ok + "Content-Length:5\r\n\r\nhello, more", 200, "hello", ""},
		{"space before a colon", ok + "Content-Length : 5\r\n\r\nhello, more", 200, "hello", ""},
		{"unequal lengths", ok + "Content-Length: 5\r\nContent-Length: 6\r\n\r\nhello!!", 200, "hello!!", ""},
		{"two line ends of text mode", "HTTP/1.1 200 OK\r\r\nContent-Length: 5\r\r\n\r\r\nhello", 200, "hello", ""},
		{"chunked, by two names", ok + "Transfer-Encoding: chunked\r\nTransfer-encoding: Chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n", 200,
			"hello", ""},
		{"a line that is not a field", ok + "hello there\r\nContent-Length: 5\r\n\r\nhello", 200, "hello", ""},
		{"a field without a name", ok + ": 3\r\nContent-Length: 5\r\n\r\nhello", 200, "hello", ""},
		{"bytes outside ASCII", "HTTP/1.1 200 Zur\xfcck\r\nX-\xe9: \xff\r\n\r\nhello", 200, "hello", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			ex := do(t, newClient(t, fetch.Options{}), "http://"+answers(t, c.answer, true).addr)
			if got := block(t, ex); !strings.HasPrefix(c.answer, got) && c.name != "100, 102, 103" || !strings.HasSuffix(got, c.body) &&
				!strings.Contains(c.answer, "hunked") {
				t.Errorf("recorded %.99q of %.99q", got, c.answer)
			}
			body, err := ex.Body(0)
			if ex.Status != c.status || string(body) != c.body || err != nil || ex.Truncated != c.truncated {
				t.Errorf("status %d, body %q, %v, truncated %q", ex.Status, body, err, ex.Truncated)
			}
		})
	}
}

func TestRedirects(t *testing.T) {
	t.Parallel()
	for status, want := range map[int]string{
		201: "", 300: "/there", 301: "/there", 302: "/there", 303: "/there", 304: "", 305: "", 307: "/there", 308: "/there", 404: "",
	} {
		answer := fmt.Sprintf("HTTP/1.1 %d X\r\nLocation:  /there \r\nLocation: /elsewhere\r\nContent-Length: 0\r\n\r\n", status)
		if got := do(t, newClient(t, fetch.Options{}), "http://"+answers(t, answer, false).addr).Redirect(); got != want {
			t.Errorf("%d redirects to %q, want %q", status, got, want)
		}
	}
}

// TestSlowloris: what comes byte by byte has no more time than what does not come.
func TestSlowloris(t *testing.T) {
	t.Parallel()
	drip := func(start string) *rawServer {
		return serveRaw(t, listen(t), func(_ int, c *rawConn) {
			c.request()
			io.WriteString(c, start)
			for {
				if _, err := io.WriteString(c, "x"); err != nil {
					return
				}
				time.Sleep(time.Millisecond)
			}
		})
	}
	o := fetch.Options{HeaderTimeout: 100 * time.Millisecond, Timeout: 200 * time.Millisecond}
	for name, start := range map[string]string{"status line": "HTTP/1.1 2", "field": "HTTP/1.1 200 OK\r\nX: "} {
		ex, err := newClient(t, o).Do(context.Background(), "http://"+drip(start).addr, nil)
		var typed *fetch.Error
		if !errors.As(err, &typed) || typed.Kind != fetch.KindTimeout || ex == nil || ex.Truncated != fetch.TruncatedTime {
			t.Errorf("%s: %v", name, err)
		}
		if ex != nil {
			ex.Close()
		}
	}
	for name, start := range map[string]string{"size of a chunk": "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1;",
		"body": "HTTP/1.1 200 OK\r\nContent-Length: 99999\r\n\r\n"} {
		if ex := do(t, newClient(t, o), "http://"+drip(start).addr); ex.Truncated != fetch.TruncatedTime {
			t.Errorf("%s: truncated %q", name, ex.Truncated)
		}
	}
}
