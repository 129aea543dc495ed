// Package permalinks resolves addresses that are not in an archive to archived pages that show the
// same object. For example, a forum links to a post as viewtopic.php?p=31, and the archive has the
// post on viewtopic.php?t=5.
//
// The evidence is in the archive, for any software:
//
//   - objects that a page shows under another address than its own
//   - links of a page to a numbered anchor on the same page
//   - short links that a page declares
//   - addresses that have the key of a page by the URL rules of the knowledge base
package permalinks

import (
	"context"
	"maps"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"time"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/awarc/awarc/engine"
	"github.com/awarc/awarc/engine/extract"
	"github.com/awarc/awarc/kb"
)

// most bounds the addresses that are remembered, each of some 200 bytes; arbitrary.
const most = 1_000_000

// Target is the page that shows the object of an address.
type Target struct {
	Page     string    // its address in the archive
	Fragment string    // anchor on it; empty for the whole page
	Time     time.Time // of its capture
}

// Map holds the targets of addresses that are not in the archive. Addresses have no fragments.
type Map struct {
	targets map[string]Target
	Cut     int // addresses beyond the bound, not in the map
}

// Target returns the target of an address; ok is false if the archive has none.
func (m *Map) Target(address string) (t Target, ok bool) {
	address, _, _ = strings.Cut(address, "#")
	t, ok = m.targets[address]
	return t, ok
}

// Addresses returns all addresses with a target, sorted.
func (m *Map) Addresses() []string { return slices.Sorted(maps.Keys(m.targets)) }

// reader collects the addresses on pages.
type reader struct {
	archived map[string]bool   // addresses of answers
	pages    map[string]Target // by key
	cited    map[string]Target // by key
	linked   map[string]string // address -> key, of all links
	cut      int
}

// Read reads the archive in WARC files. o has the detector and the archives that revisits refer to.
func Read(ctx context.Context, files []string, o engine.StoredOptions) (*Map, error) {
	r := &reader{archived: map[string]bool{}, pages: map[string]Target{}, cited: map[string]Target{}, linked: map[string]string{}}
	o.Made = func(x *engine.Stored) {
		if p := read(x); p != nil {
			x.Note = p
		}
		x.Page.Quads = nil
	}
	o.Each = func(x *engine.Stored) error {
		r.add(x)
		return nil
	}
	if err := engine.ReadArchive(ctx, files, o); err != nil {
		return nil, err
	}
	m := &Map{targets: map[string]Target{}, Cut: r.cut}
	for address, key := range r.linked {
		t, ok := r.cited[key]
		if !ok {
			t, ok = r.pages[key]
		}
		if ok && !r.archived[address] {
			m.targets[address] = t
		}
	}
	return m, nil
}

// add takes over what was found on a page.
func (r *reader) add(x *engine.Stored) {
	address, _, _ := strings.Cut(x.URL, "#")
	r.archived[address] = true
	p, ok := x.Note.(*page)
	if !ok {
		return
	}
	own := Target{Page: x.URL, Time: x.Time}
	keep(r.pages, p.key, own)
	for _, c := range p.cited {
		t := own
		t.Fragment = c.fragment
		keep(r.cited, c.key, t)
		r.link(c.address, c.key)
	}
	for _, l := range p.links {
		r.link(l.address, l.key)
	}
}

// keep keeps the first target: of an archive in order, the first capture.
func keep(all map[string]Target, key string, t Target) {
	if _, known := all[key]; !known {
		all[key] = t
	}
}

func (r *reader) link(address, key string) {
	switch _, known := r.linked[address]; {
	case known:
	case len(r.linked) >= most:
		r.cut++
	default:
		r.linked[address] = key
	}
}

// page is what one page says of addresses.
type page struct {
	key   string
	cited []citation // that the page shows
	links []citation // that it links to
}

// citation is an address without its fragment.
type citation struct{ address, key, fragment string }

// read collects the addresses of a page. It returns nil if the capture has no parsed HTML.
func read(x *engine.Stored) *page {
	if !x.Page.IsHTML || x.Page.Doc == nil {
		return nil
	}
	rules := new(kb.URLRules)
	if t := x.Page.Finding.Type; t != nil {
		rules = &t.URLs
	}
	p := &page{key: rules.Key(x.Page.URL)}
	cite := func(to *[]citation, raw, fragment string) {
		u, err := url.Parse(raw)
		if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host != x.Page.URL.Host {
			return
		}
		u.Fragment, u.RawFragment = "", ""
		*to = append(*to, citation{u.String(), rules.Key(u), fragment})
	}
	for _, o := range x.Page.Harvest.Objects {
		if address, fragment, _ := strings.Cut(o.ID, "#"); o.Value("content") != "" && shows(x) {
			cite(&p.cited, address, fragment)
		}
	}
	at := extract.Page{Doc: x.Page.Doc, URL: x.Page.URL, Charset: x.Page.Charset}
	places := places(at)
	for n := range at.Doc.Descendants() {
		href := attr(n, "href")
		switch {
		case href == "":
		case n.DataAtom == atom.Link && slices.Contains(strings.Fields(strings.ToLower(attr(n, "rel"))), "shortlink"):
			cite(&p.cited, at.Resolve(href), "")
		case n.DataAtom == atom.A:
			address, fragment, _ := strings.Cut(href, "#")
			if address != "" && places[fragment] && names(address, fragment) {
				cite(&p.cited, at.Resolve(address), fragment)
			}
		}
	}
	p.cited = slices.DeleteFunc(p.cited, func(c citation) bool { return c.key == p.key })
	for _, l := range extract.AllLinks(at) {
		cite(&p.links, l.URL, "")
	}
	return p
}

// shows reports whether the objects of a page are shown whole: lists show excerpts.
func shows(x *engine.Stored) bool {
	v := x.Page.Harvest.Level
	return v == nil || v.Kind == kb.Terminal
}

var (
	lastNumber = regexp.MustCompile(`\d+$`)
	anyNumber  = regexp.MustCompile(`\d+`)
)

// names reports whether an address names the number of a place, so that no other page has both.
func names(address, fragment string) bool {
	number := lastNumber.FindString(fragment)
	return number != "" && slices.Contains(anyNumber.FindAllString(address, -1), number)
}

// places are the names of the elements of a page that a fragment can lead to.
func places(p extract.Page) map[string]bool {
	all := map[string]bool{}
	for n := range p.Doc.Descendants() {
		for _, name := range []string{attr(n, "id"), attr(n, "name")} {
			if name != "" {
				all[name] = true
			}
		}
	}
	return all
}

func attr(n *html.Node, key string) string {
	if n.Type != html.ElementNode {
		return ""
	}
	for _, a := range n.Attr {
		if a.Key == key && a.Namespace == "" {
			return a.Val
		}
	}
	return ""
}
