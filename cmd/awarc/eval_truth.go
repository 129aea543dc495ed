package main

import (
	"fmt"
	"io"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/awarc/awarc/engine"
	"github.com/awarc/awarc/engine/detect"
	"github.com/awarc/awarc/engine/extract"
	"github.com/awarc/awarc/engine/fetch"
	"github.com/awarc/awarc/kb"
)

// How the truth about a page is known: what the whole knowledge base extracts, on
// pages where readers found that right, where it lacks nothing that it requires,
// or on the small pages beside the types.
const (
	truthRead    = "read"
	truthWhole   = "whole"
	truthExample = "example"
)

// truePage is a page with its objects and links known. Its document is parsed
// anew for each use: what is kept of hundreds of pages is small.
type truePage struct {
	file, site string
	typ        kb.TypeID
	answer     engine.Answer
	level      *kb.Level // of the whole knowledge base
	objects    []extract.Object
	links      []extract.Link
	how        string
}

// group is what confirms each other in a crawl: pages of one site and level.
func (p *truePage) group() string { return groupName(p.typ, p.site, p.level.ID) }

func groupName(typ kb.TypeID, site string, level kb.LevelID) string {
	return string(typ) + " " + site + " " + string(level)
}

// levels are the variants of the page's level in a knowledge base.
func (p *truePage) levels(d *detect.Detector) []*kb.Level {
	return d.Base().Type(p.typ).Level(p.level.ID)
}

// truths reads the pages whose objects are known to be right, of some types and of
// the groups that are wanted, in the order of the index.
func (c *evalAdaptationCmd) truths(whole *detect.Detector, types []kb.TypeID, wanted func(group string) bool) ([]*truePage, error) {
	q := &quality{cmd: &evalQualityCmd{Pages: c.Pages, Truth: c.Truth}, d: whole, wrong: io.Discard}
	index, err := q.cmd.index()
	if err != nil {
		return nil, err
	}
	if q.levels, err = q.cmd.corrections("truth/*.tsv"); err != nil {
		return nil, err
	}
	read, err := q.readRight(types)
	if err != nil {
		return nil, err
	}
	var pages []*truePage
	for _, p := range index {
		if !slices.Contains(types, kb.TypeID(p.cms)) {
			continue
		}
		if want, known := q.level(p); known {
			p.level = want
		}
		if parts := strings.SplitN(p.file, "/", 3); len(parts) < 3 || !wanted(groupName(kb.TypeID(p.cms), parts[1], kb.LevelID(p.level))) {
			continue
		}
		t, err := c.truth(whole, p, read[p.file])
		if err != nil {
			return nil, err
		}
		if t != nil {
			pages = append(pages, t)
		}
	}
	for _, id := range types {
		examples, err := exampleTruths(whole, whole.Base().Type(id))
		if err != nil {
			return nil, err
		}
		pages = append(pages, examples...)
	}
	return pages, nil
}

// readRight runs the hand-made truth about some types and lists the pages of
// which all is right.
func (q *quality) readRight(types []kb.TypeID) (map[string]bool, error) {
	files, err := goldenFiles(q.cmd.Truth)
	if err != nil {
		return nil, err
	}
	right := map[string]bool{}
	for _, g := range files {
		for _, p := range g.Pages {
			file := q.goldenPath(g, p)
			if cms, _, _ := strings.Cut(filepath.ToSlash(file), "/"); !slices.Contains(types, kb.TypeID(cms)) {
				continue
			}
			q.report.Objects = map[string]objectQuality{}
			if err := q.goldenPage(file, p); err != nil {
				return nil, err
			}
			for _, o := range q.report.Objects { // of the one page
				right[filepath.ToSlash(file)] = o.Right == o.Fields && o.CountExact == o.Pages
			}
		}
	}
	return right, nil
}

// truth reads one page; nil where its truth is not known.
func (c *evalAdaptationCmd) truth(whole *detect.Detector, p indexed, read bool) (*truePage, error) {
	parts := strings.SplitN(p.file, "/", 3)
	if len(parts) < 3 {
		return nil, nil
	}
	body, err := readFile(filepath.Join(c.Pages, filepath.FromSlash(p.file)))
	if os.IsNotExist(err) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	u, err := url.Parse(p.url)
	if err != nil || u.Host == "" {
		u = savedURL(parts[1], parts[2])
	}
	how := truthWhole
	if read {
		how = truthRead
	}
	t := &truePage{file: p.file, site: parts[1], typ: kb.TypeID(p.cms), answer: engine.Answer{URL: u, HTML: fetch.DecodeHTML(body, "").HTML}, how: how}
	if !t.take(whole) || p.level != string(t.level.ID) {
		return nil, nil
	}
	return t, nil
}

// savedURL is the address of a page of which only the file is known: names that
// wget made of addresses are read back.
func savedURL(site, file string) *url.URL {
	file = strings.TrimSuffix(file, ".html")
	name, query, found := strings.Cut(file, "?")
	if !found {
		name, query, _ = strings.Cut(file, "@")
	}
	return &url.URL{Scheme: "http", Host: site, Path: "/" + name, RawQuery: query}
}

// take keeps what the whole knowledge base makes of the page; it is false where
// that is not all there is.
func (t *truePage) take(whole *detect.Detector) bool {
	p, err := engine.Inspect(whole, t.answer, engine.Hints{Full: true})
	h := p.Harvest
	if err != nil || h.Level == nil || h.Cut || p.Finding.Type.ID != t.typ || len(h.Misses) > 0 && t.how == truthWhole {
		return false
	}
	t.level, t.objects, t.links = h.Level, h.Objects, h.Links
	if h.Level.Kind == kb.Intermediate {
		return len(h.Links) > 0
	}
	return slices.ContainsFunc(h.Objects, func(o extract.Object) bool { return o.Value("content") != "" || o.Class == "sioc:UserAccount" })
}

// exampleTruths reads the pages beside a type; those of one version are a site.
func exampleTruths(whole *detect.Detector, typ *kb.Type) ([]*truePage, error) {
	var pages []*truePage
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
		t := &truePage{file: x.Page, site: site, typ: typ.ID, answer: engine.Answer{URL: u, HTML: fetch.DecodeHTML(body, "").HTML}, how: truthExample}
		if t.take(whole) {
			pages = append(pages, t)
		}
	}
	return pages, nil
}
