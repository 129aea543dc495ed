package cluster

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"github.com/awarc/awarc/frontier"
)

// Each partition has a marker in its sums, written before the first URL. An operation on a partition
// without one is refused: its server has lost its keys, and what is left of the crawl must not end as
// if it were whole.

const (
	fieldMarked = "marked" // of the crawl: all partitions have their markers
	fieldMarker = "marker" // among the sums of a partition
	lostReply   = "LOST"   // begins the error of an operation on a partition without a marker
)

// markAll writes the markers of all partitions, unless that is done.
func (s *Store) markAll(ctx context.Context) error {
	key := crawlKey(s.options.Crawl)
	switch marked, err := s.client.HExists(ctx, key, fieldMarked).Result(); {
	case err != nil || marked:
		return err
	}
	var all sync.WaitGroup
	errs := make([]error, len(s.partitions))
	for i, p := range s.partitions {
		all.Go(func() { _, errs[i] = s.once(ctx, p.keys, s.common("mark"), s.wait) })
	}
	all.Wait()
	if i := slices.IndexFunc(errs, func(err error) bool { return err != nil }); i >= 0 {
		return fmt.Errorf("%s: %w", s.serverOf(ctx, s.partitions[i].keys[0]), errs[i]) // the others fail for the same reason
	}
	return s.client.HSet(ctx, key, fieldMarked, 1).Err()
}

// lost returns the error of the partition that has a key, whose marker is gone. It ends the crawl on
// this node; every other node finds the same.
func (s *Store) lost(ctx context.Context, key string) error {
	p := slices.IndexFunc(s.partitions, func(p partition) bool { return p.keys[0] == key })
	return s.options.wrong(frontier.Corrupt, fmt.Errorf("partition %d of %d on %s has lost its marker and thus the URLs of its "+
		"domains: the server was emptied (FLUSHALL), came back without AOF, or evicted keys; restore its data from an AOF, an RDB file or "+
		"a replica and run awarc resume, or start a new crawl with --dedupe of these folders", p, len(s.partitions), s.serverOf(ctx, key)))
}

// gone returns the error of a crawl whose own key is gone.
func (s *Store) gone(ctx context.Context) error {
	return s.options.wrong(frontier.Corrupt, fmt.Errorf("%s has lost the settings, limits and nodes of the crawl; "+
		"restore its data and run awarc resume", s.serverOf(ctx, crawlKey(s.options.Crawl))))
}

// serverOf returns the address of the server that has a key now.
func (s *Store) serverOf(ctx context.Context, key string) string {
	if server, err := s.server(ctx, key); err == nil {
		return server.Options().Addr
	}
	return "a server that does not respond"
}

// noteBroken keeps the first error that ends the crawl on this node: Next returns it.
func (s *Store) noteBroken(err error) {
	s.control.Lock()
	defer s.control.Unlock()
	if s.control.broken == nil {
		s.control.broken = err
	}
}

// broken returns the error that noteBroken keeps.
func (s *Store) broken() error {
	s.control.Lock()
	defer s.control.Unlock()
	return s.control.broken
}
