package archive

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/nlnwa/gowarc/v2"
)

// What revisits of the profile server-not-modified say of the validators of what was not modified, as those of Heritrix do.
const (
	etagField         = "WARC-Etag"
	lastModifiedField = "WARC-Last-Modified"
)

// original is a record to which a revisit refers.
type original struct {
	id, uri, date string // without brackets; date as the record has it. id may be unknown
	digest        string // of its payload, as it says it
	place         place  // without a file where an index names none
	earlier       bool   // it is in another archive
}

func originalOf(rec *record, p place) *original {
	return &original{id: rec.id(), uri: rec.uri(), date: rec.header["warc-date"], digest: rec.payloadDigest(), place: p}
}

// referred is the place of a revisit with that of its original.
func (o *original) referred(l Location) Location {
	l.RefersTo, l.Elsewhere = cmp.Or(o.id, o.uri), o.earlier
	if o.place.file != "" {
		l.BodyFile, l.BodyOffset = filepath.Base(o.place.file), o.place.offset
	}
	return l
}

// others are the archives to which this one may refer.
type others struct {
	folders []string    // of WARC files, those of Options.Earlier first
	index   *sortedFile // of the first of Options.Earlier; nil: none
	known   known
	own     bool // the archive itself
}

// openOthers opens what Options.Earlier and Options.Dedupe name.
func (w *Writer) openOthers() error {
	o := &w.others
	var indexes []knownIndex
	for i, dir := range w.opts.Earlier {
		name := filepath.Join(dir, archiveFolder, indexName)
		index, err := openSorted(name)
		switch {
		case err != nil && i > 0:
			continue // that of an even earlier crawl may be gone; what refers to it is fetched in full
		case err != nil:
			return fmt.Errorf("archive: the earlier crawl has no index: %w; awarc resume %s creates it", err, dir)
		case i > 0:
			_ = index.Close()
		default:
			o.index = index
		}
		o.folders = append(o.folders, filepath.Join(dir, archiveFolder))
		indexes = append(indexes, knownIndex{name, atHand})
	}
	for _, name := range w.opts.Dedupe {
		x, folder, err := dedupeIndex(name)
		if err != nil {
			return err
		}
		if folder != "" {
			o.folders = append(o.folders, folder)
		}
		indexes = append(indexes, x)
	}
	return o.known.open(w.work, indexes)
}

// dedupeIndex finds the index that a name of Options.Dedupe means, and the folder of its WARC files, if that is at hand.
func dedupeIndex(name string) (x knownIndex, folder string, err error) {
	info, err := os.Stat(name)
	if err != nil {
		return x, "", fmt.Errorf("archive: %w", err)
	}
	if index := indexOf(name); index != "" {
		return knownIndex{index, elsewhere}, "", nil
	}
	if !info.IsDir() {
		return knownIndex{name, elsewhere}, "", nil
	}
	for _, index := range []string{archiveFolder, "indexes", "."} { // of awarc, pywb and by itself
		x := knownIndex{filepath.Join(name, index, indexName), elsewhere}
		if _, err := os.Stat(x.name); err != nil {
			continue
		}
		if folder = filepath.Join(name, archiveFolder); isFolder(folder) {
			x.mark = atHand
			return x, folder, nil
		}
		return x, "", nil
	}
	return x, "", fmt.Errorf("archive: %s holds no archive/%s, indexes/%[2]s or %[2]s: expected an index or the folder of a crawl", name,
		indexName)
}

func isFolder(name string) bool {
	info, err := os.Stat(name)
	return err == nil && info.IsDir()
}

func (o *others) close() {
	if o.index != nil {
		_ = o.index.Close()
	}
	o.known.close()
}

// has reports whether a WARC file is in one of the folders.
func (o *others) has(name string) bool {
	return slices.ContainsFunc(o.folders, func(folder string) bool {
		_, err := os.Lstat(filepath.Join(folder, name))
		return err == nil
	})
}

// file opens a WARC file that is in one of the folders.
func (o *others) file(name string) (*os.File, error) {
	name = filepath.Base(name)
	for _, folder := range o.folders {
		var f *os.File
		err := fs.ErrNotExist
		if o.own { // the file may still be written
			f, err = os.OpenInRoot(folder, name+openSuffix)
		}
		if errors.Is(err, fs.ErrNotExist) {
			f, err = os.Open(filepath.Join(folder, name))
		}
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		return f, err
	}
	return nil, fmt.Errorf("archive: no folder of the earlier crawls has %s: restore it, or name its folder with --previous", name)
}

// open opens a record to read its block.
func (o *others) open(p place) (*storedRecord, error) {
	f, err := o.file(p.file)
	if err != nil {
		return nil, err
	}
	return openRecordOf(f, f.Name(), p.offset)
}

// read reads a record as readSound does.
func (o *others) read(p place, head, request *bytes.Buffer) (*record, error) {
	f, err := o.file(p.file)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	return readSound(f, p.offset, head, request)
}

// readSound reads a record from its first byte to its last and compares its digests. The first bytes of its block, up to maxHead, go to
// head, and those of the record behind it, if that is the request of this one, to request, which may be nil.
func readSound(f *os.File, offset int64, head, request *bytes.Buffer) (*record, error) {
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	s := newScanner(f.Name(), f, offset, info.Size())
	s.keep = func(*record, int64) io.Writer {
		head.Reset()
		return &headWriter{head}
	}
	rec, err := s.next(true)
	switch {
	case err == io.EOF:
		return nil, &BadRecord{File: f.Name(), Offset: offset, Reason: reason(err), err: err}
	case err != nil:
		return nil, err
	case rec.wrong != nil:
		return nil, rec.bad(f.Name(), rec.wrong)
	case request == nil:
		return rec, nil
	}
	s.keep = func(next *record, _ int64) io.Writer {
		if next.typ() != "request" || next.concurrentTo() != rec.id() {
			return nil
		}
		request.Reset()
		return &headWriter{request}
	}
	if _, err := s.next(false); err != nil {
		request.Reset() // what is behind the record is another matter
	}
	return rec, nil
}

// headWriter keeps the first maxHead bytes.
type headWriter struct{ to *bytes.Buffer }

func (h *headWriter) Write(b []byte) (int, error) {
	_, _ = h.to.Write(b[:min(len(b), maxHead-h.to.Len())]) // a buffer does not fail
	return len(b), nil
}

// Earlier is what an earlier crawl archived of a URL, whole and read to its end.
type Earlier struct {
	URL  string
	Time time.Time // when the body came, or came again
	// Head is the HTTP head with which it came. ETag and LastModified are what the server said of it last, empty for nothing.
	Head, Request      []byte
	ETag, LastModified string

	others *others
	body   *original
	skip   int64 // of the block of body: its own head
}

// Earlier returns what the first of Options.Earlier archived last of a URL with status 200, or nil where it has nothing, or nothing that
// says where its body is. The error says why something that should be there cannot be read.
func (w *Writer) Earlier(url string) (*Earlier, error) {
	o := &w.others
	if o.index == nil || w.opts.NoRevisits {
		return nil, nil
	}
	var last place
	want := []byte(byteString(url))
	err := o.index.from(surt(url)+" ", func(line []byte) bool {
		_, data, found := bytes.Cut(line, []byte(` {"url":"`))
		if !found {
			return true
		}
		got, status, err := urlAndStatus(data)
		if err != nil || !bytes.Equal(got, want) || string(status) != "200" && !(isRevisit(line) && len(status) == 0) {
			return true
		}
		if offset, err := strconv.ParseInt(jsonMember(line, "offset"), 10, 64); err == nil {
			last = place{jsonMember(line, "filename"), offset}
		}
		return true
	})
	if err != nil || last.file == "" {
		return nil, err
	}
	return o.capture(last, url)
}

// Own returns the capture of a URL in this archive whose record is at an offset of a file, like
// [Writer.Earlier].
func (w *Writer) Own(file string, offset int64, url string) (*Earlier, error) {
	if w.opts.NoRevisits {
		return nil, nil
	}
	own := &others{folders: []string{w.archive}, own: true}
	return own.capture(place{file, offset}, url)
}

// capture reads a capture of a URL and what it refers to.
func (o *others) capture(p place, url string) (*Earlier, error) {
	var block, request bytes.Buffer
	rec, err := o.read(p, &block, &request)
	switch {
	case err != nil:
		return nil, err
	case rec.uri() != url || rec.typ() != "response" && rec.typ() != "revisit":
		return nil, &BadRecord{File: p.file, Offset: p.offset, Reason: "it is not the capture of " + url + " that the index names"}
	}
	e := &Earlier{URL: url, Head: block.Bytes()[:min(rec.http.size, int64(block.Len()))], Request: request.Bytes(), others: o}
	if e.Time, err = time.Parse(time.RFC3339Nano, rec.header["warc-date"]); err != nil {
		return nil, rec.bad(p.file, err)
	}
	if rec.typ() == "response" {
		e.body, e.skip = originalOf(rec, p), rec.http.size
		if rec.header["warc-truncated"] != "" || !rec.http.complete {
			return nil, nil
		}
		return e, nil
	}
	return o.resolve(e, rec)
}

// resolve completes the capture of a revisit record by its original.
func (o *others) resolve(e *Earlier, revisit *record) (*Earlier, error) {
	at, ok := revisit.originalPlace()
	if !ok {
		return nil, nil // one that only an index knows
	}
	var block bytes.Buffer
	rec, err := o.read(at, &block, nil)
	switch {
	case err != nil:
		return nil, fmt.Errorf("the original of %s: %w", revisit.id(), err)
	case rec.typ() != "response" || rec.id() != revisit.refersTo() || rec.payloadDigest() != revisit.payloadDigest():
		return nil, &BadRecord{File: at.file, Offset: at.offset, Reason: "it is not the original of " + revisit.id()}
	}
	e.body, e.skip = originalOf(rec, at), rec.http.size
	if revisit.notModified() {
		e.Head = block.Bytes()[:min(rec.http.size, int64(block.Len()))]
		e.ETag, e.LastModified = revisit.header[strings.ToLower(etagField)], revisit.header[strings.ToLower(lastModifiedField)]
		e.Time, err = time.Parse(time.RFC3339Nano, rec.header["warc-date"])
	}
	return e, err
}

// Open returns the answer with its body.
func (e *Earlier) Open() (io.ReadCloser, error) {
	s, err := e.others.open(e.body.place)
	if err != nil {
		return nil, err
	}
	if _, err := io.CopyN(io.Discard, s.block, e.skip); err != nil {
		return nil, errors.Join(err, s.file.Close())
	}
	return struct {
		io.Reader
		io.Closer
	}{io.MultiReader(bytes.NewReader(e.Head), s.block), s.file}, nil
}

// original is what a revisit refers to that says that nothing was modified.
func (e *Earlier) original() *original {
	o := *e.body
	o.earlier = !e.others.own
	return &o
}

// fields are those of such a revisit.
func (e *Earlier) fields() []Field {
	fields := []Field{{gowarc.WarcProfile, gowarc.ProfileServerNotModifiedV1_1}}
	for _, f := range []Field{{etagField, oneLine(e.ETag)}, {lastModifiedField, oneLine(e.LastModified)}} {
		if f.Value != "" {
			fields = append(fields, f)
		}
	}
	return fields
}

// ID is that of the response record that has the body.
func (e *Earlier) ID() string { return e.body.id }

// PayloadDigest is that of the body, as its record says it.
func (e *Earlier) PayloadDigest() string { return e.body.digest }

// notModified reports whether a revisit record says that a server said so.
func (r *record) notModified() bool {
	return strings.HasSuffix(r.header[strings.ToLower(gowarc.WarcProfile)], "/server-not-modified")
}

// originalPlace is where a revisit record says that its original is, of which it has the id: one that was read.
func (r *record) originalPlace() (place, bool) {
	p, ok := r.namedPlace()
	return p, ok && r.refersTo() != ""
}

// namedPlace is where a revisit record says that its original is, be it only by the line of an index.
func (r *record) namedPlace() (place, bool) {
	name := r.header[strings.ToLower(refersToFilename)]
	offset, err := strconv.ParseInt(r.header[strings.ToLower(refersToFileOffset)], 10, 64)
	return place{filepath.Base(name), offset}, name != "" && err == nil
}

// inOthers finds what another archive has with the payload of a capture, nil if there is nothing of use. Of a record that is at hand the
// payload is read; one that cannot be is no original, and the error says why.
func (w *Writer) inOthers(c *Capture, head httpHead) (found *original, err error) {
	k := &w.others.known
	keys := []string{c.PayloadDigest}
	if k.sha1 {
		key, err := sha1Key(c.Response, c.Size)
		if err != nil {
			return nil, err
		}
		keys = append(keys, key)
	}
	tries := 0
	for _, key := range keys {
		ferr := k.find(key, func(date string, mark byte, l *knownLine) bool {
			tries++
			switch {
			case string(l.Status) != head.status:
			case mark == elsewhere && !c.Reread:
				found = l.original(date)
			case mark == atHand:
				var rerr error
				found, rerr = w.others.sameAs(l, head, key)
				err = errors.Join(err, rerr)
			}
			return found == nil && tries < originalsTried
		})
		if err = errors.Join(err, ferr); found != nil {
			return found, nil
		}
	}
	return nil, err
}

// originalsTried is how many records with a payload are looked at.
const originalsTried = 8

// original is a record of which only the line of an index is known.
func (l *knownLine) original(date string) *original {
	o := &original{uri: l.URL, digest: normalDigest(l.Digest), earlier: true}
	if !strings.Contains(o.digest, ":") {
		o.digest = "sha1:" + o.digest // as pywb leaves it out
	}
	if t, err := time.Parse("20060102150405", date); err == nil {
		o.date = t.Format(time.RFC3339)
	}
	if offset, err := strconv.ParseInt(string(l.Offset), 10, 64); err == nil && l.Filename != "" {
		o.place = place{oneLine(filepath.Base(l.Filename)), offset}
	}
	return o
}

// sameAs reads a record that should have a payload.
func (o *others) sameAs(l *knownLine, head httpHead, digest string) (*original, error) {
	offset, err := strconv.ParseInt(string(l.Offset), 10, 64)
	if err != nil {
		return nil, nil
	}
	p := place{l.Filename, offset}
	var block bytes.Buffer
	rec, err := o.read(p, &block, nil)
	if err != nil {
		return nil, err
	}
	if rec.typ() != "response" || digestKey(rec.payloadDigest()) != digest || rec.header["warc-truncated"] != "" ||
		!sameForm(rec.http, head) {
		return nil, nil
	}
	found := originalOf(rec, p)
	found.earlier = true
	return found, nil
}

// sameForm reports whether replay can take one head and the body of the other: they have the same status line and framing.
func sameForm(a, b httpHead) bool { return a.chunked == b.chunked && a.line == b.line }
