package adapt

import (
	"cmp"
	"maps"
	"net/url"
	"slices"
	"sync"

	"github.com/awarc/awarc/engine/extract"
	"github.com/awarc/awarc/kb"
)

// Learner adapts through a crawl: it confirms what one page suggests on further pages before it is used. It is safe for concurrent use.
type Learner struct {
	options LearnerOptions

	mu struct {
		sync.Mutex
		lexicon *Lexicon
		keys    map[string]*lessons
		failing map[string]int      // by entry in force: on how many pages in a row its place failed
		renames map[string][]rename // by site and type
	}
}

// LearnerOptions say when a learner believes. The zero value is useful.
type LearnerOptions struct {
	Options
	// Confirm is on how many further pages a candidate must hold; 0 means 3.
	Confirm int
	// Publish is the confidence that candidates need which never met enough pages; 0 means 0.5.
	Publish float64
}

// Result is what a learner makes of one page.
type Result struct {
	// Harvest is what to publish now: as it was, or mended by what is confirmed.
	Harvest extract.Harvest
	// Provisional is the harvest by what is not confirmed yet; nil without. Where other links of the page lead on, its mended ones are
	// those of paging alone: that they are is told by their addresses.
	Provisional *extract.Harvest
	// Pending tells that the page must be read again when its Key is decided.
	Pending bool
	Key     string
	// Confirmed are entries that this page confirmed: persist them, and read the pages pending under Key again.
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
	if o.Weights == nil {
		o.Weights = Weights()
	}
	l := &Learner{options: o}
	l.mu.keys, l.mu.failing, l.mu.renames = map[string]*lessons{}, map[string]int{}, map[string][]rename{}
	return l
}

// Page judges a page's harvest and mends it: first by what other pages taught, then, where faults are left, by what the page itself shows.
func (l *Learner) Page(base *kb.Base, p extract.Page, h extract.Harvest) Result {
	if p.Type == nil || h.Cut {
		return Result{Harvest: h}
	}
	read := h
	if byReader(read) && h.Level != nil {
		h = extract.Run(p)
		h.Links = read.Links
	}
	earlier := l.options.earlier(p)
	faults := append(Judge(p, h), Changed(p, h, earlier)...)
	dropped, list := l.watch(h, faults), h.Level != nil && h.Level.Kind == kb.Intermediate
	was := h
	if h.Level != nil && lost(h, faults) {
		p, h = withoutLevel(p, h)
		faults = Judge(p, h)
	}
	r := l.mend(base, p, h, faults, earlier)
	if r.Dropped = dropped; list && r.Harvest.Level == nil {
		r.Harvest = was // it is a list unless something better is known
	}
	if r.Harvest = fuller(r.Harvest, read); r.Provisional != nil {
		p := fuller(*r.Provisional, read)
		r.Provisional = &p
	}
	return r
}

// byReader reports whether the record reader found objects of a page, or fields of them.
func byReader(h extract.Harvest) bool {
	return slices.ContainsFunc(h.Objects, func(o extract.Object) bool { return o.Confidence > 0 })
}

// fuller returns the adapted harvest, with the objects of the record reader if these have more of the
// posts, or else with the fields of posts that only the reader found. A list keeps its own objects.
func fuller(adapted, read extract.Harvest) extract.Harvest {
	if !byReader(read) || adapted.Level != nil && adapted.Level.Kind == kb.Intermediate {
		return adapted
	}
	if float64(read.Known()) > extract.MuchMore*float64(adapted.Known()) {
		adapted.Objects, adapted.Generic = read.Objects, true
		return adapted
	}
	return adapted.Filled(read)
}

// mend is Page for a harvest with its faults.
func (l *Learner) mend(base *kb.Base, p extract.Page, before extract.Harvest, faults []Fault, earlier []extract.Object) Result {
	r := Result{Harvest: before}
	at := key(p, before, l.options.site(p))
	if faults = l.broken(at, p.URL.String(), before, faults); len(faults) == 0 {
		return r
	}
	r.Key = at
	nodes := 0
	for range p.Doc.Descendants() {
		nodes++
	}
	known := slices.DeleteFunc(l.believed(at, nodes), base.Rejected)
	page, now := applied(p, before, known)
	if now.Level != nil && better(before, now) {
		r.Harvest, faults = now, append(Judge(page, now), Changed(page, now, earlier)...)
	} else {
		page, now = p, before
	}
	met := len(earlier) > 0
	var fresh []kb.Entry
	if len(faults) > 0 {
		fresh = l.attempt(&r, base, page, now, faults, met)
	}
	l.conclude(&r, p, before, known, fresh, nodes, met)
	return r
}

// retries are after how many failures of a kind a page is tried again: what one page cannot show, a later one may.
var retries = map[int]bool{0: true, 1: true, 4: true, 19: true, 99: true}

// attempt mends a page by what it shows. After a failure its siblings mostly are not tried: what is left of them is what was left of it.
// met tells that an earlier crawl found objects on the page.
func (l *Learner) attempt(r *Result, base *kb.Base, p extract.Page, h extract.Harvest, faults []Fault, met bool) []kb.Entry {
	l.mu.Lock()
	k := l.lessons(r.Key)
	kind := kinds(faults)
	f := k.failed[kind]
	if !met && !retries[f.pages] {
		k.failed[kind] = failure{f.pages + 1, f.left}
		l.mu.Unlock()
		r.Left = f.left
		return nil
	}
	if l.mu.lexicon == nil || l.mu.lexicon.base != base {
		l.mu.lexicon = NewLexicon(base)
	}
	o := l.options.Options
	o.Lexicon, o.shared = l.mu.lexicon, k.shared()
	of := o.site(p) + " " + string(p.Type.ID)
	o.renames = slices.Clone(l.mu.renames[of])
	l.mu.Unlock()

	a := Mend(base, p, h, faults, o)
	l.rename(of, a)
	r.Attempted, r.Tried, r.Work, r.Harvest, r.Left = true, a.Tried, a.Work, a.Harvest, a.Left
	if len(a.Entries) == 0 {
		r.Failed, r.Left = len(h.Learned) == 0 && !optional(faults), unmended(r.Left, faults)
		l.mu.Lock()
		k.failed[kind] = failure{k.failed[kind].pages + 1, r.Left}
		l.mu.Unlock()
	}
	return a.Entries
}

// rename notes the renames that a repaired page shows, for the other levels of its site.
func (l *Learner) rename(of string, a Attempt) {
	if a.Harvest.Level == nil {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, r := range renamesOf(a.Harvest.Level, a.Entries) {
		if known := l.mu.renames[of]; len(known) < mostRenames && !slices.ContainsFunc(known, r.same) {
			l.mu.renames[of] = append(known, r)
		}
	}
}

// optional reports whether all faults are of optional fields.
func optional(faults []Fault) bool {
	return !slices.ContainsFunc(faults, func(f Fault) bool { return f.Kind != Absent })
}

// broken notes which navigation actions and optional fields work on a site as their author wrote
// them, and drops their faults: a list that is empty on one page and full on others of its level is
// an empty list, and so is a field that only some objects have.
func (l *Learner) broken(key, page string, h extract.Harvest, faults []Fault) []Fault {
	if h.Level == nil {
		return faults
	}
	leads := map[string]bool{}
	for _, link := range h.Links {
		leads[link.Action] = true
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.lessons(key).count(page, h)
	works := l.lessons(key).works
	for _, s := range h.Level.Spots() {
		if slices.ContainsFunc(h.Learned, func(e *kb.Entry) bool { return e.Place == s.Place }) {
			continue
		}
		if s.Follow != nil && leads[s.Follow.Name(h.Level)] || s.Field != nil && !s.Field.Required && hasField(h, s) {
			works[s.Place] = true
		}
	}
	return slices.DeleteFunc(faults, func(f Fault) bool {
		return (f.Kind == NoLink && f.Detail == "" || f.Kind == Absent) && works[f.Place]
	})
}

// hasField reports whether an object of a harvest has a field.
func hasField(h extract.Harvest, s kb.Spot) bool {
	all, missing, _ := tallied(h, s)
	return missing < all
}

// key names the pages that teach the same: those of one level of one site.
func key(p extract.Page, h extract.Harvest, site string) string {
	level := "?"
	if h.Level != nil {
		level = string(h.Level.ID)
	}
	return site + " " + string(p.Type.ID) + " " + level
}

// lessons gives the lessons of a key; the lock is held.
func (l *Learner) lessons(key string) *lessons {
	k := l.mu.keys[key]
	if k == nil {
		k = newLessons()
		l.mu.keys[key] = k
	}
	return k
}

// believed lists what is believed of a key for now: for each place the candidate with most support. nodes counts those of the page.
func (l *Learner) believed(key string, nodes int) (out []kb.Entry) {
	l.mu.Lock()
	defer l.mu.Unlock()
	k := l.lessons(key)
	for _, c := range k.best(func(c *lesson) bool { return !l.dropped(c) && !k.works[c.entry.Place] && !c.outgrown(nodes) }) {
		out = append(out, c.entry)
	}
	return out
}

// applied harvests a page with some entries in force. A level of which only a learned pattern tells is used where the pattern fires.
func applied(p extract.Page, h extract.Harvest, entries []kb.Entry) (extract.Page, extract.Harvest) {
	levels := slices.Clone(p.Levels)
	if h.Level == nil {
		levels = nil
		for i := range entries {
			if e := &entries[i]; e.Part == kb.PartDetect && (p.Expected == "" || e.Level == p.Expected) && fires(p, e) {
				for _, v := range p.Type.Levels {
					if sameLevel(e.Place, placeOn(v, "")) {
						levels = append(levels, v)
					}
				}
			}
		}
	}
	if len(entries) == 0 || len(levels) == 0 {
		return p, h
	}
	for i := range entries {
		if t, err := entries[i].Try(); err == nil {
			for j, v := range levels {
				levels[j] = v.With(entries[i].Place, t)
			}
		}
	}
	p.Levels = levels
	return p, extract.Run(p)
}

// fires reports whether a learned pattern fires on a page.
func fires(p extract.Page, e *kb.Entry) bool {
	x, err := kb.NewExpr(e.Expr)
	return err == nil && len(x.Select(p.Doc, nil)) > 0
}

// conclude counts what a page says of the candidates, and decides what is published.
func (l *Learner) conclude(r *Result, p extract.Page, before extract.Harvest, known, fresh []kb.Entry, nodes int, met bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	k, at := l.lessons(r.Key), p.URL.String()
	used := map[string]bool{}
	for _, e := range r.Harvest.Learned {
		used[e.ID()] = true
	}
	if before.Level == nil && r.Harvest.Level != nil { // patterns are used, too
		for _, e := range slices.Concat(known, fresh) {
			if e.Part == kb.PartDetect && sameLevel(e.Place, placeOn(r.Harvest.Level, "")) {
				used[e.ID()] = true
			}
		}
	}
	k.correct(r.Harvest, fresh, used)
	for _, e := range fresh {
		if c := k.lesson(e); c != nil {
			c.pages[at] = true
		}
	}
	for _, c := range k.all {
		if used[c.entry.ID()] {
			c.pages[at] = true
			c.see(r.Harvest, nodes)
			c.Led += boolInt(toldLeading(p, r.Harvest, c.entry.Part))
			k.hear(c, r.Harvest, windowTitle(p.Doc))
		} else if slices.ContainsFunc(fresh, func(e kb.Entry) bool {
			return e.Place == c.entry.Place && e.ID() != c.entry.ID() && !e.Cuts()
		}) {
			c.Against++
		}
	}
	r.Confirmed = k.confirm(l.options.Confirm, func(*lesson) bool { return true }).Entries
	if before.Level == nil && r.Harvest.Level == nil && (met || k.open() || awaited(p)) {
		r.Pending, k.waits = true, true // it may be of a level that another page tells
	}
	if slices.ContainsFunc(k.all, func(c *lesson) bool { return used[c.entry.ID()] && !c.confirmed }) {
		mended := r.Harvest
		if leadsOn(p.Type, before) {
			mended.Links = slices.DeleteFunc(slices.Clone(mended.Links), func(k extract.Link) bool {
				return !k.Paging && !slices.ContainsFunc(before.Links, func(was extract.Link) bool { return was.URL == k.URL })
			})
		}
		r.Provisional, r.Pending, r.Harvest = &mended, true, before
	}
}

// toldLeading reports whether the addresses of all links of a navigation action are of the level that
// it promises. The pages themselves need not be fetched: a thread's forum mostly was fetched before.
func toldLeading(p extract.Page, h extract.Harvest, part string) bool {
	n := 0
	for _, l := range h.Links {
		if l.Paging || kb.FollowPart(l.To, false) != part {
			continue
		}
		u, err := url.Parse(l.URL)
		if err != nil {
			return false
		}
		if a := p.Type.URLs.Level(u); a == nil || a.Level != l.To {
			return false
		}
		n++
	}
	return n > 0
}

// awaited reports whether a page of unknown level should wait for what others teach, though none has yet: its address tells that it is
// content in objects that repeat. A topic of one post shows nothing by itself, and one with more may come later.
func awaited(p extract.Page) bool {
	a := p.Type.URLs.Level(p.URL)
	return a != nil && slices.ContainsFunc(p.Type.Level(a.Level), func(v *kb.Level) bool {
		return v.Kind == kb.Terminal && slices.ContainsFunc(v.Objects, func(o *kb.Object) bool { return essentialObject(o) != nil })
	})
}

// Decided is what became of a key at the end of a crawl.
type Decided struct {
	Key string
	URL string // of a page that speaks for what others confirmed with it; "" at the end
	// Entries are good enough to publish the pending pages with, but not to be written to the knowledge base; none where the pages stay
	// as they are.
	Entries []kb.Entry
	Left    []Left // what was not confirmed
}

// Finish decides all keys that never met enough pages, in the order of their names.
func (l *Learner) Finish() (out []Decided) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, key := range slices.Sorted(maps.Keys(l.mu.keys)) {
		k := l.mu.keys[key]
		missing := k.missingTotals(l.options.Confirm)
		if !k.open() && !k.waits && len(missing) == 0 {
			continue
		}
		d := Decided{Key: key, Left: append(k.unconfirmed(l.options.Confirm, l.publish), missing...)}
		for _, c := range k.best(func(*lesson) bool { return true }) {
			if e := c.provenance(); !c.confirmed && c.leads() && !k.works[e.Place] && e.Confidence >= l.publish(e) {
				d.Entries = append(d.Entries, e)
			}
		}
		out = append(out, d)
	}
	return out
}

// publish is the confidence that an entry needs which never met enough pages, by what it finds; the lock is held.
func (l *Learner) publish(e kb.Entry) float64 {
	kind := KindRecords
	if leading(e.Place) {
		kind = KindLinks
	} else if l.mu.lexicon != nil {
		if f := fieldAt(l.mu.lexicon.base, e.Place); f != nil {
			kind = kindOf(f)
		}
	}
	return max(l.options.Publish, l.options.Weights[string(kind)].Unconfirmed)
}

// fieldAt is the field that a place of a knowledge base is about; nil for none.
func fieldAt(base *kb.Base, at kb.Place) *kb.Field {
	if t := base.Type(at.Type); t != nil {
		for _, v := range t.Level(at.Level) {
			if s, ok := v.Spot(at); ok {
				return s.Field
			}
		}
	}
	return nil
}

// Led tells the learner where a link led that was followed by a navigation action which is not confirmed yet: to a page of the level
// that the action promises, or elsewhere. Only what leads there is confirmed. The entries that are confirmed by it are returned with
// their key, as in a Result.
func (l *Learner) Led(id string, there bool) (key string, confirmed []kb.Entry) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for name, k := range l.mu.keys {
		at := slices.IndexFunc(k.all, func(c *lesson) bool { return c.entry.ID() == id })
		if at < 0 {
			continue
		}
		if there {
			k.all[at].Led++
		} else {
			k.all[at].Misled++
		}
		if d := k.confirm(l.options.Confirm, func(c *lesson) bool { return c == k.all[at] }); len(d.Entries) > 0 {
			key, confirmed = name, append(confirmed, d.Entries...)
		}
	}
	return key, confirmed
}

// mostBad is on how many pages in a row an entry in force may fail.
const mostBad = 3

// watch looks after the entries that are in force: one whose place fails again and again on pages is dropped.
func (l *Learner) watch(h extract.Harvest, faults []Fault) (dropped []kb.Entry) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, e := range h.Learned {
		id := e.ID()
		if slices.ContainsFunc(faults, func(f Fault) bool { return f.Place == e.Place && !e.Cuts() }) {
			if l.mu.failing[id]++; l.mu.failing[id] == mostBad && !e.Accepted {
				dropped = append(dropped, *e)
			}
		} else if l.mu.failing[id] < mostBad {
			delete(l.mu.failing, id)
		}
	}
	return dropped
}

// dropped reports whether the entry of a lesson was in force and failed; the lock is held.
func (l *Learner) dropped(c *lesson) bool { return l.mu.failing[c.entry.ID()] >= mostBad }
