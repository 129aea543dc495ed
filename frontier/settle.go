package frontier

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// An Outcome is all that follows from one lease. It is applied completely or not
// at all.
type Outcome struct {
	State  State  // Fetched, Failed, Excluded, PutOff, Retry or Defer
	Reason string // why; kept with the entry
	Family string // for PutOff, where the URL waits from now on: that was not a try, nor, if it was drawn, a draw

	// RetryAfter is the wait of this URL before it comes again. For Retry, 0 means
	// the back-off of Options, or two waits of its host where that is longer, so that
	// another URL can show meanwhile whether the host is down; for Defer, 0 means at once, at the front of the host.
	RetryAfter time.Duration

	// HostDelay is the least wait that the host asks for (Crawl-delay). It replaces
	// what the host asked for before and counts where it exceeds Options.Delay. 0
	// changes nothing, a negative value takes the host's wish back.
	HostDelay time.Duration

	// HostNotBefore is the time before which no URL of the host shall be leased
	// (Retry-After). Zero, or earlier than what is already known, changes nothing.
	HostNotBefore time.Time

	// IP is the address that answered; "" changes nothing.
	IP string

	// HostNote replaces the host's note; nil changes nothing.
	HostNote []byte

	// NoRequest says that no exchange took place, so that the least wait of the
	// host does not start again.
	NoRequest bool

	// Links are added as by Add.
	Links []URL

	// Exclude are URLs to keep out for good, as Frontier.Exclude does, before Links
	// are added.
	Exclude []Exclusion

	// Aliases are keys that this capture also satisfies. Pending ones leave the
	// queue and are never leased; unknown ones become known. Settled ones stay.
	Aliases []string

	// Counters are added to the durable counters of these names.
	Counters map[string]int64

	// Marks are objects seen; each new one adds one to its counter.
	Marks []Mark

	// Meta are settings as PutMeta stores them; a nil value takes one away.
	Meta map[string][]byte

	// Families says what is to be kept of families, by name.
	Families map[string]FamilyChange
}

// An Exclusion keeps a URL out. One that was not settled before adds one to the
// counter.
type Exclusion struct {
	URL     URL
	Reason  string
	Counter string
}

// A Mark counts distinct objects: the first time that its Key is seen, Counter goes up by
// one. Later marks of the same key change nothing.
type Mark struct {
	Key     string
	Counter string
	Title   string // for reports; cut at 512 bytes
}

// maxName is the longest name of a counter or a setting, in bytes.
const maxName = 1 << 10

// Add makes the URLs known in one transaction and returns, once that is durable,
// how many of them were new, those that it puts off included. A URL whose key is known is not added again, but if
// it is pending its priority is updated as Options.Update says (the highest brings
// its Via, Anchor, Type and Level) and it takes over the smaller number of hops; if it is put off, and
// this time without a family, it is scheduled, too. A
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

// Done ends a lease, in one transaction with everything in the outcome, and returns
// once that is durable. After an error nothing has changed and the lease is still
// held. A lease that is not held, because it was settled before or comes
// from another process, is an error.
func (f *Frontier) Done(lease Lease, o Outcome) error {
	if err := o.validate(); err != nil {
		return fmt.Errorf("frontier: outcome of %s: %w", lease.URL.URL, err)
	}
	if o.State == PutOff && lease.Seed {
		return fmt.Errorf("frontier: outcome of %s: a seed is never put off", lease.URL.URL)
	}
	end := f.options.Now()
	f.mu.Lock()
	l := f.mu.leases[lease.ID]
	if l == nil || l.settling {
		f.mu.Unlock()
		return fmt.Errorf("frontier: lease %d of %s is not held", lease.ID, lease.URL.URL)
	}
	l.settling = true
	f.mu.Unlock()
	known := f.known(o.Links)
	err := f.commit(func(b *batch) error {
		return b.settle(l, &o, known, end, &f.options)
	}, func() {
		if o.NoRequest {
			end = time.Time{}
		}
		f.mu.schedule.release(l, end)
		delete(f.mu.leases, lease.ID)
		delete(f.mu.byEntry, l.id)
	})
	if err != nil {
		f.mu.Lock()
		l.settling = false
		f.mu.Unlock()
	}
	return err
}

// Amend applies Exclude, Links, Counters, Marks, Meta and Families of an outcome, of which nothing else
// may be set, in one transaction: what was found later on a page that was settled
// before. via is its URL. It returns once that is durable.
func (f *Frontier) Amend(via string, o Outcome) error {
	if err := o.validateNames(); err != nil {
		return fmt.Errorf("frontier: amending %s: %w", via, err)
	}
	known := f.known(o.Links)
	return f.commit(func(b *batch) error { return b.amend(via, &o, known) }, nil)
}

func (o *Outcome) validate() error {
	switch o.State {
	case Fetched, Failed, Excluded, Retry, Defer:
	case PutOff:
		if o.Family == "" {
			return errors.New("put off without a family")
		}
	default:
		return fmt.Errorf("state %v is not a verdict", o.State)
	}
	if o.RetryAfter < 0 {
		return errors.New("RetryAfter is negative")
	}
	return o.validateNames()
}

func (o *Outcome) validateNames() error {
	for name := range o.Meta {
		if err := validName(name); err != nil {
			return fmt.Errorf("setting: %w", err)
		}
	}
	for name := range o.Counters {
		if err := validName(name); err != nil {
			return fmt.Errorf("counter: %w", err)
		}
	}
	for _, x := range o.Exclude {
		if err := validName(x.Counter); err != nil {
			return fmt.Errorf("exclusion of %s: counter: %w", x.URL.URL, err)
		}
	}
	for _, m := range o.Marks {
		if err := validName(m.Counter); err != nil {
			return fmt.Errorf("mark %q: counter: %w", m.Key, err)
		}
	}
	return validFamilies(o.Families)
}

func validName(name string) error {
	if name == "" || len(name) > maxName {
		return fmt.Errorf("name of %d bytes, want 1 to %d", len(name), maxName)
	}
	return nil
}

// settle applies an outcome. Aliases come before links, so that a link to one of
// them is not added.
func (b *batch) settle(l *held, o *Outcome, known []bool, end time.Time, options *Options) error {
	b.draws = true
	name := l.host.name
	h, err := b.host(name)
	if err != nil {
		return err
	}
	h.settle(end, o)
	if !o.NoRequest {
		if err := b.asked(name, h); err != nil {
			return err
		}
		if b.drawn.requests++; l.drawn {
			b.drawn.drawn++
		}
	}
	r, err := b.entry(l.id)
	if err != nil {
		return err
	}
	if r == nil {
		return fmt.Errorf("%w: leased entry is gone", errRecord)
	}
	if err := b.verdict(r, o, end, options, h.delay); err != nil {
		return err
	}
	if err := b.alias(r, o.Aliases); err != nil {
		return err
	}
	if o.State == Fetched {
		b.pages++
	}
	if o.HostNote != nil {
		if err := b.notes.Put([]byte(name), o.HostNote); err != nil {
			return err
		}
	}
	if o.State == PutOff {
		known = nil // of a link to itself, it was known before
	}
	return b.amend(r.URL.URL, o, known)
}

// amend applies what of an outcome concerns no lease. What is known of its links, Frontier.known tells.
func (b *batch) amend(via string, o *Outcome, known []bool) error {
	for _, x := range o.Exclude {
		if x.URL.Via == "" {
			x.URL.Via = via
		}
		did, err := b.exclude(x.URL, x.Reason)
		if err == nil && did {
			err = b.count(x.Counter, 1)
		}
		if err != nil {
			return err
		}
	}
	if _, err := b.add(o.Links, known, via, b.options.Batch > 0); err != nil {
		return err
	}
	for key, value := range o.Meta {
		if err := b.setting(key, value); err != nil {
			return err
		}
	}
	for counter, n := range o.Counters {
		if err := b.count(counter, n); err != nil {
			return err
		}
	}
	if err := b.changeFamilies(o.Families); err != nil {
		return err
	}
	return b.mark(o.Marks)
}

// verdict moves a leased entry on. If another capture has satisfied it in the
// meantime, a final state still says more than Aliased, but it is not tried again.
func (b *batch) verdict(r *record, o *Outcome, end time.Time, options *Options, delay time.Duration) error {
	state := o.State
	if state == Fetched || state == Failed || state == Retry {
		r.Tries++
	}
	if state == Retry && r.Tries >= options.MaxTries {
		state = Failed
	}
	queued := r.State == Pending
	if queued {
		if err := b.dequeue(r); err != nil {
			return err
		}
	}
	if state == PutOff {
		return b.putBack(r, o)
	}
	final := state != Retry && state != Defer
	if final && queued && r.drawn() {
		if _, err := b.undraw(r); err != nil {
			return err
		}
	}
	if final || queued {
		r.Reason = clip(o.Reason, maxReason)
	}
	switch {
	case final:
		b.totals[r.State]--
		b.totals[state]++
		r.State, r.Settled = state, end
		r.front, r.waiting, r.Batched, r.NotBefore = false, false, false, time.Time{}
	case queued:
		wait := o.RetryAfter
		if wait == 0 && state == Retry {
			wait = max(backoff(options.Backoff, options.MaxBackoff, r.Tries), 2*max(options.Delay, delay))
		}
		r.front, r.waiting, r.NotBefore = state == Defer, wait > 0, time.Time{}
		if r.waiting {
			r.NotBefore = end.Add(wait)
		}
		if err := b.enqueue(r); err != nil {
			return err
		}
	}
	return b.put(r)
}

// putBack lets a leased URL wait in a family. One that was settled meanwhile stays so.
func (b *batch) putBack(r *record, o *Outcome) error {
	if r.State != Pending {
		return nil
	}
	if r.drawn() {
		f, err := b.undraw(r)
		if err != nil {
			return err
		}
		f.drawn--
		if err := b.moved(f); err != nil {
			return err
		}
	}
	b.totals[Pending]--
	r.Reason, r.Family = clip(o.Reason, maxReason), clip(o.Family, maxFamily)
	r.front, r.waiting, r.NotBefore = false, false, time.Time{}
	name, err := r.host()
	if err != nil {
		return err
	}
	if err := b.postpone(r, name); err != nil {
		return err
	}
	return b.put(r)
}

// alias settles the keys that the capture of r satisfies, too.
func (b *batch) alias(r *record, keys []string) error {
	for _, key := range keys {
		key = identity(key)
		if key == r.Key || key == "" {
			continue
		}
		_, a, err := b.find(key)
		switch {
		case err != nil:
			return err
		case a == nil:
			id, err := b.number(key)
			if err != nil {
				return err
			}
			a = &record{id: id, Entry: Entry{URL: URL{URL: key, Key: key}, Added: b.now}}
			a.Via = r.URL.URL
		case a.State != Pending && a.State != PutOff:
			continue
		default:
			if err := b.drop(a); err != nil {
				return err
			}
		}
		if err := b.end(a, Aliased, clip("captured as "+r.URL.URL, maxReason)); err != nil {
			return err
		}
	}
	return nil
}

// add makes URLs known. via is for those that do not say where they come from;
// batched ones are not scheduled before their batch is complete. What is known, Frontier.known tells.
func (b *batch) add(urls []URL, known []bool, via string, batched bool) (added int, err error) {
	from := ""
	if host, err := HostOf(via); err == nil {
		from = DomainOf(host)
	}
	for i, u := range urls {
		if u.Via == "" {
			u.Via = via
		}
		u.Key = identity(u.key())
		if u.Family = clip(u.Family, maxFamily); u.Seed {
			u.Family = ""
		}
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
	for _, id := range b.candidates(u.Key, room[:0]) {
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
			if err := b.unblock(to); err != nil {
				return err
			}
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
	u.URL, u.Via = clip(u.URL, maxURL), clip(u.Via, maxURL)
	u.Anchor = clip(u.Anchor, maxAnchor)
	u.Type, u.Level, u.Why = clip(u.Type, maxName), clip(u.Level, maxName), u.why()
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
		if err := b.enqueue(r); err != nil {
			return err
		}
		if err := b.put(r); err != nil {
			return err
		}
	}
	return nil
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
		r.Via, r.Anchor = clip(u.Via, maxURL), clip(u.Anchor, maxAnchor)
		r.Type, r.Level, r.Why = clip(u.Type, maxName), clip(u.Level, maxName), u.why()
	}
	if r.Immediate {
		r.Batched = false
	}
}

// Exclude keeps URLs out for good, in one transaction: those that are scheduled or put off leave their queue
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
	if r.State == PutOff {
		if err := b.resume(r); err != nil {
			return err
		}
		r.Family = ""
		return nil
	}
	if r.drawn() {
		if _, err := b.undraw(r); err != nil {
			return err
		}
	}
	b.unqueued = append(b.unqueued, r.id)
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

// mark counts the objects that were not seen before.
func (b *batch) mark(marks []Mark) error {
	for _, m := range marks {
		id := hashOf(m.Key)
		if b.marks.Get(id[:]) != nil {
			continue
		}
		m.Key, m.Title = clip(m.Key, maxURL), clip(m.Title, maxAnchor)
		if err := b.marks.Put(id[:], m.encode()); err != nil {
			return err
		}
		if err := b.count(m.Counter, 1); err != nil {
			return err
		}
	}
	return nil
}
