package archive

import (
	"bytes"
	"crypto/sha1" //nolint:gosec // what other programs use
	"encoding/base32"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/klauspost/compress/gzip"
)

const notModifiedHead = "HTTP/1.1 304 Not Modified\r\nETag: \"1\"\r\n"

// weeks makes archives of the same pages, each with those before as earlier ones.
type weeks struct {
	t    *testing.T
	dirs []string // the last first
}

// week opens the next archive. All are made in the same second.
func (w *weeks) week() *Writer {
	w.t.Helper()
	dir := w.t.TempDir()
	a := open(w.t, dir, Options{Earlier: w.dirs, Now: func() time.Time { return time.Date(2026, 11, 24, 9, 0, 0, 0, time.UTC) }})
	w.dirs = append([]string{dir}, w.dirs...)
	return a
}

// unmodified writes that the server says that a page was not modified.
func (w *weeks) unmodified(a *Writer, path string) Location {
	w.t.Helper()
	e := w.earlier(a, path)
	c := answer(path, notModifiedHead, "")
	e.ETag = `"1"`
	c.Unmodified = e
	return write(w.t, a, c)
}

func (w *weeks) earlier(a *Writer, path string) *Earlier {
	w.t.Helper()
	e, err := a.Earlier("http://example.com/" + path)
	if err != nil || e == nil {
		w.t.Fatalf("of %s the earlier crawl has %v, %v", path, e, err)
	}
	return e
}

// A crawl of what was crawled before, and before that, refers to the record that has the body, whatever came in between.
func TestRevisitsOfEarlierCrawls(t *testing.T) {
	w := &weeks{t: t}
	body := strings.Repeat("a page ", 500)
	first := w.week()
	kept, same := answer("kept", okHead, body), answer("same", okHead, body+"and more")
	write(t, first, kept)
	write(t, first, same)
	write(t, first, answer("gone", strings.Replace(okHead, "200", "404", 1), body+"gone"))
	closeOK(t, first)

	for n := 2; n <= 4; n++ {
		a := w.week()
		e := w.earlier(a, "kept")
		if string(e.Request) != string(kept.Request) || !bytes.HasPrefix(e.Head, []byte(okHead)) ||
			!e.Time.Equal(kept.Time.Truncate(time.Microsecond)) || n > 2 && e.ETag != `"1"` {
			t.Errorf("week %d: of the page is known %+v", n, e)
		}
		r, err := e.Open()
		if err != nil {
			t.Fatal(err)
		}
		if got := readAll(t, r); !bytes.Equal(got, blockOf(t, kept)) {
			t.Errorf("week %d: %d bytes are read of the earlier crawl", n, len(got))
		}
		_ = r.Close()
		fresh := answer("same", okHead+fmt.Sprintf("X-Week: %d\r\n", n), body+"and more")
		locs := map[string]Location{"kept": w.unmodified(a, "kept"), "same": write(t, a, fresh)}
		if e, err := a.Earlier("http://example.com/gone"); e != nil || err != nil {
			t.Errorf("what was not found can be unmodified: %v, %v", e, err)
		}
		for path, want := range map[string]Capture{"kept": kept, "same": same} {
			if loc := locs[path]; loc.RefersTo != want.ID || !loc.Elsewhere {
				t.Errorf("week %d: %s refers to %+v", n, path, loc)
			}
		}
		for path, want := range map[string][]byte{"kept": blockOf(t, kept), "same": blockOf(t, fresh)} {
			block, _, err := a.Response(locs[path].File, locs[path].Offset, 1<<20)
			if err != nil || !bytes.Equal(block, want) {
				t.Errorf("week %d: of %s %d bytes are read back, %v", n, path, len(block), err)
			}
		}
		closeOK(t, a)
		a = open(t, w.dirs[0], Options{Earlier: w.dirs[1:]})
		captured, err := a.Captured(true)
		if err != nil || !captured.Has("http://example.com/kept", 304) || !captured.Has("http://example.com/same", 200) {
			t.Errorf("week %d: what refers to another archive counts as lost, %v", n, err)
		}
		closeOK(t, a)
	}
	names := map[string]bool{}
	for _, dir := range w.dirs {
		for _, name := range files(t, dir, "archive/*"+warcSuffix) {
			names[filepath.Base(name)] = true
		}
	}
	if len(names) != 4 {
		t.Errorf("archives that refer to each other have files of the same name: %v", names)
	}
	warc := gunzip(t, read(t, files(t, w.dirs[0], "archive/*"+warcSuffix)[0]))
	for _, want := range []string{
		"WARC-Profile: http://netpreserve.org/warc/1.1/revisit/server-not-modified\r\n",
		"WARC-Etag: \"1\"\r\n",
		"WARC-Refers-To: <" + kept.ID + ">\r\n", "WARC-Refers-To-Target-URI: http://example.com/kept\r\n",
		"WARC-Refers-To-Date: 2026-11-21T09:30:00.123456Z\r\n", "WARC-Payload-Digest: " + sha256Digest([]byte(body)) + "\r\n",
		"WARC-Profile: http://netpreserve.org/warc/1.1/revisit/identical-payload-digest\r\n", "WARC-Refers-To: <" + same.ID + ">\r\n",
	} {
		if !strings.Contains(warc, want) {
			t.Errorf("no %q in the WARC file of the last week", want)
		}
	}
	if strings.Contains(warc, "304 Not Modified") {
		t.Error("a record of what was not modified has the head of the answer, which is what pywb would replay")
	}
}

// What an earlier crawl should have and has not costs a whole capture and is said, whether its file is damaged, cut off or gone.
func TestEarlierRecordsThatCannotBeRead(t *testing.T) {
	body := strings.Repeat("a page ", 500)
	for name, harm := range map[string]func(file string) error{
		"gone": os.Remove,
		"cut":  func(file string) error { return os.Truncate(file, 700) },
		"damaged": func(file string) error {
			b := read(t, file)
			at := bytes.Index(b, []byte{0x1f, 0x8b, 8}) + len(b)/3
			b[at] ^= 0x40
			return os.WriteFile(file, b, 0o644)
		},
		"changed": func(file string) error { // and compressed again
			index := read(t, filepath.Join(filepath.Dir(file), indexName))
			offset, err := strconv.Atoi(jsonMember(index, "offset"))
			if err != nil {
				return err
			}
			length, err := strconv.Atoi(jsonMember(index, "length"))
			if err != nil {
				return err
			}
			b := read(t, file)
			text := strings.Replace(gunzip(t, b[offset:offset+length]), "a page", "a rage", 1)
			return os.WriteFile(file, append(b[:offset:offset], zipped(text)...), 0o644)
		},
	} {
		for generations := 1; generations <= 2; generations++ {
			w := &weeks{t: t}
			a := w.week()
			write(t, a, answer("page", okHead, body))
			closeOK(t, a)
			first := files(t, w.dirs[0], "archive/*"+warcSuffix)[0]
			if generations == 2 {
				a = w.week()
				w.unmodified(a, "page")
				closeOK(t, a)
			}
			if err := harm(first); err != nil {
				t.Fatal(err)
			}
			a = w.week()
			if e, err := a.Earlier("http://example.com/page"); err == nil || e != nil {
				t.Errorf("%s, %d generations: %v, %v", name, generations, e, err)
			}
			if loc := write(t, a, answer("page", okHead, body)); loc.RefersTo != "" || loc.Unread == nil {
				t.Errorf("%s, %d generations: the copy refers to %+v", name, generations, loc)
			}
			closeOK(t, a)
		}
	}
	// The folder of a crawl before the earlier one is gone: what is there is not known.
	w := &weeks{t: t}
	a := w.week()
	write(t, a, answer("page", okHead, body))
	closeOK(t, a)
	a = w.week()
	w.unmodified(a, "page")
	closeOK(t, a)
	if err := os.RemoveAll(w.dirs[1]); err != nil {
		t.Fatal(err)
	}
	a = w.week()
	if e, err := a.Earlier("http://example.com/page"); err == nil || e != nil {
		t.Errorf("without the first crawl: %v, %v", e, err)
	}
	if _, err := Open(t.TempDir(), Options{Earlier: []string{t.TempDir()}}); err == nil || !strings.Contains(err.Error(), "awarc resume") {
		t.Errorf("an earlier crawl without an index: %v", err)
	}
}

// checkFoundAgain reads what refers to a payload of which an index was known, with the file that has it.
func checkFoundAgain(t *testing.T, dir, body, digest string) {
	t.Helper()
	if sum, err := hex.DecodeString(strings.TrimPrefix(digest, "sha1:")); err == nil { // the record need not be in the form of the index
		digest = "sha1:" + base32.StdEncoding.EncodeToString(sum)
	}
	other := filepath.Join(t.TempDir(), "other.warc.gz")
	theirs := foreign("response", okHead+"\r\n"+body, "WARC-Payload-Digest: "+digest)
	if err := os.WriteFile(other, gzipped(t, theirs), 0o600); err != nil {
		t.Fatal(err)
	}
	read := 0
	bad := func(bad *BadRecord) { t.Error(bad) }
	each := func(x *Answer) error {
		if x.Revisit {
			read++
			if x.Body.Missing != nil || !x.Body.Elsewhere || !bytes.HasSuffix(x.Block, []byte(body)) {
				t.Errorf("%s: %d bytes, %v", digest, len(x.Block), x.Body)
			}
		}
		return nil
	}
	err := Answers(Reading{Files: files(t, dir, "archive/*"+warcSuffix), Elsewhere: []string{other}, Most: 1 << 20, Bad: bad, Each: each})
	if err != nil || read != 1 {
		t.Errorf("%s: %d revisits, %v", digest, read, err)
	}
}

// Payloads that an index of another program names are not archived again, whatever its digests look like.
func TestPayloadsOfAnotherIndex(t *testing.T) {
	body := strings.Repeat("a page ", 500)
	sum := sha1.Sum([]byte(body)) //nolint:gosec // see above
	sha1Text := base32.StdEncoding.EncodeToString(sum[:])
	for name, digest := range map[string]string{
		"cdxj-indexer": "sha1:" + sha1Text, "pywb": sha1Text, "wget": sha1Text, "hex": "sha1:" + hex.EncodeToString(sum[:]),
		"sha256": sha256Digest([]byte(body)), "warcio.js": strings.Replace(sha256Digest([]byte(body)), "sha256", "sha-256", 1),
	} {
		index := filepath.Join(t.TempDir(), "index.cdxj")
		object := `{"url": "http://example.com/other", "mime": "%s", "status": "200", "digest": "` + digest +
			`", "length": 99, "offset": 0, "filename": "other.warc.gz"}` + "\n"
		text := "!meta 0 {\"format\": \"cdxj\"}\n" +
			fmt.Sprintf("com,example)/other 20200102030405 "+object, "text/html") +
			fmt.Sprintf("com,example)/other 20190102030405 "+object, "warc/revisit") + "no line\n"
		if name == "wget" {
			text = " CDX a b a m s k r M V g u\nhttp://example.com/other 20200102030405 http://example.com/other text/html 200 " + digest +
				" - - 0 other.warc.gz <urn:uuid:x>\nno line\n"
		}
		writeIndex(t, index, text, name == "pywb")
		dir := t.TempDir()
		if err := CheckIndex(index); err != nil {
			t.Error(err)
		}
		a := open(t, dir, Options{Dedupe: []string{index}})
		copied := answer("page", okHead, body)
		if loc := write(t, a, copied); loc.RefersTo != "http://example.com/other" || !loc.Elsewhere {
			t.Errorf("%s: the copy refers to %+v", name, loc)
		}
		again := answer("again", okHead, body)
		again.Reread = true
		if loc := write(t, a, again); loc.RefersTo != "" {
			t.Errorf("%s: what will be read again refers to %+v, which nobody can read", name, loc)
		}
		if loc := write(t, a, answer("page", strings.Replace(okHead, "200", "404", 1), body)); loc.RefersTo != "" {
			t.Errorf("%s: an error refers to %+v", name, loc)
		}
		closeOK(t, a)
		warc := gunzip(t, read(t, files(t, dir, "archive/*"+warcSuffix)[0]))
		label := map[string]string{"pywb": "sha1:" + digest, "wget": "sha1:" + digest, "warcio.js": sha256Digest([]byte(body))}[name]
		if label == "" {
			label = digest
		}
		checkFoundAgain(t, dir, body, label)
		for _, want := range []string{
			"WARC-Refers-To-Target-URI: http://example.com/other\r\n", "WARC-Refers-To-Date: 2020-01-02T03:04:05Z\r\n",
			"WARC-Payload-Digest: " + label + "\r\n",
		} {
			if !strings.Contains(warc, want) {
				t.Errorf("%s: no %q", name, want)
			}
		}
		if line := string(read(t, filepath.Join(dir, archiveFolder, indexName))); !strings.Contains(line, `"digest":"`+label+`"`) {
			t.Errorf("%s: the index has %s", name, line)
		}
	}
	empty := filepath.Join(t.TempDir(), "x")
	writeIndex(t, empty, "no index\n", false)
	for _, name := range []string{empty, empty + "y", t.TempDir()} {
		if err := CheckIndex(name); err == nil {
			t.Errorf("%s is taken for an index", name)
		}
	}
}

func zipped(text string) []byte {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	_, _ = io.WriteString(z, text)
	_ = z.Close()
	return b.Bytes()
}

func writeIndex(t *testing.T, name, text string, compress bool) {
	t.Helper()
	b := []byte(text)
	if compress {
		b = zipped(text)
	}
	if err := os.WriteFile(name, b, 0o644); err != nil {
		t.Fatal(err)
	}
}

// The folder of another archive gives the record that has the payload, if that is whole.
func TestPayloadsOfAnotherFolder(t *testing.T) {
	w := &weeks{t: t}
	a := w.week()
	original := answer("page", okHead, "a page of some length")
	write(t, a, original)
	closeOK(t, a)
	b := open(t, t.TempDir(), Options{Dedupe: w.dirs})
	if loc := write(t, b, answer("copy", okHead, "a page of some length")); loc.RefersTo != original.ID || !loc.Elsewhere {
		t.Errorf("the copy refers to %+v", loc)
	}
	if e, err := b.Earlier("http://example.com/page"); e != nil || err != nil {
		t.Errorf("an index to compare with is taken for an earlier crawl: %v, %v", e, err)
	}

	// A file of another program that is not compressed.
	plain := t.TempDir()
	warc := gunzip(t, read(t, files(t, w.dirs[0], "archive/*"+warcSuffix)[0]))
	index := strings.Replace(string(read(t, filepath.Join(w.dirs[0], archiveFolder, indexName))), warcSuffix, ".warc", 1)
	at := fmt.Sprintf(`"offset":"%d"`, strings.Index(warc, "WARC/1.1\r\nWARC-Type: response"))
	index = regexp.MustCompile(`"offset":"\d+"`).ReplaceAllString(index, at)
	base := strings.TrimSuffix(filepath.Base(files(t, w.dirs[0], "archive/*"+warcSuffix)[0]), ".gz")
	for name, text := range map[string]string{base: warc, indexName: index} {
		if err := os.MkdirAll(filepath.Join(plain, archiveFolder), 0o755); err != nil {
			t.Fatal(err)
		}
		writeIndex(t, filepath.Join(plain, archiveFolder, name), text, false)
	}
	c := open(t, t.TempDir(), Options{Dedupe: []string{plain}})
	copied := answer("copy", okHead, "a page of some length")
	copied.Reread = true
	loc := write(t, c, copied)
	block, _, err := c.Response(loc.File, loc.Offset, 1<<20)
	if loc.RefersTo != original.ID || err != nil || !bytes.Equal(block, blockOf(t, copied)) {
		t.Errorf("the copy refers to %+v; %d bytes are read back, %v", loc, len(block), err)
	}
}
