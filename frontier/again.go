package frontier

import (
	"context"
	"fmt"
	"slices"
	"time"
)

// A Requeue is an entry that was settled and is to be pending once more.
type Requeue struct {
	Key string

	// Settled is Entry.Settled as the caller read it. An entry that another node has changed since
	// stays as it is. Zero matches any.
	Settled time.Time

	// Tries is the number of tries that count from now on; 0 gives the URL all its tries again.
	Tries int

	// NotBefore is the time before which it is not leased; zero for no wait.
	NotBefore time.Time

	// Counters are added to the durable counters of these names if the entry becomes pending.
	Counters map[string]int64
}

// Again makes entries pending once more that were settled as Fetched or Failed, in one transaction,
// and returns how many: the caller has lost what came of them, or hopes for more. They are in no
// family; reason is kept with them until they are settled. Keys in another state, settled at
// another time, and unknown ones, stay as they are.
//
// The context counts until the change is handed to the committer.
func (f *Frontier) Again(ctx context.Context, entries []Requeue, reason string) (again int, err error) {
	return f.unsettle(ctx, entries, reason, Fetched, Failed)
}

// Readmit is Again for entries that were settled as Excluded and have a host to ask: the caller wants what it did not want before.
func (f *Frontier) Readmit(ctx context.Context, entries []Requeue, reason string) (again int, err error) {
	return f.unsettle(ctx, entries, reason, Excluded)
}

func (f *Frontier) unsettle(ctx context.Context, entries []Requeue, reason string, states ...State) (again int, err error) {
	if err := ctx.Err(); err != nil {
		return 0, err
	}
	if err := CheckRequeues(entries); err != nil {
		return 0, err
	}
	err = f.commit(func(b *batch) error {
		again = 0
		for _, q := range entries {
			did, err := b.unsettle(q, reason, states)
			if err != nil {
				return err
			}
			if did {
				again++
			}
		}
		return nil
	}, nil)
	if err != nil {
		again = 0
	}
	return again, err
}

// CheckRequeues returns an error for an invalid counter name.
func CheckRequeues(entries []Requeue) error {
	for _, q := range entries {
		for name := range q.Counters {
			if err := validName(name); err != nil {
				return fmt.Errorf("frontier: counter: %w", err)
			}
		}
	}
	return nil
}

// unsettle makes an entry pending that was settled as one of some states.
func (b *batch) unsettle(q Requeue, reason string, states []State) (bool, error) {
	_, r, err := b.find(identity(q.Key))
	if err != nil || r == nil || !slices.Contains(states, r.State) || !q.Settled.IsZero() && !q.Settled.Equal(r.Settled) {
		return false, err
	}
	if _, err := r.host(); err != nil {
		return false, nil // it was excluded since there is none
	}
	b.totals[r.State]--
	b.totals[Pending]++
	r.State, r.Settled, r.Tries, r.Reason = Pending, time.Time{}, q.Tries, clip(reason, maxReason)
	r.waiting, r.NotBefore = !q.NotBefore.IsZero(), q.NotBefore
	r.Family = "" // it was drawn, and has been counted as that
	if err := b.enqueue(r); err != nil {
		return false, err
	}
	for name, n := range q.Counters {
		if err := b.count(name, n); err != nil {
			return false, err
		}
	}
	return true, b.put(r)
}
