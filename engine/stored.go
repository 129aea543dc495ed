package engine

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/awarc/awarc/engine/archive"
	"github.com/awarc/awarc/engine/detect"
	"github.com/awarc/awarc/engine/fetch"
	"github.com/awarc/awarc/engine/graph"
)

// StoredPage is what an archived answer holds, as a crawl would have read it.
type StoredPage struct {
	Page
	Status int
	MIME   string
	IsHTML bool   // and answered with success, so that it was read
	Quads  []byte // what the graph says of the capture and its objects
}

// ReadStored reads an archived answer with a detector, without its neighbours: what a crawl knew of pages near it, and what it was still
// learning, does not count. crawlID is the urn:uuid of the crawl that made it, or empty. The error tells why the answer cannot be read;
// what could be is returned with it.
func ReadStored(ctx context.Context, d *detect.Detector, a *archive.Answer, crawlID string) (p StoredPage, err error) {
	defer func() {
		if x := recover(); x != nil {
			err = fmt.Errorf("a step panicked, which is an error of awarc: %v", x)
		}
	}()
	p.URL = parseURL(a.URL)
	c := graph.Capture{ID: a.ID, URL: a.URL, Time: a.Time, PayloadDigest: a.PayloadDigest, WARCFile: filepath.Base(a.File),
		WARCOffset: a.Offset, WARCLength: a.Length, Crawl: crawlID}
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
	if ex.Status/100 != 2 || p.MIME != "text/html" && p.MIME != "application/xhtml+xml" || a.MissingBody {
		return p.describe(c, nil)
	}
	release, err := makeRoom(ctx, ex)
	if err != nil {
		return p, err
	}
	defer release()
	text, err := ex.HTML()
	if err != nil {
		return p.describe(c, err)
	}
	p.IsHTML = true
	page := Answer{URL: p.URL, Status: ex.Status, Header: ex.Header, HTML: text.HTML, Charset: text.Charset, Captured: a.Time}
	p.Page, err = Inspect(d, page, Hints{})
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

// StoredMost is the length in bytes of the longest block that is read of an archive.
const StoredMost = 2 * fetch.MaxPage

// describe makes the quads of a page.
func (p StoredPage) describe(c graph.Capture, why error) (StoredPage, error) {
	if !strings.HasPrefix(c.ID, "urn:uuid:") {
		c.ID = archive.NameID(c.ID)
	}
	var err error
	p.Quads, err = encode(c, &p.Harvest)
	if why == nil {
		why = err
	}
	return p, why
}
