package engine

import (
	"net/url"

	"github.com/awarc/awarc/engine/extract"
	"github.com/awarc/awarc/frontier"
)

// priorityGuess is that of what only looks like an address: it comes after all links.
const priorityGuess = 0

// speculate adds what looks like an address on a page, where the user asks for that.
func (e *Engine) speculate(r *reading, lease frontier.Lease, base *url.URL) {
	rules := e.rules(base, r.page.Finding.Type)
	for _, l := range extract.Guesses(extract.Page{Doc: r.page.Doc, URL: base, Charset: r.charset}) {
		u := parseURL(l.URL)
		if !e.options.Scope.Contains(u, lease.Hops+1) || e.refuses(r, u) {
			continue
		}
		r.tally.candidates++
		r.links = append(r.links, frontier.URL{URL: rules.Fetchable(u).String(), Key: rules.Key(u), Hops: lease.Hops + 1,
			Priority: priorityGuess, Family: e.putOff(r, u, false)})
	}
}
