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

	"github.com/awarc/awarc/engine/durable"
)

// Recovery describes the repair of a WARC file, and of its graph file, that an earlier run left open.
type Recovery struct {
	File     string   // name in archive/, without ".open"
	Captures int      // whole captures kept, amendments included
	Cut      int64    // bytes cut off the WARC file
	GraphCut int64    // bytes cut out of the graph file
	Removed  bool     // no whole capture was left, and the file is gone
	Missing  bool     // the graph file has captures, and the WARC file was gone before
	Gaps     []Span   // parts of the WARC file that were damaged, with whole captures behind
	Saved    []string // files with the bytes that were damaged; none where the end was torn, as a crash tears it
}

// String says what opening the archive repaired.
func (r Recovery) String() string {
	parts := []string{fmt.Sprintf("%s: %d captures kept", r.File, r.Captures)}
	if r.Missing {
		parts = append(parts, "the file was missing, but its graph file was there")
	}
	if len(r.Gaps) > 0 {
		var n int64
		for _, gap := range r.Gaps {
			n += gap.Length
		}
		parts = append(parts, fmt.Sprintf("%d bytes before the last capture were damaged", n))
	}
	if r.Cut > 0 {
		parts = append(parts, fmt.Sprintf("%d bytes cut off", r.Cut))
	}
	if r.GraphCut > 0 {
		parts = append(parts, fmt.Sprintf("%d bytes removed from its graph", r.GraphCut))
	}
	if r.Removed && !r.Missing {
		parts = append(parts, "the file had no intact capture and was removed")
	}
	if len(r.Saved) > 0 {
		parts = append(parts, "the damaged bytes are in "+strings.Join(r.Saved, " and "))
	}
	return strings.Join(parts, ", ")
}

// recover removes temporary files of an earlier run and finishes the files it left open.
func (w *Writer) recover() error {
	temps, err := filepath.Glob(filepath.Join(w.work, durable.Temporary+"*"))
	if err != nil {
		return err
	}
	for _, name := range temps {
		if err := os.Remove(name); err != nil {
			return fmt.Errorf("archive: removing files of an earlier run: %w", err)
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

// recoverSegment keeps of a segment the captures that are whole in both of its files, wherever they are, and gives the files
// their final names. What is behind the last is cut off the WARC file, and damaged parts before it are filled, see fill.
//
// A capture that lost its graph member goes too: its page would otherwise count as archived while its objects are lost.
// Who was told of it, as it was synced, has to ask for it again: see Captured.
func (w *Writer) recoverSegment(base string) (Recovery, error) {
	r := Recovery{File: base + warcSuffix}
	warcName, warcOpen := present(filepath.Join(w.archive, base+warcSuffix))
	graphName, graphOpen := present(filepath.Join(w.graph, base+graphSuffix))
	if warcName != "" && !warcOpen { // finished, so both files are whole: only the name is missing
		return r, rename(graphName)
	}
	warc, err := openSource(warcName)
	if err != nil {
		return r, err
	}
	defer warc.close()
	graph, err := openSource(graphName)
	if err != nil {
		return r, err
	}
	defer graph.close()
	lines := &sorter{dir: w.work}
	defer lines.close()
	m, err := match(warc.source, graph.source, r.File, lines)
	if err != nil {
		return r, err
	}
	if graphName == "" && m.damaged {
		// The graph file is created before the first capture, so its loss is no crash.
		return r, fmt.Errorf("its graph file %s is missing: restore it, or move %s away", filepath.Join(w.graph, base+graphSuffix),
			warcName)
	}
	r.Captures, r.Missing, r.Removed = m.captures, warcName == "" && m.members > 0, m.captures == 0
	r.Cut, r.GraphCut = warc.size-m.end, graph.size-length(m.graph)
	r.Gaps = complement(m.warc, m.end)
	if m.damaged || len(r.Gaps) > 0 || r.Missing {
		if r.Saved, err = w.saveDamaged(base, warc, graph, m); err != nil {
			return r, fmt.Errorf("saving the damaged bytes: %w", err)
		}
	}
	if r.Removed {
		return r, errors.Join(remove(graphName), remove(warcName))
	}
	if err := w.mendFiles(&r, warc, graph, m); err != nil {
		return r, err
	}
	if runs, err := lines.flush(); err == nil { // without a part the index is made from the file
		_ = mergeTo(w.partName(r.File), w.work, partLine(m.end), runs)
	}
	if !graphOpen {
		return r, rename(warcName)
	}
	return r, publish(graphName, warcName)
}

// mendFiles takes out of both files what is not kept.
func (w *Writer) mendFiles(r *Recovery, warc, graph openFile, m matching) error {
	var err error
	if len(m.graph) == 1 && m.graph[0].Offset == 0 {
		err = errors.Join(graph.Truncate(m.graph[0].Length), graph.Sync())
	} else {
		err = rewrite(graph.File, graph.name, m.graph)
	}
	if err != nil {
		return err
	}
	why := "captures were damaged here"
	if len(r.Saved) > 0 {
		why += "; their bytes are in " + filepath.Base(r.Saved[0])
	}
	for _, gap := range r.Gaps {
		if err := fill(warc, gap, w.opts.Now().UTC().Format(dateFormat), why); err != nil {
			return err
		}
	}
	return errors.Join(warc.Truncate(m.end), warc.Sync())
}

// saveDamaged copies what of the two files is not kept to files of their own.
func (w *Writer) saveDamaged(base string, warc, graph openFile, m matching) (saved []string, err error) {
	for _, f := range []struct {
		openFile
		name string
		kept []Span
	}{{warc, filepath.Join(w.archive, base+warcSuffix), m.warc}, {graph, filepath.Join(w.graph, base+graphSuffix), m.graph}} {
		cut := complement(f.kept, f.size)
		if len(cut) == 0 {
			continue
		}
		name := damagedName(f.name)
		if err := errors.Join(save(f.r, name, cut), durable.SyncDir(filepath.Dir(name))); err != nil {
			return saved, err
		}
		saved = append(saved, name)
	}
	return saved, nil
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
	if err := s.open(); err != nil {
		return "", err
	}
	defer s.close()
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

// openFile is a file of a segment that is recovered; without a name, it is missing, and reads as empty.
type openFile struct {
	*os.File
	source
}

func openSource(name string) (openFile, error) {
	if name == "" {
		return openFile{source: source{r: strings.NewReader("")}}, nil
	}
	f, size, err := openSized(name)
	return openFile{f, source{name, f, size}}, err
}

func (f openFile) close() {
	if f.File != nil {
		_ = f.File.Close()
	}
}

// length is how many bytes spans have.
func length(spans []Span) (n int64) {
	for _, s := range spans {
		n += s.Length
	}
	return n
}

// remove removes a file, if there is one.
func remove(name string) error {
	if name == "" {
		return nil
	}
	return os.Remove(name)
}

// rename takes ".open" off a name.
func rename(name string) error {
	final := strings.TrimSuffix(name, openSuffix)
	if err := os.Rename(name, final); err != nil {
		return err
	}
	return durable.SyncDir(filepath.Dir(final))
}
