package cockpit

import (
	"errors"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/awarc/awarc/engine/crawl"
)

// TestCopiesFollowWhatANodeHas: a copy of what a node has is brought up to date, whatever became of its files, and nothing else is given
// away.
func TestCopiesFollowWhatANodeHas(t *testing.T) {
	dir, to := t.TempDir(), filepath.Join(t.TempDir(), "copy")
	n := crawl.NodeState{Node: "urn:uuid:one", State: "running"}
	server := httptest.NewServer(nodeHandler(dir, n.Node, &Feed{}))
	defer server.Close()
	n.API = strings.TrimPrefix(server.URL, "http://")
	write := func(name, text string) {
		t.Helper()
		file := filepath.Join(dir, filepath.FromSlash(name))
		if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o755), os.WriteFile(file, []byte(text), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	long := strings.Repeat("a line of the log\n", 100)
	write("log/crawl.jsonl", long)
	write("graph/a.nq.gz.open", long)
	write("archive/index.cdxj", "first")
	write("archive/a.warc.gz", "not for a copy")
	write(crawl.SettingsFile, "{}")
	c := New(Options{})
	follow := func(names ...string) {
		t.Helper()
		if err := c.copyNode(t.Context(), &n, to, 0); err != nil {
			t.Fatal(err)
		}
		for _, name := range names {
			want, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(name)))
			have, wrong := os.ReadFile(filepath.Join(to, filepath.FromSlash(name)))
			if err != nil || wrong != nil || string(have) != string(want) {
				t.Errorf("%s: %d bytes, want %d; %v %v", name, len(have), len(want), err, wrong)
			}
		}
	}
	follow("log/crawl.jsonl", "graph/a.nq.gz.open", "archive/index.cdxj", crawl.SettingsFile)
	if _, err := os.Stat(filepath.Join(to, "archive", "a.warc.gz")); !errors.Is(err, fs.ErrNotExist) {
		t.Error("an archive is copied")
	}
	write("log/crawl.jsonl", long+long)
	write("archive/index.cdxj", "other")
	if err := os.Rename(filepath.Join(dir, "graph", "a.nq.gz.open"), filepath.Join(dir, "graph", "a.nq.gz")); err != nil {
		t.Fatal(err)
	}
	write("graph/a.nq.gz", long+"the end")
	follow("log/crawl.jsonl", "graph/a.nq.gz", "archive/index.cdxj")
	if _, err := os.Stat(filepath.Join(to, "graph", "a.nq.gz.open")); !errors.Is(err, fs.ErrNotExist) {
		t.Error("a file that was finished is there twice")
	}
	write("log/crawl.jsonl", long+"torn, and mended when the node went on\n"+long+long)
	write("graph/a.nq.gz", long)
	follow("log/crawl.jsonl", "graph/a.nq.gz")

	for _, name := range []string{"archive/a.warc.gz", "state/../archive/a.warc.gz", "../copy/a", "graph/%2e%2e/archive/a.warc.gz"} {
		answer, err := http.Get(server.URL + nodePaths + "files/" + name)
		if err != nil {
			t.Fatal(err)
		}
		answer.Body.Close()
		if answer.StatusCode != http.StatusNotFound {
			t.Errorf("%s: %s", name, answer.Status)
		}
	}
	write("log/crawl.jsonl", long+long+long+long+long)
	if err := c.copyNode(t.Context(), &n, to, 1<<60); err == nil || !strings.Contains(err.Error(), "too little space") {
		t.Errorf("a copy that does not fit: %v", err)
	}
	n.Node = "urn:uuid:two"
	if err := c.copyNode(t.Context(), &n, to, 0); err == nil || !strings.Contains(err.Error(), "another node answers") {
		t.Errorf("a node at the address of another: %v", err)
	}
}

// TestWatchedOfNodes: what is watched on two nodes is one, the latest first, each rate at its time.
func TestWatchedOfNodes(t *testing.T) {
	at := func(seconds int) time.Time { return time.Unix(1000+int64(seconds), 0) }
	var one, two watched
	for i := range 3 {
		one.Notes = append(one.Notes, Note{at(10 - 2*i), "one"})
		two.Notes = append(two.Notes, Note{at(9 - 2*i), "two"})
	}
	one.Slot, two.Slot = at(10), at(0)
	one.Slots[rateSlots-1], two.Slots[rateSlots-1] = 5, 7
	one.add(&two)
	for i, n := range one.Notes {
		if want := []string{"one", "two"}[i%2]; n.Text != want {
			t.Errorf("note %d is of %s", i, n.Text)
		}
	}
	if len(one.Notes) != 6 || one.Slots[rateSlots-1] != 5 || one.Slots[rateSlots-3] != 7 {
		t.Errorf("%d notes, rates %v", len(one.Notes), one.Slots[rateSlots-3:])
	}
}
