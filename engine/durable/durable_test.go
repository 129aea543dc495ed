package durable

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"
)

// TestWriteFileReplacesOrLeaves: a file is replaced whole, or stays as it was, and nothing else is left in its folder.
func TestWriteFileReplacesOrLeaves(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "report.json")
	broken := errors.New("the disk is full")
	for _, step := range []struct {
		text string
		err  error
		want string
	}{{"old", nil, "old"}, {"half of it", broken, "old"}, {"new", nil, "new"}} {
		err := WriteFile(name, 0o640, func(w io.Writer) error {
			_, err := io.WriteString(w, step.text)
			return errors.Join(err, step.err)
		})
		if !errors.Is(err, step.err) {
			t.Errorf("writing %q: %v, want %v", step.text, err, step.err)
		}
		if got, err := os.ReadFile(name); err != nil || string(got) != step.want {
			t.Errorf("after %q it holds %q, %v; want %q", step.text, got, err, step.want)
		}
	}
	if info, err := os.Stat(name); err != nil || info.Mode().Perm() != 0o640 {
		t.Errorf("%v, %v; want mode 0640", info, err)
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != 1 {
		t.Errorf("the folder holds %v, %v; want one file", entries, err)
	}
	if err := SyncDir(dir); err != nil {
		t.Error(err)
	}
	if err := SyncDir(name + "/absent"); err == nil {
		t.Error("a folder that is not there was synced")
	}
}
