package engine

import (
	"bytes"
	"fmt"
	"net/http"
	"net/url"
	"time"

	"golang.org/x/net/html"

	"github.com/awarc/awarc/engine/detect"
	"github.com/awarc/awarc/engine/extract"
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

// Page is an answer with what awarc makes of it.
type Page struct {
	Doc     *html.Node // the virtual document; read-only
	URL     *url.URL
	Charset string // that the page was in; empty means UTF-8
	Finding detect.Finding
	Harvest extract.Harvest
}

// Parse makes the virtual document of an answer. Scripts are not run, so what
// <noscript> holds is part of the page. It fails on markup that no browser would
// accept either, such as elements nested without end.
func Parse(a Answer) (*html.Node, error) {
	root, err := html.ParseWithOptions(bytes.NewReader(a.HTML), html.ParseOptionEnableScripting(false))
	if err != nil {
		return nil, fmt.Errorf("parsing HTML: %w", err)
	}
	return yfilter.Document(root, yfilter.Meta{Status: a.Status, Header: a.Header, URL: a.URL}), nil
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
}

// Inspect parses, detects and extracts one page: steps 3 to 6 in the life of a
// URL.
func Inspect(d *detect.Detector, a Answer, h Hints) (Page, error) {
	if a.URL == nil {
		a.URL = &url.URL{Scheme: "http", Host: "localhost", Path: "/"}
	}
	doc, err := Parse(a)
	if err != nil {
		return Page{}, err
	}
	p := Page{Doc: doc, URL: a.URL, Charset: a.Charset}
	p.Finding = d.Page(doc, detect.Hints{Address: a.URL.Host + a.URL.Path, Near: d.Base().Type(h.Near), Force: d.Base().Type(h.Force), Full: h.Full})
	p.Harvest = extract.Run(extract.Page{Doc: doc, URL: a.URL, Charset: a.Charset, Captured: a.Captured, Type: p.Finding.Type, Levels: p.Finding.Levels, Generic: true, Around: h.Around})
	return p, nil
}

// PageText is the text by which a page is compared with a topic: the contents of its
// objects where the application is known, else all but its menus.
func PageText(d *detect.Detector, a Answer) (string, error) {
	p, err := Inspect(d, a, Hints{})
	if err != nil {
		return "", err
	}
	cut := cutPage(&reading{page: p})
	return cut.text(), nil
}
