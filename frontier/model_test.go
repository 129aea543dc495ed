package frontier

import (
	"cmp"
	"maps"
	"slices"
	"time"
)

// The model checker drives a frontier and an obvious model of it with the same
// random operations, crashes included, and compares after every step. The model
// states the rules of the package comment over plain maps: no queue, no heap, no file.

type modelEntry struct {
	url            URL
	host           string
	state          State
	tries, seq     int
	front, waiting bool
	due            time.Time
	leased         bool
	reason         string
}

type modelHost struct {
	turn               int // 0 = not in the schedule
	delay              time.Duration
	lastEnd, notBefore time.Time
	ip, note           string
	leases             int
}

type modelLease struct {
	key string
	ip  string // of the host when it was leased
}

type model struct {
	options  Options
	now      time.Time
	opened   time.Time
	entries  map[string]*modelEntry
	hosts    map[string]*modelHost
	leases   map[uint64]modelLease
	counters map[string]int64
	marks    map[string]bool
	seq      int
	turns    int
}

func (m *model) host(name string) *modelHost {
	if m.hosts[name] == nil {
		m.hosts[name] = new(modelHost)
	}
	return m.hosts[name]
}

func (m *model) add(urls []URL, via string) (added int) {
	for _, u := range urls {
		if u.Via == "" {
			u.Via = via
		}
		u.Key = u.key()
		if e := m.entries[u.Key]; e != nil {
			if e.state == Pending {
				e.url.Hops = min(e.url.Hops, u.Hops)
				if u.Priority > e.url.Priority {
					e.url.Priority, e.url.Via, e.url.Anchor, e.url.Level = u.Priority, u.Via, u.Anchor, u.Level
				}
			}
			continue
		}
		name, err := HostOf(u.URL)
		if err != nil {
			m.entries[u.Key] = &modelEntry{url: u, state: Excluded, reason: err.Error()}
			continue
		}
		m.seq++
		m.entries[u.Key] = &modelEntry{url: u, host: name, seq: m.seq}
		m.turn(name)
		added++
	}
	return added
}

func (m *model) turn(name string) {
	if h := m.host(name); h.turn == 0 {
		m.turns++
		h.turn = m.turns
	}
}

// sweep forgets the turns of hosts with nothing to do.
func (m *model) sweep() {
	busy := make(map[string]bool)
	for _, e := range m.entries {
		if e.state == Pending {
			busy[e.host] = true
		}
	}
	for name, h := range m.hosts {
		if !busy[name] && h.leases == 0 {
			h.turn = 0
		}
	}
}

// next returns the key that must be leased now, "" for none.
func (m *model) next() string {
	names := slices.Collect(maps.Keys(m.hosts))
	slices.SortFunc(names, func(a, b string) int { return cmp.Compare(m.hosts[a].turn, m.hosts[b].turn) })
	for _, name := range names {
		h := m.hosts[name]
		onIP := 0
		for _, l := range m.leases {
			if h.ip != "" && l.ip == h.ip {
				onIP++
			}
		}
		wait := max(m.options.Delay, h.delay)
		if h.turn == 0 || h.leases >= m.options.PerHost || onIP >= m.options.PerHost || m.now.Before(h.notBefore) ||
			!h.lastEnd.IsZero() && m.now.Before(h.lastEnd.Add(wait)) ||
			!m.opened.IsZero() && m.now.Before(m.opened.Add(wait)) {
			continue
		}
		var ready, waiting *modelEntry
		for _, e := range m.entries {
			switch {
			case e.state != Pending || e.host != name || e.leased:
			case e.waiting:
				if waiting == nil || e.due.Before(waiting.due) || e.due.Equal(waiting.due) && e.seq < waiting.seq {
					waiting = e
				}
			case ready == nil || modelBefore(e, ready):
				ready = e
			}
		}
		if waiting != nil && !waiting.due.After(m.now) && (ready == nil || modelBefore(waiting, ready)) {
			ready = waiting
		}
		if ready != nil {
			return ready.url.Key
		}
	}
	return ""
}

func modelBefore(a, b *modelEntry) bool {
	if a.front != b.front {
		return a.front
	}
	return cmp.Or(cmp.Compare(b.url.Priority, a.url.Priority), cmp.Compare(a.seq, b.seq)) < 0
}

func (m *model) lease(l Lease) {
	e := m.entries[l.Key]
	h := m.hosts[e.host]
	e.leased = true
	h.leases++
	m.turns++
	h.turn = m.turns
	m.leases[l.ID] = modelLease{l.Key, h.ip}
}

func (m *model) done(id uint64, o Outcome) {
	e := m.entries[m.leases[id].key]
	h := m.hosts[e.host]
	delete(m.leases, id)
	h.leases--
	e.leased = false
	if !o.NoRequest {
		h.lastEnd = m.now
	}
	if o.HostDelay != 0 {
		h.delay = max(0, o.HostDelay)
	}
	if o.HostNotBefore.After(h.notBefore) {
		h.notBefore = o.HostNotBefore
	}
	h.ip = cmp.Or(o.IP, h.ip)
	if o.HostNote != nil {
		h.note = string(o.HostNote)
	}
	m.verdict(e, o)
	m.alias(e, o.Aliases)
	m.add(o.Links, e.url.URL)
	for name, n := range o.Counters {
		m.counters[name] += n
	}
	for _, mark := range o.Marks {
		if !m.marks[mark.Key] {
			m.marks[mark.Key] = true
			m.counters[mark.Counter]++
		}
	}
	m.sweep()
}

func (m *model) verdict(e *modelEntry, o Outcome) {
	state, wait := o.State, o.RetryAfter
	if state != Excluded && state != Defer {
		e.tries++
	}
	if state == Retry && e.tries >= m.options.MaxTries {
		state = Failed
	}
	if state == Retry && wait == 0 {
		wait = min(m.options.MaxBackoff, m.options.Backoff<<(e.tries-1))
	}
	switch {
	case state != Retry && state != Defer:
		e.state, e.front, e.waiting, e.due, e.reason = state, false, false, time.Time{}, o.Reason
	case e.state == Pending:
		e.front, e.waiting, e.due, e.reason = state == Defer, wait > 0, time.Time{}, o.Reason
		if e.waiting {
			e.due = m.now.Add(wait)
		}
	}
}

func (m *model) alias(e *modelEntry, keys []string) {
	for _, k := range keys {
		a := m.entries[k]
		switch {
		case k == e.url.Key || a != nil && a.state != Pending:
		case a == nil:
			m.entries[k] = &modelEntry{url: URL{URL: k, Key: k, Via: e.url.URL}, state: Aliased, reason: "captured as " + e.url.URL}
		default:
			a.state, a.front, a.waiting, a.due, a.reason = Aliased, false, false, time.Time{}, "captured as "+e.url.URL
		}
	}
}

// crash forgets what a frontier keeps in memory only.
func (m *model) crash() {
	m.opened = m.now
	clear(m.leases)
	for _, e := range m.entries {
		e.leased = false
	}
	m.turns = 0
	for _, h := range m.hosts {
		h.leases, h.turn = 0, 0
	}
	var names []string
	for _, e := range m.entries {
		if e.state == Pending {
			names = append(names, e.host)
		}
	}
	slices.Sort(names)
	for _, name := range names {
		m.turn(name)
	}
}

func (m *model) stats() Stats {
	s := Stats{Leased: len(m.leases), Seen: len(m.entries)}
	for _, e := range m.entries {
		switch e.state {
		case Pending:
			if !e.leased {
				s.Pending++
			}
		case Fetched:
			s.Fetched++
		case Failed:
			s.Failed++
		case Excluded:
			s.Excluded++
		case Aliased:
			s.Aliased++
		}
	}
	for _, h := range m.hosts {
		if h.turn > 0 {
			s.Hosts++
		}
	}
	return s
}
