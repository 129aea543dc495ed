package engine

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestAvoidedLog: sketch and log have together what was added, each URL once; a line that a kill cut counts nothing.
func TestAvoidedLog(t *testing.T) {
	t.Parallel()
	log, err := os.OpenFile(filepath.Join(t.TempDir(), "log"), os.O_CREATE|os.O_RDWR|os.O_APPEND, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	wantLog := func(want string) {
		t.Helper()
		if got, err := os.ReadFile(log.Name()); err != nil || string(got) != want {
			t.Errorf("the log is %q, want %q, %v", got, want, err)
		}
	}
	const one, two, three, four = "http://a.example/1", "http://a.example/2", "http://a.example/3", "http://a.example/4"
	var first Avoided
	first.Log(log)
	first.add([]string{one, two, one, "http://a.example/" + strings.Repeat("x", 2*longestLogged)})
	full := errors.New("the disk is full")
	if err := first.Keep(func([]byte) error { return full }); !errors.Is(err, full) {
		t.Error(err)
	}
	first.add([]string{one})
	wantLog(one + "\n" + two + "\n")
	var sketch []byte
	if err := first.Keep(func(s []byte) error { sketch = s; first.add([]string{three}); return nil }); err != nil {
		t.Fatal(err)
	}
	wantLog(three + "\n")
	first.add([]string{two, four})
	if err := log.Truncate(int64(len(three + two + four))); err != nil { // the last line ends early
		t.Fatal(err)
	}
	if _, err := log.Seek(0, io.SeekStart); err != nil {
		t.Fatal(err)
	}
	var second Avoided
	if err := second.Merge(sketch); err != nil {
		t.Fatal(err)
	}
	whole, err := second.Read(log)
	if err != nil || whole != int64(len(three+two)+2) || second.Count() != 4 || first.Count() != 5 {
		t.Errorf("%d bytes read, %v; %d URLs, %d before", whole, err, second.Count(), first.Count())
	}
}
