package crawl

import (
	"errors"
	"path/filepath"
	"sync"
	"time"

	"github.com/awarc/awarc/engine"
	"github.com/awarc/awarc/engine/adapt"
	"github.com/awarc/awarc/kb"
)

// LearnedFolder is where a crawl keeps what it learned and could not write
// beside the originals, below its folder.
const LearnedFolder = "kb/learned"

// store is the knowledge base of the crawl: the built-in one, the user's files,
// and the crawl's own folder.
func (c *Crawl) store() kb.Store { return c.settings.Store(c.dir) }

// Store is the knowledge base of the crawl in a folder: the built-in one, the user's files, and what the crawl learned.
func (s *Settings) Store(dir string) kb.Store {
	store := kb.Store{Under: s.Flags.under(), Paths: s.Flags.KB, Without: s.Flags.Without}
	if s.Flags.adapts() || s.Flags.Draft {
		store.Learned = filepath.Join(dir, LearnedFolder)
	}
	return store
}

// learnedEntries are what a session confirmed and the knowledge base has, also if another process
// wrote it.
type learnedEntries struct {
	mu      sync.Mutex
	entries map[string]kb.Entry // by id
	putBack map[string]bool
}

// adaptation connects the engine's learner with the knowledge base.
func (c *Crawl) adaptation() (engine.Adaptation, error) {
	var o adapt.LearnerOptions
	if dir := c.settings.Flags.Previous; dir != "" {
		earlier, err := openEarlier(dir)
		if err != nil {
			return engine.Adaptation{}, err
		}
		o.Earlier = earlier.objects
	}
	a := engine.Adaptation{
		Learner: adapt.New(o),
		Keep:    c.keep,
		Drop: func(entries []kb.Entry) error {
			var errs []error
			for i := range entries {
				_, err := c.store().Reject(entries[i].ID(), "it failed on further pages", time.Now())
				if !errors.Is(err, kb.ErrUnknownEntry) { // it was never written
					errs = append(errs, err)
				}
			}
			return errors.Join(errs...)
		},
	}
	if c.shared != nil {
		a.Claim, a.Gather = c.claim, c.exchangeEvidence
	}
	return a, nil
}

// keep writes entries into the knowledge base and remembers them.
func (c *Crawl) keep(inForce *kb.Base, entries []kb.Entry) ([]kb.Entry, error) {
	for i := range entries {
		entries[i].Learned = time.Now().UTC().Truncate(24 * time.Hour)
	}
	written, err := c.store().Learn(inForce, entries...)
	l := &c.learned
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.entries == nil {
		l.entries, l.putBack = map[string]kb.Entry{}, map[string]bool{}
	}
	kept := written
	if err == nil {
		kept = entries
	}
	for _, e := range kept {
		l.entries[e.ID()] = e
	}
	return written, err
}

// respect looks for entries of this session that are gone from the knowledge
// base. An editor that saves what it read before they were written takes them
// away unknowingly: they are put back, once. Whoever takes one away again means it. The
// loss of an entry that an earlier session or another process learned is noted.
func (c *Crawl) respect(next *kb.Base) {
	l := &c.learned
	l.mu.Lock()
	defer l.mu.Unlock()
	there := map[string]bool{}
	for i := range next.Entries {
		there[next.Entries[i].ID()] = true
	}
	for _, e := range c.rules.get().Entries {
		if _, ours := l.entries[e.ID()]; !ours && !there[e.ID()] {
			there[e.ID()] = true // it is noted once
			c.note("an edit removed %s, which was learned on %s at %s: %s %s",
				e.ID(), e.Learned.Format(time.DateOnly), e.Site, e.Place, e.Expr)
		}
	}
	for id, e := range l.entries {
		switch {
		case there[id]:
		case l.putBack[id]:
			delete(l.entries, id)
			c.engine.Forget(id)
			c.note("%s was removed from the knowledge base; this session stops using it", id)
		default:
			l.putBack[id] = true
			if _, err := c.store().Learn(next, e); err != nil {
				c.note("a learned change could not be restored: %v", err)
				continue
			}
			c.note("%s was missing from the knowledge base and is restored; to remove it: awarc kb reject %s --crawl %s",
				id, id, c.dir)
		}
	}
}

// respectFiles is [Crawl.respect] of the files at the end of a session: an editor may have saved an
// older text since they were read.
func (c *Crawl) respectFiles() {
	c.learned.mu.Lock()
	none := len(c.learned.entries) == 0
	c.learned.mu.Unlock()
	if none {
		return
	}
	next, err := c.store().Load()
	if err != nil {
		c.note("the knowledge base is invalid and may lack learned changes: %v", err)
		return
	}
	c.respect(next)
}

// logAdapted writes the log of adaptation and notes what matters.
func (c *Crawl) logAdapted(a engine.Adapted) {
	if c.adapted != nil {
		c.adapted.write(a)
	}
	if a.Event == "reread" {
		return
	}
	for _, e := range a.Entries {
		c.note("%s: %s", a.Event, e)
	}
}
