package engine

import (
	"io"
	"os"
	"path/filepath"
	"testing"
)

// TestSeenTexts: the texts of a session are compared with those of earlier ones, a page is not
// compared with itself, and a record that a kill cut is left out.
func TestSeenTexts(t *testing.T) {
	t.Parallel()
	file, err := os.OpenFile(filepath.Join(t.TempDir(), "texts"), os.O_CREATE|os.O_RDWR|os.O_APPEND, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	session := func() *SeenTexts {
		t.Helper()
		if _, err := file.Seek(0, io.SeekStart); err != nil {
			t.Fatal(err)
		}
		s := new(SeenTexts)
		if err := s.Keep(file); err != nil {
			t.Fatal(err)
		}
		return s
	}
	first := session()
	if first.repeated(1, "a") || first.repeated(2, "b") || first.repeated(1, "a") || !first.repeated(1, "c") {
		t.Error("the first session takes new texts for repeated ones, or repeated ones for new")
	}
	if err := file.Truncate(31); err != nil { // the second record ends early
		t.Fatal(err)
	}
	second := session()
	if !second.repeated(1, "d") || second.repeated(1, "a") || second.repeated(2, "b") {
		t.Error("the second session does not go on from the first")
	}
	if !session().repeated(2, "d") {
		t.Error("what is behind a record that was cut is lost")
	}
}
