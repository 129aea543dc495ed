package fetch

import (
	"bufio"
	"bytes"
	"compress/flate"
	"compress/gzip"
	"compress/zlib"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/zstd"

	"github.com/awarc/awarc/engine/httpmsg"
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
	brotlied, zstded := compressed(t, text, newBrotliWriter), compressed(t, text, newZstdWriter)
	gzipped := compressed(t, text, newGzipWriter)
	const png = "\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR"
	for _, c := range []struct {
		name, coding, body, want string
		fails                    bool
	}{
		{"brotli", "br", brotlied, text, false},
		{"zstd", "ZSTD", zstded, text, false},
		{"zstd after a frame to skip", "zstd", "\x50\x2a\x4d\x18\x02\x00\x00\x00hi" + zstded, text, false},
		{"one in the other", "br, zstd", compressed(t, brotlied, newZstdWriter), text, false},
		{"broken brotli", "br", "\xff\xff\x00\x01", "", true},
		{"says br, is not", "br", text, text, false},
		{"says br, is a word", "br", "OK", "OK", false},
		{"says br, is a page", "br", "<html><p>Gr\xfc\xdfe</html>", "<html><p>Gr\xfc\xdfe</html>", false},
		{"says br, is an image", "br", png, png, false},
		{"says deflate, is not", "deflate", text, text, false},
		{"says deflate, is an image", "deflate", png, png, false},
		{"says deflate, begins as zlib does", "deflate", "x^2 + y^2 = z^2", "x^2 + y^2 = z^2", false},
		{"says br, is gzip", "br", gzipped, text, false},
		{"says gzip, is zstd", "gzip", zstded, text, false},
		{"says two, is one", "gzip, br", gzipped, text, false},
		{"says two, is the other", "gzip, br", brotlied, text, false},
		{"says gzip, is zlib", "gzip", zlibbed.String(), text, false},
		{"says gzip, is bare deflate", "gzip", deflated.String(), text, false},
		{"says gzip, is brotli", "gzip", brotlied, text, false},
		{"says br, is zlib", "br", zlibbed.String(), text, false},
		{"says deflate, is brotli", "deflate", brotlied, text, false},
		{"says gzip, is an image", "gzip", png, png, false},
		{"a coding of a storage service", "aws-chunked, gzip", gzipped, text, false},
		{"with a weight", "gzip;q=1.0", gzipped, text, false},
		{"an old name", "x-gzip", gzipped, text, false},
		{"identity and gzip", "identity, GZIP", gzipped, text, false},
		{"names in quotes", `"gzip"`, gzipped, text, false},
		{"junk behind gzip", "gzip", gzipped + "\n<!-- cached -->\n", text, false},
		{"junk behind brotli", "br", brotlied + "\n<!-- cached -->\n", text, false},
		{"junk behind zstd", "zstd", zstded + "\n<!-- cached -->\n", text, false},
		{"junk behind deflate", "deflate", deflated.String() + "\n<!-- cached -->\n", text, false},
		{"no checksum", "gzip", gzipped[:len(gzipped)-8], text, false},
		{"a part of the checksum", "gzip", gzipped[:len(gzipped)-5], text, false},
		{"two members", "gzip", gzipped + gzipped, text + text, false},
		{"empty brotli", "br", "", "", false},
		{"says zstd, is not", "zstd", text, text, false},
		{"broken zstd", "zstd", "\x28\xb5\x2f\xfdgarbage", "", true},
		{"a window of 64 MiB", "zstd", "\x28\xb5\x2f\xfd\x00\x80\x01\x00\x00", "", true},
		{"zlib", "deflate", zlibbed.String(), text, false},
		{"bare deflate", "Deflate", deflated.String(), text, false},
		{"identity", "identity", text, text, false},
		{"empty field", " ", text, text, false},
		{"says gzip, is not", "gzip", text, text, false},
		{"empty gzip", "gzip", "", "", false},
		{"not asked for", "compress", "\x1f\x9dxx", "", true},
		{"says compress, is not", "compress", "xx", "xx", false},
		{"none that anybody knows", "utf-8", text, text, false},
		{"broken gzip header", "gzip", "\x1f\x8bgarbage", "", true},
		{"broken deflate", "deflate", "\xff\xff\x00\x01", "", true},
		{"cut off", "deflate", zlibbed.String()[:zlibbed.Len()-3], text, false},
	} {
		got, err := fake(t, http.Header{"Content-Encoding": {c.coding}}, c.body).Body(0)
		var typed *Error
		if string(got) != c.want || (err != nil) != c.fails || c.fails && !errors.As(err, &typed) {
			t.Errorf("%s: %.40q, %v", c.name, got, err)
		}
	}
}

// Of compressed text that breaks off, what came is read.
func TestCutCompressedText(t *testing.T) {
	t.Parallel()
	var numbers strings.Builder
	for i := range 50_000 {
		fmt.Fprintln(&numbers, i*i)
	}
	text := numbers.String()
	for coding, open := range map[string]func(io.Writer) io.WriteCloser{
		"gzip": newGzipWriter, "br": newBrotliWriter, "zstd": newZstdWriter,
	} {
		whole := compressed(t, text, open)
		h := http.Header{"Content-Encoding": {coding}, "Content-Type": {"text/html; charset=utf-8"}}
		got, err := fake(t, h, whole[:len(whole)/2]).HTML()
		if err != nil || !got.Cut || len(got.HTML) < len(text)/4 || !strings.HasPrefix(text, string(got.HTML)) {
			t.Errorf("%s: %d of %d bytes, cut %v, %v", coding, len(got.HTML), len(text), got.Cut, err)
		}
		if got, err := fake(t, h, whole).HTML(); err != nil || got.Cut || string(got.HTML) != text {
			t.Errorf("%s: whole: %d of %d bytes, cut %v, %v", coding, len(got.HTML), len(text), got.Cut, err)
		}
		if coding != "gzip" {
			continue
		}
		if got, err := fake(t, h, whole[:len(whole)-8]).HTML(); err != nil || got.Cut || string(got.HTML) != text {
			t.Errorf("without a trailer: %d of %d bytes, cut %v, %v", len(got.HTML), len(text), got.Cut, err)
		}
	}
}

func newGzipWriter(w io.Writer) io.WriteCloser { return gzip.NewWriter(w) }

func newBrotliWriter(w io.Writer) io.WriteCloser { return brotli.NewWriter(w) }

func newZstdWriter(w io.Writer) io.WriteCloser {
	z, _ := zstd.NewWriter(w) // it fails for options only
	return z
}

func compressed(t *testing.T, text string, open func(io.Writer) io.WriteCloser) string {
	t.Helper()
	var b bytes.Buffer
	w := open(&b)
	if _, err := io.WriteString(w, text); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestLength(t *testing.T) {
	t.Parallel()
	text := strings.Repeat("some text ", 100)
	for coding, body := range map[string]string{"": text, "zstd": compressed(t, text, newZstdWriter), "nonsense": text,
		"compress": text, "br": text} {
		h := http.Header{}
		if coding != "" {
			h.Set("Content-Encoding", coding)
		}
		for most, want := range map[int64]int64{999: 999, 1000: 1000, 1001: 1000} {
			if got := fake(t, h, body).Length(most); got != want {
				t.Errorf("%q counted up to %d: %d, want %d", coding, most, got, want)
			}
		}
	}
}

// FuzzDecode: whatever bytes come in whatever codings, Body ends, within its bound, and Length agrees.
func FuzzDecode(f *testing.F) {
	for _, coding := range []string{"gzip", "deflate", "br", "zstd", "br, gzip", "identity"} {
		f.Add(coding, []byte("\x1f\x8b\x08\x00"))
		f.Add(coding, []byte("<html><body><p>word</p></body></html>"))
		f.Add(coding, []byte("x^2"))
		f.Add(coding, []byte("\x28\xb5\x2f\xfd\x04\x00"))
	}
	f.Fuzz(func(t *testing.T, coding string, body []byte) {
		const most = 1 << 16
		got, err := fake(t, http.Header{"Content-Encoding": {coding}}, string(body)).Body(most)
		if len(got) > most {
			t.Errorf("%d bytes", len(got))
		}
		length := fake(t, http.Header{"Content-Encoding": {coding}}, string(body)).Length(most)
		if err == nil && length != int64(len(got)) {
			t.Errorf("%d bytes, and %d were decoded", length, len(got))
		}
	})
}

func FuzzRetryAfter(f *testing.F) {
	for _, value := range []string{"120", "1e99", "-1", "Fri, 20 Nov 2026 10:01:00 GMT", "Friday, 20-Nov-26 10:01:00 GMT",
		"Fri Nov 20 10:01:00 2026", "soon"} {
		f.Add(value, "Fri, 20 Nov 2026 09:00:00 GMT")
		f.Add(value, "")
	}
	f.Fuzz(func(t *testing.T, value, date string) {
		wait := RetryAfter(http.Header{"Retry-After": {value}, "Date": {date}}, time.Unix(1.8e9, 0))
		if wait < 0 || wait > maxRetryAfter {
			t.Errorf("%q at %q: %v", value, date, wait)
		}
	})
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
		{"Fri Nov 20 10:01:00 2026", "", time.Minute},
		{"1e3", "", 1000 * time.Second},
		{"Inf", "", maxRetryAfter},
		{"-99999999999999999999", "", 0},
		{"120, 60", "", 0},
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
func readAnswer(wire []byte) (*httpmsg.Head, []byte, error) {
	br := bufio.NewReader(bytes.NewReader(wire))
	h, err := httpmsg.ReadHead(br)
	if err != nil {
		return nil, nil, err
	}
	f, n := h.Framing()
	body, err := io.ReadAll(httpmsg.Entity(br, f, n))
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
		if h.Status != resp.StatusCode {
			t.Errorf("status %d, net/http %d", h.Status, resp.StatusCode)
		}
		if slowErr != nil {
			return
		}
		if err != nil || !bytes.Equal(body, slow) {
			t.Errorf("body %q, %v, net/http %q", body, err, slow)
		}
	})
}

// TestDecodersTakeTurns: a body is decoded when there is a decoder for it, and gives it back.
func TestDecodersTakeTurns(t *testing.T) {
	ex := fake(t, http.Header{}, "a body")
	for _, decode := range []func(){func() { _ = ex.Length(10) }, func() { _, _ = ex.Body(10) }} {
		for range cap(decoders) {
			decoders <- struct{}{}
		}
		done := make(chan struct{})
		go func() {
			decode()
			close(done)
		}()
		select {
		case <-done:
			t.Error("a body was decoded beside as many as there may be")
		case <-time.After(50 * time.Millisecond):
		}
		for range cap(decoders) {
			<-decoders
		}
		<-done
	}
	if len(decoders) != 0 {
		t.Errorf("%d decoders were not given back", len(decoders))
	}
}

// A page whose coding nobody declares is one all the same; another file of gzip stays packed.
func TestPackedPage(t *testing.T) {
	t.Parallel()
	const page = "<!doctype html><p>text"
	packed := compressed(t, page, newGzipWriter)
	for coding, body := range map[string]string{
		"": packed, "identity": packed, "aws-chunked": packed,
		"gzip": compressed(t, packed, newGzipWriter),
	} {
		e := fake(t, http.Header{"Content-Type": {"text/html"}, "Content-Encoding": {coding}}, body)
		if text, err := e.HTML(); err != nil || string(text.HTML) != page || e.MediaType() != "text/html" {
			t.Errorf("%q: %s, %q, %v", coding, e.MediaType(), text.HTML, err)
		}
		e = fake(t, http.Header{"Content-Type": {"application/gzip"}, "Content-Encoding": {coding}}, compressed(t, body, newGzipWriter))
		if got := e.MediaType(); got != "application/gzip" {
			t.Errorf("a file of gzip under %q is %s", coding, got)
		}
	}
}
