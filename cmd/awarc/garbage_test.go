package main

import (
	"io"
	"net"
	"path/filepath"
	"strings"
	"testing"

	"github.com/awarc/awarc/engine/archive"
)

// TestGarbageIsArchived: what a server sends instead of HTTP is kept, in a file
// that reads back.
func TestGarbageIsArchived(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			request := make([]byte, 4096)
			n, _ := c.Read(request)
			answer := "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 22\r\nConnection: close\r\n\r\n" +
				"<a href=\"/bad\">bad</a>"
			if strings.Contains(string(request[:n]), "/bad ") {
				answer = "\x00\x01 this is no HTTP\r\n\r\nnor is this"
			}
			_, _ = io.WriteString(c, answer)
			c.Close()
		}
	}()
	dir := filepath.Join(t.TempDir(), "crawl")
	var out, errs strings.Builder
	status := run(t.Context(), []string{"crawl", "--delay", "0", "--min-space", "0", "--ignore-robots", "--out", dir,
		"http://" + l.Addr().String() + "/"}, streams{nil, &out, &errs})
	if status != exitWithFaults {
		t.Fatalf("exit status %d\n%s", status, errs.String())
	}
	files, _ := filepath.Glob(filepath.Join(dir, "archive", "*[0-9].warc.gz"))
	reports, err := archive.Verify(files...)
	if err != nil {
		t.Fatal(err)
	}
	if len(reports) != 1 || reports[0].Bad != nil || reports[0].Records["response"] != 2 {
		t.Errorf("the archive holds %+v", reports)
	}
}
