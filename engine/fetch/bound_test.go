package fetch

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

func TestBoundEndsAnExchangeAfterItsHeader(t *testing.T) {
	body := strings.Repeat("0123456789", 1000)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "video/mp4")
		if r.URL.Path == "/chunked" {
			w.(http.Flusher).Flush()
		}
		w.Write([]byte(body))
	}))
	defer server.Close()
	c, err := New(Options{SpoolDir: t.TempDir(), MaxBody: 9000})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	for _, test := range []struct {
		path      string
		most      int64
		kept      int64
		truncated string
	}{
		{"/", 0, 0, TruncatedLength},
		{"/chunked", 0, 0, TruncatedLength},
		{"/", 100, 100, TruncatedLength},
		{"/", 1 << 40, 9000, TruncatedLength},
	} {
		ctx := WithBound(t.Context(), func(status int, h http.Header) int64 {
			if status != http.StatusOK || h.Get("Content-Type") != "video/mp4" {
				t.Errorf("asked about status %d, %v", status, h)
			}
			return test.most
		})
		ex, err := c.Do(ctx, server.URL+test.path, nil)
		if err != nil {
			t.Fatal(err)
		}
		if kept := ex.Size - ex.HeaderSize; kept != test.kept || ex.Truncated != test.truncated {
			t.Errorf("%s with at most %d bytes: %d are there, truncated %q", test.path, test.most, kept, ex.Truncated)
		}
		if err := ex.Close(); err != nil {
			t.Fatal(err)
		}
	}
}
