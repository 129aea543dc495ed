package fetch

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

// bombSize is more than may be in memory.
const bombSize = 400 << 20

// bomb is a long text in a coding.
func bomb(t *testing.T, open func(io.Writer) io.WriteCloser) []byte {
	t.Helper()
	var b bytes.Buffer
	w := open(&b)
	text := bytes.Repeat([]byte("so few words\n"), 1<<20/13)
	for range bombSize >> 20 {
		if _, err := w.Write(text); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// peak runs f and returns by how many bytes the memory that Go holds from the system for the heap, in use, grew at most.
func peak(f func()) int64 {
	var before, now runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	most := int64(0)
	done := make(chan struct{})
	var watch sync.WaitGroup
	watch.Go(func() {
		for {
			runtime.ReadMemStats(&now)
			most = max(most, int64(now.HeapInuse)-int64(before.HeapInuse))
			select {
			case <-done:
				return
			case <-time.After(time.Millisecond):
			}
		}
	})
	f()
	close(done)
	watch.Wait()
	return most
}

// TestMemoryOfBombs: an answer waits in a file, however it goes on, and of its text no more than MaxPage is in memory,
// once as decoded and once more while it is put together and converted.
func TestMemoryOfBombs(t *testing.T) {
	if raceDetector {
		t.Skip("the race detector takes memory of its own")
	}
	const bound = 4*MaxPage + 32<<20
	best := func(w io.Writer) io.WriteCloser { z, _ := gzip.NewWriterLevel(w, gzip.BestCompression); return z }
	bombs := map[string][]byte{
		"gzip": bomb(t, best),
		"br":   bomb(t, func(w io.Writer) io.WriteCloser { return brotli.NewWriterLevel(w, 4) }),
		"zstd": bomb(t, func(w io.Writer) io.WriteCloser { z, _ := zstd.NewWriter(w); return z }),
	}
	endless := bytes.Repeat([]byte("<p>on and on</p>\n"), 1<<12)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		coding := r.URL.Path[1:]
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		if b := bombs[coding]; b != nil {
			w.Header().Set("Content-Encoding", coding)
			w.Write(b)
			return
		}
		for {
			if _, err := w.Write(endless); err != nil {
				return
			}
		}
	}))
	defer server.Close()
	c, err := New(Options{SpoolDir: t.TempDir(), MaxBody: bombSize})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	for _, path := range []string{"gzip", "br", "zstd", "endless"} {
		got := peak(func() {
			ex, err := c.Do(t.Context(), server.URL+"/"+path, nil)
			if err != nil {
				t.Error(err)
				return
			}
			defer ex.Close()
			if ex.Length(MaxPage+1) <= MaxPage {
				t.Errorf("%s: no longer than a page", path)
			}
			if text, err := ex.HTML(); err != nil || len(text.HTML) != MaxPage {
				t.Errorf("%s: %d bytes, %v", path, len(text.HTML), err)
			}
			if path == "endless" && (ex.Truncated != TruncatedLength || ex.Size < bombSize) {
				t.Errorf("%d bytes, truncated %q", ex.Size, ex.Truncated)
			}
		})
		t.Logf("%s: %d MiB at most", path, got>>20)
		if got > bound {
			t.Errorf("%s: took %d MiB, bound is %d", path, got>>20, bound>>20)
		}
	}
}
