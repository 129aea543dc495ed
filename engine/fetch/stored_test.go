package fetch

import (
	"bytes"
	"compress/gzip"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"
)

// What is made of an archived answer is what was made of the answer itself,
// whatever its framing and coding.
func TestStoredIsReadAsFetched(t *testing.T) {
	const page = "<meta charset=iso-8859-1><p>na\xefve"
	for name, serve := range map[string]http.HandlerFunc{
		"with a length": func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, page) },
		"in chunks": func(w http.ResponseWriter, _ *http.Request) {
			_, _ = io.WriteString(w, page[:5])
			w.(http.Flusher).Flush()
			_, _ = io.WriteString(w, page[5:])
		},
		"compressed": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Encoding", "gzip")
			w.Header().Set("Content-Type", "text/html")
			z := gzip.NewWriter(w)
			_, _ = io.WriteString(z, page)
			_ = z.Close()
		},
	} {
		t.Run(name, func(t *testing.T) {
			server := httptest.NewServer(serve)
			defer server.Close()
			c, err := New(Options{SpoolDir: t.TempDir()})
			if err != nil {
				t.Fatal(err)
			}
			defer c.Close()
			ex, err := c.Do(t.Context(), server.URL+"/", nil)
			if err != nil {
				t.Fatal(err)
			}
			defer ex.Close()
			block, err := io.ReadAll(io.NewSectionReader(ex.Response, 0, ex.Size))
			if err != nil {
				t.Fatal(err)
			}
			again, err := Stored(ex.URL, block, ex.Start)
			if err != nil {
				t.Fatal(err)
			}
			defer again.Close()
			want, err := ex.HTML()
			if err != nil {
				t.Fatal(err)
			}
			got, err := again.HTML()
			if err != nil || !bytes.Equal(got.HTML, want.HTML) || got.Charset != want.Charset || again.HeaderSize != ex.HeaderSize ||
				again.Status != ex.Status {
				t.Errorf("%q in %s with status %d, want %q in %s with %d; error %v", got.HTML, got.Charset, again.Status, want.HTML,
					want.Charset, ex.Status, err)
			}
		})
	}
	if _, err := Stored("http://a.example/", []byte("HTTP/1.1 200 OK\r\nA: b\r\n"), time.Time{}); err == nil {
		t.Error("half a header was taken for an answer")
	}
}
