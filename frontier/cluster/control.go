package cluster

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/awarc/awarc/frontier"
)

// The fields of the hash that says what a crawl is, of what holds for all nodes while they run.
const (
	fieldPaused  = "paused"
	fieldStopped = "stopped" // the reason
	fieldLimits  = "limits"
	fieldSession = "session" // when it began, in microseconds of the server's clock
	fieldSeen    = "seen"    // when a node was last there, likewise
	fieldTotal   = "total "  // and the name of a counter that a limit bounds
	fieldCounted = "counted" // and name and node: what of the total a node has told
)

// Limit ends a crawl on all nodes once their common count or the time of the session reaches it. A
// session starts when the first node joins, or when a stopped crawl goes on.
type Limit struct {
	Reason  string        // that Stopped then returns
	Counter string        // of outcomes; "": no count
	Most    int64         // of the counter
	Time    time.Duration // of the session; 0: unlimited
}

// control is what the nodes of a crawl tell each other.
type control struct {
	sync.Mutex
	limits  []Limit
	totals  map[string]int64
	counted map[string]int64 // by this node, since it is one, of the counters that limits bound
	untold  bool
	silent  bool          // the server of the totals did not answer at the last attempt
	session time.Duration // how long it has lasted, at the last look
	reason  string
	stopped chan struct{} // closed once there is a reason
	broken  error         // why nothing can be leased any more
}

// Limit publishes the limits of a crawl unless it has limits; with replace it replaces them.
func (s *Store) Limit(ctx context.Context, limits []Limit, replace bool) error {
	said, err := json.Marshal(limits)
	if err != nil {
		return err
	}
	counters := s.Counters()
	key := crawlKey(s.options.Crawl)
	err = s.say(ctx, key, func(ctx context.Context, p redis.Pipeliner) {
		if !replace {
			p.HSetNX(ctx, key, fieldLimits, said)
			return
		}
		values := []any{fieldLimits, said}
		for _, l := range limits {
			if l.Counter != "" {
				values = append(values, fieldTotal+l.Counter, counters[l.Counter])
			}
		}
		p.HSet(ctx, key, values...)
	})
	if err != nil {
		return err
	}
	return s.insist(ctx, s.look)
}

// Tell publishes a value under a name to all nodes.
func (s *Store) Tell(ctx context.Context, name string, value []byte) error {
	key := crawlKey(s.options.Crawl) + ":told"
	return s.say(ctx, key, func(ctx context.Context, p redis.Pipeliner) { p.HSet(ctx, key, name, value) })
}

// Told returns all values that nodes have published, by name.
func (s *Store) Told(ctx context.Context) (told map[string]string, err error) {
	err = s.insist(ctx, func(ctx context.Context) error {
		told, err = s.client.HGetAll(ctx, crawlKey(s.options.Crawl)+":told").Result()
		return err
	})
	return told, err
}

// Limits returns the limits that were published last.
func (s *Store) Limits() []Limit {
	s.control.Lock()
	defer s.control.Unlock()
	return slices.Clone(s.control.limits)
}

// Stop ends the crawl on all nodes: Stopped returns the first reason on each.
func (s *Store) Stop(ctx context.Context, reason string) error {
	s.stopHere(reason)
	return s.sayStopped(ctx, reason)
}

func (s *Store) sayStopped(ctx context.Context, reason string) error {
	return s.ofCrawl(ctx, "stop", reason)
}

// ofCrawl runs an operation on the key of the crawl.
func (s *Store) ofCrawl(ctx context.Context, operation string, args ...any) error {
	return s.insist(ctx, func(ctx context.Context) error {
		_, err := s.once(ctx, []string{crawlKey(s.options.Crawl)}, append(s.common(operation), args...), s.wait)
		return err
	})
}

func (s *Store) stopHere(reason string) {
	c := &s.control
	c.Lock()
	defer c.Unlock()
	if c.reason == "" {
		c.reason = reason
		close(c.stopped)
	}
}

// Stopped waits until the crawl is stopped on all nodes, and returns the reason.
func (s *Store) Stopped(ctx context.Context) (reason string, err error) {
	select {
	case <-s.control.stopped:
		s.control.Lock()
		defer s.control.Unlock()
		return s.control.reason, nil
	case <-ctx.Done():
		return "", context.Cause(ctx)
	case <-s.alive.Done():
		return "", frontier.ErrClosed
	}
}

// GoOn resumes a crawl that was stopped before a moment, with a new session. A later Stop holds:
// resuming may take a while, and a stop in the meantime applies to it too.
func (s *Store) GoOn(ctx context.Context, before time.Time) error {
	var since time.Time // by the server, at the latest
	err := s.atServer(ctx, func(_ context.Context, _ *redis.Client, now time.Time) error {
		since = now.Add(-time.Since(before))
		return nil
	})
	if err != nil {
		return err
	}
	if err := s.ofCrawl(ctx, "goon", since.UnixMicro()); err != nil {
		return err
	}
	s.control.Lock()
	s.control.reason, s.control.stopped = "", make(chan struct{})
	s.control.Unlock()
	return s.insist(ctx, s.look)
}

// follow takes over what is said on any node.
func (s *Store) follow() {
	tick := time.NewTicker(s.options.Poll)
	defer tick.Stop()
	for {
		select {
		case <-s.alive.Done():
			return
		case <-tick.C:
		}
		for _, what := range []func(context.Context) error{s.look, s.tend} {
			if err := what(s.alive); errors.As(err, new(*frontier.Error)) {
				s.noteBroken(err)
			} // a server that is away leaves things as they are
		}
	}
}

// look reads what is said on any node, and what was counted.
func (s *Store) look(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, replyTime)
	defer cancel()
	key := crawlKey(s.options.Crawl)
	server, err := s.server(ctx, key)
	if err != nil {
		return err
	}
	now, err := server.Time(ctx).Result()
	if err != nil {
		return err
	}
	pipe := server.Pipeline()
	before := pipe.HMGet(ctx, key, fieldSession, fieldSeen)
	pipe.HSet(ctx, key, fieldSeen, now.UnixMicro())
	is := pipe.HMGet(ctx, key, fieldPaused, fieldStopped, fieldLimits, fieldMarked)
	ruled := pipe.HMGet(ctx, s.rulesKey(), "")
	if _, err := pipe.Exec(ctx); err != nil {
		return err
	}
	said := texts(is.Val())
	if said[3] == "" {
		return s.gone(ctx)
	}
	s.paused.set(said[0] == "1")
	times := texts(before.Val())
	began, seen := moment(times[0]), moment(times[1])
	if began.IsZero() || now.Sub(seen) > s.options.Lease { // nobody was there
		began = now
		if err := server.HSet(ctx, key, fieldSession, now.UnixMicro()).Err(); err != nil {
			return err
		}
	}
	var limits []Limit
	if said[2] != "" {
		if err := json.Unmarshal([]byte(said[2]), &limits); err != nil {
			return fmt.Errorf("cluster: limits of %s: %w", s.options.Crawl, err)
		}
	}
	totals, counted := make(map[string]int64), make(map[string]int64)
	for _, l := range limits {
		if l.Counter == "" {
			continue
		}
		of, err := server.HMGet(ctx, key, fieldTotal+l.Counter, s.fieldCounted(l.Counter)).Result()
		if err != nil {
			return err
		}
		totals[l.Counter], counted[l.Counter] = number(of, 0), number(of, 1)
	}
	c := &s.control
	c.Lock()
	for name, n := range c.counted {
		if _, bounded := counted[name]; bounded {
			counted[name] = max(counted[name], n)
		}
	}
	c.limits, c.totals, c.counted, c.session = limits, totals, counted, now.Sub(began)
	untold := c.untold
	c.Unlock()
	if untold {
		_ = s.counting.do(s.tellCounted) // or at the next look
	}
	if said[1] != "" {
		s.stopHere(said[1])
	}
	if err := s.followRules(ctx, texts(ruled.Val())[0]); err != nil {
		return err
	}
	return s.checkLimits(ctx)
}

// texts are fields of a hash; "" for one that is not there.
func texts(values []any) []string {
	out := make([]string, len(values))
	for i := range values {
		out[i] = text(values, i)
	}
	return out
}

// moment is a time as the hash has it; zero if it is not there.
func moment(text string) time.Time {
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return time.Time{}
	}
	return time.UnixMicro(n)
}

// checkLimits stops the crawl where a limit is reached.
func (s *Store) checkLimits(ctx context.Context) error {
	c := &s.control
	c.Lock()
	reached := ""
	for _, l := range c.limits {
		if l.Counter != "" && c.totals[l.Counter] >= l.Most || l.Time > 0 && c.session >= l.Time {
			reached = l.Reason
		}
	}
	done := c.reason != ""
	c.Unlock()
	if reached == "" || done {
		return nil
	}
	s.stopHere(reached)
	key := crawlKey(s.options.Crawl) // which whoever goes on looks at anew
	return s.say(ctx, key, func(ctx context.Context, p redis.Pipeliner) { p.HSetNX(ctx, key, fieldStopped, reached) })
}

// fieldCounted is where this node tells what it has counted of a total.
func (s *Store) fieldCounted(counter string) string {
	return fieldCounted + " " + counter + "\x00" + s.options.Node
}

// count adds to the totals that limits bound what an outcome has counted. A node that dies before has counted too little by one page.
func (s *Store) count(counters map[string]int64) error {
	c := &s.control
	c.Lock()
	for name := range c.counted {
		c.counted[name] += counters[name]
		c.untold = c.untold || counters[name] != 0
	}
	untold := c.untold && !c.silent
	c.Unlock()
	if untold {
		_ = s.counting.do(s.tellCounted) // or with the next page, or at the next look
	}
	return s.checkLimits(s.alive)
}

// tellCounted adds to the totals what this node has counted and not told yet. As it tells what it has counted in all, an answer that is
// lost makes no difference.
func (s *Store) tellCounted() error {
	c := &s.control
	c.Lock()
	counted := maps.Clone(c.counted)
	c.untold, c.silent = false, false
	c.Unlock()
	key := crawlKey(s.options.Crawl)
	for name, n := range counted {
		reply, err := s.once(s.alive, []string{key}, append(s.common("total"), fieldTotal+name, s.fieldCounted(name), n), s.wait)
		c.Lock()
		if err != nil {
			c.untold, c.silent = true, passing(err)
		} else if total, ok := reply.(int64); ok {
			c.totals[name] = max(c.totals[name], total)
		}
		c.Unlock()
		if err != nil {
			return err
		}
	}
	return nil
}

// Pause keeps all nodes from leasing until it is called with false on one of them. The other nodes
// follow within Options.Poll.
func (s *Store) Pause(paused bool) {
	s.paused.set(paused)
	// A server that is away for longer leaves the others as they are; this node does as it is told.
	_ = s.sayPaused(s.alive, paused)
}

func (s *Store) sayPaused(ctx context.Context, paused bool) error {
	key := crawlKey(s.options.Crawl)
	return s.say(ctx, key, func(ctx context.Context, p redis.Pipeliner) { p.HSet(ctx, key, fieldPaused, pausedAs(paused)) })
}

func pausedAs(paused bool) string { return map[bool]string{true: "1", false: "0"}[paused] }

// Paused reports whether the crawl is paused.
func (s *Store) Paused() bool { return s.paused.is() }

// Pause pauses a crawl on all its nodes, or resumes it, without taking part in it.
func Pause(ctx context.Context, o Options, paused bool) error {
	return tell(ctx, o, func(s *Store) error { return s.sayPaused(ctx, paused) })
}

// Stop stops a crawl on all its nodes, without taking part in it.
func Stop(ctx context.Context, o Options, reason string) error {
	return tell(ctx, o, func(s *Store) error { return s.sayStopped(ctx, reason) })
}

// tellPatience is for how long servers may be away while somebody waits who takes no part.
const tellPatience = 10 * time.Second

// tell does something about a crawl that there is, without taking part in it.
func tell(ctx context.Context, o Options, do func(*Store) error) error {
	named, err := parseURL(o.URL)
	if err != nil {
		return err
	}
	o.Wait, o.Patience = named.wait, tellPatience
	s := &Store{options: o}
	if s.client, err = connect(ctx, named, o.Password); err != nil {
		return err
	}
	s.alive, s.die = context.WithCancel(ctx)
	defer s.die()
	defer s.client.Close()
	s.waitFor()
	switch there, err := s.client.Exists(ctx, crawlKey(o.Crawl)).Result(); {
	case err != nil:
		return s.named(err)
	case there == 0:
		return o.wrong(frontier.Missing, errors.New("no such crawl"))
	}
	return do(s)
}

// Describe returns the settings that the first node of a crawl published.
func Describe(ctx context.Context, o Options) (settings []byte, err error) {
	err = tell(ctx, o, func(s *Store) error {
		settings, err = s.client.HGet(ctx, crawlKey(o.Crawl), fieldSettings).Bytes()
		if errors.Is(err, redis.Nil) {
			return fmt.Errorf("cluster: %s %s: the first node has not published its settings yet; try again", hidden(o.URL), o.Crawl)
		}
		return err
	})
	return settings, err
}
