package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestSeedFileNamesTheLine: a line that is not an address is named by its number.
func TestSeedFileNamesTheLine(t *testing.T) {
	file := filepath.Join(t.TempDir(), "seeds.txt")
	if err := os.WriteFile(file, []byte("# seeds\n\nhttp://h.example/\nmailto:me@h.example\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	var out, errs strings.Builder
	status := run(t.Context(), []string{"crawl", "--dry-run", "--seed-file", file}, streams{nil, &out, &errs})
	if want := file + ":4: seed \"mailto:me@h.example\""; status != exitUsage || !strings.Contains(errs.String(), want) {
		t.Errorf("status %d, %q does not contain %q", status, errs.String(), want)
	}
}
