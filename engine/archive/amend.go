package archive

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/nlnwa/gowarc/v2"
)

// Amendment is what was learned of a capture after it was archived: further quads, and why.
type Amendment struct {
	// Of is the id of the capture, URL its address.
	Of, URL string
	// Time is when the capture was read again; kept to the microsecond.
	Time time.Time
	// Metadata is the content of the metadata record that refers to the capture's response record.
	Metadata []Field
	// Quads are N-Quads as Capture has them.
	Quads []byte
}

// Amend appends an amendment: a metadata record that refers to the response record, and a member of the graph file, as Write does
// with a capture, both or none.
func (w *Writer) Amend(a Amendment) error {
	c := Capture{ID: NewID(), URL: a.URL, Time: a.Time, Metadata: a.Metadata}
	if err := w.refused(); err != nil {
		return err
	}
	g := &group{dir: w.work}
	defer g.close()
	header := []Field{
		{gowarc.WarcRecordID, "<" + c.ID + ">"},
		{gowarc.WarcDate, w.timeOf(&c).UTC().Format(dateFormat)},
		{gowarc.WarcTargetURI, a.URL},
		{gowarc.WarcRefersTo, "<" + a.Of + ">"},
		{gowarc.ContentType, gowarc.ApplicationWarcFields},
	}
	if err := w.blockMember(g, gowarc.Metadata, header, warcFields(a.Metadata)); err != nil {
		return fmt.Errorf("archive: amending the capture of %s: %w", a.URL, full(err))
	}
	m, err := w.graphMember(c.ID, a.Quads)
	if err != nil {
		return err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if _, err := w.append(&c, g, m); err != nil {
		return fmt.Errorf("archive: amending the capture of %s: %w", a.URL, full(err))
	}
	w.written++
	return nil
}

// Response reads the block of a response record of this archive, given by the file and offset that Write returned: what came
// back, HTTP head included. A block longer than most bytes is an error.
func (w *Writer) Response(name string, offset, most int64) (block []byte, id string, err error) {
	path, _ := present(filepath.Join(w.archive, filepath.Base(name)))
	f, err := os.Open(path)
	if err != nil {
		return nil, "", fmt.Errorf("archive: %s: %w", name, err)
	}
	defer func() { _ = f.Close() }()
	info, err := f.Stat()
	if err != nil {
		return nil, "", fmt.Errorf("archive: %w", err)
	}
	bad := func(err error) ([]byte, string, error) {
		return nil, "", &BadRecord{File: name, Offset: offset, Reason: reason(err), err: err}
	}
	s := newScanner(name, f, offset, info.Size())
	if err := s.member(); err != nil {
		return bad(err)
	}
	rec := &record{header: map[string]string{}}
	s.record.Reset(s.gz)
	length, err := readHeader(s.record, rec.header)
	switch {
	case err != nil:
		return bad(err)
	case rec.typ() != "response":
		return bad(fmt.Errorf("a %s record, not a response", rec.typ()))
	case length > most:
		return bad(fmt.Errorf("a block of %d bytes, more than %d", length, most))
	}
	block = make([]byte, length)
	if _, err := io.ReadFull(s.record, block); err != nil {
		return bad(unexpected(err))
	}
	return block, rec.id(), nil
}
