package crawl

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/awarc/awarc/engine"
)

// longLog is the folder of a crawl whose log has more than is read of it.
func longLog(t testing.TB) (dir string, exchanges int) {
	t.Helper()
	var log bytes.Buffer
	enc := json.NewEncoder(&log)
	n := 0
	for ; log.Len() < 2*LogTail; n++ {
		e := engine.Exchanged{Time: time.Unix(int64(n), 0).UTC(), URL: fmt.Sprintf("http://e.example/viewtopic.php?f=2&t=%d", n/2),
			Status: 200, MIME: "text/html", Type: "phpbb", Level: "topic", File: "a.warc.gz", Offset: int64(n), Duration: 0.2}
		if n%2 == 1 {
			e.Record = "urn:uuid:x"
		}
		if err := enc.Encode(e); err != nil {
			t.Fatal(err)
		}
	}
	dir = t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "log"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "log", "crawl.jsonl"), log.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
	return dir, n
}

// Of a URL, and of none that only begins like it, the last exchange that is wanted is found, whatever characters the log escapes.
func TestExchangesOfAURL(t *testing.T) {
	t.Parallel()
	dir, n := longLog(t)
	address := fmt.Sprintf("http://e.example/viewtopic.php?f=2&t=%d", n/2-10)
	for _, archived := range []bool{true, false} {
		found, err := Folder(dir).ExchangesOf(address, func(e *engine.Exchanged) bool { return (e.Record != "") == archived })
		if err != nil || len(found) != 1 || found[0].URL != address || (found[0].Record != "") != archived {
			t.Errorf("archived %v: %+v, %v", archived, found, err)
		}
	}
	found, err := Folder(dir).ExchangesOf(address[:len(address)-1], func(*engine.Exchanged) bool { return true })
	if err != nil || len(found) > 0 {
		t.Errorf("of another: %+v, %v", found, err)
	}
}

// BenchmarkExchangesOf looks for a URL that the end of a long log does not have, by decoding all lines and only those of the URL.
func BenchmarkExchangesOf(b *testing.B) {
	dir, _ := longLog(b)
	const address = "http://e.example/viewtopic.php?f=9&t=1"
	b.Run("all", func(b *testing.B) {
		for b.Loop() {
			_, _ = Folder(dir).Exchanges(1, func(e *engine.Exchanged) bool { return e.URL == address })
		}
	})
	b.Run("own", func(b *testing.B) {
		for b.Loop() {
			_, _ = Folder(dir).ExchangesOf(address, func(*engine.Exchanged) bool { return true })
		}
	})
}
