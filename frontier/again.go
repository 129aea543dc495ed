package frontier

import (
	"context"
	"fmt"
	"slices"
	"time"
)

// Again makes entries pending once more that were settled as Fetched or Failed, in one transaction, and returns how many: the caller
// has lost what came of them. Their tries are counted anew, and they are in no family; reason is kept with them until they are settled.
// Keys in another state, and unknown ones, stay as they are. Counters are added to the durable counters of these names.
//
// The context counts until the change is handed to the committer.
func (f *Frontier) Again(ctx context.Context, keys []string, reason string, counters map[string]int64) (again int, err error) {
	return f.unsettle(ctx, keys, reason, counters, Fetched, Failed)
}

// Readmit is Again for entries that were settled as Excluded and have a host to ask: the caller wants what it did not want before.
func (f *Frontier) Readmit(ctx context.Context, keys []string, reason string, counters map[string]int64) (again int, err error) {
	return f.unsettle(ctx, keys, reason, counters, Excluded)
}

func (f *Frontier) unsettle(
	ctx context.Context, keys []string, reason string, counters map[string]int64, states ...State,
) (again int, err error) {
	if err := ctx.Err(); err != nil {
		return 0, err
	}
	for name := range counters {
		if err := validName(name); err != nil {
			return 0, fmt.Errorf("frontier: counter: %w", err)
		}
	}
	err = f.commit(func(b *batch) error {
		again = 0
		for _, key := range keys {
			did, err := b.unsettle(identity(key), reason, states)
			if err != nil {
				return err
			}
			if did {
				again++
			}
		}
		for name, n := range counters {
			if err := b.count(name, n); err != nil {
				return err
			}
		}
		return nil
	}, nil)
	if err != nil {
		again = 0
	}
	return again, err
}

// unsettle makes an entry pending that was settled as one of some states.
func (b *batch) unsettle(key, reason string, states []State) (bool, error) {
	_, r, err := b.find(key)
	if err != nil || r == nil || !slices.Contains(states, r.State) {
		return false, err
	}
	if _, err := r.host(); err != nil {
		return false, nil // it was excluded since there is none
	}
	b.totals[r.State]--
	b.totals[Pending]++
	r.State, r.Settled, r.Tries, r.Reason = Pending, time.Time{}, 0, clip(reason, maxReason)
	r.Family = "" // it was drawn, and has been counted as that
	if err := b.enqueue(r); err != nil {
		return false, err
	}
	return true, b.put(r)
}
