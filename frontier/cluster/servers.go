package cluster

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/awarc/awarc/frontier"
)

// client is a Redis Cluster, or one server.
type client interface {
	redis.UniversalClient
}

// quiet keeps the library from writing to standard error: what it has to say is in the errors that it returns.
type quiet struct{}

func (quiet) Printf(context.Context, string, ...any) {}

func init() { redis.SetLogger(quiet{}) }

// connect finds out what is there.
func connect(ctx context.Context, named servers, password string) (client, error) {
	o := redis.UniversalOptions{
		Addrs: named.addresses, Username: named.user, Password: password, TLSConfig: named.tls,
		DialTimeout: 2 * time.Second, ReadTimeout: 3 * time.Second, WriteTimeout: 3 * time.Second,
		MaxRetries: -1, MaxRedirects: 8, ContextTimeoutEnabled: true,
	}
	var errs []error
	for _, a := range named.addresses {
		alone := o
		alone.Addrs = []string{a}
		c := redis.NewClient(alone.Simple())
		info, err := c.Info(ctx, "cluster", "replication").Result()
		if err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", a, err), c.Close())
			continue
		}
		if !strings.Contains(info, "cluster_enabled:1") {
			if len(named.addresses) > 1 {
				err := fmt.Errorf("cluster: %s is not a node of a Redis Cluster; name one server only", a)
				return nil, errors.Join(err, c.Close())
			}
			return c, nil
		}
		return redis.NewClusterClient(o.Cluster()), c.Close()
	}
	return nil, fmt.Errorf("cluster: no server responds: %w", errors.Join(errs...))
}

// errNotReplicated says that too few replicas know of a change in time.
var errNotReplicated = errors.New("too few replicas confirmed the change")

// server is the one that has a partition now.
func (s *Store) server(ctx context.Context, key string) (*redis.Client, error) {
	switch c := s.client.(type) {
	case *redis.ClusterClient:
		return c.MasterForKey(ctx, key)
	case *redis.Client:
		return c, nil
	}
	return nil, errors.New("cluster: unknown kind of client")
}

// replyTime bounds one attempt, and replicaTime the wait for replicas in it.
const (
	replyTime   = 5 * time.Second
	replicaTime = time.Second
)

// once runs an operation on keys of one slot, and waits until replicas know of what it changed.
func (s *Store) once(ctx context.Context, keys []string, args []any, wait int) (any, error) {
	ctx, cancel := context.WithTimeout(ctx, replyTime)
	defer cancel()
	server, err := s.server(ctx, keys[0])
	if err != nil {
		return nil, err
	}
	for loaded := false; ; loaded = true {
		var reply *redis.Cmd
		err := s.waiting(ctx, server, wait, func(p redis.Pipeliner) { reply = p.FCall(ctx, library, keys, args...) })
		value, failed := reply.Result()
		switch {
		case errors.Is(failed, redis.Nil):
			return nil, nil
		case redis.HasErrorPrefix(failed, lostReply):
			return nil, s.lost(ctx, keys[0])
		case failed != nil && !loaded && !passing(failed): // it may be one that does not know them, or did not a moment ago
			if !knows(ctx, server) {
				if err := teach(ctx, server); err != nil {
					return nil, err
				}
			}
			continue
		case failed != nil:
			return nil, failed
		}
		return value, err
	}
}

// waiting gives a server commands, whose errors are theirs, and waits until so many replicas know of what they changed.
func (s *Store) waiting(ctx context.Context, server *redis.Client, wait int, commands func(redis.Pipeliner)) error {
	if wait > 0 {
		wait = s.fewer.of(ctx, server, wait)
	}
	pipe := server.Pipeline()
	commands(pipe)
	if wait == 0 {
		_, _ = pipe.Exec(ctx) // each command has its error
		return nil
	}
	acknowledged := pipe.Do(ctx, "WAIT", wait, replicaTime.Milliseconds())
	_, _ = pipe.Exec(ctx) // likewise
	if n, err := acknowledged.Int(); err != nil || n < wait && n < s.fewer.ask(ctx, server, wait) {
		return fmt.Errorf("%w: %d of %d", errNotReplicated, n, wait)
	}
	return nil
}

// say gives commands about one key to its server, and returns once they are done and replicas know. They may be done twice.
func (s *Store) say(ctx context.Context, key string, commands func(ctx context.Context, p redis.Pipeliner)) error {
	return s.insist(ctx, func(ctx context.Context) error {
		ctx, cancel := context.WithTimeout(ctx, replyTime)
		defer cancel()
		server, err := s.server(ctx, key)
		if err != nil {
			return err
		}
		var said []redis.Cmder
		err = s.waiting(ctx, server, s.wait, func(p redis.Pipeliner) {
			commands(ctx, p)
			said = p.Cmds()
		})
		for _, c := range said {
			if failed := c.Err(); failed != nil && !errors.Is(failed, redis.Nil) {
				return failed
			}
		}
		return err
	})
}

// teach gives a server the operations, which it passes on to its replicas and keeps.
func teach(ctx context.Context, server *redis.Client) error {
	code := "#!lua name=" + library + "\n" + strings.Replace(operations, "LIBRARY", library, 1)
	err := server.FunctionLoad(ctx, code).Err()
	if err != nil && knows(ctx, server) {
		return nil // another node was faster
	}
	return err
}

// knows reports whether a server has the operations, or does not say: servers have different words for a function that they do not know.
func knows(ctx context.Context, server *redis.Client) bool {
	list, err := server.Do(ctx, "FUNCTION", "LIST", "LIBRARYNAME", library).Slice()
	return err != nil || len(list) > 0
}

// fewer remembers how many replicas servers have that are to be waited for: after a failover, or without replicas, these are few.
type fewer struct {
	sync.Mutex
	replicas map[string]int
	until    map[string]time.Time
}

// fewerLasts is after how long a server is asked again.
const fewerLasts = time.Second

// of is how many replicas of a server a change must be known by, of so many that are wanted.
func (f *fewer) of(ctx context.Context, server *redis.Client, wanted int) int {
	name := server.Options().Addr
	f.Lock()
	n, known := f.replicas[name]
	due := time.Now().After(f.until[name])
	if f.until == nil {
		f.replicas, f.until = make(map[string]int), make(map[string]time.Time)
	}
	if due {
		f.until[name] = time.Now().Add(fewerLasts) // the others need not ask, too
	}
	f.Unlock()
	switch {
	case due:
		return f.ask(ctx, server, wanted)
	case known:
		return min(n, wanted)
	}
	return wanted
}

// ask is of, found out now. One that does not say has enough.
func (f *fewer) ask(ctx context.Context, server *redis.Client, wanted int) int {
	n, err := replicas(ctx, server)
	if err != nil {
		return wanted
	}
	f.Lock()
	defer f.Unlock()
	f.replicas[server.Options().Addr] = n
	return min(n, wanted)
}

// replicas counts the replicas of a server that may take its place: all that the cluster has not found to have failed, connected or
// not, but those that are given everything anew. A master that was frozen while its replica was promoted has lost the connection to it;
// if it took that for having none, what it was told before it heard that it is no master any more would count and be lost.
func replicas(ctx context.Context, server *redis.Client) (n int, err error) {
	info, err := server.Info(ctx, "replication").Result()
	if err != nil {
		return 0, err
	}
	online := strings.Count(info, "state=online")
	begun := strings.Count(info, "state=wait_bgsave") + strings.Count(info, "state=send_bulk")
	nodes, err := server.ClusterNodes(ctx).Result()
	if err != nil {
		return online, nil // it is no node of a cluster, where nobody is promoted
	}
	var self string
	alive := make(map[string]int) // by master
	for line := range strings.Lines(nodes) {
		fields := strings.Fields(line) // id, address, flags, master
		if len(fields) < 4 {
			continue
		}
		flags := strings.Split(fields[2], ",")
		if slices.Contains(flags, "myself") {
			self = fields[0]
		}
		if slices.Contains(flags, "slave") && !slices.Contains(flags, "fail") {
			alive[fields[3]]++
		}
	}
	return max(online, alive[self]-begun), nil
}

// passing reports whether an error is one that servers have while others take their place, or while they move a slot.
func passing(err error) bool {
	var network net.Error
	if errors.As(err, &network) || errors.Is(err, errAway) || errors.Is(err, io.EOF) || errors.Is(err, errNotReplicated) ||
		errors.Is(err, redis.ErrClosed) || errors.Is(err, context.DeadlineExceeded) {
		return true
	}
	for _, word := range []string{"MOVED", "ASK", "TRYAGAIN", "CLUSTERDOWN", "LOADING", "READONLY", "MASTERDOWN", "NOREPLICAS", "BUSY"} {
		if redis.HasErrorPrefix(err, word) {
			return true
		}
	}
	return false
}

// insist does something again until it is done, or the servers were away for longer than Options.Patience.
func (s *Store) insist(ctx context.Context, do func(context.Context) error) error {
	began := time.Now()
	for pause := 10 * time.Millisecond; ; pause = min(2*pause, time.Second) {
		err := do(ctx)
		switch {
		case err == nil:
			return nil
		case s.alive.Err() != nil:
			return frontier.ErrClosed
		case ctx.Err() != nil:
			return ctx.Err()
		case !passing(err) || errors.Is(err, errAway):
			return s.named(err)
		case time.Since(began) > s.options.Patience:
			return fmt.Errorf("cluster: %s: no response since %v: %w", hidden(s.options.URL), s.options.Patience, err)
		}
		if c, ok := s.client.(*redis.ClusterClient); ok {
			c.ReloadState(ctx)
		}
		select {
		case <-time.After(pause):
		case <-ctx.Done():
		case <-s.alive.Done():
		}
	}
}

// insistOn is insist for a partition. It returns errAway once that is deserted.
func (s *Store) insistOn(ctx context.Context, p int, do func(context.Context) error) error {
	return s.insist(ctx, func(ctx context.Context) error {
		if s.deserted(p) {
			server := s.serverOf(ctx, s.partitions[p].keys[0])
			return fmt.Errorf("partition %d of %d on %s: %w", p, len(s.partitions), server, errAway)
		}
		err := do(ctx)
		switch {
		case err == nil:
			s.noteBack(p)
		case passing(err) && ctx.Err() == nil:
			s.noteAway(p, s.glancePause())
		}
		return err
	})
}

// named says of which servers an error is.
func (s *Store) named(err error) error {
	switch {
	case s.alive.Err() != nil:
		return frontier.ErrClosed
	case errors.As(err, new(*frontier.Error)):
		return err
	case redis.HasErrorPrefix(err, "OOM"):
		return &frontier.Error{Path: hidden(s.options.URL), Kind: frontier.Full, Err: err}
	}
	return fmt.Errorf("cluster: %s: %w", hidden(s.options.URL), err)
}

// change runs an operation that changes a partition. What it does it may do twice, when an answer is lost.
func (s *Store) change(ctx context.Context, p int, operation string, args ...any) (reply any, err error) {
	return s.run(ctx, p, s.wait, operation, args)
}

// read runs an operation that changes nothing.
func (s *Store) read(ctx context.Context, p int, operation string, args ...any) (reply any, err error) {
	return s.run(ctx, p, 0, operation, args)
}

func (s *Store) run(ctx context.Context, p, wait int, operation string, args []any) (reply any, err error) {
	all := append(s.common(operation), args...)
	err = s.insistOn(ctx, p, func(ctx context.Context) error {
		var err error
		reply, err = s.once(ctx, s.partitions[p].keys, all, wait)
		return err
	})
	return reply, err
}

// common are the arguments that every operation has.
func (s *Store) common(operation string) []any {
	now := int64(0) // the server's
	if s.fixed {
		now = s.options.Now().UnixMicro()
	}
	o := &s.options
	return []any{operation, now, micros(o.Delay), micros(o.DomainDelay), o.PerHost, o.PerDomain, o.Update.String(),
		o.PutOffShare, o.PutOffLimit, o.InDegree.Base, o.InDegree.Each, o.InDegree.Until, o.TooLarge}
}

// micros is a time as operations have it, rounded up.
func micros(d time.Duration) int64 { return int64((d + time.Microsecond - 1) / time.Microsecond) }

// Replies of operations are lists of integers, texts and lists.

func list(reply any) []any { l, _ := reply.([]any); return l }

func text(l []any, i int) string {
	if i >= len(l) {
		return ""
	}
	t, _ := l[i].(string)
	return t
}

func number(l []any, i int) int64 {
	if i >= len(l) {
		return 0
	}
	switch n := l[i].(type) {
	case int64:
		return n
	case string:
		v, _ := strconv.ParseInt(n, 10, 64) // of a sum that we wrote
		return v
	}
	return 0
}
