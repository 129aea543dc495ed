package cluster

import (
	"context"
	"io"
	"slices"
	"sync/atomic"

	"github.com/redis/go-redis/v9"

	"github.com/awarc/awarc/frontier"
)

// Freeze ends the renewals of leases, as if the process stood still.
func (s *Store) Freeze() { s.frozen.set(true) }

// Drained is what Next asks when there is nothing to lease.
func (s *Store) Drained() (bool, error) { return s.drained() }

// TakeNow leases the URL that is first now in the only partition, if there is one.
func (s *Store) TakeNow() (l frontier.Lease, found bool, err error) {
	reply, err := s.change(s.alive, 0, "take", s.options.Node, micros(s.options.Lease), 1)
	if err != nil {
		return l, false, err
	}
	leases, err := s.admit(0, list(list(reply)[1]))
	s.stir(0)
	if err != nil || len(leases) == 0 {
		return l, false, err
	}
	return leases[0], true, nil
}

// LoseAnswer lets the next operation of that name be done and its answer not come.
func (s *Store) LoseAnswer(operation string) {
	hook := &loser{operation: operation}
	switch c := s.client.(type) {
	case *redis.Client:
		c.AddHook(hook)
	case *redis.ClusterClient:
		c.OnNewNode(func(node *redis.Client) { node.AddHook(hook) })
		_ = c.ForEachShard(context.Background(), func(_ context.Context, node *redis.Client) error { node.AddHook(hook); return nil })
	}
}

// loser loses one answer.
type loser struct {
	operation string
	lost      atomic.Bool
}

func (l *loser) DialHook(next redis.DialHook) redis.DialHook          { return next }
func (l *loser) ProcessHook(next redis.ProcessHook) redis.ProcessHook { return next }
func (l *loser) ProcessPipelineHook(next redis.ProcessPipelineHook) redis.ProcessPipelineHook {
	return func(ctx context.Context, commands []redis.Cmder) error {
		err := next(ctx, commands)
		for _, c := range commands {
			if c.Name() == "fcall" && slices.Contains(c.Args(), any(l.operation)) && l.lost.CompareAndSwap(false, true) {
				c.SetErr(io.EOF)
			}
		}
		return err
	}
}
