package engine

import (
	"context"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"sync"
	"time"

	"github.com/awarc/awarc/engine/adapt"
	"github.com/awarc/awarc/engine/detect"
	"github.com/awarc/awarc/engine/extract"
	"github.com/awarc/awarc/frontier"
	"github.com/awarc/awarc/kb"
)

// Learner repairs expressions that a template broke, see package adapt.
type Learner interface {
	Page(base *kb.Base, p extract.Page, h extract.Harvest) adapt.Result
	Led(id string, there bool) (key string, confirmed []kb.Entry)
	Finish() []adapt.Decided
	Evidence() []adapt.Evidence
	Hear(base *kb.Base, from string, said []adapt.Evidence) []adapt.Decided
}

// Adaptation says how a crawl adapts. The zero value is a crawl that does not.
type Adaptation struct {
	Learner Learner
	// Keep writes confirmed entries into the knowledge base and returns the ones that
	// were written; inForce is the base in use.
	Keep func(inForce *kb.Base, entries []kb.Entry) ([]kb.Entry, error)
	// Drop takes entries that began to fail out of the knowledge base.
	Drop func(entries []kb.Entry) error
	// Claim reports whether this engine is the first of the crawl that confirms the entry of an id, which then counts; nil: it is.
	Claim func(id string) bool
	// Gather is called before waiting pages are decided: the last moment to receive evidence of other nodes; may be nil.
	Gather func(context.Context)
}

// Adapted is one event of adaptation as its log has it.
type Adapted struct {
	Time    time.Time `json:"time"`
	Event   string    `json:"event"` // confirmed, dropped, reread, failed or unconfirmed
	URL     string    `json:"url"`   // of the page that led to it, or was read again
	Record  string    `json:"record,omitempty"`
	Objects int       `json:"objects,omitempty"`
	Triples int       `json:"triples,omitempty"`
	Entries []string  `json:"entries,omitempty"` // as describeEntry writes them
	Left    []Left    `json:"left,omitempty"`    // pages that could not be repaired, or whose repair was not confirmed
}

// Left is something that adaptation could not mend, as its log has it: see [adapt.Left].
type Left struct {
	Cause   adapt.Cause `json:"cause"`
	Type    kb.TypeID   `json:"type"`
	Level   kb.LevelID  `json:"level,omitempty"`
	Variant string      `json:"variant,omitempty"`
	Part    string      `json:"part"`
	Detail  string      `json:"detail,omitempty"`
	Pages   int         `json:"pages"` // on which it was seen
}

// Place is the spot of the knowledge base that it is about.
func (l Left) Place() kb.Place {
	return kb.Place{Type: l.Type, Level: l.Level, Variant: l.Variant, Part: l.Part}
}

// longestDetail bounds the details in the log, in letters.
const longestDetail = 400

func leftOf(list []adapt.Left) (out []Left) {
	for _, l := range list {
		if r := []rune(l.Detail); len(r) > longestDetail {
			l.Detail = string(r[:longestDetail]) + "…"
		}
		out = append(out, Left{l.Cause, l.Place.Type, l.Place.Level, l.Place.Variant, l.Place.Part, l.Detail, l.Pages})
	}
	return out
}

// adapting is the state of adaptation in one session. What must outlive the
// process is in the frontier: a new session gives the learner the pending pages
// once more, and thereby knows what this one did.
type adapting struct {
	Adaptation

	edits  holds // while pages of edited types are to be read again
	visits visits

	mu      sync.Mutex
	sources *kb.Base                  // what the sources hold
	learned []kb.Entry                // in force in this session, whether or not the sources hold them
	decided map[string]int            // how often each key of the learner was decided
	pending map[string][]*pendingPage // by key
	trials  map[string]trial          // by key of the URL
}

// trial is a link that an action selected which is not confirmed yet.
type trial struct {
	entry string // its id
	to    kb.LevelID
}

// maxTrials bounds the links whose end is waited for.
const maxTrials = 10_000

// use puts the knowledge base of the sources, and what this session learned, in
// force.
func (e *Engine) use(d *detect.Detector) {
	a := &e.adapting
	a.mu.Lock()
	defer a.mu.Unlock()
	a.sources = d.Base()
	e.install(d)
}

// install compiles the base in force, given the detector of the sources if that
// is known. The caller holds the lock.
func (e *Engine) install(d *detect.Detector) {
	a := &e.adapting
	base, err := a.sources.With(a.learned...)
	if err != nil { // the entries were compiled when they were tried
		e.warn("what was learned cannot be used", "error", err.Error())
		base = a.sources
	}
	if d == nil || base != d.Base() {
		d = detect.New(base)
	}
	e.detector.Store(d)
}

// mended is what the learner made of a page.
type mended struct {
	adapt.Result
	arrival adapt.Result // what it confirmed that the page was arrived at, in its Key and Confirmed
	decided int          // how often the key had been decided when the learner was asked
}

// mend shows the learner a page, and takes what may be published of it; nil where it is not asked.
func (e *Engine) mend(d *detect.Detector, p *Page, lease leased, captured time.Time) (m *mended) {
	if e.adapting.Learner == nil || e.options.undescribed(p.Finding.Type) { // a draft is mended by the next one
		return nil
	}
	start := time.Now()
	defer func() { p.took.since(stepAdapt, start) }()
	m = new(mended)
	defer func() { e.arrive(m, p, lease.Key) }()
	e.adapting.mu.Lock()
	decided := maps.Clone(e.adapting.decided)
	e.adapting.mu.Unlock()
	m.Result = e.adapting.Learner.Page(d.Base(), extract.Page{
		Doc: p.Doc, URL: p.URL, Charset: p.Charset, Captured: captured, Type: p.Finding.Type, Levels: p.Finding.Levels,
		Expected: kb.LevelID(lease.Level), Generic: true,
	}, p.Harvest)
	m.decided = decided[m.Key]
	if m.Pending {
		// Half-understood objects would stand in the graph beside the right ones.
		m.Harvest.Objects, m.Harvest.Misses, m.Harvest.Totals, m.Harvest.Learned = nil, nil, nil, nil
	}
	return m
}

// stated is what is stated of a page whose actions gave h: what the learner made of it, and of that what can be right. Without a learner
// what an author wrote counts as it is.
func (e *Engine) stated(m *mended, h extract.Harvest) extract.Harvest {
	if m != nil {
		h = m.Harvest
	}
	if e.adapting.Learner != nil {
		h = adapt.Silenced(h)
	}
	return h
}

// maxProvisional bounds the links that are followed on one page by actions that
// are not confirmed yet. What is beyond is followed once they are.
const maxProvisional = 200

// try notes a link by which an action is to be tried; own are the links that the page gave without the learner.
func (e *Engine) try(m *mended, own []extract.Link, key string, l extract.Link) {
	if m == nil || m.Provisional == nil {
		return
	}
	p := m.Provisional
	// A page of no level leads wherever it has links, and promises nothing of them.
	if l.To == "" || slices.ContainsFunc(own, func(k extract.Link) bool { return k.URL == l.URL && k.To != "" }) {
		return
	}
	part := kb.FollowPart(l.To, l.Paging)
	i := slices.IndexFunc(p.Learned, func(x *kb.Entry) bool { return x.Part == part })
	if i < 0 {
		return
	}
	a := &e.adapting
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.trials == nil {
		a.trials = map[string]trial{}
	}
	if len(a.trials) < maxTrials {
		a.trials[key] = trial{p.Learned[i].ID(), l.To}
	}
}

// arrive tells the learner of a page to which such a link led.
func (e *Engine) arrive(m *mended, p *Page, key string) {
	a := &e.adapting
	a.mu.Lock()
	t, tried := a.trials[key]
	delete(a.trials, key)
	a.mu.Unlock()
	if !tried {
		return
	}
	level := p.Finding.Level()
	if level == nil && m.Provisional != nil {
		level = m.Provisional.Level
	}
	m.arrival.Key, m.arrival.Confirmed = a.Learner.Led(t.entry, level != nil && level.ID == t.to)
}

// leads are the links that are followed: with those of actions that are not confirmed, since
// nothing else leads to the pages that would confirm them.
func (m *mended) leads(own []extract.Link) []extract.Link {
	if m == nil || m.Provisional == nil {
		return own
	}
	unconfirmed := m.Provisional.Links
	return slices.Concat(unconfirmed[:min(len(unconfirmed), maxProvisional)], own)
}

// waits reports whether the objects of a page wait for a decision.
func (r *pageResult) waits() bool { return r.mended != nil && r.mended.Pending }

// pending is the page that was visited if its objects wait for a decision, else nil.
func (v *visited) pending() *pendingPage {
	if !v.page.waits() || v.stored.RecordID == "" {
		return nil
	}
	return &pendingPage{
		Record: v.stored.RecordID, File: v.stored.File, Offset: v.stored.Offset, Time: v.content.Start, URL: v.lease.URL.URL,
		Key: v.lease.Key, Hops: v.lease.Hops, Path: v.lease.Path, Type: v.lease.Type, Level: v.lease.Level,
		Redirects: v.lease.Redirects, Rendered: v.rendered.read(),
	}
}

// lesson has the results of a page for the learners, until the frontier has stored its outcome.
type lesson struct {
	page   *url.URL
	mended *mended
	waits  *pendingPage // the page, if it is to be read again; nil for nothing
	steps  []kb.Entry   // that the browser learned on it
}

// learn does what a settled page's adaptation asks for: entries are put in force
// and written down, and pages that waited for them are read again.
func (e *Engine) learn(ctx context.Context, l lesson) error {
	if len(l.steps) > 0 {
		if _, err := e.confirm(l.page.String(), "", l.steps); err != nil {
			return err
		}
	}
	m := l.mended
	if m == nil {
		return nil
	}
	if len(m.Dropped) > 0 {
		e.drop(l.page.String(), m.Dropped)
	}
	if m.Attempted && len(m.Left) > 0 && !m.Pending { // those like it, which were not tried, are counted
		e.tellAdapted(Adapted{Event: "failed", URL: l.page.String(), Left: leftOf(m.Left)})
	}
	var pages []*pendingPage
	if l.waits != nil && !e.wait(m.Key, l.waits, m.decided) {
		pages = append(pages, l.waits)
	}
	for _, d := range []adapt.Result{m.Result, m.arrival} {
		if len(d.Confirmed) == 0 {
			continue
		}
		confirmed, err := e.confirm(l.page.String(), d.Key, d.Confirmed)
		if err != nil {
			return err
		}
		pages = append(pages, confirmed...)
	}
	return e.readAgain(ctx, pages, true)
}

// wait enters a page under a key, unless the key was decided since the learner
// saw the page.
func (e *Engine) wait(key string, p *pendingPage, decided int) bool {
	a := &e.adapting
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.decided[key] != decided {
		return false
	}
	if a.pending == nil {
		a.pending = map[string][]*pendingPage{}
	}
	a.pending[key] = append(a.pending[key], p)
	return true
}

// decide puts entries in force and returns the pages that waited under a key.
func (e *Engine) decide(key string, entries []kb.Entry) []*pendingPage {
	a := &e.adapting
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.decided == nil {
		a.decided = map[string]int{}
	}
	a.decided[key]++
	pages := a.pending[key]
	delete(a.pending, key)
	if len(entries) > 0 {
		a.learned = append(a.learned, entries...)
		e.install(nil)
	}
	return pages
}

// confirm puts confirmed entries in force, has them written down, and returns the
// pages that waited for them.
func (e *Engine) confirm(url, key string, entries []kb.Entry) ([]*pendingPage, error) {
	e.tellAdapted(Adapted{Event: "confirmed", URL: url, Entries: describeEntries(entries)})
	pages := e.decide(key, entries)
	first := map[string]bool{}
	for i := range entries {
		if id := entries[i].ID(); e.adapting.Claim == nil || e.adapting.Claim(id) {
			first[id] = true
		}
	}
	counters := map[string]int64{countConfirmed: int64(len(first))}
	if keep := e.adapting.Keep; keep != nil {
		written, err := keep(e.detector.Load().Base(), entries)
		if err != nil {
			e.warn("what was learned could not be written into the knowledge base; this session uses it all the same", "error", err.Error())
		}
		for i := range written {
			if first[written[i].ID()] {
				counters[countPersisted]++
			}
		}
	}
	if err := e.frontier.Amend(url, frontier.Outcome{Counters: counters}); err != nil {
		return nil, fmt.Errorf("counting what was learned: %w", err)
	}
	return pages, nil
}

// Forget takes learned entries out of force that somebody removed from the
// knowledge base. It counts from the next call of Use.
func (e *Engine) Forget(ids ...string) {
	a := &e.adapting
	a.mu.Lock()
	defer a.mu.Unlock()
	a.learned = slices.DeleteFunc(a.learned, func(k kb.Entry) bool { return slices.Contains(ids, k.ID()) })
}

// drop takes learned entries out of force that began to fail.
func (e *Engine) drop(page string, dropped []kb.Entry) {
	e.tellAdapted(Adapted{Event: "dropped", URL: page, Entries: describeEntries(dropped)})
	a := &e.adapting
	a.mu.Lock()
	for _, d := range dropped {
		a.learned = slices.DeleteFunc(a.learned, func(k kb.Entry) bool { return k.ID() == d.ID() })
		d.Rejected = true
		a.learned = append(a.learned, d)
	}
	e.install(nil)
	a.mu.Unlock()
	if a.Drop == nil {
		return
	}
	if err := a.Drop(dropped); err != nil {
		e.warn("what was learned, and fails now, could not be taken out of the knowledge base; this session does not use it", "error",
			err.Error())
	}
}

// Evidence returns the evidence of the pages of this engine for unconfirmed entries.
func (e *Engine) Evidence() []adapt.Evidence {
	if e.adapting.Learner == nil {
		return nil
	}
	return e.adapting.Learner.Evidence()
}

// Hear takes the evidence of another engine of the crawl, see [adapt.Learner.Hear]. Entries that it confirms are put in force and written
// to disk, and pages that waited for them are read again.
func (e *Engine) Hear(ctx context.Context, from string, said []adapt.Evidence) error {
	if e.adapting.Learner == nil {
		return nil
	}
	defer e.HoldEnd()()
	for _, d := range e.adapting.Learner.Hear(e.detector.Load().Base(), from, said) {
		var pages []*pendingPage
		var err error
		if len(d.Entries) == 0 { // another engine has confirmed it
			pages = e.decide(d.Key, nil)
		} else if pages, err = e.confirm(d.URL, d.Key, d.Entries); err != nil {
			return err
		}
		if err := e.readAgain(ctx, pages, true); err != nil {
			return err
		}
	}
	return nil
}

// conclude ends adaptation: nothing more will come that could decide what still
// waits.
func (e *Engine) conclude(ctx context.Context) error {
	if gather := e.adapting.Gather; gather != nil {
		gather(ctx)
	}
	e.adapting.edits.wait() // what edits lead to may confirm more
	if e.adapting.Learner == nil {
		return nil
	}
	var pages []*pendingPage
	for _, d := range e.adapting.Learner.Finish() {
		pages = append(pages, e.decide(d.Key, d.Entries)...)
		if err := e.unconfirmed(d.Left); err != nil {
			return err
		}
	}
	a := &e.adapting
	a.mu.Lock()
	for key, left := range a.pending {
		pages = append(pages, left...)
		delete(a.pending, key)
	}
	a.mu.Unlock()
	slices.SortFunc(pages, func(a, b *pendingPage) int { return a.Time.Compare(b.Time) })
	return e.readAgain(ctx, pages, false)
}

// unconfirmed tells and counts what a session found and did not believe.
func (e *Engine) unconfirmed(left []adapt.Left) error {
	for i := range left {
		l := &left[i]
		e.tellAdapted(Adapted{Event: "unconfirmed", URL: l.URL, Left: leftOf(left[i : i+1])})
		out := frontier.Outcome{Counters: map[string]int64{countLeft + string(l.Cause): int64(l.Pages)}}
		if err := e.frontier.Amend(l.URL, out); err != nil {
			return fmt.Errorf("counting unconfirmed entries: %w", err)
		}
	}
	return nil
}

// describeEntry writes an entry for logs: its place, what it is now, and what it
// is a relaxation of.
func describeEntry(x *kb.Entry) string {
	return fmt.Sprintf("%s %s: %s (%s; cost %d, %s, %d pages, confidence %.2f)", x.ID(), x.Place, x.Expr, x.Origin(), x.Cost, x.Site,
		x.Pages, x.Confidence)
}

func describeEntries(list []kb.Entry) []string {
	var out []string
	for i := range list {
		out = append(out, describeEntry(&list[i]))
	}
	return out
}

func (e *Engine) tellAdapted(a Adapted) {
	if e.events.Adapted != nil {
		a.Time = e.options.Now().UTC()
		e.events.Adapted(a)
	}
}

// counters count what the learner made of a page.
func (m *mended) counters() map[string]int64 {
	c := map[string]int64{}
	if m == nil {
		return c
	}
	if m.Attempted {
		c[countAttempted] = 1
	}
	if m.Failed {
		c[countFailed] = 1
	}
	if m.Tried > 0 {
		c[countTried] = int64(m.Tried)
	}
	if !m.Pending {
		addCounters(c, m.leftCounters())
	}
	return c
}

// leftCounters count a published page for each cause of what could not be mended on it.
func (m *mended) leftCounters() map[string]int64 {
	c := map[string]int64{}
	if m != nil {
		for _, l := range m.Left {
			c[countLeft+string(l.Cause)] = 1
		}
	}
	return c
}
