package frontier

import "time"

// pace is what politeness knows about a host. It is arithmetic only: times go
// in, times come out, nobody sleeps here.
//
// Three statements hold a host back, and the latest of them counts:
//
//   - its least wait: the longest of the caller's floor, the host's own Crawl-delay and
//     Health.Slow, from the end of one exchange to the start of the next;
//   - its not-before time: the end of a rest, or Retry-After. It only moves
//     forward, a later and shorter wish of a parallel answer does not undo it;
//   - the opening of the frontier, which counts as the end of an exchange, because
//     one may have been under way when the process died.
type pace struct {
	delay     time.Duration // the host's own least wait, 0 if it stated none
	lastEnd   time.Time     // end of the last exchange
	notBefore time.Time     // the host must not be asked earlier
	ip        string        // its address at the last exchange, "" until it is known
	Health
}

// least is the wait between two requests without Slow.
func (p *pace) least(floor time.Duration) time.Duration { return max(floor, p.delay) }

// health is the Health as far as it still says something at a time.
func (p *pace) health(now time.Time) Health {
	h := p.Health
	if h.Refusals > 0 && now.Sub(later(p.lastEnd, p.notBefore)) > staleRefusals {
		h.Refusals, h.Since = 0, time.Time{}
	}
	return h
}

// due returns the earliest time of the next request. An end in the future is
// the mark of a clock that was put back since, and says nothing.
func (p pace) due(floor time.Duration, opened, now time.Time) time.Time {
	due := p.notBefore
	for _, end := range []time.Time{p.lastEnd, opened} {
		if end.IsZero() || end.After(now) {
			continue
		}
		if next := end.Add(max(p.least(floor), p.Slow)); next.After(due) {
			due = next
		}
	}
	return due
}

// settle takes in what an exchange that ended at end said about the host, which waits for floor at
// least. Another one may have ended since.
func (p *pace) settle(end, now time.Time, o *Outcome, floor time.Duration) {
	gap := time.Duration(0)
	if !p.lastEnd.IsZero() {
		gap = min(max(0, end.Sub(p.lastEnd)), max(p.least(floor), longestGap))
	}
	p.Health = p.health(end)
	if !o.NoRequest && (end.After(p.lastEnd) || p.lastEnd.After(now)) {
		p.lastEnd = end
	}
	if o.HostDelay != 0 {
		p.delay = max(o.HostDelay, 0)
	}
	if o.HostNotBefore.After(p.notBefore) {
		p.notBefore = o.HostNotBefore
	}
	if o.IP != "" {
		p.ip = o.IP
	}
	switch o.Host {
	case HostServes:
		p.serve(end, p.least(floor))
	case HostRefuses:
		p.refuse(end, gap)
	case HostFails:
		p.Refusals, p.Since, p.Failed = 0, time.Time{}, end
	}
}

// BackoffAfter returns the wait of a URL after so many tries.
func (o *Options) BackoffAfter(tries int) time.Duration {
	return backoff(o.Backoff, o.MaxBackoff, tries)
}

// backoff returns the wait after the given number of tries: first after one,
// doubled by each further one, at most longest.
func backoff(first, longest time.Duration, tries int) time.Duration {
	wait := first
	for range tries - 1 {
		if wait >= longest/2 {
			return longest
		}
		wait *= 2
	}
	return min(wait, longest)
}
