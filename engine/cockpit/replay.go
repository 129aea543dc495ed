package cockpit

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"golang.org/x/net/html"

	"github.com/awarc/awarc/engine"
	"github.com/awarc/awarc/engine/archive"
	"github.com/awarc/awarc/engine/crawl"
	"github.com/awarc/awarc/engine/diff"
	"github.com/awarc/awarc/engine/fetch"
	"github.com/awarc/awarc/engine/parse"
	"github.com/awarc/awarc/engine/replay"
)

// replayPolicy is that of what was archived: nothing in it runs, it belongs to no origin, and it asks for nothing but what is archived.
const replayPolicy = "sandbox; default-src 'none'; img-src 'self' data:; style-src 'self' 'unsafe-inline'; font-src 'self' data:; " +
	"media-src 'self'; frame-src 'self'; form-action 'none'; base-uri 'none'; frame-ancestors 'self'"

// Bounds of replay.
const (
	longestReplayed = 64 << 20 // bytes of an answer
	mostCaptures    = 200      // listed of a URL
	stampForm       = "20060102150405"
)

// replayKey is what an address of archived pages of a crawl begins with: a frame of them, which has no cookies, is given it, and nobody
// else knows it.
func (c *Cockpit) replayKey(crawl string) string { return c.sign("replay", crawl) }

// captures are those of a URL, the last first: of the index, and of the end of the log where there is no index yet.
func captures(folders crawl.Folders, address string) (all []archive.Found, err error) {
	for _, dir := range folders.Dirs {
		found, err := archive.Find(dir, address)
		if err != nil {
			return nil, err
		}
		all = append(all, found...)
	}
	exact := slices.DeleteFunc(slices.Clone(all), func(f archive.Found) bool { return f.URL != address })
	if len(exact) > 0 {
		all = exact
	}
	if len(all) == 0 {
		found, err := folders.ExchangesOf(address, func(e *engine.Exchanged) bool { return e.Record != "" && e.Method == "" })
		if err != nil {
			return nil, err
		}
		for _, e := range found {
			all = append(all, archive.Found{URL: e.URL, Time: e.Time, Status: e.Status, MIME: e.MIME, File: e.File, Offset: e.Offset})
		}
	}
	slices.SortStableFunc(all, func(a, b archive.Found) int { return b.Time.Compare(a.Time) })
	return all[:min(len(all), mostCaptures)], nil
}

// nearest is the capture that is nearest to a time.
func nearest(all []archive.Found, at time.Time) archive.Found {
	return slices.MinFunc(all, func(a, b archive.Found) int {
		return cmp.Compare(a.Time.Sub(at).Abs(), b.Time.Sub(at).Abs())
	})
}

// replayAddress is where a frame has the capture of a URL that is nearest to a time.
func (c *Cockpit) replayAddress(name, stamp, address string) string {
	return "/replay/" + c.replayKey(name) + "/" + url.PathEscape(name) + "/" + stamp + "/" + url.PathEscape(address)
}

// replayView is the page around the frame of a capture.
type replayView struct {
	URL, Fault    string
	Captures      []archive.Found
	At, With      string // times of what is shown, and of what it is compared with
	Frame, Frame2 string
	Diff          []diff.Piece // of their texts, the earlier first
	Same          bool         // their texts are
	DiffFault     string
	Last          []engine.Exchanged // pages to choose from, where none is named
}

func (c *Cockpit) replay(w http.ResponseWriter, r *http.Request) {
	name := r.PathValue("name")
	v := replayView{URL: r.FormValue("url"), With: r.FormValue("with")}
	if v.URL == "" {
		v.Last = c.lastPages(r.Context(), name)
	} else {
		var err error
		if v.Captures, err = captures(c.folders(r.Context(), name), v.URL); err != nil {
			v.Fault = err.Error()
		} else if len(v.Captures) == 0 {
			folders := c.folders(r.Context(), name)
			if t, ok := c.cited.target(r.Context(), c, name, folders, v.URL); ok {
				at := t.Time.UTC().Format(stampForm)
				http.Redirect(w, r, r.URL.Path+"?"+url.Values{"url": {t.Page}, "at": {at}}.Encode(), http.StatusFound)
				return
			}
			v.Fault = textNotArchived
		}
	}
	if len(v.Captures) > 0 {
		v.At = cmp.Or(r.FormValue("at"), v.Captures[0].Time.UTC().Format(stampForm))
		v.Frame = c.replayAddress(name, v.At, v.URL)
		if v.With != "" {
			v.Frame2 = c.replayAddress(name, v.With, v.URL)
			if err := c.compare(r.Context(), name, &v); err != nil {
				v.DiffFault = err.Error()
			}
		}
	}
	c.show(w, r, "replay", v)
}

// pagesOffered is how many archived pages are offered where an address is asked for.
const pagesOffered = 20

// lastPages are the pages that were archived last.
func (c *Cockpit) lastPages(ctx context.Context, name string) []engine.Exchanged {
	all, _ := c.folders(ctx, name).Exchanges(pagesOffered, func(e *engine.Exchanged) bool { // there may be no log yet
		return e.Record != "" && e.Status == http.StatusOK && e.MIME == "text/html"
	})
	return all
}

// compare tells what changed in the text of a page between two captures.
func (c *Cockpit) compare(ctx context.Context, name string, v *replayView) error {
	d, err := c.detector(c.Crawls.Folder(name))
	if err != nil {
		return err
	}
	var times []time.Time
	for _, stamp := range []string{v.At, v.With} {
		at, err := time.Parse(stampForm, stamp)
		if err != nil {
			return err
		}
		times = append(times, at)
	}
	slices.SortFunc(times, time.Time.Compare)
	var texts []string
	folders := c.folders(ctx, name)
	for _, at := range times {
		found := nearest(v.Captures, at)
		p, err := folders.ReadPage(ctx, d,
			&engine.Exchanged{URL: found.URL, File: found.File, Offset: found.Offset, Record: "-"})
		if p == nil {
			return err
		}
		texts = append(texts, p.Words())
	}
	v.Same = texts[0] == texts[1]
	v.Diff = diff.Around(diff.Words(texts[0], texts[1]))
	return nil
}

// replayed serves a capture to a frame.
func (c *Cockpit) replayed(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("Content-Security-Policy", replayPolicy)
	h.Set("Cross-Origin-Resource-Policy", "cross-origin") // a page without an origin asks; who does not know the key gets nothing
	h.Del("Cross-Origin-Opener-Policy")
	name, address := r.PathValue("crawl"), r.PathValue("url")
	at, err := time.Parse(stampForm, r.PathValue("timestamp"))
	if err != nil || c.Crawls.Folder(name) == "" || !c.isSigned("replay", name, r.PathValue("key")) {
		http.Error(w, textNotArchived, http.StatusNotFound)
		return
	}
	folders := c.folders(r.Context(), name)
	all, err := captures(folders, address)
	if err == nil && len(all) == 0 {
		if t, ok := c.cited.target(r.Context(), c, name, folders, address); ok {
			to := c.replayAddress(name, t.Time.UTC().Format(stampForm), t.Page)
			if t.Fragment != "" {
				to += "#" + url.PathEscape(t.Fragment)
			}
			h.Set("Location", to)
			w.WriteHeader(http.StatusFound)
			return
		}
		err = errors.New(textNotArchived)
	}
	if err == nil {
		err = c.serveCapture(r.Context(), w, folders, name, nearest(all, at), address)
	}
	if err != nil {
		http.Error(w, address+": "+err.Error(), http.StatusNotFound)
	}
}

// serveCapture sends what a browser may be shown of a capture.
func (c *Cockpit) serveCapture(ctx context.Context, w http.ResponseWriter, folders crawl.Folders, name string, at archive.Found,
	address string) error {
	ex, err := readCapture(ctx, folders, at)
	if err != nil {
		return err
	}
	defer ex.Close()
	base, err := url.Parse(at.URL)
	if err != nil {
		return err
	}
	stamp := at.Time.UTC().Format(stampForm)
	o := replay.Options{Base: base, Link: func(u *url.URL, _ bool) string { return c.replayAddress(name, stamp, u.String()) }}
	if to := ex.Redirect(); to != "" && ex.Status >= 300 && ex.Status < 400 {
		if u, err := base.Parse(to); err == nil && u.String() != address {
			w.Header().Set("Location", o.Link(u, true))
			w.WriteHeader(http.StatusFound)
			return nil
		}
	}
	kind := ex.MediaType()
	switch {
	case strings.Contains(kind, "html"):
		text, err := ex.HTML()
		if err != nil {
			return err
		}
		return sendPage(w, replay.Page(parse.HTML(text.HTML).Root, o))
	case kind == "text/css":
		body, err := ex.Body(longestReplayed)
		if err != nil {
			return err
		}
		w.Header().Set("Content-Type", cmp.Or(ex.Header.Get("Content-Type"), kind))
		_, err = w.Write(replay.Style(body, o))
		return errors.Join(err, ctx.Err())
	}
	body, err := ex.Body(longestReplayed)
	if err != nil {
		return err
	}
	switch prefix, _, _ := strings.Cut(kind, "/"); {
	case prefix == "image", prefix == "font", prefix == "audio", prefix == "video", strings.HasPrefix(kind, "application/font"):
	case prefix == "text", kind == "application/json":
		kind = "text/plain; charset=utf-8"
	default:
		kind = "application/octet-stream"
	}
	w.Header().Set("Content-Type", kind)
	_, _ = w.Write(body)
	return nil
}

// sendPage sends a page that was made safe.
func sendPage(w http.ResponseWriter, page *html.Node) error {
	var out bytes.Buffer
	if err := html.Render(&out, page); err != nil {
		return err
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	_, _ = io.Copy(w, &out)
	return nil
}

// readCapture reads an archived answer.
func readCapture(ctx context.Context, folders crawl.Folders, at archive.Found) (*fetch.Exchange, error) {
	answer, err := folders.Answer(ctx, at.File, at.Offset, longestReplayed)
	if err != nil {
		return nil, err
	}
	if answer.Block == nil || answer.URL != at.URL {
		return nil, fmt.Errorf("%s", textNotArchived)
	}
	return fetch.Stored(answer.URL, answer.Block, answer.Time)
}
