package engine

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"golang.org/x/sync/errgroup"

	"github.com/awarc/awarc/engine/adapt"
	"github.com/awarc/awarc/engine/archive"
	"github.com/awarc/awarc/engine/assess"
	"github.com/awarc/awarc/engine/detect"
	"github.com/awarc/awarc/engine/extract"
	"github.com/awarc/awarc/engine/fetch"
	"github.com/awarc/awarc/engine/graph"
	"github.com/awarc/awarc/frontier"
	"github.com/awarc/awarc/kb"
	"github.com/awarc/awarc/plugins"
)

// StoredPage is what an archived answer holds, as a crawl would have read it.
type StoredPage struct {
	Page
	Status int
	MIME   string
	// Redirect is the absolute target of a redirect; "" of other answers.
	Redirect string
	IsHTML   bool // and answered with success, so that it was read
	// Quads is what the graph says of the capture and its objects, in so many statements.
	Quads   []byte
	Triples int
}

// ReadStored reads an archived answer with a detector, without its neighbours: what a crawl knew of pages near it, and what it was still
// learning, does not count. crawlID is the urn:uuid of the crawl that made it, or empty. An unreadable answer is an error;
// its readable part is returned too.
func ReadStored(ctx context.Context, d *detect.Detector, a *archive.Answer, crawlID string) (p StoredPage, err error) {
	return readStored(ctx, a, StoredOptions{Detector: d, CrawlID: crawlID})
}

func readStored(ctx context.Context, a *archive.Answer, o StoredOptions) (p StoredPage, err error) {
	d, crawlID := o.Detector, o.CrawlID
	defer func() {
		if x := recover(); x != nil {
			err = fmt.Errorf("internal error (please report it): %v", x)
		}
	}()
	p.URL = parseURL(a.URL)
	c := graph.Capture{ID: a.ID, URL: a.URL, Time: a.Time, PayloadDigest: a.PayloadDigest, WARCFile: filepath.Base(a.File),
		WARCOffset: a.Offset, WARCLength: a.Length, Crawl: crawlID}
	p.Quads = graph.SameBody(c.ID, a.Body.Original, filepath.Base(a.Body.Place.File), a.Body.Place.Offset)
	if a.Block == nil {
		err = fmt.Errorf("the record is longer than %d bytes", StoredMost)
		return p.describe(c, err)
	}
	if !a.HTTP {
		return p.describe(c, nil)
	}
	ex, err := fetch.Stored(a.URL, a.Block, a.Time)
	if err != nil {
		return p.describe(c, err)
	}
	defer func() { _ = ex.Close() }() // it is in memory
	c.Status, p.Status, p.MIME = ex.Status, ex.Status, ex.MediaType()
	if a.Body.NotModified {
		c.Status, c.Revises, ex.Start = http.StatusNotModified, a.Body.Original, a.Body.Since
	}
	if to := ex.Redirect(); to != "" {
		p.Redirect = extract.Resolve(p.URL, to)
	}
	if ex.Status/100 != 2 || p.MIME != "text/html" && p.MIME != "application/xhtml+xml" || a.Body.Missing != nil || a.Method != "" {
		return p.describe(c, nil)
	}
	release, err := makeRoom(ctx, ex)
	if err != nil {
		return p, err
	}
	defer release()
	if a.Rendered != nil {
		if ex, err = fetch.Stored(a.URL, renderedBlock(ex.Header, a.Rendered), ex.Start); err != nil {
			return p.describe(c, err)
		}
	}
	text, err := ex.HTML()
	if err != nil {
		return p.describe(c, err)
	}
	p.IsHTML = true
	page := Answer{URL: p.URL, Status: ex.Status, Header: ex.Header, HTML: text.HTML, Charset: text.Charset, Captured: ex.Start}
	p.Page, err = Inspect(d, page, Hints{})
	if !o.AsWritten {
		p.Harvest = adapt.Silenced(p.Harvest)
	}
	err = errors.Join(err, safely("finding the text of", p.ReadText))
	if t := p.Finding.Type; t != nil {
		c.Type, c.KBHash = string(t.ID), d.Base().Hash
	}
	if v := p.Harvest.Level; v != nil {
		c.Level = string(v.ID)
	}
	for _, x := range p.Harvest.Learned {
		c.Adapted = append(c.Adapted, describeEntry(x))
	}
	return p.describe(c, err)
}

// Title is that of the page's title element.
func (p *StoredPage) Title() string { return extract.Title(p.Doc) }

// Words are the title and the text of the page: the contents of its objects, else its main text.
func (p *Page) Words() string {
	if p.Text.Text != "" {
		return extract.Title(p.Doc) + "\n" + p.Text.Text
	}
	cut := assess.Cut(p.extracted(), p.Harvest.Objects)
	return cut.Text()
}

// A Reference is how an archived answer names a URL.
type Reference string

// How an answer names a URL.
const (
	NoReference       Reference = ""
	LinkReference     Reference = "links to it"
	RedirectReference Reference = "redirects to it"
	NeededReference   Reference = "embeds it"
)

// RefersTo returns how the answer names a URL, whether the crawl follows it or not.
func (x *Stored) RefersTo(u *url.URL) Reference {
	p := &x.Page
	rules := new(kb.URLRules)
	if t := p.Finding.Type; t != nil {
		rules = &t.URLs
	}
	key := rules.Key(u)
	is := func(l extract.Link) bool { return rules.Key(parseURL(l.URL)) == key }
	switch {
	case p.Redirect != "" && rules.Key(parseURL(p.Redirect)) == key:
		return RedirectReference
	case p.IsHTML && p.Doc != nil:
		if slices.ContainsFunc(extract.AllLinks(p.extracted()), is) {
			return LinkReference
		}
		if slices.ContainsFunc(p.requisites(false), is) {
			return NeededReference
		}
	case p.Status/100 == 2 && slices.ContainsFunc(x.loads(), is):
		return NeededReference
	}
	return NoReference
}

// loads returns what an answer that is no page needs itself, such as a style sheet its images.
func (x *Stored) loads() []extract.Link {
	of := loading(leased{Lease: frontier.Lease{URL: frontier.URL{Level: LevelRequisite}}, at: x.Page.URL}, x.Page.MIME)
	if of == nil || !x.HTTP || x.Block == nil {
		return nil
	}
	ex, err := fetch.Stored(x.URL, x.Block, x.Time)
	if err != nil {
		return nil
	}
	defer func() { _ = ex.Close() }() // it is in memory
	text, err := ex.HTML()
	if err != nil {
		return nil
	}
	return of(text.HTML)
}

// assessed is the page as plugins see it.
func (p *StoredPage) assessed(from *archive.Answer) assess.Page {
	page := assess.Page{Page: p.extracted(), Objects: p.Harvest.Objects, Status: p.Status, MIME: p.MIME}
	page.Captured = from.Time
	page.HTML = func() string {
		ex, err := fetch.Stored(from.URL, from.Block, from.Time)
		if err != nil {
			return ""
		}
		defer func() { _ = ex.Close() }() // it is in memory
		body, err := ex.Body(fetch.MaxPage)
		if err != nil {
			return ""
		}
		return string(body)
	}
	return page
}

// Try asks plugins what they say of the page and of the links that a crawl would follow from it.
func (p *StoredPage) Try(ctx context.Context, set *plugins.Set, from *archive.Answer) *assess.Trial {
	page := p.assessed(from)
	page.Around = true
	followed := map[string]bool{}
	for _, l := range p.Harvest.Links {
		followed[l.URL] = true
	}
	var links []assess.Link
	for _, l := range extract.AllLinks(page.Page) {
		if followed[l.URL] {
			links = append(links, assess.Link{Found: l, At: parseURL(l.URL)})
		}
	}
	return assess.Try(ctx, set, &page, links)
}

// Stored is an answer of an archive with its page.
type Stored struct {
	*archive.Answer
	Page StoredPage
	Err  error // why it could not be read, or not in all steps
	Note any   // what Made leaves for Each
	done chan struct{}
}

// Found returns the results of extractor plugins on a page, as quads of its graph; the error names the failed ones. It needs what Made
// has of the page.
func (x *Stored) Found(ctx context.Context, set *plugins.Set) (quads []byte, err error) {
	if !x.Page.IsHTML || x.Page.Doc == nil {
		return nil, nil
	}
	page := x.Page.assessed(x.Answer)
	c := graph.Capture{ID: x.ID, URL: x.URL}
	if !strings.HasPrefix(c.ID, "urn:uuid:") {
		c.ID = archive.NameID(c.ID)
	}
	a := assess.Extract(ctx, set, &page)
	for name, calls := range a.Calls {
		for kind := range calls.Kinds {
			err = errors.Join(err, fmt.Errorf("plugin %s: %s", name, kind))
		}
	}
	for _, found := range a.Found {
		written, failed := graph.EncodeFound(c, found)
		quads, err = append(quads, written.Quads...), errors.Join(err, failed)
	}
	return quads, err
}

// StoredOptions say how an archive is read.
type StoredOptions struct {
	Detector *detect.Detector
	CrawlID  string // urn:uuid of the crawl that made the archive, or empty
	Workers  int    // pages that are read at once; 0 means one for each processor
	// AsWritten says that what cannot be right is stated too, as in a crawl that does not adapt.
	AsWritten bool
	// Elsewhere are WARC files of other archives, to which revisits may refer.
	Elsewhere []string
	// Each is called for the answers in their order, one at a time; Made before it, by several goroutines at once, as soon as a page
	// is read: what needs its document, which Each does not find any more. Made may be nil.
	Made func(*Stored)
	Each func(*Stored) error
	// Bad, Unusual and Other are as in archive.Reading.
	Bad, Unusual func(*archive.BadRecord)
	Other        func(kind string)
}

// ReadArchive reads the answers in WARC files, pages side by side, with a bounded number in memory. It ends with an error of Each, of
// reading a file, or with that of ctx.
func ReadArchive(ctx context.Context, files []string, o StoredOptions) error {
	if o.Workers == 0 {
		o.Workers = runtime.GOMAXPROCS(0)
	}
	group, ctx := errgroup.WithContext(ctx)
	todo, inOrder := make(chan *Stored), make(chan *Stored, 2*o.Workers)
	group.Go(func() error {
		defer close(todo)
		defer close(inOrder)
		return archive.Answers(archive.Reading{Files: files, Elsewhere: o.Elsewhere, Most: StoredMost, Bad: o.Bad, Unusual: o.Unusual,
			Other: o.Other, Each: func(a *archive.Answer) error {
				x := &Stored{Answer: a, done: make(chan struct{})}
				for _, to := range []chan *Stored{inOrder, todo} {
					select {
					case to <- x:
					case <-ctx.Done():
						return ctx.Err()
					}
				}
				return nil
			}})
	})
	for range o.Workers {
		group.Go(func() error {
			for x := range todo {
				x.Page, x.Err = readStored(ctx, x.Answer, o)
				if o.Made != nil {
					o.Made(x)
				}
				x.Block, x.Page.Page = nil, x.Page.withoutDoc()
				close(x.done)
			}
			return nil
		})
	}
	group.Go(func() error {
		for x := range inOrder {
			select {
			case <-x.done:
			case <-ctx.Done():
				return ctx.Err()
			}
			if err := errors.Join(ctx.Err(), o.Each(x)); err != nil {
				return err
			}
		}
		return nil
	})
	return group.Wait()
}

// StoredMost is the length in bytes of the longest block that is read of an archive.
const StoredMost = 2 * fetch.MaxPage

// describe makes the quads of a page.
func (p StoredPage) describe(c graph.Capture, why error) (StoredPage, error) {
	if !strings.HasPrefix(c.ID, "urn:uuid:") {
		c.ID = archive.NameID(c.ID)
	}
	quads, err := encode(c, &p.Page)
	p.Quads = append(quads, p.Quads...)
	if p.Triples = bytes.Count(p.Quads, []byte{'\n'}); why == nil {
		why = err
	}
	return p, why
}
