package archive

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"

	"github.com/awarc/awarc/engine/durable"
)

// file is what a segment needs of an *os.File; tests let writes, syncs and truncations fail.
type file interface {
	io.WriterAt
	io.Closer
	Name() string
	Sync() error
	Truncate(size int64) error
}

// createFile makes a new file; it is an error if it is there.
func createFile(path string) (file, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return nil, err // and not a nil *os.File
	}
	return f, nil
}

// segment is a WARC file and its graph file while they are written. The writer's lock guards all but syncing.
type segment struct {
	base     string // file name without suffixes
	warc     file
	graph    file
	warcEnd  int64 // both files are sound up to here
	graphEnd int64
	captures int
	lines    *sorter // index lines of the captures

	syncing sync.Mutex // taken without the writer's lock, or after it
	closed  bool       // guarded by syncing
}

// newSegment creates the two files of a base name and writes the warcinfo record.
func (w *Writer) newSegment(base string) (*segment, error) {
	s := &segment{base: base, lines: &sorter{dir: w.work}}
	if err := w.begin(s); err != nil {
		s.discard()
		return nil, err
	}
	return s, nil
}

func (w *Writer) begin(s *segment) error {
	info, err := w.warcinfo(s.base+warcSuffix, w.infoID)
	if err != nil {
		return err
	}
	if s.warc, err = w.create(filepath.Join(w.archive, s.base+warcSuffix+openSuffix)); err != nil {
		return err
	}
	if s.graph, err = w.create(filepath.Join(w.graph, s.base+graphSuffix+openSuffix)); err != nil {
		return err
	}
	if _, err := s.warc.WriteAt(info, 0); err != nil {
		return err
	}
	s.warcEnd = int64(len(info))
	// The names must be on disk before a capture is acknowledged.
	return errors.Join(durable.SyncDir(w.archive), durable.SyncDir(w.graph))
}

// discard removes what was created of a segment that never got a capture. Its graph file would be empty, which no reader
// of gzip takes for a file.
func (s *segment) discard() {
	s.syncing.Lock()
	defer s.syncing.Unlock()
	s.closed = true
	for _, f := range []file{s.graph, s.warc} {
		if f != nil {
			_ = f.Close()
			_ = os.Remove(f.Name())
		}
	}
	s.lines.close()
}

// append writes a capture to both files, or to none: after an error both end where they ended before. When that cannot
// be done, restored is false, and nothing may be written any more.
func (s *segment) append(g *group, member []byte) (restored bool, err error) {
	if _, err = s.graph.WriteAt(member, s.graphEnd); err == nil {
		err = g.writeTo(s.warc, s.warcEnd)
	}
	if err != nil {
		undo := errors.Join(s.graph.Truncate(s.graphEnd), s.warc.Truncate(s.warcEnd))
		if undo != nil {
			return false, errors.Join(err, fmt.Errorf("and what was written of it could not be removed: %w", undo))
		}
		return true, err
	}
	s.graphEnd += int64(len(member))
	s.warcEnd += g.size
	s.captures++
	return true, nil
}

// sync puts both files on disk. Syncing a segment that was finished is nothing to do: finishing did it.
func (s *segment) sync() error {
	s.syncing.Lock()
	defer s.syncing.Unlock()
	if s.closed {
		return nil
	}
	return errors.Join(s.graph.Sync(), s.warc.Sync())
}

// finish syncs and closes both files and gives them their final names.
func (s *segment) finish() error {
	s.syncing.Lock()
	defer s.syncing.Unlock()
	s.closed = true
	err := errors.Join(s.graph.Sync(), s.warc.Sync())
	err = errors.Join(err, s.graph.Close(), s.warc.Close())
	if err != nil {
		return err // they stay open files, for recovery
	}
	return publish(s.graph.Name(), s.warc.Name())
}

// publish renames the graph file, then the WARC file, and makes the names durable. In this order a WARC file with its
// final name always has its graph.
func publish(graph, warc string) error {
	for _, name := range []string{graph, warc} {
		final := name[:len(name)-len(openSuffix)]
		if _, err := os.Lstat(final); err == nil {
			return fmt.Errorf("archive: %s is in the way of %s: move one of them", final, name)
		}
		if err := os.Rename(name, final); err != nil {
			return err
		}
		if err := durable.SyncDir(filepath.Dir(final)); err != nil {
			return err
		}
	}
	return nil
}
