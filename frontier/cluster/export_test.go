package cluster

import (
	"context"
	"io"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/awarc/awarc/frontier"
)

// Freeze ends the renewals of leases, as if the process stood still, until it is called with false.
func (s *Store) Freeze(frozen bool) { s.frozen.set(frozen) }

// LoseKeys deletes one key of each partition.
func (s *Store) LoseKeys(name string) error {
	for _, p := range s.partitions {
		if err := s.client.Del(s.alive, p.keys[slices.Index(keysOfPartition, name)]).Err(); err != nil {
			return err
		}
	}
	return nil
}

// LosePartition deletes all keys of a partition.
func (s *Store) LosePartition(p int) error {
	return s.client.Del(s.alive, s.partitions[p].keys...).Err()
}

// HoldAnswer holds back the answer to the next operation of that name until release is called. The
// channel is closed when the answer has arrived, or the operation has failed.
func (s *Store) HoldAnswer(operation string) (answered <-chan struct{}, release func()) {
	arrived, released := make(chan struct{}), make(chan struct{})
	s.hook(&interceptor{operation: operation, answer: func(redis.Cmder) { close(arrived); <-released }})
	return arrived, func() { close(released) }
}

// Renewed returns a channel that is closed after the next renewal of all leases.
func (s *Store) Renewed() <-chan struct{} {
	s.leases.Lock()
	defer s.leases.Unlock()
	return s.leases.again
}

// StoppedNow polls once and returns the reason for which the crawl is stopped, and "" if it is not.
func (s *Store) StoppedNow() (reason string, err error) {
	err = s.look(s.alive)
	s.control.Lock()
	defer s.control.Unlock()
	return s.control.reason, err
}

// Drained is what Next asks when there is nothing to lease.
func (s *Store) Drained() (bool, error) { return s.drained() }

// TakeNow leases the URL that is first now in the only partition, if there is one.
func (s *Store) TakeNow() (l frontier.Lease, found bool, err error) {
	began := time.Now()
	reply, err := s.change(s.alive, 0, "take", s.options.Node, micros(s.options.Lease), 1)
	if err != nil {
		return l, false, err
	}
	leases, err := s.admit(0, began, list(list(reply)[1]))
	s.stir(0)
	if err != nil || len(leases) == 0 {
		return l, false, err
	}
	return leases[0], true, nil
}

// LoseAnswer lets the next operation of that name be done and its answer not come.
func (s *Store) LoseAnswer(operation string) {
	s.hook(&interceptor{operation: operation, answer: func(c redis.Cmder) { c.SetErr(io.EOF) }})
}

func (s *Store) hook(hook redis.Hook) {
	switch c := s.client.(type) {
	case *redis.Client:
		c.AddHook(hook)
	case *redis.ClusterClient:
		c.OnNewNode(func(node *redis.Client) { node.AddHook(hook) })
		_ = c.ForEachShard(context.Background(), func(_ context.Context, node *redis.Client) error { node.AddHook(hook); return nil })
	}
}

// Forget lets a server know no operation, and say so in words of its own.
func (s *Store) Forget() error {
	s.hook(otherWords{})
	return s.client.FunctionFlush(s.alive).Err()
}

type otherWords struct{}

func (otherWords) Error() string { return "ERR there is no such thing" }
func (otherWords) RedisError()   {}

func (otherWords) DialHook(next redis.DialHook) redis.DialHook          { return next }
func (otherWords) ProcessHook(next redis.ProcessHook) redis.ProcessHook { return next }
func (otherWords) ProcessPipelineHook(next redis.ProcessPipelineHook) redis.ProcessPipelineHook {
	return func(ctx context.Context, commands []redis.Cmder) error {
		err := next(ctx, commands)
		for _, c := range commands {
			if c.Err() != nil && strings.Contains(c.Err().Error(), "not found") {
				c.SetErr(otherWords{})
			}
		}
		return err
	}
}

// interceptor changes the first answer to an operation.
type interceptor struct {
	operation string
	answer    func(redis.Cmder)
	done      atomic.Bool
}

func (i *interceptor) DialHook(next redis.DialHook) redis.DialHook          { return next }
func (i *interceptor) ProcessHook(next redis.ProcessHook) redis.ProcessHook { return next }
func (i *interceptor) ProcessPipelineHook(next redis.ProcessPipelineHook) redis.ProcessPipelineHook {
	return func(ctx context.Context, commands []redis.Cmder) error {
		err := next(ctx, commands)
		for _, c := range commands {
			if c.Name() == "fcall" && slices.Contains(c.Args(), any(i.operation)) && i.done.CompareAndSwap(false, true) {
				i.answer(c)
			}
		}
		return err
	}
}

// BeginRule puts a rule in force as SetRule does, and does no more than begin to place the hosts of the only partition.
func (s *Store) BeginRule(name string, r *frontier.Rule) (left bool, err error) {
	number, err := s.client.HIncrBy(s.alive, crawlKey(s.options.Crawl), fieldRules, 1).Result()
	if err != nil {
		return false, err
	}
	reply, err := s.change(s.alive, 0, "rules", append([]any{number, 1}, ruleArgs(name, r)...)...)
	return reply == int64(1), err
}

// Inhabited is how many partitions have URLs.
func (s *Store) Inhabited() (n int) {
	each, _, err := s.glanceAtSums(s.alive)
	if err != nil {
		panic(err)
	}
	for _, one := range each {
		if one["seq"] != "" {
			n++
		}
	}
	return n
}
