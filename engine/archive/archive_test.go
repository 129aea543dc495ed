package archive

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/klauspost/compress/gzip"
)

// page is a capture of a small page that differs with n.
func page(n int) Capture {
	body := fmt.Sprintf("<html><title>%d</title>%s", n, strings.Repeat("lorem ipsum ", n%50))
	return captureOf(fmt.Sprintf("http://www.Example.com/p%03d?b=2&a=%d", n, n), fmt.Sprintf(
		"HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\nContent-Length: %d\r\n\r\n%s", len(body), body))
}

func captureOf(url, response string) Capture {
	id := NewID()
	return Capture{
		ID: id, URL: url, Time: time.Date(2026, 11, 21, 9, 30, 0, 123456789, time.UTC), IP: "127.0.0.1",
		Request:  []byte("GET /p HTTP/1.1\r\nHost: www.example.com\r\n\r\n"),
		Response: strings.NewReader(response), Size: int64(len(response)),
		MIME: "text/html", Status: 200,
		Metadata: []Field{{"type", "wordpress"}, {"note", "two\r\nlines"}},
		Quads:    []byte("<http://e.example/> <http://e.example/p> \"" + url + "\" <" + id + "> .\n"),
		Locate: func(l Location) []byte {
			return fmt.Appendf(nil, "<%s> <urn:awarc:ns#warcOffset> \"%d\" <urn:awarc:meta> .\n", l.RecordID, l.Offset)
		},
	}
}

// open opens an archive and closes it at the end of the test.
func open(t testing.TB, dir string, opts Options) *Writer {
	t.Helper()
	w, err := Open(dir, opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = w.Close() })
	return w
}

func write(t testing.TB, w *Writer, c Capture) Location {
	t.Helper()
	loc, err := w.Write(c)
	if err != nil {
		t.Fatal(err)
	}
	return loc
}

func closeOK(t testing.TB, w *Writer) {
	t.Helper()
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
}

// files lists the files of a folder that match, sorted.
func files(t testing.TB, dir, pattern string) []string {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(dir, pattern))
	if err != nil {
		t.Fatal(err)
	}
	return names
}

func read(t testing.TB, name string) []byte {
	t.Helper()
	b, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func gunzip(t testing.TB, b []byte) string {
	t.Helper()
	zr, err := gzip.NewReader(bytes.NewReader(b))
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(zr)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestCrawlDirectory(t *testing.T) {
	dir := t.TempDir()
	w := open(t, dir, Options{Info: map[string]string{"software": "awarc/test", "operator": "a\r\nb"}})
	for n := range 3 {
		write(t, w, page(n))
	}
	if got := files(t, dir, "archive/*.open"); len(got) != 1 {
		t.Errorf("while writing: %v, want one open file", got)
	}
	closeOK(t, w)
	warcs, graphs := files(t, dir, "archive/*.warc.gz"), files(t, dir, "graph/*.nq.gz")
	if len(warcs) != 1 || len(graphs) != 1 || len(files(t, dir, "*/*.open")) != 0 {
		t.Fatalf("got %v and %v", warcs, graphs)
	}
	if a, b := filepath.Base(warcs[0]), filepath.Base(graphs[0]); strings.TrimSuffix(a, warcSuffix) != strings.TrimSuffix(b, graphSuffix) {
		t.Errorf("%s and %s do not belong together", a, b)
	}
	text := gunzip(t, read(t, warcs[0]))
	t.Log(text[:1500])
	t.Log(gunzip(t, read(t, graphs[0])))
	t.Log(string(read(t, filepath.Join(dir, "archive/index.cdxj"))))
	out, _ := os.ReadDir(filepath.Join(dir, "archive", workFolder))
	t.Log(out)
}
