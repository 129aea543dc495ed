// Package truth reads saved pages with known objects and links.
package truth

import (
	"fmt"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/awarc/awarc/cmd/internal/eval/corpus"
	"github.com/awarc/awarc/cmd/internal/eval/quality"
	"github.com/awarc/awarc/engine"
	"github.com/awarc/awarc/engine/detect"
	"github.com/awarc/awarc/engine/extract"
	"github.com/awarc/awarc/engine/fetch"
	"github.com/awarc/awarc/kb"
)

// Sources of the truth about a page. The truth is the result of the whole knowledge base, on pages
// where readers confirmed it (ByReaders), where no required field is missing (Complete), or on the
// examples of the types (Example).
const (
	ByReaders = "read"
	Complete  = "whole"
	Example   = "example"
)

// Page is a page with known objects and links. Each use parses its document again, to save memory
// for hundreds of pages.
type Page struct {
	Dir        string // folder of saved pages; empty for an example
	File, Site string // the file in the folder
	Type       kb.TypeID
	Answer     engine.Answer
	Level      *kb.Level // of the whole knowledge base
	Objects    []extract.Object
	Links      []extract.Link
	How        string
}

// Group returns the group of a page: in a crawl, pages of one site and level confirm each other.
func (p *Page) Group() string { return groupName(p.Type, p.Site, p.Level.ID) }

func groupName(typ kb.TypeID, site string, level kb.LevelID) string {
	return string(typ) + " " + site + " " + string(level)
}

// Levels returns the variants of the page's level in a knowledge base.
func (p *Page) Levels(d *detect.Detector) []*kb.Level {
	return d.Base().Type(p.Type).Level(p.Level.ID)
}

// Source has the folders of pages and of the notes on them.
type Source struct {
	Whole *detect.Detector // of the whole knowledge base
	Pages string           // folder of saved pages with an index.tsv
	Truth string           // folder with the notes of readers on the pages
	More  []string         // further folders of pages
}

// Read reads the pages with known objects, of the given types and the wanted groups, in the order
// of the index.
func (s Source) Read(types []kb.TypeID, wanted func(group string) bool) ([]*Page, error) {
	levels, err := corpus.ReadNotes(s.Truth, "truth/*.tsv")
	if err != nil {
		return nil, err
	}
	read, err := quality.Right(s.Whole, quality.Options{Pages: s.Pages, Truth: s.Truth}, types)
	if err != nil {
		return nil, err
	}
	var pages []*Page
	for _, dir := range append([]string{s.Pages}, s.More...) {
		saved, err := s.saved(dir, types, wanted, levels, read)
		if err != nil {
			return nil, err
		}
		pages = append(pages, saved...)
	}
	for _, id := range types {
		examples, err := Examples(s.Whole, s.Whole.Base().Type(id))
		if err != nil {
			return nil, err
		}
		pages = append(pages, examples...)
	}
	return pages, nil
}

// saved reads the pages of a folder.
func (s Source) saved(dir string, types []kb.TypeID, wanted func(string) bool, levels corpus.Notes, read map[string]bool) ([]*Page, error) {
	index, err := corpus.Index(dir)
	if err != nil {
		return nil, err
	}
	var pages []*Page
	for _, p := range index {
		if !slices.Contains(types, kb.TypeID(p.CMS)) {
			continue
		}
		if want, known := levels.Level(p); known {
			p.Level = want
		}
		parts := strings.SplitN(p.File, "/", 3)
		if len(parts) < 3 || !wanted(groupName(kb.TypeID(p.CMS), parts[1], kb.LevelID(p.Level))) {
			continue
		}
		t, err := s.page(dir, p, dir == s.Pages && read[p.File])
		if err != nil {
			return nil, err
		}
		if t != nil {
			pages = append(pages, t)
		}
	}
	return pages, nil
}

// page reads one page; it returns nil if the truth is unknown.
func (s Source) page(dir string, p corpus.Page, read bool) (*Page, error) {
	parts := strings.SplitN(p.File, "/", 3)
	if len(parts) < 3 {
		return nil, nil
	}
	body, err := corpus.ReadFile(filepath.Join(dir, filepath.FromSlash(p.File)))
	if os.IsNotExist(err) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	u, err := url.Parse(p.URL)
	if err != nil || u.Host == "" {
		u = savedURL(parts[1], parts[2])
	}
	how := Complete
	if read {
		how = ByReaders
	}
	t := &Page{Dir: dir, File: p.File, Site: parts[1], Type: kb.TypeID(p.CMS),
		Answer: engine.Answer{URL: u, HTML: fetch.DecodeHTML(body, "").HTML}, How: how}
	if !t.take(s.Whole) || p.Level != string(t.Level.ID) {
		return nil, nil
	}
	return t, nil
}

// savedURL returns the address of a page from its file name, in the form that wget writes.
func savedURL(site, file string) *url.URL {
	file = strings.TrimSuffix(file, ".html")
	name, query, found := strings.Cut(file, "?")
	if !found {
		name, query, _ = strings.Cut(file, "@")
	}
	return &url.URL{Scheme: "http", Host: site, Path: "/" + name, RawQuery: query}
}

// take stores the result of the whole knowledge base for the page, and reports whether it is
// complete.
func (t *Page) take(whole *detect.Detector) bool {
	p, err := engine.Inspect(whole, t.Answer, engine.Hints{Full: true})
	h := p.Harvest
	if err != nil || h.Level == nil || h.Cut || p.Finding.Type.ID != t.Type || len(h.Misses) > 0 && t.How == Complete {
		return false
	}
	t.Level, t.Objects, t.Links = h.Level, h.Objects, h.Links
	if h.Level.Kind == kb.Intermediate {
		return len(h.Links) > 0
	}
	return slices.ContainsFunc(h.Objects, func(o extract.Object) bool { return o.Value("content") != "" || o.Class == "sioc:UserAccount" })
}

// Examples reads the example pages of a type; the pages of one version count as a site.
func Examples(whole *detect.Detector, typ *kb.Type) ([]*Page, error) {
	var pages []*Page
	for i := range typ.Examples {
		x := &typ.Examples[i]
		body, err := x.Read()
		if err != nil {
			return nil, fmt.Errorf("%s: %w", x.Pos, err)
		}
		name := strings.TrimSuffix(path.Base(x.Page), ".html")
		site := "example"
		if version := strings.SplitN(name, "-", 3); len(version) == 3 {
			site += "-" + version[1]
		}
		u, err := url.Parse(x.URL)
		if err != nil || u.Host == "" {
			u = savedURL(site+".example", name)
		}
		t := &Page{File: x.Page, Site: site, Type: typ.ID,
			Answer: engine.Answer{URL: u, HTML: fetch.DecodeHTML(body, "").HTML}, How: Example}
		if t.take(whole) {
			pages = append(pages, t)
		}
	}
	return pages, nil
}
