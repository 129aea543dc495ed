// Package reextract reads an archive again, awarc's own or another program's, with another knowledge base, and writes a new graph beside
// the old one. It makes no request, and the archive is not changed.
//
// The graph has a file for each WARC file, and in it a gzip member for each answer, as that of a crawl has. The graphs of pages have the
// same names as before, the ids of their response records, so that both can be compared. One more file describes the
// extraction as an activity, and the crawl.
package reextract

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"hash/maphash"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/awarc/awarc/engine"
	"github.com/awarc/awarc/engine/archive"
	"github.com/awarc/awarc/engine/detect"
	"github.com/awarc/awarc/engine/durable"
	"github.com/awarc/awarc/engine/graph"
	"github.com/awarc/awarc/plugins"
	"github.com/klauspost/compress/gzip"
)

// Options say how an archive is read again.
type Options struct {
	// Out is the folder of the new graph, which must not be there.
	Out string
	// Detector reads the pages.
	Detector *detect.Detector
	// CrawlID is the urn:uuid of the crawl that made the archive, or empty.
	CrawlID string
	// Crawl and Activity are what the graph says of the crawl, if it is known, and of this extraction, whose times and id
	// are set here.
	Crawl    graph.Crawl
	Activity graph.Session
	// AsWritten says that what cannot be right is stated too: see [engine.StoredOptions].
	AsWritten bool
	// Workers is how many pages are read at once; 0 means one for each processor.
	Workers int
	// Plugins are asked what they find on each page, if there are any.
	Plugins *plugins.Set
	// Elsewhere are WARC files of other archives, to which revisits may refer.
	Elsewhere []string
	// Noted receives unreadable records, with file and offset, unless it is nil. Progress receives the byte and file
	// of the reading, repeatedly. Both are called one at a time.
	Noted    func(text string)
	Progress func(file string, offset int64)
}

// Result counts what was read.
type Result struct {
	Files   int            `json:"files"`
	Answers int            `json:"answers"` // responses, and revisits with the body of their originals
	Pages   int            `json:"pages"`   // of HTML, answered with success
	Skipped int            `json:"skipped"` // records that are damaged, and answers that cannot be read
	Damaged int            `json:"damaged"` // records that are damaged, and were read all the same
	Unusual map[string]int `json:"unusual"` // records that deviate from the standard and were read, by what is unusual
	Other   map[string]int `json:"other"`   // records that hold no answer, by type
	Types   map[string]int `json:"types"`
	Levels  map[string]int `json:"levels"`
	Objects map[string]int `json:"objects"` // each once, by its class, however many pages show it
	Missing map[string]int `json:"missing"` // required fields that no action found
	Triples int            `json:"triples"`
	Graph   string         `json:"graph"`
}

// run is a reading of an archive.
type run struct {
	Options
	mu     sync.Mutex // guards what follows
	result Result
	seed   maphash.Seed
	seen   map[uint64]struct{} // objects
}

// Files lists the WARC files of an archive: of a crawl's folder, of a folder of WARC or WACZ files, of a WACZ file, or itself.
func Files(name string) ([]string, error) {
	info, err := os.Stat(name)
	if err != nil {
		return nil, err
	}
	if !info.IsDir() {
		return archive.Unfold(name), nil
	}
	of := filepath.Join(name, "archive")
	open, _ := filepath.Glob(filepath.Join(of, "*.open")) // the pattern is well-formed
	if info, err := os.Stat(of); err == nil && info.IsDir() {
		if files, err := archive.Below(of); err != nil || len(files) > 0 {
			return archive.Unfold(files...), err
		}
	}
	if len(open) > 0 {
		return nil, fmt.Errorf("%s is not finished: stop the running crawl, or repair a killed one with awarc resume %s", open[0], name)
	}
	files, err := archive.Below(name)
	if err == nil && len(files) == 0 {
		err = fmt.Errorf("%s: no *.warc, *.warc.gz, *.warc.zst or *.wacz file found", name)
	}
	return archive.Unfold(files...), err
}

// Folder is that in which an archive is: of a crawl, or of its WARC or WACZ files.
func Folder(name string) string {
	if info, err := os.Stat(name); err != nil || !info.IsDir() {
		name = filepath.Dir(name)
	}
	if filepath.Base(name) == "archive" {
		return filepath.Dir(name)
	}
	return name
}

// Run reads WARC files and writes the graph. What cannot be read costs nothing else. Before the graph is whole it is in a folder of
// another name, which the next run removes.
func Run(ctx context.Context, files []string, o Options) (*Result, error) {
	r := &run{Options: o, seed: maphash.MakeSeed(), seen: map[uint64]struct{}{}, result: Result{Files: len(files), Graph: o.Out,
		Types: map[string]int{}, Levels: map[string]int{}, Unusual: map[string]int{}, Other: map[string]int{},
		Objects: map[string]int{}, Missing: map[string]int{}}}
	if _, err := os.Stat(o.Out); err == nil {
		return nil, fmt.Errorf("%s exists already; name another folder", o.Out)
	}
	work := filepath.Join(filepath.Dir(o.Out), durable.Temporary+filepath.Base(o.Out))
	if err := os.RemoveAll(work); err != nil {
		return nil, err
	}
	if err := os.MkdirAll(work, 0o755); err != nil {
		return nil, err
	}
	err := r.read(ctx, files, work)
	if err == nil {
		err = errors.Join(durable.SyncDir(work), os.Rename(work, o.Out), durable.SyncDir(filepath.Dir(o.Out)))
	}
	if err != nil {
		return nil, errors.Join(err, os.RemoveAll(work))
	}
	return &r.result, nil
}

// read reads all files and writes the graph.
func (r *run) read(ctx context.Context, files []string, work string) error {
	out := &graphFile{dir: work, made: map[string]bool{}}
	r.Activity.ID, r.Activity.Crawl, r.Activity.Started = archive.NewID(), r.CrawlID, time.Now()
	err := engine.ReadArchive(ctx, files, engine.StoredOptions{
		Detector: r.Detector, CrawlID: r.CrawlID, Workers: r.Workers, Elsewhere: r.Elsewhere, AsWritten: r.AsWritten,
		Made: func(x *engine.Stored) {
			if r.Plugins != nil {
				r.found(ctx, x)
			}
			x.Page.Quads = member(x.Page.Quads)
		},
		Each: func(x *engine.Stored) error {
			r.count(x)
			return out.add(x.File, x.Page.Quads)
		},
		Bad:     r.bad,
		Unusual: r.unusual,
		Other: func(kind string) {
			r.mu.Lock()
			defer r.mu.Unlock()
			r.result.Other[kind]++
		},
	})
	if err = errors.Join(err, out.close()); err != nil {
		return err
	}
	return r.describe(out)
}

// describe writes who read the archive, when and with what, in a file of its own.
func (r *run) describe(out *graphFile) error {
	r.Activity.Ended = time.Now()
	quads := graph.EncodeSession(r.Activity)
	if r.CrawlID != "" {
		r.Crawl.ID = r.CrawlID
		quads = append(quads, graph.EncodeCrawl(r.Crawl)...)
	}
	r.result.Triples += bytes.Count(quads, []byte{'\n'})
	return errors.Join(out.add("crawl", member(quads)), out.close())
}

// bad counts a record that is damaged, and names it.
func (r *run) bad(b *archive.BadRecord) {
	text := fmt.Sprintf("%s: %s: %s", b.File, b.Place(), b.Reason)
	if !b.Read {
		r.skip(text)
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.result.Damaged++
	r.note("damaged, but read: " + text)
}

// unusual counts an unusual record, and names the first of each kind: all of a file tend to be alike.
func (r *run) unusual(b *archive.BadRecord) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.result.Unusual[string(b.Kind)]++; r.result.Unusual[string(b.Kind)] == 1 {
		r.note(fmt.Sprintf("unusual, but read: %s: %s: %s", b.File, b.Place(), b.Reason))
	}
}

// note names something; the caller holds the lock.
func (r *run) note(text string) {
	if r.Noted != nil {
		r.Noted(text)
	}
}

// found adds what plugins find on a page.
func (r *run) found(ctx context.Context, x *engine.Stored) {
	quads, err := x.Found(ctx, r.Plugins)
	if err != nil {
		r.skip(fmt.Sprintf("%s: record at byte %d: %s: %v", x.File, x.Offset, x.URL, err))
	}
	x.Page.Quads = append(x.Page.Quads, quads...)
	x.Page.Triples += bytes.Count(quads, []byte{'\n'})
}

// skip counts what cannot be read, and says so.
func (r *run) skip(what string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.result.Skipped++
	r.note(what)
}

// count takes an answer over into the result.
func (r *run) count(x *engine.Stored) {
	if err := errors.Join(x.Err, x.Body.Missing); err != nil {
		r.skip(fmt.Sprintf("%s: record at byte %d: %s: %v", x.File, x.Offset, x.URL, err))
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	s := &r.result
	s.Answers++
	s.Triples += x.Page.Triples
	if r.Progress != nil {
		r.Progress(x.File, x.Offset)
	}
	if !x.Page.IsHTML {
		return
	}
	s.Pages++
	if t := x.Page.Finding.Type; t != nil {
		s.Types[string(t.ID)]++
		if v := x.Page.Harvest.Level; v != nil {
			s.Levels[string(t.ID)+"/"+string(v.ID)]++
		}
	}
	for _, o := range x.Page.Harvest.All() {
		key := maphash.String(r.seed, o.Class+" "+o.ID)
		if _, known := r.seen[key]; !known {
			r.seen[key] = struct{}{}
			s.Objects[o.Class]++
		}
	}
	for _, m := range x.Page.Harvest.Misses {
		s.Missing[m.Object+"."+m.Field]++
	}
}

// graphFile is the file of a graph that is being written.
type graphFile struct {
	dir  string
	of   string // the WARC file
	file *os.File
	out  *bufio.Writer
	made map[string]bool // files that were begun
}

// add appends quads, compressed, to the file of its WARC file.
func (g *graphFile) add(warc string, quads []byte) error {
	if g.of != warc {
		if err := g.close(); err != nil {
			return err
		}
		name := archive.TrimWARCName(filepath.Base(warc)) + ".nq.gz"
		flag := os.O_CREATE | os.O_EXCL
		if g.made[name] {
			flag = os.O_APPEND // of a revisit whose original came later, or of a file of the same name in another folder
		}
		f, err := os.OpenFile(filepath.Join(g.dir, name), flag|os.O_WRONLY, 0o644)
		if err != nil {
			return err
		}
		g.made[name] = true
		g.of, g.file, g.out = warc, f, bufio.NewWriter(f)
	}
	_, err := g.out.Write(quads)
	return err
}

// close ends the file that is open, if there is one.
func (g *graphFile) close() error {
	if g.file == nil {
		return nil
	}
	err := errors.Join(g.out.Flush(), g.file.Sync(), g.file.Close())
	g.file = nil
	return err
}

// compressors are kept for their tables, which are larger than most pages.
var compressors = sync.Pool{New: func() any { return gzip.NewWriter(nil) }}

// member is a gzip member of the quads.
func member(quads []byte) []byte {
	zw, _ := compressors.Get().(*gzip.Writer)
	defer compressors.Put(zw)
	var b bytes.Buffer
	zw.Reset(&b)
	_, _ = zw.Write(quads) // a buffer does not fail
	_ = zw.Close()
	return b.Bytes()
}
