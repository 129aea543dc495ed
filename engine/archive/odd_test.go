package archive

import (
	"bytes"
	"crypto/sha512"
	"encoding/base64"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

// oddRecord makes a response record with a body that can be found again.
func oddRecord(n int, change func(h []string, block string) ([]string, string, string)) (record, mark string) {
	mark = fmt.Sprintf("<p>text of record %d</p>", n)
	block := fmt.Sprintf("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: %d\r\n\r\n%s", len(mark), mark)
	head := []string{"WARC/1.0", "WARC-Type: response", fmt.Sprintf("WARC-Record-ID: <urn:uuid:%036d>", n),
		"WARC-Date: 2020-03-12T10:00:00Z", fmt.Sprintf("WARC-Target-URI: http://b.example/%d", n),
		"Content-Type: application/http; msgtype=response"}
	head, block, end := change(head, block)
	length := fmt.Sprintf("Content-Length: %d", len(block))
	for _, h := range head {
		if strings.HasPrefix(strings.ToLower(h), "content-length") || h == "no length" {
			length = ""
		}
	}
	if length != "" {
		head = append(head, length)
	}
	return strings.ReplaceAll(strings.Join(head, "\r\n")+"\r\n\r\n", "no length\r\n", "") + block + end, mark
}

const twoBreaks = "\r\n\r\n"

// deviations are what other programs write, and what of it is unusual; "" is damage.
var deviations = []struct {
	what   string
	kind   Oddity
	change func(h []string, b string) ([]string, string, string)
}{
	{"status line in lower case", OddStatusLine, oddBlock("HTTP/1.1 200", "http/1.1 200")},
	{"HTTP/2 without a reason", OddStatusLine, oddBlock("HTTP/1.1 200 OK", "HTTP/2 200")},
	{"HTTP/3", OddStatusLine, oddBlock("HTTP/1.1 200 OK", "HTTP/3 200")},
	{"several blanks", OddStatusLine, oddBlock("HTTP/1.1 200 OK", "HTTP/1.1   200  OK")},
	{"HTTP Content-Length too small", OddLength, oddBlock("\r\nContent-Length: ", "\r\nContent-Length: 3\r\nX: ")},
	{"chunked, stored decoded", OddChunks, oddBlock("Content-Length: ", "Transfer-Encoding: chunked\r\nX: ")},
	{"no status line", OddNotHTTP, oddBlock("HTTP/1.1 200 OK\r\n", "")},
	{"no head at all", OddNotHTTP, func(h []string, b string) ([]string, string, string) {
		_, body, _ := strings.Cut(b, twoBreaks)
		return h, body, twoBreaks
	}},
	{"head without its empty line", OddHead, func(h []string, b string) ([]string, string, string) {
		return h, strings.Replace(b, twoBreaks, "\r\n", 1), twoBreaks
	}},
	{"one line break", OddLineBreaks, oddEnd("\r\n")},
	{"no line break", OddLineBreaks, oddEnd("")},
	{"LF LF", OddLineBreaks, oddEnd("\n\n")},
	{"three line breaks", OddLineBreaks, oddEnd("\r\n\r\n\r\n")},
	{"unknown version", OddVersion, oddHeader("WARC/1.0", "WARC/2.7")},
	{"header line without a colon", OddHeaderLine, oddHeader("WARC-Date", "nothing of use\r\nWARC-Date")},
	{"no date", OddMissing, oddHeader("WARC-Date: ", "X-Date: ")},
	{"date of 14 digits", OddDate, oddHeader("2020-03-12T10:00:00Z", "20200312100000")},
	{"date with an offset", OddDate, oddHeader("2020-03-12T10:00:00Z", "2020-03-12T11:00:00+0100")},
	{"date that cannot be read", OddDate, oddHeader("2020-03-12T10:00:00Z", "last week")},
	{"date with nanoseconds", "none", oddHeader("10:00:00Z", "10:00:00.123456789Z")},
	{"status line of HTTP/2 alone", OddStatusLine, oddBlock("HTTP/1.1 200 OK", "h2 200")},
	{"status line of Shoutcast", OddStatusLine, oddBlock("HTTP/1.1 200 OK", "ICY 200 OK")},
	{"HTTP in a resource record", "none", oddHeader("response", "resource")},
	{"a file", "none", oddHeader("http://b.example/", "file:/home/")},
	{"content without a type", OddNotHTTP, func(h []string, b string) ([]string, string, string) {
		_, body, _ := strings.Cut(b, twoBreaks)
		h[5] = "Content-Type: application/octet-stream"
		return h, body, twoBreaks
	}},
	{"revisit with its body", "none", oddHeader("response", "revisit")},
	{"digest in base64 for URLs", "none", func(h []string, b string) ([]string, string, string) {
		sum := sha512.Sum512([]byte(b))
		return append(h, "WARC-Block-Digest: SHA-512:"+base64.URLEncoding.EncodeToString(sum[:])), b, twoBreaks
	}},
	{"digest that is none", OddDigest, oddHeader("WARC-Date: ", "WARC-Block-Digest: sha1:null\r\nWARC-Date: ")},
	{"blanks and nothing else in an address", "none", oddHeader("b.example/", "b.example/a b|c/")},
	{"no type, record ID or date", OddMissing, func(h []string, b string) ([]string, string, string) {
		return append(h[:1:1], h[4:]...), b, twoBreaks
	}},
	{"no record ID", OddMissing, oddHeader("WARC-Record-ID", "X-Record-ID")},
	{"no type", OddMissing, oddHeader("WARC-Type", "X-Type")},
	{"no Content-Length", "", func(h []string, b string) ([]string, string, string) { return append(h, "no length"), b, twoBreaks }},
	{"Content-Length one too small", "", oddContentLength(-1)},
	{"Content-Length ten too large", "", oddContentLength(10)},
	{"Content-Length enormous", "", oddContentLength(1 << 50)},
	{"folded header", "none", oddHeader("WARC-Date: ", "X-Note: a\r\n b\r\nWARC-Date: ")},
	{"names in lower case", "none", oddHeader("WARC-Target-URI", "warc-target-uri")},
	{"blanks around values", "none", oddHeader("WARC-Target-URI: ", "WARC-Target-URI :   ")},
	{"URI in brackets", "none", func(h []string, b string) ([]string, string, string) {
		h[4] = strings.Replace(h[4], "http:", "<http:", 1) + ">"
		return h, b, twoBreaks
	}},
	{"no msgtype", "none", oddHeader("; msgtype=response", "")},
	{"interim answer", "none", func(h []string, b string) ([]string, string, string) {
		return h, "HTTP/1.1 100 Continue\r\n\r\n" + b, twoBreaks
	}},
}

func oddBlock(old, with string) func([]string, string) ([]string, string, string) {
	return func(h []string, b string) ([]string, string, string) {
		return h, strings.Replace(b, old, with, 1), twoBreaks
	}
}

func oddEnd(end string) func([]string, string) ([]string, string, string) {
	return func(h []string, b string) ([]string, string, string) { return h, b, end }
}

func oddHeader(old, with string) func([]string, string) ([]string, string, string) {
	return func(h []string, b string) ([]string, string, string) {
		return strings.Split(strings.Replace(strings.Join(h, "\r\n"), old, with, 1), "\r\n"), b, twoBreaks
	}
}

func oddContentLength(by int64) func([]string, string) ([]string, string, string) {
	return func(h []string, b string) ([]string, string, string) {
		return append(h, fmt.Sprintf("Content-Length: %d", int64(len(b))+by)), b, twoBreaks
	}
}

// oddForms pack records in each way that files are packed.
func oddForms(t testing.TB) map[string]func(records []string) []byte {
	encoder, err := zstd.NewWriter(nil)
	if err != nil {
		t.Fatal(err)
	}
	return map[string]func([]string) []byte{
		".warc":    func(records []string) []byte { return []byte(strings.Join(records, "")) },
		".warc.gz": func(records []string) []byte { return gzipped(t, records...) },
		"-one.warc.gz": func(records []string) []byte {
			return gzipped(t, strings.Join(records, ""))
		},
		"-blocks.warc.gz": func(records []string) []byte {
			var blocks []string
			for block := range slices.Chunk([]byte(strings.Join(records, "")), 100) {
				blocks = append(blocks, string(block))
			}
			return gzipped(t, append(blocks, "")...)
		},
		".warc.zst": func(records []string) []byte {
			var all []byte
			for _, r := range records {
				all = encoder.EncodeAll([]byte(r), all)
			}
			return all
		},
	}
}

// readOdd reads a file and reports which marks were found, and what was said.
func readOdd(t *testing.T, name string) (blocks string, bad []*BadRecord, unusual map[Oddity]int) {
	t.Helper()
	unusual = map[Oddity]int{}
	var all strings.Builder
	err := Answers(Reading{Files: []string{name}, Most: 1 << 20,
		Each: func(x *Answer) error {
			all.Write(x.Block)
			return nil
		},
		Bad:     func(b *BadRecord) { bad = append(bad, b) },
		Unusual: func(b *BadRecord) { unusual[b.Kind]++ }})
	if err != nil {
		t.Fatal(err)
	}
	return all.String(), bad, unusual
}

// Each way in which other programs deviate from the standard costs no record, in whatever way the file is packed, and is named.
func TestOddRecords(t *testing.T) {
	t.Parallel()
	whole := func(h []string, b string) ([]string, string, string) { return h, b, twoBreaks }
	for _, d := range deviations {
		for form, pack := range oddForms(t) {
			one, mark := oddRecord(1, d.change)
			two, mark2 := oddRecord(2, whole)
			three, mark3 := oddRecord(3, whole)
			name := filepath.Join(t.TempDir(), "odd"+form)
			if err := os.WriteFile(name, pack([]string{one, two, three}), 0o600); err != nil {
				t.Fatal(err)
			}
			blocks, bad, unusual := readOdd(t, name)
			for _, m := range []string{mark, mark2, mark3} {
				if !strings.Contains(blocks, m) {
					t.Errorf("%s, %s: %s is not read: %v", d.what, form, m, bad)
				}
			}
			switch {
			case d.kind == "" && len(bad) == 0, d.kind != "" && len(bad) > 0:
				t.Errorf("%s, %s: damaged: %v", d.what, form, bad)
			case d.kind != "" && d.kind != "none" && unusual[d.kind] == 0:
				t.Errorf("%s, %s: unusual: %v", d.what, form, unusual)
			}
			reports, err := Verify(name)
			if err != nil || (reports[0].Wrong > 0) != (d.kind == "") {
				t.Errorf("%s, %s: verified: %+v, %v", d.what, form, reports, err)
			}
			if _, err := Recover(name); err != nil && form != ".warc.zst" {
				t.Errorf("%s, %s: %v", d.what, form, err)
			}
			if again, _, _ := readOdd(t, name); len(again) < len(blocks) {
				t.Errorf("%s, %s: recover removes what can be read", d.what, form)
			}
		}
	}
}

// Of 200 files, each with its own mixture of deviations and some of them cut, nothing is lost but what is behind a cut, and nothing
// silently.
func TestNothingOfOddFilesIsLostSilently(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(42, 42)) //nolint:gosec // the same each time
	dir := t.TempDir()
	forms := oddForms(t)
	names := []string{".warc", ".warc.gz", "-one.warc.gz", ".warc.zst"}
	records, read, damaged, odd, lost := 0, 0, 0, 0, 0
	for n := range 200 {
		form := names[n%len(names)]
		var all, marks []string
		for range 1 + random.IntN(8) {
			r, mark := oddRecord(records, deviations[random.IntN(len(deviations))].change)
			all, marks = append(all, r), append(marks, mark)
			records++
		}
		data := forms[form](all)
		cut := random.IntN(5) == 0
		if cut {
			data = data[:len(data)-1-random.IntN(len(data)/3)]
		}
		name := filepath.Join(dir, fmt.Sprint(n, form))
		if err := os.WriteFile(name, data, 0o600); err != nil {
			t.Fatal(err)
		}
		blocks, bad, unusual := readOdd(t, name)
		damaged += len(bad)
		for _, k := range unusual {
			odd += k
		}
		for i, mark := range marks {
			if strings.Contains(blocks, mark) {
				read++
				continue
			}
			lost++
			if len(bad) == 0 {
				t.Errorf("%s: %s is lost, and nothing is said", name, mark)
			}
			if !cut || slices.ContainsFunc(marks[i:], func(later string) bool { return strings.Contains(blocks, later) }) {
				t.Errorf("%s: %s is lost, and is not behind the cut", name, mark)
			}
		}
	}
	t.Logf("200 files, %d records: %d read, %d lost and named; %d places damaged, %d oddities", records, read, lost, damaged, odd)
}

// A file of zstd whose records need the dictionary in its first frame.
func TestZstdWithDictionary(t *testing.T) {
	t.Parallel()
	var samples [][]byte
	var records []string
	for n := range 200 {
		r, _ := oddRecord(n, oddEnd(twoBreaks))
		records, samples = append(records, r), append(samples, []byte(r))
	}
	dictionary, err := zstd.BuildDict(zstd.BuildDictOptions{ID: 7, Contents: samples, History: []byte(strings.Join(records[:20], "")),
		Offsets: [3]int{1, 4, 8}})
	if err != nil {
		t.Fatal(err)
	}
	encoder, err := zstd.NewWriter(nil, zstd.WithEncoderDict(dictionary))
	if err != nil {
		t.Fatal(err)
	}
	plain, err := zstd.NewWriter(nil)
	if err != nil {
		t.Fatal(err)
	}
	for what, d := range map[string][]byte{"raw": dictionary, "compressed": plain.EncodeAll(dictionary, nil)} {
		data := []byte{0x5d, 0x2a, 0x4d, 0x18, byte(len(d)), byte(len(d) >> 8), byte(len(d) >> 16), 0}
		data = append(data, d...)
		for _, r := range records {
			data = encoder.EncodeAll([]byte(r), data)
		}
		name := filepath.Join(t.TempDir(), "x.warc.zst")
		if err := os.WriteFile(name, data, 0o600); err != nil {
			t.Fatal(err)
		}
		blocks, bad, _ := readOdd(t, name)
		if n := strings.Count(blocks, "<p>text of record"); n != len(records) || bad != nil {
			t.Errorf("%s: %d records, %v", what, n, bad)
		}
		if r, err := Verify(name); err != nil || r[0].Wrong > 0 || r[0].Records["response"] != len(records) {
			t.Errorf("%s: %+v, %v", what, r, err)
		}
		if r, err := Recover(name); err != nil || len(r.Cut) > 0 || r.Records != len(records) {
			t.Errorf("%s: recover: %+v, %v", what, r, err)
		}
	}
}

// A revisit is completed from its original wherever that is, by whatever it says of it, and from no other payload.
func TestOriginals(t *testing.T) {
	t.Parallel()
	const body = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\nthe original"
	digest := "WARC-Payload-Digest: " + sha256Digest([]byte("the original"))
	const md5 = "WARC-Payload-Digest: md5:bce8eb9769df8bdbcdf62a57510eaa7d"
	head := "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n"
	rename := func(r, id string) string { return strings.Replace(r, "urn:x:1", id, 1) }
	original := rename(foreign("response", body, digest), "urn:x:original")
	bare := rename(foreign("response", body), "urn:x:original")
	for what, c := range map[string]struct {
		original string
		fields   []string
		missing  bool
	}{
		"digest in another spelling": {original, []string{strings.ToUpper(strings.Replace(digest, "sha256:", "sha-256:", 1))}, false},
		"record ID":                  {bare, []string{"WARC-Refers-To: <urn:x:original>"}, false},
		"URI and date": {bare, []string{"WARC-Refers-To-Target-URI: http://e.example/",
			"WARC-Refers-To-Date: 2026-11-21T09:30:00.000000Z"}, false},
		"URL":                     {bare, nil, false},
		"URL in another spelling": {bare, []string{"WARC-Refers-To-Target-URI: HTTP://E.example:80#top"}, false},
		"md5":                     {rename(foreign("response", body, md5), "urn:x:original"), []string{strings.ToUpper(md5)}, false},
		"another payload":         {bare, []string{"WARC-Payload-Digest: " + sha256Digest([]byte("another"))}, true},
	} {
		revisit := rename(foreign("revisit", head+"\r\n", c.fields...), "urn:x:revisit")
		for _, order := range [][]string{{original, revisit}, {revisit, c.original}} {
			order[0] = strings.Replace(order[0], original, c.original, 1)
			var files []string
			for i, r := range order {
				name := filepath.Join(t.TempDir(), fmt.Sprint(i, ".warc.gz"))
				if err := os.WriteFile(name, gzipped(t, r), 0o600); err != nil {
					t.Fatal(err)
				}
				files = append(files, name)
			}
			revisits := 0
			err := Answers(Reading{Files: files, Most: 1 << 20, Bad: func(b *BadRecord) { t.Error(what, b) }, Each: func(x *Answer) error {
				if x.Revisit {
					revisits++
					if (x.Body.Missing != nil) != c.missing || !c.missing && !bytes.HasSuffix(x.Block, []byte("the original")) {
						t.Errorf("%s: %q, %v", what, x.Block, x.Body.Missing)
					}
				}
				return nil
			}})
			if err != nil || revisits != 1 {
				t.Errorf("%s: %d revisits, %v", what, revisits, err)
			}
		}
	}
}

// An answer in segments is put together; a segment that is not there is named.
func TestSegments(t *testing.T) {
	t.Parallel()
	block := "HTTP/1.1 200 OK\r\n\r\nall of it"
	first := foreign("response", block[:25], "WARC-Segment-Number: 1")
	second := foreign("continuation", block[25:], "WARC-Segment-Number: 2", "WARC-Segment-Origin-ID: <urn:x:1>",
		fmt.Sprintf("WARC-Segment-Total-Length: %d", len(block)))
	name := saved(t, gzipped(t, second, first))
	if blocks, bad, _ := readOdd(t, name); blocks != block || bad != nil {
		t.Errorf("%q, %v", blocks, bad)
	}
	for alone, want := range map[string]string{first: block[:25], second: ""} {
		if blocks, bad, _ := readOdd(t, saved(t, gzipped(t, alone))); blocks != want || len(bad) != 1 || bad[0].Read != (want != "") {
			t.Errorf("of one segment: %q, %v", blocks, bad)
		}
	}
}

// A member that is cut loses no record that is whole before the cut, neither in reading nor in recovery.
func TestRecoverKeepsRecordsOfACutMember(t *testing.T) {
	t.Parallel()
	var all strings.Builder
	for n := range 50 {
		r, _ := oddRecord(n, oddEnd(twoBreaks))
		all.WriteString(r)
	}
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	_, _ = z.Write([]byte(all.String()))
	_ = z.Flush() // what is written so far can be read
	data := b.Bytes()
	name := saved(t, data[:len(data)-1])
	blocks, bad, _ := readOdd(t, name)
	n := strings.Count(blocks, "<p>text of record")
	if n < 49 || len(bad) == 0 {
		t.Fatalf("%d records, %v", n, bad)
	}
	got, err := Recover(name)
	if err != nil || got.Repacked != got.Records || got.Records < 49 || len(got.Saved) != 1 {
		t.Fatalf("%+v, %v", got, err)
	}
	if r, err := Verify(name); err != nil || r[0].Wrong > 0 || r[0].Records["response"] != got.Records || len(r[0].Unusual) > 0 {
		t.Errorf("%+v, %v", r, err)
	}
}
