package archive

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"hash/maphash"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/nlnwa/gowarc/v2"
)

// originalsKept is how many payloads each of the two generations of originals holds: together up to a million, in less than
// 100 MB.
const originalsKept = 1 << 19

// Fields of a revisit record that the specification does not name. Heritrix writes them, too.
const (
	refersToFilename   = "WARC-Refers-To-Filename"
	refersToFileOffset = "WARC-Refers-To-File-Offset"
)

// originals remembers where payloads are archived that later captures may refer to: the last that were written or referred to, and
// none that a crash could take away. What it forgets costs room, as the next copy is archived whole. It is guarded by the
// writer's lock.
type originals struct {
	most       int // in a generation; tests have few
	seed       maphash.Seed
	unsynced   []unsynced               // in the order in which they were written
	waiting    map[uint64]bool          // keys of unsynced
	coming     map[uint64]chan struct{} // payloads that are being written; closed when they are
	young, old map[uint64]place
}

// place is where a record begins.
type place struct {
	file   string
	offset int64
}

// unsynced is an original that is not known to be on disk.
type unsynced struct {
	capture int64 // its number
	key     uint64
	place   place
}

func newOriginals() originals {
	return originals{most: originalsKept, seed: maphash.MakeSeed(), young: map[uint64]place{}, waiting: map[uint64]bool{},
		coming: map[uint64]chan struct{}{}}
}

// key stands for a payload. Two may have the same: who finds a record by it compares the digests.
func (o *originals) key(digest string) uint64 {
	return maphash.String(o.seed, digest)
}

func (o *originals) add(key uint64, p place) {
	if len(o.young) >= o.most {
		o.young, o.old = map[uint64]place{}, o.young
	}
	o.young[key] = p
}

func (o *originals) find(key uint64) (place, bool) {
	if p, found := o.young[key]; found {
		return p, true
	}
	p, found := o.old[key]
	if found {
		o.add(key, p)
	}
	return p, found
}

// written takes a capture that is to be referred to once it is on disk.
func (o *originals) written(u unsynced) {
	if len(o.unsynced) < o.most {
		o.unsynced = append(o.unsynced, u)
		o.waiting[u.key] = true
	}
}

// synced makes originals of the captures up to that number.
func (o *originals) synced(capture int64) {
	n := 0
	for _, u := range o.unsynced {
		if u.capture > capture {
			break
		}
		o.add(u.key, u.place)
		delete(o.waiting, u.key)
		n++
	}
	o.unsynced = slices.Delete(o.unsynced, 0, n)
}

// remember fills originals from the index of the finished files, the youngest first. A part that is missing or damaged gives
// nothing: whatever is found by it is read before it is referred to.
func (w *Writer) remember() {
	parts, _ := filepath.Glob(filepath.Join(w.work, "*.cdxj")) // the pattern is well-formed
	slices.Sort(parts)
	for _, name := range slices.Backward(parts) {
		f, err := os.Open(name)
		if err != nil {
			continue
		}
		warc := strings.TrimSuffix(filepath.Base(name), ".cdxj") + warcSuffix
		in := bufio.NewScanner(f)
		in.Buffer(nil, 4*maxHead)
		for in.Scan() && len(w.originals.young) < w.originals.most {
			line := in.Bytes()
			offset, err := strconv.ParseInt(jsonMember(line, "offset"), 10, 64)
			if err != nil || isRevisit(line) || jsonMember(line, "status") == "" {
				continue
			}
			key := w.originals.key(lineDigest(line))
			if _, known := w.originals.young[key]; !known {
				w.originals.add(key, place{warc, offset})
			}
		}
		_ = f.Close()
		if len(w.originals.young) >= w.originals.most {
			return
		}
	}
}

// jsonMember returns a member of a line of the index that has no escapes. Within a string, quotes are escaped.
func jsonMember(line []byte, name string) string {
	_, rest, _ := bytes.Cut(line, []byte(`,"`+name+`":"`))
	value, _, _ := bytes.Cut(rest, []byte(`"`))
	return string(value)
}

// lineDigest returns the digest of a line of the index. Earlier versions of awarc wrote it without its algorithm.
func lineDigest(line []byte) string {
	digest := jsonMember(line, "digest")
	if !strings.Contains(digest, ":") {
		digest = "sha256:" + digest
	}
	return normalDigest(digest)
}

// isRevisit reports whether a line of the index is of a revisit record.
func isRevisit(line []byte) bool { return bytes.Contains(line, []byte(`,"mime":"warc/revisit"`)) }

// mayRepeat reports whether the payload of a capture may be that of another one: it is whole and not empty.
func (w *Writer) mayRepeat(c *Capture, head httpHead) bool {
	return !w.opts.NoRevisits && c.Truncated == "" && head.http && head.complete && c.PayloadDigest != sha256Digest(nil)
}

// claim waits until no other capture of the same payload is being written, and makes what was written of it durable: of copies that come
// at the same time, one is whole. It keeps others waiting until the function that it returns is called.
func (w *Writer) claim(digest string) (done func(), err error) {
	o := &w.originals
	key := o.key(digest)
	w.mu.Lock()
	for o.coming[key] != nil {
		other := o.coming[key]
		w.mu.Unlock()
		<-other
		w.mu.Lock()
	}
	mine := make(chan struct{})
	o.coming[key] = mine
	waiting := o.waiting[key]
	w.mu.Unlock()
	if waiting {
		err = w.Sync()
	}
	return func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		delete(o.coming, key)
		close(mine)
	}, err
}

// original finds the record that has the payload of a capture already, nil if there is none that is on disk and of use. It is read to its
// end: what was damaged meanwhile is what a capture may come again for. Replay takes the head of the one and the body of the other, so
// both must have the same framing and version of HTTP.
func (w *Writer) original(c *Capture, head httpHead) *original {
	w.mu.Lock()
	p, found := w.originals.find(w.originals.key(c.PayloadDigest))
	w.mu.Unlock()
	if !found {
		return nil
	}
	f, err := w.file(p.file)
	if err != nil {
		return nil
	}
	defer func() { _ = f.Close() }()
	rec, err := readSound(f, p.offset, new(bytes.Buffer), nil)
	if err != nil || rec.typ() != "response" || rec.payloadDigest() != c.PayloadDigest || rec.header["warc-truncated"] != "" ||
		!sameForm(rec.http, head) {
		return nil
	}
	return originalOf(rec, p)
}

// fields are those by which a record refers to its original.
func (o *original) fields() []Field {
	fields := []Field{{gowarc.WarcRefersToTargetURI, o.uri}, {gowarc.WarcRefersToDate, o.date}}
	if o.id != "" {
		fields = append(fields, Field{gowarc.WarcRefersTo, "<" + o.id + ">"})
	}
	if o.place.file != "" {
		fields = append(fields, Field{refersToFilename, o.place.file},
			Field{refersToFileOffset, strconv.FormatInt(o.place.offset, 10)})
	}
	return fields
}

// storedRecord is a record of this archive that is being read: its header is, its block is not.
type storedRecord struct {
	*record
	block *io.LimitedReader
	file  *os.File
}

func (s *storedRecord) close() { _ = s.file.Close() }

// read returns the block, if it has at most so many bytes.
func (s *storedRecord) read(most int64) ([]byte, error) {
	if s.block.N > most {
		return nil, fmt.Errorf("a block of %d bytes, more than %d", s.block.N, most)
	}
	block := make([]byte, s.block.N)
	_, err := io.ReadFull(s.block, block)
	return block, unexpected(err)
}

// file opens a WARC file of this archive, finished or not.
func (w *Writer) file(name string) (*os.File, error) {
	name = filepath.Base(name)
	f, err := os.OpenInRoot(w.archive, name+openSuffix) // which on Windows, too, lets the writer rename it meanwhile
	if errors.Is(err, fs.ErrNotExist) {
		f, err = os.Open(filepath.Join(w.archive, name)) // it is, or was just, finished
	}
	if err != nil {
		return nil, fmt.Errorf("archive: %s: %w", name, err)
	}
	return f, nil
}

// openRecord opens a record by the name of its file, finished or not, and its offset.
func (w *Writer) openRecord(name string, offset int64) (*storedRecord, error) {
	f, err := w.file(name)
	if err != nil {
		return nil, err
	}
	return openRecordOf(f, filepath.Base(name), offset)
}

// openRecordOf opens a record of a file, which it closes on error.
func openRecordOf(f *os.File, name string, offset int64) (*storedRecord, error) {
	info, err := f.Stat()
	if err != nil {
		_ = f.Close()
		return nil, fmt.Errorf("archive: %w", err)
	}
	s := newScanner(name, f, offset, info.Size())
	rec := &record{header: map[string]string{}}
	var length int64
	if err = s.open(); err == nil {
		length, err = s.readHeader(s.from, rec)
	}
	if err == nil && length < 0 {
		err = fmt.Errorf("content-length %q is not a length", rec.header["content-length"])
	}
	if err != nil {
		_ = f.Close()
		return nil, &BadRecord{File: name, Offset: offset, Reason: reason(err), err: err}
	}
	in := s.from
	return &storedRecord{rec, &io.LimitedReader{R: in, N: length}, f}, nil
}

// Response reads the block of a response record of this archive, given by the file and offset that Write returned: what came
// back, HTTP head included. Of a revisit record that is its head with the body of its original. A block longer than most bytes is
// an error.
func (w *Writer) Response(name string, offset, most int64) (block []byte, id string, err error) {
	s, err := w.openRecord(name, offset)
	if err != nil {
		return nil, "", err
	}
	defer s.close()
	block, err = s.read(most)
	switch {
	case err != nil:
	case s.typ() == "revisit":
		block, err = w.completed(s.record, block, most)
	case s.typ() != "response":
		err = fmt.Errorf("a %s record, not a response", s.typ())
	}
	if err != nil {
		return nil, "", &BadRecord{File: name, Offset: offset, Reason: reason(err), err: err}
	}
	return block, s.id(), nil
}

// Rendered reads the rendered document behind a response of this archive, given like that of
// [Writer.Response]. A missing one, or one longer than most bytes, is an error.
func (w *Writer) Rendered(name string, offset, most int64) (html []byte, err error) {
	f, err := w.file(name)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	info, err := f.Stat()
	if err != nil {
		return nil, fmt.Errorf("archive: %w", err)
	}
	if html, err = renderedBehind(newScanner(name, f, offset, info.Size()), most); err != nil {
		return nil, &BadRecord{File: name, Offset: offset, Reason: reason(err), err: err}
	}
	return html, nil
}

var errNotRendered = errors.New("no rendered document follows it")

// renderedBehind reads the rendered document behind the response at which a scanner begins.
func renderedBehind(s *scanner, most int64) ([]byte, error) {
	var id string
	var found *bytes.Buffer
	s.keep = func(rec *record, length int64) io.Writer {
		if !rec.isRendered(id) || length > most {
			return nil
		}
		found = new(bytes.Buffer)
		return found
	}
	for first := true; found == nil; first = false {
		rec, err := s.next(first)
		switch {
		case err == io.EOF, err == nil && !first && rec.concurrentTo() != id:
			return nil, errNotRendered
		case err != nil:
			return nil, err
		case rec.wrong != nil:
			return nil, rec.wrong
		case first:
			id = rec.id()
		}
	}
	return found.Bytes(), nil
}

// completed reads what a revisit record stands for: its block and the body of its original, or all of that where the server said that it
// was not modified.
func (w *Writer) completed(revisit *record, head []byte, most int64) ([]byte, error) {
	at, ok := revisit.originalPlace()
	if !ok {
		return nil, errors.New("it does not name its original")
	}
	s, err := w.openRecord(at.file, at.offset)
	if errors.Is(err, fs.ErrNotExist) {
		s, err = w.others.open(at)
	}
	if err != nil {
		return nil, fmt.Errorf("its original: %w", err)
	}
	defer s.close()
	if want := revisit.refersTo(); s.id() != want {
		return nil, fmt.Errorf("byte %d of %s is the record %s, not %s, its original", at.offset, at.file, s.id(), want)
	}
	block, err := s.read(most)
	if err != nil {
		return nil, fmt.Errorf("its original: %w", err)
	}
	if revisit.notModified() {
		return block, nil
	}
	theirs, err := readHTTPHead(newLines(bytes.NewReader(block)))
	return append(head, block[theirs.size:]...), err
}
