package archive

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/awarc/awarc/engine/durable"
	"github.com/klauspost/compress/gzip"
	"github.com/nlnwa/gowarc/v2"
)

// check holds what is true of every finished crawl directory, and returns the response records by id.
func check(t testing.TB, dir string) map[string]*record {
	t.Helper()
	if left := append(files(t, dir, "*/*"+openSuffix), files(t, dir, "archive/.awarc/"+durable.Temporary+"*")...); len(left) != 0 {
		t.Errorf("left behind: %v", left)
	}
	responses := map[string]*record{}
	for _, name := range files(t, dir, "archive/*.warc.gz") {
		ids := checkFile(t, name, responses)
		graph := filepath.Join(dir, graphFolder, strings.TrimSuffix(filepath.Base(name), warcSuffix)+graphSuffix)
		if got := checkGraph(t, graph); !slices.Equal(got, ids) {
			t.Errorf("%s has members of %v, want %v", graph, got, ids)
		}
		strict(t, name)
	}
	if a, b := len(files(t, dir, "archive/*.warc.gz")), len(files(t, dir, "graph/*.nq.gz")); a != b {
		t.Errorf("%d WARC files, %d graph files", a, b)
	}
	checkIndex(t, dir, len(responses))
	checkRevisits(t, dir, responses)
	return responses
}

// checkFile verifies a file and checks its groups; it returns the ids of the responses in order.
func checkFile(t testing.TB, name string, responses map[string]*record) (ids []string) {
	t.Helper()
	reports, err := Verify(name)
	if err != nil || reports[0].Bad != nil || reports[0].Unchecked != 0 {
		t.Fatalf("Verify: %v, %+v", err, reports)
	}
	f, size, err := openSized(name)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	s := newScanner(name, f, 0, size)
	first, err := s.next(true)
	if err != nil || first.typ() != "warcinfo" || first.header["warc-filename"] != filepath.Base(name) {
		t.Errorf("%s starts with %v (%v)", name, first, err)
	}
	for {
		rec := nextGroup(t, s)
		if rec == nil {
			break
		}
		if responses[rec.id()] != nil {
			t.Errorf("%s is there twice", rec.id())
		}
		if rec.header["warc-warcinfo-id"] != "<"+first.id()+">" {
			t.Errorf("%s, in the file of %s, names %s as its warcinfo record", rec.id(), first.id(), rec.header["warc-warcinfo-id"])
		}
		responses[rec.id()] = rec
		ids = append(ids, rec.id())
	}
	if s.offset() != size {
		t.Errorf("%s: no whole group at byte %d of %d", name, s.offset(), size)
	}
	if n := 1 + 3*len(ids); reports[0].Records["warcinfo"]+reports[0].Records["response"]+reports[0].Records["revisit"]+
		reports[0].Records["request"]+reports[0].Records["metadata"]-fillers(t, name) != n {
		t.Errorf("%s: %v, want %d records", name, reports[0].Records, n)
	}
	return ids
}

// checkRevisits holds of every revisit that its original is where it says, and was written before.
func checkRevisits(t testing.TB, dir string, captures map[string]*record) {
	t.Helper()
	for id, rec := range captures {
		if rec.typ() != "revisit" {
			continue
		}
		o := captures[rec.refersTo()]
		if o == nil || o.typ() != "response" {
			t.Errorf("the revisit %s of %s refers to %s, which is no response here", id, rec.uri(), rec.refersTo())
			continue
		}
		if o.uri() != rec.header["warc-refers-to-target-uri"] || o.header["warc-date"] != rec.header["warc-refers-to-date"] ||
			o.header["warc-payload-digest"] != rec.header["warc-payload-digest"] || o.header["warc-truncated"] != "" ||
			rec.header["warc-profile"] != "http://netpreserve.org/warc/1.1/revisit/identical-payload-digest" {
			t.Errorf("the revisit %v refers to %v", rec.header, o.header)
		}
		b := read(t, filepath.Join(dir, archiveFolder, rec.header["warc-refers-to-filename"]))
		offset, err := strconv.ParseInt(rec.header["warc-refers-to-file-offset"], 10, 64)
		if err != nil || offset != o.offset {
			t.Fatalf("the original of %s is at byte %d, not at %d", id, o.offset, offset)
		}
		at, err := newScanner("x", bytes.NewReader(b), offset, int64(len(b))).next(true)
		if err != nil || at.id() != o.id() {
			t.Errorf("where the original of %s should be is %+v, %v", id, at, err)
		}
	}
}

// fillers counts the records that fill gaps.
func fillers(t testing.TB, name string) int {
	t.Helper()
	return strings.Count(gunzip(t, read(t, name)), "\r\nnote: captures were damaged here")
}

// nextGroup reads the records of one capture and returns the first; nil where no whole group follows. Records about the
// file are passed over.
func nextGroup(t testing.TB, s *scanner) *record {
	t.Helper()
	var parts []*record
	for {
		rec, err := s.next(false)
		if onlyIO(err) != nil {
			t.Fatal(err)
		}
		if err != nil {
			return nil
		}
		var whole []*record
		if whole, parts = complete(parts, rec); whole != nil {
			return whole[0]
		}
	}
}

// checkGraph returns the ids that the members carry, each of which must be a graph in its member.
func checkGraph(t testing.TB, name string) (ids []string) {
	t.Helper()
	b := read(t, name)
	for in := bytes.NewReader(b); in.Len() > 0; {
		zr, err := gzip.NewReader(in)
		if err != nil {
			t.Fatal(err)
		}
		zr.Multistream(false)
		text := string(readAll(t, zr))
		if text != "" && (!strings.Contains(text, "<"+zr.Comment+">") || !strings.HasSuffix(text, " .\n")) {
			t.Errorf("%s: member of %s has %q", name, zr.Comment, text)
		}
		ids = append(ids, zr.Comment)
	}
	return ids
}

// strict reads a file with all of gowarc's checks. It hashes payloads with their chunk framing, so it may complain of
// the payload digest of a chunked answer, and of nothing else.
func strict(t testing.TB, name string) {
	t.Helper()
	r, err := gowarc.NewWarcFileReader(name, 0, gowarc.WithStrictValidation(), gowarc.WithBlockErrorPolicy(gowarc.ErrIgnore))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = r.Close() }()
	for {
		rec, offset, validation, err := r.Next()
		if err == io.EOF {
			return
		}
		if rec != nil && rec.Block() != nil && err != nil && strings.Contains(err.Error(), "payload: wrong digest") {
			if raw, _ := rec.Block().RawBytes(); raw != nil && bytes.Contains(readAll(t, raw), []byte("chunked")) {
				return // the reader stops here
			}
		}
		if err != nil || !validation.Valid() {
			t.Errorf("gowarc: %s at %d: %v, %v", name, offset, err, validation)
			return
		}
		if err := rec.Close(); err != nil {
			t.Error(err)
		}
	}
}

// checkIndex looks up every line of the index.
func checkIndex(t testing.TB, dir string, want int) {
	t.Helper()
	lines := strings.SplitAfter(string(read(t, filepath.Join(dir, archiveFolder, indexName))), "\n")
	lines = lines[:len(lines)-1]
	if len(lines) != want {
		t.Errorf("the index has %d lines, want %d", len(lines), want)
	}
	for i, line := range lines {
		if i > 0 && lines[i-1] >= line {
			t.Errorf("line %d of the index is not after the one before", i+1)
		}
		var at struct{ URL, Digest, Length, Offset, Filename string }
		if err := json.Unmarshal([]byte(line[strings.Index(line, " {"):]), &at); err != nil {
			t.Fatal(err)
		}
		offset, err1 := strconv.ParseInt(at.Offset, 10, 64)
		length, err2 := strconv.ParseInt(at.Length, 10, 64)
		b := read(t, filepath.Join(dir, archiveFolder, at.Filename))
		if err := errors.Join(err1, err2); err != nil || offset+length > int64(len(b)) {
			t.Fatalf("%s: %v", line, err)
		}
		s := newScanner(at.Filename, bytes.NewReader(b[offset:offset+length]), 0, length)
		rec, err := s.next(true)
		if err != nil || byteString(rec.uri()) != at.URL || rec.payloadDigest() != at.Digest || s.offset() !=
			length {
			t.Errorf("%s leads to %+v (%v)", line, rec, err)
		}
	}
}
