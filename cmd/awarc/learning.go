package main

import (
	"errors"
	"fmt"
	"path/filepath"
	"sync"
	"time"

	"github.com/awarc/awarc/engine"
	"github.com/awarc/awarc/engine/adapt"
	"github.com/awarc/awarc/kb"
)

// learnedFolder is where a crawl keeps what it learned and could not write
// beside the originals, below its folder.
const learnedFolder = "kb/learned"

// adapts tells whether a crawl mends actions.
func (f crawlFlags) adapts() bool { return !f.Blind && !f.NoAdapt }

// store is the knowledge base of the crawl: the built-in one, the user's files,
// and the crawl's own folder.
func (x *session) store() kb.Store { return storeOf(x.dir, x.settings.Flags) }

func storeOf(dir string, f crawlFlags) kb.Store {
	s := kb.Store{Under: f.under(), Paths: f.KB, Without: f.Without}
	if f.adapts() {
		s.Learned = filepath.Join(dir, learnedFolder)
	}
	return s
}

// learnedEntries are what a session wrote into the knowledge base.
type learnedEntries struct {
	mu      sync.Mutex
	entries map[string]kb.Entry // by id
	putBack map[string]bool
}

// adaptation connects the engine's learner with the knowledge base.
func (x *session) adaptation() (engine.Adaptation, error) {
	var o adapt.LearnerOptions
	if dir := x.settings.Flags.Previous; dir != "" {
		earlier, err := openEarlier(dir)
		if err != nil {
			return engine.Adaptation{}, err
		}
		o.Earlier = earlier.objects
	}
	return engine.Adaptation{
		Learner: adapt.New(o),
		Keep:    x.keep,
		Drop: func(entries []kb.Entry) error {
			var errs []error
			for i := range entries {
				_, err := x.store().Reject(entries[i].ID(), "it failed on further pages", time.Now())
				if !errors.Is(err, kb.ErrUnknownEntry) { // it was never written
					errs = append(errs, err)
				}
			}
			return errors.Join(errs...)
		},
	}, nil
}

// keep writes entries into the knowledge base and remembers them.
func (x *session) keep(inForce *kb.Base, entries []kb.Entry) ([]kb.Entry, error) {
	for i := range entries {
		entries[i].Learned = time.Now().UTC().Truncate(24 * time.Hour)
	}
	written, err := x.store().Learn(inForce, entries...)
	l := &x.learned
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.entries == nil {
		l.entries, l.putBack = map[string]kb.Entry{}, map[string]bool{}
	}
	for _, e := range written {
		l.entries[e.ID()] = e
	}
	return written, err
}

// respect looks for entries of this session that are gone from the knowledge
// base. An editor that saves what it read before they were written takes them
// away unknowingly: they are put back, once. Whoever takes one away again means it.
func (x *session) respect(next *kb.Base) {
	l := &x.learned
	l.mu.Lock()
	defer l.mu.Unlock()
	there := map[string]bool{}
	for i := range next.Entries {
		there[next.Entries[i].ID()] = true
	}
	for id, e := range l.entries {
		switch {
		case there[id]:
		case l.putBack[id]:
			delete(l.entries, id)
			x.engine.Forget(id)
			x.progress.note(fmt.Sprintf("%s was taken out of the knowledge base; this session does not use it any more", id))
		default:
			l.putBack[id] = true
			if _, err := x.store().Learn(next, e); err != nil {
				x.progress.note("what was learned could not be put back: " + err.Error())
				continue
			}
			x.progress.note(fmt.Sprintf("%s was gone from the knowledge base and is put back; reject it to keep it out: awarc kb reject %s --crawl %s", id, id, x.dir))
		}
	}
}

// tellAdapted writes the log of adaptation and tells what matters.
func (x *session) tellAdapted(a engine.Adapted) {
	if x.adapted != nil {
		x.adapted.write(a)
	}
	if a.Event == "reread" {
		return
	}
	for _, e := range a.Entries {
		x.progress.note(a.Event + ": " + e)
	}
}
