package frontier

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	bolt "go.etcd.io/bbolt"
)

// filled returns the path of a closed frontier with some content.
func filled(t *testing.T) string {
	t.Helper()
	h := start(t, Options{PutOffShare: 0.1, merging: merging{after: 100, tail: 1000, slice: 40, host: 1000}})
	var urls []URL
	for i := range 300 {
		urls = append(urls, URL{URL: fmt.Sprintf("http://host%d.test/%d", i%9, i), Via: "http://via.test/"})
	}
	h.add(urls...)
	for i := range 20 {
		h.done(h.next(), Outcome{State: []State{Fetched, Retry}[i%2], HostNote: []byte("note"),
			Marks: []Mark{{Key: fmt.Sprint(i), Counter: "objects"}}})
	}
	for i := range 30 {
		h.addAll(fmt.Sprintf("http://host%d.test/recent/%d", i%9, i))
		h.add(puts(fmt.Sprintf("host%d.test", i%9), fmt.Sprint("family ", i%3), i, 1)...)
	}
	h.done(h.next(), Outcome{State: Fetched}) // which draws some
	if err := h.Close(); err != nil {
		t.Fatal(err)
	}
	return filepath.Join(h.dir, FileName)
}

func kindOf(err error) Kind {
	var e *Error
	if errors.As(err, &e) {
		return e.Kind
	}
	return 0
}

// edit changes a bbolt file behind the frontier's back.
func edit(t *testing.T, path string, fn func(*bolt.Tx) error) {
	t.Helper()
	db, err := bolt.Open(path, 0o666, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if err := db.Update(fn); err != nil {
		t.Fatal(err)
	}
}

func TestBadFilesAreRefused(t *testing.T) {
	put := func(name string, change func(old []byte) []byte) func(*testing.T, string) {
		return func(t *testing.T, path string) {
			edit(t, path, func(tx *bolt.Tx) error {
				key, value := bucket(tx, name).Cursor().First()
				key = append([]byte(nil), key...)
				return bucket(tx, name).Put(key, change(append([]byte(nil), value...)))
			})
		}
	}
	add := func(name string, key []byte) func(*testing.T, string) {
		return func(t *testing.T, path string) {
			edit(t, path, func(tx *bolt.Tx) error { return bucket(tx, name).Put(key, []byte{}) })
		}
	}
	layoutOf := func(name string) func(*testing.T, string) {
		return func(t *testing.T, path string) {
			edit(t, path, func(tx *bolt.Tx) error { return bucket(tx, bucketMeta).Put([]byte(keyLayout), []byte(name)) })
		}
	}
	flip := func(old []byte) []byte { old[len(old)/2] ^= 1; return old }
	for name, test := range map[string]struct {
		damage func(t *testing.T, path string)
		want   Kind
	}{
		"text": {func(t *testing.T, path string) { write(t, path, []byte(strings.Repeat("my diary\n", 5000))) },
			Foreign},
		"tiny": {func(t *testing.T, path string) { write(t, path, []byte("x")) }, Foreign},
		"more than a page of text": {func(t *testing.T, path string) { write(t, path, []byte(strings.Repeat("my diary\n", 500))) },
			Foreign},
		"other bbolt file": {func(t *testing.T, path string) {
			if err := os.Remove(path); err != nil {
				t.Fatal(err)
			}
			edit(t, path, func(tx *bolt.Tx) error { _, err := tx.CreateBucket([]byte("members")); return err })
		}, Foreign},
		"other bbolt file with a bucket like ours": {func(t *testing.T, path string) {
			edit(t, path, func(tx *bolt.Tx) error { return bucket(tx, bucketMeta).Delete([]byte(keyLayout)) })
		}, Foreign},
		"other layout":             {layoutOf(layoutName + "1"), Layout},
		"layout that is no number": {layoutOf(layoutName + "v"), Corrupt},
		"layout of another name":   {layoutOf("awarc frontieR 6"), Corrupt},
		"layout below the first":   {layoutOf(layoutName + "0"), Corrupt},
		"cut short": {func(t *testing.T, path string) {
			if err := os.Truncate(path, 20<<10); err != nil {
				t.Fatal(err)
			}
		}, Corrupt},
		"bucket gone": {func(t *testing.T, path string) {
			edit(t, path, func(tx *bolt.Tx) error { return tx.DeleteBucket([]byte(bucketReady)) })
		}, Corrupt},
		"free pages are listed nowhere": {func(t *testing.T, path string) { // bbolt panics while it opens it
			file, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			const isFreelist, isLeaf = 0x10, 0x02
			for page := 0; page < len(file); page += os.Getpagesize() {
				if flags := file[page+8:]; binary.NativeEndian.Uint16(flags) == isFreelist {
					binary.NativeEndian.PutUint16(flags, isLeaf)
				}
			}
			write(t, path, file)
		}, Corrupt},
		"cut to less than any bbolt file has": {func(t *testing.T, path string) {
			if err := os.Truncate(path, 5000); err != nil {
				t.Fatal(err)
			}
		}, Corrupt},
		"family flipped":    {put(bucketFamilies, flip), Corrupt},
		"wrong family":      {put(bucketFamilies, func([]byte) []byte { f := family{number: 1, waiting: 1}; return f.encode() }), Corrupt},
		"draws flipped":     {put(bucketMeta, flip), Corrupt},
		"turn of another":   {put(bucketTurns, func([]byte) []byte { return []byte("another") }), Corrupt},
		"URL of no family":  {add(bucketPutOff, make([]byte, 12)), Corrupt},
		"part of no family": {add(bucketParts, []byte("\x00\x00\x00\x00\x00\x00\x00\x09a")), Corrupt},
		"part flipped":      {put(bucketParts, flip), Corrupt},
		"turn flipped":      {add(bucketTurns, []byte("host0.test\x00short")), Corrupt},
		"family gone": {func(t *testing.T, path string) {
			edit(t, path, func(tx *bolt.Tx) error { return bucket(tx, bucketFamilies).Delete([]byte("family 0")) })
		}, Corrupt},
		"entry flipped": {put(bucketEntries, flip), Corrupt},
		"host flipped":  {put(bucketHosts, flip), Corrupt},
		"queue flipped": {put(bucketReady, flip), Corrupt},
		"mark moved on": {func(t *testing.T, path string) {
			edit(t, path, func(tx *bolt.Tx) error {
				return bucket(tx, bucketMeta).Put([]byte(keyMark), encodeCount(330))
			})
		}, Corrupt},
		"mark gone": {func(t *testing.T, path string) {
			edit(t, path, func(tx *bolt.Tx) error { return bucket(tx, bucketMeta).Delete([]byte(keyMark)) })
		}, Corrupt},
		"settings gone": {func(t *testing.T, path string) {
			edit(t, path, func(tx *bolt.Tx) error { return tx.DeleteBucket([]byte(bucketMeta)) })
		}, Corrupt},
		"counter flipped": {put(bucketCounters, flip), Corrupt},
		"mark flipped":    {put(bucketMarks, flip), Corrupt},
		"queue of other URLs": {func(t *testing.T, path string) {
			edit(t, path, func(tx *bolt.Tx) error {
				key, value := bucket(tx, bucketReady).Cursor().First()
				key, value = bytes.Clone(key), bytes.Clone(value)
				if err := bucket(tx, bucketReady).Delete(key); err != nil {
					return err
				}
				key[len(key)-1] ^= 0x80
				return bucket(tx, bucketReady).Put(key, value)
			})
		}, Corrupt},
		"key twice": {func(t *testing.T, path string) {
			edit(t, path, func(tx *bolt.Tx) error {
				_, value := bucket(tx, bucketEntries).Cursor().First()
				return bucket(tx, bucketEntries).Put(entryID(331).bytes(), append([]byte(nil), value...))
			})
		}, Corrupt},
		"queue too long": {func(t *testing.T, path string) {
			edit(t, path, func(tx *bolt.Tx) error {
				return bucket(tx, bucketWaiting).Put([]byte("host0.test\x00another"), make([]byte, 16))
			})
		}, Corrupt},
		"host gone": {func(t *testing.T, path string) {
			edit(t, path, func(tx *bolt.Tx) error { return bucket(tx, bucketHosts).Delete([]byte("host0.test")) })
		}, Corrupt},
		"wrong host counts": {func(t *testing.T, path string) {
			edit(t, path, func(tx *bolt.Tx) error {
				return bucket(tx, bucketHosts).Put([]byte("host0.test"), (&hostRecord{ready: 1}).encode())
			})
		}, Corrupt},
		"wrong totals": {func(t *testing.T, path string) {
			edit(t, path, func(tx *bolt.Tx) error {
				return bucket(tx, bucketMeta).Put([]byte(keyTotals), (&totals{1}).encode())
			})
		}, Corrupt},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := filled(t)
			test.damage(t, path)
			f, err := Open(filepath.Dir(path), Options{})
			if err == nil {
				f.Close()
			}
			if kindOf(err) != test.want || !strings.Contains(fmt.Sprint(err), path) {
				t.Errorf("Open: %v; want kind %q and the path", err, test.want)
			}
			// A refused file is let go: nothing holds its lock.
			write(t, path, nil)
			if f, err = Open(filepath.Dir(path), Options{}); err != nil {
				t.Fatal(err)
			}
			f.Close()
		})
	}
}

// TestFrontierThatMustExist cuts a file to every kind of length, and takes it away.
func TestFrontierThatMustExist(t *testing.T) {
	path := filled(t)
	good, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var whole Stats
	for size := len(good); size >= 0; size = min(size-1, size*15/16) {
		write(t, path, good[:size])
		f, err := Open(filepath.Dir(path), Options{MustExist: true})
		if err == nil { // the end of a bbolt file may be free
			if size == len(good) {
				whole = f.Stats()
			}
			if have := f.Stats(); have != whole {
				t.Errorf("%d bytes of %d are taken for a frontier of %+v, want %+v", size, len(good), have, whole)
			}
			f.Close()
			continue
		}
		want := Corrupt
		switch {
		case size == 0:
			want = Missing
		case size < 20:
			want = Foreign
		}
		if kindOf(err) != want || !strings.Contains(err.Error(), path) {
			t.Errorf("%d bytes of %d: %v, want kind %q", size, len(good), err, want)
		}
		if info, err := os.Stat(path); err != nil || info.Size() != int64(size) {
			t.Errorf("the file of %d bytes was changed: %v, %v", size, info, err)
		}
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(filepath.Dir(path), Options{MustExist: true}); kindOf(err) != Missing {
		t.Errorf("no file: %v", err)
	}
	nowhere := filepath.Join(t.TempDir(), "nowhere")
	if _, err := Open(nowhere, Options{MustExist: true}); kindOf(err) != Missing {
		t.Errorf("no directory: %v", err)
	}
	for _, path := range []string{path, nowhere} {
		if _, err := os.Stat(path); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("%s was made: %v", path, err)
		}
	}
	edit(t, path, func(*bolt.Tx) error { return nil }) // a process that was killed before its first transaction
	if _, err := Open(filepath.Dir(path), Options{MustExist: true}); kindOf(err) != Missing {
		t.Errorf("a file without content: %v", err)
	}
}

// TestFileWithoutFamiliesIsOpened takes from a file all that its layout has beyond the one before.
func TestFileWithoutFamiliesIsOpened(t *testing.T) {
	h := start(t, Options{})
	h.addAll("http://a/1", "http://a/2", "http://a/3")
	h.done(h.next(), Outcome{State: Fetched})
	if err := h.Close(); err != nil {
		t.Fatal(err)
	}
	edit(t, filepath.Join(h.dir, FileName), func(tx *bolt.Tx) error {
		for _, name := range []string{bucketFamilies, bucketPutOff, bucketParts, bucketTurns} {
			if err := tx.DeleteBucket([]byte(name)); err != nil {
				return err
			}
		}
		var old []byte // a total less
		for _, n := range []int64{2, 1, 0, 0, 0} {
			old = binary.AppendVarint(old, n)
		}
		meta := bucket(tx, bucketMeta)
		return errors.Join(meta.Delete([]byte(keyLimit)), meta.Put([]byte(keyTotals), seal(append([]byte{recordFormat}, old...))),
			meta.Put([]byte(keyLayout), []byte(layoutSimple)))
	})
	h.open(Options{MustExist: true})
	if s := h.Stats(); s.Pending != 2 || s.Fetched != 1 || s.PutOff != 0 {
		t.Errorf("stats %+v", s)
	}
	h.add(puts("a", "f", 1, 1)...)
	h.reopen(Options{})
	if have := h.order(); have != "a/2 a/3 a/f/1" {
		t.Error(have)
	}
}

func write(t *testing.T, path string, data []byte) {
	t.Helper()
	if err := os.WriteFile(path, data, 0o666); err != nil {
		t.Fatal(err)
	}
}

// TestRandomDamageIsAnErrorNotACrash flips bytes anywhere in the file. Whatever
// bbolt does on such pages, the process lives, and a file that opens can be used or
// says that it is damaged.
func TestRandomDamageIsAnErrorNotACrash(t *testing.T) {
	good, err := os.ReadFile(filled(t))
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	r := rand.New(rand.NewPCG(3, 4))
	refused := 0
	for i := range 150 {
		bad := append([]byte(nil), good...)
		for range 1 + r.IntN(30) {
			bad[r.IntN(len(bad))] = byte(r.Uint32())
		}
		// A new file each time: bbolt leaves one mapped when it panics while it opens it.
		path := filepath.Join(dir, fmt.Sprint(i), FileName)
		if err := os.Mkdir(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		write(t, path, bad)
		f, err := Open(filepath.Dir(path), Options{})
		if err != nil {
			if kind := kindOf(err); kind == 0 || kind == Locked {
				t.Errorf("file %d: %v", i, err)
			}
			refused++
			continue
		}
		for range 5 {
			l, err := f.Next(context.Background())
			if err == nil {
				err = f.Done(l, Outcome{State: Fetched})
			}
			if err != nil && kindOf(err) != Corrupt {
				t.Errorf("file %d: %v", i, err)
			}
		}
		f.Close()
	}
	t.Logf("%d of 150 refused by Open", refused)
}

// TestDamageFoundLaterIsReported covers files too large to be checked by Open.
func TestDamageFoundLaterIsReported(t *testing.T) {
	h := start(t, Options{})
	h.addAll("http://a/1", "http://b/1")
	l := h.next()
	err := h.db.Update(func(tx *bolt.Tx) error {
		id := entryID(2).bytes()
		return bucket(tx, bucketEntries).Put(id, []byte("nonsense"))
	})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := h.Next(context.Background()); kindOf(err) != Corrupt {
		t.Errorf("Next: %v", err)
	}
	if e, ok := h.Lookup("http://b/1"); !ok || !strings.Contains(e.Reason, "damaged") {
		t.Errorf("Lookup: %+v, %v", e, ok)
	}
	if err := h.Each(Pending, func(Entry) error { return nil }); kindOf(err) != Corrupt {
		t.Errorf("Each: %v", err)
	}
	if err := h.Check(); kindOf(err) != Corrupt {
		t.Errorf("Check: %v", err)
	}
	h.done(l, Outcome{State: Fetched}) // what is not damaged goes on
}

// TestHostWithoutItsURLsIsAnErrorNotAWait covers a queue shorter than its host counts.
func TestHostWithoutItsURLsIsAnErrorNotAWait(t *testing.T) {
	h := start(t, Options{merging: placedAtOnce})
	h.addAll("http://a/1")
	if err := h.PutMeta("key", nil); err != nil { // with the next commit
		t.Fatal(err)
	}
	err := h.db.Update(func(tx *bolt.Tx) error {
		key, _ := bucket(tx, bucketReady).Cursor().First()
		return bucket(tx, bucketReady).Delete(key)
	})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := h.Next(context.Background()); kindOf(err) != Corrupt {
		t.Errorf("Next: %v", err)
	}
}

// TestFamiliesOfTheLayoutBeforeAreRegrouped makes of a file what layout 6 had: families that took turns for the whole file.
func TestFamiliesOfTheLayoutBeforeAreRegrouped(t *testing.T) {
	h := start(t, Options{PutOffLimit: 4})
	h.add(puts("a", "f", 0, 3)...)
	h.add(puts("b", "f", 5, 4)...)
	h.add(puts("b", "closed", 0, 2)...)
	drawn, closed := h.next(), true
	h.done(drawn, Outcome{State: Defer, Families: map[string]FamilyChange{"closed": {Closed: &closed}}})
	was := h.Stats()
	if err := h.Close(); err != nil {
		t.Fatal(err)
	}
	edit(t, filepath.Join(h.dir, FileName), func(tx *bolt.Tx) error {
		r, err := entryOf(tx, drawn.Key)
		if err != nil {
			return err
		}
		urls := make(map[string]bool)
		err = bucket(tx, bucketPutOff).ForEach(func(key, _ []byte) error {
			urls[string(key[:8])+string(key[len(key)-4:])] = true
			return nil
		})
		old := make(map[string][]byte)
		families := bucket(tx, bucketFamilies)
		errs := []error{err, families.ForEach(func(name, value []byte) error {
			f, err := decodeFamily(value)
			b := appendString(binary.AppendUvarint([]byte{recordFormat}, f.number), f.note)
			for _, n := range []int{f.waiting, f.drawn, f.drawn, f.added, 0, bit(f.closed), 0} {
				b = binary.AppendVarint(b, int64(n))
			}
			old[string(name)] = seal(b)
			return err
		})}
		for name, value := range old {
			errs = append(errs, families.Put([]byte(name), value))
		}
		for _, name := range []string{bucketPutOff, bucketParts, bucketTurns} {
			errs = append(errs, tx.DeleteBucket([]byte(name)))
		}
		errs = append(errs, createBuckets(tx, bucketPutOff, bucketTurns, oldBlocked, oldDrawn))
		for key := range urls {
			errs = append(errs, bucket(tx, bucketPutOff).Put([]byte(key), []byte{}))
		}
		for _, host := range []string{"a", "b"} {
			errs = append(errs, changeHost(tx, host, func(h *hostRecord) { h.draws = draws{} }))
		}
		meta := bucket(tx, bucketMeta)
		errs = append(errs, bucket(tx, oldDrawn).Put(r.id.bytes(), []byte{}), meta.Delete([]byte(keyLimit)),
			meta.Put([]byte(oldCounts), seal([]byte{recordFormat, 0, 0, 0, 0})), meta.Put([]byte(keyLayout), []byte(layoutTurns)))
		return errors.Join(errs...)
	})
	if _, err := OpenReadOnly(h.dir); kindOf(err) != Layout {
		t.Errorf("opened for reading: %v", err)
	}
	h.open(Options{PutOffLimit: 4, MustExist: true})
	if s := h.Stats(); s != was {
		t.Errorf("stats %+v, want %+v", s, was)
	}
	if err := h.Check(); err != nil {
		t.Error(err)
	}
	if have := strings.Fields(h.order()); len(have) != 4 || "http://"+have[0] != drawn.URL.URL {
		t.Errorf("leased %v", have)
	}
}

// entryOf finds an entry by reading all.
func entryOf(tx *bolt.Tx, key string) (found *record, err error) {
	err = bucket(tx, bucketEntries).ForEach(func(k, value []byte) error {
		r, err := decodeRecord(value)
		if err == nil && r.Key == key {
			r.id, found = idOf(k), r
		}
		return err
	})
	return found, err
}
