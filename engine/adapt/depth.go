package adapt

import (
	"slices"

	"github.com/awarc/awarc/engine/extract"
	"github.com/awarc/awarc/kb"
)

// depth is how many links lie between a level and content: 0 for a terminal level,
// 1 for what leads to one, and so on; unreached for what leads to none. A level that may
// be a text or a list, as the front of a blog, is a list. Optional
// links do not count: every list names the profiles of people.
func depth(t *kb.Type, id kb.LevelID) int {
	seen := map[kb.LevelID]bool{id: true}
	next := []kb.LevelID{id}
	for d := 0; len(next) > 0; d++ {
		here := next
		next = nil
		for _, at := range here {
			variants := t.Level(at)
			if len(variants) > 0 && !slices.ContainsFunc(variants, func(v *kb.Level) bool { return v.Kind != kb.Terminal }) {
				return d
			}
			for _, v := range variants {
				for _, f := range v.Follow {
					if !f.Paging && !f.Optional && !seen[f.To] {
						seen[f.To] = true
						next = append(next, f.To)
					}
				}
			}
		}
	}
	return unreached
}

const unreached = 1 << 20

// down reports whether a link leads nearer to content: not to further pages of the
// same, and not back up the trail.
func down(t *kb.Type, from, to kb.LevelID) bool { return depth(t, to) < depth(t, from) }

// leadsOn reports whether links of a page lead nearer to content without any mend.
// Then its mended ones can wait until they are confirmed: pages that nothing leads
// on from tell first whether the list is there in another form, or only empty here.
func leadsOn(t *kb.Type, h extract.Harvest) bool {
	if h.Level == nil {
		return false
	}
	for _, l := range h.Links {
		if !l.Paging && !l.Optional && down(t, h.Level.ID, l.To) {
			return true
		}
	}
	return false
}
