package pack

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
)

// blocksOf packs an index and reads its blocks one by one, each where its place says.
func blocksOf(t *testing.T, index string) (keys, texts []string) {
	t.Helper()
	var w, places bytes.Buffer
	if err := blocks(&w, &places, strings.NewReader(index)); err != nil {
		t.Fatal(err)
	}
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
			t.Errorf("the block of %s is %.50q (%v)", key, text, err)
		}
		keys, texts = append(keys, key), append(texts, string(text))
	}
	return keys, texts
}

func indexLine(key string) string { return fmt.Sprintf("%s 20260101000000 {\"url\":%q}\n", key, key) }

// TestBlocks: whatever the length of an index, its blocks are that index.
func TestBlocks(t *testing.T) {
	for _, n := range []int{0, 1, blockLines - 1, blockLines, blockLines + 1, 3*blockLines + 7} {
		var index strings.Builder
		for i := range n {
			index.WriteString(indexLine(fmt.Sprintf("com,example)/%06d", i)))
		}
		_, texts := blocksOf(t, index.String())
		if all := strings.Join(texts, ""); all != index.String() || len(texts) != (n+blockLines-1)/blockLines {
			t.Errorf("%d lines: %d blocks with %d of %d bytes", n, len(texts), len(all), index.Len())
		}
	}
}

// TestViewersFindAddressesWithASlash: wabac.js keeps the slash at the end of an address, which the keys do not have, and reads the last
// block that does not begin after it. Permalinks that begin like others are the case where that could be another block.
func TestViewersFindAddressesWithASlash(t *testing.T) {
	var keys []string
	for i := range 2000 {
		post := fmt.Sprintf("com,example)/2026/%02d/post-%d", i%12, i)
		keys = append(keys, post, post+"-2", post+"-3", post+"/comments", post+".html")
	}
	for i := range 2 * blockLines { // begin alike, all of them
		keys = append(keys, fmt.Sprintf("com,example)/zoo-%04d", i))
	}
	keys = append(keys, "com,example)/zoo")
	slices.Sort(keys)
	var index strings.Builder
	for _, key := range keys {
		index.WriteString(indexLine(key))
	}
	starts, texts := blocksOf(t, index.String())
	if all := strings.Join(texts, ""); all != index.String() || len(texts) < 8 {
		t.Fatalf("%d blocks with %d of %d bytes", len(texts), len(all), index.Len())
	}
	for _, key := range keys {
		n, _ := slices.BinarySearch(starts, key+"/ 9999")
		if !strings.Contains(texts[n-1], indexLine(key)) {
			t.Errorf("%s/ is not in the block of %s", key, starts[n-1])
		}
	}

	index.Reset()
	for i := range 8 * blockLines { // so many that they do not stay together
		index.WriteString(indexLine(fmt.Sprintf("com,example)/zoo-%05d", i)))
	}
	if _, texts := blocksOf(t, indexLine("com,example)/zoo")+index.String()); len(texts) != 3 {
		t.Errorf("%d blocks", len(texts))
	}
}
