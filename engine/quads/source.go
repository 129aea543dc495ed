package quads

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/awarc/awarc/engine/infile"
	"github.com/klauspost/compress/gzip"
)

const openSuffix = ".open" // of a file that a crawl is writing

// Files lists the files of N-Quads and N-Triples that arguments name: of the graph of a crawl, of a folder, or themselves.
func Files(names ...string) ([]string, error) {
	var files []string
	for _, name := range names {
		info, err := os.Stat(name)
		if err != nil {
			return nil, err
		}
		if !info.IsDir() {
			files = append(files, name)
			continue
		}
		in, err := filesIn(name)
		if err != nil {
			return nil, err
		}
		files = append(files, in...)
	}
	slices.Sort(files)
	return slices.Compact(files), nil
}

func filesIn(name string) ([]string, error) {
	for _, dir := range []string{filepath.Join(name, "graph"), name} {
		entries, err := os.ReadDir(dir)
		if err != nil {
			continue
		}
		var files []string
		for _, e := range entries {
			base := strings.TrimSuffix(strings.TrimSuffix(e.Name(), openSuffix), ".gz")
			if ext := filepath.Ext(base); !e.IsDir() && (ext == ".nq" || ext == ".nt") && !strings.HasPrefix(base, ".") {
				files = append(files, filepath.Join(dir, e.Name()))
			}
		}
		if len(files) > 0 {
			return files, nil
		}
	}
	return nil, fmt.Errorf("%s: no *.nq, *.nt, *.nq.gz or *.nt.gz file in it or its folder graph; expected the folder of a crawl or of "+
		"N-Quads", name)
}

// tailBytes is how many bytes before the place up to which a file was read are kept: when they have changed, it is another file.
const tailBytes = 64

// source is a file, and up to where it was read.
type source struct {
	id   int64
	name string // as the index has it: relative to its own folder, where that can be
	file string
	done int64
	tail []byte // bytes before done
}

// same reports whether a file still begins with what was read of it.
func (s *source) same() bool {
	tail, err := s.readTail(s.done)
	return err == nil && bytes.Equal(tail, s.tail)
}

// readTail reads the bytes before an offset.
func (s *source) readTail(offset int64) ([]byte, error) {
	f, err := infile.Open(s.file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	tail := make([]byte, min(offset, tailBytes))
	_, err = f.ReadAt(tail, offset-int64(len(tail)))
	return tail, err
}

// longestLine is how long a line may be: the text of a page, or its source.
const longestLine = 64 << 20

// A walk over a file calls line for each line, without its end, and done where all before an offset was read and reading can begin again
// there: behind a gzip member, or behind a line of a file that is not compressed. Their errors end it.
type walk struct {
	line func(text []byte) error
	done func(offset int64) error
}

// unreadable says that a file cannot be read from an offset on.
type unreadable struct {
	offset int64
	err    error
}

func (u *unreadable) Error() string {
	return fmt.Sprintf("byte %d: %v; the rest was not read", u.offset, u.err)
}

// run walks over a file from an offset on.
func (w *walk) run(f *os.File, from int64) error {
	if _, err := f.Seek(from, io.SeekStart); err != nil {
		return err
	}
	in := &offsetReader{Reader: bufio.NewReaderSize(f, 1<<16), offset: from}
	if !strings.HasSuffix(strings.TrimSuffix(f.Name(), openSuffix), ".gz") {
		return w.plain(in, strings.HasSuffix(f.Name(), openSuffix))
	}
	var z gzip.Reader
	text := bufio.NewReaderSize(nil, 1<<18)
	for {
		if _, err := in.Peek(1); errors.Is(err, io.EOF) {
			return nil
		}
		at := in.offset
		if err := z.Reset(in); err != nil {
			return &unreadable{at, err}
		}
		z.Multistream(false)
		text.Reset(&z)
		for {
			line, _, err := nextLine(text)
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				return &unreadable{at, err}
			}
			if err := w.line(line); err != nil {
				return err
			}
		}
		if err := w.done(in.offset); err != nil {
			return err
		}
	}
}

// plain walks over a file that is not compressed. A line without an end counts, but for one that is being written.
func (w *walk) plain(in *offsetReader, open bool) error {
	at := in.offset
	text := bufio.NewReaderSize(in, 1<<18)
	for {
		line, whole, err := nextLine(text)
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return &unreadable{at, err}
		case !whole && open:
			return nil
		}
		at += int64(len(line))
		if whole {
			at++
		}
		if err := w.line(line); err != nil {
			return err
		}
		if err := w.done(at); err != nil {
			return err
		}
	}
}

// A Visitor takes the statements of files as they come.
type Visitor struct {
	// Quad takes the terms of a statement, which are valid until it returns; the graph is empty where there is none. Done is called
	// behind the statements of a gzip member, of which a crawl writes one for each capture. Their errors end the walk.
	Quad func(terms *[4][]byte) error
	Done func() error
	// Noted receives unreadable lines, with file, line and column.
	Noted func(text string)
}

// Walk reads files of N-Quads, which [Files] lists, in order. What a crawl has not written to its end yet is left out.
func Walk(files []string, v Visitor) error {
	for i, name := range files {
		if err := v.walk(name, line{scope: fmt.Sprintf("s%d.", i+1)}); err != nil {
			return err
		}
	}
	return nil
}

func (v *Visitor) walk(name string, parsed line) error {
	f, err := infile.Open(name)
	if errors.Is(err, fs.ErrNotExist) && strings.HasSuffix(name, openSuffix) {
		f, err = infile.Open(strings.TrimSuffix(name, openSuffix)) // it was finished meanwhile
	}
	if err != nil {
		return err
	}
	defer f.Close()
	number := 0
	w := walk{
		line: func(text []byte) error {
			number++
			ok, err := parsed.parse(text)
			if err != nil {
				var at *syntaxError
				errors.As(err, &at)
				v.Noted(fmt.Sprintf("%s:%d:%d: %v", name, number, at.column, err))
			}
			if err != nil || !ok {
				return nil
			}
			return v.Quad(&parsed.terms)
		},
		done: func(int64) error { return v.Done() },
	}
	var bad *unreadable
	if err := w.run(f, 0); !errors.As(err, &bad) {
		return err
	}
	if !strings.HasSuffix(name, openSuffix) {
		v.Noted(fmt.Sprintf("%s: %v", name, bad))
	}
	return nil
}

var errLongLine = fmt.Errorf("a line of more than %d bytes", longestLine)

// nextLine gives the next line without its end, and whether it has one. It is valid until the next.
func nextLine(r *bufio.Reader) (line []byte, whole bool, err error) {
	line, err = r.ReadSlice('\n')
	if errors.Is(err, bufio.ErrBufferFull) {
		long := bytes.Clone(line)
		for errors.Is(err, bufio.ErrBufferFull) && len(long) <= longestLine {
			line, err = r.ReadSlice('\n')
			long = append(long, line...)
		}
		if line = long; len(long) > longestLine {
			return nil, false, errLongLine
		}
	}
	switch {
	case err == nil:
		return line[:len(line)-1], true, nil
	case errors.Is(err, io.EOF) && len(line) > 0:
		return line, false, nil
	}
	return nil, false, err
}

// offsetReader counts what is read from it; the decompressor takes no byte more than it needs.
type offsetReader struct {
	*bufio.Reader
	offset int64
}

func (r *offsetReader) Read(p []byte) (int, error) {
	n, err := r.Reader.Read(p)
	r.offset += int64(n)
	return n, err
}

// ReadByte is what the decompressor reads with.
func (r *offsetReader) ReadByte() (byte, error) {
	b, err := r.Reader.ReadByte()
	if err == nil {
		r.offset++
	}
	return b, err
}
