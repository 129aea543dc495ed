package fetch

import (
	"errors"
	"io"
	"os"
)

// spool holds the bytes of one answer: in memory up to a limit, then all of them in
// a file. It is written by one goroutine, then only read.
type spool struct {
	dir    string
	memMax int
	mem    []byte
	file   *os.File
	size   int64
}

// Write appends p. Failures are *opError of KindSpool.
func (s *spool) Write(p []byte) (int, error) {
	if s.file == nil && len(s.mem)+len(p) <= s.memMax {
		s.mem = append(s.mem, p...)
		s.size += int64(len(p))
		return len(p), nil
	}
	if s.file == nil {
		if err := s.spill(); err != nil {
			return 0, &opError{"spool", KindSpool, err}
		}
	}
	n, err := s.file.Write(p)
	s.size += int64(n)
	if err != nil {
		return n, &opError{"spool", KindSpool, err}
	}
	return n, nil
}

// spill moves the bytes from memory to a new file. The file loses its name at once where
// the system allows that, so that a killed crawl leaves nothing behind.
func (s *spool) spill() error {
	f, err := os.CreateTemp(s.dir, "awarc-spool-*")
	if err != nil {
		return err
	}
	s.file = f
	_ = os.Remove(f.Name()) // Close tries again
	if _, err := f.Write(s.mem); err != nil {
		return errors.Join(err, s.Close())
	}
	s.mem = nil
	return nil
}

// WriteAt replaces bytes that were written.
func (s *spool) WriteAt(p []byte, off int64) (int, error) {
	if s.file != nil {
		return s.file.WriteAt(p, off)
	}
	return copy(s.mem[off:], p), nil
}

// ReadAt implements io.ReaderAt over the bytes written so far.
func (s *spool) ReadAt(p []byte, off int64) (int, error) {
	if s.file != nil {
		return s.file.ReadAt(p, off)
	}
	if off >= int64(len(s.mem)) {
		return 0, io.EOF
	}
	n := copy(p, s.mem[off:])
	if n < len(p) {
		return n, io.EOF
	}
	return n, nil
}

// Close gives the file back. Closing twice is harmless.
func (s *spool) Close() error {
	if s.file == nil {
		return nil
	}
	f := s.file
	s.file = nil
	err := f.Close()
	if rm := os.Remove(f.Name()); rm != nil && !errors.Is(rm, os.ErrNotExist) {
		err = errors.Join(err, rm)
	}
	return err
}
