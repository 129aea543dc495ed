package httpmsg

import (
	"bufio"
	"errors"
	"strings"
	"testing"
)

// Status lines as browsers read them: of any version and case, with a status that has three digits, or none.
func TestStatusLines(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]struct {
		status int
		http11 bool
	}{
		"HTTP/1.1 200 OK": {200, true}, "http/1.1 404": {404, true}, "HTTP/1.1 200OK": {200, true}, "HTTP/1.1\t200\tOK": {200, true},
		"HTTP/1.1  301  Moved": {301, true}, "HTTP/1.10 200 OK": {200, true}, "HTTP/1.2 200": {200, true}, "HTTP/2 200": {200, true},
		"HTTP/2.0 200 OK": {200, true}, "HTTP/3 200": {200, true}, "HTTP/1.0 200 OK": {200, false}, "HTTP/1 200 OK": {200, false},
		"HTTP 200 OK": {200, false}, "HTTP/0.9 200 OK": {200, false}, "HTTP/1.x 200 OK": {200, false}, "HTTP/1,1 200 OK": {200, false},
		"HTTP/1. 200 OK": {200, false}, "HTTP/1.1": {200, true}, "HTTP/1.1 OK": {200, true}, "HTTP/1.1 200: OK": {200, true},
		"abcdHTTP/1.1 200": {200, true},
		"HTTP/1.1 2000 OK": {}, "HTTP/1.1 20": {}, "HTTP is not spoken here": {}, "HTTPS/1.1 200 OK": {}, "http://site.example/": {},
		"abcdeHTTP/1.1 200": {}, "<html>": {}, "SSH-2.0-x": {},
	} {
		h, err := ReadHead(bufio.NewReader(strings.NewReader(line + "\r\nA: b\r\n\r\n")))
		switch {
		case want.status == 0:
			if !errors.Is(err, ErrNotHTTP) {
				t.Errorf("%q: %v, want an error", line, err)
			}
		case err != nil || h.Status != want.status || h.HTTP11 != want.http11 || h.Header.Get("A") != "b":
			t.Errorf("%q: %+v, %v, want %v", line, h, err, want)
		}
	}
}
