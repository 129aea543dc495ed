package cluster

import (
	"cmp"
	"context"
	"crypto/sha256"
	_ "embed"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/awarc/awarc/frontier"
)

//go:embed partition.lua
var source string

var operations = inlined(source)

var constants = regexp.MustCompile(`(?m)^local ([A-Z]+(?:, [A-Z]+)*) =\s+(\d+(?:, \d+)*)$`)

// inlined is Lua with the numbers in place of the names that its lines of constants give them: a function has at most 200 local
// names. Lines stay where they are.
func inlined(code string) string {
	values := make(map[string]string)
	code = constants.ReplaceAllStringFunc(code, func(line string) string {
		m := constants.FindStringSubmatch(line)
		numbers := strings.Split(m[2], ", ")
		for i, name := range strings.Split(m[1], ", ") {
			values[name] = numbers[i]
		}
		return strings.Repeat("\n", strings.Count(line, "\n"))
	})
	return regexp.MustCompile(`\b[A-Z]+\b`).ReplaceAllStringFunc(code, func(word string) string { return cmp.Or(values[word], word) })
}

// library is the name of the operations, and of the function that calls them. That of another version is another one beside it.
var library = fmt.Sprintf("awarc_%x", sha256.Sum256([]byte(operations)))[:22]

// layout is the version of what is kept in Redis.
const layout = "2"

// The fields of the hash that says what a crawl is.
const (
	fieldLayout     = "layout"
	fieldPartitions = "partitions"
	fieldSettings   = "settings"
)

// Store is one node's part in a crawl's frontier. All methods may be called at the same time.
type Store struct {
	options    Options
	client     client
	wait       int
	fewer      fewer
	fixed      bool // the clock is that of the options
	partitions []partition
	alive      context.Context // until Close
	die        context.CancelFunc
	running    sync.WaitGroup
	syncing    group
	counting   group // of totals
	asks       chan ask
	paused     signal
	frozen     signal // by tests: nothing is renewed
	leases     leases
	known      known
	control    control
	rules      rules
	queues     queues
	apart      apart
}

// leases are those that this node holds.
type leases struct {
	sync.Mutex
	last  uint64
	held  map[uint64]*held // by Lease.ID; those that are lost until nobody works under them
	again chan struct{}    // closed and renewed with each renewal
}

// held is a lease of this node.
type held struct {
	partition int
	token     int64
	digest    digest
	key       string
	address   string    // entered; "" for none
	renewed   time.Time // when its last renewal began, guarded by leases
	floor     int64     // microseconds that its host waits whatever it wishes
	above     bool      // its host has a priority above 0
	gate      int       // partition of its domain, where its host is apart
	pass      int64     // what that gave; 0 for none
	ctx       context.Context
	lose      context.CancelCauseFunc
}

// lost reports whether the lease has ended, or is another node's.
func (h *held) lost() bool { return h.ctx.Err() != nil }

// id names the lease among those of all nodes, for an address.
func (h *held) id(node string) string { return fmt.Sprintf("%s/%d/%d", node, h.partition, h.token) }

// Open takes part in a crawl, and makes it if there is none.
func Open(ctx context.Context, options Options) (*Store, error) {
	fixed := options.Now != nil
	named, err := options.complete()
	if err != nil {
		return nil, err
	}
	s := &Store{options: options, fixed: fixed, asks: make(chan ask)}
	s.control.stopped = make(chan struct{})
	s.alive, s.die = context.WithCancel(context.Background())
	if s.client, err = connect(ctx, named, options.Password); err != nil {
		return nil, err
	}
	s.waitFor()
	if err := s.claim(ctx); err != nil {
		return nil, errors.Join(err, s.client.Close())
	}
	s.leases.held, s.leases.again = make(map[uint64]*held), make(chan struct{})
	s.running.Go(s.dispatch)
	s.running.Go(s.renewals)
	s.running.Go(s.follow)
	return s, nil
}

// waitFor says by how many replicas changes must be known.
func (s *Store) waitFor() {
	if s.wait = s.options.Wait; s.wait < 0 {
		s.wait = 0
		if _, clustered := s.client.(*redis.ClusterClient); clustered {
			s.wait = 1
		}
	}
}

// claim finds the crawl, or makes it.
func (s *Store) claim(ctx context.Context) error {
	key := crawlKey(s.options.Crawl)
	return s.insist(ctx, func(ctx context.Context) error {
		if !s.options.MustExist {
			if err := s.client.HSetNX(ctx, key, fieldPartitions, s.options.Partitions).Err(); err != nil {
				return err
			}
			if err := s.client.HSetNX(ctx, key, fieldLayout, layout).Err(); err != nil {
				return err
			}
		}
		is, err := s.client.HGetAll(ctx, key).Result()
		if err != nil {
			return err
		}
		n, err := strconv.Atoi(is[fieldPartitions])
		switch {
		case len(is) == 0:
			return s.options.wrong(frontier.Missing, errors.New("no such crawl"))
		case is[fieldLayout] == "" || is[fieldMarked] == "" && is[fieldSettings] == "" && s.options.MustExist:
			return s.gone(ctx)
		case is[fieldLayout] != layout || err != nil || n < 1:
			return s.options.wrong(frontier.Layout, fmt.Errorf("layout %q, want %s", is[fieldLayout], layout))
		}
		s.partitions = divide(s.options.Crawl, n)
		s.known.wake, s.known.away, s.known.above = make([]time.Time, n), make([]time.Time, n), make([]time.Time, n)
		s.known.each = make([]map[string]string, n)
		if err := s.markAll(ctx); err != nil {
			return err
		}
		return s.look(ctx)
	})
}

// wrong is an error about a crawl.
func (o *Options) wrong(kind frontier.Kind, err error) error {
	return &frontier.Error{Path: hidden(o.URL) + " " + o.Crawl, Kind: kind, Err: err}
}

// Settings returns the settings that the first node published, and publishes these if there are none.
func (s *Store) Settings(ctx context.Context, proposed []byte) (kept []byte, err error) {
	err = s.insist(ctx, func(ctx context.Context) error {
		key := crawlKey(s.options.Crawl)
		if proposed != nil {
			if err := s.client.HSetNX(ctx, key, fieldSettings, proposed).Err(); err != nil {
				return err
			}
		}
		kept, err = s.client.HGet(ctx, key, fieldSettings).Bytes()
		return err
	})
	return kept, err
}

// Close ends all calls with frontier.ErrClosed and leaves the crawl. What is leased comes again when the leases end.
func (s *Store) Close() error {
	s.die()
	s.running.Wait()
	s.leases.Lock()
	for _, h := range s.leases.held {
		h.lose(frontier.ErrClosed)
	}
	s.leases.Unlock()
	if err := s.client.Close(); err != nil && !errors.Is(err, redis.ErrClosed) {
		return err
	}
	return nil
}

// renewals keeps what this node holds until it is closed.
func (s *Store) renewals() {
	tick := time.NewTicker(s.options.Lease / 4)
	defer tick.Stop()
	for {
		select {
		case <-s.alive.Done():
			return
		case <-tick.C:
		}
		if !s.frozen.is() {
			s.renew()
		}
	}
}

// renew makes all leases last longer, and breaks off what is done under those that are lost. Servers that do not answer are asked
// again at the next tick.
func (s *Store) renew() {
	ctx, cancel := context.WithTimeout(s.alive, s.options.Lease/4)
	defer cancel()
	byPartition := make(map[int][]*held)
	s.leases.Lock()
	for _, h := range s.leases.held {
		if !h.lost() {
			byPartition[h.partition] = append(byPartition[h.partition], h)
		}
	}
	s.leases.Unlock()
	var all sync.WaitGroup
	for p, some := range byPartition {
		all.Go(func() { s.renewSome(ctx, p, some) })
	}
	all.Wait()
	s.abandon(byPartition)
	s.leases.Lock()
	defer s.leases.Unlock()
	close(s.leases.again)
	s.leases.again = make(chan struct{})
}

// abandon loses leases that ended because a server that they need is away: a worker that waits to be
// sure of them would wait for that server.
func (s *Store) abandon(byPartition map[int][]*held) {
	for p, some := range byPartition {
		for _, h := range some {
			s.leases.Lock()
			ended := time.Since(h.renewed) > s.options.Lease
			s.leases.Unlock()
			if ended && (s.deserted(p) || h.pass != 0 && s.deserted(h.gate) || h.address != "" && s.deserted(s.of(h.address))) {
				h.lose(frontier.ErrLost)
			}
		}
	}
}

// renewSome is renew for leases of one partition. The leave that a domain or an address gave is renewed after its lease, and only if that
// is not lost: else it would never end, as nobody settles what is lost.
func (s *Store) renewSome(ctx context.Context, p int, some []*held) {
	began := time.Now()
	args := []any{s.options.Node, micros(s.options.Lease), len(some)}
	for _, h := range some {
		args = append(args, h.token)
	}
	reply, err := s.run(ctx, p, 0, "renew", args)
	if err != nil {
		return
	}
	lost := make(map[string]bool)
	for i := range list(reply) {
		lost[text(list(reply), i)] = true
	}
	for _, h := range some {
		if lost[strconv.FormatInt(h.token, 10)] {
			h.lose(frontier.ErrLost)
			continue
		}
		if h.pass != 0 {
			reply, err := s.run(ctx, h.gate, 0, "renew", []any{s.options.Node, micros(s.options.Lease), 1, h.pass})
			if err != nil {
				continue
			}
			if len(list(reply)) > 0 {
				h.lose(frontier.ErrLost)
				continue
			}
		}
		if h.address != "" {
			reply, err := s.run(ctx, s.of(h.address), 0, "enter", s.entering(h, h.address))
			if err != nil {
				continue
			}
			if wait, _ := reply.(int64); wait > 0 { // others have asked it, while this node could not be reached
				h.lose(frontier.ErrLost)
				continue
			}
		}
		s.leases.Lock()
		h.renewed = began
		s.leases.Unlock()
	}
}

// leaseKey is under which a context has the lease that it is for.
type leaseKey struct{}

// During returns a context that ends when the lease is lost, and a function that ends its use.
func (s *Store) During(ctx context.Context, l frontier.Lease) (context.Context, context.CancelFunc) {
	s.leases.Lock()
	h := s.leases.held[l.ID]
	s.leases.Unlock()
	ctx, cancel := context.WithCancelCause(ctx)
	if h == nil {
		cancel(frontier.ErrLost)
		return ctx, func() {}
	}
	stop := context.AfterFunc(h.ctx, func() { cancel(context.Cause(h.ctx)) })
	return context.WithValue(ctx, leaseKey{}, h), func() {
		stop()
		cancel(nil)
		s.leases.Lock()
		defer s.leases.Unlock()
		if h.lost() {
			delete(s.leases.held, l.ID)
		}
	}
}

// Sure waits until it is certain that no other node has the lease of a context that During gave: a node that was frozen, or cut off, must
// not make requests under leases that have ended meanwhile.
func (s *Store) Sure(ctx context.Context) error {
	h, _ := ctx.Value(leaseKey{}).(*held)
	for h != nil {
		s.leases.Lock()
		since, again := time.Since(h.renewed), s.leases.again
		s.leases.Unlock()
		if since < s.options.Lease*3/4 {
			break
		}
		select {
		case <-again:
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-s.alive.Done():
			return frontier.ErrClosed
		}
	}
	return ctx.Err()
}

// signal is a truth that others wait for.
type signal struct {
	mu sync.Mutex
	on bool
}

func (g *signal) set(on bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.on = on
}

func (g *signal) is() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.on
}
