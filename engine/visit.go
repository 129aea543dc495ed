package engine

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/awarc/awarc/engine/archive"
	"github.com/awarc/awarc/engine/extract"
	"github.com/awarc/awarc/engine/fetch"
	"github.com/awarc/awarc/engine/graph"
	"github.com/awarc/awarc/frontier"
)

// errBrokenOff means that the crawl ended while an exchange was under way.
var errBrokenOff = errors.New("broken off")

// Exchanged is one HTTP exchange as the crawl log has it.
type Exchanged struct {
	Time      time.Time `json:"time"`
	URL       string    `json:"url"`
	Status    int       `json:"status"`
	Bytes     int64     `json:"bytes"`
	MIME      string    `json:"mime,omitempty"`
	Charset   string    `json:"charset,omitempty"`
	IP        string    `json:"ip,omitempty"`
	Duration  float64   `json:"duration_s"`
	Via       string    `json:"via,omitempty"`
	Hops      int       `json:"hops"`
	Try       int       `json:"try"`
	Expected  string    `json:"expected,omitempty"` // level that the link promised
	Type      string    `json:"type,omitempty"`
	Level     string    `json:"level,omitempty"`
	KB        string    `json:"kb,omitempty"` // hash of the knowledge base
	Objects   int       `json:"objects"`
	Links     int       `json:"links"`
	Missing   []string  `json:"missing,omitempty"` // required fields that were not found
	Truncated string    `json:"truncated,omitempty"`
	Record    string    `json:"record,omitempty"`
	File      string    `json:"file,omitempty"`
	Offset    int64     `json:"offset"`
	Revisit   string    `json:"revisit,omitempty"` // of that record, which has the payload
	Triples   int       `json:"triples"`
	Robots    bool      `json:"robots,omitempty"`  // a robots.txt, asked for before the URL
	Cut       bool      `json:"cut,omitempty"`     // the page asked for more work than a page may have
	Score     *float64  `json:"score,omitempty"`   // of the page, where there is scoring
	Plugins   []string  `json:"plugins,omitempty"` // that were asked: name, version and begin of the hash
	Adapted   []string  `json:"adapted,omitempty"` // learned entries that yielded, where what authors wrote did not
	Pending   bool      `json:"pending,omitempty"` // its objects wait until what was mended is confirmed
	Scope     string    `json:"scope,omitempty"`   // rule that ended the exchange, or kept the page's links from being followed
	Error     string    `json:"error,omitempty"`

	sent bool // a request went out although there is no answer
}

// visit takes one leased URL through the steps: fetch, read, archive, and says
// what follows. Its error is one that ends the crawl.
func (e *Engine) visit(ctx context.Context, lease frontier.Lease) (frontier.Outcome, *reading, error) {
	if refused := e.refused(lease); refused != nil {
		return *refused, nil, nil
	}
	if left := e.leftScope(lease); left != nil {
		return *left, nil, nil
	}
	if trapped := e.trapped(lease); trapped != nil {
		return *trapped, nil, nil
	}
	if known, err := e.certain(ctx, lease); known != nil || err != nil {
		return orZero(known), nil, err
	}
	if wait, err := e.robots(ctx, lease); wait != nil || err != nil {
		return orZero(wait), nil, err
	}
	ex, err := e.fetcher.Do(e.bounded(ctx, lease), lease.URL.URL, e.header(lease))
	if ex != nil {
		defer ex.Close()
	}
	if err := fatal(ctx, err); err != nil {
		return frontier.Outcome{}, nil, err
	}
	away, failure := e.widen(lease, ex)
	if failure != nil {
		return frontier.Outcome{}, nil, failure
	}
	r := e.readSafely(ctx, lease, ex)
	if r != nil {
		r.away = away
	}
	if r != nil && (r.brokenOff || r.judged != nil && r.judged.canceled && ctx.Err() != nil) {
		return frontier.Outcome{}, nil, errBrokenOff // the page was not read, or plugins could not have their say
	}
	seen := e.seen(lease, ex, err)
	if err := e.keep(&seen, lease, ex, r); err != nil {
		return frontier.Outcome{}, nil, err
	}
	out := e.outcome(lease, ex, err, r)
	e.count(&out, ex, r, seen)
	if ex != nil {
		e.learnWeights(&out, lease, r, ex.Status)
		r.pend(&out, lease, &seen, ex.Start)
	}
	e.tell(seen)
	return out, r, nil
}

func orZero(o *frontier.Outcome) frontier.Outcome {
	if o == nil {
		return frontier.Outcome{}
	}
	return *o
}

// fatal picks the errors of an exchange that end the crawl.
func fatal(ctx context.Context, err error) error {
	var fe *fetch.Error
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return errBrokenOff
	case errors.As(err, &fe) && fe.Kind == fetch.KindSpool && errors.Is(err, syscall.ENOSPC):
		return fmt.Errorf("%w: %w", archive.ErrDiskFull, err)
	case errors.As(err, &fe) && fe.Kind == fetch.KindSpool:
		return err
	}
	return nil
}

// header gives the request headers of a URL: where it was found, as browsers
// and Heritrix tell it.
func (e *Engine) header(lease frontier.Lease) http.Header {
	h := http.Header{}
	if lease.Via != "" {
		h.Set("Referer", lease.Via)
	}
	return h
}

// seen starts the log line of an exchange.
func (e *Engine) seen(lease frontier.Lease, ex *fetch.Exchange, err error) Exchanged {
	s := Exchanged{Time: e.options.Now().UTC(), URL: lease.URL.URL, Via: lease.Via, Hops: lease.Hops, Try: lease.Tries + 1, Expected: lease.Level}
	if err != nil {
		s.Error, s.sent = err.Error(), wasSent(err)
	}
	if ex != nil {
		s.Time, s.Status, s.Bytes, s.IP, s.Duration, s.Truncated = ex.Start.UTC(), ex.Status, ex.Size, ex.IP, ex.Duration.Seconds(), ex.Truncated
	}
	return s
}

// keep archives an exchange with what was read from it, and completes its log
// line. An exchange without any answer has nothing to keep.
func (e *Engine) keep(s *Exchanged, lease frontier.Lease, ex *fetch.Exchange, r *reading) error {
	if r != nil {
		r.describe(s)
	}
	if ex == nil || ex.Size == 0 {
		return nil
	}
	id := archive.NewID()
	c := archive.Capture{
		ID: id, URL: lease.URL.URL, Time: ex.Start, IP: bareIP(ex.IP), Request: ex.Request, Response: ex.Response, Size: ex.Size,
		PayloadDigest: ex.PayloadDigest, BlockDigest: ex.BlockDigest, Truncated: ex.Truncated, MIME: s.MIME, Status: ex.Status,
		Metadata: metadata(lease, ex, s, r),
	}
	if ex.HeaderSize == 0 {
		c.PayloadDigest = "" // what is no HTTP has no payload that could be told apart; the archive decides
	}
	quads, err := e.quads(id, ex, s, r)
	if err != nil {
		e.warn("the objects of a page cannot be written as RDF; the page is archived without them", "url", lease.URL.URL, "error", err.Error())
	}
	c.Quads = quads
	s.Triples = bytes.Count(quads, []byte("\n"))
	c.Locate = func(l archive.Location) []byte {
		where := graph.Locate(id, l.File, l.Offset, l.Length)
		s.Triples += bytes.Count(where, []byte("\n"))
		return where
	}
	loc, err := e.archiver.Write(c)
	if err != nil {
		return fmt.Errorf("archiving %s: %w", lease.URL.URL, err)
	}
	s.Record, s.File, s.Offset, s.Revisit = loc.RecordID, loc.File, loc.Offset, loc.RefersTo
	return nil
}

// bareIP cuts the port that an address may carry.
func bareIP(ip string) string { return strings.Trim(ip, "[]") }

// metadata is the content of a capture's metadata record.
func metadata(lease frontier.Lease, ex *fetch.Exchange, s *Exchanged, r *reading) []archive.Field {
	fields := []archive.Field{{Name: "fetchTimeMs", Value: fmt.Sprint(ex.Duration.Milliseconds())}, {Name: "hopsFromSeed", Value: fmt.Sprint(lease.Hops)}}
	add := func(name, value string) {
		if value != "" {
			fields = append(fields, archive.Field{Name: name, Value: value})
		}
	}
	add("via", lease.Via)
	add("charsetForLinkExtraction", s.Charset)
	add("certificateError", ex.CertificateError)
	add("awarc-protocol", ex.Protocol)
	add("awarc-authorization", ex.Authorization) // its field is left out of the request
	add("awarc-type", s.Type)
	add("awarc-level", s.Level)
	add("awarc-kb", s.KB)
	add("awarc-scope", s.Scope)
	if s.Score != nil {
		add("awarc-score", strconv.FormatFloat(*s.Score, 'f', 4, 64))
	}
	for _, p := range s.Plugins {
		add("awarc-plugin", p)
	}
	if r != nil {
		for _, p := range r.page.Finding.Patterns {
			add("awarc-pattern", p)
		}
		for _, l := range r.links {
			add("outlink", l.URL)
		}
	}
	return fields
}

func (e *Engine) quads(id string, ex *fetch.Exchange, s *Exchanged, r *reading) ([]byte, error) {
	c := e.graphCapture(id, ex.URL, ex.Start, s)
	c.Status, c.PayloadDigest = ex.Status, ex.PayloadDigest
	if r == nil {
		return encode(c, &extract.Harvest{})
	}
	quads, err := encode(c, &r.page.Harvest)
	return append(quads, e.encodeFound(c, r)...), err
}

// graphCapture is what the graph says of a page besides its objects.
func (e *Engine) graphCapture(id, url string, start time.Time, s *Exchanged) graph.Capture {
	return graph.Capture{ID: id, URL: url, Time: start, Type: s.Type, Level: s.Level, KBHash: s.KB, Crawl: e.options.CrawlID, Adapted: s.Adapted}
}

// encode writes a capture with the objects of a harvest as quads; without them
// where they cannot be written.
func encode(c graph.Capture, h *extract.Harvest) ([]byte, error) {
	var objects []graph.Object
	for _, o := range h.Objects {
		g := graph.Object{Class: o.Class, ID: o.ID, Parent: o.Parent, Rel: o.Rel}
		for _, f := range o.Fields {
			g.Fields = append(g.Fields, graph.Field{Name: f.Name, Values: f.Values, Kind: graph.Kind(f.As)})
		}
		objects = append(objects, g)
	}
	b, err := graph.Encode(c, objects)
	if err != nil && len(objects) > 0 {
		plain, plainErr := graph.Encode(c, nil)
		return plain, errors.Join(err, plainErr)
	}
	return b, err
}

func (e *Engine) tell(s Exchanged) {
	if e.events.Exchanged != nil {
		e.events.Exchanged(s)
	}
}
