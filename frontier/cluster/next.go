package cluster

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"sync"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/awarc/awarc/frontier"
)

// ask is a call of Next.
type ask struct {
	ctx   context.Context
	reply chan answer
}

type answer struct {
	lease frontier.Lease
	err   error
}

// known is what a node remembers of partitions, so as not to ask those that have nothing.
type known struct {
	sync.Mutex
	wake    []time.Time         // when there may be something
	above   []time.Time         // when there may be something of a priority above 0; zero for never
	away    []time.Time         // since when its server does not answer; zero if it does
	from    int                 // the partition that is asked next
	leased  time.Time           // when this node last got a lease
	each    []map[string]string // the last sums of each partition
	sums    sums
	at      time.Time           // of sums
	fresh   bool                // nothing of this node has changed them
	counted []map[string]string // the last counters of each partition
}

// Next waits until a URL may be fetched and leases it, see package frontier. It returns frontier.ErrDrained when no node has anything in
// work and nothing is left.
func (s *Store) Next(ctx context.Context) (frontier.Lease, error) {
	a := ask{ctx, make(chan answer)}
	select {
	case s.asks <- a:
	case <-ctx.Done():
		return frontier.Lease{}, ctx.Err()
	case <-s.alive.Done():
		return frontier.Lease{}, frontier.ErrClosed
	}
	select {
	case got := <-a.reply:
		return got.lease, got.err
	case <-ctx.Done():
		return frontier.Lease{}, ctx.Err()
	case <-s.alive.Done():
		return frontier.Lease{}, frontier.ErrClosed
	}
}

// tell gives an answer to who asked, and reports whether he was still there.
func (s *Store) tell(a ask, got answer) bool {
	select {
	case a.reply <- got:
		return true
	case <-a.ctx.Done():
	case <-s.alive.Done():
	}
	return false
}

// tellAll gives the same answer to all.
func (s *Store) tellAll(waiting []ask, err error) {
	for _, a := range waiting {
		s.tell(a, answer{err: err})
	}
}

// dispatch serves those who ask: it goes round the partitions that may have something, and takes for all who wait at once.
func (s *Store) dispatch() {
	var waiting []ask
	for {
		waiting = s.gather(waiting)
		if s.alive.Err() != nil {
			return
		}
		p, due := s.partitionDue()
		switch {
		case len(waiting) == 0:
		case s.broken() != nil:
			s.tellAll(waiting, s.broken())
			waiting = nil
		case s.paused.is():
			s.rest(&waiting, s.options.Poll)
		case due:
			waiting = s.serve(p, waiting)
		default:
			drained, err := s.drained()
			if drained {
				err = frontier.ErrDrained
			}
			if err != nil {
				s.tellAll(waiting, err)
				waiting = nil
				continue
			}
			s.rest(&waiting, min(s.nextWake(), s.options.Poll))
		}
	}
}

// gather takes in who asks, and waits for the first if there is nobody. Those who have gone are forgotten.
func (s *Store) gather(waiting []ask) []ask {
	var still []ask
	for _, a := range waiting {
		if a.ctx.Err() == nil {
			still = append(still, a)
		}
	}
	for len(still) == 0 {
		select {
		case a := <-s.asks:
			still = append(still, a)
		case <-s.alive.Done():
			return nil
		}
	}
	for {
		select {
		case a := <-s.asks:
			still = append(still, a)
		default:
			return still
		}
	}
}

// rest waits for a while, or for somebody who asks: then something may have been added.
func (s *Store) rest(waiting *[]ask, d time.Duration) {
	if d <= 0 {
		return
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case a := <-s.asks:
		*waiting = append(*waiting, a)
	case <-timer.C:
	case <-s.alive.Done():
	}
}

// partitionDue returns the next partition that may have something.
func (s *Store) partitionDue() (p int, due bool) {
	k := &s.known
	k.Lock()
	defer k.Unlock()
	now := time.Now()
	for _, first := range []bool{true, false} {
		for i := range k.wake {
			p := (k.from + i) % len(k.wake)
			if first && (k.above[p].IsZero() || k.above[p].After(now)) || !first && k.wake[p].After(now) {
				continue
			}
			k.from = (p + 1) % len(k.wake)
			return p, true
		}
	}
	return 0, false
}

// nextWake is for how long no partition will have something, as far as is known.
func (s *Store) nextWake() time.Duration {
	k := &s.known
	k.Lock()
	defer k.Unlock()
	first := k.wake[0]
	for p, t := range k.wake {
		if above := k.above[p]; !above.IsZero() && above.Before(t) {
			t = above
		}
		if t.Before(first) {
			first = t
		}
	}
	return time.Until(first)
}

// stir notes that a partition may have something now.
func (s *Store) stir(p int) {
	s.known.Lock()
	defer s.known.Unlock()
	s.known.wake[p], s.known.fresh = time.Time{}, false
}

// serve takes from a partition for those who wait, and returns those who still do.
func (s *Store) serve(p int, waiting []ask) []ask {
	fail := func(err error) []ask {
		s.tellAll(waiting, err)
		return nil
	}
	began := time.Now()
	args := append(s.common("take"), s.options.Node, micros(s.options.Lease), len(waiting))
	reply, err := s.once(s.alive, s.partitions[p].keys, args, s.wait)
	if passing(err) {
		if err := s.leaveAlone(p, time.Since(began), err); err != nil {
			return fail(err)
		}
		return waiting
	}
	if err != nil {
		return fail(s.named(err))
	}
	wake, above := number(list(reply), 0), number(list(reply), 2)
	s.known.Lock()
	s.known.away[p], s.known.above[p] = time.Time{}, time.Time{}
	if above >= 0 {
		s.known.above[p] = time.Now().Add(time.Duration(above) * time.Microsecond)
	}
	switch {
	case wake < 0 || time.Duration(wake)*time.Microsecond > s.options.Poll:
		s.known.wake[p] = time.Now().Add(s.options.Poll)
	default:
		s.known.wake[p] = time.Now().Add(time.Duration(wake) * time.Microsecond)
	}
	s.known.Unlock()
	if len(list(reply)) < 3 {
		return waiting
	}
	leases, err := s.admit(p, began, list(list(reply)[1]))
	if err != nil {
		return fail(err)
	}
	for len(leases) > 0 && len(waiting) > 0 {
		if s.tell(waiting[0], answer{lease: leases[0]}) {
			s.known.Lock()
			s.known.leased = time.Now()
			s.known.Unlock()
			leases = leases[1:]
		}
		waiting = waiting[1:]
	}
	s.giveBack(p, leases)
	return waiting
}

// giveBack ends leases that nobody waits for any more. Those of which a server does not hear end by themselves.
func (s *Store) giveBack(p int, leases []frontier.Lease) {
	var back []any
	for _, l := range leases {
		s.leases.Lock()
		h := s.leases.held[l.ID]
		delete(s.leases.held, l.ID)
		s.leases.Unlock()
		h.lose(nil)
		if h.address != "" {
			_, _ = s.once(s.alive, s.partitions[s.of(h.address)].keys, append(s.common("leave"), h.address, h.id(s.options.Node), 0), 0)
		}
		if h.pass != 0 {
			_, _ = s.once(s.alive, s.partitions[h.gate].keys, append(s.common("passed"), h.pass, s.options.Node, -1), 0)
		}
		back = append(back, h.token, 0)
	}
	_ = s.back(p, back) // they are not this node's any more
}

// back ends leases, given as tokens and waits, as if they had never been, but that their hosts wait. One that a server does not hear of
// ends by itself.
func (s *Store) back(p int, tokens []any) error {
	if len(tokens) == 0 {
		return nil
	}
	defer s.stir(p)
	args := append(s.common("back"), s.options.Node, len(tokens)/2)
	if _, err := s.once(s.alive, s.partitions[p].keys, append(args, tokens...), s.wait); err != nil && !passing(err) {
		return s.named(err)
	}
	return nil
}

// glancePause is how long a partition is left alone whose server does not answer.
func (s *Store) glancePause() time.Duration { return min(s.options.Poll, 200*time.Millisecond) }

// leaveAlone looks at other servers while that of a partition does not answer, which took so long to find out. It returns an error
// once nothing could be leased anywhere for Options.Patience. What was leased by an answer that did not come, or that too few replicas
// know of, comes again when the lease ends.
func (s *Store) leaveAlone(p int, took time.Duration, why error) error {
	s.noteAway(p, max(s.glancePause(), 4*took)) // dispatch waits for this attempt, so it makes few
	s.known.Lock()
	since := s.known.away[p]
	if s.known.leased.After(since) {
		since = s.known.leased
	}
	s.known.Unlock()
	if time.Since(since) <= s.options.Patience {
		return nil
	}
	return fmt.Errorf("cluster: %s: partition %d of %d on %s does not answer, and nothing could be leased elsewhere for %v: %w; "+
		"bring the server or its replica back and run awarc resume", hidden(s.options.URL), p, len(s.partitions),
		s.serverOf(s.alive, s.partitions[p].keys[0]), s.options.Patience, why)
}

// admit makes the leases that a partition gave those of this node, but for those whose address must not be asked now, or does not
// say in time whether it may be.
func (s *Store) admit(p int, began time.Time, taken []any) (leases []frontier.Lease, err error) {
	ctx, cancel := context.WithDeadline(s.alive, began.Add(s.options.Lease/2))
	defer cancel()
	var back []any
	for _, t := range taken {
		l := list(t)
		if len(l) < 8 {
			return nil, fmt.Errorf("cluster: a lease has %d fields, want 8", len(l))
		}
		e, err := decodeEntry(l[1])
		if err != nil {
			return nil, err
		}
		h := &held{partition: p, token: number(l, 0), key: e.Key, digest: digestOf(e.Key), renewed: began, floor: number(l, 4),
			above: number(l, 5) == 1}
		wait, err := s.allow(ctx, h, text(l, 6), text(l, 3))
		if err != nil {
			return nil, err
		}
		if wait > 0 {
			back = append(back, h.token, wait)
			continue
		}
		host := text(list(l[1]), fieldHost)
		lease := frontier.Lease{URL: e.URL, Host: host, Tries: e.Tries, Drawn: e.Family != "", Health: s.health(list(l[7]))}
		if note := text(l, 2); note != "" {
			lease.Note = []byte(note)
		}
		lease.ID = s.hold(h)
		leases = append(leases, lease)
	}
	return leases, s.back(p, back)
}

// health decodes the health of a host from a lease. The partition sends durations; the times are of
// the clock of this node.
func (s *Store) health(told []any) (h frontier.Health) {
	if len(told) < 4 {
		return h
	}
	ago := func(i int) time.Time {
		if number(told, i) < 0 {
			return time.Time{}
		}
		return s.options.Now().Add(-time.Duration(number(told, i)) * time.Microsecond)
	}
	h.Refusals, h.Since, h.Failed = int(number(told, 0)), ago(1), ago(2)
	h.Slow = time.Duration(number(told, 3)) * time.Microsecond
	return h
}

// hold makes a lease one of this node.
func (s *Store) hold(h *held) uint64 {
	h.ctx, h.lose = context.WithCancelCause(s.alive)
	s.leases.Lock()
	defer s.leases.Unlock()
	s.leases.last++
	s.leases.held[s.leases.last] = h
	return s.leases.last
}

// addressWait is the least wait between two requests to the address of a lease's host.
func (s *Store) addressWait(h *held) int64 { return min(micros(s.options.IPDelay), h.floor) }

// allow asks the domain of a host that is apart, and its address, for leave, and returns for how many microseconds a lease must wait if it
// is not given.
func (s *Store) allow(ctx context.Context, h *held, domain, address string) (wait int64, err error) {
	if wait, err = s.pass(ctx, h, domain); wait > 0 || err != nil {
		return wait, err
	}
	if wait, err = s.enter(ctx, h, address); wait > 0 && err == nil {
		err = s.passed(s.alive, h, false)
	}
	return wait, err
}

// entering are the arguments of enter.
func (s *Store) entering(h *held, address string) []any {
	return []any{address, h.id(s.options.Node), micros(s.options.Lease), s.options.PerHost, s.addressWait(h)}
}

// enter asks whether a lease may make requests to an address, and returns for how many microseconds it must wait if not. Where nobody
// answers until ctx ends, it must wait, too; and others need not ask there for long.
func (s *Store) enter(ctx context.Context, h *held, address string) (wait int64, err error) {
	if address == "" {
		return 0, nil
	}
	p := s.of(address)
	s.known.Lock()
	away := !s.known.away[p].IsZero()
	s.known.Unlock()
	var reply any
	if away {
		reply, err = s.once(ctx, s.partitions[p].keys, append(s.common("enter"), s.entering(h, address)...), s.wait)
	} else {
		reply, err = s.run(ctx, p, s.wait, "enter", s.entering(h, address))
	}
	if err != nil && passing(err) {
		return micros(s.options.Poll), s.leaveAlone(p, 0, err)
	}
	if err != nil {
		return 0, err
	}
	if wait, _ = reply.(int64); wait == 0 {
		h.address = address
	}
	return wait, nil
}

// leave ends what enter allowed, and notes that the address was asked, which is "" where it was not.
func (s *Store) leave(ctx context.Context, h *held, asked string) error {
	wait := func(address string) int64 {
		if asked != "" && (address == asked || address == h.address) {
			return s.addressWait(h)
		}
		return 0
	}
	var errs []error
	for _, address := range []string{h.address, asked} {
		if address == "" || address == asked && asked == h.address && len(errs) > 0 {
			continue
		}
		_, err := s.change(ctx, s.of(address), "leave", address, h.id(s.options.Node), wait(address))
		if errors.Is(err, errAway) {
			err = nil // it ends by itself
		}
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}

// sums are those of all partitions together.
type sums map[string]int

// readSums is glanceAtSums until all partitions answer.
func (s *Store) readSums(ctx context.Context) (total sums, err error) {
	err = s.insist(ctx, func(ctx context.Context) error {
		var err error
		_, total, err = s.glanceAtSums(ctx)
		return err
	})
	return total, err
}

// glanceAtSums asks all partitions once, and remembers what they said. Partitions that do not answer
// are noted as away, and count with what they said last.
func (s *Store) glanceAtSums(ctx context.Context) (each []map[string]string, total sums, err error) {
	ctx, cancel := context.WithTimeout(ctx, replyTime)
	defer cancel()
	pipe := s.client.Pipeline()
	var replies []*redis.MapStringStringCmd
	for _, p := range s.partitions {
		replies = append(replies, pipe.HGetAll(ctx, p.keys[keySums]))
	}
	_, _ = pipe.Exec(ctx) // each command has its error
	each = make([]map[string]string, len(replies))
	for p, r := range replies {
		switch failed := r.Err(); {
		case failed == nil:
			each[p] = r.Val()
			if each[p][fieldMarker] == "" {
				return nil, nil, s.lost(ctx, s.partitions[p].keys[0])
			}
		case passing(failed) && s.alive.Err() == nil:
			s.noteAway(p, s.glancePause())
			err = failed
		default:
			return nil, nil, failed
		}
	}
	return each, s.remember(each), err
}

// pending is how many URLs are accepted and not settled, leased or not.
func (t sums) pending() int { return t["state0"] }

// left is how many URLs are leased or may be: those of domains that are stopped may not, unless that is just being found out.
func (t sums) left() int {
	return t.pending() - t["stopped"] + t["drawable"] - t["stopped deferred"] + t["leases"] + t["sweeping"] + t["late"]
}

// drained reports whether nothing is left on any node. Since a URL that is settled in one partition may have led to one in another that
// was looked at before, it looks twice, and nothing may have changed in between.
func (s *Store) drained() (bool, error) {
	if s.anyAway() {
		return false, nil // tend looks at the others
	}
	before, total, err := s.glanceAtSums(s.alive)
	if passing(err) {
		return false, nil // nobody knows
	}
	if err == nil {
		if err := s.spend(total); err != nil {
			return false, err
		}
	}
	if err != nil || total.left() > 0 {
		return false, err
	}
	after, total, err := s.glanceAtSums(s.alive)
	if passing(err) {
		return false, nil
	}
	if err != nil || total.left() > 0 {
		return false, err
	}
	for i := range before {
		if before[i]["version"] != after[i]["version"] {
			return false, nil
		}
	}
	return true, nil
}

// remember keeps what partitions said, and returns the sums of all.
func (s *Store) remember(each []map[string]string) sums {
	s.known.Lock()
	defer s.known.Unlock()
	total := make(sums)
	for p, one := range each {
		if one == nil {
			one = s.known.each[p]
		}
		s.known.each[p] = one
		for name, n := range one {
			v, _ := strconv.Atoi(n)
			total[name] += v
		}
	}
	s.known.sums, s.known.at, s.known.fresh = total, time.Now(), true
	return total
}
