package corpus

import (
	"bytes"
	"compress/gzip"
	"os"
	"path/filepath"
	"testing"
)

// TestReadFile reads pages as they are, and compressed ones decompressed.
func TestReadFile(t *testing.T) {
	const page = "<p>oak</p>"
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	if _, err := z.Write([]byte(page)); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	for name, data := range map[string][]byte{"a.html": []byte(page), "a.html.gz": b.Bytes()} {
		file := filepath.Join(t.TempDir(), name)
		if err := os.WriteFile(file, data, 0o600); err != nil {
			t.Fatal(err)
		}
		if got, err := ReadFile(file); err != nil || string(got) != page {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
	file := filepath.Join(t.TempDir(), "bad.gz")
	if err := os.WriteFile(file, []byte(page), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := ReadFile(file); err == nil {
		t.Error("a file that is not compressed was read as such")
	}
}
