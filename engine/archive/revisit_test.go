package archive

import (
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
)

// answer is a capture of an address with a body; the head names the address.
func answer(path, head, body string) Capture {
	return captureOf("http://example.com/"+path, head+"X-Path: "+path+"\r\n\r\n"+body)
}

const (
	okHead      = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n"
	chunkedHead = okHead + "Transfer-Encoding: chunked\r\n"
)

// blockOf is what a response was.
func blockOf(t testing.TB, c Capture) []byte {
	t.Helper()
	return readAll(t, io.NewSectionReader(c.Response, 0, c.Size))
}

func syncOK(t testing.TB, w *Writer) {
	t.Helper()
	if err := w.Sync(); err != nil {
		t.Fatal(err)
	}
}

// Of copies that come at the same time one is whole.
func TestCopiesAtOnceAreRevisits(t *testing.T) {
	dir := t.TempDir()
	w := open(t, dir, Options{})
	var whole atomic.Int32
	var wg sync.WaitGroup
	for n := range 16 {
		wg.Go(func() {
			loc, err := w.Write(answer(fmt.Sprint(n), okHead, strings.Repeat("the same ", 3000)))
			if err != nil {
				t.Error(err)
			}
			if loc.RefersTo == "" {
				whole.Add(1)
			}
		})
	}
	wg.Wait()
	if n := whole.Load(); n != 1 {
		t.Errorf("%d of 16 copies are whole", n)
	}
	closeOK(t, w)
	check(t, dir)
}

// A copy of what is there is archived as a revisit, also in another file and by a later run, and reads as it was sent.
func TestCopiesAreRevisits(t *testing.T) {
	dir := t.TempDir()
	body := strings.Repeat("the same ", 3000)
	first := answer("first", okHead, body)
	kept := map[string]Location{}
	sent := map[string][]byte{}
	put := func(w *Writer, c Capture, of string) {
		t.Helper()
		sent[c.ID] = blockOf(t, c)
		loc := write(t, w, c)
		kept[c.ID] = loc
		if loc.RefersTo != of {
			t.Errorf("%s refers to %q, want %q", c.URL, loc.RefersTo, of)
		}
	}
	w := open(t, dir, Options{MaxSize: 3000})
	put(w, first, "")
	put(w, answer("before-a-sync", okHead, body), first.ID)
	syncOK(t, w)
	put(w, answer("copy", okHead, body), first.ID)
	for n := range 30 {
		put(w, page(n), "")
	}
	put(w, answer("in-another-file", okHead, body), first.ID)
	closeOK(t, w)
	w = open(t, dir, Options{})
	put(w, answer("in-another-run", okHead+"Content-Length: 27000\r\n", body), first.ID)
	closeOK(t, w)

	for id, rec := range check(t, dir) {
		block, _, err := w.Response(kept[id].File, kept[id].Offset, 1<<20)
		if err != nil || !bytes.Equal(block, sent[id]) {
			t.Errorf("%s: %d bytes, %v; want %d", rec.uri(), len(block), err, len(sent[id]))
		}
		if whole := rec.length > 700; rec.typ() == "revisit" && whole {
			t.Errorf("the revisit of %s has %d bytes", rec.uri(), rec.length)
		}
	}
	if n := strings.Count(string(read(t, filepath.Join(dir, archiveFolder, indexName))), `"mime":"warc/revisit","status":"200"`); n != 4 {
		t.Errorf("the index has %d revisits", n)
	}
	if _, _, err := w.Response(kept[first.ID].File, kept[first.ID].Offset, 10); err == nil {
		t.Error("a block was longer than asked for")
	}
}

// What is empty, cut off, framed in another way or no HTTP is archived as it came; so is everything when nobody wants revisits.
func TestWhatIsNoCopy(t *testing.T) {
	dir := t.TempDir()
	w := open(t, dir, Options{})
	cut, begun := answer("cut", okHead, "of something"), answer("begun", okHead, "a page")
	cut.Truncated, begun.Truncated = "length", "time"
	for n, c := range []Capture{
		answer("1", okHead, "a page"), begun, answer("2", okHead, "another page"), answer("3", okHead, ""), answer("4", okHead, ""), cut,
		captureOf("http://example.com/5", "no HTTP"), captureOf("http://example.com/6", "no HTTP"),
		answer("7", okHead, "of something"), answer("8", chunkedHead, "6\r\na page\r\n0\r\n\r\n"),
		answer("9", strings.Replace(okHead, "200", "404", 1), "a page"),
		answer("10", strings.Replace(okHead, "1.1", "1.0", 1), "a page"),
	} {
		if loc := write(t, w, c); loc.RefersTo != "" {
			t.Errorf("capture %d refers to %s", n, loc.RefersTo)
		}
		syncOK(t, w)
	}
	chunks := answer("chunks", chunkedHead, "6\r\na page\r\n0\r\n\r\n")
	write(t, w, chunks)
	syncOK(t, w)
	if loc := write(t, w, answer("other-chunks", chunkedHead, "1\na\n5\n page\n0\n\n")); loc.RefersTo != chunks.ID {
		t.Error("other chunks are no other payload")
	}
	cut.ID = NewID()
	cut.Response, cut.Size = strings.NewReader(okHead+"\r\nThe beginning"), int64(len(okHead+"\r\nThe beginning"))
	write(t, w, cut)
	closeOK(t, w)
	w = open(t, dir, Options{}) // its index does not know what was cut off
	if loc := write(t, w, answer("whole", okHead, "The beginning")); loc.RefersTo != "" {
		t.Error("a page refers to what was cut off")
	}
	closeOK(t, w)

	w = open(t, t.TempDir(), Options{NoRevisits: true})
	for n := range 2 {
		if loc := write(t, w, answer(fmt.Sprint(n), okHead, "a page")); loc.RefersTo != "" {
			t.Error("a revisit that nobody wants")
		}
		syncOK(t, w)
	}
}

// A sync that was asked for before a capture was written says nothing of it.
func TestOriginalsAreOnDisk(t *testing.T) {
	o := newOriginals()
	for n := range int64(4) {
		o.written(unsynced{capture: n, key: uint64(n)})
	}
	o.synced(1)
	for n := range int64(4) {
		if _, found := o.find(uint64(n)); found != (n <= 1) {
			t.Errorf("capture %d is an original: %v", n, found)
		}
	}
}

// The memory of payloads is bounded: what came last or is often repeated stays.
func TestOriginalsAreBounded(t *testing.T) {
	dir := t.TempDir()
	w := open(t, dir, Options{})
	w.originals.most = 10
	page := func(what string, n int) Location {
		loc := write(t, w, answer(fmt.Sprint(what, n), okHead, what))
		syncOK(t, w)
		return loc
	}
	page("often", 0)
	page("once", 0)
	for n := 1; n < 200; n++ {
		page(fmt.Sprint("page", n), 0)
		if n%5 == 0 && page("often", n).RefersTo == "" {
			t.Errorf("after %d pages the one that is often repeated is forgotten", n)
		}
		if len(w.originals.young)+len(w.originals.old) > 20 {
			t.Fatalf("%d and %d originals", len(w.originals.young), len(w.originals.old))
		}
	}
	if page("once", 1).RefersTo != "" || page("page198", 1).RefersTo == "" {
		t.Error("the first is remembered, or the last forgotten")
	}
	for n := range 100 {
		write(t, w, answer(fmt.Sprint("unsynced", n), okHead, fmt.Sprint("unsynced", n)))
	}
	if n := len(w.originals.unsynced); n > 10 {
		t.Errorf("%d captures wait for a sync", n)
	}
	closeOK(t, w)
	check(t, dir)
}

// A revisit is lost with its original: in an open file it goes, and of finished files Captured says so, whatever was fetched of the
// same payload besides.
func TestRevisitOfWhatIsLost(t *testing.T) {
	build := func(w *Writer) (original, copied Location) {
		original = write(t, w, answer("original", okHead, "the page"))
		syncOK(t, w)
		write(t, w, page(1))
		copied = write(t, w, answer("copy", okHead, "the page"))
		write(t, w, page(2))
		if copied.RefersTo != original.RecordID {
			t.Fatal("no revisit")
		}
		syncOK(t, w)
		return original, copied
	}
	damage := func(name string, at int64) {
		b := read(t, name)
		b[at] ^= 0x10
		if err := os.WriteFile(name, b, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	has := func(w *Writer, path string) bool {
		t.Helper()
		c, err := w.Captured(true)
		if err != nil {
			t.Fatal(err)
		}
		return c.Has("http://example.com/"+path, 200)
	}
	t.Run("open", func(t *testing.T) {
		dir := t.TempDir()
		w := open(t, dir, Options{})
		original, _ := build(w)
		left := twoFiles{base: w.seg.base, warc: read(t, w.seg.warc.Name()), graph: read(t, w.seg.graph.Name())}
		dir = left.left(t, left.warc, left.graph)
		damage(filepath.Join(dir, archiveFolder, original.File+openSuffix), original.Offset+original.Length/2)
		w = open(t, dir, Options{})
		if has(w, "original") || has(w, "copy") || !w.mustHave(t, page(2).URL) {
			t.Errorf("after %+v", w.Recovered())
		}
		if loc := write(t, w, answer("copy", okHead, "the page")); loc.RefersTo != "" {
			t.Error("a revisit of what is lost")
		}
		closeOK(t, w)
		check(t, dir)
	})
	t.Run("finished", func(t *testing.T) {
		dir := t.TempDir()
		w := open(t, dir, Options{})
		original, _ := build(w)
		closeOK(t, w)
		w = open(t, dir, Options{})
		later := write(t, w, answer("later", okHead, "the page"))
		write(t, w, page(3))
		closeOK(t, w)
		w = open(t, dir, Options{})
		if !has(w, "original") || !has(w, "copy") || !has(w, "later") {
			t.Error("something is lost without damage")
		}
		name := filepath.Join(dir, archiveFolder, original.File)
		damage(name, original.Offset+original.Length/2)
		if err := os.Truncate(name, int64(len(read(t, name))-1)); err != nil {
			t.Fatal(err)
		}
		if has(w, "original") || has(w, "copy") || has(w, "later") || !w.mustHave(t, page(3).URL) {
			t.Error("a revisit stays without its original, or goes without reason")
		}
		if err := os.WriteFile(name, []byte("WARC/1.1\r\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		if loc := write(t, w, answer("copy", okHead, "the page")); loc.RefersTo != "" {
			t.Error("a revisit of what is lost")
		}
		if _, _, err := w.Response(original.File, 0, 1<<20); err == nil {
			t.Error("a damaged file has a response")
		}
		if err := os.Remove(name); err != nil {
			t.Fatal(err)
		}
		if !has(w, "later") {
			t.Error("the original is elsewhere, not lost")
		}
		if err := os.Remove(filepath.Join(dir, archiveFolder, later.File)); err != nil {
			t.Fatal(err)
		}
		if !has(w, "later") {
			t.Error("the revisit is elsewhere, not lost")
		}
	})
}

func (w *Writer) mustHave(t testing.TB, url string) bool {
	t.Helper()
	c, err := w.Captured(true)
	if err != nil {
		t.Fatal(err)
	}
	return c.Has(url, 200)
}

// An archive that was written when digests were in base32, and not named in the index, is read, indexed anew and referred to.
func TestRevisitOfWhatAnEarlierVersionWrote(t *testing.T) {
	dir := t.TempDir()
	old := read(t, "testdata/odd.warc.gz")
	part := fmt.Sprintf("#size %d\n"+`com,example)/ 20261121093000 {"url":"http://example.com/","mime":"text/html","status":"200",`+
		`"digest":"L7WOWZX7ZBXTRWKSPBWG22LMPHBNXQRZ3VHJDNDHFHLTUJ73K7UQ====","length":"397","offset":"349","filename":"odd.warc.gz"}`+"\n",
		len(old))
	for name, data := range map[string][]byte{"archive/odd.warc.gz": old, "archive/.awarc/odd.cdxj": []byte(part)} {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	w := open(t, dir, Options{})
	loc := write(t, w, captureOf("http://example.com/again/", oddHeads()[0]+"0"))
	if loc.RefersTo == "" {
		t.Error("a payload that the earlier version archived is archived again")
	}
	if _, _, err := w.Response(loc.File, loc.Offset, 1<<20); err != nil {
		t.Error(err)
	}
	closeOK(t, w)
	index := string(read(t, filepath.Join(dir, archiveFolder, indexName)))
	want := string(read(t, "testdata/odd.cdxj"))
	for line := range strings.Lines(want) {
		if !strings.Contains(index, strings.TrimSpace(line)) {
			t.Fatalf("the index lacks %s", line)
		}
	}
	if n := strings.Count(index, "\n"); n != strings.Count(want, "\n")+1 {
		t.Errorf("%d lines in the index", n)
	}
	reports, err := Verify(filepath.Join(dir, "archive/odd.warc.gz"))
	if err != nil || reports[0].Bad != nil {
		t.Errorf("%+v, %v", reports, err)
	}
}

// What was damaged since it was archived is archived whole when it comes again: its head may still be read.
func TestNoRevisitOfWhatIsDamaged(t *testing.T) {
	noise := make([]byte, 20_000)
	_, _ = rand.NewChaCha8([32]byte{}).Read(noise)
	for name, damaged := range map[string]func(warc []byte) []byte{
		"torn":   func(warc []byte) []byte { return warc[:len(warc)/2] },
		"filled": func(warc []byte) []byte { return slices.Insert(warc, len(warc)/2, []byte("HELLO")...) },
		"turned": func(warc []byte) []byte { warc[len(warc)/2] ^= 0x55; return warc },
	} {
		dir := t.TempDir()
		w := open(t, dir, Options{})
		loc := write(t, w, answer("first", okHead, string(noise)))
		closeOK(t, w)
		warc := filepath.Join(dir, archiveFolder, loc.File)
		if err := os.WriteFile(warc, damaged(read(t, warc)), 0o644); err != nil {
			t.Fatal(err)
		}
		w = open(t, dir, Options{})
		again := answer("again", okHead, string(noise))
		if loc := write(t, w, again); loc.RefersTo != "" {
			t.Errorf("%s: a capture refers to %s, which cannot be read", name, loc.RefersTo)
		}
		syncOK(t, w)
		if loc := write(t, w, answer("and-again", okHead, string(noise))); loc.RefersTo != again.ID {
			t.Errorf("%s: a capture refers to %q, not to what is whole", name, loc.RefersTo)
		}
		_ = w.Close() // says what is damaged
	}
}
