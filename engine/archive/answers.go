package archive

import (
	"bytes"
	"fmt"
	"hash/maphash"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Answer is what a server answered, as an archive holds it: a response record, or a revisit record with the body of its original.
type Answer struct {
	File           string // as it was named to Answers
	Offset, Length int64  // of the record's member, in bytes
	ID             string // of the record, without brackets
	URL            string
	Time           time.Time
	IP             string
	PayloadDigest  string
	Truncated      string // the reason, as WARC-Truncated has it; "" for none
	Revisit        bool
	HTTP           bool   // it begins with a head of HTTP that is whole
	Block          []byte // HTTP head and body; nil where it has more than the bytes asked for
	MissingBody    bool   // of a revisit whose original is not in the files
}

// originalsOfOthers bounds what is remembered of the payloads of files in which revisits do not say where their originals are.
const originalsOfOthers = 1 << 20

// answers reads files one after the other.
type answers struct {
	most   int64
	files  map[string]string // by their last elements
	places map[uint64]place  // of payloads, by their digests
	seed   maphash.Seed
}

// Answers reads WARC files, of awarc or of others, from their first record to their last, and calls each for the answers in them, blocks of
// up to most bytes with them. Each is given to one call, which may keep it. What is not a sound record is told to bad and passed over:
// reading goes on at the next one. It ends with an error of each, or of reading a file.
func Answers(files []string, most int64, bad func(*BadRecord), each func(*Answer) error) error {
	a := answers{most: most, files: map[string]string{}, places: map[uint64]place{}, seed: maphash.MakeSeed()}
	for _, name := range files {
		a.files[filepath.Base(name)] = name
	}
	for _, name := range files {
		if err := a.read(name, bad, each); err != nil {
			return err
		}
	}
	return nil
}

func (a *answers) read(name string, bad func(*BadRecord), each func(*Answer) error) error {
	f, size, err := openToRead(name)
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }()
	s := newScanner(name, f, 0, size)
	var block bytes.Buffer
	s.keep = func(rec *record, length int64) io.Writer {
		block.Reset()
		if rec.typ() != "response" && rec.typ() != "revisit" || length > a.most {
			return nil
		}
		return &block
	}
	var stop error
	_, err = s.salvage(f, size, func() error {
		if stop != nil {
			return io.EOF
		}
		rec, err := s.next(false)
		if wrong, ok := err.(*BadRecord); ok && onlyIO(err) == nil { //nolint:errorlint // next makes it
			bad(wrong)
		}
		if err != nil {
			return err
		}
		answer := a.answer(name, rec, slices.Clone(block.Bytes()))
		if answer != nil {
			stop = each(answer)
		}
		return nil
	})
	if stop != nil {
		return stop
	}
	return err
}

func openToRead(name string) (*os.File, int64, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, 0, err
	}
	info, err := f.Stat()
	if err != nil {
		_ = f.Close()
		return nil, 0, err
	}
	return f, info.Size(), nil
}

// answer makes an answer of a record, nil of one that is none.
func (a *answers) answer(file string, rec *record, block []byte) *Answer {
	typ := rec.typ()
	if typ != "response" && typ != "revisit" || !strings.HasPrefix(rec.uri(), "http://") && !strings.HasPrefix(rec.uri(), "https://") {
		return nil
	}
	when, _ := time.Parse(time.RFC3339Nano, rec.header["warc-date"]) // zero where it cannot be read
	x := &Answer{File: file, Offset: rec.offset, Length: rec.length, ID: rec.id(), URL: rec.uri(), Time: when,
		IP: rec.header["warc-ip-address"], PayloadDigest: rec.header["warc-payload-digest"], Truncated: rec.header["warc-truncated"],
		Revisit: typ == "revisit", HTTP: rec.http.http && rec.http.complete, Block: block}
	length, _ := strconv.ParseInt(rec.header["content-length"], 10, 64) // it was read by it
	if length > a.most {
		x.Block = nil
	}
	switch {
	case !x.Revisit:
		if len(a.places) < originalsOfOthers && x.PayloadDigest != "" {
			a.places[maphash.String(a.seed, x.PayloadDigest)] = place{file, rec.offset}
		}
	case x.Block != nil:
		body, err := a.original(rec)
		x.Block, x.MissingBody, x.Truncated = append(x.Block, body...), err != nil, ""
	}
	return x
}

// original reads the body that a revisit record refers to: where it says, or where there was one of that digest.
func (a *answers) original(revisit *record) ([]byte, error) {
	name, known := a.files[filepath.Base(revisit.header[strings.ToLower(refersToFilename)])]
	at, err := strconv.ParseInt(revisit.header[strings.ToLower(refersToFileOffset)], 10, 64)
	p := place{name, at}
	if !known || err != nil {
		if p, known = a.places[maphash.String(a.seed, revisit.header["warc-payload-digest"])]; !known {
			return nil, fmt.Errorf("no record has the payload of %s", revisit.id())
		}
	}
	f, size, err := openToRead(p.file)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	var block bytes.Buffer
	s := newScanner(p.file, f, p.offset, size)
	s.keep = func(_ *record, length int64) io.Writer {
		if length > a.most {
			return nil
		}
		return &block
	}
	rec, err := s.next(false)
	if err != nil {
		return nil, err
	}
	if rec.typ() != "response" || rec.header["warc-payload-digest"] != revisit.header["warc-payload-digest"] {
		return nil, fmt.Errorf("the record at byte %d of %s is not the original of %s", p.offset, p.file, revisit.id())
	}
	head, err := readHTTPHead(newLines(bytes.NewReader(block.Bytes())))
	if err != nil {
		return nil, err
	}
	return block.Bytes()[min(head.size, int64(block.Len())):], nil
}
