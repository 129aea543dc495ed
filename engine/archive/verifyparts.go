package archive

import (
	"errors"
	"io"
	"os"

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
func (r *Report) read(f *os.File, size, parts int64, told func(read int64)) error {
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
		for typ, n := range p.Records {
			r.Records[typ] += n
		}
		r.Unchecked += p.Unchecked
		r.Wrong += p.Wrong
		r.Bad = append(r.Bad, p.Bad[:min(len(p.Bad), badNamed-len(r.Bad))]...)
	}
	return nil
}

// startOfRecord finds a place from which a record can be read; size when there is none near.
func startOfRecord(name string, f *os.File, from, size int64) (int64, error) {
	s := newScanner(name, f, 0, size)
	for range 8 {
		at, err := nextStart(f, s.plain, from, size)
		if err != nil || at == size {
			return size, err
		}
		s.restart(f, at, size)
		_, err = s.next(false)
		if err == nil || onlyIO(err) != nil {
			return at, onlyIO(err)
		}
		from = at + 1
	}
	return size, nil
}

// readPart reads the records that begin from a place until another.
func readPart(name string, f *os.File, from, until, size int64, told func(read int64)) part {
	p := part{Report: Report{Records: map[string]int{}}, from: from, until: until}
	s := newScanner(name, f, from, size)
	at := from
	failed := false // within what is not a record
	_, p.err = s.salvage(f, size, func() error {
		told(s.offset() - at)
		if at = s.offset(); at >= until {
			return io.EOF
		}
		rec, err := s.next(true)
		if err != nil {
			var bad *BadRecord
			if !failed && err != io.EOF && errors.As(err, &bad) {
				failed = true
				p.add(bad)
			}
			return err
		}
		failed = false
		if rec.wrong != nil {
			p.add(rec.bad(name, rec.wrong))
			return nil
		}
		p.Records[rec.typ()]++
		if rec.unchecked {
			p.Unchecked++
		}
		return nil
	})
	p.end = s.offset()
	return p
}
