package engine

import (
	"hash/maphash"
	"net/url"
	"sync"

	"github.com/awarc/awarc/engine/extract"
	"github.com/awarc/awarc/engine/score"
	"github.com/awarc/awarc/frontier"
	"github.com/awarc/awarc/kb"
)

// Priorities: what a page is worth before anything is known of it. Content
// comes before the lists that lead to more of it, and the rest of an object
// before the next one, so that what an interrupted crawl has is whole. Links
// that nothing is known of lose one for each hop.
const (
	prioritySeed      = 1000
	priorityRequisite = 900
	priorityPart      = 800 // a further page of an object
	priorityContent   = 700 // a terminal level
	priorityList      = 600 // a further page of a list
	priorityLevel     = 500 // an intermediate level
	priorityOptional  = 200
	priorityUnknown   = 100
)

// LevelRequisite marks URLs that a page needs to be shown; they lead nowhere.
const LevelRequisite = "requisite"

// rules gives the URL rules for links found on a page of a type, or for a URL
// of which only its place is known.
func (e *Engine) rules(u *url.URL, t *kb.Type) *kb.URLRules {
	if t == nil && !e.options.Blind {
		t = e.typ(e.near.find(u))
	}
	if t == nil || e.options.Blind {
		return &kb.URLRules{}
	}
	return &t.URLs
}

// typeOf gives the type of the page whose link led to a URL, or nil.
func (e *Engine) typeOf(lease frontier.Lease) *kb.Type {
	if lease.Type == "" || e.options.Blind {
		return nil
	}
	return e.typ(kb.TypeID(lease.Type))
}

// follow decides which links of a page are fetched. On a page with a level only
// its navigation actions lead on. A page of an unknown application gives all its
// links; for one whose level is unknown see unnamed. What it returns is what scoring
// needs of each of r.links, if there is scoring.
func (e *Engine) follow(r *reading, lease frontier.Lease, base *url.URL) (judged []candidate) {
	t := r.page.Finding.Type
	known := r.page.Harvest.Level != nil
	links := r.leads().Links
	if t != nil && !known {
		links = e.unnamed(t, lease, base, links)
	}
	rules := e.rules(base, t)
	if t != nil {
		e.skip(r, rules, links)
	}
	seen := map[string]bool{}
	for _, l := range links {
		u := parseURL(l.URL)
		key := rules.Key(u)
		if seen[key] || l.Optional && !e.options.Optional {
			continue
		}
		seen[key] = true
		e.try(r, key, l)
		hops := lease.Hops + 1
		if l.Paging {
			hops = lease.Hops // a further page of the same thing is no further away
		}
		if e.outOfScope(r, e.options.Scope.judge(u, hops, false)) {
			continue
		}
		if e.refuses(r, u) {
			continue
		}
		r.tally.candidates++
		next := frontier.URL{URL: rules.Fetchable(u).String(), Key: key, Hops: hops, Priority: e.priority(l, t, hops), Level: string(l.To), Anchor: l.Text,
			Family: e.putOff(r, u, l.To != "")}
		if known || t != nil && l.To != "" {
			next.Type = string(t.ID)
		}
		r.links = append(r.links, next)
		if e.scoring.on {
			judged = append(judged, candidate{link: l, at: u, known: e.known(l, t, next.Priority)})
		}
	}
	return judged
}

// known is what the knowledge base says of a link, from 0 to 1: the place of its level in the
// order, and what links of that level turned out to lead to.
func (e *Engine) known(l extract.Link, t *kb.Type, priority int) float64 {
	if l.To == "" || t == nil {
		return score.None
	}
	return min(1, float64(priority)/prioritySeed*e.scoring.lift(string(t.ID)+"/"+string(l.To)))
}

func (e *Engine) priority(l extract.Link, t *kb.Type, hops int) int {
	if l.To == "" || t == nil {
		return max(1, priorityUnknown-hops)
	}
	terminal := false
	for _, v := range t.Level(l.To) {
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
func (e *Engine) skip(r *reading, rules *kb.URLRules, links []extract.Link) {
	taken := map[string]bool{}
	for _, l := range links {
		taken[l.URL] = true
	}
	for _, l := range extract.AllLinks(r.page.Doc, r.page.URL) {
		if u := parseURL(l.URL); !taken[l.URL] && e.options.Scope.Contains(u, 0) {
			r.tally.skippedByKB++
			e.skipped.add(rules.Fetchable(u).String())
		}
	}
}

// require adds what a page needs to be shown. It may come from anywhere that the
// user did not exclude.
func (e *Engine) require(r *reading, lease frontier.Lease, rules *kb.URLRules, links []extract.Link) {
	for _, l := range links {
		u := parseURL(l.URL)
		if e.outOfScope(r, e.options.Scope.judge(u, lease.Hops, true)) {
			continue
		}
		r.tally.candidates++
		r.links = append(r.links, frontier.URL{URL: u.String(), Key: rules.Key(u), Hops: lease.Hops, Priority: priorityRequisite, Level: LevelRequisite})
	}
}

// maxSkipped bounds the memory of skipped URLs; beyond it the figure that the
// progress line shows stays where it is.
const maxSkipped = 4 << 20

// skippedURLs counts the distinct URLs that a blind crawl would have asked for:
// a lower bound of what knowing the application saved in this session.
type skippedURLs struct {
	mu   sync.Mutex
	seed maphash.Seed
	seen map[uint64]struct{}
}

func (s *skippedURLs) add(u string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.seen == nil {
		s.seed, s.seen = maphash.MakeSeed(), map[uint64]struct{}{}
	}
	if len(s.seen) < maxSkipped {
		s.seen[maphash.String(s.seed, u)] = struct{}{}
	}
}

func (s *skippedURLs) count() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.seen)
}

// Saved is the number of distinct URLs of this session that no action leads to:
// requests that a blind crawl would have made at least.
func (e *Engine) Saved() int { return e.skipped.count() }
