package fetch

import (
	"net/http"
	"net/http/httptest"
	"testing"
)

// TestEndlessRobots: a robots.txt without end costs what the caller allows, not MaxBody.
func TestEndlessRobots(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		line := []byte("# nothing to see here, but a lot of it, on and on\n")
		for r.Context().Err() == nil {
			if _, err := w.Write(line); err != nil {
				return
			}
		}
	}))
	defer server.Close()
	c, err := New(Options{SpoolDir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	ex, err := c.Do(WithMaxBody(t.Context(), 1<<20), server.URL+"/robots.txt", nil)
	if err != nil {
		t.Fatal(err)
	}
	defer ex.Close()
	if ex.Truncated != TruncatedLength || ex.Size > 2<<20 {
		t.Errorf("%d bytes, truncated %q", ex.Size, ex.Truncated)
	}
}
