package engine

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/awarc/awarc/engine/assess"
	"github.com/awarc/awarc/engine/detect"
	"github.com/awarc/awarc/engine/extract"
	"github.com/awarc/awarc/engine/fetch"
	"github.com/awarc/awarc/engine/score"
	"github.com/awarc/awarc/engine/ways"
	"github.com/awarc/awarc/frontier"
	"github.com/awarc/awarc/kb"
)

// pageResult is what an answer says and what follows from it. Whatever reads an answer builds it once, at its end.
type pageResult struct {
	mime     string
	charset  string
	isPage   bool               // HTML with status 200
	kb       string             // hash of the knowledge base that it was read with
	page     Page               // without its document
	mended   *mended            // nil: the learner was not asked
	assessed *assess.Assessment // nil without scoring
	said     *said              // nil where it is not to be archived

	text     ways.Text       // see Engine.text
	selected []string        // kinds of targets whose expressions select something
	targets  []frontier.Mark // of the targets in the answer
	links    []frontier.URL
	suspects map[string]bool   // families of the frontier of which something was found out
	counters map[string]int64  // what became of its links, and of itself where a rule does not want it
	settings map[string][]byte // of the frontier, to go with the page

	excluded   string // rule that does not want the answer
	unfollowed string // rule that does not want the page's links, or that the page does not
	robots     string // what the page asks of crawlers
	fault      fault

	service *serviceResult // of an answer of a service
}

// noFollow is the rule by which the links of a page are left alone.
const noFollow = "nofollow of the page"

// fault is why an answer could not be read, or not in all steps; zero for none.
type fault struct {
	why  string
	kind string // for the report
}

// labels are what log, archive and graph say alike of an answer.
type labels struct {
	mime, charset, typ, level, kb, scope string
	score                                *float64 // nil: none
	plugins, adapted                     []string
}

func (r *pageResult) labels() labels {
	l := labels{mime: r.mime, charset: r.charset, scope: cmp.Or(r.excluded, r.unfollowed)}
	if t := r.page.Finding.Type; t != nil {
		l.typ, l.kb = string(t.ID), r.kb
	}
	if v := r.page.Harvest.Level; v != nil {
		l.level = string(v.ID)
	}
	if a := r.assessed; a != nil {
		l.plugins = a.Versions
		if score.Given(a.Doc.Value) {
			l.score = &a.Doc.Value
		}
	}
	for _, x := range r.page.Harvest.Learned {
		l.adapted = append(l.adapted, describeEntry(x))
	}
	return l
}

// readSafely keeps a page that makes a step of reading panic from being lost: it
// is archived as it came.
func (e *Engine) readSafely(ctx context.Context, lease leased, ex *fetch.Exchange, steps readSteps) (r pageResult, err error) {
	defer func() {
		if p := recover(); p != nil {
			e.warn("internal error on a page; it is archived without extraction", "url", lease.URL.URL, "panic", fmt.Sprint(p))
			r, err = pageResult{fault: fault{fmt.Sprint("panic: ", p), "panic"}}, nil
		}
	}()
	return e.read(ctx, lease, ex, steps)
}

// read reads an answer: type, level, objects, links. What cannot be read is archived all
// the same, with the fault in the log; the error is that the crawl was broken off.
func (e *Engine) read(ctx context.Context, lease leased, ex *fetch.Exchange, steps readSteps) (pageResult, error) {
	switch {
	case ex == nil || ex.HeaderSize == 0:
		return pageResult{}, nil
	case e.cutShort(lease, ex):
		return pageResult{mime: ex.MediaType()}, nil // it comes again; half a post is not to be an object
	case lease.Level == LevelProbe:
		return e.readProbe(ctx, lease, ex)
	}
	r, err := e.readAnswer(ctx, lease, ex, steps)
	if e.options.Targets != nil {
		near := e.typ(e.follower.nearType(lease))
		if e.options.drafted(near) {
			near = nil
		}
		r.targets = e.options.Targets.found(lease, ex, &r, near)
	}
	if lease.Seed && lease.Redirects > 0 {
		r.settings = with(r.settings, map[string][]byte{metaChain(lease.Key): nil}) // its last use
	}
	return r, err
}

func (e *Engine) readAnswer(ctx context.Context, lease leased, ex *fetch.Exchange, steps readSteps) (pageResult, error) {
	mime := ex.MediaType()
	if to := ex.Redirect(); to != "" {
		return e.redirect(lease, ex, to), nil
	}
	if v := e.decideAnswer(lease, ex, mime); v.out {
		return pageResult{mime: mime, excluded: v.why, counters: scopeCounters(v)}, nil
	}
	if t := e.ticketOf(lease); t != nil {
		return e.readService(ctx, lease, ex, t)
	}
	nowhere := e.leadsNowhere(lease)
	switch {
	case e.options.Requisites && loading(lease, mime) != nil:
		return e.readLoaded(ctx, lease, ex, loading(lease, mime))
	case e.options.Speculative && isScript(mime) && !nowhere:
		return e.readScript(ctx, lease, ex)
	case isSitemap(lease, ex, mime) && !nowhere:
		return e.readFeed(ctx, lease, ex)
	case nowhere && lease.Level != LevelFrame, noPage(lease) && isHTML(mime):
	case isHTML(mime):
		return e.readPage(ctx, lease, ex, steps)
	}
	return pageResult{mime: mime}, nil
}

// unreadable is what comes of an answer whose text cannot be had.
func unreadable(ex *fetch.Exchange, err error) pageResult {
	return pageResult{mime: ex.MediaType(), isPage: isPage(ex), fault: fault{err.Error(), "unreadable"}}
}

// isPage reports whether an answer is what the crawl counts as a page.
func isPage(ex *fetch.Exchange) bool {
	return ex.Status == http.StatusOK && isHTML(ex.MediaType())
}

func isHTML(mime string) bool { return mime == "text/html" || mime == "application/xhtml+xml" }

// readSteps are the steps of reading that a page takes only when it is fetched, or as long as something can be decided.
type readSteps struct {
	adapt   bool // the learner is asked
	watch   bool // for traps
	extract bool // extractors among the plugins are asked
}

// atFirst are the steps of an answer that was just fetched.
var atFirst = readSteps{adapt: true, watch: true, extract: true}

// readPage reads a page of HTML, when there is room for it.
func (e *Engine) readPage(ctx context.Context, lease leased, ex *fetch.Exchange, steps readSteps) (pageResult, error) {
	release, err := makeRoom(ctx, ex)
	if err != nil {
		return pageResult{}, errBrokenOff
	}
	defer release()
	return e.readInRoom(ctx, lease, ex, steps)
}

// readInRoom is readPage for who has made room.
func (e *Engine) readInRoom(ctx context.Context, lease leased, ex *fetch.Exchange, steps readSteps) (pageResult, error) {
	if e.poisonous(lease.Key) {
		return pageResult{mime: ex.MediaType(), isPage: isPage(ex), fault: fault{poisonFault, poisonKind}}, nil
	}
	defer e.beginReading(lease.Key)()
	text, err := ex.HTML()
	if err != nil {
		return unreadable(ex, err), nil
	}
	return e.readText(ctx, lease, ex, text, steps)
}

// readText takes the text of a page through the steps: detect and extract, adapt, follow, assess. A step that panics is left out.
func (e *Engine) readText(ctx context.Context, lease leased, ex *fetch.Exchange, text fetch.Text, steps readSteps) (pageResult, error) {
	if e.leadsNowhere(lease) {
		return e.readFrame(lease, ex, text), nil
	}
	var failed fault
	step := func(name string, do func()) {
		if err := safely(name, do); err != nil {
			failed = e.panicked(lease, err)
		}
	}
	d := e.detector.Load()
	p, err := e.inspect(d, lease, ex, text)
	if err != nil {
		failed = e.panicked(lease, err)
	}
	if ex.Status/100 != 2 {
		// An error page shows the template of its application but holds none of
		// its content.
		p.Harvest = extract.Harvest{}
		return pageResult{mime: ex.MediaType(), charset: text.Charset, kb: d.Base().Hash, page: p.withoutDoc(), fault: failed}, nil
	}
	if t := p.Finding.Type; t != nil {
		e.follower.near.learn(lease.at, t.ID)
	}
	lease = asPage(lease, &p)
	var m *mended
	if steps.adapt {
		step("adapting to", func() { m = e.mend(d, &p, lease, ex.Start) })
	}
	p.Harvest = e.stated(m, p.Harvest)
	step("finding the text of", func() { p.readText(m != nil && m.Pending, e.options.Watch != nil) })
	f := e.follower.from(lease, p.Finding.Type)
	f.tried = func(key string, l extract.Link) { e.try(m, p.Harvest.Links, key, l) }
	var probes []string
	if steps.watch {
		probes = f.watch(&p)
	}
	robots := extract.RobotsOf(p.extracted(), e.options.Agent)
	unfollowed := e.unfollowed(f, ex, &p, robots)
	var found []assess.Link
	if unfollowed == "" {
		found = f.follow(&p, m.leads(p.Harvest.Links))
	}
	copyOf := e.nameWays(p.Finding.Type, found)
	var selected []string
	step("looking for targets on", func() { selected = e.options.Targets.selected(&p, copyOf == "" || copyOf == lease.Key) })
	links := scheduled(found)
	var assessed *assess.Assessment
	var settings map[string][]byte
	if e.assessor.On() {
		step("assessing", func() { assessed = e.assess(ctx, lease, ex, &p, found, steps.extract) })
	}
	if assessed != nil && assessed.Canceled && ctx.Err() != nil {
		return pageResult{}, errBrokenOff // plugins could not have their say
	}
	if assessed != nil {
		f.countAssessed(len(found), assessed)
		links, settings = assessed.Links, assessed.Settings
	}
	if ex.Status == http.StatusOK && !e.options.Blind {
		addCounters(f.counters, e.suspect(&p))
	}
	links = e.besides(f, &p, append(links, probeURLs(probes, lease)...), unfollowed == "")
	return pageResult{
		mime: ex.MediaType(), charset: text.Charset, isPage: isPage(ex), kb: d.Base().Hash, page: p.withoutDoc(), mended: m,
		assessed: assessed, said: e.said(lease, ex, &p), unfollowed: unfollowed, robots: robots.String(),
		text: e.text(&p, copyOf, lease.Key), selected: selected, links: links, suspects: f.suspects, counters: f.counters,
		settings: settings, fault: failed,
	}, nil
}

// besides adds to the links of a page what it needs to be shown, the APIs that are asked for what it misses, and what looks like
// an address.
func (e *Engine) besides(f *following, p *Page, links []frontier.URL, followed bool) []frontier.URL {
	switch {
	case e.options.Requisites:
		links = append(links, f.require(p.requisites(f.lease.Level == LevelFrame), links...)...)
	case e.options.Targets != nil && followed:
		links = append(links, f.require(e.options.Targets.embedded(p), links...)...)
	}
	links = append(append(links, e.sources(f.lease, p)...), f.feeds(p)...)
	if e.options.Speculative && followed {
		links = append(links, f.speculate(p)...)
	}
	return links
}

// asPage is the lease of a page that was not asked for as one, as though a link had led to it.
func asPage(lease leased, p *Page) leased {
	if IsRequisite(lease.Level) {
		lease.Hops++
	}
	if p.Finding.Type == nil && (IsRequisite(lease.Level) || lease.Level == LevelSitemap) {
		lease.Level = "" // nothing but its links can be had of it
	}
	return lease
}

// unfollowed is the rule by which the links of a page are left alone, or that the page itself asks so; "" where they are followed.
func (e *Engine) unfollowed(f *following, ex *fetch.Exchange, p *Page, robots extract.Robots) string {
	if rule := e.decidePage(f.lease, ex, p); rule.out {
		f.countRule(rule)
		return rule.why
	}
	if !robots.NoFollow() || e.options.Follow || e.options.Agent == "" {
		return ""
	}
	f.count(countScope+noFollow, 1)
	if f.lease.Seed {
		e.warn("a seed has nofollow and its links are not followed; use --nofollow ignore to follow them", "url", f.lease.URL.URL)
	}
	return noFollow
}

// elsewhere reports whether a page of a drafted type shows the objects of another page. A link from a
// page of the draft is trusted, unless a redirect followed or the address names a part of a page. For
// other pages the canonical link counts, or an address of another form than that of the level.
func elsewhere(lease leased, p *Page) bool {
	v, rules := p.Harvest.Level, &p.Finding.Type.URLs
	if v == nil {
		return false
	}
	if lease.Level == string(v.ID) && lease.Redirects == 0 {
		return namesPart(rules, p)
	}
	for _, l := range extract.AllLinks(p.extracted()) {
		if l.Canonical && rules.ObjectKey(parseURL(l.URL)) != rules.ObjectKey(p.URL) {
			return true
		}
	}
	formed := slices.ContainsFunc(rules.Addresses, func(a kb.Address) bool { return a.Level == v.ID })
	return formed && !isAt(rules, p.URL, v.ID)
}

func isAt(rules *kb.URLRules, u *url.URL, level kb.LevelID) bool {
	at := rules.Level(u)
	return at != nil && at.Level == level
}

// mostParameters bounds the parameters of an address that namesPart tries. It is arbitrary; each costs
// a match of the address rules.
const mostParameters = 8

// namesPart reports whether the address of a page is the address of its level and one parameter more,
// which names an object on the page or holds a word, as in showthread.php?tid=5&pid=7 or
// showthread.php?tid=5&action=lastpost. Another number may be that of a further page.
func namesPart(rules *kb.URLRules, p *Page) bool {
	level, query := p.Harvest.Level.ID, p.URL.Query()
	if len(query) > mostParameters || isAt(rules, p.URL, level) {
		return false
	}
	for name := range query {
		number, rest := query.Get(name), maps.Clone(query)
		delete(rest, name)
		without := *p.URL
		without.RawQuery = rest.Encode()
		isWord := number == "" || strings.Trim(number, "0123456789") != ""
		if (isWord || p.shows(number)) && isAt(rules, &without, level) {
			return true
		}
	}
	return false
}

// shows reports whether the fragment of the id of an object ends in a number.
func (p *Page) shows(number string) bool {
	return slices.ContainsFunc(p.Harvest.Objects, func(o extract.Object) bool {
		_, fragment, _ := strings.Cut(o.ID, "#")
		before, found := strings.CutSuffix(fragment, number)
		return found && strings.TrimRight(before, "0123456789") == before
	})
}

// inspect takes a page through parsing, detection and extraction, as the crawl is told to.
func (e *Engine) inspect(d *detect.Detector, lease leased, ex *fetch.Exchange, text fetch.Text) (p Page, err error) {
	isLong := len(text.HTML) >= bigPage && ex.Length(fetch.MaxPage+1) > fetch.MaxPage
	a := Answer{URL: lease.at, Status: ex.Status, Header: ex.Header, HTML: text.HTML, Charset: text.Charset, Captured: ex.Start}
	if e.options.Blind {
		p = blind(a, e.assessor.On())
	} else {
		p, err = Inspect(d, a, Hints{Near: e.follower.nearType(lease), Force: e.options.Force, Around: e.assessor.On(),
			Places: e.follower.ways != nil, Rows: e.options.Watch != nil})
	}
	if e.options.drafted(p.Finding.Type) && elsewhere(lease, &p) {
		p.Harvest = extract.Harvest{Links: p.Harvest.Links}
	}
	if e.options.Drafted != nil && e.options.undescribed(p.Finding.Type) {
		p.awaitDraft()
	}
	p.Harvest.Cut = p.Harvest.Cut || isLong || text.Cut
	return p, err
}

// awaitDraft counts the posts that the reader finds on a page of unknown software as unsure instead
// of publishing them: a draft reads the page again and names its posts by the site's addresses. Most
// pages that a draft does not read show posts of other pages.
func (p *Page) awaitDraft() {
	if h := &p.Harvest; len(h.Objects) > 0 && h.Objects[0].Confidence > 0 {
		for i := range h.Objects {
			p.awaited = append(p.awaited, h.Objects[i].Value("content"))
		}
		h.Unsure, h.Objects = len(h.Objects)-1, nil
	}
}

// panicked tells that internal error on a page; one step is skipped.
func (e *Engine) panicked(lease leased, err error) fault {
	e.warn("internal error on a page; one step is skipped", "url", lease.URL.URL, "error", err.Error())
	return fault{err.Error(), "panic"}
}

// with adds entries to a map, which may be nil.
func with[V any](m, more map[string]V) map[string]V {
	if m == nil {
		return more
	}
	maps.Copy(m, more)
	return m
}
