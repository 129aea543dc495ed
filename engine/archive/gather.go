package archive

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"

	"github.com/klauspost/compress/gzip"
)

// Place is where a record is.
type Place struct {
	File   string
	Offset int64 // of its gzip member, or of the record in a file without compression, in bytes
	Skip   int64 // bytes of the unpacked member before it, where it is not the first of its member
}

// Gather copies records of other archives to w, each a gzip member, and makes one index of indexes and of these: it writes the lines of
// the files indexes and theirs to the new file all, in order. name is that of the WARC file that w becomes.
func Gather(ctx context.Context, w io.Writer, name string, places []Place, indexes []string, all string) error {
	dir := filepath.Dir(all)
	lines := &sorter{dir: dir}
	defer lines.close()
	out := &written{w: w}
	from := new(shelf)
	defer from.close()
	for _, p := range places {
		if err := ctx.Err(); err != nil {
			return err
		}
		offset := out.n
		rec, err := from.copyRecord(out, p)
		if err != nil {
			return fmt.Errorf("archive: %s: record at byte %d: %w", p.File, p.Offset, err)
		}
		if e, ok := rec.entry(); ok {
			lines.add(e.at(name, offset, out.n-offset))
		}
	}
	runs, err := lines.flush()
	if err != nil {
		return err
	}
	return mergeTo(all, dir, "", append(runs, indexes...))
}

// copyRecord copies one record, which must be sound, as a gzip member.
func (s *shelf) copyRecord(w io.Writer, p Place) (*record, error) {
	f, err := s.open(p.File)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	in := newScanner(p.File, f, p.Offset, f.size)
	rec, err := in.at(p)
	if err != nil {
		return nil, err
	}
	if in.form == formGzip && !in.plain && !rec.shared && rec.wrong == nil {
		_, err = io.Copy(w, io.NewSectionReader(f, p.Offset, rec.length))
		return rec, err
	}
	m := &assessedMember{Span: Span{Offset: rec.offset}, across: in.across, records: []assessedRecord{rec.assessed()}}
	if !in.plain {
		return rec, in.renew(w, m)
	}
	z := gzip.NewWriter(w)
	return rec, errors.Join(in.renew(z, m), z.Close())
}

// at reads the record at a place.
func (s *scanner) at(p Place) (*record, error) {
	s.restart(p.Offset)
	if p.Skip == 0 {
		return s.next(false)
	}
	if err := s.reopen(&record{offset: p.Offset, skip: p.Skip}, 0); err != nil {
		return nil, &BadRecord{File: s.name, Offset: p.Offset, Reason: reason(err), err: err}
	}
	s.records++
	return s.next(false)
}

// written counts what was written.
type written struct {
	w io.Writer
	n int64
}

func (c *written) Write(b []byte) (int, error) {
	n, err := c.w.Write(b)
	c.n += int64(n)
	return n, err
}
