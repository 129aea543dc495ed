package engine

import (
	"slices"
	"sync"

	"github.com/awarc/awarc/engine/extract"
	"github.com/awarc/awarc/kb"
)

// How many links of a site must have addresses that the knowledge base knows, and how many
// of them those of content, before links with others are taken for what does not lead to
// content: blogs have lists at the same addresses everywhere, and posts where they like.
const (
	fewestAddressed = 5
	fewestContents  = 2
)

// maxAddressedSites bounds the memory of sites whose addresses are known.
const maxAddressedSites = 100_000

// knownAddresses counts for each site the links on pages of unknown level whose addresses
// are those of a level.
type knownAddresses struct {
	mu   sync.Mutex
	seen map[string]addressed
}

// addressed counts links with addresses of levels, and of them those that lead to content.
type addressed struct{ all, contents int }

// add counts links, and reports whether there are enough of a site.
func (k *knownAddresses) add(site string, n addressed) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.seen == nil || len(k.seen) > maxAddressedSites {
		k.seen = map[string]addressed{}
	}
	n.all, n.contents = n.all+k.seen[site].all, n.contents+k.seen[site].contents
	k.seen[site] = n
	return n.all >= fewestAddressed && n.contents >= fewestContents
}

// linksByAddress gives the links that are followed on a page whose level nobody knows, of a type
// that is known: search forms, logins and lists of members are such pages too, and all that
// they link to would be more than the site. Where the addresses of a type tell its lists
// and its content, those links are followed that lead there. All are, but for a page that
// was to be of a level, where the addresses do not tell so, on seeds, and on a site whose
// addresses are others.
func (f *following) linksByAddress(links []extract.Link) []extract.Link {
	t, base := f.typ, f.lease.at
	levels := addressedLevels(t)
	var picked []extract.Link
	var n addressed
	for _, l := range links {
		u := parseURL(l.URL)
		if l.To != "" {
			picked = append(picked, l) // by an action that is not confirmed yet
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
				picked = append(picked, l)
			}
		}
	}
	known := f.addresses.add(string(t.ID)+" "+base.Host, n)
	if f.lease.Level != "" || levels != nil && known && !f.lease.Seed {
		return picked
	}
	return links
}

// addressedLevels are the levels that the addresses of a type tell and that its actions
// lead to; nil where they are not both lists and content, so that following addresses would
// not lead through the site.
func addressedLevels(t *kb.Type) map[kb.LevelID]bool {
	levels := wantedLevels(t)
	kinds := map[kb.Kind]bool{}
	for id := range levels {
		for _, v := range t.Level(id) {
			kinds[v.Kind] = true
		}
	}
	if !kinds[kb.Terminal] || !kinds[kb.Intermediate] {
		return nil
	}
	return levels
}

// wantedLevels are the levels that the addresses of a type tell and that its actions lead to.
func wantedLevels(t *kb.Type) map[kb.LevelID]bool {
	wanted, levels := map[kb.LevelID]bool{}, map[kb.LevelID]bool{}
	for _, v := range t.Levels {
		for _, f := range v.Follow {
			if !f.Optional {
				wanted[f.To] = true
			}
		}
	}
	for _, a := range t.URLs.Addresses {
		if wanted[a.Level] {
			levels[a.Level] = true
		}
	}
	return levels
}
