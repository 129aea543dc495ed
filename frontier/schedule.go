package frontier

import (
	"hash/maphash"
	"maps"
	"math"
	"strings"
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
//   - nowhere: it has as many leases as it may have, or nothing that may be leased now,
//     or its domain is off or has used up its budget.
//
// Order is the priority of the rule that covers the host, then with BestFirst that of
// its best URL, then its turn. A turn
// is a number from one counter: given when the host appears and again after
// it has had PerTurn leases. The least turn was served least recently.
type schedule struct {
	options  *Options
	opened   time.Time // zero for a new frontier
	base     time.Time // what instants count from
	turns    uint64
	slots    slab[host]
	count    int                  // of hosts
	index    map[uint64]hostID    // by the hash of the name, the first of those that share it
	gates    [2]map[uint64]gateID // by the hash of the name, for each kind
	gateSlot slab[gate]
	records  map[string]*domainRecord // of the domains of hosts, and of rules
	rules    map[string]*Rule         // replaced as a whole, never changed
	reserved map[hostID][]entryID     // chosen when the turn began
	timed    leaveHeap[hostID]
	ready    leaveHeap[hostID]
	closing  leaveHeap[gateID] // closed by time alone, by the time they open
	dirty    []gateID          // may have been opened, or left by the host that went through
	hash     func(name string) uint64
}

// host is the part of a host that must be at hand: no URL, no note. A long crawl has
// hundreds of thousands of them, so they are small and refer to each other by numbers.
type host struct {
	name                         string // "" for one that was forgotten
	delay                        time.Duration
	slow                         time.Duration // as in Health
	troubled, refusing           bool          // it has a Health; it refuses
	lastEnd, notBefore, nextWait instant       // as in hostRecord
	dueAt                        instant
	ready, waiting, best         int // as in hostRecord
	requests                     int
	draws                        draws
	recent                       int // URLs that are ready but not in the ready bucket
	turn                         uint64
	rank                         int // of the rule that covers it
	id                           hostID
	sharing                      hostID        // the next host of this hash
	gates                        [2]gateID     // of its address, 0 while that is not known, and of its domain
	members                      [2]sibling    // among the members of its gates
	left                         int32         // leases of this turn
	leases                       int32         // held
	answered                     int32         // of these, whose exchange is over
	reading                      int32         // of these, not of drawn URLs
	leased                       [queues]int32 // of the leases, those whose URLs are still in that queue
	slot                         int32         // in the heap that it is in
	in                           heapName
}

// queueName tells from which queue of its host a URL was leased.
type queueName uint8

const (
	queueReady queueName = iota
	queueWaiting
	queueDeferred // the families of the host that are not held
	queueHeld     // those that are
	queueBatch    // none: it waits until its batch is complete
	queues        // how many there are
)

// hostID and gateID are numbers in slabs; 0 is none.
type (
	hostID int32
	gateID int32
)

// sibling links a host to the members of a gate before and after it.
type sibling struct{ before, after hostID }

// heapName tells in which heap a host is.
type heapName uint8

const (
	inNone heapName = iota
	inTimed
	inReady
	inParked // of the gate of its address; the next one, of that of its domain
)

// instant is a time as nanoseconds since schedule.base. It takes a third of a time.Time
// and no pointer, and keeps to the clock that does not jump.
type instant int64

// never is the zero time.
const never instant = math.MinInt64

func (s *schedule) instant(t time.Time) instant {
	if t.IsZero() {
		return never
	}
	return instant(t.Sub(s.base))
}

func (s *schedule) time(i instant) time.Time {
	if i == never {
		return time.Time{}
	}
	return s.base.Add(time.Duration(i))
}

func newSchedule(options *Options, opened time.Time) *schedule {
	seed := maphash.MakeSeed()
	s := &schedule{
		options:  options,
		opened:   opened,
		base:     time.Now(), // any would do
		index:    make(map[uint64]hostID),
		gates:    [2]map[uint64]gateID{make(map[uint64]gateID), make(map[uint64]gateID)},
		records:  make(map[string]*domainRecord),
		rules:    make(map[string]*Rule),
		reserved: make(map[hostID][]entryID),
		hash:     func(name string) uint64 { return maphash.String(seed, name) },
	}
	s.timed = s.hostsBy(func(a, b hostID) bool { return s.host(a).dueAt < s.host(b).dueAt })
	s.ready = s.hostsBy(s.inOrder)
	s.closing = leaveHeap[gateID]{
		less:  func(a, b gateID) bool { return s.gate(a).due < s.gate(b).due },
		index: func(g gateID) *int32 { return &s.gate(g).slot },
	}
	return s
}

func (s *schedule) host(id hostID) *host { return s.slots.at(int32(id)) }
func (s *schedule) gate(id gateID) *gate { return s.gateSlot.at(int32(id)) }

func (s *schedule) inOrder(x, y hostID) bool {
	a, b := s.host(x), s.host(y)
	if a.rank != b.rank {
		return a.rank > b.rank
	}
	if a.best != b.best { // they are if hosts take turns
		return a.best > b.best
	}
	return a.turn < b.turn
}

func (s *schedule) hostsBy(less func(a, b hostID) bool) leaveHeap[hostID] {
	return leaveHeap[hostID]{less: less, index: func(h hostID) *int32 { return &s.host(h).slot }}
}

// named returns the host of a name, nil if it is not in the schedule.
func (s *schedule) named(name string) *host {
	for id := s.index[s.hash(name)]; id != 0; {
		h := s.host(id)
		if h.name == name {
			return h
		}
		id = h.sharing
	}
	return nil
}

// appear makes a host known that is not.
func (s *schedule) appear(name string) *host {
	id := hostID(s.slots.take())
	h, hash := s.host(id), s.hash(name)
	h.id, h.name = id, strings.Clone(name) // which may be a part of a URL
	h.sharing, s.index[hash] = s.index[hash], id
	s.count++
	return h
}

// forget makes a host unknown. It is in no heap.
func (s *schedule) forget(h *host) {
	s.quit(h, 0)
	s.quit(h, 1)
	hash := s.hash(h.name)
	switch first := s.index[hash]; {
	case first != h.id:
		before := s.host(first)
		for before.sharing != h.id {
			before = s.host(before.sharing)
		}
		before.sharing = h.sharing
	case h.sharing == 0:
		delete(s.index, hash)
	default:
		s.index[hash] = h.sharing
	}
	delete(s.reserved, h.id)
	s.slots.release(int32(h.id))
	s.count--
}

// all yields the hosts.
func (s *schedule) all(yield func(*host) bool) {
	for h := range s.slots.all() {
		if h.name != "" && !yield(h) {
			return
		}
	}
}

// ip returns the address of a host, "" while it is not known.
func (s *schedule) ip(h *host) string {
	if h.gates[0] == 0 {
		return ""
	}
	return s.gate(h.gates[0]).name
}

// domain returns the pay-level domain of a host.
func (s *schedule) domain(h *host) string { return s.gate(h.gates[1]).name }

// set takes over what is stored about a host. The caller places it afterwards.
func (s *schedule) set(name string, r *hostRecord) *host {
	h := s.named(name)
	if h == nil {
		h = s.appear(name)
		s.newTurn(h)
		s.join(h, 1, DomainOf(h.name))
	} else {
		s.remove(h)
	}
	lastEnd := s.instant(r.lastEnd)
	if h.answered > 0 {
		lastEnd = max(lastEnd, h.lastEnd) // an exchange that is over and not yet settled
	}
	h.slow, h.troubled, h.refusing = r.Slow, r.Health != (Health{}), r.Refusals > 0
	h.delay, h.lastEnd, h.notBefore, h.nextWait = r.delay, lastEnd, s.instant(r.notBefore), s.instant(r.nextWait)
	h.ready, h.waiting, h.best, h.requests, h.draws = r.ready, r.waiting, r.best, r.requests, r.draws
	if s.ip(h) != r.ip {
		s.join(h, 0, r.ip)
	}
	s.classify(h)
	return h
}

// classify gives the host the rank of its rule. It is in no heap.
func (s *schedule) classify(h *host) {
	h.rank = 0
	if _, rule := ruleFor(s.rules, h.name); rule != nil {
		h.rank = rule.Priority
	}
}

func (s *schedule) newTurn(h *host) {
	s.turns++
	h.turn, h.left = s.turns, int32(s.options.PerTurn)
	delete(s.reserved, h.id)
}

// floor is the least wait of a host whatever it wishes.
func (s *schedule) floor(name string) time.Duration { return floorOf(s.rules, s.options.Delay, name) }

func floorOf(rules map[string]*Rule, usual time.Duration, name string) time.Duration {
	if _, rule := ruleFor(rules, name); rule != nil && rule.Delay != nil {
		return *rule.Delay
	}
	return usual
}

// stopped reports whether the operator's rule, or the budget of the host's domain,
// keeps the host's URLs where they are.
func (s *schedule) stopped(h *host) bool {
	domain := func() string { return s.domain(h) }
	return stopper(h.name, domain, s.rules, s.options.InDegree, func(name string) *domainRecord { return s.records[name] }) != ""
}

// counted reports whether the requests to the host's domain are, or to one that it is in.
func (s *schedule) counted(h *host) bool {
	_, rule := ruleFor(s.rules, h.name)
	return s.options.InDegree.Base > 0 || rule != nil && rule.Budget > 0
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
		if s.gateNamed(1, name) != 0 || s.rules[name] != nil {
			s.records[name] = d
		}
	}
}

// affected returns the hosts whose place may have changed by what was learned.
func (s *schedule) affected(domains map[string]*domainRecord, rules map[string]*Rule) []*host {
	var found []*host
	if len(rules) > 0 {
		for h := range s.all {
			s.remove(h)
			s.classify(h)
			found = append(found, h)
		}
		return found
	}
	for name := range domains {
		if g := s.gateNamed(1, name); g != 0 && s.options.InDegree.Base > 0 {
			for id := s.gate(g).members; id != 0; {
				h := s.host(id)
				found = append(found, h)
				id = h.members[1].after
			}
		}
		if r := s.rules[name]; r != nil && r.Budget > 0 && s.records[name].requests >= r.Budget {
			for h := range s.all { // once, and for the requests that were in flight
				if covers(name, h.name) {
					found = append(found, h)
				}
			}
		}
	}
	return found
}

// idle counts the pending URLs of the host that are not leased.
func (h *host) idle() int {
	return h.ready + h.recent + h.waiting - int(h.leased[queueReady]+h.leased[queueWaiting])
}

// idleDeferred counts the deferred URLs of the host that may be drawn and are not leased.
func (h *host) idleDeferred() int { return h.draws.drawable - int(h.leased[queueDeferred]) }

// nothingReady reports whether all pending URLs of the host that are not leased back off.
func (h *host) nothingReady() bool { return h.ready+h.recent == int(h.leased[queueReady]) }

// place puts the host where it belongs at the given time.
func (s *schedule) place(h *host, now time.Time) {
	if h.name == "" {
		return // it was forgotten since
	}
	s.remove(h)
	if h.idle()+h.idleDeferred() == 0 && h.leases == 0 {
		s.forget(h)
		return
	}
	draws := s.mayDraw(h)
	if h.idle() == 0 && !draws || int(h.leases-h.answered) >= s.options.PerHost || s.stopped(h) {
		return
	}
	p := pace{delay: max(h.delay, h.slow), lastEnd: s.time(h.lastEnd), notBefore: s.time(h.notBefore)}
	h.dueAt = s.instant(p.due(s.floor(h.name), s.opened, now))
	if h.nothingReady() && !draws {
		h.dueAt = max(h.dueAt, h.nextWait)
	}
	if h.dueAt > s.instant(now) {
		h.in = inTimed
		s.timed.push(h.id)
		return
	}
	s.admit(h, now)
}

// remove takes the host out of its heap.
func (s *schedule) remove(h *host) {
	in := h.in
	h.in = inNone
	switch in {
	case inNone:
	case inTimed:
		s.timed.remove(h.id)
	case inReady:
		s.ready.remove(h.id)
		s.touch(h.gates[0])
		s.touch(h.gates[1])
	default:
		s.gate(h.gates[in-inParked]).parked.remove(h.id)
	}
}

// next returns the host whose turn it is, or nil. It stays where it is.
func (s *schedule) next(now time.Time) *host {
	at := s.instant(now)
	for !s.timed.empty() && s.host(s.timed.items[0]).dueAt <= at {
		h := s.host(s.timed.items[0])
		s.remove(h)
		s.admit(h, now)
	}
	for !s.closing.empty() && s.gate(s.closing.items[0]).due <= at {
		s.touch(s.closing.items[0])
		s.open(s.closing.items[0])
	}
	s.pass(now)
	for !s.ready.empty() {
		h := s.host(s.ready.items[0])
		kind, closed := s.closed(h, now)
		if !closed {
			return h
		}
		s.remove(h)
		s.park(h, kind)
		s.pass(now)
	}
	return nil
}

// wake returns when the next host becomes due by the passing of time. It is
// called after next has found none.
func (s *schedule) wake() (wake time.Time, ok bool) {
	if !s.timed.empty() {
		wake, ok = s.time(s.host(s.timed.items[0]).dueAt), true
	}
	if !s.closing.empty() {
		if due := s.time(s.gate(s.closing.items[0]).due); !ok || due.Before(wake) {
			wake, ok = due, true
		}
	}
	return wake, ok
}

// lease notes that a URL of the host is out, and gives it its next turn once it
// has used up this one.
func (s *schedule) lease(h *host, from queueName, now time.Time) *held {
	s.remove(h)
	if h.left--; h.left <= 0 {
		s.newTurn(h)
	}
	h.leases++
	h.leased[from]++
	for _, g := range h.gates {
		if g != 0 {
			s.gate(g).leases++
		}
	}
	s.place(h, now)
	return &held{host: h, gates: h.gates, queue: from, queued: true}
}

// unqueue notes that a leased URL is no longer in a queue.
func (s *schedule) unqueue(l *held) {
	if !l.queued {
		return
	}
	l.queued = false
	l.host.leased[l.queue]--
}

// requeue notes that a leased URL that was in no queue is in one.
func (s *schedule) requeue(l *held, queue queueName) {
	l.queue, l.queued = queue, true
	l.host.leased[queue]++
}

// release ends a lease; end is zero if no request was made. The caller places the host
// afterwards.
func (s *schedule) release(l *held, end time.Time) {
	s.remove(l.host)
	s.unqueue(l)
	l.host.leases--
	if !l.answered.IsZero() {
		l.host.answered--
		l.host.reading -= l.reading()
	}
	s.leave(l, end)
}

// answer notes that the exchange of a lease is over. The caller places the host afterwards.
func (s *schedule) answer(l *held, end time.Time) {
	s.remove(l.host)
	l.host.answered++
	l.host.reading += l.reading()
	l.host.lastEnd = s.instant(end)
	s.leave(l, end)
	l.gates, l.answered = [2]gateID{}, end
}

// leave ends what a lease has of its gates.
func (s *schedule) leave(l *held, end time.Time) {
	for _, g := range l.gates {
		if g != 0 {
			s.gate(g).leases--
			s.touch(g)
		}
	}
	if end.IsZero() {
		return
	}
	floor := s.floor(l.host.name)
	for kind, wait := range [2]time.Duration{s.options.IPDelay, s.options.DomainDelay} {
		// The exchange may have told the host's address: that was asked, too.
		for _, g := range [2]gateID{l.gates[kind], l.host.gates[kind]} {
			if g != 0 { // without a known address, the host has its own wait
				s.hold(g, s.instant(end.Add(min(floor, wait))))
			}
		}
	}
}

// stoppedURLs counts the pending URLs of hosts that are stopped.
func (s *schedule) stoppedURLs() int {
	if len(s.rules) == 0 && s.options.InDegree.Base == 0 {
		return 0
	}
	n := 0
	for h := range s.all {
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
	gates    [2]gateID
	queue    queueName
	family   string    // from which the URL was drawn, "" for none
	queued   bool      // its URL is still in that queue
	settling bool      // Done is at work on it
	answered time.Time // when its exchange was over, if that was told; it is counted in no gate then
}

// reading is 1 for a lease whose page may lead to better URLs than those that are deferred.
func (l *held) reading() int32 { return int32(bit(l.family == "")) }
