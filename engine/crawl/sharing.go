package crawl

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/awarc/awarc/frontier/cluster"
	"github.com/awarc/awarc/kb"
)

// How often nodes tell each other what they have learned, and how long they may take for it when a session ends.
const (
	sharingEvery = 2 * time.Second
	sharingTime  = 10 * time.Second
)

// sharing keeps what was learned the same on all nodes of a crawl, and what engineers accepted and rejected. The files of each node are
// what it has in force; what all know together is in the frontier, an entry under its id.
type sharing struct {
	store kb.Store
	with  *cluster.Store
	hash  string              // of the knowledge base that own is of
	own   map[string]kb.Entry // what this node has, by id
	known map[string]kb.Entry // what it had when it was last compared
	told  map[string]string   // what all knew then, as it is kept
}

// shareLearning goes on until ctx ends, and then tells once more.
func (c *Crawl) shareLearning(ctx context.Context) {
	if c.shared == nil || !c.settings.Flags.adapts() {
		return
	}
	s := &sharing{store: c.store(), with: c.shared, known: map[string]kb.Entry{}, told: map[string]string{}}
	tick := time.NewTicker(sharingEvery)
	defer tick.Stop()
	failed := ""
	for ended := false; ; {
		hash := c.rules.get().Hash
		if ended {
			hash = "" // the files may have changed in the last moment
		}
		within, cancel := context.WithTimeout(context.WithoutCancel(ctx), sharingTime)
		err := s.exchange(within, hash)
		cancel()
		if err != nil && err.Error() != failed {
			failed = err.Error()
			c.note("learned data is not shared between nodes: %v", err)
		}
		if ended {
			return
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			ended = true
		}
	}
}

// exchange takes over what others have told, and tells what is new here. hash is that of the knowledge base in force.
func (s *sharing) exchange(ctx context.Context, hash string) error {
	if hash == "" || hash != s.hash {
		if err := s.read(); err != nil {
			return err
		}
		s.hash = hash
	}
	told, err := s.with.Told(ctx)
	if err != nil {
		return err
	}
	var errs []error
	took := false
	for id, text := range told {
		if s.told[id] == text || strings.HasPrefix(id, toldContent) {
			continue
		}
		var e kb.Entry
		if err := json.Unmarshal([]byte(text), &e); err != nil || e.ID() != id {
			errs = append(errs, fmt.Errorf("the shared data of %s is unreadable: %w", id, err))
			continue
		}
		changed, err := s.take(e)
		took = took || changed
		if errs = append(errs, err); err == nil {
			s.told[id] = text
		}
	}
	if took {
		errs = append(errs, s.read())
	}
	return errors.Join(append(errs, s.tell(ctx))...)
}

// read reads what this node has.
func (s *sharing) read() error {
	base, err := s.store.Load()
	if err != nil {
		return nil // somebody is editing; the crawl says so
	}
	s.own = map[string]kb.Entry{}
	for _, e := range base.Entries {
		e.Pos = kb.Position{}
		s.own[e.ID()] = e
	}
	return nil
}

// take makes an entry what another node has made it.
func (s *sharing) take(e kb.Entry) (changed bool, err error) {
	id := e.ID()
	own, here := s.own[id]
	learn := func(site string) error {
		add := e
		add.Site, add.Rejected = site, false
		written, err := s.store.Learn(nil, add)
		changed = changed || len(written) > 0
		return err
	}
	if !here {
		if err := learn(e.Site); err != nil {
			return changed, err
		}
	}
	switch {
	case e.Rejected && !own.Rejected:
		changed = true
		_, err = s.store.Reject(id, e.Why, time.Now())
	case e.Accepted && !own.Accepted:
		changed = true
		_, err = s.store.Accept(id, time.Now())
	case here && !own.Rejected:
		for _, site := range strings.Fields(e.Site) {
			if !slices.Contains(strings.Fields(own.Site), site) {
				err = errors.Join(err, learn(site))
			}
		}
	}
	return changed, err
}

// tell tells what was learned or decided here since the last time.
func (s *sharing) tell(ctx context.Context) error {
	var errs []error
	for id, e := range s.own {
		was, known := s.known[id]
		if known && same(was, e) {
			continue
		}
		var all kb.Entry
		if json.Unmarshal([]byte(s.told[id]), &all) == nil && same(all, e) {
			continue
		}
		for _, site := range strings.Fields(all.Site) {
			if !slices.Contains(strings.Fields(e.Site), site) {
				e.Site += " " + site
			}
		}
		text, err := json.Marshal(e)
		if err == nil {
			err = s.with.Tell(ctx, id, text)
		}
		if errs = append(errs, err); err == nil {
			s.told[id] = string(text)
		}
	}
	if err := errors.Join(errs...); err != nil {
		return err
	}
	s.known = s.own
	return nil
}

// same reports whether two entries of one id say the same.
func same(a, b kb.Entry) bool {
	sites := func(e kb.Entry) []string { return slices.Sorted(slices.Values(strings.Fields(e.Site))) }
	return a.Rejected == b.Rejected && a.Accepted == b.Accepted && slices.Equal(sites(a), sites(b))
}
