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

	Body RevisitBody // of a revisit
}

// RevisitBody says what a revisit record has in place of a body.
type RevisitBody struct {
	// NotModified says that the server said so: Block is all of the original, and Original the id of that.
	NotModified bool
	Original    string
	// Since is when Block came, if not when the revisit did.
	Since time.Time
	// Elsewhere says that the original is not in the files, Place where it is in those of other archives, and Missing why it is not there
	// either.
	Elsewhere bool
	Place     Place
	Missing   error
}

// originalsOfOthers bounds what is remembered of the payloads of files in which revisits do not say where their originals are.
const originalsOfOthers = 1 << 20

// answers reads files one after the other.
type answers struct {
	most   int64
	files  map[string]string // by their last elements, also those of other archives
	own    map[string]bool   // of files, those that are read
	places map[uint64]place  // of payloads, by their digests
	seed   maphash.Seed
}

// Answers reads WARC files, of awarc or of others, from their first record to their last, and calls each for the answers in them, blocks of
// up to most bytes with them. Each is given to one call, which may keep it. What is not a sound record is told to bad and passed over:
// reading goes on at the next one. Revisits may refer to records in the files of elsewhere. It ends with an error of each, or of reading a
// file.
func Answers(files, elsewhere []string, most int64, bad func(*BadRecord), each func(*Answer) error) error {
	a := answers{most: most, files: map[string]string{}, own: map[string]bool{}, places: map[uint64]place{}, seed: maphash.MakeSeed()}
	for _, name := range slices.Concat(elsewhere, files) {
		a.files[filepath.Base(name)] = name
	}
	for _, name := range files {
		a.own[name] = true
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
	if kind := kindOf(f, size); kind != "" {
		bad(&BadRecord{File: name, Reason: kind})
		return nil
	}
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
	if info.IsDir() {
		_ = f.Close()
		return nil, 0, fmt.Errorf("archive: %s is a folder: name the WARC files in it", name)
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
	switch {
	case length > a.most:
		x.Block = nil
	case x.Revisit:
		a.complete(x, rec)
	default:
		if len(a.places) < originalsOfOthers && x.PayloadDigest != "" {
			a.places[maphash.String(a.seed, x.PayloadDigest)] = place{file, rec.offset}
		}
	}
	return x
}

// complete adds the body of a revisit, of which Block is what the record has.
func (a *answers) complete(x *Answer, revisit *record) {
	x.Truncated = "" // says that the body is elsewhere
	p, err := a.place(revisit)
	x.Body.Elsewhere = err != nil || !a.own[p.file]
	var original *record
	var block []byte
	if err == nil {
		original, block, err = a.original(p, revisit)
	}
	switch {
	case err != nil:
		x.Block, x.Body.Missing = append([]byte{}, x.Block...), err
		return
	case block == nil:
		x.Block = nil
	case revisit.notModified():
		x.Body.NotModified, x.Body.Original, x.HTTP, x.Block = true, original.id(), original.http.http && original.http.complete, block
		x.Body.Since, _ = time.Parse(time.RFC3339Nano, original.header["warc-date"]) // zero where it cannot be read
	default:
		x.Block = append(x.Block, block[min(original.http.size, int64(len(block))):]...)
	}
	x.Body.Place = Place{p.file, p.offset}
}

// place is that of the original of a revisit: where it says, or where there was one of that digest.
func (a *answers) place(revisit *record) (place, error) {
	p, said := revisit.namedPlace()
	if name, known := a.files[p.file]; said && known {
		return place{name, p.offset}, nil
	}
	if at, known := a.places[maphash.String(a.seed, revisit.header["warc-payload-digest"])]; known {
		return at, nil
	}
	if said {
		return p, fmt.Errorf("its body is in %s, of another archive that was not named", p.file)
	}
	return p, fmt.Errorf("its body is in another archive, that of %s as of %s, and it does not say in which file",
		strings.Trim(revisit.header["warc-refers-to-target-uri"], "<>"), revisit.header["warc-refers-to-date"])
}

// original reads the record that a revisit refers to; its block is nil if it is longer than a.most.
func (a *answers) original(p place, revisit *record) (*record, []byte, error) {
	f, size, err := openToRead(p.file)
	if err != nil {
		return nil, nil, err
	}
	defer func() { _ = f.Close() }()
	block := bytes.NewBuffer([]byte{})
	s := newScanner(p.file, f, p.offset, size)
	long := false
	s.keep = func(_ *record, length int64) io.Writer {
		if long = length > a.most; long {
			return nil
		}
		return block
	}
	rec, err := s.next(false)
	switch {
	case err != nil:
		return nil, nil, err
	case rec.typ() != "response" || !sameDigest(rec.payloadDigest(), revisit.payloadDigest()):
		return nil, nil, fmt.Errorf("the record at byte %d of %s is not the original of %s", p.offset, p.file, revisit.id())
	case long:
		return rec, nil, nil
	}
	return rec, block.Bytes(), nil
}

// AnswerAt reads the answer whose record is at an offset of a WARC file, also of one that is being written; others are the files to which
// it may refer. The error says what is there instead.
func AnswerAt(name string, offset int64, others []string, most int64) (*Answer, error) {
	f, size, err := openToRead(name)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	a := answers{most: most, files: map[string]string{filepath.Base(name): name}, own: map[string]bool{name: true},
		places: map[uint64]place{}, seed: maphash.MakeSeed()}
	for _, other := range others {
		a.files[strings.TrimSuffix(filepath.Base(other), openSuffix)], a.own[other] = other, true
	}
	var block bytes.Buffer
	s := newScanner(name, f, offset, size)
	s.keep = func(_ *record, length int64) io.Writer {
		if length > most {
			return nil
		}
		return &block
	}
	rec, err := s.next(false)
	if err != nil {
		return nil, err
	}
	if x := a.answer(name, rec, block.Bytes()); x != nil {
		return x, nil
	}
	return nil, fmt.Errorf("%s: the record at byte %d is a %s and no answer", name, offset, rec.typ())
}
