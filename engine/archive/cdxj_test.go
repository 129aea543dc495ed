package archive

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/awarc/awarc/engine/durable"
)

// oddURLs and oddHeads are what the golden file of warcio was made of.
func oddURLs() []string {
	return []string{
		"http://example.com/", "https://www.example.com/A/b?Z=1&a=2&&b", "http://www2.Example.com:8080/x?", "http://www.com/",
		"http://wwwx.com/", "https://www12.foo.bar/%C3%A9?q=%20%2F", "http://[::1]:80/", "http://127.0.0.1:37995/a/../b/./c",
		"http://user:pw@e.com/#frag?x", "http://b\u00fccher.example/stra\u00dfe?\u00fc=1", "ftp://x.y/z", "HTTP://WWW.X.com/",
		"http://www.www.com/a;b=c", "http://e.com?x=1", "http://e.com/a|b{c}\"d'e", "http://e.com:443/", "https://e.com:443/",
		"http://0x7f.1/", "http://e.com/\u2028x", "http://e.com/?b=\u00e9&a=%E9", "dns:example.com", "http://e.com/a?b=c?d&A",
		"http://e.com/%zz", "http://e.com/x\\y", "http://e.com/?\U0001F600&\uFB00",
	}
}

func oddHeads() []string {
	return []string{
		"HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=x\r\n\r\n",
		"HTTP/1.1 404\r\nX: y\r\n\r\n",
		"HTTP/1.0 301 Moved\r\ncontent-type:\r\nLocation: /\r\n\r\n",
		"HTTP/1.1 abc\r\nContent-Type: ;x\r\n\r\n",
		"garbage\r\nContent-Type: a/b\r\n\r\n",
		"HTTP/1.1 0200 OK\r\nContent-Type: text/x\r\nContent-Type: text/y; z\r\n\r\n",
		"HTTP/1.1  200 OK\r\nContent-Type: a\"b\\c\r\n\r\n",
		"HTTP/1.1 200 OK\r\nContent-Type: text/h\u00e9; x\r\n\r\n",
		"HTTP/1.1 200 OK\r\nContent-Type: text/\xff\xfe\r\n\r\n",
		"HTTP/1.1 200 OK\r\nContent-Type: text/\u4e2d\r\n\r\n",
		"HTTP/1.1 200 OK\r\nContent-Type: text/a\r\n b/c;\r\n\r\n",
		"HTTP/1.1 200 OK\r\nContent-Type: a/\x01\t\x7f b\r\n\r\n",
		"HTTP/1.1 200 OK\r\nContent-Type : a/b\r\n\r\n",
		"HTTP/1.1 200 OK\r\nContent-Type: a/\x00b\r\n\r\n",
		"HTTP/1.1 200 OK\r\nno colon\r\nContent-Type: a/b\r\n\r\n",
		"HTTP/1.1 20x OK\r\nContent-Type: A/B ;c\r\n\r\n",
		"HTTP/1.1 -5 OK\r\nContent-Type: \u00a0a/b\u00a0\r\n\r\n",
		"HTTP/1.1 200 OK\r\nX: y\r\n\r\n",
		"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nContent-Type: text/plain\r\n\r\n3\r\nabc\r\n0\r\n\r\n",
	}
}

func writeOdd(t *testing.T, dir string) {
	w := open(t, dir, Options{Prefix: "odd"})
	for i, u := range oddURLs() {
		write(t, w, captureOf(u, oddHeads()[0]+fmt.Sprint(i)))
	}
	for i, h := range oddHeads() {
		write(t, w, captureOf(fmt.Sprintf("http://heads.example/%02d", i), h+"body"))
	}
	closeOK(t, w)
}

// The golden file was made by the Python package surt 0.3.1, which pywb and cdxj-indexer use: a URL and its key a line, or the URL twice
// where the package refuses it.
func TestKeysAreThoseOfSurt(t *testing.T) {
	n := 0
	for line := range strings.Lines(string(read(t, "testdata/surt.jsonl"))) {
		var pair [2]string
		if err := json.Unmarshal([]byte(line), &pair); err != nil {
			t.Fatal(err)
		}
		n++
		if got := surt(pair[0]); got != pair[1] {
			t.Errorf("the key of %q is %q, surt has %q", pair[0], got, pair[1])
		}
	}
	if n < 90 {
		t.Errorf("only %d keys", n)
	}
	long := "%" + strings.Repeat("25", 1<<18) + "41" // in one pass, whatever is escaped how often
	if got := surt("http://e.com/" + long); got != "com,e)/a" {
		t.Errorf("what was escaped often has a key of %d bytes", len(got))
	}
}

// The golden index is of a WARC file that writeOdd wrote when digests were in base32. Members are those of warcio.js 2.4.11 (npx
// warcio@2.4.11 cdx-index), but for digests in base16 with their algorithm; keys are those of cdxj-indexer 1.5.0.
func TestIndexLinesAreThoseOfWarcio(t *testing.T) {
	lines := &sorter{dir: t.TempDir()}
	if err := indexFile("testdata/odd.warc.gz", "odd.warc.gz", lines); err != nil {
		t.Fatal(err)
	}
	got, want := strings.Split(string(readAll(t, lines.sorted())), "\n"), strings.Split(string(read(t, "testdata/odd.cdxj")), "\n")
	if len(got) != len(want) {
		t.Errorf("%d lines, want %d", len(got), len(want))
	}
	for i := range min(len(got), len(want)) {
		if got[i] != want[i] {
			t.Errorf("line %d is\n%s\nwarcio has\n%s", i+1, got[i], want[i])
		}
	}
}

func TestOddCaptures(t *testing.T) {
	dir := os.Getenv("AWARC_ODD")
	if dir == "" {
		dir = t.TempDir()
	}
	writeOdd(t, dir)
	if got, want := len(check(t, dir)), len(oddURLs())+len(oddHeads()); got != want {
		t.Errorf("%d captures, want %d", got, want)
	}
}

// A revisit record is indexed as such; other records are not, or are by their type.
func TestIndexByRecordType(t *testing.T) {
	header := func(typ, contentType string) *record {
		return &record{header: map[string]string{
			"warc-type": typ, "warc-target-uri": "http://e.com/", "warc-date": "2026-11-21T09:30:00Z", "content-type": contentType,
		}}
	}
	for _, tc := range []struct{ typ, contentType, want string }{
		{"warcinfo", "application/warc-fields", ""},
		{"request", "application/http;msgtype=request", ""},
		{"metadata", "application/warc-fields", ""},
		{"metadata", "application/json", `com,e)/ 20261121093000 {"url":"http://e.com/","mime":"application/json","length":"9",` +
			`"offset":"7","filename":"f"}`},
		{"revisit", "application/http;msgtype=response",
			`com,e)/ 20261121093000 {"url":"http://e.com/","mime":"warc/revisit","length":"9","offset":"7","filename":"f"}`},
		{"resource", "text/html", `com,e)/ 20261121093000 ` +
			`{"url":"http://e.com/","mime":"text/html","length":"9","offset":"7","filename":"f"}`},
	} {
		got := ""
		if e, ok := header(tc.typ, tc.contentType).entry(); ok {
			got = strings.TrimSpace(e.at("f", 7, 9))
		}
		if got != tc.want {
			t.Errorf("%s of %s: %s, want %s", tc.typ, tc.contentType, got, tc.want)
		}
	}
}

// More lines than are sorted in memory, in more files than are merged at a time, with doubles.
func TestSortBeyondMemory(t *testing.T) {
	dir := t.TempDir()
	lines := &sorter{dir: dir}
	const n = 60_000
	for i := range n {
		lines.add(fmt.Sprintf("%05d %s\n", (i*7919)%n, strings.Repeat("x", 300)))
	}
	if len(lines.runs) == 0 || lines.bytes >= sortBytes {
		t.Errorf("%d runs, %d bytes in memory", len(lines.runs), lines.bytes)
	}
	names, err := lines.flush()
	if err != nil {
		t.Fatal(err)
	}
	for i := range 2*fanIn + 3 {
		name := filepath.Join(dir, fmt.Sprintf("part%d", i))
		text := fmt.Sprintf("#size 1\n%05d part\nz same in all\n", i)
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		names = append(names, name)
	}
	target := filepath.Join(dir, "out")
	if err := mergeTo(target, dir, "", names); err != nil {
		t.Fatal(err)
	}
	got := strings.SplitAfter(string(read(t, target)), "\n")
	got = got[:len(got)-1]
	if want := n + 2*fanIn + 3 + 1; len(got) != want {
		t.Errorf("%d lines, want %d", len(got), want)
	}
	for i := 1; i < len(got); i++ {
		if got[i-1] >= got[i] {
			t.Fatalf("line %d is not after the one before", i+1)
		}
	}
	lines.close()
	if left := files(t, dir, durable.Temporary+"*"); len(left) != 0 {
		t.Errorf("left behind: %v", left)
	}
}

// The index is the same whatever was lost of its parts, and unfinished files are in it under the names they will have.
func TestIndexIsMadeAgain(t *testing.T) {
	dir := t.TempDir()
	w := open(t, dir, Options{MaxSize: 5000})
	for n := range 20 {
		write(t, w, page(n))
	}
	index := filepath.Join(dir, archiveFolder, indexName)
	if err := w.Index(); err != nil {
		t.Fatal(err)
	}
	checkpoint := read(t, index)
	closeOK(t, w)
	whole := read(t, index)
	if string(checkpoint) != string(whole) {
		t.Errorf("the checkpoint has\n%s\nthe end\n%s", checkpoint, whole)
	}
	for _, name := range append(files(t, dir, "archive/.awarc/*.cdxj")[1:], index) {
		if err := os.Remove(name); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(files(t, dir, "archive/.awarc/*.cdxj")[0], []byte("#size 1\nz wrong\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	closeOK(t, open(t, dir, Options{}))
	if got := read(t, index); string(got) != string(whole) {
		t.Errorf("made again it has\n%s\nwant\n%s", got, whole)
	}
}

// What is sound of a damaged file is indexed, and the damage is told.
func TestIndexOfDamagedFile(t *testing.T) {
	dir := t.TempDir()
	w := open(t, dir, Options{})
	var locs []Location
	for n := range 5 {
		locs = append(locs, write(t, w, page(n)))
	}
	closeOK(t, w)
	name := files(t, dir, "archive/*.warc.gz")[0]
	b := read(t, name)
	b[locs[3].Offset+50] ^= 0xff
	if err := os.WriteFile(name, b[:len(b)-1], 0o600); err != nil { // another size: the part is stale
		t.Fatal(err)
	}
	err := open(t, dir, Options{}).Close()
	if err == nil || !strings.Contains(err.Error(), fmt.Sprintf("byte %d", locs[3].Offset)) ||
		!strings.Contains(err.Error(), "awarc warc recover") {
		t.Errorf("error %v, want one with the offset %d and the remedy", err, locs[3].Offset)
	}
	if got := strings.Count(string(read(t, filepath.Join(dir, archiveFolder, indexName))), "\n"); got != 4 {
		t.Errorf("%d lines, want the 3 before the damage and the one behind", got)
	}
}

// Heads that browsers read all the same are indexed by their status and media type.
func TestForgivingHead(t *testing.T) {
	t.Parallel()
	const fields = "Content-Type: text/html\r\nTransfer-Encoding: chunked\r\n\r\n"
	for _, first := range []string{"http/1.1 200 ok\r\n", "\r\nHTTP/1.1 200 OK\r\n", "</p>HTTP/1.1 200\r\n",
		"0\r\n\r\nHTTP/1.0 200 OK\n", "HTTP/2 200\r\n"} {
		h, err := readHTTPHead(newLines(strings.NewReader(first + fields + "body")))
		if err != nil || !h.http || !h.complete || h.status != "200" || h.mime != "text/html" || !h.chunked ||
			h.size != int64(len(first+fields)) {
			t.Errorf("%q: %+v, %v", first, h, err)
		}
	}
	for _, first := range []string{"GET http://site.example/ HTTP/1.1\r\n", "junk HTTP/1.1 200 OK\r\n"} {
		h, err := readHTTPHead(newLines(strings.NewReader(first + "\r\n")))
		if err != nil || h.http || h.line+"\r\n" != first {
			t.Errorf("%q: %+v, %v", first, h, err)
		}
	}
}
