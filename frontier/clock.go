package frontier

import (
	"context"
	"errors"
	"time"

	bolt "go.etcd.io/bbolt"
)

// EndWaits ends all waits of URLs and hosts that would last longer than longest from now, and returns how many there were. No such
// wait can exist if longest is the longest that the caller sets: it comes from a clock that was ahead and was set back.
//
// The context counts until the change is handed to the committer.
func (f *Frontier) EndWaits(ctx context.Context, longest time.Duration) (ended int, err error) {
	if err := ctx.Err(); err != nil {
		return 0, err
	}
	limit := f.options.Now().Add(longest)
	var urls []entryID
	var hosts []string
	err = f.view(func(tx *bolt.Tx) error {
		err := bucket(tx, bucketWaiting).ForEach(func(key, _ []byte) error {
			r, err := readEntry(bucket(tx, bucketEntries), queued(key))
			if err == nil && r != nil && r.NotBefore.After(limit) {
				urls = append(urls, r.id)
			}
			return err
		})
		return errors.Join(err, bucket(tx, bucketHosts).ForEach(func(name, value []byte) error {
			h, err := decodeHost(value)
			if err == nil && h.notBefore.After(limit) {
				hosts = append(hosts, string(name))
			}
			return err
		}))
	})
	if err != nil || len(urls)+len(hosts) == 0 {
		return 0, err
	}
	return len(urls) + len(hosts), f.commit(func(b *batch) error { return b.endWaits(urls, hosts, limit) }, nil)
}

func (b *batch) endWaits(urls []entryID, hosts []string, limit time.Time) error {
	for _, id := range urls {
		r, err := b.entry(id)
		if err != nil {
			return err
		}
		if r == nil || r.State != Pending || !r.waiting || !r.NotBefore.After(limit) {
			continue // it was leased meanwhile
		}
		if err := b.dequeue(r); err != nil {
			return err
		}
		r.waiting, r.NotBefore = false, time.Time{}
		if err := b.enqueue(r); err != nil {
			return err
		}
		if err := b.put(r); err != nil {
			return err
		}
	}
	for _, name := range hosts {
		h, err := b.host(name)
		if err != nil {
			return err
		}
		if h.notBefore.After(limit) {
			h.notBefore = time.Time{}
		}
	}
	return nil
}
