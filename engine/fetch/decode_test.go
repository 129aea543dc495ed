package fetch

import (
	"bufio"
	"bytes"
	"compress/flate"
	"compress/zlib"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"
)

func TestContentEncoding(t *testing.T) {
	t.Parallel()
	text := strings.Repeat("some text ", 100)
	var zlibbed, deflated bytes.Buffer
	zw := zlib.NewWriter(&zlibbed)
	io.WriteString(zw, text)
	zw.Close()
	fw, _ := flate.NewWriter(&deflated, 6)
	io.WriteString(fw, text)
	fw.Close()
	for _, c := range []struct {
		name, coding, body, want string
		fails                    bool
	}{
		{"zlib", "deflate", zlibbed.String(), text, false},
		{"bare deflate", "Deflate", deflated.String(), text, false},
		{"identity", "identity", text, text, false},
		{"empty field", " ", text, text, false},
		{"says gzip, is not", "gzip", text, text, false},
		{"empty gzip", "gzip", "", "", false},
		{"not asked for", "br", "xx", "", true},
		{"broken gzip header", "gzip", "\x1f\x8bgarbage", "", true},
		{"broken deflate", "deflate", "\xff\xff\xff\xff", "", true},
		{"cut off", "deflate", zlibbed.String()[:zlibbed.Len()-3], text, false},
	} {
		got, err := fake(t, http.Header{"Content-Encoding": {c.coding}}, c.body).Body(0)
		var typed *Error
		if string(got) != c.want || (err != nil) != c.fails || c.fails && !errors.As(err, &typed) {
			t.Errorf("%s: %.40q, %v", c.name, got, err)
		}
	}
}

func TestRetryAfter(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 20, 10, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		value, date string
		want        time.Duration
	}{
		{"", "", 0},
		{"120", "", 2 * time.Minute},
		{" 0 ", "", 0},
		{"1.5", "", 1500 * time.Millisecond},
		{"-5", "", 0},
		{"NaN", "", 0},
		{"soon", "", 0},
		{"99999999999999999999", "", maxRetryAfter},
		{"Fri, 20 Nov 2026 10:01:00 GMT", "", time.Minute},
		{"Friday, 20-Nov-26 10:01:00 GMT", "", time.Minute},
		{"Fri, 20 Nov 2026 09:00:00 GMT", "", 0},
		{"Thu, 01 Jan 2099 00:00:00 GMT", "", maxRetryAfter},
		// The server's clock is an hour slow: it means one minute.
		{"Fri, 20 Nov 2026 09:01:00 GMT", "Fri, 20 Nov 2026 09:00:00 GMT", time.Minute},
	} {
		h := http.Header{}
		h.Set("Retry-After", c.value)
		h.Set("Date", c.date)
		if got := RetryAfter(h, now); got != c.want {
			t.Errorf("%q: %v, want %v", c.value, got, c.want)
		}
	}
}

// readAnswer reads an answer as converse does, from bytes.
func readAnswer(wire []byte) (*head, []byte, error) {
	br := bufio.NewReader(bytes.NewReader(wire))
	h, err := readHead(br)
	if err != nil {
		return nil, nil, err
	}
	f, n := h.framing()
	body, err := io.ReadAll(entity(br, f, n))
	return h, body, err
}

// FuzzDechunk compares the reading of an answer with that of net/http: what net/http accepts, we
// read in the same way. (We accept more: see TestForgivingHeader.)
func FuzzDechunk(f *testing.F) {
	for _, s := range []string{
		"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\npage\r\n0\r\n\r\n",
		"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4;x=y\r\npage\r\n0\r\nTrailer: 1\r\n\r\nrest",
		"HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nabcdef",
		"HTTP/1.0 200\r\n\r\nto the end",
		"HTTP/1.0 200\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nnot a chunk",
		"HTTP/1.1 304 Not Modified\r\nContent-Length: 3\r\n\r\nabc",
		"HTTP/1.1 200 OK\r\nContent-Length: 1, 1\r\nX: a\r\n b\r\n\r\na",
	} {
		f.Add([]byte(s))
	}
	get, err := http.NewRequest(http.MethodGet, "http://site.example/", nil)
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, wire []byte) {
		h, body, err := readAnswer(wire)
		resp, slowErr := http.ReadResponse(bufio.NewReader(bytes.NewReader(wire)), get)
		if slowErr != nil || resp.ProtoMajor != 1 || resp.StatusCode < 100 {
			return
		}
		slow, slowErr := io.ReadAll(resp.Body)
		if h == nil {
			t.Fatalf("refused with %v what net/http reads as %v", err, resp)
		}
		if h.status != resp.StatusCode {
			t.Errorf("status %d, net/http %d", h.status, resp.StatusCode)
		}
		if slowErr != nil {
			return
		}
		if err != nil || !bytes.Equal(body, slow) {
			t.Errorf("body %q, %v, net/http %q", body, err, slow)
		}
	})
}
