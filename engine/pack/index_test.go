package pack

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"testing"
)

// TestBlocks: whatever the length of an index, its blocks are that index, each readable by itself where its place says.
func TestBlocks(t *testing.T) {
	for _, n := range []int{0, 1, blockLines - 1, blockLines, blockLines + 1, 3*blockLines + 7} {
		var index strings.Builder
		for i := range n {
			fmt.Fprintf(&index, "com,example)/%06d 20260101000000 {\"url\":\"http://example.com/%d\"}\n", i, i)
		}
		var w, places bytes.Buffer
		if err := blocks(&w, &places, strings.NewReader(index.String())); err != nil {
			t.Fatal(err)
		}
		var all []byte
		count := 0
		for line := range strings.Lines(places.String()) {
			key, data, _ := strings.Cut(line, " {")
			var b block
			if err := json.Unmarshal([]byte("{"+data), &b); err != nil {
				t.Fatal(err)
			}
			z, err := gzip.NewReader(bytes.NewReader(w.Bytes()[b.Offset : b.Offset+b.Length]))
			if err != nil {
				t.Fatal(err)
			}
			text, err := io.ReadAll(z)
			if err != nil || !bytes.HasPrefix(text, []byte(key+" {")) {
				t.Errorf("%d lines: the block of %s is %.50q (%v)", n, key, text, err)
			}
			all = append(all, text...)
			count++
		}
		if string(all) != index.String() || count != (n+blockLines-1)/blockLines {
			t.Errorf("%d lines: %d blocks with %d of %d bytes", n, count, len(all), index.Len())
		}
	}
}
