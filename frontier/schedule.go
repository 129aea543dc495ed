package frontier

import (
	"maps"
	"time"
)

// schedule knows which hosts have something to fetch and which of them may be
// asked. It holds no URLs, starts nothing, reads no clock and is not safe
// for concurrent use; Frontier guards it by its mutex.
//
// A host is in one of these places:
//
//   - timed: it has URLs, but its pace or their back-off says "later". A heap by
//     due time.
//   - ready: it may be asked as far as is known. A heap by order.
//   - parked: it is due, but behind a closed gate, see gate. A heap of the gate by
//     order.
//   - nowhere: it has as many leases as it may have, or nothing that is not leased,
//     or its domain is off or has used up its budget.
//
// Order is the priority of the rule that covers the host, then with BestFirst that of
// its best URL, then its turn. A turn
// is a number from one counter: given when the host appears and again after
// it has had PerTurn leases. The least turn was served least recently.
type schedule struct {
	options *Options
	opened  time.Time // zero for a new frontier
	turns   uint64
	hosts   map[string]*host
	ips     map[string]*gate
	domains map[string]*gate
	records map[string]*domainRecord // of the domains of hosts, and of rules
	rules   map[string]*Rule         // replaced as a whole, never changed
	timed   *leaveHeap[*host]
	ready   *leaveHeap[*host]
	gates   *leaveHeap[*gate] // closed by time alone, by the time they open
	dirty   []*gate           // may have been opened, or left by the host that went through
}

// host is the part of a host that must be at hand: no URL, no note.
type host struct {
	hostRecord
	recent        int // URLs that are ready but not in the ready bucket
	name          string
	domain        string
	gates         [2]*gate // of its address, nil while that is not known, and of its domain
	turn          uint64
	left          int // leases of this turn
	rank          int // of the rule that covers it
	dueAt         time.Time
	leases        int // held
	leasedReady   int // of these, still in the ready queue
	leasedWaiting int // of these, still in the waiting queue
	reserved      []entryID
	place         slot[*host]
}

func newSchedule(options *Options, opened time.Time) *schedule {
	s := &schedule{
		options: options,
		opened:  opened,
		hosts:   make(map[string]*host),
		ips:     make(map[string]*gate),
		domains: make(map[string]*gate),
		records: make(map[string]*domainRecord),
		rules:   make(map[string]*Rule),
		timed:   hostsBy(func(a, b *host) bool { return a.dueAt.Before(b.dueAt) }),
		ready:   hostsBy(inOrder),
		gates: &leaveHeap[*gate]{
			less: func(a, b *gate) bool { return a.due.Before(b.due) },
			slot: func(g *gate) *slot[*gate] { return &g.place },
		},
	}
	return s
}

func inOrder(a, b *host) bool {
	if a.rank != b.rank {
		return a.rank > b.rank
	}
	if a.best != b.best { // they are if hosts take turns
		return a.best > b.best
	}
	return a.turn < b.turn
}

func hostsBy(less func(a, b *host) bool) *leaveHeap[*host] {
	return &leaveHeap[*host]{less: less, slot: func(h *host) *slot[*host] { return &h.place }}
}

// set takes over what is stored about a host. The caller places it afterwards.
func (s *schedule) set(name string, r *hostRecord) *host {
	h := s.hosts[name]
	if h == nil {
		h = &host{name: name, domain: DomainOf(name)}
		s.newTurn(h)
		s.hosts[name] = h
		s.join(h, 1, s.domains, h.domain)
	} else {
		s.remove(h)
	}
	moved := h.gates[0] == nil || h.ip != r.ip
	h.hostRecord = *r
	if moved {
		s.join(h, 0, s.ips, h.ip)
	}
	_, rule := ruleFor(s.rules, name)
	h.rank = 0
	if rule != nil {
		h.rank = rule.Priority
	}
	return h
}

func (s *schedule) newTurn(h *host) {
	s.turns++
	h.turn, h.left = s.turns, s.options.PerTurn
	h.reserved = nil
}

// floor is the least wait of a host whatever it wishes.
func (s *schedule) floor(h *host) time.Duration {
	if _, rule := ruleFor(s.rules, h.name); rule != nil && rule.Delay != nil {
		return *rule.Delay
	}
	return s.options.Delay
}

// stopped tells whether the operator's rule, or the budget of the host's domain,
// keeps the host's URLs where they are.
func (s *schedule) stopped(h *host) bool {
	name, rule := ruleFor(s.rules, h.name)
	if rule != nil && rule.Off {
		return true
	}
	if rule != nil && rule.Budget > 0 {
		d := s.records[name]
		return d != nil && d.requests >= rule.Budget
	}
	d := s.records[h.domain]
	return s.options.InDegree.Base > 0 && d != nil && !d.seeded && d.requests >= s.options.InDegree.budget(d.degree)
}

// setRules takes over rules that were given or, where nil, taken back.
func (s *schedule) setRules(rules map[string]*Rule) {
	if len(rules) == 0 {
		return
	}
	all := maps.Clone(s.rules)
	maps.Copy(all, rules)
	maps.DeleteFunc(all, func(_ string, r *Rule) bool { return r == nil })
	s.rules = all
}

// setDomains takes over what was counted for domains. Hosts whose place may follow
// from it are placed by the caller, see affected.
func (s *schedule) setDomains(domains map[string]*domainRecord) {
	for name, d := range domains {
		if s.domains[name] != nil || s.rules[name] != nil {
			s.records[name] = d
		}
	}
}

// affected returns the hosts whose place may have changed by what was learned.
func (s *schedule) affected(domains map[string]*domainRecord, rules map[string]*Rule) []*host {
	var found []*host
	if len(rules) > 0 {
		for _, h := range s.hosts {
			found = append(found, s.set(h.name, &h.hostRecord))
		}
		return found
	}
	for name := range domains {
		if g := s.domains[name]; g != nil && s.options.InDegree.Base > 0 {
			for h := range g.members.all {
				found = append(found, h)
			}
		}
		if r := s.rules[name]; r != nil && r.Budget > 0 && s.records[name].requests >= r.Budget {
			for _, h := range s.hosts { // once, and for the requests that were in flight
				if covers(name, h.name) {
					found = append(found, h)
				}
			}
		}
	}
	return found
}

// idle counts the URLs of the host that are not leased.
func (h *host) idle() int {
	return h.ready + h.recent + h.waiting - h.leasedReady - h.leasedWaiting
}

// place puts the host where it belongs at the given time.
func (s *schedule) place(h *host, now time.Time) {
	s.remove(h)
	if s.hosts[h.name] != h {
		return // it was forgotten since
	}
	if h.idle() == 0 && h.leases == 0 {
		s.quit(h, 0)
		s.quit(h, 1)
		delete(s.hosts, h.name)
		return
	}
	if h.idle() == 0 || h.leases >= s.options.PerHost || s.stopped(h) {
		return
	}
	h.dueAt = h.due(s.floor(h), s.opened, now)
	if h.ready+h.recent == h.leasedReady && h.dueAt.Before(h.nextWait) {
		h.dueAt = h.nextWait
	}
	if h.dueAt.After(now) {
		s.timed.push(h)
		return
	}
	s.admit(h, now)
}

// remove takes the host out of its place.
func (s *schedule) remove(h *host) {
	in := h.place.in
	if in == nil {
		return
	}
	in.remove(h)
	if in == s.ready {
		s.touch(h.gates[0])
		s.touch(h.gates[1])
	}
}

// next returns the host whose turn it is, or nil. It stays where it is.
func (s *schedule) next(now time.Time) *host {
	for len(s.timed.items) > 0 && !s.timed.items[0].dueAt.After(now) {
		h := s.timed.items[0]
		s.timed.remove(h)
		s.admit(h, now)
	}
	for len(s.gates.items) > 0 && !s.gates.items[0].due.After(now) {
		g := s.gates.items[0]
		s.gates.remove(g)
		s.touch(g)
	}
	s.pass(now)
	for len(s.ready.items) > 0 {
		h := s.ready.items[0]
		g := h.closed(now)
		if g == nil {
			return h
		}
		s.remove(h)
		s.park(h, g)
		s.pass(now)
	}
	return nil
}

// wake returns when the next host becomes due by the passing of time. It is
// called after next has found none.
func (s *schedule) wake() (wake time.Time, ok bool) {
	if len(s.timed.items) > 0 {
		wake, ok = s.timed.items[0].dueAt, true
	}
	if len(s.gates.items) > 0 {
		if due := s.gates.items[0].due; !ok || due.Before(wake) {
			wake, ok = due, true
		}
	}
	return wake, ok
}

// lease notes that a URL of the host is out, and gives it its next turn once it
// has used up this one.
func (s *schedule) lease(h *host, waiting bool, now time.Time) *held {
	s.remove(h)
	if h.left--; h.left <= 0 {
		s.newTurn(h)
	}
	h.leases++
	if waiting {
		h.leasedWaiting++
	} else {
		h.leasedReady++
	}
	for _, g := range h.gates {
		g.leases++
	}
	s.place(h, now)
	return &held{host: h, gates: h.gates, waiting: waiting, queued: true}
}

// unqueue notes that a leased URL is no longer in a queue.
func (s *schedule) unqueue(l *held) {
	if !l.queued {
		return
	}
	l.queued = false
	if l.waiting {
		l.host.leasedWaiting--
	} else {
		l.host.leasedReady--
	}
}

// release ends a lease; end is zero if no request was made. The caller places the host
// afterwards.
func (s *schedule) release(l *held, end time.Time) {
	s.remove(l.host)
	s.unqueue(l)
	l.host.leases--
	for _, g := range l.gates {
		g.leases--
		s.touch(g)
	}
	if end.IsZero() {
		return
	}
	floor := s.floor(l.host)
	for kind, wait := range [2]time.Duration{s.options.IPDelay, s.options.DomainDelay} {
		// The exchange may have told the host's address: that was asked, too.
		for _, g := range []*gate{l.gates[kind], l.host.gates[kind]} {
			if g != nil && g.name != "" { // a host alone has its own wait
				s.hold(g, end.Add(min(floor, wait)))
			}
		}
	}
}

// stoppedURLs counts the URLs of hosts that are stopped.
func (s *schedule) stoppedURLs() int {
	if len(s.rules) == 0 && s.options.InDegree.Base == 0 {
		return 0
	}
	n := 0
	for _, h := range s.hosts {
		if s.stopped(h) {
			n += h.idle()
		}
	}
	return n
}

// held is a lease as the frontier sees it. It remembers the gates that it was
// counted in, because the host may have changed its address since.
type held struct {
	id       entryID
	host     *host
	gates    [2]*gate
	waiting  bool // taken from the waiting queue
	queued   bool // its URL is still in that queue
	settling bool // Done is at work on it
}
