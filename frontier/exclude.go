package frontier

import (
	"context"
	"time"
)

// An Exclusion keeps a URL out. One that was not settled before adds one to the
// counter.
type Exclusion struct {
	URL     URL
	Reason  string
	Counter string
}

// Exclude excludes URLs permanently, in one transaction: scheduled or deferred ones leave their queue
// and unknown ones become known as Excluded, with the reason. Settled ones stay as
// they are; a leased one is fetched but does not come again. It returns how many were
// excluded.
func (f *Frontier) Exclude(ctx context.Context, urls []URL, reason string) (excluded int, err error) {
	if err := ctx.Err(); err != nil {
		return 0, err
	}
	err = f.commit(func(b *batch) error {
		excluded = 0
		for _, u := range urls {
			did, err := b.exclude(u, reason)
			if err != nil {
				return err
			}
			if did {
				excluded++
			}
		}
		return nil
	}, nil)
	if err != nil {
		excluded = 0
	}
	return excluded, err
}

func (b *batch) exclude(u URL, reason string) (bool, error) {
	u.Key = identity(u.key())
	u.URL, u.Via, u.Why, u.Family = clip(u.URL, maxURL), clip(u.Via, maxURL), u.why(), ""
	_, r, err := b.find(u.Key)
	switch {
	case err != nil:
		return false, err
	case r == nil:
		id, err := b.number(u.Key)
		if err != nil {
			return false, err
		}
		r = &record{id: id, Entry: Entry{URL: u, Added: b.now}}
	case r.State != Pending && r.State != PutOff:
		return false, nil
	default:
		if err := b.drop(r); err != nil {
			return false, err
		}
	}
	return true, b.end(r, Excluded, clip(reason, maxReason))
}

// drop takes an entry that is pending or put off out of its queue by something other than its lease.
func (b *batch) drop(r *record) error {
	b.unqueued = append(b.unqueued, r.id)
	delete(b.requeued, r.id)
	if r.State == PutOff {
		host, err := r.host()
		if err == nil {
			err = b.resume(r, host, 0)
		}
		r.Family = ""
		return err
	}
	if r.drawn() {
		if err := b.undraw(r, 0); err != nil {
			return err
		}
	}
	b.totals[Pending]--
	return b.dequeue(r)
}

// end gives an entry that is in no queue its final state.
func (b *batch) end(r *record, state State, reason string) error {
	b.totals[state]++
	r.State, r.Settled, r.Reason = state, b.now, reason
	r.front, r.waiting, r.Batched, r.NotBefore = false, false, false, time.Time{}
	return b.put(r)
}
