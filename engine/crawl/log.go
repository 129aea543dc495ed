package crawl

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sync"

	"github.com/awarc/awarc/engine/durable"
)

// crawlLog is log/crawl.jsonl, one line an HTTP exchange, or log/adaptation.jsonl,
// one line an event of adaptation. Lines are written at once.
type crawlLog struct {
	mu   sync.Mutex
	file *os.File
	end  int64 // of the last whole line
	err  error // the first, which Close returns
}

func (c *Crawl) openLog(name string) (*crawlLog, error) {
	return openLog(filepath.Join(c.dir, "log"), name)
}

// openLog opens the log for appending and removes lines that a crash left
// half-written.
func openLog(dir, name string) (*crawlLog, error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	if err := dropHoles(filepath.Join(dir, name)); err != nil {
		return nil, err
	}
	f, err := os.OpenFile(filepath.Join(dir, name), os.O_CREATE|os.O_RDWR, 0o644)
	if err != nil {
		return nil, err
	}
	end, err := lastLineEnd(f)
	if err == nil {
		err = f.Truncate(end)
	}
	if err != nil {
		f.Close()
		return nil, fmt.Errorf("%s: %w", f.Name(), err)
	}
	return &crawlLog{file: f, end: end}, nil
}

// dropHoles removes lines with zeros, which stand for what never reached the disk
// before a power cut. No other line has one.
func dropHoles(name string) error {
	f, err := os.Open(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer f.Close()
	holes := false
	for buf, n := make([]byte, 1<<20), 0; err == nil && !holes; {
		n, err = f.Read(buf)
		holes = bytes.IndexByte(buf[:n], 0) >= 0
	}
	if err != nil && err != io.EOF || !holes {
		return notEOF(err)
	}
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return err
	}
	if err := durable.WriteFile(name, 0o644, func(w io.Writer) error { return withoutHoles(w, f) }); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}

// withoutHoles copies the lines that hold no zero and are whole.
func withoutHoles(to io.Writer, from io.Reader) (err error) {
	in, out := bufio.NewReader(from), bufio.NewWriter(to)
	for err == nil {
		var line []byte
		if line, err = in.ReadBytes('\n'); err == nil && bytes.IndexByte(line, 0) < 0 {
			_, err = out.Write(line)
		}
	}
	return errors.Join(notEOF(err), out.Flush())
}

func notEOF(err error) error {
	if err == io.EOF {
		return nil
	}
	return err
}

// lastLineEnd is the offset after the last complete line.
func lastLineEnd(f *os.File) (int64, error) {
	info, err := f.Stat()
	if err != nil {
		return 0, err
	}
	const step = 64 << 10
	buf := make([]byte, step)
	for end := info.Size(); end > 0; {
		start := max(0, end-step)
		n, err := f.ReadAt(buf[:end-start], start)
		if err != nil && err != io.EOF {
			return 0, err
		}
		if i := bytes.LastIndexByte(buf[:n], '\n'); i >= 0 {
			return start + int64(i) + 1, nil
		}
		end = start
	}
	return 0, nil
}

func (l *crawlLog) write(e any) {
	line, err := json.Marshal(e)
	if err == nil {
		err = l.writeLine(append(line, '\n'))
	}
	l.fail(err)
}

func (l *crawlLog) writeLine(line []byte) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.file == nil {
		return nil // plugins may be looked at until the end
	}
	// Of a line that fails, as on a full disk, the next one takes the place.
	_, err := l.file.WriteAt(line, l.end)
	if err == nil {
		l.end += int64(len(line))
	}
	return err
}

// size is the length of the log in bytes.
func (l *crawlLog) size() int64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.end
}

// fail keeps the first error, which Close returns.
func (l *crawlLog) fail(err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if err != nil && l.err == nil {
		l.err = fmt.Errorf("writing the crawl log: %w", err)
	}
}

// restart renames the log and begins a new one. After an error no more lines are written.
func (l *crawlLog) restart(older string) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.file == nil {
		return nil
	}
	name := l.file.Name()
	err := errors.Join(l.file.Truncate(l.end), l.file.Close())
	l.file = nil
	if err == nil {
		err = os.Rename(name, older)
	}
	if err == nil {
		l.file, err = os.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_RDWR, 0o644)
		l.end = 0
	}
	return err
}

// Close closes the log and returns the first error of all writes. Closing again
// does nothing.
func (l *crawlLog) Close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	err := l.err
	if l.file != nil {
		err = cmp.Or(err, errors.Join(l.file.Truncate(l.end), l.file.Close()))
	}
	l.file, l.err = nil, nil
	return err
}
