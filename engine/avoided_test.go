package engine

import (
	"bytes"
	"errors"
	"strings"
	"testing"
)

// TestAvoidedLog: sketch and log have together what was added, each URL once; a line that a kill cut counts nothing.
func TestAvoidedLog(t *testing.T) {
	t.Parallel()
	var first Avoided
	var log bytes.Buffer
	first.Log(&log)
	first.add([]string{"http://a.example/1", "http://a.example/2", "http://a.example/1",
		"http://a.example/" + strings.Repeat("x", 2*longestLogged)})
	if got := log.String(); got != "http://a.example/1\nhttp://a.example/2\n" {
		t.Errorf("the log is %q", got)
	}
	full := errors.New("the disk is full")
	if err := first.Keep(func([]byte) error { return full }); !errors.Is(err, full) {
		t.Error(err)
	}
	first.add([]string{"http://a.example/1"}) // still in the log
	var sketch []byte
	if err := first.Keep(func(s []byte) error { sketch = s; log.Reset(); return nil }); err != nil {
		t.Fatal(err)
	}
	first.add([]string{"http://a.example/2", "http://a.example/3", "http://a.example/4"})
	log.Truncate(log.Len() - 2)
	var second Avoided
	if err := second.Merge(sketch); err != nil {
		t.Fatal(err)
	}
	whole, err := second.Read(&log)
	if err != nil || whole != 2*int64(len("http://a.example/2\n")) || second.Count() != 4 || first.Count() != 5 {
		t.Errorf("%d bytes read, %v; %d URLs, %d before", whole, err, second.Count(), first.Count())
	}
}
