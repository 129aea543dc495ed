package archive

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"

	"github.com/awarc/awarc/engine/durable"
	"github.com/klauspost/compress/flate"
	"github.com/klauspost/compress/gzip"
)

// Writer writes the captures of a crawl. Its methods may be called from any number of goroutines.
type Writer struct {
	folders
	opts      Options
	recovered []Recovery
	lock      *os.File // keeps other processes out
	create    func(path string) (file, error)

	pools compressors

	indexMu   sync.Mutex // one index at a time; taken before mu
	indexed   bool       // the index has all captures up to indexedAt; guarded by indexMu
	indexedAt int64

	mu      sync.Mutex // guards what follows; held while a compressed capture is appended
	seg     *segment   // nil until the first capture and after a roll-over
	infoID  string     // of the warcinfo record of that segment or, when there is none, of the next one
	serial  int        // of the last file name
	files   int64      // bytes of the finished files
	written int64      // captures written by this Writer
	synced  int64      // of them on disk
	stale   []string   // runs of finished segments, which an index under way may still read
	broken  error      // why nothing can be written any more
	closed  bool

	references
}

// references are what captures may be revisits of.
type references struct {
	originals originals // of this archive
	others    others
}

// compressors are used again and again.
type compressors struct{ gzips, flates sync.Pool }

// folders are where the files of an archive are.
type folders struct{ archive, graph, work string }

func foldersOf(dir string) folders {
	return folders{filepath.Join(dir, archiveFolder), filepath.Join(dir, graphFolder), filepath.Join(dir, archiveFolder, workFolder)}
}

// Open opens the archive in a crawl directory, creating archive/ and graph/ in it when absent. Files that an earlier
// run left open are recovered first; Recovered lists the repairs. Only one process can have the archive open.
func Open(dir string, opts Options) (*Writer, error) {
	opts, err := opts.withDefaults()
	if err != nil {
		return nil, err
	}
	w := &Writer{
		folders: foldersOf(dir),
		opts:    opts,
		create:  createFile,
		infoID:  NewID(),

		references: references{originals: newOriginals()},
	}
	w.pools.gzips.New = func() any {
		zw, _ := gzip.NewWriterLevel(nil, compression) // the level is a valid one
		return zw
	}
	w.pools.flates.New = func() any {
		fw, _ := flate.NewWriter(nil, compression)
		return fw
	}
	for _, folder := range []string{w.archive, w.graph, w.work} {
		if err := os.MkdirAll(folder, 0o755); err != nil {
			return nil, fmt.Errorf("archive: %w", full(err))
		}
	}
	// The names of the folders must be on disk before a capture is acknowledged.
	if err := errors.Join(durable.SyncDir(w.archive), durable.SyncDir(dir)); err != nil {
		return nil, fmt.Errorf("archive: %w", full(err))
	}
	if w.lock, err = lockDir(w.archive); err != nil {
		return nil, err
	}
	if err := w.recover(); err != nil {
		_ = w.lock.Close()
		return nil, err
	}
	if !opts.NoRevisits {
		w.remember()
		if err := w.openOthers(); err != nil {
			w.others.close()
			_ = w.lock.Close()
			return nil, err
		}
	}
	return w, nil
}

// Recovered returns the repairs that Open made to files of an earlier run.
func (w *Writer) Recovered() []Recovery { return w.recovered }

// Bytes returns the size of all WARC files of the crawl, also of earlier runs.
func (w *Writer) Bytes() int64 {
	w.mu.Lock()
	defer w.mu.Unlock()
	n := w.files
	if w.seg != nil {
		n += w.seg.warcEnd
	}
	return n
}

// Write appends a capture: its response, request and metadata records to a WARC file, its quads to the graph file of
// the same name. Either all of it is there afterwards or, with an error, nothing. A capture is durable after the next
// Sync, not before.
func (w *Writer) Write(c Capture) (Location, error) {
	if err := c.check(); err != nil {
		return Location{}, err
	}
	c.Time = w.timeOf(&c)
	if err := w.refused(); err != nil {
		return Location{}, err // before the work, not only after it
	}
	if c.PayloadDigest == "" || c.BlockDigest == "" {
		block, payload, err := digestsOf(c.Response, c.Size)
		if err != nil {
			return Location{}, fmt.Errorf("archive: capture of %s: %w", c.URL, err)
		}
		c.BlockDigest, c.PayloadDigest = block, payload
	}
	c.BlockDigest, c.PayloadDigest = normalDigest(c.BlockDigest), normalDigest(c.PayloadDigest)
	head, err := readHTTPHead(newLines(io.NewSectionReader(c.Response, 0, c.Size)))
	if err != nil {
		return Location{}, fmt.Errorf("archive: capture of %s: %w", c.URL, err)
	}
	repeats := w.mayRepeat(&c, head)
	var of *original
	var unread error
	switch {
	case c.Unmodified != nil:
		of, head = c.Unmodified.original(), httpHead{}
	case repeats:
		done, err := w.claim(c.PayloadDigest)
		defer done()
		if err != nil {
			return Location{}, err
		}
		if of = w.original(&c, head); of == nil {
			of, unread = w.inOthers(&c, head)
		}
	}
	m, err := w.graphMember(c.ID, c.Quads)
	if err != nil {
		return Location{}, err
	}
	var lines []indexed
	if locate := c.Locate; of != nil && locate != nil {
		c.Locate = func(l Location) []byte { return locate(of.referred(l)) }
	}
	loc, err := w.put(&c, m, func(info string) (*group, error) {
		g, err := w.group(&c, head, of, info)
		if err == nil {
			lines = append([]indexed{{Span{0, g.response}, c.entry(g.typ.String(), g.digest, head)}}, g.further...)
		}
		return g, err
	}, func(loc Location) {
		for _, l := range lines {
			w.seg.lines.add(l.entry.at(loc.File, loc.Offset+l.Offset, l.Length))
		}
		if of == nil && repeats {
			w.originals.written(unsynced{w.written, w.originals.key(c.PayloadDigest), place{loc.File, loc.Offset}})
		}
	})
	loc.Unread = unread
	if err == nil && of != nil {
		loc = of.referred(loc)
	}
	return loc, err
}

// errOtherFile means that a group names the warcinfo record of a file that it does not go to.
var errOtherFile = errors.New("another file was started")

// put appends the group that make makes, which names the warcinfo record of its file, and a member of the graph file. Should another
// file be begun meanwhile, the group is made again. written is called with the lock, once it is there.
func (w *Writer) put(c *Capture, m *graphMember, make func(info string) (*group, error), written func(Location)) (Location, error) {
	for {
		w.mu.Lock()
		info := w.infoID
		w.mu.Unlock()
		g, err := make(info)
		if err != nil {
			return Location{}, err
		}
		w.mu.Lock()
		loc, err := w.append(c, g, m, info)
		if err == nil {
			w.written++
			written(loc)
		}
		w.mu.Unlock()
		g.close()
		if err == nil {
			return loc, nil
		}
		if err != errOtherFile { //nolint:errorlint // append returns it as it is
			return Location{}, fmt.Errorf("archive: capture of %s: %w", c.URL, full(err))
		}
	}
}

// append is the part of put that needs the lock.
func (w *Writer) append(c *Capture, g *group, m *graphMember, info string) (Location, error) {
	if err := w.state(); err != nil {
		return Location{}, err
	}
	if err := w.space(g.size + int64(m.buf.Len())); err != nil {
		return Location{}, err
	}
	if w.seg != nil && w.seg.captures > 0 && w.seg.warcEnd+g.size > w.opts.MaxSize {
		if err := w.finish(); err != nil {
			return Location{}, err
		}
	}
	if w.seg == nil {
		if err := w.start(); err != nil {
			return Location{}, err
		}
	}
	if info != w.infoID {
		return Location{}, errOtherFile
	}
	loc := Location{File: w.seg.base + warcSuffix, Offset: w.seg.warcEnd, Length: g.response, RecordID: c.ID}
	var tail []byte
	if c.Locate != nil {
		tail = c.Locate(loc)
	}
	restored, err := w.seg.append(g, m.seal(tail))
	if !restored {
		w.broken = err
	}
	return loc, err
}

// start begins the next segment, under a name that is not taken.
func (w *Writer) start() error {
	stamp := w.opts.Now().UTC().Format("20060102150405")
	for {
		w.serial++
		base := fmt.Sprintf("%s-%s-%05d", w.opts.Prefix, stamp, w.serial)
		if w.taken(base) {
			continue
		}
		seg, err := w.newSegment(base)
		if err != nil {
			return err
		}
		w.seg = seg
		return nil
	}
}

// taken reports whether a file of that base name is there, open or not, or where revisits may refer to.
func (w *Writer) taken(base string) bool {
	if w.others.has(base + warcSuffix) {
		return true
	}
	for _, name := range []string{filepath.Join(w.archive, base+warcSuffix), filepath.Join(w.graph, base+graphSuffix)} {
		for _, suffix := range []string{"", openSuffix} {
			if _, err := os.Lstat(name + suffix); err == nil {
				return true
			}
		}
	}
	return false
}

// finish ends the segment being written. When that fails the files are left to recovery and nothing is written any more.
func (w *Writer) finish() error {
	s := w.seg
	w.seg, w.infoID = nil, NewID()
	if s.captures == 0 { // its first capture found no room
		s.discard()
		return nil
	}
	if err := s.finish(); err != nil {
		w.broken = fmt.Errorf("finishing %s: %w", s.warc.Name(), err)
		return w.broken
	}
	w.files += s.warcEnd
	w.synced = w.written // finishing syncs, and earlier segments were finished
	w.originals.synced(w.synced)
	// Without a part the index is made from the WARC file, only later.
	if runs, err := s.lines.flush(); err == nil {
		_ = mergeTo(w.partName(s.base+warcSuffix), w.work, partLine(s.warcEnd), runs)
	}
	w.stale = append(w.stale, s.lines.runs...)
	return nil
}

// Rotate finishes the current files; the next capture begins new ones.
func (w *Writer) Rotate() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if err := w.state(); err != nil || w.seg == nil {
		return err
	}
	return w.finish()
}

// Sync puts on disk what was written before the call. It costs nothing when that is there already.
func (w *Writer) Sync() error {
	w.mu.Lock()
	seg, written, done := w.seg, w.written, w.synced == w.written
	err := w.state()
	w.mu.Unlock()
	if err != nil || done || seg == nil {
		return err
	}
	err = seg.sync()
	w.mu.Lock()
	defer w.mu.Unlock()
	if err != nil {
		// After a failed fsync the kernel may have dropped the pages: nothing that was written can be trusted.
		w.broken = fmt.Errorf("archive: syncing %s: %w", seg.warc.Name(), full(err))
	}
	if w.broken != nil { // also when the segment was finished meanwhile, and that failed
		return w.broken
	}
	w.synced = max(w.synced, written)
	w.originals.synced(w.synced)
	return nil
}

// Close finishes the files and writes the index. The Writer cannot be used afterwards. Close may be called again.
func (w *Writer) Close() error {
	w.indexMu.Lock()
	defer w.indexMu.Unlock()
	w.mu.Lock()
	if w.closed {
		w.mu.Unlock()
		return nil
	}
	w.closed = true
	err := w.broken
	if err == nil && w.seg != nil {
		err = w.finish()
	}
	if w.seg != nil {
		err = errors.Join(err, w.seg.graph.Close(), w.seg.warc.Close()) // broken: not finished, but let go
	}
	w.mu.Unlock()
	if err != nil {
		err = fmt.Errorf("archive: %w; open files are recovered when the crawl is resumed", full(err))
	}
	err = errors.Join(err, w.index())
	w.removeStale()
	w.others.close()
	return errors.Join(err, w.lock.Close())
}

// removeStale removes the runs of finished segments. The caller holds indexMu, so no index reads them.
func (w *Writer) removeStale() {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, name := range w.stale {
		_ = os.Remove(name)
	}
	w.stale = nil
}

// refused is state for a caller without the lock.
func (w *Writer) refused() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.state()
}

// state says why nothing can be written, if so.
func (w *Writer) state() error {
	switch {
	case w.closed:
		return ErrClosed
	case w.broken != nil:
		return fmt.Errorf("archive: not writing after an earlier error: %w", w.broken)
	}
	return nil
}

// space reports whether n more bytes fit.
func (w *Writer) space(n int64) error {
	free, err := FreeSpace(w.archive)
	if err != nil {
		return err
	}
	if free-n < w.opts.MinSpace {
		return fmt.Errorf("%w: %d bytes are free at %s; the capture needs %d, and --min-space keeps %d",
			ErrDiskFull, free, w.archive, n, w.opts.MinSpace)
	}
	return nil
}
