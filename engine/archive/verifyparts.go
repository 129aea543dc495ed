package archive

import (
	"io"

	"golang.org/x/sync/errgroup"
)

// part is what was found from one place of a file to another.
type part struct {
	Report
	from, until, end int64 // it went on to the end of what began before until
	err              error
}

// read reads the parts of a file. Where one begins, there seems to be a record; if that before it, read to its end, did not lead there, it
// was something else that looks like one, and the part is read again from where it should have begun.
func (r *Report) read(f io.ReaderAt, size, parts int64, told func(read int64)) error {
	starts := []int64{0}
	for i := int64(1); i < parts; i++ {
		at, err := startOfRecord(r.File, f, max(size*i/parts, starts[len(starts)-1]+1), size)
		if err != nil {
			return err
		}
		if at < size {
			starts = append(starts, at)
		}
	}
	read := make([]part, len(starts))
	var group errgroup.Group
	for i, from := range starts {
		until := size
		if i+1 < len(starts) {
			until = starts[i+1]
		}
		group.Go(func() error {
			read[i] = readPart(r.File, f, from, until, size, told)
			return nil
		})
	}
	_ = group.Wait()
	var end int64
	for _, p := range read {
		if p.from != end {
			p = readPart(r.File, f, end, p.until, size, func(int64) {})
		}
		if p.err != nil {
			return p.err
		}
		end = p.end
		r.take(&p.Report)
	}
	return nil
}

// startOfRecord finds a place from which a record can be read; size when there is none near.
func startOfRecord(name string, f io.ReaderAt, from, size int64) (int64, error) {
	s := newScanner(name, f, 0, size)
	for range 8 {
		at, err := s.nextStart(from)
		if err != nil || at == size {
			return size, err
		}
		s.restart(at)
		_, err = s.next(false)
		if err == nil || onlyIO(err) != nil {
			return at, onlyIO(err)
		}
		from = at + 1
	}
	return size, nil
}

// readPart reads the records that begin from a place until another.
func readPart(name string, f io.ReaderAt, from, until, size int64, told func(read int64)) part {
	p := part{Report: newReport(name, size), from: from, until: until, end: from}
	if from >= until {
		return p
	}
	s := newScanner(name, f, from, size)
	at := from
	_, p.err = s.walk(true, func(rec *record) error {
		p.addRecord(name, rec)
		told(s.offset() - at)
		if at = s.offset(); at >= until && s.from == nil {
			return io.EOF
		}
		return nil
	}, p.add)
	p.end = s.offset()
	return p
}
