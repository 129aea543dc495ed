package archive

import (
	"archive/zip"
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/awarc/awarc/engine/httpmsg"
)

// FuzzAnswers reads any bytes as a file of records, in each way that they may be packed. Nothing
// crashes or goes on for ever, no answer is longer than asked for or outside the file, what is read by
// extraction is what verification counts, and an answer is found again at its place.
func FuzzAnswers(f *testing.F) {
	forms := oddForms(f)
	for _, d := range deviations {
		one, _ := oddRecord(1, d.change)
		two, _ := oddRecord(2, oddEnd(twoBreaks))
		for _, pack := range forms {
			f.Add(pack([]string{one, two}))
		}
	}
	revisit := foreign("revisit", "HTTP/1.1 200 OK\r\n\r\n", "WARC-Refers-To: <urn:x:1>")
	segments := foreign("response", "HTTP/1.1 200 OK\r\n\r\n", "WARC-Segment-Number: 1") +
		foreign("continuation", "hello", "WARC-Segment-Number: 2", "WARC-Segment-Origin-ID: <urn:x:1>", "WARC-Segment-Total-Length: 24")
	for _, more := range []string{revisit, segments, "\x5d\x2a\x4d\x18\x04\x00\x00\x00\x37\xa4\x30\xec"} {
		for _, pack := range forms {
			data := pack([]string{more})
			f.Add(data)
			f.Add(data[:len(data)*2/3])
		}
	}
	name := filepath.Join(f.TempDir(), "f.warc.gz")
	f.Fuzz(func(t *testing.T, data []byte) {
		if err := os.WriteFile(name, data, 0o600); err != nil {
			t.Fatal(err)
		}
		const most = 1 << 16
		answers, places, read, shared := 0, []Place{}, 0, false
		err := Answers(Reading{Files: []string{name}, Most: most, Each: func(x *Answer) error {
			if answers++; int64(len(x.Block)) > most+maxHead || x.Offset < 0 || x.Offset+x.Length > int64(len(data)) {
				t.Errorf("an answer of %d bytes at %d, of %d", len(x.Block), x.Offset, len(data))
			}
			if x.Kind == "response" && x.Block != nil && len(places) < 4 {
				places = append(places, Place{name, x.Offset, 0})
			}
			return nil
		}, Bad: func(*BadRecord) { read++ }, Other: func(string) { read++ },
			Unusual: func(b *BadRecord) { shared = shared || b.Kind == OddShared }})
		if err != nil {
			t.Fatal(err)
		}
		reports, err := Verify(name)
		if err != nil {
			t.Fatal(err)
		}
		if n := len(reports[0].Records); n > 0 && answers+read == 0 {
			t.Errorf("verify counts %v, and nothing was read", reports[0].Records)
		}
		if shared {
			return // answers in the midst of a member are not found by its offset
		}
		for _, p := range places {
			a := newAnswers(Reading{Most: most})
			if _, _, err := a.readAt(p); err != nil {
				t.Errorf("the answer at %d is not there: %v", p.Offset, err)
			}
			a.shelf.close()
		}
	})
}

// FuzzHeads reads any bytes as the head of a message. The reader of the archive and the one of package
// httpmsg find the same status, and the same length where both find one.
func FuzzHeads(f *testing.F) {
	for _, d := range deviations {
		_, block, _ := d.change(make([]string, 6), "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 5\r\n\r\nhello")
		f.Add([]byte(block))
	}
	f.Add([]byte("\r\n\r\nabcdHTTP/1.1 200 OK\r\n\r\n"))
	f.Add([]byte("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200\n\n"))
	f.Add([]byte("HTTP/1.1 0 \r\n\r\n"))
	f.Fuzz(func(t *testing.T, block []byte) {
		h, err := readHTTPHead(newLines(bytes.NewReader(block)))
		if err != nil || h.size > int64(len(block)) {
			t.Fatalf("a head of %d bytes in %d, %v", h.size, len(block), err)
		}
		r := &record{header: map[string]string{"warc-type": "response"}, http: h}
		message, isHTTP := r.message(block)
		if !isHTTP {
			return
		}
		if r.unread() != "" {
			return
		}
		again, err := readHTTPHead(newLines(bytes.NewReader(message)))
		if err != nil {
			t.Fatal(err)
		}
		msg, err := httpmsg.ReadArchivedHead(newLines(bytes.NewReader(message)).Reader)
		if err == nil && again.http && msg.Status != again.code {
			t.Errorf("status %d and %d", msg.Status, again.code)
		}
	})
}

// FuzzFields reads any text as a digest and as a date.
func FuzzFields(f *testing.F) {
	for _, seed := range []string{"sha1:3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ", "SHA-256:" + strings.Repeat("0a", 32),
		"md5:k0nzZrJj9YsgTE66EGJFdw==", "sha1:", "xxh128:00", "2020-03-12T10:00:00.123456789Z", "20200312100000123",
		"2020-03-12 10:00:00 UTC", "2020", "last week"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		key := digestKey(text)
		if algorithm, _, _ := strings.Cut(key, ":"); digestHashes[algorithm] != nil && key != digestKey(key) {
			t.Errorf("%q is %q, and that %q", text, key, digestKey(key))
		}
		if d := parseDigest(text); d != nil && len(d.sum) != d.Size() {
			t.Errorf("%q: %d bytes", text, len(d.sum))
		}
		if when, err := parseDate(text); err == nil {
			again, err := parseDate(when.UTC().Format(time.RFC3339Nano))
			if err != nil && when.Year() > 0 && when.Year() < 9999 || err == nil && !again.Equal(when) {
				t.Errorf("%q is %v, and that %v, %v", text, when, again, err)
			}
		}
		_ = urlKey(text)
	})
}

// FuzzWACZ reads any bytes as a WACZ file.
func FuzzWACZ(f *testing.F) {
	record, _ := oddRecord(1, oddEnd(twoBreaks))
	name := filepath.Join(f.TempDir(), "f.wacz")
	for _, method := range []uint16{zip.Store, zip.Deflate} {
		files := map[string][]byte{"archive/a.warc.gz": gzipped(f, record), "pages/pages.jsonl": []byte("{}\n")}
		zipFile(f, name, method, described(f, files))
		data := read(f, name)
		f.Add(data)
		f.Add(data[:len(data)-10])
		f.Add(append([]byte("PK\x03\x04"), data...))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if err := os.WriteFile(name, data, 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := Verify(WithMembers(name)...); err != nil && !strings.Contains(err.Error(), name) {
			t.Errorf("the error does not name the file: %v", err)
		}
		_ = Answers(Reading{Files: Unfold(name), Most: 1 << 16, Each: func(*Answer) error { return nil }, Bad: func(*BadRecord) {}})
	})
}
