package archive

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"os"
)

// sortedFile is a file of lines, sorted bytewise, that is searched without being read into memory.
type sortedFile struct {
	*os.File
	size int64
}

func openSorted(name string) (*sortedFile, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return &sortedFile{f, info.Size()}, nil
}

// from calls each for the lines that start with a prefix, in order, without their line breaks, until it returns false. It is safe for
// concurrent use.
func (s *sortedFile) from(prefix string, each func(line []byte) bool) error {
	in := lines{bufio.NewReaderSize(nil, 4<<10)}
	at := func(offset int64) { in.Reset(io.NewSectionReader(s.File, offset, s.size-offset)) }
	low, high := int64(0), s.size // a line starts at low; those before it are less than the prefix, those from high on are not
	for low < high {
		middle := low + (high-low)/2
		start := middle
		if middle > low { // the line that starts there or next
			at(middle - 1)
			skipped, err := in.line(maxLine)
			if err != nil && err != io.EOF {
				return err
			}
			start = middle - 1 + int64(len(skipped))
		} else {
			at(low)
		}
		if start >= high {
			high = middle
			continue
		}
		line, err := in.line(maxLine)
		switch {
		case err != nil && err != io.EOF:
			return err
		case bytes.Compare(line, []byte(prefix)) < 0:
			low = start + int64(len(line))
		default:
			high = middle
		}
	}
	at(low)
	for {
		line, err := in.line(maxLine)
		if err != nil && err != io.EOF || !bytes.HasPrefix(line, []byte(prefix)) {
			return notEOF(err)
		}
		if !each(bytes.TrimSuffix(line, []byte("\n"))) || err == io.EOF {
			return nil
		}
	}
}

// maxLine bounds a line of an index, in bytes.
const maxLine = 4 * maxHead

func notEOF(err error) error {
	if errors.Is(err, io.EOF) {
		return nil
	}
	return err
}
