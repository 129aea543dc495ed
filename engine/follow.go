package engine

import (
	"net/url"
	"slices"
	"strings"

	"github.com/awarc/awarc/engine/assess"
	"github.com/awarc/awarc/engine/extract"
	"github.com/awarc/awarc/engine/score"
	"github.com/awarc/awarc/engine/trap"
	"github.com/awarc/awarc/engine/ways"
	"github.com/awarc/awarc/frontier"
	"github.com/awarc/awarc/kb"
)

// Priorities: what a page is worth before anything is known of it. Content
// comes before the lists that lead to more of it, and the rest of an object
// before the next one, so that what an interrupted crawl has is whole. Links
// that nothing is known of lose one for each hop, and come last where they are in
// a folder, or behind a page, that leads to ever more of them.
const (
	prioritySeed      = assess.TopPriority
	priorityRequisite = 900
	priorityPart      = 800 // a further page of an object
	priorityContent   = 700 // a terminal level
	priorityList      = 600 // a further page of a list
	priorityLevel     = 500 // an intermediate level
	priorityOptional  = 200
	priorityUnknown   = 100
	priorityGuess     = 0 // of what only looks like an address
)

// follower decides which links become URLs of the frontier: by scope, by the addresses of a type, by traps, and in the
// order of the knowledge base. It asks for nothing and writes nothing.
type follower struct {
	options *Options
	types   func(kb.TypeID) *kb.Type   // in the knowledge base in use
	lift    func(level string) float64 // by how much more than others pages of a level were worth; nil without scoring

	near      nearTypes
	addresses knownAddresses
	avoided   Avoided
	traps     trap.Watch
	ways      *ways.Learner // nil where nothing is learned of unknown applications
	listed    sitemapCounts
	fed       sitemapCounts // feeds
	siblings  hosts         // out of scope, whose links are counted
}

// focused reports whether the crawl looks for targets or for pages that score well, so that it also follows links that the knowledge base
// calls optional or does not select.
func (w *follower) focused() bool { return w.options.Targets != nil || w.lift != nil }

// rules gives the URL rules for links found on a page of a type, or for a URL
// of which only its place is known.
func (w *follower) rules(u *url.URL, t *kb.Type) *kb.URLRules {
	if t == nil && !w.options.Blind {
		t = w.types(w.near.find(u))
	}
	if t == nil || w.options.Blind {
		return &kb.URLRules{}
	}
	return &t.URLs
}

// typeOf gives the type of the page whose link led to a URL, or nil.
func (w *follower) typeOf(lease leased) *kb.Type {
	if lease.Type == "" || w.options.Blind {
		return nil
	}
	return w.types(kb.TypeID(lease.Type))
}

// nearType is the type last seen near a page; in a new session, that of the page
// that led to it.
func (w *follower) nearType(lease leased) kb.TypeID {
	if t := w.near.find(lease.at); t != "" {
		return t
	}
	return kb.TypeID(lease.Type)
}

// following is what becomes of the links of one answer.
type following struct {
	*follower
	lease  leased                           // of the answer
	typ    *kb.Type                         // of the answer, or nil
	tried  func(key string, l extract.Link) // notes a link that is followed, also out of scope; may be nil
	copyOf string                           // suspect with which all links wait, since the answer is a copy

	suspects map[string]bool // families of the frontier of which something was found out, or with which links wait
	counters map[string]int64
}

// from begins to follow the links of an answer of a type, which may be nil.
func (w *follower) from(lease leased, t *kb.Type) *following {
	return &following{follower: w, lease: lease, typ: t, suspects: map[string]bool{}, counters: map[string]int64{}}
}

func (f *following) count(counter string, n int64) { f.counters[counter] += n }

// follow decides which links of a page are fetched. On a page with a level only
// its navigation actions lead on. A page of an unknown application gives all its
// links, and one of a type that the crawl drafted them besides; for one whose level is unknown see linksByAddress.
func (f *following) follow(p *Page, links []extract.Link) []assess.Link {
	t := f.typ
	known, drafted, hunts := p.Harvest.Level != nil, f.options.drafted(t), f.options.Targets != nil
	switch {
	case known && !drafted && !hunts && len(links) == 0 && f.leads(p.Harvest.Level):
		f.count(countSuspects+SuspectFront+"/"+string(t.ID)+"/"+string(p.Harvest.Level.ID), 1)
		links = extract.AllLinks(p.extracted())
		for i := range links { // at worst to pages of no level, which lead nowhere
			links[i].To = p.Harvest.Level.ID
		}
	case known && !drafted && !hunts && f.focused():
		links = append(slices.Clone(links), f.lists(p)...)
	case drafted, hunts && t != nil:
		page := p.extracted()
		page.Places = true
		if !known && !drafted {
			links = nil
		}
		links = append(slices.Clone(links), extract.AllLinks(page)...)
	case t != nil && !known:
		links = f.linksByAddress(links)
	}
	rules := f.rules(f.lease.at, t)
	if t != nil && !drafted && !hunts {
		f.skip(p, rules, links)
	}
	var out []assess.Link
	seen := map[string]bool{}
	for _, l := range links {
		u := parseURL(l.URL)
		key := rules.Key(u)
		if seen[key] || l.Optional && !f.options.Optional && !f.focused() && !f.listsChanges(l.To) {
			continue
		}
		seen[key] = true
		if f.tried != nil {
			f.tried(key, l)
		}
		hops := f.lease.Hops + 1
		if l.Paging {
			hops = f.lease.Hops // a further page of the same thing is no further away
		}
		if f.outOfScope(u, hops, false) || f.refuses(u) {
			continue
		}
		f.count(countOffered, 1)
		fetchable := rules.Fetchable(u)
		if drafted { // its rules hold for the addresses of this site
			fetchable = rules.Preferred(u)
		}
		way, behind := f.way(fetchable, l)
		next := frontier.URL{
			URL: fetchable.String(), Key: key, Hops: hops, Priority: f.priority(l, u, hops), Level: string(l.To),
			Anchor: l.Text, Path: f.lease.hop(hopLink),
			Family: f.putOff(u, behind, l.To != ""),
		}
		if !l.Modified.IsZero() {
			next.Modified = l.Modified.Unix()
		}
		if known && !drafted || t != nil && l.To != "" {
			next.Type = string(t.ID)
		}
		out = append(out, assess.Link{URL: next, Found: l, At: u, Way: way, Known: f.known(l, next.Priority),
			Pattern: f.pattern(fetchable, way), Optional: l.Optional && !f.options.Optional && !hunts})
	}
	return out
}

// leads reports whether the page is the front of a site, of a level with navigation actions. If they
// find nothing there, its template is another one.
func (f *following) leads(of *kb.Level) bool {
	isFront := func(u *url.URL) bool { return strings.Trim(u.Path, "/") == "" && u.RawQuery == "" }
	front := isFront(f.lease.at) || f.lease.Redirects > 0 && isFront(parseURL(f.lease.Via))
	return f.lease.Seed && front && slices.ContainsFunc(of.Follow, func(a *kb.Follow) bool { return !a.Paging && !a.Optional })
}

// listsChanges reports whether the crawl is a watch and pages of a level list changes of other pages.
func (f *following) listsChanges(level kb.LevelID) bool {
	return f.options.Watch != nil && ListsChanges(f.typ, level, "")
}

// countAssessed counts the links of a page that are not followed after they were scored: excluded ones, and optional ones that nothing
// speaks for.
func (f *following) countAssessed(found int, a *assess.Assessment) {
	left := int64(found - len(a.Links))
	f.count(countOffered, -left)
	if len(a.Links) > 0 { // else a plugin may have excluded the whole page
		f.count(countSkipped, max(0, left-int64(len(a.Blacklisted))))
	}
}

// scheduled are links as the frontier takes them.
func scheduled(links []assess.Link) []frontier.URL {
	out := make([]frontier.URL, len(links))
	for i, l := range links {
		out[i] = l.URL
	}
	return out
}

// known is what the knowledge base says of a link, from 0 to 1: the place of its level in the
// order, and what links of that level turned out to lead to.
func (f *following) known(l extract.Link, priority int) float64 {
	if l.To == "" || f.typ == nil || f.lift == nil {
		return score.None
	}
	return min(1, float64(priority)/prioritySeed*f.lift(string(f.typ.ID)+"/"+string(l.To)))
}

// lists returns the links of a page of a known type that no action selects and that lead to a list by their addresses: tags, categories,
// authors, archives.
func (f *following) lists(p *Page) (links []extract.Link) {
	for _, l := range extract.AllLinks(extract.Page{Doc: p.Doc, URL: p.URL, Charset: p.Charset, Around: true, Places: true}) {
		a := f.typ.URLs.Level(parseURL(l.URL))
		if a == nil || a.Part || slices.ContainsFunc(f.typ.Level(a.Level), func(v *kb.Level) bool { return v.Kind != kb.Intermediate }) {
			continue
		}
		l.To, l.Optional = a.Level, true
		links = append(links, l)
	}
	return links
}

// pattern is the expected score of a page behind a link by its way, from 0 to 1, or [score.None] before it was tried.
func (f *following) pattern(u *url.URL, way string) float64 {
	if way == "" || f.lift == nil {
		return score.None
	}
	v, known := f.ways.Value(u.Host, way)
	if !known {
		return score.None
	}
	return patternScore(v)
}

// patternScore is the value of a link pattern as a score, from 0 to 1, or [score.None] before it was tried.
func patternScore(v ways.Value) float64 {
	if v.Tried == 0 {
		return score.None
	}
	return min(1, v.Rate/ways.Target)
}

// way names the way by which a link leads on, if that is learned, and reports whether it comes behind others of the site since what its way
// led to said less.
func (f *following) way(u *url.URL, l extract.Link) (name string, behind bool) {
	if f.ways == nil || l.To != "" && !f.focused() {
		return "", false
	}
	place := l.Place
	if l.Action != "" {
		place = strings.ReplaceAll(l.Action, " ", "_")
	}
	name = ways.Name(place, u)
	v, known := f.ways.Value(u.Host, name)
	return name, known && v.Less && f.lift == nil
}

func (f *following) priority(l extract.Link, u *url.URL, hops int) int {
	if !l.Paging && f.options.Targets.promises(f.typ, l.To, u) {
		return priorityContent
	}
	if l.To == "" || f.typ == nil {
		if places := f.growing(u); places > 0 {
			return priorityGuess - places
		}
		return max(1, priorityUnknown-hops)
	}
	terminal := false
	for _, v := range f.typ.Level(l.To) {
		terminal = terminal || v.Kind == kb.Terminal
	}
	switch {
	case l.Optional:
		return priorityOptional
	case l.Paging && terminal:
		return priorityPart
	case terminal:
		return priorityContent
	case l.Paging:
		return priorityList
	default:
		return priorityLevel
	}
}

// skip counts the links of a page that a blind crawl would have followed and
// that are not, since neither an action nor an address leads there.
func (f *following) skip(p *Page, rules *kb.URLRules, links []extract.Link) {
	taken := map[string]bool{}
	for _, l := range links {
		taken[l.URL] = true
	}
	var avoided []string
	for _, l := range extract.AllLinks(p.extracted()) {
		if u := parseURL(l.URL); !taken[l.URL] && f.options.Scope.Contains(u, 0) {
			f.count(countSkipped, 1)
			avoided = append(avoided, rules.Fetchable(u).String())
		}
	}
	f.avoided.add(avoided)
}

// require follows what a page needs to be shown, but for what is followed already. It may come from anywhere that the user did
// not exclude.
func (f *following) require(links []extract.Link, followed ...frontier.URL) (out []frontier.URL) {
	if f.lease.embedded() >= maxEmbedded {
		return nil
	}
	rules := f.rules(f.lease.at, f.typ)
	has := map[string]bool{}
	for _, l := range followed {
		has[l.Key] = l.Family == "" // what is put off may come too late
	}
	for _, l := range links {
		u := parseURL(l.URL)
		key := rules.Key(u)
		if has[key] || f.outOfScope(u, f.lease.Hops, true) {
			continue
		}
		f.count(countOffered, 1)
		level := LevelRequisite
		if l.Frame {
			level = LevelFrame
		}
		why := ""
		if f.options.Targets != nil {
			why = ways.Note(ways.Name("embedded", u), "")
		}
		out = append(out, frontier.URL{
			URL: u.String(), Key: key, Hops: f.lease.Hops, Path: f.lease.hop(hopEmbed), Priority: priorityRequisite, Level: level, Why: why,
		})
	}
	return out
}

// speculate follows what looks like an address on a page.
func (f *following) speculate(p *Page) []frontier.URL {
	return f.besides(extract.Guesses(p.extracted()), hopSpeculative, priorityGuess)
}

// speculateIn follows what looks like an address in an external script of a page.
func (f *following) speculateIn(script []byte, page *url.URL) []frontier.URL {
	return f.besides(extract.ScriptGuesses(extract.Page{URL: page}, string(script)), hopSpeculative, priorityGuess)
}

// besides follows addresses that are no links of the page's document.
func (f *following) besides(links []extract.Link, kind byte, priority int) (out []frontier.URL) {
	rules, hops := f.rules(f.lease.at, f.typ), f.lease.Hops+1
	for _, l := range links {
		u := parseURL(l.URL)
		if !f.options.Scope.Contains(u, hops) || f.refuses(u) {
			continue
		}
		f.count(countOffered, 1)
		out = append(out, frontier.URL{
			URL: rules.Fetchable(u).String(), Key: rules.Key(u), Hops: hops, Path: f.lease.hop(kind), Priority: priority,
			Family: f.putOff(u, true, false),
		})
	}
	return out
}

// outOfScope reports whether a link is not followed for the scope's sake, and counts it.
func (f *following) outOfScope(u *url.URL, hops int, named bool) bool {
	v := f.options.Scope.decide(u, hops, named)
	if v.out {
		f.count(countOutOfScope, 1)
		f.countRule(v)
		if !named && f.options.Scope.isSibling(u) && f.siblings.counts(u.Host) {
			f.count(countSuspects+SuspectSibling+"/"+u.Host, 1)
		}
	}
	return v.out
}

// countRule counts what a rule kept out.
func (f *following) countRule(v verdict) {
	for name, n := range scopeCounters(v) {
		f.count(name, n)
	}
}
