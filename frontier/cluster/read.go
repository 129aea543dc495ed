package cluster

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/awarc/awarc/frontier"
)

// sumsLast is for how long sums are told again without asking.
const sumsLast = 500 * time.Millisecond

// totals returns the sums of a moment ago.
func (s *Store) totals() sums {
	s.known.Lock()
	total, recent := s.known.sums, s.known.fresh && time.Since(s.known.at) < sumsLast
	s.known.Unlock()
	if recent {
		return total
	}
	if total == nil {
		total, _ = s.readSums(s.alive) // the next change reports the error
		return total
	}
	if _, now, err := s.glanceAtSums(s.alive); now != nil || err == nil {
		return now
	}
	return total
}

// Stats returns counts of all nodes together, of a moment ago; the last ones when the servers are away.
func (s *Store) Stats() frontier.Stats {
	t := s.totals()
	state := func(st frontier.State) int { return t["state"+strconv.Itoa(int(st))] }
	stats := frontier.Stats{
		Pending: t.pending() - t["leased pending"] + t["late"], Leased: t["leases"], Seen: t["seq"], Hosts: t["active"],
		Fetched: state(frontier.Fetched), Failed: state(frontier.Failed), Excluded: state(frontier.Excluded),
		Aliased: state(frontier.Aliased), PutOff: state(frontier.PutOff) - t["leased deferred"], Held: t["held"], Stopped: t["stopped"],
	}
	return stats
}

// Counters returns the durable counters of all nodes together. Partitions whose servers are away
// count with what they said last; at first, Counters waits for them.
func (s *Store) Counters() map[string]int64 {
	counters := make(map[string]int64)
	s.known.Lock()
	asked := s.known.counted != nil
	s.known.Unlock()
	_ = s.insist(s.alive, func(ctx context.Context) error { // the next change reports the error
		each, err := s.glanceAtCounters(ctx)
		if err != nil && !(asked && passing(err)) {
			return err
		}
		clear(counters)
		for _, one := range each {
			for name, value := range one {
				n, err := strconv.ParseInt(value, 10, 64)
				if err != nil {
					return fmt.Errorf("cluster: counter %q is %q", name, value)
				}
				counters[name] += n
			}
		}
		return nil
	})
	return counters
}

// glanceAtCounters asks all partitions once. The error is that of one that does not answer.
func (s *Store) glanceAtCounters(ctx context.Context) (each []map[string]string, err error) {
	ctx, cancel := context.WithTimeout(ctx, replyTime)
	defer cancel()
	pipe := s.client.Pipeline()
	var replies []*redis.MapStringStringCmd
	for _, p := range s.partitions {
		replies = append(replies, pipe.HGetAll(ctx, p.keys[keyCounters]))
	}
	_, _ = pipe.Exec(ctx) // each command has its error
	s.known.Lock()
	defer s.known.Unlock()
	each = make([]map[string]string, len(replies))
	copy(each, s.known.counted)
	for p, r := range replies {
		if failed := r.Err(); failed != nil {
			err = failed
			continue
		}
		each[p] = r.Val()
	}
	s.known.counted = slices.Clone(each)
	return each, err
}

// Lookup returns what is known about a key. The second value is false for a key that was never added. A damaged entry is returned with
// that as its Reason.
func (s *Store) Lookup(key string) (frontier.Entry, bool) {
	key = frontier.KeptKey(key)
	d := digestOf(key)
	var reply any
	var err error
	for _, p := range s.homes(key) {
		if reply, err = s.read(s.alive, p, "lookup", d[:]); reply != nil || err != nil {
			break
		}
	}
	if err == nil && reply == nil {
		return frontier.Entry{}, false
	}
	var e kept
	if err == nil {
		e, err = decodeEntry(reply)
	}
	switch {
	case errors.Is(err, frontier.ErrClosed):
		return frontier.Entry{}, false
	case err != nil:
		return frontier.Entry{URL: frontier.URL{URL: key, Key: key}, Reason: err.Error()}, true
	}
	return e.Entry, true
}

// scan calls fn for every entry, in no particular order. Those that change meanwhile may be seen or not, or twice.
func (s *Store) scan(fn func(kept) error) error {
	for p := range s.partitions {
		for cursor := "0"; ; {
			reply, err := s.read(s.alive, p, "scan", cursor)
			if err != nil {
				return err
			}
			l := list(reply)
			if len(l) < 2 {
				return fmt.Errorf("cluster: a scan has %d fields, want 2", len(l))
			}
			for _, one := range list(l[1]) {
				e, err := decodeEntry(one)
				if err == nil {
					err = fn(e)
				}
				if err != nil {
					return err
				}
			}
			if cursor = text(l, 0); cursor == "0" {
				break
			}
		}
	}
	return nil
}

// Each calls fn for every entry in the given state, in no particular order, until fn returns an error, which Each returns.
func (s *Store) Each(state frontier.State, fn func(frontier.Entry) error) error {
	return s.scan(func(e kept) error {
		if e.State != state {
			return nil
		}
		return fn(e.Entry)
	})
}

// EachHere is Each for what this node has settled: what its archive must have.
func (s *Store) EachHere(state frontier.State, fn func(frontier.Entry) error) error {
	return s.EachOf(s.options.Node, state, fn)
}

// EachOf is Each for what a node has settled.
func (s *Store) EachOf(node string, state frontier.State, fn func(frontier.Entry) error) error {
	return s.scan(func(e kept) error {
		if e.State != state || e.node != node {
			return nil
		}
		return fn(e.Entry)
	})
}

// All is Each for every entry. It returns how many URLs were ever numbered, each of which has an entry.
func (s *Store) All(fn func(frontier.Entry) error) (found int, err error) {
	if err := s.scan(func(e kept) error { return fn(e.Entry) }); err != nil {
		return 0, err
	}
	total, err := s.readSums(s.alive)
	return total["seq"], err
}

// Note returns the note of a host, nil if it has none.
func (s *Store) Note(host string) []byte {
	for _, p := range s.homesOf(host) {
		if note := s.field(p, keyNotes, host); note != nil {
			return note
		}
	}
	return nil
}

// Meta returns the setting of that key, nil if it was never put.
func (s *Store) Meta(key string) []byte {
	name := s.settingName(key)
	return s.field(s.of(name), keySettings, name)
}

// field reads a field of a hash; nil if there is none, or nobody answers, which the next change says.
func (s *Store) field(p, key int, name string) (value []byte) {
	_ = s.insistOn(s.alive, p, func(ctx context.Context) error {
		var err error
		if value, err = s.client.HGet(ctx, s.partitions[p].keys[key], name).Bytes(); errors.Is(err, redis.Nil) {
			return nil
		}
		return err
	})
	return value
}

// PutMeta stores a setting of the caller and returns once it is durable. A nil value takes it away.
func (s *Store) PutMeta(key string, value []byte) error {
	o := frontier.Outcome{Meta: map[string][]byte{key: value}}
	if err := o.ValidateNames(); err != nil {
		return fmt.Errorf("frontier: %w", err)
	}
	x := s.parts(nil)
	x.setting(key, value)
	_, _, _, err := x.apply(s.alive, nowhere)
	if errors.Is(err, errAway) {
		return s.Amend("", o)
	}
	if err != nil {
		return err
	}
	return x.clean(s.alive)
}

// EachMeta calls fn for every setting whose key starts with prefix, private ones only of this node.
func (s *Store) EachMeta(prefix string, fn func(key string, value []byte) error) error {
	name := s.settingName(prefix)
	space, _, _ := strings.Cut(name, "\x00")
	for p := range s.partitions {
		found := make(map[string]string)
		err := s.insistOn(s.alive, p, func(ctx context.Context) error {
			all := s.client.HScan(ctx, s.partitions[p].keys[keySettings], 0, globbed(name)+"*", 100).Iterator()
			for all.Next(ctx) {
				key := all.Val()
				if !all.Next(ctx) {
					break
				}
				found[strings.TrimPrefix(key, space+"\x00")] = all.Val()
			}
			return all.Err()
		})
		if err != nil {
			return err
		}
		for key, value := range found {
			if err := fn(key, []byte(value)); err != nil {
				return err
			}
		}
	}
	return nil
}

// globbed is a text as a pattern that it alone matches.
func globbed(text string) string {
	return strings.NewReplacer(`\`, `\\`, "*", `\*`, "?", `\?`, "[", `\[`, "]", `\]`, "^", `\^`).Replace(text)
}

// EndWaits ends all waits of URLs and hosts that would last longer than longest, some hosts at a
// time, and returns how many there were.
func (s *Store) EndWaits(ctx context.Context, longest time.Duration) (ended int, err error) {
	for p := range s.partitions {
		for cursor, more := "0", true; more; {
			reply, err := s.change(ctx, p, "waits", cursor, micros(longest))
			if err != nil {
				return ended, err
			}
			said := list(reply)
			cursor, more = text(said, 0), number(said, 2) > 0
			ended += int(number(said, 1))
		}
		s.stir(p)
	}
	return ended, nil
}
