package engine

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/awarc/awarc/engine/archive"
	"github.com/awarc/awarc/engine/extract"
	"github.com/awarc/awarc/engine/fetch"
	"github.com/awarc/awarc/engine/graph"
	"github.com/awarc/awarc/engine/score"
	"github.com/awarc/awarc/frontier"
)

// errBrokenOff means that the crawl ended while an exchange was under way.
var errBrokenOff = errors.New("broken off")

// Exchanged is one HTTP exchange as the crawl log has it: a field for each column, in their order.
type Exchanged struct {
	Time      time.Time `json:"time"`
	URL       string    `json:"url"`
	Method    string    `json:"method,omitempty"` // if not GET
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
	Revisit   string    `json:"revisit,omitempty"`   // of that record, which has the payload
	Elsewhere bool      `json:"elsewhere,omitempty"` // that record is in another archive
	Triples   int       `json:"triples"`
	Robots    bool      `json:"robots,omitempty"`   // a robots.txt, requested before the URL
	Cut       bool      `json:"cut,omitempty"`      // the page used up its work limit
	CutBy     string    `json:"cut_by,omitempty"`   // expression that took most of it, with its place and share
	Rendered  bool      `json:"rendered,omitempty"` // a browser ran the page's scripts
	Steps     []string  `json:"steps,omitempty"`    // that it took by the knowledge base, and on how many elements
	Score     *float64  `json:"score,omitempty"`    // of the page, where there is scoring
	Plugins   []string  `json:"plugins,omitempty"`  // that were asked: name, version and begin of the hash
	Adapted   []string  `json:"adapted,omitempty"`  // learned entries that yielded, where what authors wrote did not
	Pending   bool      `json:"pending,omitempty"`  // its objects wait until a repair is confirmed
	Scope     string    `json:"scope,omitempty"`    // rule that ended the exchange, or kept the page's links from being followed
	Error     string    `json:"error,omitempty"`
}

// leased is a lease at work, with its URL parsed.
type leased struct {
	frontier.Lease
	at *url.URL
}

// visited is what a visit came to: what its outcome and its line in the log are made of.
type visited struct {
	lease   leased
	ex      *fetch.Exchange  // nil: no answer
	err     error            // of the exchange
	earlier *archive.Earlier // that ex says is not modified; nil for nothing
	content *fetch.Exchange  // from which the page is read: ex, or the answer of an earlier crawl
	page    pageResult       // zero where there was nothing to read
	away    string           // why the page that a seed redirects to is not its site
	stored  stored           // zero where there was nothing to archive
	robots  bool             // a robots.txt, requested before the URL

	rendered *rendered // nil: the browser did not run its scripts

	unchanged bool // since the last capture of a watched URL; it is not read again
}

// settled is how a visit ends: what becomes of its URL, and what is to be learned of its page once that is acknowledged.
type settled struct {
	outcome  frontier.Outcome
	lesson   lesson
	archived bool // there was an answer
}

// visit takes one leased URL through the steps: fetch, read, archive, and says
// what follows. Its error is one that ends the crawl.
func (e *Engine) visit(ctx context.Context, lease leased, answered func()) (settled, error) {
	if err := e.takeOverSeeds(lease); err != nil {
		return settled{}, err
	}
	if out, err := e.turnAway(ctx, lease); out != nil || err != nil {
		return settled{outcome: orZero(out)}, err
	}
	start := time.Now()
	v, err := e.ask(ctx, lease)
	e.spent[stepFetch].Add(int64(time.Since(start)))
	defer v.close()
	if err != nil {
		return settled{}, err
	}
	if e.mayGoOn(v) {
		e.goOn(v.lease.Lease, answered)
	}
	if v.away, err = e.widen(lease, v.content); err != nil {
		return settled{}, err
	}
	if v.page, err = e.readSafely(ctx, lease, v.content, atFirst); err != nil {
		return settled{}, err
	}
	if err = e.render(ctx, &v); err != nil {
		return settled{}, err
	}
	e.spent.add(v.page.page.took)
	if v.stored, err = e.store(v); err != nil {
		return settled{}, err
	}
	out, waits := e.outcome(v)
	e.tell(e.line(v, waits != nil))
	if waits == nil {
		e.tellExtracted(lease.URL.URL, &v.page.page.Harvest)
	}
	return settled{out, lesson{lease.at, v.page.mended, waits, v.rendered.learned()}, v.stored.RecordID != ""}, nil
}

// turnAway settles a lease without asking for its URL, or after asking for what must come first; nil means that the URL may be
// asked for.
func (e *Engine) turnAway(ctx context.Context, lease leased) (*frontier.Outcome, error) {
	checks := [...]func(leased) *frontier.Outcome{e.early, e.refused, e.leftScope, e.renamed, e.trapped, e.postpone, e.needless,
		e.idleProbe}
	for _, check := range checks {
		if out := check(lease); out != nil {
			return out, nil
		}
	}
	if out, err := e.hostDown(ctx, lease); out != nil || err != nil {
		return out, err
	}
	return e.robots(ctx, lease)
}

// mayGoOn reports whether the next URL may be requested while this one's answer is read. It may not if the next URL depends on the answer:
// the host is in trouble, pages are scored, the crawl looks for targets, APIs come last, a limit is near, or the browser may request more
// of the host. Nor is anything read beside a
// suspected poison page.
func (e *Engine) mayGoOn(v visited) bool {
	return v.err == nil && v.ex != nil && !retryable[v.ex.Status] && !e.cutShort(v.lease, v.ex) && !e.assessor.On() &&
		e.options.Targets == nil && !e.mayRender(v.lease) && !e.nearLimit() && !e.options.Services.Complete && !e.poison.suspicion()
}

// stalled lets other crawls use the slot of a lease whose exchange stalls.
func (e *Engine) stalled(lease frontier.Lease) {
	if pooled, ok := e.frontier.(Pooled); ok {
		pooled.Stalled(lease)
	}
}

// goOn lets another worker ask this host, or any other, for a URL.
func (e *Engine) goOn(lease frontier.Lease, answered func()) {
	if pipelined, ok := e.frontier.(Pipelined); ok {
		pipelined.Answered(lease)
	}
	answered()
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
func (e *Engine) header(lease leased) http.Header {
	h := http.Header{}
	if IsService(lease.Level) {
		h.Set("Accept", "application/json")
		return h
	}
	if lease.Via != "" {
		h.Set("Referer", lease.Via)
	}
	return h
}

// line is the log line of an exchange. pending says that the objects of its page wait.
func (e *Engine) line(v visited, pending bool) Exchanged {
	labels, harvest := v.page.labels(), &v.page.page.Harvest
	s := Exchanged{
		Time: e.options.Now().UTC(), URL: v.lease.URL.URL, Via: v.lease.Via, Hops: v.lease.Hops, Try: v.lease.Tries + 1,
		Expected: v.lease.Level,
		MIME:     labels.mime, Charset: labels.charset, Type: labels.typ, Level: labels.level, KB: labels.kb, Scope: labels.scope,
		Score: labels.score, Plugins: labels.plugins, Adapted: labels.adapted,
		Objects: len(harvest.Objects), Links: len(v.page.links), Cut: harvest.Cut, CutBy: harvest.CutBy, Error: v.page.fault.why,
		Record: v.stored.RecordID, File: v.stored.File, Offset: v.stored.Offset, Revisit: v.stored.RefersTo, Triples: v.stored.triples,
		Elsewhere: v.stored.Elsewhere,
		Robots:    v.robots, Pending: pending, Rendered: v.rendered.read(),
	}
	s.Missing = missing(harvest)
	if v.rendered != nil {
		s.Steps = v.rendered.steps
	}
	if v.err != nil {
		s.Error = v.err.Error()
	}
	if ex := v.ex; ex != nil {
		s.Time, s.Status, s.Bytes, s.IP, s.Duration, s.Truncated = ex.Start.UTC(), ex.Status, ex.Size, ex.IP, ex.Duration.Seconds(),
			ex.Truncated
	}
	return s
}

// stored is where an exchange is archived, with what was said of it in the graph.
type stored struct {
	archive.Location
	triples int
	marks   []frontier.Mark // of the objects that plugins found
}

// store archives an exchange with what was read from it. One without any answer has nothing to keep.
func (e *Engine) store(v visited) (stored, error) {
	ex, labels := v.ex, v.page.labels()
	if ex == nil || ex.Size == 0 {
		return stored{}, nil
	}
	id := archive.NewID()
	c := archive.Capture{
		ID: id, URL: v.lease.URL.URL, Time: ex.Start, IP: bareIP(ex.IP), Request: ex.Request, Response: ex.Response, Size: ex.Size,
		PayloadDigest: ex.PayloadDigest, BlockDigest: ex.BlockDigest, Truncated: ex.Truncated, MIME: labels.mime, Status: ex.Status,
		Metadata: metadata(v, labels), Connection: connection(ex), Unmodified: v.earlier, Reread: v.page.waits(),
		Resources: append(pageRecords(id, v, labels), renderedRecord(v)...),
	}
	if ex.HeaderSize == 0 {
		c.PayloadDigest = "" // what is no HTTP has no payload that could be told apart; the archive decides
	}
	var took took
	start := time.Now()
	quads, marks, err := e.quads(id, v, labels)
	start = took.since(stepGraph, start)
	if err != nil {
		e.warn("the objects of a page cannot be written as RDF; the page is archived without them", "url", v.lease.URL.URL, "error",
			err.Error())
	}
	c.Quads = quads
	triples := bytes.Count(quads, []byte("\n"))
	c.Locate = func(l archive.Location) []byte {
		where := append(graph.Locate(id, l.File, l.Offset, l.Length), graph.SameBody(id, l.RefersTo, l.BodyFile, l.BodyOffset)...)
		triples += bytes.Count(where, []byte("\n"))
		return where
	}
	loc, err := e.archiver.Write(c)
	took.since(stepArchive, start)
	e.spent.add(took)
	if err != nil {
		return stored{}, fmt.Errorf("archiving %s: %w", v.lease.URL.URL, err)
	}
	if loc.Unread != nil {
		e.unread(v.lease.URL.URL, loc.Unread)
	}
	return stored{loc, triples, marks}, nil
}

// connection says over what an https exchange went, as the extensions of WARC/1.1 that IIPC has adopted have it.
func connection(ex *fetch.Exchange) []archive.Field {
	if ex.TLS == "" {
		return nil
	}
	protocol := ex.Protocol
	if version := make([]byte, len("HTTP/1.1")); protocol == "" {
		if _, err := ex.Response.ReadAt(version, 0); err == nil && bytes.HasPrefix(version, []byte("HTTP/1.")) {
			protocol = strings.ToLower(string(version))
		}
	}
	var fields []archive.Field
	for _, p := range []string{protocol, ex.TLS} {
		if p != "" {
			fields = append(fields, archive.Field{Name: "WARC-Protocol", Value: p})
		}
	}
	return append(fields, archive.Field{Name: "WARC-Cipher-Suite", Value: ex.CipherSuite})
}

// bareIP cuts the port that an address may carry.
func bareIP(ip string) string { return strings.Trim(ip, "[]") }

// metadata is the content of a capture's metadata record.
func metadata(v visited, l labels) []archive.Field {
	lease, ex := v.lease, v.ex
	fields := []archive.Field{
		{Name: "fetchTimeMs", Value: fmt.Sprint(ex.Duration.Milliseconds())}, {Name: "hopsFromSeed", Value: lease.Path},
	}
	add := func(name, value string) {
		if value != "" {
			fields = append(fields, archive.Field{Name: name, Value: value})
		}
	}
	add("via", lease.Via)
	if lease.Modified != 0 {
		add("awarc-lastmod", time.Unix(lease.Modified, 0).UTC().Format(time.RFC3339))
	}
	add("charsetForLinkExtraction", l.charset)
	add("certificateError", ex.CertificateError)
	add("awarc-authorization", ex.Authorization) // its field is left out of the request
	if ex.CookiesHidden {
		add("awarc-cookies", "their values are not archived")
	}
	add("awarc-type", l.typ)
	add("awarc-level", l.level)
	add("awarc-kb", l.kb)
	add("awarc-scope", l.scope)
	add("awarc-robots", v.page.robots)
	fields = append(fields, v.notModified()...)
	if l.score != nil {
		add("awarc-score", strconv.FormatFloat(*l.score, 'f', 4, 64))
	}
	for _, p := range l.plugins {
		add("awarc-plugin", p)
	}
	for _, p := range v.page.page.Finding.Patterns {
		add("awarc-pattern", p)
	}
	for _, l := range v.page.links {
		add("outlink", outlink(l))
	}
	return fields
}

// archiveFailure puts into the archive why a URL is given up of which there is no answer.
func (e *Engine) archiveFailure(lease leased, end settled) error {
	if end.outcome.State != frontier.Failed || end.archived {
		return nil
	}
	fields := []archive.Field{
		{Name: "fetchError", Value: end.outcome.Reason}, {Name: "fetchTries", Value: fmt.Sprint(lease.Tries + 1)},
		{Name: "hopsFromSeed", Value: lease.Path},
	}
	if lease.Via != "" {
		fields = append(fields, archive.Field{Name: "via", Value: lease.Via})
	}
	err := e.archiver.Amend(archive.Amendment{URL: lease.URL.URL, Time: e.options.Now(), Metadata: fields})
	if err != nil {
		return fmt.Errorf("archiving the failure of %s: %w", lease.URL.URL, err)
	}
	return nil
}

// quads says in RDF what an exchange holds, and marks the objects that plugins found.
func (e *Engine) quads(id string, v visited, l labels) ([]byte, []frontier.Mark, error) {
	c := e.graphCapture(id, v.ex.URL, v.ex.Start, l)
	c.Status, c.PayloadDigest = v.ex.Status, v.payloadDigest()
	if v.earlier != nil {
		c.Revises = v.earlier.ID()
	}
	quads, err := encode(c, &v.page.page)
	found, marks := e.encodeFound(c, v.page.assessed)
	return append(quads, found...), marks, err
}

// graphCapture is what the graph says of a page besides its objects.
func (e *Engine) graphCapture(id, url string, start time.Time, l labels) graph.Capture {
	return graph.Capture{
		ID: id, URL: url, Time: start, Type: l.typ, Level: l.level, KBHash: l.kb, Crawl: e.options.Records.CrawlID, Adapted: l.adapted,
	}
}

// encode writes a capture with the objects of a page as quads; without them
// where they cannot be written. The text of a list is not stated: its rows are links to content that is.
func encode(c graph.Capture, p *Page) ([]byte, error) {
	h := &p.Harvest
	for _, t := range h.Totals {
		c.Counts = append(c.Counts, graph.Count{Of: t.Of, Object: t.Object, N: t.Count, Label: t.Text, Linked: t.Linked})
	}
	var objects []graph.Object
	language, all := languages(h), h.All()
	if !p.isList() {
		all = p.Objects()
	}
	for i, o := range all {
		g := graph.Object{Class: o.Class, ID: o.ID, Parent: o.Parent, Rel: o.Rel, Language: language(&o), Confidence: o.Confidence}
		if o.Confidence > 0 {
			g.Reader = extract.RecordReader
		}
		for _, f := range o.Fields {
			g.Fields = append(g.Fields, graph.Field{Name: f.Name, Values: f.Values, Kind: graph.Kind(f.As)})
		}
		if at := position(h, i); at != "" {
			g.Fields = append(g.Fields, graph.Field{Name: "position", Values: []string{at}, Kind: graph.Number})
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

// languages returns the function that finds the language of an object: its own, if the page or an extractor gives it one, or
// that of its text. If a sample of the texts agrees with the page, short beginnings are read, which need no trigrams.
func languages(h *extract.Harvest) func(*extract.Object) string {
	const sample, each, short = 1000, 200, 190 // bytes
	beginning := func(text string, n int) string { return strings.ToValidUTF8(text[:min(len(text), n)], "") }
	var all strings.Builder
	for i := 0; i < len(h.Objects) && all.Len() < sample; i++ {
		all.WriteString(beginning(h.Objects[i].Value("content"), each) + "\n")
	}
	stated, read := score.Language(h.Language, ""), sample
	if found := score.Language(stated, all.String()); found == stated && found != "" {
		read = short
	}
	return func(o *extract.Object) string {
		if own := score.Language(o.Value("language"), ""); own != "" {
			return own
		}
		return score.Language(stated, beginning(cmp.Or(o.Value("content"), o.Value("title")), read))
	}
}

// position is a number by which the objects inside one of several pages, and the parts of its own content, are in the
// order of the pages and of each page; "" where there is no order.
func position(h *extract.Harvest, i int) string {
	const most = 100_000 // objects on a page, and more
	switch {
	case h.Part < 0 || i >= len(h.Objects):
		return ""
	case h.Objects[i].Parent != "":
		return strconv.Itoa(h.Part*most + i)
	case h.Objects[i].Value("content") != "":
		return strconv.Itoa(h.Part * most)
	}
	return ""
}

func (e *Engine) tellExtracted(url string, h *extract.Harvest) {
	if e.events.Extracted != nil && len(h.Objects) > 0 {
		e.events.Extracted(url, h.Objects)
	}
}

func (e *Engine) tell(s Exchanged) {
	if e.events.Exchanged != nil {
		e.events.Exchanged(s)
	}
}
