package archive

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The captures of a URL are found wherever they are in a long index.
func TestFind(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "archive"), 0o755); err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for i := range 5000 { // sorted
		for j := range 2 {
			fmt.Fprintf(&b, `com,example)/page%04d 2026010%d120000 {"url":"http://example.com/page%04d","mime":"text/html","status":"200",`+
				`"digest":"sha256:x","length":"9","offset":"%d","filename":"a.warc.gz"}`+"\n", i, j+1, i, 10*i+j)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "archive", "index.cdxj"), []byte(b.String()), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, i := range []int{0, 1, 700, 2499, 2500, 4998, 4999} {
		found, err := Find(dir, fmt.Sprintf("http://example.com/page%04d", i))
		if err != nil || len(found) != 2 || found[0].Offset != int64(10*i) || found[1].Time.Day() != 2 || found[1].Status != 200 {
			t.Errorf("page %d: %+v, %v", i, found, err)
		}
	}
	for _, other := range []string{"http://example.com/page5000", "http://a.example/", "http://zz.example/", "http://example.com/page",
		""} {
		if found, err := Find(dir, other); err != nil || len(found) > 0 {
			t.Errorf("%s: %+v, %v", other, found, err)
		}
	}
	if found, err := Find(t.TempDir(), "http://example.com/"); err != nil || len(found) > 0 {
		t.Errorf("without an index: %+v, %v", found, err)
	}
}
