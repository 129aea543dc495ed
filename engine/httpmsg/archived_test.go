package httpmsg

import (
	"bufio"
	"io"
	"strings"
	"testing"
)

// The archive says how long a body is: nothing is cut by a Content-Length, and chunks are joined where there are any.
func TestArchivedBody(t *testing.T) {
	t.Parallel()
	const chunked = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
	for what, c := range map[string]struct{ message, body string }{
		"short Content-Length": {"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhello", "hello"},
		"long Content-Length":  {"HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\nhello", "hello"},
		"no reason, HTTP/2":    {"HTTP/2 200\r\n\r\nhello", "hello"},
		"of CDP":               {"HTTP/h2 200\r\n\r\nhello", "hello"},
		"lower case":           {"http/1.1 200 ok\n\nhello", "hello"},
		"interim":              {"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\n\r\nhello", "hello"},
		"interim, no reason":   {"HTTP/1.1 103\r\nLink: <x>\r\n\r\nHTTP/2 200\r\n\r\nhello", "hello"},
		"proxy":                {"HTTP/1.0 200 Connection established\r\n\r\nHTTP/1.1 200 OK\r\n\r\nhello", "hello"},
		"redirect":             {"HTTP/1.1 301 Moved\r\nLocation: /\r\n\r\nHTTP/1.1 200 OK\r\n\r\nhello", "hello"},
		"password":             {"HTTP/1.1 401 No\r\nContent-Length: 0\r\n\r\nHTTP/1.1 200 OK\r\n\r\nhello", "hello"},
		"text of a head": {"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\nHTTP/1.1 200 OK\r\n\r\nhello",
			"HTTP/1.1 200 OK\r\n\r\nhello"},
		"with a body, 204":   {"HTTP/1.1 204 No Content\r\n\r\nhello", "hello"},
		"chunked":            {chunked + "5\r\nhello\r\n1\r\n!\r\n0\r\n\r\n", "hello!"},
		"trailer":            {chunked + "5\r\nhello\r\n0\r\nX: y\r\n\r\n\r\n", "hello"},
		"no end":             {chunked + "5\r\nhello\r\n0", "hello"},
		"stored decoded":     {chunked + "<p>hello</p>", "<p>hello</p>"},
		"begins with a size": {chunked + "5\r\nhello, world", "5\r\nhello, world"},
		"breaks off in framing": {chunked + "5\r\nhello\r\n<p>and more</p>\r\n0\r\n\r\n",
			"hello<p>and more</p>\r\n0\r\n\r\n"},
		"goes on after the end": {chunked + "5\r\nhello\r\n0\r\n\r\n<p>and more</p>", "hello<p>and more</p>"},
		"no trailer":            {chunked + "5\r\nhello\r\n0\r\n<p>and more</p>", "hello<p>and more</p>"},
		"empty":                 {chunked, ""},
	} {
		br := bufio.NewReader(strings.NewReader(c.message))
		h, err := ReadArchivedHead(br)
		if err != nil {
			t.Errorf("%s: %v", what, err)
			continue
		}
		rest, _ := io.ReadAll(br)
		got, err := io.ReadAll(Archived(strings.NewReader(string(rest)), int64(len(rest)), h.ArchivedFraming()))
		if string(got) != c.body || err != nil && what != "no end" {
			t.Errorf("%s: %q, %v, want %q", what, got, err, c.body)
		}
	}
}

// Any message is read to its end, and no byte of a body that is not framing is lost.
func FuzzArchived(f *testing.F) {
	f.Add("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", "5\r\nhello\r\n0\r\n\r\n")
	f.Add("http/2 200\n\n", "hello")
	f.Add("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200\r\nTransfer-Encoding: chunked\r\n\r\n", "zz\r\n")
	f.Fuzz(func(t *testing.T, head, body string) {
		h, err := ReadArchivedHead(bufio.NewReader(strings.NewReader(head)))
		if err != nil {
			return
		}
		got, _ := io.ReadAll(Archived(strings.NewReader(body), int64(len(body)), h.ArchivedFraming()))
		if f, _ := h.Framing(); f != Chunked && string(got) != body {
			t.Errorf("%q of %q", got, body)
		}
		if len(got) > len(body) {
			t.Errorf("%d bytes of %d", len(got), len(body))
		}
	})
}
