package frontier

import (
	"context"
	"sync"
	"time"
)

// Shared coordinates the frontiers of several crawls in one process. It keeps them polite towards
// their common hosts, addresses and pay-level domains, and bounds the URLs that they fetch at the
// same time. A crawl takes part by Join.
//
// Each frontier first applies its own waits. If another crawl is requesting the same host, or has
// just done so, Shared returns the leased URL, and the host waits until both waits are over. So no
// worker blocks.
//
// Crawls that wait for the same gate pass in the order of their first refusal, each with one URL of
// a host: they take turns even if their delays differ. A crawl that misses its time loses its turn.
type Shared struct {
	slots chan struct{}

	mu     sync.Mutex
	gates  map[string]*sharedGate // by kind and name
	ips    map[string]string      // of hosts, as far as somebody has learned them
	turns  map[turnOf]*sharedTurn // of crawls that were turned away
	number uint64                 // of the last turn
}

// turnOf names the turn of a crawl for a host.
type turnOf struct {
	member *Member
	host   string
}

// sharedTurn is the place of a crawl among those that wait.
type sharedTurn struct {
	number uint64
	due    time.Time // when it was told to come
}

// over reports whether the crawl did not come in time.
func (t *sharedTurn) over(now time.Time) bool { return now.After(t.due.Add(turnKept)) }

// turnKept is for how long others wait for a crawl that was told to come. Its workers may be busy;
// it is arbitrary.
const turnKept = time.Second

// sharedGate is a host, an address or a domain as all crawls see it.
type sharedGate struct {
	leases  int
	lastEnd time.Time
	due     time.Time // not to be asked earlier, whoever asks
	waiting map[turnOf]*sharedTurn
}

// maxSharedGates is how many gates are kept before those that nobody waits for are forgotten.
const maxSharedGates = 10_000

// NewShared returns a Shared that permits atOnce concurrent fetches; 0: unlimited.
func NewShared(atOnce int) *Shared {
	s := &Shared{gates: make(map[string]*sharedGate), ips: make(map[string]string), turns: make(map[turnOf]*sharedTurn)}
	if atOnce > 0 {
		s.slots = make(chan struct{}, atOnce)
	}
	return s
}

// Member is a frontier that takes part in a Shared. Callers must use its Next and Done, not the
// methods of the frontier itself.
type Member struct {
	*Frontier
	shared *Shared
	mu     sync.Mutex
	held   map[uint64][]*sharedGate // by Lease.ID
	freed  map[uint64]bool          // leases without a slot
}

// Join adds a frontier to the Shared.
func (s *Shared) Join(f *Frontier) *Member {
	return &Member{Frontier: f, shared: s, held: make(map[uint64][]*sharedGate), freed: make(map[uint64]bool)}
}

// Next is Next of the frontier, and also waits for the other crawls.
func (m *Member) Next(ctx context.Context) (Lease, error) {
	for {
		l, err := m.Frontier.Next(ctx)
		if err != nil {
			return l, err
		}
		if err := m.shared.take(ctx); err != nil {
			return Lease{}, m.giveBack(l, time.Time{}, err)
		}
		until := m.enter(l)
		if until.IsZero() {
			return l, nil
		}
		m.shared.put()
		if err := m.giveBack(l, until, nil); err != nil {
			return Lease{}, err
		}
	}
}

// giveBack ends a lease that was not used.
func (m *Member) giveBack(l Lease, until time.Time, why error) error {
	err := m.Frontier.Done(l, Outcome{State: Defer, NoRequest: true, HostNotBefore: until})
	if why != nil {
		return why // the lease ends with the process, at the latest
	}
	return err
}

// Done is Done of the frontier, and also frees the gates for the other crawls.
func (m *Member) Done(l Lease, o Outcome) error {
	end, waits := m.options.Now(), m.waits(l.Host)
	if err := m.Frontier.Done(l, o); err != nil {
		return err
	}
	switch {
	case o.HostDelay > 0:
		waits.host = max(waits.floor, o.HostDelay)
	case o.HostDelay < 0:
		waits.host = waits.floor
	}
	m.mu.Lock()
	gates := m.held[l.ID]
	slot := !m.freed[l.ID]
	delete(m.held, l.ID)
	delete(m.freed, l.ID)
	m.mu.Unlock()
	m.shared.leave(l.Host, gates, slot, o, end, waits)
	return nil
}

// Stalled frees the slot of a lease whose exchange makes almost no progress.
func (m *Member) Stalled(l Lease) {
	m.mu.Lock()
	_, held := m.held[l.ID]
	free := held && !m.freed[l.ID]
	if free {
		m.freed[l.ID] = true
	}
	m.mu.Unlock()
	if free {
		m.shared.put()
	}
}

// Answered does nothing: the other crawls wait for Done.
func (*Member) Answered(Lease) {}

// Leave frees the gates and slots of unsettled leases when the crawl is over.
func (m *Member) Leave() {
	m.mu.Lock()
	defer m.mu.Unlock()
	for id, gates := range m.held {
		m.shared.leave("", gates, !m.freed[id], Outcome{}, m.options.Now(), sharedWaits{})
		delete(m.held, id)
		delete(m.freed, id)
	}
	m.shared.drop(m)
}

// Queues returns the queues of the frontier. Hosts that wait for another crawl have WaitShared.
func (m *Member) Queues(most int) []Queue {
	all, now := m.Frontier.Queues(most), m.options.Now()
	m.shared.mu.Lock()
	defer m.shared.mu.Unlock()
	for i, q := range all {
		if t := m.shared.turns[turnOf{m, q.Host}]; t != nil && !t.over(now) && q.Wait == WaitBackoff {
			all[i].Wait = WaitShared
		}
	}
	return all
}

// sharedWaits are the least waits of one crawl between two requests.
type sharedWaits struct {
	floor, host, ip, domain time.Duration
	address                 string // of the host, as this crawl knows it
}

func (m *Member) waits(name string) sharedWaits {
	m.Frontier.mu.Lock()
	defer m.Frontier.mu.Unlock()
	s := m.Frontier.mu.schedule
	floor := s.floor(name)
	w := sharedWaits{floor, floor, min(floor, m.options.IPDelay), min(floor, m.options.DomainDelay), ""}
	if h := s.named(name); h != nil {
		w.host, w.address = max(floor, h.delay, h.slow), s.ip(h)
	}
	return w
}

// enter takes the lease through its gates. If one is closed it returns when to try again.
func (m *Member) enter(l Lease) (until time.Time) {
	w, now := m.waits(l.Host), m.options.Now()
	s := m.shared
	s.mu.Lock()
	defer s.mu.Unlock()
	if w.address == "" {
		w.address = s.ips[l.Host]
	}
	type pass struct {
		name  string
		limit int
		wait  time.Duration
	}
	passes := []pass{{"host " + l.Host, m.options.PerHost, w.host}, {"domain " + DomainOf(l.Host), m.options.PerDomain, w.domain}}
	if w.address != "" {
		passes = append(passes, pass{"address " + w.address, m.options.PerHost, w.ip})
	}
	s.forget(now)
	var gates []*sharedGate
	for _, p := range passes {
		g := s.gates[p.name]
		if g == nil {
			g = new(sharedGate)
			s.gates[p.name] = g
		}
		gates = append(gates, g)
		due := g.due
		if !g.lastEnd.IsZero() && g.lastEnd.Add(p.wait).After(due) {
			due = g.lastEnd.Add(p.wait)
		}
		if g.leases >= p.limit {
			// Until when nobody knows: the wait after it, and a moment at least.
			due = later(due, now.Add(max(p.wait, busyWait)))
		}
		if due.After(now) {
			until = later(until, due)
		}
	}
	if until = s.turn(turnOf{m, l.Host}, gates, until, now); !until.IsZero() {
		return until
	}
	for _, g := range gates {
		g.leases++
	}
	m.mu.Lock()
	m.held[l.ID] = gates
	m.mu.Unlock()
	return time.Time{}
}

// turn lets a crawl through its gates if they are open, that is until is zero, and nobody came to
// one of them before. Otherwise it returns when to try again.
func (s *Shared) turn(who turnOf, gates []*sharedGate, until, now time.Time) time.Time {
	own := s.turns[who]
	if own == nil || own.over(now) {
		s.number++
		own = &sharedTurn{number: s.number}
	}
	for _, g := range gates {
		for other, t := range g.waiting {
			switch {
			case s.turns[other] != t || t.over(now):
				delete(g.waiting, other)
			case other.member != who.member && t.number < own.number:
				until = later(until, later(t.due, now.Add(busyWait)))
			}
		}
	}
	if until.IsZero() {
		delete(s.turns, who)
		return until
	}
	own.due, s.turns[who] = until, own
	for _, g := range gates {
		if g.waiting == nil {
			g.waiting = make(map[turnOf]*sharedTurn)
		}
		g.waiting[who] = own
	}
	return until
}

// drop forgets the turns of a crawl that is over.
func (s *Shared) drop(m *Member) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for who := range s.turns {
		if who.member == m {
			delete(s.turns, who)
		}
	}
}

// busyWait is after how long a host is looked at again that another crawl is asking.
const busyWait = 100 * time.Millisecond

func later(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}

func (s *Shared) leave(host string, gates []*sharedGate, slot bool, o Outcome, end time.Time,
	w sharedWaits) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, g := range gates {
		g.leases--
	}
	if slot {
		s.put()
	}
	if host == "" || len(gates) == 0 {
		return
	}
	if o.IP != "" {
		s.ips[host] = o.IP
	}
	hold := func(g *sharedGate, wait time.Duration) {
		if !o.NoRequest {
			g.lastEnd = later(g.lastEnd, end)
			g.due = later(g.due, end.Add(wait))
		}
	}
	hold(gates[0], w.host)
	gates[0].due = later(gates[0].due, o.HostNotBefore)
	hold(gates[1], w.domain)
	if len(gates) > 2 {
		hold(gates[2], w.ip)
	}
	if o.IP != "" { // it was asked, whether it was known before or not
		g := s.gates["address "+o.IP]
		if g == nil {
			g = new(sharedGate)
			s.gates["address "+o.IP] = g
		}
		hold(g, w.ip)
	}
}

// forget drops gates that hold nobody back, when there are many.
func (s *Shared) forget(now time.Time) {
	if len(s.gates) < maxSharedGates {
		return
	}
	for name, g := range s.gates {
		if g.leases == 0 && g.due.Before(now) && g.lastEnd.Before(now.Add(-time.Hour)) {
			delete(s.gates, name)
		}
	}
	for who, t := range s.turns {
		if t.over(now) {
			delete(s.turns, who)
		}
	}
	if len(s.ips) > maxSharedGates {
		clear(s.ips) // each is learned again from the next answer
	}
}

func (s *Shared) take(ctx context.Context) error {
	if s.slots == nil {
		return nil
	}
	select {
	case s.slots <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (s *Shared) put() {
	if s.slots != nil {
		<-s.slots
	}
}
