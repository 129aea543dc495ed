package adapt

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/awarc/awarc/engine/extract"
	"github.com/awarc/awarc/kb"
)

// Learner adapts through a crawl: it confirms what one page suggests on further
// pages before it is used. It is safe for concurrent use.
type Learner struct {
	options LearnerOptions

	mu struct {
		sync.Mutex
		lexicon *Lexicon
		keys    map[string]*lessons
		inForce map[string]*health // by entry: those that the knowledge base holds
		dropped map[string]bool    // entries that began to fail
		works   map[string]map[kb.Place]bool
	}
}

// LearnerOptions say when a learner believes. The zero value is useful.
type LearnerOptions struct {
	Options
	// Confirm is on how many further pages a candidate must hold; 0 means 3.
	Confirm int
	// Publish is the confidence that candidates need which never met enough pages;
	// 0 means 0.5.
	Publish float64
}

// Result is what a learner makes of one page.
type Result struct {
	// Harvest is what to publish now: as it was, or mended by what is confirmed.
	Harvest extract.Harvest
	// Provisional is the harvest by what is not confirmed yet; nil without. Where other
	// links of the page lead on, its mended ones are those of paging alone: that they
	// are is told by their addresses.
	Provisional *extract.Harvest
	// Pending tells that the page must be read again when its Key is decided.
	Pending bool
	Key     string
	// Confirmed are entries that this page confirmed: persist them, and read the pages
	// pending under Key again.
	Confirmed []kb.Entry
	// Dropped are learned entries that began to fail.
	Dropped []kb.Entry
	Tried   int     // candidates
	Work    float64 // done for them: see [Attempt]
	// Attempted and Failed count pages for the report.
	Attempted, Failed bool
	// Left is what could not be mended; of a page that was not tried, what could not be mended of those like it.
	Left []Left
}

// New makes a learner that has learned nothing.
func New(o LearnerOptions) *Learner {
	o.Confirm = cmp.Or(o.Confirm, 3)
	o.Publish = cmp.Or(o.Publish, 0.5)
	l := &Learner{options: o}
	l.mu.keys, l.mu.inForce, l.mu.dropped = map[string]*lessons{}, map[string]*health{}, map[string]bool{}
	l.mu.works = map[string]map[kb.Place]bool{}
	return l
}

// Page judges a page's harvest and mends it: first by what other pages taught,
// then, where faults are left, by what the page itself shows.
func (l *Learner) Page(base *kb.Base, p extract.Page, h extract.Harvest) Result {
	r := Result{Harvest: h}
	if p.Type == nil || h.Cut {
		return r
	}
	earlier := l.options.earlier(p)
	faults := append(Judge(p, h), Changed(p, h, earlier)...)
	dropped := l.watch(h, faults)
	if h.Level != nil && lost(h, faults) {
		bare, links := withoutLevel(p, h)
		article := h.Level.Kind == kb.Terminal
		if r = l.mend(base, bare, links, Judge(bare, links), earlier); r.Harvest.Level != nil || r.Pending || article {
			if r.Harvest.Level == nil && !article {
				r.Harvest = h
			}
			r.Dropped = dropped
			return r
		}
		faults = slices.DeleteFunc(faults, func(f Fault) bool { return f.Kind == NoLevel })
	}
	tried, work := r.Tried, r.Work
	r = l.mend(base, p, h, faults, earlier)
	r.Dropped, r.Tried, r.Work = dropped, r.Tried+tried, r.Work+work
	return r
}

// mend is Page for a harvest with its faults.
func (l *Learner) mend(base *kb.Base, p extract.Page, h extract.Harvest, faults []Fault, earlier []extract.Object) Result {
	r := Result{Harvest: h}
	at := key(p, h, l.options.site(p))
	if faults = l.broken(at, h, faults); len(faults) == 0 {
		return r
	}
	r.Key = at
	nodes := nodesOf(p.Doc)
	known := slices.DeleteFunc(l.believed(r.Key, nodes), base.Rejected)
	before := h
	page, now := applied(p, h, known)
	if now.Level != nil && better(p, h, now) {
		r.Harvest, faults = now, append(Judge(page, now), Changed(page, now, earlier)...)
	} else {
		page, now = p, h
	}
	var fresh []kb.Entry
	worth := len(faults) > 0
	if worth && len(earlier) == 0 {
		worth, r.Left = l.worthwhile(r.Key, p, faults)
	}
	if worth {
		r.Attempted = true
		o := l.options.Options
		o.Lexicon, o.shared = l.lexicon(base), l.shared(r.Key)
		var a Attempt
		if now.Level == nil {
			a = MendLevel(base, page, now, o)
		} else {
			a = Mend(base, page, now, faults, o)
		}
		r.Tried, r.Work, fresh, r.Harvest, r.Left = a.Tried, a.Work, a.Entries, a.Harvest, a.Left
		if !substantial(r.Harvest) {
			fresh, r.Harvest = nil, now
		}
		if len(fresh) == 0 {
			r.Left = unmended(r.Left, faults)
			l.fail(r.Key, p, faults, r.Left)
			r.Failed = len(now.Learned) == 0
		}
	}
	l.conclude(&r, p, before, known, fresh, nodes, len(earlier) > 0)
	return r
}

// broken notes which navigation actions work on a site, as their author wrote them,
// and leaves out the faults of those: a list that is empty on one page, and full on
// others of its level, is an empty list and no change of the template.
func (l *Learner) broken(key string, h extract.Harvest, faults []Fault) []Fault {
	if h.Level == nil {
		return faults
	}
	leads := map[string]bool{}
	for _, link := range h.Links {
		leads[link.Action] = true
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, s := range h.Level.Spots() {
		if s.Follow == nil || !leads[s.Follow.Name(h.Level)] ||
			slices.ContainsFunc(h.Learned, func(e *kb.Entry) bool { return e.Place == s.Place }) {
			continue
		}
		if l.mu.works[key] == nil {
			l.mu.works[key] = map[kb.Place]bool{}
		}
		l.mu.works[key][s.Place] = true
	}
	return slices.DeleteFunc(faults, func(f Fault) bool { return f.Kind == NoLink && f.Detail == "" && l.mu.works[key][f.Place] })
}

// substantial reports whether a mended harvest is of a page of its level: where that
// describes objects inside the page's object, one of them is there or the page's
// object has a content. A title alone is on every page.
func substantial(h extract.Harvest) bool {
	if h.Level == nil || h.Level.Kind == kb.Intermediate {
		return true
	}
	inner := map[string]bool{}
	for _, o := range h.Level.Objects {
		for _, c := range o.Objects {
			inner[c.Class] = true
		}
	}
	return len(inner) == 0 || slices.ContainsFunc(h.Objects,
		func(o extract.Object) bool { return inner[o.Class] || o.Value("content") != "" })
}

// key names the pages that teach the same: those of one level of one site.
func key(p extract.Page, h extract.Harvest, site string) string {
	level := "?"
	if h.Level != nil {
		level = string(h.Level.ID)
	}
	return site + " " + string(p.Type.ID) + " " + level
}

// believed lists what is believed of a key for now: for each place the
// candidate with most support. nodes counts those of the page.
func (l *Learner) believed(key string, nodes func() int) []kb.Entry {
	l.mu.Lock()
	defer l.mu.Unlock()
	k := l.mu.keys[key]
	if k == nil {
		return nil
	}
	var out []kb.Entry
	for _, c := range k.best(func(c *lesson) bool {
		return !l.mu.dropped[c.entry.ID()] && !l.mu.works[key][c.entry.Place] && !c.outgrown(nodes)
	}) {
		out = append(out, c.entry)
	}
	return out
}

// applied harvests a page with some entries in force. A level of which only a
// learned pattern tells is used where the pattern fires.
func applied(p extract.Page, h extract.Harvest, entries []kb.Entry) (extract.Page, extract.Harvest) {
	if len(entries) == 0 {
		return p, h
	}
	levels := p.Levels
	if h.Level == nil {
		levels = nil
		for i := range entries {
			if e := &entries[i]; e.Part == kb.PartDetect && (p.Expected == "" || e.Level == p.Expected) && fires(p, e) {
				for _, v := range p.Type.Levels {
					if v.Type == e.Type && v.ID == e.Level && v.Variant == e.Variant {
						levels = append(levels, v)
					}
				}
			}
		}
	}
	if len(levels) == 0 {
		return p, h
	}
	out := slices.Clone(levels)
	for i := range entries {
		e := &entries[i]
		if e.Part == kb.PartDetect {
			continue
		}
		t, err := e.Try()
		if err != nil {
			continue
		}
		for j, v := range out {
			if v.Type == e.Type && v.ID == e.Level && v.Variant == e.Variant {
				out[j] = v.With(e.Place, t)
			}
		}
	}
	p.Levels = out
	return p, extract.Run(p)
}

// fires reports whether a learned pattern fires on a page.
func fires(p extract.Page, e *kb.Entry) bool {
	x, err := kb.NewExpr(e.Expr)
	return err == nil && len(x.Select(p.Doc, nil)) > 0
}

// lexicon returns that of a knowledge base, made once.
func (l *Learner) lexicon(base *kb.Base) *Lexicon {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.mu.lexicon == nil || l.mu.lexicon.base != base {
		l.mu.lexicon = NewLexicon(base)
	}
	return l.mu.lexicon
}

// retries are after how many failures of a kind a page is tried again: what one
// page cannot show, a later one may.
var retries = map[int]bool{0: true, 1: true, 4: true, 19: true, 99: true}

// worthwhile reports whether a page with some faults should be tried. After a
// failure its siblings mostly are not: what is left of them is what was left of it.
func (l *Learner) worthwhile(key string, p extract.Page, faults []Fault) (bool, []Left) {
	l.mu.Lock()
	defer l.mu.Unlock()
	k := l.lessons(key)
	what := k.kinds(p, faults)
	if retries[k.failed[what]] {
		return true, nil
	}
	k.failed[what]++
	return false, k.left[what]
}

func (l *Learner) fail(key string, p extract.Page, faults []Fault, left []Left) {
	l.mu.Lock()
	defer l.mu.Unlock()
	k := l.lessons(key)
	what := k.kinds(p, faults)
	k.failed[what]++
	k.left[what] = left
}

// lessons gives the lessons of a key; the lock is held.
func (l *Learner) lessons(key string) *lessons {
	k := l.mu.keys[key]
	if k == nil {
		k = &lessons{failed: map[string]int{}, left: map[string][]Left{}}
		l.mu.keys[key] = k
	}
	return k
}

// shared gives the titles that pages of a key share, each of which is of none of them.
func (l *Learner) shared(key string) map[string]bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return maps.Clone(l.lessons(key).shared())
}

// conclude counts what a page says of the candidates, and decides what is
// published. met tells that an earlier crawl found objects on the page.
func (l *Learner) conclude(r *Result, p extract.Page, before extract.Harvest, known, fresh []kb.Entry, nodes func() int, met bool) {
	url := p.URL.String()
	l.mu.Lock()
	defer l.mu.Unlock()
	k := l.lessons(r.Key)
	used := map[string]bool{}
	for _, e := range r.Harvest.Learned {
		used[e.ID()] = true
	}
	detected := before.Level == nil && r.Harvest.Level != nil
	isPattern := func(c *lesson) bool {
		return c.entry.Part == kb.PartDetect && detected && sameLevel(c.entry, r.Harvest.Level)
	}
	k.correct(r.Harvest, fresh, func(c *lesson) bool { return used[c.entry.ID()] || isPattern(c) })
	for i := range fresh {
		k.add(fresh[i], url)
	}
	for _, c := range k.all {
		id := c.entry.ID()
		switch {
		case used[id] || isPattern(c) && slices.ContainsFunc(known, func(e kb.Entry) bool { return e.ID() == id }):
			c.pages[url] = true
			c.see(r.Harvest, nodes)
			k.hear(c, r.Harvest, windowTitle(p.Doc))
		case slices.ContainsFunc(fresh, func(e kb.Entry) bool { return e.Place == c.entry.Place && e.ID() != id && !e.Cuts() }):
			c.Against++
		}
	}
	pending := false
	for _, c := range k.all {
		if l.confirms(c) && !l.mu.works[r.Key][c.entry.Place] && !k.unsettled(c.entry) {
			c.confirmed = true
			r.Confirmed = append(r.Confirmed, c.provenance())
		}
		pending = pending || (used[c.entry.ID()] || isPattern(c)) && !c.confirmed
	}
	if len(r.Confirmed) > 0 {
		k.failed, k.left = map[string]int{}, map[string][]Left{} // what was learned is new evidence for the rest
	}
	if before.Level == nil && r.Harvest.Level == nil && (met || k.open() || awaited(p)) {
		r.Pending, k.waits = true, true // it may be of a level that another page tells
	}
	if pending {
		mended := r.Harvest
		if leadsOn(p.Type, before) {
			mended.Links = slices.DeleteFunc(slices.Clone(mended.Links), func(k extract.Link) bool {
				return !k.Paging && !slices.ContainsFunc(before.Links, func(was extract.Link) bool { return was.URL == k.URL })
			})
		}
		r.Provisional, r.Pending, r.Harvest = &mended, true, before
	}
}

// Decided is what became of a key at the end of a crawl.
type Decided struct {
	Key string
	URL string // of a page that speaks for what others confirmed with it; "" at the end
	// Entries are good enough to publish the pending pages with, but not to be
	// written to the knowledge base; none where the pages stay as they are.
	Entries []kb.Entry
	Left    []Left // what was not confirmed
}

// Finish decides all keys that never met enough pages, in the order of their
// names.
func (l *Learner) Finish() []Decided {
	l.mu.Lock()
	defer l.mu.Unlock()
	var out []Decided
	for _, key := range slices.Sorted(maps.Keys(l.mu.keys)) {
		k := l.mu.keys[key]
		d := Decided{Key: key, Left: k.unconfirmed(l.options.Confirm, l.mu.works[key], l.publish)}
		for _, c := range k.best(func(*lesson) bool { return true }) {
			if e := c.provenance(); !c.confirmed && c.leads() && !l.mu.works[key][c.entry.Place] && e.Confidence >= l.publish(e) {
				d.Entries = append(d.Entries, e)
			}
		}
		if k.open() || k.waits {
			out = append(out, d)
		}
	}
	return out
}

// publish is the confidence that an entry needs which never met enough pages, by what it finds; the lock is held.
func (l *Learner) publish(e kb.Entry) float64 {
	kind := KindRecords
	switch {
	case strings.HasPrefix(e.Part, "follow "):
		kind = KindLinks
	case l.mu.lexicon != nil:
		if f := fieldAt(l.mu.lexicon.base, e.Place); f != nil {
			kind = kindOf(f)
		}
	}
	weights := l.options.Weights
	if weights == nil {
		weights = Weights()
	}
	return max(l.options.Publish, weights[string(kind)].Unconfirmed)
}

// fieldAt is the field that a place of a knowledge base is about; nil for none.
func fieldAt(base *kb.Base, at kb.Place) *kb.Field {
	if base.Type(at.Type) == nil {
		return nil
	}
	for _, v := range base.Type(at.Type).Level(at.Level) {
		for _, s := range v.Spots() {
			if s.Place == at {
				return s.Field
			}
		}
	}
	return nil
}

// Led tells the learner where a link led that was followed by a navigation action
// which is not confirmed yet: to a page of the level that the action promises, or
// elsewhere. Only what leads there is confirmed. The entries that are confirmed by
// it are returned with their key, as in a Result.
func (l *Learner) Led(id string, there bool) (key string, confirmed []kb.Entry) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for name, k := range l.mu.keys {
		for _, c := range k.all {
			if c.entry.ID() != id {
				continue
			}
			if there {
				c.Led++
			} else {
				c.Misled++
			}
			if l.confirms(c) {
				c.confirmed = true
				key, confirmed = name, append(confirmed, c.provenance())
			}
		}
	}
	return key, confirmed
}

// leads reports whether a candidate for a navigation action leads where it should;
// other candidates need not.
func (c *lesson) leads() bool {
	_, t := c.all()
	return !strings.HasPrefix(c.entry.Part, "follow ") || t.Led > 0 && t.Misled*4 <= t.Led
}

// confirms reports whether enough pages speak for a candidate now.
func (l *Learner) confirms(c *lesson) bool {
	pages, t := c.all()
	return !c.confirmed && pages > l.options.Confirm && t.Against*4 <= pages && c.leads() && !c.ofTemplate()
}

// health is how an entry in force does.
type health struct{ good, bad int }

// mostBad is on how many pages in a row an entry in force may fail.
const mostBad = 3

// watch looks after the entries that are in force: one whose place fails again
// and again on pages is dropped.
func (l *Learner) watch(h extract.Harvest, faults []Fault) []kb.Entry {
	if h.Level == nil {
		return nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, e := range h.Learned {
		bad := slices.ContainsFunc(faults, func(f Fault) bool { return f.Place == e.Place && !e.Cuts() })
		s := l.mu.inForce[e.ID()]
		if s == nil {
			s = &health{}
			l.mu.inForce[e.ID()] = s
		}
		if bad {
			s.bad++
		} else {
			s.good, s.bad = s.good+1, 0
		}
	}
	var dropped []kb.Entry
	for _, e := range h.Learned {
		if s := l.mu.inForce[e.ID()]; s.bad == mostBad && !e.Accepted {
			dropped = append(dropped, *e)
			l.mu.dropped[e.ID()] = true
		}
	}
	return dropped
}

// awaited reports whether a page of unknown level should wait for what others teach, though
// none has yet: its address tells that it is content. A topic of one post shows nothing by
// itself, and one with more may come later.
func awaited(p extract.Page) bool {
	a := p.Type.URLs.Level(p.URL)
	return a != nil && slices.ContainsFunc(p.Type.Level(a.Level),
		func(v *kb.Level) bool { return v.Kind == kb.Terminal && essentialContent(v) })
}

// essentialContent reports whether what a level is about lies in objects that repeat.
func essentialContent(v *kb.Level) bool {
	return slices.ContainsFunc(v.Objects, func(o *kb.Object) bool { return essentialObject(o) != nil })
}
