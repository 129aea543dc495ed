package adapt

import (
	"strings"

	"github.com/awarc/awarc/kb"
)

// Led tells the learner where a link led that was followed by a navigation action
// which is not confirmed yet: to a page of the level that the action promises, or
// elsewhere. Only what leads there is confirmed. The entries that are confirmed by
// it are returned with their key, as in a Result.
func (l *Learner) Led(id string, there bool) (key string, confirmed []kb.Entry) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for name, k := range l.mu.keys {
		for _, c := range k.candidates {
			if c.entry.ID() != id {
				continue
			}
			if there {
				c.led++
			} else {
				c.misled++
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
	return !strings.HasPrefix(c.entry.Part, "follow ") || c.led > 0 && c.misled*4 <= c.led
}

// confirms reports whether enough pages speak for a candidate now.
func (l *Learner) confirms(c *lesson) bool {
	return !c.confirmed && len(c.pages) > l.options.Confirm && c.against*4 <= len(c.pages) && c.leads() && !c.namesSite()
}
