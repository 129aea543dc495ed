package frontier

import (
	"context"
	"fmt"
)

// Add makes the URLs known in one transaction and returns, once that is durable,
// how many of them were new, deferred ones included. A URL whose key is known is not added again, but if
// it is pending its priority is updated as Options.Update says (the highest brings
// its Via, Path, Anchor, Type and Level) and it takes over the smaller number of hops; if it is deferred, and
// this time without a family, it is scheduled, too. For every state, the latest
// Modified counts (package cluster takes it from the first link and the highest one). A
// URL that has no host to ask, or is longer than 32 KiB, is not an error: it is
// recorded as Excluded with the reason, and not counted.
//
// The context counts until the change is handed to the committer.
func (f *Frontier) Add(ctx context.Context, urls []URL) (added int, err error) {
	if err := ctx.Err(); err != nil {
		return 0, err
	}
	if len(urls) == 0 {
		return 0, nil
	}
	known := f.known(urls)
	err = f.commit(func(b *batch) error {
		var err error
		added, err = b.add(urls, known, "", false)
		return err
	}, nil)
	if err != nil {
		added = 0
	}
	return added, err
}

// add makes URLs known. via is for those that do not say where they come from;
// batched ones are not scheduled before their batch is complete. What is known, Frontier.known tells.
func (b *batch) add(urls []URL, known []bool, via string, batched bool) (added int, err error) {
	from := ""
	if host, err := HostOf(via); err == nil {
		from = DomainOf(host)
	}
	for i, u := range urls {
		u = u.named(via)
		if err := b.notice(&u, from); err != nil {
			return 0, err
		}
		if known != nil && known[i] {
			continue
		}
		again, err := b.again(&u, batched)
		if err != nil {
			return 0, err
		}
		if again {
			continue
		}
		accepted, err := b.accept(u, batched && !u.Immediate)
		if err != nil {
			return 0, err
		}
		if accepted {
			added++
		}
	}
	return added, nil
}

// again gives a link to the entry that its key has, if it has one.
func (b *batch) again(u *URL, batched bool) (known bool, err error) {
	var room [4]entryID
	for _, id := range b.possible(u.Key, room[:0]) {
		key, value := b.reader.Seek(id.bytes())
		if len(key) != 4 || idOf(key) != id {
			continue
		}
		g, err := glanceAt(value)
		if err != nil {
			return false, fmt.Errorf("entry %x: %w", id, err)
		}
		if !g.is(u.Key) {
			continue
		}
		if g.keeps(b.options.Update, u) {
			return true, nil // as most links do
		}
		r, err := b.entry(id)
		if err != nil {
			return false, err
		}
		if u.Modified != 0 && u.Modified != r.Modified {
			r.Modified = u.Modified
			if err := b.put(r); err != nil {
				return false, err
			}
		}
		if g.outranks(b.options.Update, u) {
			return true, nil
		}
		if r.State == PutOff {
			return true, b.vouch(r, u, batched)
		}
		return true, b.raise(r, u)
	}
	return false, nil
}

// notice takes from a link what it says about the domain that it leads to.
func (b *batch) notice(u *URL, from string) error {
	if b.options.InDegree.Base == 0 {
		return nil
	}
	host, err := HostOf(u.URL)
	if err != nil {
		return nil // it is recorded as unusable
	}
	to := DomainOf(host)
	if u.Seed {
		d, err := b.domain(to)
		if err != nil {
			return err
		}
		if !d.seeded {
			d.seeded = true
		}
	}
	if from == "" {
		return nil
	}
	return b.linked(from, to)
}

// accept writes the entry of a new key, and queues it or puts it off if it can be asked for.
func (b *batch) accept(u URL, batched bool) (accepted bool, err error) {
	host, problem := HostOf(u.URL)
	u = u.bounded()
	id, err := b.number(u.Key)
	if err != nil {
		return false, err
	}
	r := &record{id: id, Entry: Entry{URL: u, Added: b.now}}
	r.score(b.options.Update, u.Priority, false)
	if problem != nil {
		r.State, r.Settled, r.Reason, r.Family = Excluded, b.now, problem.Error(), ""
		b.totals[Excluded]++
		return false, b.put(r)
	}
	if r.Family != "" {
		if err := b.postpone(r, host); err != nil {
			return false, err
		}
		return true, b.put(r)
	}
	r.Batched = batched
	b.totals[Pending]++
	if err := b.enqueueAt(r, host); err != nil {
		return false, err
	}
	return true, b.put(r)
}

// raise gives a pending entry another priority and the better of what is known
// about it. The entry keeps its place among equals.
func (b *batch) raise(r *record, u *URL) error {
	if r.State != Pending {
		return nil
	}
	was := *r
	b.improve(r, u)
	if *r == was {
		return nil
	}
	if r.Batched != was.Batched || !r.Batched && !r.waiting && r.place() != was.place() {
		if err := b.dequeue(&was); err != nil {
			return err
		}
		if err := b.enqueue(r); err != nil {
			return err
		}
	}
	return b.put(r)
}

// improve takes into an entry the priority that comes with a link and what that knows better.
func (b *batch) improve(r *record, u *URL) {
	scores, sum := r.Scores, r.sum
	highest := r.score(b.options.Update, u.Priority, u.Decisive)
	if b.options.Update != Avg && b.options.Update != Sum && !highest {
		r.Scores, r.sum = scores, sum // nobody asks for them
	}
	r.Hops = min(r.Hops, u.Hops)
	r.Immediate = r.Immediate || u.Immediate
	if highest {
		r.LedBy(u.bounded())
	}
	if r.Immediate {
		r.Batched = false
	}
}

// release schedules all batched URLs.
func (b *batch) release() error {
	b.released = true
	cursor := b.batched.Cursor()
	for key, _ := cursor.First(); key != nil; key, _ = cursor.First() {
		r, err := b.entry(queued(key))
		if err != nil {
			return err
		}
		if r == nil || !r.Batched {
			return fmt.Errorf("%w: the batch names an entry that is not in it", errRecord)
		}
		if err := b.dequeue(r); err != nil {
			return err
		}
		r.Batched = false
		b.requeued[r.id] = queueReady // where it was leased from its family before a link named it
		if err := b.enqueue(r); err != nil {
			return err
		}
		if err := b.put(r); err != nil {
			return err
		}
	}
	return nil
}
