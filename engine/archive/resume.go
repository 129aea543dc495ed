package archive

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Recovery tells what was done to a WARC file, and to its graph file, that an earlier run left open.
type Recovery struct {
	File     string // name in archive/, without ".open"
	Captures int    // whole captures kept, amendments included
	Cut      int64  // bytes cut off the WARC file
	GraphCut int64  // bytes cut off the graph file
	Removed  bool   // the file held no whole capture and is gone
}

// recover removes temporary files of an earlier run and finishes the files it left open.
func (w *Writer) recover() error {
	temps, err := filepath.Glob(filepath.Join(w.work, "*.tmp"))
	if err != nil {
		return err
	}
	for _, name := range temps {
		if err := os.Remove(name); err != nil {
			return fmt.Errorf("archive: removing what an earlier run left: %w", err)
		}
	}
	bases, err := w.openBases()
	if err != nil {
		return err
	}
	for _, base := range bases {
		r, err := w.recoverSegment(base)
		if err != nil {
			return fmt.Errorf("archive: recovering %s: %w", base+warcSuffix, full(err))
		}
		w.recovered = append(w.recovered, r)
	}
	warcs, err := filepath.Glob(filepath.Join(w.archive, "*"+warcSuffix))
	if err != nil {
		return err
	}
	for _, name := range warcs {
		info, err := os.Stat(name)
		if err != nil {
			return fmt.Errorf("archive: %w", err)
		}
		w.files += info.Size()
	}
	return nil
}

// openBases lists the base names of which either file is open, sorted.
func (w *Writer) openBases() ([]string, error) {
	var bases []string
	for folder, suffix := range map[string]string{w.archive: warcSuffix + openSuffix, w.graph: graphSuffix + openSuffix} {
		names, err := filepath.Glob(filepath.Join(folder, "*"+suffix))
		if err != nil {
			return nil, err
		}
		for _, name := range names {
			bases = append(bases, strings.TrimSuffix(filepath.Base(name), suffix))
		}
	}
	slices.Sort(bases)
	return slices.Compact(bases), nil
}

// recoverSegment keeps of a segment the captures that are whole in both of its files, in the order of writing, up to
// the first that is not; cuts off the rest; and gives the files their final names.
//
// A capture that lost its graph member is cut too: its page would otherwise count as archived while its objects are
// lost. Nothing that the frontier was told of can be lost that way, as it is told after Sync.
func (w *Writer) recoverSegment(base string) (Recovery, error) {
	r := Recovery{File: base + warcSuffix}
	warcName, warcOpen := present(filepath.Join(w.archive, base+warcSuffix))
	graphName, graphOpen := present(filepath.Join(w.graph, base+graphSuffix))
	switch {
	case warcName == "": // the graph file has no captures to speak of
		r.Removed = true
		return r, os.Remove(graphName)
	case !warcOpen: // finished, so both files are whole: only the name is missing
		return r, rename(graphName)
	}
	warc, warcSize, err := openSized(warcName)
	if err != nil {
		return r, err
	}
	defer func() { _ = warc.Close() }()
	if graphName == "" {
		// The graph file is created before the first capture, so its loss is no crash.
		if first, err := nextGroup(newScanner(warcName, warc, 0, warcSize)); err == nil && first != nil {
			return r, fmt.Errorf("its graph file %s is missing: restore it, or move %s away",
				filepath.Join(w.graph, base+graphSuffix), warcName)
		}
		r.Removed, r.Cut = true, warcSize
		return r, os.Remove(warcName)
	}
	graph, graphSize, err := openSized(graphName)
	if err != nil {
		return r, err
	}
	defer func() { _ = graph.Close() }()

	lines := &sorter{dir: w.work}
	defer lines.close()
	warcEnd, graphEnd, captures, err := pair(newScanner(warcName, warc, 0, warcSize),
		newScanner(graphName, graph, 0, graphSize), r.File, lines)
	if err != nil {
		return r, err
	}
	r.Captures, r.Cut, r.GraphCut = captures, warcSize-warcEnd, graphSize-graphEnd
	if captures == 0 {
		r.Removed = true
		return r, errors.Join(os.Remove(graphName), os.Remove(warcName))
	}
	for f, end := range map[*os.File]int64{warc: warcEnd, graph: graphEnd} {
		if err := f.Truncate(end); err != nil {
			return r, err
		}
		if err := f.Sync(); err != nil {
			return r, err
		}
	}
	if runs, err := lines.flush(); err == nil { // without a part the index is made from the file
		_ = mergeTo(w.partName(r.File), w.work, partLine(warcEnd), runs)
	}
	if !graphOpen {
		return r, rename(warcName)
	}
	return r, publish(graphName, warcName)
}

// pair walks a WARC file and its graph file side by side and returns where the last capture ends that is whole in both.
// An error is one of reading the disk.
func pair(warc, graph *scanner, name string, lines *sorter) (warcEnd, graphEnd int64, captures int, err error) {
	for {
		rec, err := nextGroup(warc)
		if rec == nil {
			return warcEnd, graphEnd, captures, err
		}
		id, err := graph.graphMember()
		if err != nil || id != rec.id() {
			return warcEnd, graphEnd, captures, onlyIO(err)
		}
		if e, ok := rec.entry(); ok {
			lines.add(e.at(name, rec.offset, rec.length))
		}
		warcEnd, graphEnd = warc.offset(), graph.offset()
		captures++
	}
}

// nextGroup reads the records of one capture and returns the response, or an amendment's only record; nil where no whole
// group follows. warcinfo records before it are passed over.
func nextGroup(s *scanner) (*record, error) {
	first, err := s.next(false)
	for err == nil && first.typ() == "warcinfo" {
		first, err = s.next(false)
	}
	if err == nil && first.typ() == "metadata" && first.header["warc-refers-to"] != "" && first.concurrentTo() == "" {
		return first, nil
	}
	if err != nil || first.typ() != "response" {
		return nil, onlyIO(err)
	}
	for _, typ := range []string{"request", "metadata"} {
		rec, err := s.next(false)
		if err != nil || rec.typ() != typ || rec.concurrentTo() != first.id() {
			return nil, onlyIO(err)
		}
	}
	return first, nil
}

// onlyIO drops errors of what is in a file and keeps those of reading it: after a failing disk nothing may be cut.
func onlyIO(err error) error {
	var path *fs.PathError
	if errors.As(err, &path) {
		return err
	}
	return nil
}

// graphMember reads a member of a graph file to its end and returns the capture it belongs to.
func (s *scanner) graphMember() (id string, err error) {
	if err := s.member(); err != nil {
		return "", err
	}
	id = s.gz.Comment
	_, err = io.Copy(io.Discard, s.gz)
	return id, err
}

// present finds a file under its final or its open name.
func present(final string) (name string, open bool) {
	for _, name := range []string{final + openSuffix, final} {
		if _, err := os.Lstat(name); err == nil {
			return name, name != final
		}
	}
	return "", false
}

func openSized(name string) (*os.File, int64, error) {
	f, err := os.OpenFile(name, os.O_RDWR, 0)
	if err != nil {
		return nil, 0, err
	}
	info, err := f.Stat()
	if err != nil {
		_ = f.Close()
		return nil, 0, err
	}
	return f, info.Size(), nil
}

// rename takes ".open" off a name.
func rename(name string) error {
	final := strings.TrimSuffix(name, openSuffix)
	if err := os.Rename(name, final); err != nil {
		return err
	}
	return syncDir(filepath.Dir(final))
}
