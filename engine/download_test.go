package engine_test

import (
	"net/http"
	"strconv"
	"testing"

	"github.com/awarc/awarc/engine"
)

// TestDownloadsUnderWay: a long exchange is listed with its bytes and their total while it goes on,
// and not afterwards. The server sends more than the buffers of a connection hold before it looks.
func TestDownloadsUnderWay(t *testing.T) {
	const size, piece = 24 << 20, 1 << 20
	engines, under := make(chan *engine.Engine, 1), make(chan []engine.Download, 1)
	seed := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/long.bin" {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Content-Type", "application/octet-stream")
		w.Header().Set("Content-Length", strconv.Itoa(size))
		for range size/piece - 1 {
			_, _ = w.Write(make([]byte, piece))
		}
		under <- (<-engines).Downloads()
		_, _ = w.Write(make([]byte, piece))
	})) + "/long.bin"
	w := newWorld(t)
	w.fetcher = patientFetcher(t)
	e := w.open(seed)
	engines <- e
	if _, err := e.Run(t.Context(), t.Context()); err != nil {
		t.Fatal(err)
	}
	during := <-under
	if len(during) != 1 || during[0].URL != seed {
		t.Fatalf("under way: %v", during)
	}
	d := during[0]
	if header := d.Total - size; header <= 0 || header > 1000 || d.Received < piece || d.Received >= d.Total {
		t.Errorf("%d of %d bytes, of a body of %d", d.Received, d.Total, size)
	}
	if after := e.Downloads(); len(after) > 0 {
		t.Errorf("at the end: %v", after)
	}
}
