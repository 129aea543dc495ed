package archive

import (
	"bytes"
	"crypto/md5"
	"crypto/sha1"
	"crypto/sha512"
	"encoding/base32"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/klauspost/compress/gzip"
)

// foreign makes a record as other programs may write it.
func foreign(typ, block string, header ...string) string {
	head := []string{"WARC/1.0", "WARC-Type: " + typ, "WARC-Record-ID: <urn:x:1>", "WARC-Date: 2026-11-21T09:30:00Z",
		"WARC-Target-URI: <http://e.example/>", fmt.Sprintf("Content-Length: %d", len(block))}
	return strings.Join(append(head, header...), "\r\n") + "\r\n\r\n" + block + "\r\n\r\n"
}

func gzipped(t testing.TB, records ...string) []byte {
	t.Helper()
	var b bytes.Buffer
	for _, r := range records {
		zw := gzip.NewWriter(&b)
		if _, err := io.WriteString(zw, r); err != nil {
			t.Fatal(err)
		}
		if err := zw.Close(); err != nil {
			t.Fatal(err)
		}
	}
	return b.Bytes()
}

func saved(t testing.TB, b []byte) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "foreign.warc.gz")
	if err := os.WriteFile(name, b, 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

func verified(t testing.TB, b []byte) Report {
	t.Helper()
	reports, err := Verify(saved(t, b))
	if err != nil {
		t.Fatal(err)
	}
	return reports[0]
}

func TestVerifyNamesEveryBadRecord(t *testing.T) {
	good := foreign("resource", "hello", "Content-Type: text/plain")
	at := int64(len(gzipped(t, good)))
	for want, bad := range map[string][]byte{
		"damaged, cannot":          gzipped(t, good)[:at-9],
		"wrong gzip checksum":      append(gzipped(t, good)[:at-8], 0, 0, 0, 0, 0, 0, 0, 0),
		"not a gzip member":        []byte("WARC/1.0\r\n in the midst of it"),
		"starts with":              gzipped(t, "HTTP/1.1 200 OK\r\n\r\n"),
		"content-length \"-5\"":    gzipped(t, strings.Replace(good, ": 5", ": -5", 1)),
		"Content-Length 4":         gzipped(t, strings.Replace(good, ": 5", ": 4", 1)),
		"block of 9 bytes":         gzipped(t, strings.Replace(good, ": 5", ": 50", 1)),
		"line too long":            gzipped(t, strings.Replace(good, "urn:x:1", strings.Repeat("x", maxHead), 1)),
		"the block has the digest": gzipped(t, foreign("resource", "hello", "WARC-Block-Digest: "+sha256Digest([]byte("hallo")))),
		"payload has the digest": gzipped(t, foreign("response", "HTTP/1.1 200 OK\r\n\r\nhello",
			"WARC-Payload-Digest: "+sha256Digest([]byte("hallo")))),
	} {
		r := verified(t, slices.Concat(gzipped(t, good), bad, gzipped(t, good)))
		if r.Wrong != 1 || r.Bad[0].Offset != at || !strings.Contains(r.Bad[0].Error(), want) || r.Records["resource"] != 2 {
			t.Errorf("want %q at %d, got %+v, %v", want, at, r, r.Bad)
		}
	}
	named := foreign("response", "HTTP/1.1 200 OK\r\n\r\nhello", "WARC-Payload-Digest: "+sha256Digest([]byte("hallo")))
	r := verified(t, gzipped(t, named, good, named))
	if r.Wrong != 2 || r.Bad[1].URL != "http://e.example/" || r.Bad[1].Type != "response" || r.Bad[1].ID != "urn:x:1" ||
		!strings.Contains(r.Bad[1].Error(), "restore the file") {
		t.Errorf("two records with other digests: %+v, %v", r, r.Bad)
	}
	for what, c := range map[string]struct {
		b    []byte
		says string
	}{
		"an empty file":         {nil, "empty: remove it"},
		"text":                  {[]byte("Dear archivist,\n"), "the file has no WARC record"},
		"a web page in gzip":    {gzipped(t, "<!DOCTYPE html>"), "the file has no WARC record"},
		"a WACZ file":           {[]byte("PK\x03\x04rest"), "zip -FF"},
		"an ARC file":           {[]byte("filedesc://x 0.0.0.0"), "an ARC file"},
		"an ARC file, packed":   {gzipped(t, "filedesc://x 0.0.0.0"), "inside an ARC file"},
		"a WARC file packed xz": {[]byte("\xfd7zXZ\x00rest"), "xz -d"},
	} {
		if r := verified(t, c.b); r.Wrong == 0 || !strings.Contains(r.Bad[0].Error(), c.says) || len(r.Records) > 0 {
			t.Errorf("%s: %+v, %v", what, r, r.Bad)
		}
	}
	there := saved(t, gzipped(t, good))
	reports, err := Verify(there, filepath.Join(t.TempDir(), "none"), t.TempDir(), there)
	if !errors.Is(err, os.ErrNotExist) || !strings.Contains(err.Error(), "is a folder") || len(reports) != 2 || reports[1].Wrong > 0 {
		t.Errorf("no file, and a folder, among others: %+v, %v", reports, err)
	}
}

func TestVerifyAcceptsWhatOthersWrite(t *testing.T) {
	body := "5\r\nhello\r\n6;x=y\r\n world\r\n0\r\n\r\n"
	http := "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, Chunked\r\n\r\n"
	one, five, m := sha1.Sum([]byte("hello world")), sha512.Sum512([]byte("hello world")), md5.Sum([]byte("hello world"))
	r := verified(t, gzipped(t,
		foreign("warcinfo", "software: x\r\n"),
		foreign("response", http+body, "WARC-Payload-Digest: sha1:"+base32.StdEncoding.EncodeToString(one[:])),
		foreign("response", http+body, "WARC-Payload-Digest: SHA-512:"+hex.EncodeToString(five[:])),
		foreign("response", http+body, "WARC-Payload-Digest: md5:"+base64.StdEncoding.EncodeToString(m[:])),
		foreign("response", http+body, "WARC-Payload-Digest: "+strings.TrimRight(sha256Digest([]byte(body)), "=")), // framing included
		// What browsers and the fetcher take, though net/http does not.
		foreign("response", http+strings.ReplaceAll(body, "\r\n", "\n"), "WARC-Payload-Digest: "+sha256Digest([]byte("hello world"))),
		foreign("revisit", "HTTP/1.1 304 Not Modified\r\n\r\n", "WARC-Payload-Digest: "+sha256Digest([]byte("of the original"))),
		foreign("response", "gibberish", "WARC-Payload-Digest: "+sha256Digest([]byte("gibberish")),
			"WARC-Block-Digest: "+sha256Digest([]byte("gibberish"))),
		foreign("resource", "x", "WARC-Block-Digest: crc32:1", "X-Folded: a", "\tb"),
		foreign("conversion", ""),
	))
	if r.Bad != nil || r.Records["response"] != 6 || r.Unchecked != 1 || len(r.Records) != 5 {
		t.Errorf("%+v, %v", r, r.Bad)
	}
	plain := verified(t, []byte(foreign("resource", "hello")+foreign("metadata", "x: y\r\n")))
	if plain.Bad != nil || plain.Records["resource"] != 1 || plain.Records["metadata"] != 1 {
		t.Errorf("without compression: %+v, %v", plain, plain.Bad)
	}
}

// Any one byte changed is noticed, unless it changes nothing that is read.
func TestVerifyNoticesEveryByte(t *testing.T) {
	dir := t.TempDir()
	w := open(t, dir, Options{})
	write(t, w, page(1))
	closeOK(t, w)
	b := read(t, files(t, dir, "archive/*.warc.gz")[0])
	text := gunzip(t, b)
	unnoticed := 0
	for i := range b {
		c := bytes.Clone(b)
		c[i] ^= 0x41
		s := newScanner("x", bytes.NewReader(c), 0, int64(len(c)))
		var err error
		for err == nil {
			var rec *record
			if rec, err = s.next(true); err == nil {
				err = rec.wrong
			}
		}
		if err == io.EOF {
			if gunzip(t, c) != text {
				t.Errorf("byte %d: not noticed", i)
			}
			unnoticed++
		}
	}
	if most := 4 * 6; unnoticed > most { // time, flags and system in four gzip headers
		t.Errorf("%d bytes changed without notice, want at most %d", unnoticed, most)
	}
}

func TestRecoverForeignFile(t *testing.T) {
	var records []string
	for n := range 6 {
		records = append(records, foreign("resource", strings.Repeat(fmt.Sprint(n), 3000), "Content-Type: text/plain"))
	}
	var at []int
	var whole []byte
	for _, r := range records {
		at = append(at, len(whole))
		whole = append(whole, gzipped(t, r)...)
	}
	damaged := func(change func(b []byte) []byte) []byte { return change(bytes.Clone(whole)) }
	for what, tc := range map[string]struct {
		b    []byte
		kept []int
		cuts int
	}{
		"sound":          {whole, []int{0, 1, 2, 3, 4, 5}, 0},
		"torn":           {whole[:at[5]+20], []int{0, 1, 2, 3, 4}, 1},
		"damaged inside": {damaged(func(b []byte) []byte { b[at[2]+15] ^= 0xff; return b }), []int{0, 1, 3, 4, 5}, 1},
		"first record":   {damaged(func(b []byte) []byte { b[0] = 0; return b }), []int{1, 2, 3, 4, 5}, 1},
		"twice and torn": {damaged(func(b []byte) []byte { b[at[1]+15]++; b[at[3]+15]++; return b[:at[5]+1] }), []int{0, 2, 4}, 3},
		"garbage between": {slices.Concat(whole[:at[3]], []byte("\x1f\x8b\x08garbage\x1f\x8b\x08\x00"), whole[at[3]:]),
			[]int{0, 1, 2, 3, 4, 5}, 1},
		"zeros at the end": {append(bytes.Clone(whole), make([]byte, 200_000)...), []int{0, 1, 2, 3, 4, 5}, 1},
	} {
		name := saved(t, tc.b)
		got, err := Recover(name)
		if err != nil || got.Records != len(tc.kept) || len(got.Cut) != tc.cuts || (len(got.Saved) > 0) != (tc.cuts > 0) {
			t.Errorf("%s: %+v, %v", what, got, err)
			continue
		}
		var want []byte
		for _, n := range tc.kept {
			want = append(want, gzipped(t, records[n])...)
		}
		b := read(t, name)
		if !bytes.Equal(b, want) {
			t.Errorf("%s: %d bytes are left, want %d", what, len(b), len(want))
		}
		if r := verified(t, b); r.Bad != nil {
			t.Errorf("%s: %v", what, r.Bad)
		}
		if len(got.Saved) > 0 && len(b)+len(read(t, got.Saved[0])) != len(tc.b) {
			t.Errorf("%s: what was cut is not all in %s", what, got.Saved)
		}
		if again, err := Recover(name); err != nil || len(again.Cut) != 0 {
			t.Errorf("%s: a second time: %+v, %v", what, again, err)
		}
	}
	plain := strings.Join(records, "")
	name := saved(t, []byte(plain[:len(plain)-1]))
	if got, err := Recover(name); err != nil || got.Records != 6 || len(got.Cut) != 0 {
		t.Errorf("without compression: %+v, %v", got, err)
	}
}

func TestRecoverLeavesAlone(t *testing.T) {
	b := gzipped(t, foreign("resource", "x"))
	name := saved(t, b[:20])
	if _, err := Recover(name); err == nil || !strings.Contains(err.Error(), "was not changed") || len(read(t, name)) != 20 {
		t.Errorf("a file without a whole record: %v", err)
	}
	for says, content := range map[string][]byte{
		"the file is empty": nil,
		"an ARC file":       []byte("filedesc://x 0.0.0.0"),
	} {
		name := saved(t, content)
		if _, err := Recover(name); err == nil || !strings.Contains(err.Error(), says) || !bytes.Equal(read(t, name), content) {
			t.Errorf("want %s, got %v", says, err)
		}
	}
	name = saved(t, append(bytes.Clone(b), 1, 2, 3))
	if err := os.WriteFile(name+damagedSuffix, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	r, err := Recover(name)
	if err != nil || len(r.Saved) != 1 || r.Saved[0] != name+damagedSuffix+".2" || len(read(t, name+damagedSuffix)) != 0 {
		t.Errorf("what an earlier repair saved is not there any more: %+v, %v", r, err)
	}
	dir := t.TempDir()
	w := open(t, dir, Options{})
	write(t, w, page(1))
	if _, err := Recover(w.seg.warc.Name()); err == nil || !strings.Contains(err.Error(), "in use") {
		t.Errorf("a file of a running crawl: %v", err)
	}
	if _, err := Recover(filepath.Join(dir, "none")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("no file: %v", err)
	}
}

// Arbitrary bytes: no crash, no endless reading, and what Recover leaves is sound in form.
func FuzzRecover(f *testing.F) {
	record := foreign("response", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nx\r\n0\r\n\r\n", "WARC-Block-Digest: sha1:A",
		"WARC-Payload-Digest: md5:B")
	b := gzipped(f, record, foreign("resource", "hello"))
	f.Add(b)
	f.Add(b[:len(b)-3])
	f.Add(append(bytes.Clone(b[5:]), b...))
	f.Add([]byte(record + record))
	f.Add(append([]byte("\x1f\x8b\x08\x1f\x8b\x08"), b...))
	dir := f.TempDir()
	name := filepath.Join(dir, "f.warc.gz")
	f.Fuzz(func(t *testing.T, b []byte) {
		_ = os.Remove(name + damagedSuffix)
		if err := os.WriteFile(name, b, 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := Verify(name); err != nil {
			t.Fatal(err)
		}
		got, err := Recover(name)
		left := read(t, name)
		if err != nil {
			if !bytes.Equal(left, b) {
				t.Errorf("after the error %v the file is another", err)
			}
			return
		}
		s := newScanner(name, bytes.NewReader(left), 0, int64(len(left)))
		n := 0
		for ; err == nil; n++ {
			_, err = s.next(false)
		}
		if err != io.EOF || n-1 != got.Records {
			t.Errorf("%d records, then %v; want %d", n-1, err, got.Records)
		}
		var cut int64
		for _, c := range got.Cut {
			cut += c.Length
		}
		if got.Repacked == 0 && cut+int64(len(left)) != int64(len(b)) {
			t.Errorf("%d bytes cut, %d left, %d before", cut, len(left), len(b))
		}
	})
}

// Whatever a crash leaves in the two files, Open makes a whole crawl directory of it.
func FuzzResume(f *testing.F) {
	three := segmentOfThree(f)
	f.Add(three.warc, three.graph)
	f.Add(three.warc[:len(three.warc)-5], three.graph)
	f.Add(three.warc, three.graph[:len(three.graph)-5])
	f.Add([]byte("WARC/1.1\r\n"), []byte{})
	f.Fuzz(func(t *testing.T, warc, graph []byte) {
		m := matched(t, warc, graph, &sorter{dir: t.TempDir()})
		if length(m.warc) > int64(len(warc)) || length(m.graph) > int64(len(graph)) {
			t.Fatalf("%+v of %d and %d bytes", m, len(warc), len(graph))
		}
		var kept, keptGraph []byte
		for _, s := range m.warc {
			kept = append(kept, warc[s.Offset:s.Offset+s.Length]...)
		}
		for _, s := range m.graph {
			keptGraph = append(keptGraph, graph[s.Offset:s.Offset+s.Length]...)
		}
		again := matched(t, kept, keptGraph, &sorter{dir: t.TempDir()})
		if again.captures != m.captures || length(again.warc) != length(m.warc) || again.damaged {
			t.Errorf("%+v, and of what is kept %+v", m, again)
		}
	})
}
