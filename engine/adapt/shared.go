package adapt

import (
	"maps"
	"slices"

	"github.com/awarc/awarc/kb"
)

// Evidence is what the pages of one learner say of a candidate that is not confirmed. Learners of one crawl that hear each other's need
// together as many pages as one alone.
type Evidence struct {
	Key   string   `json:"key"`
	Entry kb.Entry `json:"entry"`
	Pages []string `json:"pages"` // that support it, at most as many as a learner needs
	tally
}

// all is what the pages of all learners say of a lesson.
func (c *lesson) all() (pages int, t tally) {
	if len(c.heard) == 0 {
		return len(c.pages), c.tally
	}
	seen := maps.Clone(c.pages)
	t = c.tally
	for _, e := range c.heard {
		for _, page := range e.Pages {
			seen[page] = true
		}
		t.Against, t.Led, t.Misled = t.Against+e.Against, t.Led+e.Led, t.Misled+e.Misled
		t.Distinct, t.Repeated = t.Distinct+e.Distinct, t.Repeated+e.Repeated
		t.Most, t.Nodes = max(t.Most, e.Most), max(t.Nodes, e.Nodes)
	}
	return len(seen), t
}

// Evidence is what this learner's own pages say of what is not confirmed yet.
func (l *Learner) Evidence() (all []Evidence) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, key := range slices.Sorted(maps.Keys(l.mu.keys)) {
		for _, c := range l.mu.keys[key].all {
			if c.confirmed || len(c.pages) == 0 || l.dropped(c) {
				continue
			}
			pages := slices.Sorted(maps.Keys(c.pages))
			all = append(all, Evidence{key, c.entry, pages[:min(len(pages), l.options.Confirm+1)], c.tally})
		}
	}
	return all
}

// Hear takes what another learner says in place of what it said before, and returns what is decided by it: what all together confirm, if
// this learner has pages for it; and, without entries, what base has in force, which another has confirmed.
func (l *Learner) Hear(base *kb.Base, from string, said []Evidence) (decided []Decided) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, k := range l.mu.keys {
		for _, c := range k.all {
			delete(c.heard, from)
		}
	}
	for _, e := range said {
		if c := l.lessons(e.Key).lesson(e.Entry); c != nil && !c.confirmed {
			c.heard[from] = e
		}
	}
	for _, key := range slices.Sorted(maps.Keys(l.mu.keys)) {
		k, known := l.mu.keys[key], false
		for _, c := range k.all {
			if !c.confirmed && inForce(base, c.entry) {
				c.confirmed, known = true, true
				clear(k.failed)
			}
		}
		d := k.confirm(l.options.Confirm, func(c *lesson) bool { return !base.Rejected(c.entry) })
		if d.Key = key; known || len(d.Entries) > 0 {
			decided = append(decided, d)
		}
	}
	return decided
}

// inForce reports whether a knowledge base has an entry and uses it.
func inForce(base *kb.Base, e kb.Entry) bool {
	return slices.ContainsFunc(base.Entries, func(there kb.Entry) bool { return there.ID() == e.ID() && !there.Rejected })
}
