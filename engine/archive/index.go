package archive

import (
	"bufio"
	"container/heap"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/awarc/awarc/engine/durable"
)

const (
	// sortBytes is how much of the index of one WARC file is sorted in memory at a time.
	sortBytes = 1 << 20
	// fanIn is how many sorted files are merged at a time: well under the usual limit of open files.
	fanIn = 200
)

// sorter sorts any number of lines in bounded memory: what exceeds sortBytes is spilled as a sorted run.
type sorter struct {
	dir   string
	lines []string
	bytes int
	runs  []string // names of files
}

// add takes a line. Should spilling fail, the lines stay in memory and the next add tries again.
func (s *sorter) add(line string) {
	s.lines = append(s.lines, line)
	s.bytes += len(line)
	if s.bytes < sortBytes {
		return
	}
	name, err := writeTemp(s.dir, s.sorted())
	if err != nil {
		return
	}
	s.runs = append(s.runs, name)
	s.lines, s.bytes = nil, 0
}

func (s *sorter) sorted() io.Reader {
	slices.Sort(s.lines)
	return strings.NewReader(strings.Join(s.lines, ""))
}

// flush returns the names of sorted files with all the lines. They stay the sorter's.
func (s *sorter) flush() ([]string, error) {
	if len(s.lines) > 0 {
		name, err := writeTemp(s.dir, s.sorted())
		if err != nil {
			return nil, err
		}
		s.runs = append(s.runs, name)
		s.lines, s.bytes = nil, 0
	}
	return slices.Clone(s.runs), nil
}

// close removes the runs.
func (s *sorter) close() {
	for _, name := range s.runs {
		_ = os.Remove(name)
	}
	s.runs, s.lines, s.bytes = nil, nil, 0
}

// writeTemp writes a temporary file and returns its name; none is left when that fails.
func writeTemp(dir string, r io.Reader) (name string, err error) {
	f, err := os.CreateTemp(dir, durable.Temporary+"*")
	if err != nil {
		return "", err
	}
	defer func() {
		if cerr := f.Close(); err == nil {
			err = cerr
		}
		if err != nil {
			_ = os.Remove(f.Name())
		}
	}()
	_, err = io.Copy(f, r)
	return f.Name(), err
}

// cursor is the next line of a sorted file.
type cursor struct {
	line string
	in   *bufio.Reader
	file *os.File
}

// advance reads the next line; io.EOF after the last.
func (c *cursor) advance() (err error) {
	c.line, err = c.in.ReadString('\n')
	if err == io.EOF && c.line != "" {
		return fmt.Errorf("%s: the last line is incomplete", c.file.Name())
	}
	return err
}

type cursors []*cursor

func (c cursors) Len() int           { return len(c) }
func (c cursors) Less(i, j int) bool { return c[i].line < c[j].line }
func (c cursors) Swap(i, j int)      { c[i], c[j] = c[j], c[i] }
func (c *cursors) Push(x any)        { *c = append(*c, x.(*cursor)) }
func (c *cursors) Pop() any {
	last := (*c)[len(*c)-1]
	*c = (*c)[:len(*c)-1]
	return last
}

// merge writes the lines of sorted files to w, sorted, each once. It holds one line a file in memory. Lines that start
// with '#' are skipped: no key does.
func merge(w io.Writer, names []string) (err error) {
	var open cursors
	defer func() {
		for _, c := range open {
			_ = c.file.Close()
		}
	}()
	for _, name := range names {
		f, err := os.Open(name)
		if err != nil {
			return err
		}
		c := &cursor{in: bufio.NewReaderSize(f, 32<<10), file: f}
		open = append(open, c)
		for {
			if err := c.advance(); err == io.EOF {
				open = open[:len(open)-1]
				_ = f.Close()
				break
			} else if err != nil {
				return err
			}
			if c.line[0] != '#' {
				break
			}
		}
	}
	heap.Init(&open)
	last := ""
	for len(open) > 0 {
		c := open[0]
		if c.line != last {
			last = c.line
			if _, err := io.WriteString(w, last); err != nil {
				return err
			}
		}
		if err := c.advance(); err == io.EOF {
			heap.Pop(&open)
			_ = c.file.Close()
			continue
		} else if err != nil {
			return err
		}
		heap.Fix(&open, 0)
	}
	return nil
}

// mergeTo writes the merged lines to a file after a first line, atomically: to a temporary file, synced, then renamed.
// More than fanIn files are merged in rounds.
func mergeTo(target, dir, first string, names []string) (err error) {
	var rounds []string
	defer func() {
		for _, name := range rounds {
			_ = os.Remove(name)
		}
	}()
	for len(names) > fanIn {
		name, err := writeMerged(dir, "", names[:fanIn])
		if err != nil {
			return err
		}
		rounds = append(rounds, name)
		names = append(slices.Clone(names[fanIn:]), name)
	}
	name, err := writeMerged(dir, first, names)
	if err != nil {
		return err
	}
	if err := os.Rename(name, target); err != nil {
		_ = os.Remove(name)
		return err
	}
	return durable.SyncDir(filepath.Dir(target))
}

// writeMerged merges files into a temporary one, after a first line.
func writeMerged(dir, first string, names []string) (name string, err error) {
	return durable.Temp(dir, 0o644, func(f io.Writer) error {
		w := bufio.NewWriterSize(f, 64<<10)
		if _, err := w.WriteString(first); err != nil {
			return err
		}
		if err := merge(w, names); err != nil {
			return err
		}
		return w.Flush()
	})
}

// A part is the sorted index of one finished WARC file: PART.cdxj in the work folder, starting with a line that gives
// the form of its lines and the size of the WARC file. A part that is missing, has another form, as earlier versions of awarc wrote it,
// or whose size differs, is made again from the file.

func partLine(size int64) string { return "#form 2 size " + strconv.FormatInt(size, 10) + "\n" }

func (w *Writer) partName(warc string) string {
	return filepath.Join(w.work, strings.TrimSuffix(warc, warcSuffix)+".cdxj")
}

// part returns the name of the part of a finished WARC file. The part of a damaged file has the lines of what can be
// read, is not kept as that of the file, and comes with a *BadRecord.
func (w *Writer) part(warc string) (name string, temporary bool, err error) {
	path := filepath.Join(w.archive, warc)
	info, err := os.Stat(path)
	if err != nil {
		return "", false, err
	}
	name = w.partName(warc)
	if fresh(name, info.Size()) {
		return name, false, nil
	}
	lines := &sorter{dir: w.work}
	defer lines.close()
	bad := indexFile(path, warc, lines)
	if bad != nil && (onlyIO(bad) != nil || !errors.As(bad, new(*BadRecord))) {
		return "", false, bad
	}
	runs, err := lines.flush()
	if err != nil {
		return "", false, err
	}
	if bad == nil {
		return name, false, mergeTo(name, w.work, partLine(info.Size()), runs)
	}
	name, err = writeMerged(w.work, "", runs)
	return name, true, errors.Join(err, bad)
}

// fresh reports whether a part is there and of a WARC file of that size.
func fresh(name string, size int64) bool {
	f, err := os.Open(name)
	if err != nil {
		return false
	}
	defer func() { _ = f.Close() }()
	first, err := bufio.NewReader(f).ReadString('\n')
	return err == nil && first == partLine(size)
}

// indexFile adds the index lines of a WARC file: of all its whole records. Where there is more in it, the error is a *BadRecord.
func indexFile(path, name string, lines *sorter) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	s := newScanner(path, f, 0, info.Size())
	var unfit *BadRecord
	pairs := &pairing{add: lines.add, name: name}
	s.keep = pairs.keep
	bad, err := s.walk(false, func(rec *record) error {
		why := rec.wrong
		_, ok := rec.entry()
		switch {
		case why == nil && (!ok || !rec.shared):
			pairs.record(rec)
			return nil
		case why == nil:
			why = errors.New("more than one record in a compressed member, which no index can address: run warcio recompress")
		}
		if unfit == nil {
			unfit = rec.bad(path, why)
		}
		return nil
	}, func(*BadRecord) {})
	pairs.flush()
	if unfit != nil {
		err = errors.Join(err, unfit)
	}
	return errors.Join(err, bad)
}

// Index writes archive/index.cdxj: a line for each response and revisit record of all WARC files in archive/, sorted
// bytewise, each line once. What was written before the call is in it, and on disk. Lines of the file being written name
// it as it will be called. Nothing is done when nothing was written since the last call.
//
// Of a finished file that is damaged the whole records are indexed, and a *BadRecord is in the chain of the error; the index
// is written nevertheless.
func (w *Writer) Index() error {
	w.indexMu.Lock()
	defer w.indexMu.Unlock()
	if err := w.Sync(); err != nil {
		return err
	}
	return w.index()
}

// index is Index for a caller that holds indexMu and has synced.
func (w *Writer) index() (err error) {
	// The open file is asked first: should it be finished meanwhile, its lines come twice and are written once.
	w.mu.Lock()
	written := w.written
	var names []string
	if w.seg != nil {
		names, err = w.seg.lines.flush()
	}
	w.mu.Unlock()
	target := filepath.Join(w.archive, indexName)
	if err != nil {
		return fmt.Errorf("archive: writing %s: %w", target, full(err))
	}
	if w.indexed && written == w.indexedAt {
		return nil
	}
	warcs, err := filepath.Glob(filepath.Join(w.archive, "*"+warcSuffix))
	if err != nil {
		return err
	}
	var damaged []error
	for _, path := range warcs {
		name, temporary, err := w.part(filepath.Base(path))
		if temporary {
			defer func() { _ = os.Remove(name) }()
		}
		var bad *BadRecord
		if errors.As(err, &bad) && name != "" {
			damaged = append(damaged, err)
		} else if err != nil {
			return fmt.Errorf("archive: indexing %s: %w", path, full(err))
		}
		names = append(names, name)
	}
	if err := mergeTo(target, w.work, "", names); err != nil {
		return fmt.Errorf("archive: writing %s: %w", target, full(err))
	}
	if len(damaged) > 0 {
		return fmt.Errorf("%w; repair it with `awarc warc recover`", errors.Join(damaged...))
	}
	w.indexed, w.indexedAt = true, written
	w.removeStale()
	return nil
}
