package archive

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/awarc/awarc/engine/durable"
)

// Span is a part of a file, in bytes.
type Span struct {
	Offset, Length int64
}

// Repair is what Recover did to a file.
type Repair struct {
	File    string
	Records int    // whole records that are in the file now
	Cut     []Span // what was taken out, as places in the file as it was
	Saved   string // the file that has what was taken out; empty when nothing was
}

// damagedSuffix is for the file that keeps what Recover takes out.
const damagedSuffix = ".damaged"

// Recover makes a torn or damaged WARC file readable again, also one that another program wrote: of a file with one gzip
// member a record, or of one without compression, it keeps every whole record, those after a damaged place included, and takes
// out all other bytes. They are not lost: they go to a new file with ".damaged" after the name. A sound file is left as
// it is. Only form counts here; for digests see Verify.
//
// A file of a crawl that is running is refused. Offsets after a damaged place change; the index of a crawl directory is
// right again after the next Open and Close.
func Recover(name string) (Repair, error) {
	r := Repair{File: name}
	lock, err := lockDir(filepath.Dir(name))
	if err != nil {
		return r, err
	}
	defer func() { _ = lock.Close() }()
	f, size, err := openSized(name)
	if err != nil {
		return r, err
	}
	defer func() { _ = f.Close() }()
	if r.Cut, r.Records, err = damage(name, f, size); err != nil || len(r.Cut) == 0 {
		return r, err
	}
	if r.Records == 0 {
		return r, fmt.Errorf("archive: %s has no whole record: it is left as it is", name)
	}
	if err := save(f, name+damagedSuffix, r.Cut); err != nil {
		return r, fmt.Errorf("archive: saving what is to be cut off %s: %w", name, full(err))
	}
	r.Saved = name + damagedSuffix
	if last := r.Cut[0]; last.Offset+last.Length == size {
		err = errors.Join(f.Truncate(last.Offset), f.Sync())
	} else {
		err = rewrite(f, name, complement(r.Cut, size))
	}
	if err != nil {
		return r, fmt.Errorf("archive: repairing %s: %w", name, full(err))
	}
	return r, nil
}

// damage finds what is not whole records.
func damage(name string, f *os.File, size int64) (cut []Span, records int, err error) {
	s := newScanner(name, f, 0, size)
	found, err := s.salvage(f, size, func() error {
		_, err := s.next(false)
		if err == nil {
			records++
		}
		return err
	})
	return found.bad, records, err
}

// nextStart finds the next place that looks like the start of a gzip member or, in a file without compression, of a record;
// size when there is none.
func nextStart(f io.ReaderAt, plain bool, from, size int64) (int64, error) {
	start := []byte{0x1f, 0x8b, 8}
	if plain {
		start = []byte(versionStart)
	}
	const step = 64 << 10
	buf := make([]byte, step+len(start)-1)
	for ; from < size; from += step {
		n, err := f.ReadAt(buf, from)
		if err != nil && err != io.EOF {
			return 0, err
		}
		if i := bytes.Index(buf[:n], start); i >= 0 {
			return from + int64(i), nil
		}
	}
	return size, nil
}

// complement returns what is left of a file without the spans.
func complement(cut []Span, size int64) []Span {
	var kept []Span
	var at int64
	for _, c := range append(cut[:len(cut):len(cut)], Span{Offset: size}) {
		if c.Offset > at {
			kept = append(kept, Span{at, c.Offset - at})
		}
		at = c.Offset + c.Length
	}
	return kept
}

// save copies spans to a new file.
func save(from io.ReaderAt, name string, spans []Span) (err error) {
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return err
	}
	defer func() {
		if cerr := f.Close(); err == nil {
			err = cerr
		}
		if err != nil {
			_ = os.Remove(name)
		}
	}()
	for _, s := range spans {
		if _, err := io.Copy(f, io.NewSectionReader(from, s.Offset, s.Length)); err != nil {
			return err
		}
	}
	return f.Sync()
}

// rewrite replaces a file by some of its spans, atomically.
func rewrite(from *os.File, name string, spans []Span) error {
	temp := name + ".tmp"
	_ = os.Remove(temp) // of a repair that was killed
	if err := save(from, temp, spans); err != nil {
		return err
	}
	if err := os.Rename(temp, name); err != nil {
		_ = os.Remove(temp)
		return err
	}
	return durable.SyncDir(filepath.Dir(name))
}
