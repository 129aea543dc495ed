package cluster

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/awarc/awarc/frontier"
)

// part is what of an outcome goes to one partition.
type part struct {
	from                                                          string // the domain that links are of
	aliases, excludes, links, settings, counters, families, marks []any
	lates                                                         []any
	n                                                             [8]int
}

func (p *part) args() (args []any) {
	for i, list := range [][]any{p.aliases, p.excludes, p.links, p.settings, p.counters, p.families, p.marks, p.lates} {
		args = append(args, p.n[i])
		if i == 2 {
			args = append(args, p.from)
		}
		args = append(args, list...)
	}
	return args
}

// amends are args of what may be done twice.
func (p *part) amends() []any { return append([]any{"", 0}, p.args()...) }

// perChange is how many links go to a partition at a time, so that no operation is long.
const perChange = 500

// parts are what an outcome means, by partition.
type parts struct {
	s        *Store
	parts    map[int]*part
	overfull map[int][]*part // those of links that are too many for one
	removed  map[int]*part   // settings that are taken away once the rest is done
	away     map[int]bool    // partitions whose changes are late
	late     late
}

func (s *Store) parts(away map[int]bool) *parts {
	return &parts{s: s, parts: make(map[int]*part), overfull: make(map[int][]*part), removed: make(map[int]*part), away: away,
		late: late{Settings: make(map[string][]byte), families: make(map[string]frontier.FamilyChange)}}
}

func of(m map[int]*part, p int) *part {
	if m[p] == nil {
		m[p] = new(part)
	}
	return m[p]
}

func (x *parts) link(u frontier.URL, via string) error {
	l, err := x.s.locate(u, via)
	if err != nil {
		return err
	}
	if x.away[l.partition] {
		x.late.Via = via
		x.late.Links = append(x.late.Links, u)
		return nil
	}
	p := of(x.parts, l.partition)
	if p.n[2] == perChange {
		x.overfull[l.partition] = append(x.overfull[l.partition], &part{from: p.from, links: p.links, n: [8]int{2: p.n[2]}})
		p.links, p.n[2] = nil, 0
	}
	p.n[2]++
	if host, err := frontier.HostOf(via); err == nil {
		p.from = frontier.DomainOf(host)
	}
	d := digestOf(l.Key)
	p.links = append(p.links, d[:], l.host, l.domain, l.Priority, flagsOf(&l.URL), l.Hops, encoded(l.URL), l.problem, l.Family)
	return nil
}

func (x *parts) exclude(u frontier.URL, via, reason, counter string) {
	u.Family = ""
	u = u.Kept(via)
	partition, host, domain := x.s.place(u.Key)
	if x.away[partition] {
		x.late.Via = via
		x.late.Exclude = append(x.late.Exclude, frontier.Exclusion{URL: u, Reason: reason, Counter: counter})
		return
	}
	p := of(x.parts, partition)
	p.n[1]++
	d := digestOf(u.Key)
	p.excludes = append(p.excludes, d[:], encoded(u), frontier.KeptReason(reason), counter, flagsOf(&u), u.Priority, u.Hops, host, domain)
}

func (x *parts) alias(own, via string, key string) {
	key = frontier.KeptKey(key)
	if key == own || key == "" {
		return
	}
	partition, host, domain := x.s.place(key)
	if x.away[partition] {
		x.late.Key, x.late.Via = own, via
		x.late.Aliases = append(x.late.Aliases, key)
		return
	}
	p := of(x.parts, partition)
	p.n[0]++
	d := digestOf(key)
	p.aliases = append(p.aliases, d[:], encoded(frontier.URL{URL: key, Key: key, Via: via}), frontier.KeptReason("captured as "+via),
		host, domain)
}

func (x *parts) setting(key string, value []byte) { x.put(x.s.settingName(key), value) }

// put is setting for a name in Redis. A late removal is left out: a setting that stays does no harm.
func (x *parts) put(name string, value []byte) {
	partition := x.s.of(name)
	m, there := x.parts, 1
	if value == nil {
		m, there = x.removed, 0
	}
	if x.away[partition] {
		if value != nil {
			x.late.Settings[name] = value
		}
		return
	}
	p := of(m, partition)
	p.n[3]++
	p.settings = append(p.settings, name, there, value)
}

// family notes what is said of a family, where its name belongs. That it is closed must be known everywhere, since pages may put off
// links to other domains with it.
func (x *parts) family(name string, c frontier.FamilyChange) {
	name = frontier.KeptFamily(name)
	change := func(partition int, note *string, closed *bool) {
		if x.away[partition] {
			x.late.families[name] = c
			return
		}
		p := of(x.parts, partition)
		p.n[5]++
		noted, text, shut := 0, "", ""
		if note != nil {
			noted, text = 1, frontier.KeptReason(*note)
		}
		if closed != nil {
			shut = map[bool]string{false: "0", true: "1"}[*closed]
		}
		p.families = append(p.families, name, noted, text, shut)
	}
	home, _, _ := x.s.place("family://" + name)
	change(home, c.Note, c.Closed)
	if c.Closed == nil {
		return
	}
	for p := range x.s.partitions {
		if p != home {
			change(p, nil, c.Closed)
		}
	}
}

// add takes in what of an outcome concerns no lease; counters go to one partition.
func (x *parts) add(via string, o *frontier.Outcome, counters int) error {
	for _, e := range o.Exclude {
		x.exclude(e.URL, via, e.Reason, e.Counter)
	}
	for _, u := range o.Links {
		if err := x.link(u, via); err != nil {
			return err
		}
	}
	for _, key := range slices.Sorted(maps.Keys(o.Meta)) {
		x.setting(key, o.Meta[key])
	}
	for _, name := range slices.Sorted(maps.Keys(o.Counters)) {
		p := of(x.parts, counters)
		p.n[4]++
		p.counters = append(p.counters, name, o.Counters[name])
	}
	for _, name := range slices.Sorted(maps.Keys(o.Families)) {
		x.family(name, o.Families[name])
	}
	for i := range o.Marks {
		d := digestOf(o.Marks[i].Key)
		mark, _ := o.Marks[i].MarshalBinary() // has no error
		partition := x.s.of(o.Marks[i].Key)
		if x.away[partition] {
			x.late.Marks = append(x.late.Marks, o.Marks[i])
			continue
		}
		p := of(x.parts, partition)
		p.n[6]++
		p.marks = append(p.marks, d[:], o.Marks[i].Counter, mark)
	}
	return nil
}

// spread applies what a change means for all partitions but one, as often as it takes to learn which hosts are apart, and returns the
// parts, of which those of that one are left, and how many URLs were added and excluded.
func (s *Store) spread(ctx context.Context, build func(*parts) error, but int) (x *parts, added, excluded int, err error) {
	refused := make(map[string]bool)
	away := make(map[int]bool)
	if but != nowhere {
		away = s.allDeserted()
		delete(away, but)
	}
	for {
		x = s.parts(away)
		if err := build(x); err != nil {
			return nil, added, excluded, err
		}
		elsewhere, more, out, err := x.apply(ctx, but)
		added, excluded = added+more, excluded+out
		if but != nowhere && errors.Is(err, errAway) {
			maps.Copy(away, s.allDeserted())
			delete(away, but)
			continue
		}
		if err != nil || len(elsewhere) == 0 {
			return x, added, excluded, err
		}
		if err := s.learn(elsewhere, refused); err != nil {
			return nil, added, excluded, err
		}
	}
}

// settle spreads a change, and then does the last of it, which is about a partition, with its part; both again when that names hosts that
// are elsewhere, of which nothing was done.
func (s *Store) settle(p int, build func(*parts) error, last func(args []any) (elsewhere []string, err error)) (*parts, error) {
	refused := make(map[string]bool)
	for {
		x, _, _, err := s.spread(s.alive, build, p)
		if err != nil {
			return nil, err
		}
		own := of(x.parts, p)
		if err := x.keep(own); err != nil {
			return nil, err
		}
		elsewhere, err := last(own.args())
		if err != nil || len(elsewhere) == 0 {
			return x, err
		}
		if err := s.learn(elsewhere, refused); err != nil {
			return nil, err
		}
	}
}

// learn takes in which hosts are apart, as their domains said when they refused them, and notes them among those that were refused before.
// It is an error if all were: then they cannot be where they were taken.
func (s *Store) learn(hosts []string, refused map[string]bool) error {
	again := true
	for _, h := range hosts {
		again, refused[h] = again && refused[h], true
	}
	if !s.apart.add(hosts...) && again {
		return fmt.Errorf("cluster: %s is in no place", clipped(strings.Join(hosts, ", ")))
	}
	return nil
}

// apply does what goes to all partitions but one, each at the same time, and returns how many URLs were added and excluded, and the hosts
// that turned out to be elsewhere, of which nothing was done.
func (x *parts) apply(ctx context.Context, but int) (elsewhere []string, added, excluded int, err error) {
	type change struct {
		partition int
		*part
	}
	var changes []change
	for p, some := range x.overfull {
		for _, one := range some {
			changes = append(changes, change{p, one})
		}
	}
	for p, one := range x.parts {
		if p != but {
			changes = append(changes, change{p, one})
		}
	}
	var mu sync.Mutex
	var all sync.WaitGroup
	for _, c := range changes {
		all.Go(func() {
			reply, failed := x.s.change(ctx, c.partition, "amend", c.amends()...)
			mu.Lock()
			defer mu.Unlock()
			if failed != nil {
				err = failed
				return
			}
			added, excluded = added+int(number(list(reply), 0)), excluded+int(number(list(reply), 1))
			elsewhere = append(elsewhere, elsewhereOf(reply)...)
			x.s.stir(c.partition)
		})
	}
	all.Wait()
	return elsewhere, added, excluded, err
}

// elsewhereOf are the hosts that an amendment could not be done for.
func elsewhereOf(reply any) []string {
	if l := list(reply); len(l) > 2 {
		return texts(list(l[2]))
	}
	return nil
}

// clean takes away the settings that an outcome ends: a setting that is left when the node dies before that does no harm.
func (x *parts) clean(ctx context.Context) error {
	for p, one := range x.removed {
		if _, err := x.s.change(ctx, p, "amend", one.amends()...); err != nil && !errors.Is(err, errAway) {
			return err
		}
	}
	return nil
}

// nowhere is no partition.
const nowhere = -1

// Add makes URLs known, as frontier.Frontier.Add does, but domain by domain: when it fails some may be known.
func (s *Store) Add(ctx context.Context, urls []frontier.URL) (int, error) {
	if err := ctx.Err(); err != nil {
		return 0, err
	}
	_, added, _, err := s.spread(ctx, func(x *parts) error {
		for _, u := range urls {
			if err := x.link(u, ""); err != nil {
				return err
			}
		}
		return nil
	}, nowhere)
	return added, err
}

// Exclude keeps URLs out for good, as frontier.Frontier.Exclude does, domain by domain.
func (s *Store) Exclude(ctx context.Context, urls []frontier.URL, reason string) (int, error) {
	if err := ctx.Err(); err != nil {
		return 0, err
	}
	_, _, excluded, err := s.spread(ctx, func(x *parts) error {
		for _, u := range urls {
			x.exclude(u, "", reason, "")
		}
		return nil
	}, nowhere)
	return excluded, err
}

// Amend applies what was found later on a page that was settled before, as frontier.Frontier.Amend does, domain by domain. Its counters
// are the last that is changed.
func (s *Store) Amend(via string, o frontier.Outcome) error {
	if err := o.ValidateNames(); err != nil {
		return fmt.Errorf("frontier: amending %s: %w", via, err)
	}
	if err := frontier.ValidFamilies(o.Families); err != nil {
		return fmt.Errorf("frontier: amending %s: %w", via, err)
	}
	if err := s.sync(); err != nil {
		return err
	}
	home, _, _ := s.place(via)
	home = s.answering(home)
	x, err := s.settle(home, func(x *parts) error {
		for _, key := range o.Aliases {
			x.alias("", via, key)
		}
		return x.add(via, &o, home)
	}, func(args []any) ([]string, error) {
		args = append([]any{"amendment " + rand.Text(), micros(2 * s.options.Patience)}, args...)
		reply, err := s.change(s.alive, home, "amend", args...)
		return elsewhereOf(reply), err
	})
	if err != nil {
		return err
	}
	s.stir(home)
	return x.clean(s.alive)
}

// sync makes durable what the outcomes that come are about.
func (s *Store) sync() error {
	if s.options.BeforeCommit == nil {
		return nil
	}
	return s.syncing.do(s.options.BeforeCommit)
}

// Done ends a lease with everything in the outcome and returns once that is durable, as frontier.Frontier.Done does. What goes to other
// domains is done first and the rest at once, so that a node which dies in between does the same again under the next lease. An
// error that is frontier.ErrLost says that another node has the URL, and nothing of the outcome counts but the links to other domains.
func (s *Store) Done(lease frontier.Lease, o frontier.Outcome) error {
	if err := o.Validate(); err != nil {
		return fmt.Errorf("frontier: outcome of %s: %w", lease.URL.URL, err)
	}
	if o.State == frontier.PutOff && lease.Seed {
		return fmt.Errorf("frontier: outcome of %s: a seed is never deferred", lease.URL.URL)
	}
	s.leases.Lock()
	h := s.leases.held[lease.ID]
	s.leases.Unlock()
	if h == nil {
		return fmt.Errorf("frontier: lease %d of %s is not held", lease.ID, lease.URL.URL)
	}
	if err := s.sync(); err != nil {
		return err
	}
	var reply any
	x, err := s.settle(h.partition, func(x *parts) error {
		for _, key := range o.Aliases {
			x.alias(h.key, lease.URL.URL, key)
		}
		return x.add(lease.URL.URL, &o, h.partition)
	}, func(args []any) (elsewhere []string, err error) {
		reply, err = s.change(s.alive, h.partition, "done", append(s.verdict(h, lease, &o), args...)...)
		return texts(list(reply)), err
	})
	if err != nil && !errors.Is(err, errAway) {
		return err
	}
	s.leases.Lock()
	delete(s.leases.held, lease.ID)
	s.leases.Unlock()
	h.lose(nil)
	if err != nil { // the lease ends, and the URL comes again, when its server is back
		return fmt.Errorf("%w: %s: %w", frontier.ErrLost, lease.URL.URL, err)
	}
	s.stir(h.partition)
	if h.above { // when it may be asked again is heard first
		s.known.Lock()
		s.known.above[h.partition] = time.Now()
		s.known.Unlock()
	}
	asked := ""
	if !o.NoRequest {
		if asked = o.IP; asked == "" {
			asked = h.address
		}
	}
	if err := errors.Join(s.leave(s.alive, h, asked), s.passed(s.alive, h, !o.NoRequest)); err != nil {
		return err
	}
	if reply == int64(0) {
		return fmt.Errorf("%w: %s", frontier.ErrLost, lease.URL.URL)
	}
	if err := s.count(o.Counters); err != nil {
		return err
	}
	return x.clean(s.alive)
}

// verdict are the arguments of an outcome that concern its lease.
func (s *Store) verdict(h *held, lease frontier.Lease, o *frontier.Outcome) []any {
	state, try := o.State, 0
	if state == frontier.Fetched || state == frontier.Failed || state == frontier.Retry {
		try = 1
	}
	if state == frontier.Retry && lease.Tries+try >= s.options.MaxTries {
		state = frontier.Failed
	}
	wait, reckoned := o.RetryAfter, 0
	if wait == 0 && state == frontier.Retry {
		wait, reckoned = s.options.BackoffAfter(lease.Tries+try), 1
	}
	request, notBefore, noted := 1, int64(0), 0
	if o.NoRequest {
		request = 0
	}
	if !o.HostNotBefore.IsZero() {
		notBefore = max(0, micros(o.HostNotBefore.Sub(s.options.Now())))
	}
	if o.HostNote != nil {
		noted = 1
	}
	return []any{h.token, h.digest[:], s.options.Node, int(state), frontier.KeptReason(o.Reason), try, micros(wait), reckoned,
		request, micros(o.HostDelay), notBefore, o.IP, noted, o.HostNote, frontier.KeptFamily(o.Family), int(o.Host)}
}

// Again makes entries pending once more, as frontier.Frontier.Again does, partition by partition.
func (s *Store) Again(ctx context.Context, entries []frontier.Requeue, reason string) (again int, err error) {
	return s.again(ctx, entries, reason, 0)
}

// Retake is Again for captures that are lost: entries that were excluded after an answer become
// pending too. The notes of their hosts are deleted, since robots.txt was archived with them.
func (s *Store) Retake(ctx context.Context, entries []frontier.Requeue, reason string) (again int, err error) {
	hosts := make(map[string]bool)
	for _, q := range entries {
		if host, err := frontier.HostOf(q.Key); err == nil {
			hosts[host] = true
		}
	}
	for host := range hosts {
		for _, p := range s.homesOf(host) {
			key := s.partitions[p].keys[keyNotes]
			if err := s.say(ctx, key, func(ctx context.Context, p redis.Pipeliner) { p.HDel(ctx, key, host) }); err != nil {
				return 0, err
			}
		}
	}
	return s.again(ctx, entries, reason, 1)
}

func (s *Store) again(ctx context.Context, entries []frontier.Requeue, reason string, excluded int) (again int, err error) {
	if err := frontier.CheckRequeues(entries); err != nil {
		return 0, err
	}
	type part struct {
		n    int
		args []any
	}
	parts := make(map[int]*part)
	for _, q := range entries {
		key := frontier.KeptKey(q.Key)
		d := digestOf(key)
		wait, settled := time.Duration(0), int64(0)
		if !q.Settled.IsZero() {
			settled = q.Settled.UnixMicro()
		}
		if !q.NotBefore.IsZero() {
			wait = max(time.Microsecond, q.NotBefore.Sub(s.options.Now()))
		}
		args := []any{d[:], settled, q.Tries, micros(wait), len(q.Counters)}
		for name, n := range q.Counters {
			args = append(args, name, n)
		}
		for _, p := range s.homes(key) { // one of which has it
			if parts[p] == nil {
				parts[p] = &part{}
			}
			parts[p].n++
			parts[p].args = append(parts[p].args, args...)
		}
	}
	for p, part := range parts {
		reply, err := s.change(ctx, p, "again", append([]any{frontier.KeptReason(reason), excluded, part.n}, part.args...)...)
		if err != nil {
			return again, err
		}
		n, _ := reply.(int64)
		again += int(n)
		s.stir(p)
	}
	return again, nil
}

// settingName is the key of a setting in Redis: a private one has the node before it.
func (s *Store) settingName(key string) string {
	for _, beginning := range s.options.Private {
		if strings.HasPrefix(key, beginning) {
			return "node " + s.options.Node + "\x00" + key
		}
	}
	return "all\x00" + key
}
