package engine

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"sync"

	"github.com/awarc/awarc/engine/adapt"
	"github.com/awarc/awarc/engine/extract"
	"github.com/awarc/awarc/engine/fetch"
	"github.com/awarc/awarc/frontier"
	"github.com/awarc/awarc/kb"
)

// reading is what an answer says.
type reading struct {
	mime     string
	charset  string
	kb       string // hash of the knowledge base that it was read with
	isPage   bool   // HTML with status 200
	page     Page
	links    []frontier.URL
	tally    linkTally
	copyOf   string           // suspect with which the links of a copy wait
	suspects map[string]bool  // of which something was found out, or with which links wait
	probes   []string         // addresses to ask for that nobody links to
	refused  map[string]int64 // links that no person wrote, by the name of their counter
	fault    string           // why the page could not be read
	kind     string           // of the fault, for the report

	brokenOff bool // the crawl ended before there was room to read the answer

	status  int
	judged  *judgement           // nil without scoring
	exclude []frontier.Exclusion // links that are kept out for good
	meta    map[string][]byte    // settings to go with the page
	again   bool                 // the page is read again from the archive

	rules      map[string]int64 // counters of the scope's rules that kept links or the answer out
	excluded   string           // rule that does not want the answer
	unfollowed string           // rule that does not want the page's links
	away       string           // why the page that a seed redirects to is not its site

	result  adapt.Result // of the learner
	led     adapt.Result // what the page's arrival confirmed, its Key and Confirmed
	adapted bool         // the learner was asked
	silent  bool         // the learner is not to be asked
	decided int          // how often the result's key was decided before
	waits   *pendingPage // what is to be read again; nil for nothing
}

// linkTally counts what became of the links of one page.
type linkTally struct {
	candidates, skippedByKB, outOfScope int64
}

// describe completes a log line.
func (r *reading) describe(s *Exchanged) {
	s.MIME, s.Charset = r.mime, r.charset
	s.Objects, s.Links = len(r.page.Harvest.Objects), len(r.links)
	if t := r.page.Finding.Type; t != nil {
		s.Type, s.KB = string(t.ID), r.kb
	}
	if v := r.page.Harvest.Level; v != nil {
		s.Level = string(v.ID)
	}
	s.Cut = r.page.Harvest.Cut
	s.Scope = cmp.Or(r.excluded, r.unfollowed)
	r.judged.describe(s)
	for _, x := range r.page.Harvest.Learned {
		s.Adapted = append(s.Adapted, describeEntry(x))
	}
	for _, m := range r.page.Harvest.Misses {
		s.Missing = append(s.Missing, m.Object+" "+m.Field+" "+m.ID)
	}
	if s.Error == "" {
		s.Error = r.fault
	}
}

// readSafely keeps a page that makes a step of reading panic from being lost: it
// is archived as it came.
func (e *Engine) readSafely(ctx context.Context, lease frontier.Lease, ex *fetch.Exchange) (r *reading) {
	defer func() {
		if p := recover(); p != nil {
			e.warn("a step panicked; the page is archived unread", "url", lease.URL.URL, "panic", fmt.Sprint(p))
			r = &reading{fault: fmt.Sprint("panic: ", p), kind: "panic"}
		}
	}()
	return e.read(ctx, lease, ex)
}

// read reads an answer: type, level, objects, links. It never fails: what
// cannot be read is archived all the same, with the fault in the log.
func (e *Engine) read(ctx context.Context, lease frontier.Lease, ex *fetch.Exchange) *reading {
	if ex == nil || ex.HeaderSize == 0 {
		return nil
	}
	r := &reading{mime: ex.MediaType(), status: ex.Status}
	if e.cutShort(lease, ex) {
		return r // it comes again; half a post is not to be an object
	}
	base := parseURL(lease.URL.URL)
	if lease.Level == LevelProbe {
		e.readProbe(r, lease, ex, base)
		return r
	}
	if lease.Seed && lease.Redirects > 0 {
		r.set(metaChain(lease.Key), nil) // its last use
	}
	if to := ex.Redirect(); to != "" {
		r.links = e.redirect(r, lease, base, to)
		return r
	}
	if v := e.judgeAnswer(lease, ex, r.mime); v.out {
		r.excluded = v.why
		r.countRule(v)
		return r
	}
	switch {
	case lease.Level == LevelRequisite && r.mime != "text/css":
	case r.mime == "text/css" && e.options.Requisites:
		e.readStyle(ctx, r, lease, ex, base)
	case r.mime == "text/html" || r.mime == "application/xhtml+xml":
		e.readPage(ctx, r, lease, ex, base)
	case (isFeed[r.mime] || isSitemapFile(base, r.mime)) && ex.Status == http.StatusOK:
		e.readFeed(ctx, r, lease, ex, base)
	}
	return r
}

// readStyle reads a style sheet.
func (e *Engine) readStyle(ctx context.Context, r *reading, lease frontier.Lease, ex *fetch.Exchange, base *url.URL) {
	release, err := makeRoom(ctx, ex)
	if err != nil {
		r.breakOff(err)
		return
	}
	defer release()
	if body, err := ex.Body(fetch.MaxPage); err == nil {
		e.require(r, lease, e.rules(base, e.typeOf(lease)), extract.StyleLinks(string(body), base))
	}
}

// isFeed are the media types of feeds and sitemaps.
var isFeed = map[string]bool{"application/rss+xml": true, "application/atom+xml": true, "application/rdf+xml": true, "application/xml": true, "text/xml": true}

// readFeed reads a feed or a sitemap.
func (e *Engine) readFeed(ctx context.Context, r *reading, lease frontier.Lease, ex *fetch.Exchange, base *url.URL) {
	length := int64(bigPage) // of what is in a file of gzip; nobody knows
	if !strings.HasSuffix(r.mime, "gzip") {
		length = ex.Length(bigPage)
	}
	release, err := makeRoomFor(ctx, length)
	if err != nil {
		r.breakOff(err)
		return
	}
	defer release()
	text, err := unpacked(ex)
	if err != nil {
		r.fail(err)
		return
	}
	r.charset = text.Charset
	r.page = Page{URL: base, Harvest: extract.Harvest{Links: extract.FeedLinks(string(text.HTML), base)}}
	e.follow(r, lease, base)
}

func (e *Engine) readPage(ctx context.Context, r *reading, lease frontier.Lease, ex *fetch.Exchange, base *url.URL) {
	r.isPage, r.status = ex.Status == http.StatusOK, ex.Status
	if e.poisonous(lease.Key) {
		r.fault, r.kind = poisonFault, poisonKind
		return
	}
	release, err := makeRoom(ctx, ex)
	if err != nil {
		r.breakOff(err)
		return
	}
	defer release()
	defer e.beginReading(r, lease.Key)()
	text, err := ex.HTML()
	if err != nil {
		r.fail(err)
		return
	}
	defer func() { r.page.Doc, r.page.rest = nil, rest{} }() // links and objects are what is left to do
	r.charset = text.Charset
	isLong := len(text.HTML) >= bigPage && ex.Length(fetch.MaxPage+1) > fetch.MaxPage
	a := Answer{URL: base, Status: ex.Status, Header: ex.Header, HTML: text.HTML, Charset: text.Charset, Captured: ex.Start}
	d := e.detector.Load()
	r.kb = d.Base().Hash
	if e.options.Blind {
		r.page = blind(a, e.scoring.on)
	} else if r.page, err = Inspect(d, a, Hints{Near: e.nearType(lease, base), Force: e.options.Force, Around: e.scoring.on}); err != nil {
		e.panicked(r, lease, err)
	}
	if isLong {
		r.page.Harvest.Cut = true
	}
	if ex.Status/100 != 2 {
		// An error page shows the template of its application but holds none of
		// its content.
		r.page.Harvest = extract.Harvest{}
		return
	}
	if t := r.page.Finding.Type; t != nil {
		e.near.learn(base, t.ID)
	}
	if !e.options.Blind && !r.silent {
		found := r.page.Harvest
		if err := safely("adapting to", func() { e.adapt(r, d, lease, ex.Start) }); err != nil {
			r.page.Harvest, r.result, r.led, r.adapted = found, adapt.Result{}, adapt.Result{}, false
			e.panicked(r, lease, err)
		}
	}
	e.watchTraps(r, lease, base)
	var judged []candidate
	if v := e.judgePage(r, lease, ex, base); v.out {
		r.unfollowed = v.why
		r.countRule(v)
	} else {
		judged = e.follow(r, lease, base)
	}
	if e.scoring.on {
		if err := safely("judging", func() { e.judge(ctx, r, lease, ex, judged) }); err != nil {
			e.panicked(r, lease, err)
		}
	}
	r.addProbes(lease)
	if e.options.Requisites {
		e.require(r, lease, e.rules(base, r.page.Finding.Type), r.page.requisites())
	}
	if e.options.Speculative {
		e.speculate(r, lease, base)
	}
}

// panicked notes that a step panicked; the page is read without it.
func (e *Engine) panicked(r *reading, lease frontier.Lease, err error) {
	e.warn("a step panicked; the page is read without it", "url", lease.URL.URL, "error", err.Error())
	r.fault, r.kind = err.Error(), "panic"
}

// set changes a setting with the page's outcome.
func (r *reading) set(key string, value []byte) {
	if r.meta == nil {
		r.meta = map[string][]byte{}
	}
	r.meta[key] = value
}

// breakOff notes that the crawl ended before there was room to read the answer.
func (r *reading) breakOff(err error) { r.brokenOff, r.fault = true, err.Error() }

func (r *reading) fail(err error) { r.fault, r.kind = err.Error(), "unreadable" }

// nearType is the type last seen near a page; in a new session, that of the page
// that led to it.
func (e *Engine) nearType(lease frontier.Lease, u *url.URL) kb.TypeID {
	if t := e.near.find(u); t != "" {
		return t
	}
	return kb.TypeID(lease.Type)
}

// maxNear bounds the memory of types by path prefix.
const maxNear = 100_000

// nearTypes remembers which type was last seen under a path prefix. A type is a
// property of a page and its prefix, never of a host: a blog, a forum and a wiki
// may share one.
type nearTypes struct {
	mu    sync.Mutex
	known map[string]kb.TypeID // by host and folder, with a slash at the end
}

func folder(u *url.URL) string { return u.Host + u.Path[:strings.LastIndexByte(u.Path, '/')+1] }

func (n *nearTypes) learn(u *url.URL, t kb.TypeID) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.known == nil || len(n.known) >= maxNear {
		n.known = map[string]kb.TypeID{}
	}
	n.known[folder(u)] = t
}

// find returns the type seen last in the nearest folder at or above u, or "".
func (n *nearTypes) find(u *url.URL) kb.TypeID {
	n.mu.Lock()
	defer n.mu.Unlock()
	for f := folder(u); f != ""; {
		if t := n.known[f]; t != "" {
			return t
		}
		cut := strings.LastIndexByte(strings.TrimSuffix(f, "/"), '/')
		if cut < 0 {
			return ""
		}
		f = f[:cut+1]
	}
	return ""
}
