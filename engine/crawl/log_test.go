package crawl

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Of a log, a power cut costs the lines that did not reach the disk.
func TestLogWithHoles(t *testing.T) {
	dir := t.TempDir()
	zeros := strings.Repeat("\x00", 5000)
	name := filepath.Join(dir, "crawl.jsonl")
	if err := os.WriteFile(name, []byte(`{"n":1}`+"\n"+zeros+`2}`+"\n"+`{"n":3}`+"\n"+zeros+"\n"+`{"n":4}`+"\n"+`{"n`), 0o644); err != nil {
		t.Fatal(err)
	}
	l, err := openLog(dir, "crawl.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	l.write(map[string]int{"n": 5})
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	left, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(strings.Fields(string(left)), " "); got != `{"n":1} {"n":3} {"n":4} {"n":5}` {
		t.Errorf("left are %q", got)
	}
}
