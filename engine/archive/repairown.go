package archive

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// leastRecord is shorter, in bytes, than any record that a Writer writes, and long enough for one that fills a gap.
const leastRecord = 264

// ownFile is a finished WARC file of a crawl, with what refers to it.
type ownFile struct {
	w     *Writer // it is not open, and knows the folders
	base  string
	graph string // the graph file; "" for the file that describes the others, which has none
}

// openOwn returns nil for a file that is not in the archive of a crawl, with a graph file if it has captures.
func openOwn(name string) *ownFile {
	path, err := filepath.Abs(name)
	base, isWARC := strings.CutSuffix(filepath.Base(path), warcSuffix)
	if err != nil || !isWARC || filepath.Base(filepath.Dir(path)) != archiveFolder {
		return nil
	}
	w := &Writer{folders: foldersOf(filepath.Dir(filepath.Dir(path)))}
	o := &ownFile{w, base, filepath.Join(w.graph, base+graphSuffix)}
	needed := []string{w.work, o.graph}
	if strings.HasSuffix(path, MetaSuffix) {
		needed, o.graph = needed[:1], ""
	}
	for _, name := range needed {
		if _, err := os.Stat(name); err != nil {
			return nil
		}
	}
	return o
}

// repair keeps each record where it is, as the graph and the crawl log name its place.
func (o *ownFile) repair(r *Repair, f *os.File, size int64) error {
	captures := map[string]bool{} // by the ids that members of the graph carry
	var err error
	r.Cut, r.Records, err = damage(r.File, f, size, func(rec *record) {
		if typ := rec.typ(); typ == "response" || typ == "revisit" || rec.standsAlone() {
			captures[rec.id()] = true
		}
	})
	if err != nil {
		return err
	}
	if len(r.Cut) > 0 {
		if err := r.save(f, r.File, r.Cut); err != nil {
			return err
		}
		if err := o.fill(r, f, size); err != nil {
			return err
		}
	}
	if o.graph != "" {
		if err := o.mendGraph(r, captures); err != nil {
			return fmt.Errorf("archive: repairing %s: %w", o.graph, full(err))
		}
	}
	// The part of the index may have the size of the file as it is, and other records.
	if err := os.Remove(o.w.partName(o.base + warcSuffix)); err != nil && !errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("archive: %w", err)
	}
	return o.w.index()
}

// fill puts records in the place of what is damaged. Between records of a Writer, what is shorter than a record was put in by somebody, and
// has moved what is behind it: it is taken out.
func (o *ownFile) fill(r *Repair, f *os.File, size int64) error {
	if slices.ContainsFunc(r.Cut, func(s Span) bool { return s.Length < leastRecord && s.Offset+s.Length < size }) {
		return r.takeOut(f, size)
	}
	date := time.Now().UTC().Format(dateFormat)
	for _, cut := range r.Cut {
		var err error
		if cut.Offset+cut.Length == size {
			err = f.Truncate(cut.Offset)
		} else {
			err = fill(f, cut, date, "records were damaged here")
		}
		if err != nil {
			return fmt.Errorf("archive: repairing %s: %w", r.File, full(err))
		}
	}
	if err := f.Sync(); err != nil {
		return fmt.Errorf("archive: repairing %s: %w", r.File, full(err))
	}
	return nil
}

// mendGraph takes out of the graph file what is damaged and what was stated by captures that are gone.
func (o *ownFile) mendGraph(r *Repair, captures map[string]bool) error {
	f, size, err := openSized(o.graph)
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }()
	var kept []Span
	s := newScanner(o.graph, f, 0, size)
	s.form, s.strict = formGzip, true
	if _, err := s.salvage(func() error {
		start := s.offset()
		id, err := s.graphMember()
		switch {
		case err != nil:
			return err
		case captures[id]:
			kept = append(kept, Span{start, s.offset() - start})
			delete(captures, id)
		default:
			r.GraphMembers++
		}
		return nil
	}); err != nil {
		return err
	}
	r.WithoutGraph = len(captures)
	kept = joined(kept)
	if length(kept) == size {
		return nil
	}
	if err := r.save(f, o.graph, complement(kept, size)); err != nil {
		return err
	}
	return rewrite(f, o.graph, kept)
}
