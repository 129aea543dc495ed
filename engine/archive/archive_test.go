package archive

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/awarc/awarc/engine/durable"
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

func readAll(t testing.TB, r io.Reader) []byte {
	t.Helper()
	b, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestCrawlDirectory(t *testing.T) {
	dir := t.TempDir()
	w := open(t, dir, Options{Info: map[string]string{"software": "awarc/test", "operator": "a\r\nb"}})
	locs := map[string]Location{}
	for n := range 30 {
		c := page(n)
		locs[c.ID] = write(t, w, c)
	}
	if got := files(t, dir, "archive/*.open"); len(got) != 1 {
		t.Errorf("while writing: %v, want one open file", got)
	}
	closeOK(t, w)
	closeOK(t, w)
	for id, rec := range check(t, dir) {
		loc := locs[id]
		if rec.offset != loc.Offset || rec.length != loc.Length || loc.RecordID != id {
			t.Errorf("%s is at %d+%d, Write said %+v", id, rec.offset, rec.length, loc)
		}
		delete(locs, id)
	}
	if len(locs) != 0 {
		t.Errorf("missing: %v", locs)
	}
	name := files(t, dir, "archive/*.warc.gz")[0]
	if w.Bytes() != int64(len(read(t, name))) {
		t.Errorf("Bytes is %d, the file has %d", w.Bytes(), len(read(t, name)))
	}
	if _, err := w.Write(page(1)); !errors.Is(err, ErrClosed) {
		t.Errorf("Write after Close: %v", err)
	}
}

func TestNewID(t *testing.T) {
	pattern := regexp.MustCompile(`^urn:uuid:[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$`)
	seen := map[string]bool{}
	for range 1000 {
		if id := NewID(); !pattern.MatchString(id) || seen[id] {
			t.Fatalf("%s is malformed or there twice", id)
		} else {
			seen[id] = true
		}
	}
}

// One capture, header by header.
func TestRecordHeaders(t *testing.T) {
	dir := t.TempDir()
	w := open(t, dir, Options{Prefix: "p.x", Info: map[string]string{"robots": "classic"},
		Now: func() time.Time { return time.Unix(0, 1000).UTC() }})
	c := page(1)
	c.Connection = []Field{{"WARC-Protocol", "h2"}, {"WARC-Protocol", "tls/1.3"}}
	c.Truncated, c.MIME, c.IP = "length", "text/html; charset=x", "fe80::1%eth0"
	c.BlockDigest, c.PayloadDigest, _ = digestsOf(c.Response, c.Size)
	write(t, w, c)
	closeOK(t, w)
	check(t, dir)
	name := filepath.Join(dir, "archive/p.x-19700101000000-00001.warc.gz")
	text := gunzip(t, read(t, name))
	for _, want := range []string{
		"WARC/1.1\r\nWARC-Type: warcinfo\r\n", "WARC-Filename: p.x-19700101000000-00001.warc.gz\r\n",
		"WARC-Date: 1970-01-01T00:00:00.000001Z\r\n",
		"\r\n\r\nconformsTo: https://iipc.github.io/warc-specifications/specifications/warc-format/warc-1.1/\r\n" +
			"format: WARC File Format 1.1\r\nrobots: classic\r\n\r\n",
		"WARC-Record-ID: <" + c.ID + ">\r\nWARC-Date: 2026-11-21T09:30:00.123456Z\r\nWARC-Target-URI: " + c.URL +
			"\r\nWARC-IP-Address: fe80::1\r\n",
		"Content-Type: application/http; msgtype=response\r\n", "WARC-Payload-Digest: " + c.PayloadDigest + "\r\n",
		"WARC-Block-Digest: " + c.BlockDigest + "\r\n",
		"WARC-Identified-Payload-Type: text/html\r\n", "WARC-Truncated: length\r\n",
		"WARC-Concurrent-To: <" + c.ID + ">\r\nWARC-IP-Address: fe80::1\r\nWARC-Warcinfo-ID: ",
		">\r\nContent-Type: application/http; msgtype=request\r\n",
		"WARC-Protocol: h2\r\nWARC-Protocol: tls/1.3\r\n",
		"Content-Type: application/warc-fields\r\nContent-Length: 35\r\n", "\r\n\r\ntype: wordpress\r\nnote: two  lines\r\n\r\n\r\n",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
}

// An answer that is not HTTP, or has no complete head, is kept but not said to be HTTP, and all of it is payload.
func TestAnswerThatIsNotHTTP(t *testing.T) {
	for _, answer := range []string{"SSH-2.0-OpenSSH\r\n", "HTTP/1.1 200 OK\r\nContent-Ty", "x\r\n\r\ny"} {
		dir := t.TempDir()
		w := open(t, dir, Options{})
		write(t, w, captureOf("http://e.example/", answer))
		closeOK(t, w)
		for _, rec := range check(t, dir) {
			if got := rec.header["content-type"]; got != "application/octet-stream" {
				t.Errorf("%q has type %s", answer, got)
			}
			if !rec.http.complete && rec.header["warc-payload-digest"] != rec.header["warc-block-digest"] {
				t.Errorf("%q: payload and block have different digests", answer)
			}
		}
	}
}

func TestRollOver(t *testing.T) {
	dir := t.TempDir()
	const most = 5000
	w := open(t, dir, Options{MaxSize: most})
	for n := range 40 {
		write(t, w, page(n))
		if n == 20 {
			big := make([]byte, 3*most)
			random := rand.New(rand.NewPCG(1, 2))
			for i := range big {
				big[i] = byte(random.Uint32())
			}
			write(t, w, captureOf("http://big.example/", "HTTP/1.1 200 OK\r\n\r\n"+string(big)))
		}
	}
	closeOK(t, w)
	if got := len(check(t, dir)); got != 41 {
		t.Errorf("%d captures, want 41", got)
	}
	over := 0
	names := files(t, dir, "archive/*.warc.gz")
	for _, name := range names {
		if len(read(t, name)) > most {
			over++
		}
	}
	if len(names) < 5 || over != 1 {
		t.Errorf("%d files, %d beyond the limit: want several, and one", len(names), over)
	}
}

func TestConcurrentWrites(t *testing.T) {
	dir := t.TempDir()
	w := open(t, dir, Options{MaxSize: 20000})
	var wg sync.WaitGroup
	for g := range 8 {
		wg.Go(func() {
			for n := range 25 {
				if _, err := w.Write(page(100*g + n)); err != nil {
					t.Error(err)
				}
				var err error
				switch n % 5 {
				case 1:
					err = w.Sync()
				case 3:
					err = w.Index()
				}
				if err != nil {
					t.Error(err)
				}
				w.Bytes()
			}
		})
	}
	wg.Wait()
	closeOK(t, w)
	if got := len(check(t, dir)); got != 200 {
		t.Errorf("%d captures, want 200", got)
	}
}

// pattern is an HTTP answer of bytes that do not compress, without holding them.
type pattern struct{ size int64 }

func (p pattern) ReadAt(b []byte, off int64) (int, error) {
	const head = "HTTP/1.1 200 OK\r\nContent-Type: video/x\r\n\r\n"
	if off < int64(len(head)) {
		n := copy(b, head[off:])
		m, err := p.ReadAt(b[n:], off+int64(n))
		return n + m, err
	}
	n := min(int64(len(b)), p.size-off)
	if n <= 0 {
		return 0, io.EOF
	}
	for i := range n {
		x := uint64(off+i)/8*0x9e3779b97f4a7c15 ^ 0x1234567
		x ^= x >> 29
		x *= 0xbf58476d1ce4e5b9
		b[i] = byte(x >> (8 * (uint64(off+i) % 8)))
	}
	if n < int64(len(b)) {
		return int(n), io.EOF
	}
	return int(n), nil
}

// A large answer passes through; only the first spillSize compressed bytes of it are ever in memory.
func TestLargeResponseIsNotHeldInMemory(t *testing.T) {
	dir := t.TempDir()
	w := open(t, dir, Options{})
	const size = 96 << 20
	c := captureOf("http://e.example/large", "x")
	c.Response, c.Size = pattern{size}, size
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	write(t, w, c)
	runtime.ReadMemStats(&after)
	if got := after.TotalAlloc - before.TotalAlloc; got > 48<<20 {
		t.Errorf("%d bytes were allocated for an answer of %d", got, size)
	}
	closeOK(t, w)
	if left := files(t, dir, "archive/.awarc/"+durable.Temporary+"*"); len(left) != 0 {
		t.Errorf("left behind: %v", left)
	}
	reports, err := Verify(files(t, dir, "archive/*.warc.gz")...)
	if err != nil || reports[0].Bad != nil || reports[0].Records["response"] != 1 || reports[0].Size < size {
		t.Errorf("%+v, %v", reports, err)
	}
}

func TestRefusals(t *testing.T) {
	for name, o := range map[string]Options{
		"prefix":   {Prefix: "../x"},
		"negative": {MaxSize: -1},
		"free":     {MinSpace: -1},
		"warcinfo": {Info: map[string]string{"a b": "c"}},
	} {
		if _, err := Open(t.TempDir(), o); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", name, err)
		}
	}
	dir := t.TempDir()
	w := open(t, dir, Options{})
	for want, change := range map[string]func(*Capture){
		"urn:uuid":        func(c *Capture) { c.ID = "x" },
		"is not a urn":    func(c *Capture) { c.ID += "> x" },
		"WARC-Target-URI": func(c *Capture) { c.URL = "http://e/\r\nWARC-Type: x" },
		"absolute":        func(c *Capture) { c.URL = "/x" },
		"needs the bytes": func(c *Capture) { c.Request = nil },
		"of the response": func(c *Capture) { c.Size = 0 },
		"truncated":       func(c *Capture) { c.Truncated = "lost" },
		"field name":      func(c *Capture) { c.Metadata = []Field{{"a:b", ""}} },
		"ParseAddr":       func(c *Capture) { c.IP = "here" },
		"too long":        func(c *Capture) { c.URL = "http://e/" + strings.Repeat("x", maxHead) },
		"reading":         func(c *Capture) { c.Size++; c.BlockDigest, c.PayloadDigest = "sha256:A", "sha256:A" },
	} {
		c := page(1)
		change(&c)
		if _, err := w.Write(c); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("want an error with %q, got %v", want, err)
		}
	}
	if _, err := Open(dir, Options{}); err == nil || !strings.Contains(err.Error(), "in use") {
		t.Errorf("a second Open: %v", err)
	}
	c := page(2) // after all that, writing goes on; and nothing but the necessary is needed
	c.IP, c.MIME, c.Metadata, c.Quads, c.Locate, c.Time = "", "nonsense", nil, nil, nil, time.Time{}
	write(t, w, c)
	closeOK(t, w)
	if got := len(check(t, dir)); got != 1 {
		t.Errorf("%d captures, want 1", got)
	}
}

// BenchmarkWrite is a page of 20 KB with its request, metadata and quads; MB/s are of the answers.
func BenchmarkWrite(b *testing.B) {
	w := open(b, b.TempDir(), Options{})
	body := strings.Repeat("<p>The quick brown fox jumps over the lazy dog, once more.</p>\n", 320)
	response := "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n" + body
	block, payload, err := digestsOf(strings.NewReader(response), int64(len(response)))
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(len(response)))
	b.ReportAllocs()
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			c := captureOf("http://e.example/", response)
			c.BlockDigest, c.PayloadDigest = block, payload
			if _, err := w.Write(c); err != nil {
				b.Error(err)
			}
		}
	})
}
