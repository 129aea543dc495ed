package kb_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/awarc/awarc/kb"
)

const ownType = `<?xml version="1.0" encoding="UTF-8"?>
<kb xmlns="` + kb.Namespace + `">
  <category id="forum">
    <type id="ours" name="Ours">
      <detect><pattern>div[@id='ours']</pattern></detect>
    </type>
  </category>
</kb>
`

// What is saved is what the editor had read, or it is not saved; what does not load is not saved either.
func TestSave(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	own := filepath.Join(dir, "own.xml")
	if err := os.WriteFile(own, []byte(ownType), 0o644); err != nil {
		t.Fatal(err)
	}
	s := kb.Store{Under: kb.Builtin(), Paths: []string{own}, Learned: filepath.Join(dir, "learned")}
	changed := []byte(strings.Replace(ownType, `'ours'`, `'others'`, 1))
	is := func(want string) {
		t.Helper()
		if data, err := os.ReadFile(own); err != nil || string(data) != want {
			t.Errorf("the file holds %s, %v", data, err)
		}
	}
	if err := s.Save(own, kb.Digest([]byte("older")), changed); !errors.Is(err, kb.ErrSavedMeanwhile) {
		t.Errorf("over another's: %v", err)
	}
	var broken kb.Errors
	if err := s.Save(own, kb.Digest([]byte(ownType)), []byte(ownType[:200])); !errors.As(err, &broken) {
		t.Errorf("torn: %v", err)
	}
	is(ownType)
	if err := s.Save(own, kb.Digest([]byte(ownType)), changed); err != nil {
		t.Fatal(err)
	}
	is(string(changed))
	other := []byte(strings.ReplaceAll(ownType, "ours", "theirs"))
	fresh := filepath.Join(dir, "learned", "theirs.xml")
	if err := s.Save(fresh, kb.Digest(nil), other); err != nil {
		t.Fatal(err)
	}
	if base, err := s.Load(); err != nil || base.Type("theirs") == nil {
		t.Errorf("the new file is not loaded: %v", err)
	}
	for _, name := range []string{filepath.Join(dir, "x.xml"), filepath.Join(dir, "learned", "..", "y.xml"), kb.Builtin()[0].Name,
		filepath.Join(dir, "learned", "z.txt"), "/etc/passwd", ""} {
		if err := s.Save(name, kb.Digest(nil), other); err == nil {
			t.Errorf("%q was saved", name)
		}
	}
}
