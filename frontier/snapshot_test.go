package frontier

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// TestSipHash uses vectors of the reference implementation: key and input are 0, 1, 2 and so on.
func TestSipHash(t *testing.T) {
	var key [16]byte
	var input []byte
	for i := range key {
		key[i] = byte(i)
		input = append(input, byte(i))
	}
	for n, want := range map[int]uint64{
		0: 0x726fdb47dd0e0e31, 1: 0x74f839c593dc67fd, 2: 0x0d6c8009d9a94f5a, 8: 0x93f5f5799a932462, 15: 0xa129ca6149be45e5,
	} {
		if have := sipHash(&key, string(input[:n])); have != want {
			t.Errorf("%d bytes: %x, want %x", n, have, want)
		}
	}
}

// TestSnapshotSavesReadingTheEntries opens a frontier with the snapshot of its last end, and with
// everything else that may lie there. It may cost time, but nothing may be lost or known twice.
func TestSnapshotSavesReadingTheEntries(t *testing.T) {
	options := Options{merging: merging{after: 100, tail: 20, slice: 100, host: 100}}
	h := start(t, options)
	path := filepath.Join(h.dir, seenName)
	known := 0
	add := func(n int) {
		t.Helper()
		var urls []string
		for range n {
			urls = append(urls, fmt.Sprintf("http://host%d.test/%d", known%7, known))
			known++
		}
		h.addAll(urls...)
	}
	check := func(what string, want entryID) {
		t.Helper()
		if h.snapshots.last != want {
			t.Errorf("%s: read a snapshot of %d entries, want %d", what, h.snapshots.last, want)
		}
		var urls []URL
		for i := range known {
			urls = append(urls, URL{URL: fmt.Sprintf("http://host%d.test/%d", i%7, i)})
		}
		if n, err := h.Add(t.Context(), urls); n != 0 || err != nil {
			t.Fatalf("%s: %d URLs are new, %v", what, n, err)
		}
		if err := h.Check(); err != nil {
			t.Fatalf("%s: %v", what, err)
		}
	}
	add(50)
	h.reopen(options)
	check("at the end", 50)
	add(19)
	h.reopen(options)
	check("with a tail", 50)
	old, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	add(1)
	h.reopen(options)
	check("at the second end", 70)
	good, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	bad := map[string][]byte{"older": old, "nothing": nil, "cut short": good[:len(good)-1], "longer": append(bytes.Clone(good), 0),
		"text": []byte("my diary")}
	for at := 0; at < len(good); at += 1 + len(good)/12 {
		flipped := bytes.Clone(good)
		flipped[at] ^= 0x10
		bad[fmt.Sprint("flipped at ", at)] = flipped
	}
	flipped := bytes.Clone(good)
	flipped[len(flipped)-1] ^= 1
	bad["flipped at the end"] = flipped
	for what, data := range bad {
		options.merging.tail = 1 << 20 // no other snapshot at its end
		write(t, path, data)
		h.reopen(options)
		check(what, 0)
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	h.reopen(options)
	check("missing", 0)
	write(t, path, good)
	h.reopen(options)
	check("back", 70)
}

// TestSnapshotsAreMadeWhileURLsAreAdded counts what a process that dies leaves to be read.
func TestSnapshotsAreMadeWhileURLsAreAdded(t *testing.T) {
	options := Options{merging: merging{after: 100, tail: 20, slice: 100, host: 100}}
	h := start(t, options)
	for i := range 200 {
		h.addAll(fmt.Sprintf("http://host%d.test/%d", i%7, i))
	}
	dir := t.TempDir()
	until(t, "the first snapshot", func() bool { _, err := os.Stat(filepath.Join(h.dir, seenName)); return err == nil })
	added := 0
	until(t, "a snapshot of most URLs", func() bool {
		copyFile(t, filepath.Join(h.dir, FileName), filepath.Join(dir, FileName))
		copyFile(t, filepath.Join(h.dir, seenName), filepath.Join(dir, seenName))
		f, err := Open(dir, options)
		if err != nil {
			t.Fatal(err)
		}
		last := f.snapshots.last
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
		added++
		h.addAll(fmt.Sprintf("http://late.test/%d", added)) // names what is complete
		return last >= 80
	})
}

// until polls for the work of a goroutine in the background that reports nothing.
func until(t *testing.T, what string, holds func() bool) {
	t.Helper()
	const patience = 5 * time.Minute // longer than any wait on a busy machine: only a failure takes all
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for deadline := time.Now().Add(patience); !holds(); <-tick.C {
		if time.Now().After(deadline) {
			t.Fatalf("waited %v in vain for %s", patience, what)
		}
	}
}
