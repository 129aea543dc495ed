package archive

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
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
	Records int      // whole records that are in the file now
	Cut     []Span   // what was taken out, as places in the file as it was
	Saved   []string // the files that have what was taken out; none when nothing was
	// Of a file of a crawl:
	Own          bool // it is one: what was kept is where it was, and the index is made anew
	GraphMembers int  // of captures that were damaged, taken out of the graph file
	WithoutGraph int  // captures that are kept and whose statements were damaged: extract --crawl makes them again
}

// damagedSuffix is for the file that keeps what Recover takes out.
const damagedSuffix = ".damaged"

// Recover makes a torn or damaged WARC file readable again, also one that another program wrote: of a file with one gzip
// member a record, or of one without compression, it keeps every whole record, those after a damaged place included, and takes
// out all other bytes. They are not lost: they go to a new file with ".damaged" after the name. A sound file is left as
// it is. Only form counts here; for digests see Verify.
//
// In a file of a crawl all that is kept stays where it is, since the index, the graph and the crawl log name places: what is damaged is
// overwritten by records that say so. Statements of captures that are gone are taken out of its graph file, and archive/index.cdxj is
// made anew. A file of a crawl that is running is refused.
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
	own := openOwn(name)
	if r.Own = own != nil; r.Own {
		err = own.repair(&r, f, size)
	} else {
		err = r.foreign(f, size)
	}
	return r, err
}

// foreign repairs a file that nothing else refers to.
func (r *Repair) foreign(f *os.File, size int64) error {
	if kind := kindOf(f, size); kind != "" {
		return fmt.Errorf("archive: %s: %s", r.File, kind)
	}
	var err error
	r.Cut, r.Records, err = damage(r.File, f, size, func(*record) {})
	if err != nil || len(r.Cut) == 0 {
		return err
	}
	if err := r.save(f, r.File, r.Cut); err != nil {
		return err
	}
	return r.takeOut(f, size)
}

// takeOut removes what is damaged from the file.
func (r *Repair) takeOut(f *os.File, size int64) error {
	var err error
	if last := r.Cut[0]; last.Offset+last.Length == size {
		err = errors.Join(f.Truncate(last.Offset), f.Sync())
	} else {
		err = rewrite(f, r.File, complement(r.Cut, size))
	}
	if err != nil {
		return fmt.Errorf("archive: repairing %s: %w", r.File, full(err))
	}
	return nil
}

// save keeps what is taken out of a file.
func (r *Repair) save(f io.ReaderAt, name string, cut []Span) error {
	to := damagedName(name)
	if err := errors.Join(save(f, to, cut), durable.SyncDir(filepath.Dir(to))); err != nil {
		return fmt.Errorf("archive: saving what is to be taken out of %s: %w", name, full(err))
	}
	r.Saved = append(r.Saved, to)
	return nil
}

// damagedName is a name that is not taken for what is taken out of a file.
func damagedName(name string) string {
	to := name + damagedSuffix
	for n := 2; ; n++ {
		if _, err := os.Lstat(to); errors.Is(err, fs.ErrNotExist) {
			return to
		}
		to = fmt.Sprint(name, damagedSuffix, ".", n)
	}
}

// damage finds what is not whole records, and gives those that are to each.
func damage(name string, f *os.File, size int64, each func(*record)) (cut []Span, records int, err error) {
	s := newScanner(name, f, 0, size)
	var first error
	found, err := s.salvage(f, size, func() error {
		rec, err := s.next(false)
		if err == nil {
			records++
			each(rec)
		} else if first == nil {
			first = err
		}
		return err
	})
	if err == nil && records == 0 && len(found.bad) > 0 {
		err = fmt.Errorf("archive: no record of the file is whole, and it is left as it is: %w", first)
	}
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
