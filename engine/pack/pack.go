// Package pack makes one file of a crawl that archivists' tools open: WACZ 1.1.1, the Web Archive Collection Zipped format of the
// Webrecorder project.
//
//	archive/*.warc.gz          the WARC files, stored as they are
//	archive/awarc-permalinks-*.warc.gz  with --permalinks, generated pages for addresses that pages cite
//	archive/originals.warc.gz  what revisits refer to in earlier crawls, so that the file replays alone
//	indexes/index.cdx.gz, .idx the index, in blocks that can be read one by one
//	pages/pages.jsonl          the pages: address, time, title, text; of a large crawl only its seeds, since viewers read it whole
//	pages/extraPages.jsonl     of a large crawl all other pages; viewers that find it search the text of these only
//	graph/*.nq.gz              what was extracted, as RDF
//	kb/*.xml                   the knowledge base that it was extracted with, and what the crawl learned
//	logs/*.jsonl               what the crawl did, its report among them
//	datapackage.json           names all of these, with their sizes and digests
//	datapackage-digest.json    the digest of that
//
// The same crawl gives the same bytes. A file is written under another name, synced, and renamed.
package pack

import (
	"archive/zip"
	"bufio"
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/awarc/awarc/engine"
	"github.com/awarc/awarc/engine/archive"
	"github.com/awarc/awarc/engine/detect"
	"github.com/awarc/awarc/engine/durable"
	"github.com/awarc/awarc/kb"
)

// Options say what is packed.
type Options struct {
	Dirs        []string // folders of the crawl, which must not be running: one, or one for each node
	File        string   // to be made; one that is there is replaced
	Title       string
	Description string
	Software    string // that packs: name and version
	Seeds       []string
	Split       bool      // seeds are the pages, all others extra pages; otherwise all are pages
	Created     time.Time // when the crawl ended
	Detector    *detect.Detector
	Sources     []kb.Source // of the knowledge base
	Elsewhere   []string    // WARC files of other archives, in which payloads of revisits may be
	Permalinks  bool        // add generated records for addresses that archived pages cite
	// Noted receives unreadable records, Progress the current step, file and byte; both may be nil.
	Noted    func(text string)
	Progress func(what, file string, offset int64)
}

// Result says what is in the file.
type Result struct {
	File       string `json:"file"`
	Size       int64  `json:"size"`
	WARCs      int    `json:"warc_files"`
	Pages      int    `json:"pages"`
	ExtraPages int    `json:"extra_pages"`
	WithText   int    `json:"pages_with_text"` // of both
	Skipped    int    `json:"skipped"`         // records that could not be read
	Originals  int    `json:"originals"`       // records of other archives, to which revisits refer
	Elsewhere  int    `json:"elsewhere"`       // records whose payloads are in other archives that were not found: they do not replay
	// Permalinks counts the generated records, PermalinksCut the cited addresses beyond what is remembered.
	Permalinks    int `json:"permalinks,omitempty"`
	PermalinksCut int `json:"permalinks_cut,omitempty"`
}

// format is the version of WACZ.
const format = "1.1.1"

// originalsName is that of the WARC file with records of other archives.
const originalsName = "originals.warc.gz"

// resource is a file as datapackage.json names it.
type resource struct {
	Name  string `json:"name"`
	Path  string `json:"path"`
	Hash  string `json:"hash"`
	Bytes int64  `json:"bytes"`
}

// packer writes one file.
type packer struct {
	Options
	zip       *zip.Writer
	resources []resource
	result    Result
	seeds     map[string]bool // and where they redirect
	originals []archive.Place // of other archives, each once
	known     map[archive.Place]struct{}
	main      page       // where a viewer begins: the first seed that is a page, or the first page
	mu        sync.Mutex // guards what skip changes
}

// Run packs a crawl.
func Run(ctx context.Context, o Options) (*Result, error) {
	var warcs []string
	for _, dir := range o.Dirs {
		open, _ := filepath.Glob(filepath.Join(dir, "archive", "*.open")) // the pattern is well-formed
		if len(open) > 0 {
			return nil, fmt.Errorf("%s is not finished: stop the running crawl, or repair a killed one with awarc resume %s", open[0], dir)
		}
		of, _ := filepath.Glob(filepath.Join(dir, "archive", "*.warc.gz"))
		warcs = append(warcs, of...)
	}
	if len(warcs) == 0 {
		return nil, fmt.Errorf("%s holds no archive/*.warc.gz; expected the folder of a crawl", strings.Join(o.Dirs, ", "))
	}
	p := &packer{Options: o, result: Result{File: o.File, WARCs: len(warcs)}, seeds: map[string]bool{},
		known: map[archive.Place]struct{}{}}
	for _, seed := range o.Seeds {
		p.seeds[seed] = true
	}
	err := durable.WriteFile(o.File, 0o644, func(w io.Writer) error {
		p.zip = zip.NewWriter(w)
		return errors.Join(p.write(ctx, warcs), p.zip.Close())
	})
	if err == nil {
		err = durable.SyncDir(filepath.Dir(o.File))
	}
	if err != nil {
		return nil, fmt.Errorf("packing %s: %w", strings.Join(o.Dirs, ", "), err)
	}
	info, err := os.Stat(o.File)
	if err != nil {
		return nil, err
	}
	p.result.Size = info.Size()
	return &p.result, nil
}

func (p *packer) write(ctx context.Context, warcs []string) error {
	for _, name := range warcs {
		if err := p.copy(ctx, name, "archive/"+filepath.Base(name)); err != nil {
			return err
		}
	}
	if err := p.pages(ctx, warcs); err != nil {
		return err
	}
	if err := p.archives(ctx, warcs); err != nil {
		return err
	}
	if err := p.knowledge(ctx); err != nil {
		return err
	}
	return p.describe()
}

// archives packs what the archive needs of others, and the index of all.
func (p *packer) archives(ctx context.Context, warcs []string) error {
	var indexes []string
	for _, dir := range p.Dirs {
		index := filepath.Join(dir, "archive", "index.cdxj")
		if _, err := os.Stat(index); err != nil {
			return fmt.Errorf("%w; awarc resume %s creates it", err, dir)
		}
		indexes = append(indexes, index)
	}
	if p.Permalinks {
		index, done, err := p.permalinks(ctx, warcs)
		defer done()
		if err != nil {
			return err
		}
		indexes = append(indexes, index)
	}
	if len(p.originals) == 0 && len(indexes) == 1 {
		return p.index(indexes[0])
	}
	all := filepath.Join(filepath.Dir(p.File), durable.Temporary+filepath.Base(p.File)+".cdxj")
	defer func() { _ = os.Remove(all) }()
	gather := func(w io.Writer) error { return archive.Gather(ctx, w, originalsName, p.originals, indexes, all) }
	if len(p.originals) == 0 {
		if err := gather(io.Discard); err != nil {
			return err
		}
		return p.index(all)
	}
	if err := p.add("archive/"+originalsName, gather); err != nil {
		return err
	}
	p.result.Originals = len(p.originals)
	return p.index(all)
}

// original remembers a record of another archive that a revisit refers to.
func (p *packer) original(at archive.Place) {
	if _, known := p.known[at]; !known {
		p.known[at] = struct{}{}
		p.originals = append(p.originals, at)
	}
}

// knowledge packs what awarc has beside the archive.
func (p *packer) knowledge(ctx context.Context) error {
	for i, dir := range p.Dirs {
		graphs, _ := filepath.Glob(filepath.Join(dir, "graph", "*.nq.gz")) // the pattern is well-formed
		for _, name := range graphs {
			if err := p.copy(ctx, name, p.unused("graph/"+filepath.Base(name), i)); err != nil {
				return err
			}
		}
		logs, _ := filepath.Glob(filepath.Join(dir, "log", "*.jsonl"))
		for _, name := range logs {
			if info, err := os.Stat(name); err == nil && info.Size() == 0 {
				continue // validators take it for a broken table
			}
			if err := p.copy(ctx, name, p.unused("logs/"+filepath.Base(name), i)); err != nil {
				return err
			}
		}
	}
	if err := p.report(); err != nil {
		return err
	}
	for name, data := range kb.FileNames(p.Sources) {
		if err := p.add("kb/"+name, func(w io.Writer) error {
			_, err := w.Write(data)
			return err
		}); err != nil {
			return err
		}
	}
	return nil
}

// unused is a path for a file of a node: nodes have files of the same names.
func (p *packer) unused(to string, node int) string {
	if slices.ContainsFunc(p.resources, func(r resource) bool { return r.Path == to }) {
		name, ending, _ := strings.Cut(to, ".")
		return fmt.Sprintf("%s-%d.%s", name, node+1, ending)
	}
	return to
}

// report packs the report in a line, like the logs, of each node: of a file that is JSON, validators think that it is one of their own.
func (p *packer) report() error {
	var lines bytes.Buffer
	for _, dir := range p.Dirs {
		data, err := os.ReadFile(filepath.Join(dir, "report.json"))
		if err != nil {
			return err
		}
		if err := json.Compact(&lines, data); err != nil {
			return fmt.Errorf("%s: report.json: %w", dir, err)
		}
		lines.WriteByte('\n')
	}
	return p.add("logs/report.jsonl", func(w io.Writer) error {
		_, err := w.Write(lines.Bytes())
		return err
	})
}

// copy adds a file under a path.
func (p *packer) copy(ctx context.Context, name, to string) error {
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }() // it is read
	return p.add(to, func(w io.Writer) error {
		_, err := io.Copy(w, &canceled{ctx, &told{f, func(n int64) { p.tell(packing, name, n) }, 0}})
		return err
	})
}

// canceled ends reading when a context ends.
type canceled struct {
	ctx context.Context //nolint:containedctx // it is as short-lived as the copy
	r   io.Reader
}

func (c *canceled) Read(b []byte) (int, error) {
	if err := c.ctx.Err(); err != nil {
		return 0, err
	}
	return c.r.Read(b)
}

// told reads, and tells how far it is.
type told struct {
	r    io.Reader
	tell func(n int64)
	n    int64
}

func (t *told) Read(b []byte) (int, error) {
	n, err := t.r.Read(b)
	t.n += int64(n)
	t.tell(t.n)
	return n, err
}

// add writes a file, and remembers its size and digest. What is compressed already is stored, so that readers find its parts.
func (p *packer) add(name string, write func(io.Writer) error) error {
	method := zip.Deflate
	if strings.HasSuffix(name, ".gz") || strings.HasSuffix(name, ".idx") {
		method = zip.Store
	}
	w, err := p.zip.CreateHeader(&zip.FileHeader{Name: name, Method: method, Modified: p.Created.UTC()})
	if err != nil {
		return err
	}
	sum := sha256.New()
	n := &counter{}
	if err := write(io.MultiWriter(w, sum, n)); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	p.resources = append(p.resources, resource{resourceName(name), name, "sha256:" + hex.EncodeToString(sum.Sum(nil)), n.n})
	return nil
}

// resourceName is the name of a resource, in the characters that Data Package allows.
func resourceName(name string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' || strings.ContainsRune("-._", r) {
			return r
		}
		return '-'
	}, strings.ToLower(path.Base(name)))
}

type counter struct{ n int64 }

func (c *counter) Write(b []byte) (int, error) {
	c.n += int64(len(b))
	return len(b), nil
}

// The parts of the work, as they are told.
const (
	packing = "packing"
	listing = "listing pages"
)

func (p *packer) tell(what, file string, offset int64) {
	if p.Progress != nil {
		p.Progress(what, file, offset)
	}
}

// describe writes datapackage.json and its digest.
func (p *packer) describe() error {
	created := p.Created.UTC().Format(time.RFC3339)
	about := struct {
		Profile     string     `json:"profile"`
		Version     string     `json:"wacz_version"`
		Title       string     `json:"title"`
		Description string     `json:"description,omitempty"`
		Created     string     `json:"created"`
		Modified    string     `json:"modified"`
		Software    string     `json:"software"`
		MainURL     string     `json:"mainPageUrl,omitempty"`
		MainDate    string     `json:"mainPageDate,omitempty"`
		Resources   []resource `json:"resources"`
	}{"data-package", format, p.Title, p.Description, created, created, p.Software, p.main.URL, p.main.Time, p.resources}
	if err := p.addJSON("datapackage.json", about); err != nil {
		return err
	}
	own := p.resources[len(p.resources)-1]
	return p.addJSON("datapackage-digest.json", map[string]string{"path": own.Path, "hash": own.Hash})
}

func (p *packer) addJSON(name string, x any) error {
	return p.add(name, func(w io.Writer) error {
		e := json.NewEncoder(w)
		e.SetIndent("", "  ")
		return e.Encode(x)
	})
}

// page is a line of pages.jsonl.
type page struct {
	ID    string `json:"id"`
	URL   string `json:"url"`
	Time  string `json:"ts"`
	Title string `json:"title"`
	Text  string `json:"text,omitempty"`
	Seed  bool   `json:"seed,omitempty"`
	Type  string `json:"type,omitempty"` // of the software, with the level
}

// pages writes both lists of pages. Extra pages wait in a temporary file, since a file is written at a time.
func (p *packer) pages(ctx context.Context, warcs []string) error {
	extra, err := os.CreateTemp(filepath.Dir(p.File), durable.Temporary+"*")
	if err != nil {
		return err
	}
	defer func() { _ = errors.Join(extra.Close(), os.Remove(extra.Name())) }()
	buffered := bufio.NewWriter(extra)
	if err := p.add("pages/pages.jsonl", func(w io.Writer) error {
		return errors.Join(p.list(ctx, warcs, json.NewEncoder(w), json.NewEncoder(buffered)), buffered.Flush())
	}); err != nil {
		return err
	}
	if _, err := extra.Seek(0, io.SeekStart); err != nil || p.result.ExtraPages == 0 {
		return err
	}
	return p.add("pages/extraPages.jsonl", func(w io.Writer) error {
		if err := json.NewEncoder(w).Encode(heading{"json-pages-1.0", "extra-pages", "Extra Pages", true}); err != nil {
			return err
		}
		_, err := io.Copy(w, extra)
		return err
	})
}

// heading is the first line of a list of pages.
type heading struct {
	Format  string `json:"format"`
	ID      string `json:"id"`
	Title   string `json:"title"`
	HasText bool   `json:"hasText"`
}

// list reads the archive and writes a line for each page.
func (p *packer) list(ctx context.Context, warcs []string, pages, extra *json.Encoder) error {
	if err := pages.Encode(heading{"json-pages-1.0", "pages", "Pages", true}); err != nil {
		return err
	}
	type said struct{ title, text string }
	return engine.ReadArchive(ctx, warcs, engine.StoredOptions{
		Detector: p.Detector, Elsewhere: p.Elsewhere,
		Made: func(x *engine.Stored) {
			if x.Page.IsHTML {
				x.Note = said{x.Page.Title(), x.Page.Words()}
			}
			x.Page.Quads = nil
		},
		Each: func(x *engine.Stored) error {
			if x.Err != nil {
				p.skip(fmt.Sprintf("%s: record at byte %d: %s: %v", x.File, x.Offset, x.URL, x.Err))
			}
			switch {
			case x.Body.Place.File != "" && x.Body.Elsewhere:
				p.original(x.Body.Place)
			case x.Body.Elsewhere:
				p.result.Elsewhere++
			}
			if x.Page.Redirect != "" && p.seeds[x.URL] {
				p.seeds[x.Page.Redirect] = true
			}
			if !x.Page.IsHTML || x.Page.Status != http.StatusOK {
				return nil
			}
			s, _ := x.Note.(said)
			line := p.page(x, s.title, s.text)
			if p.tell(listing, x.File, x.Offset); p.Split && !line.Seed {
				p.result.ExtraPages++
				return extra.Encode(line)
			}
			p.result.Pages++
			return pages.Encode(line)
		},
		Bad: func(b *archive.BadRecord) {
			if !b.Read { // what is damaged and was read is packed as it is
				p.skip(fmt.Sprintf("%s: record at byte %d: %s", b.File, b.Offset, b.Reason))
			}
		},
	})
}

// page makes the line of a page.
func (p *packer) page(x *engine.Stored, title, text string) page {
	line := page{ID: strings.TrimPrefix(x.ID, "urn:uuid:"), URL: x.URL, Time: x.Time.UTC().Format(time.RFC3339),
		Title: cmp.Or(title, x.URL), Text: text, Seed: p.seeds[x.URL]}
	if text != "" {
		p.result.WithText++
	}
	if t := x.Page.Finding.Type; t != nil {
		line.Type = string(t.ID)
		if v := x.Page.Harvest.Level; v != nil {
			line.Type += "/" + string(v.ID)
		}
	}
	if p.main.URL == "" || line.Seed && !p.main.Seed {
		p.main = page{URL: line.URL, Time: line.Time, Seed: line.Seed}
	}
	return line
}

func (p *packer) skip(what string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.result.Skipped++
	if p.Noted != nil {
		p.Noted(what)
	}
}
