package engine

import (
	"fmt"
	"net/http"
	"net/url"
	"time"

	"golang.org/x/net/html"

	"github.com/awarc/awarc/engine/assess"
	"github.com/awarc/awarc/engine/detect"
	"github.com/awarc/awarc/engine/extract"
	"github.com/awarc/awarc/engine/parse"
	"github.com/awarc/awarc/engine/read/text"
	"github.com/awarc/awarc/kb"
	"github.com/awarc/awarc/yfilter"
)

// Answer is an HTML answer to inspect, as fetched or as read from a file. Every
// field but HTML may be zero.
type Answer struct {
	URL      *url.URL
	Status   int
	Header   http.Header
	HTML     []byte    // in UTF-8
	Charset  string    // that the page was in, by the name of the Encoding Standard
	Captured time.Time // for relative dates
}

// IsError reports whether the server answered with an error. Such a page has the objects that actions find, and no main text.
func (a *Answer) IsError() bool { return a.Status >= http.StatusBadRequest }

// Page is an answer with what awarc makes of it.
type Page struct {
	Doc     *html.Node // the virtual document; read-only
	URL     *url.URL
	Charset string // that the page was in; empty means UTF-8
	Finding detect.Finding
	Harvest extract.Harvest
	Text    text.Text // see [Page.ReadText]

	watched string       // main text of a page that waits for adaptation, where the crawl is a watch
	rest    extract.More // of the HTML behind the end of the document
	took    took
	awaited []string // contents of posts that wait for a draft
}

// Parse makes the virtual document of an answer. Scripts are not run, so what
// <noscript> holds is part of the page. Every page has one; of a page that is too big for
// a tree it is the beginning, see package parse.
func Parse(a Answer) *html.Node {
	doc, _ := document(a)
	return doc
}

// document is Parse, with how much of the page the document holds.
func document(a Answer) (*html.Node, parse.Tree) {
	t := parse.HTML(a.HTML)
	return yfilter.Document(t.Root, yfilter.Meta{Status: a.Status, Header: a.Header, URL: a.URL}), t
}

// Hints help detection.
type Hints struct {
	// Near is the type last seen under the page's path prefix, or empty.
	Near kb.TypeID
	// Force is the type that the page is taken to be of, or empty.
	Force kb.TypeID
	// Full keeps detection from stopping early, so that it lists all matches.
	Full bool
	// Around asks where the links stand on the page.
	Around bool
	// Places asks at which places the links of a page of an unknown application stand.
	Places bool
	// Actions leaves out what the reader adds to the results of actions, for tests of the actions.
	Actions bool
	// Rows reads the last date in each row of a list.
	Rows bool
}

// Inspect parses, detects and extracts one page: steps 4 to 6 in the life of a
// URL. A step that panics makes an error; the page is then as good as it could be read
// without the step: what it links to is always there.
func Inspect(d *detect.Detector, a Answer, h Hints) (Page, error) {
	if a.URL == nil {
		a.URL = &url.URL{Scheme: "http", Host: "localhost", Path: "/"}
	}
	start := time.Now()
	doc, t := document(a)
	p := Page{Doc: doc, URL: a.URL, Charset: a.Charset}
	cut := t.Cut || t.End < len(a.HTML)
	p.readRest(a.HTML[t.End:])
	a.HTML = nil // its memory is needed
	start = p.took.since(stepParse, start)
	err := safely("reading", func() {
		p.Finding = d.Page(doc, detect.Hints{
			Address: a.URL.Host + a.URL.Path, Near: d.Base().Type(h.Near), Force: d.Base().Type(h.Force), Full: h.Full,
		})
		start = p.took.since(stepDetect, start)
		p.Harvest = extract.Run(extract.Page{
			Doc: doc, URL: a.URL, Charset: a.Charset, Captured: a.Captured, Type: p.Finding.Type, Levels: p.Finding.Levels,
			Generic: !a.IsError(), Posts: !h.Actions, Around: h.Around, Places: h.Places, Rows: h.Rows,
		})
	})
	if err != nil {
		p.Finding, p.Harvest = detect.Finding{}, extract.Harvest{Links: extract.AllLinks(p.extracted())}
	}
	p.Harvest.Cut = p.Harvest.Cut || cut
	p.addRest()
	p.took.since(stepExtract, start)
	return p, err
}

// blind makes a page of an answer of which nothing but its links is asked.
func blind(a Answer, around bool) Page {
	start := time.Now()
	doc, t := document(a)
	p := Page{Doc: doc, URL: a.URL, Charset: a.Charset}
	p.readRest(a.HTML[t.End:])
	a.HTML = nil // its memory is needed
	start = p.took.since(stepParse, start)
	read := p.extracted()
	read.Around = around
	p.Harvest = extract.Run(read)
	p.addRest()
	p.took.since(stepExtract, start)
	return p
}

// extracted is the page as generic extraction takes it.
func (p *Page) extracted() extract.Page {
	return extract.Page{Doc: p.Doc, URL: p.URL, Charset: p.Charset}
}

// withoutDoc is the page without its document, which takes much memory.
func (p Page) withoutDoc() Page {
	p.Doc, p.rest = nil, extract.More{}
	return p
}

// requisites are what the page needs to be shown as it was, by itself or as a frame of another.
func (p *Page) requisites(frame bool) []extract.Link {
	read := p.extracted()
	read.Frame = frame
	links, cut := extract.Join(extract.Requisites(read), p.rest.Requisites)
	p.Harvest.Cut = p.Harvest.Cut || cut || p.rest.CutRequisites
	return links
}

// readRest reads what is behind the end of the page's document.
func (p *Page) readRest(text []byte) {
	if len(text) == 0 {
		return
	}
	p.rest = extract.ReadMore(p.extracted(), parse.Flat(text))
}

// addRest adds the links of what is behind the end of the page's document.
func (p *Page) addRest() {
	links, cut := extract.Join(p.Harvest.Links, p.rest.Links)
	p.Harvest.Links, p.rest.Links = links, nil
	p.Harvest.Cut = p.Harvest.Cut || cut || p.rest.CutLinks
}

// safely runs a step of reading a page, and makes an error of its panic.
func safely(step string, do func()) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("internal error %s the page (please report it): %v", step, p)
		}
	}()
	do()
	return nil
}

// PageText is the text by which a page is compared with a topic: the contents of its
// objects where the application is known, else all but its menus.
func PageText(d *detect.Detector, a Answer) (string, error) {
	p, err := Inspect(d, a, Hints{})
	if err != nil {
		return "", err
	}
	cut := assess.Cut(p.extracted(), p.Harvest.Objects)
	return cut.Text(), nil
}
