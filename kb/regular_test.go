//go:build unix

package kb

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// A named pipe in a folder of the knowledge base is an error at once, and examples lie beside the file that a link names.
func TestOddFiles(t *testing.T) {
	dir := t.TempDir()
	pipe := filepath.Join(dir, "pipe.xml")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := ReadSources(dir); err == nil || !strings.Contains(err.Error(), "pipe.xml is a named pipe") {
		t.Errorf("a named pipe: %v", err)
	}
	links := t.TempDir()
	for name, text := range map[string]string{"real.xml": "<kb/>", "page.html": "<p>"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	link := filepath.Join(links, "link.xml")
	if err := os.Symlink(filepath.Join(dir, "real.xml"), link); err != nil {
		t.Fatal(err)
	}
	x := Example{Page: "page.html", Pos: Position{File: link}}
	if got, err := x.Read(); string(got) != "<p>" || err != nil {
		t.Errorf("an example beside the target of a link: %q, %v", got, err)
	}
}
