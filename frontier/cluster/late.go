package cluster

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/gob"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/awarc/awarc/frontier"
)

// A server that dies without a replica takes its partitions along. Once it is away for longer than
// Options.Failover, nodes crawl on without them: the operation that settles a page keeps the changes
// for these partitions with the page, as late ones. When all servers answer again, any node applies
// them. A crawl with late changes is not drained.

// errAway is the error of an operation on a deserted partition.
var errAway = errors.New("the server does not answer")

// noteAway notes that the server of a partition does not answer. The partitions on that server are
// left alone for a while.
func (s *Store) noteAway(p int, pause time.Duration) {
	servers := make([]string, len(s.partitions)) // may take a request, so not under the lock
	if c, clustered := s.client.(*redis.ClusterClient); clustered {
		c.ReloadState(s.alive)
		for i := range servers {
			servers[i] = s.serverOf(s.alive, s.partitions[i].keys[0])
		}
	}
	k := &s.known
	k.Lock()
	defer k.Unlock()
	now := time.Now()
	for other := range k.wake {
		if servers[other] != servers[p] {
			continue
		}
		k.wake[other] = now.Add(pause)
		if k.away[other].IsZero() {
			k.away[other] = now
		}
	}
}

// noteBack notes that the server of a partition answers.
func (s *Store) noteBack(p int) {
	s.known.Lock()
	defer s.known.Unlock()
	s.known.away[p] = time.Time{}
}

// deserted reports whether the server of a partition is away for so long that no replica will take
// its place, while others answer: if none does, there is nothing to go on with.
func (s *Store) deserted(p int) bool {
	s.known.Lock()
	defer s.known.Unlock()
	since := s.known.away[p]
	return !since.IsZero() && time.Since(since) >= s.options.Failover && slices.ContainsFunc(s.known.away, time.Time.IsZero)
}

// allDeserted returns the deserted partitions.
func (s *Store) allDeserted() map[int]bool {
	s.known.Lock()
	defer s.known.Unlock()
	found := make(map[int]bool)
	if slices.ContainsFunc(s.known.away, time.Time.IsZero) {
		for p, since := range s.known.away {
			if !since.IsZero() && time.Since(since) >= s.options.Failover {
				found[p] = true
			}
		}
	}
	return found
}

// Deserted returns the servers that are left out because they are away for longer than
// Options.Failover, with the number of their partitions.
func (s *Store) Deserted() map[string]int {
	servers := make(map[string]int)
	for p := range s.allDeserted() {
		servers[s.serverOf(s.alive, s.partitions[p].keys[0])]++
	}
	return servers
}

// anyAway reports whether a server does not answer.
func (s *Store) anyAway() bool {
	s.known.Lock()
	defer s.known.Unlock()
	return slices.ContainsFunc(s.known.away, func(t time.Time) bool { return !t.IsZero() })
}

// answering returns a partition, or if it is deserted the next one that is not.
func (s *Store) answering(p int) int {
	for range s.partitions {
		if !s.deserted(p) {
			break
		}
		p = (p + 1) % len(s.partitions)
	}
	return p
}

// late are changes that wait for partitions. Settings are named as in Redis, since any node may
// apply them.
type late struct {
	Via, Key string // of the page
	Aliases  []string
	Links    []frontier.URL
	Exclude  []frontier.Exclusion
	Marks    []frontier.Mark
	Settings map[string][]byte
	Families []byte // JSON of them: gob cannot keep a pointer to false

	families map[string]frontier.FamilyChange
}

func (l *late) empty() bool {
	return len(l.Aliases)+len(l.Links)+len(l.Exclude)+len(l.Marks)+len(l.Settings)+len(l.families) == 0
}

// keep adds late changes to the part of the partition that settles the page.
func (x *parts) keep(p *part) error {
	l := &x.late
	if l.empty() {
		return nil
	}
	var err error
	if l.Families, err = json.Marshal(l.families); err != nil {
		return err
	}
	var data bytes.Buffer
	if err := gob.NewEncoder(&data).Encode(l); err != nil {
		return fmt.Errorf("cluster: changes of %s for a partition that does not answer: %w", clipped(l.Via), err)
	}
	p.n[7]++
	p.lates = append(p.lates, rand.Text(), data.Bytes())
	return nil
}

// again adds what was kept late.
func (x *parts) again(data []byte) error {
	var l late
	err := gob.NewDecoder(bytes.NewReader(data)).Decode(&l)
	if err == nil {
		err = json.Unmarshal(l.Families, &l.families)
	}
	if err != nil {
		return x.s.options.wrong(frontier.Corrupt, fmt.Errorf("changes that waited for a partition are damaged: %w", err))
	}
	for _, key := range l.Aliases {
		x.alias(l.Key, l.Via, key)
	}
	for name, value := range l.Settings {
		x.put(name, value)
	}
	return x.add(l.Via, &frontier.Outcome{Links: l.Links, Exclude: l.Exclude, Marks: l.Marks, Families: l.families}, nowhere)
}

// tend watches servers that are away, and applies late changes once all answer.
func (s *Store) tend(ctx context.Context) error {
	if s.anyAway() {
		_, _, err := s.glanceAtSums(ctx)
		s.known.Lock()
		total := s.known.sums
		s.known.Unlock()
		if err == nil || passing(err) {
			err = s.spend(total)
		}
		return err
	}
	s.known.Lock()
	waiting := s.known.sums["late"] > 0
	s.known.Unlock()
	if !waiting {
		return nil
	}
	each, _, err := s.glanceAtSums(ctx)
	if err != nil {
		return err
	}
	for p, one := range each {
		if one["late"] != "" && one["late"] != "0" {
			if err := s.deliver(ctx, p); err != nil {
				return err
			}
		}
	}
	_, _, err = s.glanceAtSums(ctx)
	return err
}

// deliver applies the late changes that a partition keeps. Two nodes may do it at once: each change
// may be made twice.
func (s *Store) deliver(ctx context.Context, p int) error {
	all := s.client.HScan(ctx, s.partitions[p].keys[keyLate], 0, "", 10).Iterator()
	for all.Next(ctx) {
		id := all.Val()
		if !all.Next(ctx) {
			break
		}
		data := []byte(all.Val())
		if _, _, _, err := s.spread(ctx, func(x *parts) error { return x.again(data) }, nowhere); err != nil {
			return err
		}
		if _, err := s.change(ctx, p, "delivered", id); err != nil {
			return err
		}
	}
	return all.Err()
}
