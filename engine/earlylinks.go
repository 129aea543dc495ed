package engine

import (
	"sync"

	"github.com/awarc/awarc/engine/ways"
	"github.com/awarc/awarc/frontier"
)

// earlyLinks are pending links that get a new place with new estimates of their link patterns. They
// are safe for concurrent use.
type earlyLinks struct {
	mu    sync.Mutex
	sites map[string]map[string]earlyLink // by host and key
	n     int                             // of all sites
}

// earlyLink is a pending link. Its priority is its place in the frontier; place is the one by the
// last estimate of its pattern, known.
type earlyLink struct {
	frontier.URL
	known known
	place int
}

// known is the part of a value that places depend on.
type known struct {
	level, tried int
	is           bool // the site has enough pages
}

func knownBy(v ways.Value, is bool) known {
	return known{v.Level, min(promiseTries, int(v.Tried+0.5)), is}
}

// Bounds of earlyLinks; links beyond them keep their place. They bound the memory to about 100 MB,
// and are arbitrary.
const (
	maxEarly    = 4096    // of a site
	maxEarlyAll = 1 << 17 // of all sites
)

// add adds a link with its place, or raises the place of a known one.
func (e *earlyLinks) add(host string, l earlyLink) {
	e.mu.Lock()
	defer e.mu.Unlock()
	l.place = l.Priority
	old, there := e.sites[host][l.Key]
	switch {
	case there && l.Priority <= old.Priority, !there && (len(e.sites[host]) >= maxEarly || e.n >= maxEarlyAll):
		return
	case e.sites == nil:
		e.sites = make(map[string]map[string]earlyLink)
	}
	if e.sites[host] == nil {
		e.sites[host] = make(map[string]earlyLink)
	}
	if e.sites[host][l.Key] = l; !there {
		e.n++
	}
}

// take removes and returns the links of a site.
func (e *earlyLinks) take(host string) (links []frontier.URL) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, l := range e.sites[host] {
		links = append(links, l.URL)
	}
	e.n -= len(links)
	delete(e.sites, host)
	return links
}

// raise returns the links of a site that have a higher place now. value returns the value of a
// pattern; place gives a link its place by a value.
func (e *earlyLinks) raise(
	host string, value func(way string) (ways.Value, bool), place func(frontier.URL, ways.Value) frontier.URL,
) (raised []frontier.URL) {
	e.mu.Lock()
	defer e.mu.Unlock()
	type valued struct {
		ways.Value
		known
	}
	values := map[string]valued{}
	for key, l := range e.sites[host] {
		v, done := values[Way(l.URL)]
		if !done {
			v.Value, v.is = value(Way(l.URL))
			v.known = knownBy(v.Value, v.is)
			values[Way(l.URL)] = v
		}
		if !v.is || v.known == l.known {
			continue
		}
		l.known = v.known
		now := place(l.URL, v.Value)
		if l.place = now.Priority; l.place > l.Priority {
			now.Decisive = true
			l.URL = now
			raised = append(raised, now)
		}
		e.sites[host][key] = l
	}
	return raised
}

// lower returns the links of a site whose place is at least slack above the last estimate of their
// patterns, with their new places. The link with the key has the given priority.
func (e *earlyLinks) lower(host, key string, priority, slack int) (lowered []frontier.URL) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for k, l := range e.sites[host] {
		if k == key {
			l.place = priority
		}
		if l.Priority >= l.place+slack {
			l.Priority = l.place
			e.sites[host][k] = l
			l.Decisive = true
			lowered = append(lowered, l.URL)
		}
	}
	return lowered
}

// drop removes a link that was fetched.
func (e *earlyLinks) drop(host, key string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if _, there := e.sites[host][key]; there {
		delete(e.sites[host], key)
		e.n--
	}
}
