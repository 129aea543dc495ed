package engine

import (
	"net/url"
	"slices"
	"sync"

	"github.com/awarc/awarc/engine/extract"
	"github.com/awarc/awarc/frontier"
	"github.com/awarc/awarc/kb"
)

// How many links of a site must have addresses that the knowledge base knows, and how many
// of them those of content, before links with others are taken for what does not lead to
// content: blogs have lists at the same addresses everywhere, and posts where they like.
const (
	fewestTold     = 5
	fewestContents = 2
)

// maxToldSites bounds the memory of sites whose addresses are known.
const maxToldSites = 100_000

// toldSites counts for each site the links on pages of unknown level whose addresses told a
// level.
type toldSites struct {
	mu   sync.Mutex
	seen map[string]toldLinks
}

// toldLinks are how many links were told, and how many of them as leading to content.
type toldLinks struct{ all, contents int }

// add counts links, and reports whether there are enough of a site.
func (s *toldSites) add(site string, n toldLinks) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.seen == nil || len(s.seen) > maxToldSites {
		s.seen = map[string]toldLinks{}
	}
	n.all, n.contents = n.all+s.seen[site].all, n.contents+s.seen[site].contents
	s.seen[site] = n
	return n.all >= fewestTold && n.contents >= fewestContents
}

// unnamed gives the links that are followed on a page whose level nobody knows, of a type
// that is known: search forms, logins and lists of members are such pages too, and all that
// they link to would be more than the site. Where the addresses of a type tell its lists
// and its content, those links are followed that lead there. All are, but for a page that
// was to be of a level, where the addresses do not tell so, on seeds, and on a site whose
// addresses are others.
func (e *Engine) unnamed(t *kb.Type, lease frontier.Lease, base *url.URL, links []extract.Link) []extract.Link {
	levels := addressedLevels(t)
	var told []extract.Link
	var n toldLinks
	for _, l := range links {
		u := parseURL(l.URL)
		if l.To != "" {
			told = append(told, l) // by an action that is not confirmed yet
			continue
		}
		if u.Host != base.Host || levels == nil {
			continue
		}
		if a := t.URLs.Level(u); a != nil && levels[a.Level] {
			n.all++
			if !slices.ContainsFunc(t.Level(a.Level), func(v *kb.Level) bool { return v.Kind != kb.Terminal }) {
				n.contents++
			}
			if !a.Part { // it is part of a page that has an address of its own
				told = append(told, l)
			}
		}
	}
	known := e.told.add(string(t.ID)+" "+base.Host, n)
	if lease.Level != "" || levels != nil && known && !lease.Seed {
		return told
	}
	return links
}

// addressedLevels are the levels that the addresses of a type tell and that its actions
// lead to; nil where they are not both lists and content, so that following addresses would
// not lead through the site.
func addressedLevels(t *kb.Type) map[kb.LevelID]bool {
	wanted := map[kb.LevelID]bool{}
	for _, v := range t.Levels {
		for _, f := range v.Follow {
			if !f.Optional {
				wanted[f.To] = true
			}
		}
	}
	levels := map[kb.LevelID]bool{}
	kinds := map[kb.Kind]bool{}
	for _, a := range t.URLs.Addresses {
		if wanted[a.Level] {
			levels[a.Level] = true
			for _, v := range t.Level(a.Level) {
				kinds[v.Kind] = true
			}
		}
	}
	if !kinds[kb.Terminal] || !kinds[kb.Intermediate] {
		return nil
	}
	return levels
}
