package frontier

import "time"

// schedule knows which hosts have something to fetch and which of them may be
// asked. It holds no URLs, starts nothing, reads no clock and is not safe
// for concurrent use; Frontier guards it by its mutex.
//
// A host is in one of these places:
//
//   - timed: it has URLs, but its pace or their back-off says "later". A heap by
//     due time.
//   - ready: it is due. A heap by turn inside its group.
//   - nowhere: it has as many leases as it may have, or nothing that is not leased.
//
// A group is the hosts that share a known IP address, or one host whose address
// is not known. Groups that have a ready host and may have one more lease are
// in a heap by the turn of their first host, so that its top is the host to ask
// next and every operation costs the logarithm of the number of hosts, even with
// thousands of them behind one address.
//
// A turn is a number from one counter: given when the host appears and again
// with each of its leases. The least turn was served least recently.
type schedule struct {
	perHost int           // leases for a host and for a group
	floor   time.Duration // least wait of every host
	opened  time.Time     // zero for a new frontier
	turns   uint64
	hosts   map[string]*host
	byIP    map[string]*group
	timed   *leaveHeap[*host]
	groups  *leaveHeap[*group]
}

// host is the part of a host that must be at hand: no URL, no note.
type host struct {
	hostRecord
	name          string
	group         *group
	turn          uint64
	dueAt         time.Time
	leases        int // held
	leasedReady   int // of these, still in the ready queue
	leasedWaiting int // of these, still in the waiting queue
	place         slot[*host]
}

// group is hosts that must not be asked at the same time.
type group struct {
	ip     string
	hosts  int
	leases int
	ready  *leaveHeap[*host]
	place  slot[*group]
}

func newSchedule(perHost int, floor time.Duration, opened time.Time) *schedule {
	return &schedule{
		perHost: perHost,
		floor:   floor,
		opened:  opened,
		hosts:   make(map[string]*host),
		byIP:    make(map[string]*group),
		timed:   hostsBy(func(a, b *host) bool { return a.dueAt.Before(b.dueAt) }),
		groups: &leaveHeap[*group]{
			less: func(a, b *group) bool { return a.ready.items[0].turn < b.ready.items[0].turn },
			slot: func(g *group) *slot[*group] { return &g.place },
		},
	}
}

func hostsBy(less func(a, b *host) bool) *leaveHeap[*host] {
	return &leaveHeap[*host]{less: less, slot: func(h *host) *slot[*host] { return &h.place }}
}

// set takes over what is stored about a host. The caller places it afterwards.
func (s *schedule) set(name string, r *hostRecord) *host {
	h := s.hosts[name]
	if h == nil {
		s.turns++
		h = &host{name: name, turn: s.turns}
		s.hosts[name] = h
	} else {
		s.remove(h)
	}
	h.hostRecord = *r
	if h.group == nil || h.group.ip != r.ip {
		s.join(h)
	}
	return h
}

// join moves the host to the group of its address.
func (s *schedule) join(h *host) {
	s.quit(h)
	g := s.byIP[h.ip]
	if g == nil {
		g = &group{ip: h.ip, ready: hostsBy(func(a, b *host) bool { return a.turn < b.turn })}
		if h.ip != "" {
			s.byIP[h.ip] = g
		}
	}
	g.hosts++
	h.group = g
}

func (s *schedule) quit(h *host) {
	if h.group == nil {
		return
	}
	h.group.hosts--
	s.drop(h.group)
	h.group = nil
}

// drop forgets a group that nobody needs. One with a lease stays: a host that
// left it, or a new one, must still be kept from its address.
func (s *schedule) drop(g *group) {
	if g.hosts == 0 && g.leases == 0 && s.byIP[g.ip] == g {
		delete(s.byIP, g.ip)
	}
}

// idle counts the URLs of the host that are not leased.
func (h *host) idle() int {
	return h.ready + h.waiting - h.leasedReady - h.leasedWaiting
}

// place puts the host where it belongs at the given time.
func (s *schedule) place(h *host, now time.Time) {
	s.remove(h)
	if h.idle() == 0 && h.leases == 0 {
		s.quit(h)
		delete(s.hosts, h.name)
		return
	}
	if h.idle() == 0 || h.leases >= s.perHost {
		return
	}
	h.dueAt = h.due(s.floor, s.opened, now)
	if h.ready == h.leasedReady && h.dueAt.Before(h.nextWait) {
		h.dueAt = h.nextWait
	}
	if h.dueAt.After(now) {
		s.timed.push(h)
		return
	}
	h.group.ready.push(h)
	s.regroup(h.group)
}

// remove takes the host out of its place.
func (s *schedule) remove(h *host) {
	if h.place.in != nil {
		h.place.in.remove(h)
		s.regroup(h.group)
	}
}

// regroup puts the group where its ready hosts and leases say.
func (s *schedule) regroup(g *group) {
	if g.place.in != nil {
		g.place.in.remove(g)
	}
	if g.leases < s.perHost && len(g.ready.items) > 0 {
		s.groups.push(g)
	}
}

// next returns the host whose turn it is, or nil. It stays where it is.
func (s *schedule) next(now time.Time) *host {
	for len(s.timed.items) > 0 && !s.timed.items[0].dueAt.After(now) {
		h := s.timed.items[0]
		s.timed.remove(h)
		h.group.ready.push(h)
		s.regroup(h.group)
	}
	if len(s.groups.items) == 0 {
		return nil
	}
	return s.groups.items[0].ready.items[0]
}

// wake returns when the next host becomes due by the passing of time.
func (s *schedule) wake() (time.Time, bool) {
	if len(s.timed.items) == 0 {
		return time.Time{}, false
	}
	return s.timed.items[0].dueAt, true
}

// lease notes that a URL of the host is out, and gives it its next turn.
func (s *schedule) lease(h *host, waiting bool, now time.Time) *held {
	s.remove(h)
	s.turns++
	h.turn = s.turns
	h.leases++
	if waiting {
		h.leasedWaiting++
	} else {
		h.leasedReady++
	}
	h.group.leases++
	s.regroup(h.group)
	s.place(h, now)
	return &held{host: h, group: h.group, waiting: waiting, queued: true}
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

// release ends a lease. The caller places the host afterwards.
func (s *schedule) release(l *held) {
	s.remove(l.host)
	s.unqueue(l)
	l.host.leases--
	l.group.leases--
	s.regroup(l.group)
	s.drop(l.group)
}

// held is a lease as the frontier sees it. It remembers the group it was
// counted in, because the host may have changed its address since.
type held struct {
	id       hash
	seq      uint64
	host     *host
	group    *group
	waiting  bool // taken from the waiting queue
	queued   bool // its URL is still in that queue
	settling bool // Done is at work on it
}
