package frontier

import (
	"fmt"
	"time"
)

// Done ends a lease, in one transaction with everything in the outcome, and returns
// once that is durable. After an error nothing has changed and the lease is still
// held. A lease that is not held, because it was settled before or comes
// from another process, is an error.
func (f *Frontier) Done(lease Lease, o Outcome) error {
	if err := o.Validate(); err != nil {
		return fmt.Errorf("frontier: outcome of %s: %w", lease.URL.URL, err)
	}
	if o.State == PutOff && lease.Seed {
		return fmt.Errorf("frontier: outcome of %s: a seed is never deferred", lease.URL.URL)
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
		asked := l.end(end)
		if o.NoRequest {
			asked = time.Time{}
		}
		f.unqueue(l)
		f.mu.schedule.release(l, asked)
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

// Answered ends the exchange of a lease: its host, address and domain may be requested again when their waits, from now on, are
// over, and not only after Done. So a host gets its next request while the page of the last one is being read; the
// links of that page do not influence it. It must not be called for an answer that makes its
// host wait, see Outcome.HostNotBefore. It does nothing
// where the host's address is not known or requests of its domain are counted, since both follow from Done alone.
func (f *Frontier) Answered(lease Lease) {
	f.mu.Lock()
	defer f.mu.Unlock()
	l, s := f.mu.leases[lease.ID], f.mu.schedule
	if l == nil || l.settling || !l.answered.IsZero() || l.gates[0] == 0 || s.counted(l.host) {
		return
	}
	now := f.options.Now()
	s.answer(l, now)
	s.place(l.host, now)
	f.announce()
}

// unqueue notes that the URL of a lease is not in its queue any more. The caller holds mu.
func (f *Frontier) unqueue(l *held) {
	if l.deferred() {
		if f.mu.drawing[l.family]--; f.mu.drawing[l.family] == 0 {
			delete(f.mu.drawing, l.family)
		}
	}
	f.mu.schedule.unqueue(l)
}

// end is when the exchange of a lease was over that is settled now.
func (l *held) end(now time.Time) time.Time {
	if l.answered.IsZero() {
		return now
	}
	return l.answered
}

// Amend applies Aliases, Exclude, Links, Counters, Marks, Meta and Families of an outcome, of which
// nothing else may be set, in one transaction: what was found later on a page that was settled
// before. via is its URL. It returns once that is durable.
func (f *Frontier) Amend(via string, o Outcome) error {
	if err := o.ValidateNames(); err != nil {
		return fmt.Errorf("frontier: amending %s: %w", via, err)
	}
	known := f.known(o.Links)
	return f.commit(func(b *batch) error {
		if err := b.alias(&record{Entry: Entry{URL: URL{URL: via}}}, o.Aliases); err != nil {
			return err
		}
		return b.amend(via, &o, known)
	}, nil)
}

// settle applies an outcome. Aliases come before links, so that a link to one of
// them is not added.
func (b *batch) settle(l *held, o *Outcome, known []bool, end time.Time, options *Options) error {
	name := l.host.name
	h, err := b.host(name)
	if err != nil {
		return err
	}
	h.settle(l.end(end), end, o, floorOf(b.allRules, options.Delay, name))
	if !o.NoRequest {
		if err := b.asked(name, h); err != nil {
			return err
		}
		if l.family != "" {
			h.draws.requests++
		}
	}
	r, err := b.entry(l.id)
	if err != nil {
		return err
	}
	if r == nil {
		return fmt.Errorf("%w: leased entry is gone", errRecord)
	}
	if err := b.verdict(r, o, end, options, max(h.delay, h.Slow)); err != nil {
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
	queued := r.State == Pending || r.State == PutOff
	if err := b.leaveQueue(r, state); err != nil {
		return err
	}
	if state == PutOff {
		return b.putBack(r, o)
	}
	final := state != Retry && state != Defer
	if final && queued && r.drawn() {
		if err := b.undraw(r, 0); err != nil {
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
			wait = max(options.BackoffAfter(r.Tries), 2*max(options.Delay, delay))
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

// leaveQueue takes a leased entry out of its queue, unless something else did meanwhile. One that was deferred is drawn now, but for one
// that is put off again.
func (b *batch) leaveQueue(r *record, state State) error {
	switch {
	case r.State == Pending:
		return b.dequeue(r)
	case r.State != PutOff || state == PutOff:
		return nil
	}
	host, err := r.host()
	if err != nil {
		return err
	}
	return b.draw(r, host)
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
