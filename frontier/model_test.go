package frontier

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"time"
)

// The model checker drives a frontier and an obvious model of it with the same
// random operations, crashes included, and compares after every step. The model
// states the rules of the package comment over plain maps: no queue, no heap, no file.

type modelEntry struct {
	url            URL
	host, domain   string
	scores         []int
	batched        bool
	state          State
	tries, seq     int
	front, waiting bool
	due            time.Time
	leased         bool
	reason         string
	drawn          bool
}

type modelHost struct {
	turn               int // 0 = not in the schedule
	delay              time.Duration
	lastEnd, notBefore time.Time
	ip, note           string
	leases, answered   int
	left               int
	reserved           []string
	requests           int
	drawn              int // of these, for drawn URLs
}

type modelLease struct {
	key   string
	ip    string // of the host when it was leased
	drawn bool
	ended time.Time // of its exchange, if that was told
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
	ipDue    map[string]time.Time
	domDue   map[string]time.Time
	rules    map[string]*Rule
	links    map[string]map[string]bool // domain -> domains that link to it
	seeded   map[string]bool
	pages    int // fetched since the last batch

	families map[string]*modelFamily
	born     int
}

// combine states the update functions over all that was given.
func (m *model) combine(scores []int) (p int) {
	switch m.options.Update {
	case First:
		return scores[0]
	case Last:
		return scores[len(scores)-1]
	case Max:
		return slices.Max(scores)
	}
	for _, s := range scores {
		p += s
	}
	if m.options.Update == Avg {
		p /= len(scores)
	}
	return p
}

// rule is the one of the longest name that fits a host.
func (m *model) rule(host string) (string, Rule) {
	best := ""
	name, _, _ := strings.Cut(host, ":")
	for suffix := range m.rules {
		if (host == suffix || name == suffix || strings.HasSuffix(name, "."+suffix)) && len(suffix) > len(best) {
			best = suffix
		}
	}
	if best == "" {
		return "", Rule{}
	}
	return best, *m.rules[best]
}

func (m *model) floor(host string) time.Duration {
	if _, r := m.rule(host); r.Delay != nil {
		return *r.Delay
	}
	return m.options.Delay
}

func (m *model) stopped(host string) bool {
	name, r := m.rule(host)
	sum := func(under string) (n int) {
		for h, x := range m.hosts {
			plain, _, _ := strings.Cut(h, ":")
			if plain == under || strings.HasSuffix(plain, "."+under) {
				n += x.requests
			}
		}
		return n
	}
	if r.Off || r.Budget > 0 {
		return r.Off || sum(name) >= r.Budget
	}
	d, in := DomainOf(host), m.options.InDegree
	return in.Base > 0 && !m.seeded[d] && sum(d) >= in.Base+in.Each*min(len(m.links[d]), in.Until)
}

// best is what the first URL of a host's queue is worth, leased ones included.
func (m *model) best(host string) int {
	best := -maxPriority - 1
	for _, e := range m.entries {
		switch {
		case !m.options.BestFirst || e.host != host || e.state != Pending || e.waiting || e.batched:
		case e.front || e.drawn || e.url.Immediate:
			best = maxPriority + 1
		default:
			best = max(best, e.url.Priority)
		}
	}
	return best
}

func (m *model) release() {
	m.pages = 0
	entries := slices.SortedFunc(maps.Values(m.entries), func(a, b *modelEntry) int { return cmp.Compare(a.seq, b.seq) })
	for _, e := range entries {
		if e.batched {
			e.batched = false
			m.turn(e.host)
		}
	}
}

func (m *model) host(name string) *modelHost {
	if m.hosts[name] == nil {
		m.hosts[name] = new(modelHost)
	}
	return m.hosts[name]
}

func (m *model) add(urls []URL, via string, batched bool) (added int) {
	for _, u := range urls {
		if u.Via == "" {
			u.Via = via
		}
		u.Key = u.key()
		if u.Seed {
			u.Family = ""
		}
		m.notice(u, via)
		decisive := u.Decisive
		u.Decisive = false
		if e := m.entries[u.Key]; e != nil {
			if u.Modified != 0 {
				e.url.Modified = u.Modified
			}
			family := u.Family
			u.Family = ""
			vouched := e.state == PutOff && family == ""
			if vouched {
				e.state, e.url.Family = Pending, ""
				e.url.Seed, e.url.Forced = e.url.Seed || u.Seed, e.url.Forced || u.Forced
				e.batched = batched
			}
			if e.state == Pending {
				e.url.Hops = min(e.url.Hops, u.Hops)
				if decisive {
					e.scores = nil
				}
				if len(e.scores) == 0 || u.Priority > slices.Max(e.scores) {
					e.url.Via, e.url.Path, e.url.Anchor, e.url.Level = u.Via, u.Path, u.Anchor, u.Level
				}
				e.scores = append(e.scores, u.Priority)
				e.url.Priority = m.combine(e.scores)
				if u.Immediate {
					e.url.Immediate = true
				}
				if e.url.Immediate && (u.Immediate || vouched) {
					e.batched = false
					m.turn(e.host)
				}
				if vouched && !e.batched {
					m.turn(e.host)
				}
			}
			continue
		}
		name, err := HostOf(u.URL)
		if err != nil {
			u.Family = ""
			m.entries[u.Key] = &modelEntry{url: u, state: Excluded, reason: err.Error()}
			continue
		}
		m.seq++
		e := &modelEntry{url: u, host: name, domain: DomainOf(name), seq: m.seq, scores: []int{u.Priority},
			batched: batched && !u.Immediate}
		m.entries[u.Key] = e
		switch {
		case u.Family != "":
			m.postpone(e)
		case !e.batched:
			m.turn(name)
		default:
			m.host(name)
		}
		added++
	}
	return added
}

// notice counts which domains link to which.
func (m *model) notice(u URL, via string) {
	name, err := HostOf(u.URL)
	if err != nil {
		return
	}
	to := DomainOf(name)
	m.seeded[to] = m.seeded[to] || u.Seed
	if host, err := HostOf(via); err == nil && DomainOf(host) != to {
		if m.links[to] == nil {
			m.links[to] = make(map[string]bool)
		}
		m.links[to][DomainOf(host)] = true
	}
}

func (m *model) turn(name string) {
	if h := m.host(name); h.turn == 0 {
		m.turns++
		h.turn, h.left, h.reserved = m.turns, m.options.PerTurn, nil
	}
}

// sweep forgets the turns of hosts with nothing to do.
func (m *model) sweep() {
	busy := make(map[string]bool)
	for _, e := range m.entries {
		if e.state == Pending && !e.batched || m.drawable(e) {
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
	slices.SortFunc(names, func(a, b string) int {
		_, ra := m.rule(a)
		_, rb := m.rule(b)
		return cmp.Or(cmp.Compare(rb.Priority, ra.Priority), cmp.Compare(m.best(b), m.best(a)),
			cmp.Compare(m.hosts[a].turn, m.hosts[b].turn))
	})
	for _, name := range names {
		h := m.hosts[name]
		onIP, onDomain := 0, 0
		for _, l := range m.leases {
			if !l.ended.IsZero() {
				continue
			}
			if m.entries[l.key].domain == DomainOf(name) {
				onDomain++
			}
			if h.ip != "" && l.ip == h.ip {
				onIP++
			}
		}
		wait := max(m.floor(name), h.delay)
		if h.turn == 0 || m.stopped(name) || onDomain >= m.options.PerDomain || m.now.Before(m.domDue[DomainOf(name)]) || h.ip != "" &&
			m.now.Before(m.ipDue[h.ip]) || h.leases-h.answered >= m.options.PerHost || onIP >= m.options.PerHost ||
			m.now.Before(h.notBefore) ||
			!h.lastEnd.IsZero() && m.now.Before(h.lastEnd.Add(wait)) ||
			!m.opened.IsZero() && m.now.Before(m.opened.Add(wait)) {
			continue
		}
		var ready, waiting *modelEntry
		var queue []*modelEntry
		for _, e := range m.entries {
			if e.state == Pending && e.host == name && !e.leased && !e.batched && !e.waiting {
				queue = append(queue, e)
			}
			switch {
			case e.state != Pending || e.host != name || e.leased || e.batched:
			case e.waiting:
				if waiting == nil || e.due.Before(waiting.due) || e.due.Equal(waiting.due) && e.seq < waiting.seq {
					waiting = e
				}
			case ready == nil || modelBefore(e, ready):
				ready = e
			}
		}
		due := waiting != nil && !waiting.due.After(m.now)
		first := ready
		if due && (ready == nil || modelBefore(waiting, ready)) {
			first = waiting
		}
		if e := m.drawnBefore(name, first); e != nil {
			return e.url.Key
		}
		switch {
		case due && (ready == nil || modelBefore(waiting, ready)):
			ready = waiting
		case !due && ready != nil && !ready.front && !ready.drawn && !ready.url.Immediate && m.options.PerTurn > 1:
			ready = m.chosen(h, queue, ready)
		}
		if ready != nil {
			return ready.url.Key
		}
	}
	return ""
}

// chosen is the next of the URLs that were chosen when the host's turn began.
func (m *model) chosen(h *modelHost, queue []*modelEntry, first *modelEntry) *modelEntry {
	slices.SortFunc(queue, func(a, b *modelEntry) int {
		if modelBefore(a, b) {
			return -1
		}
		return 1
	})
	if h.reserved == nil {
		h.reserved = []string{}
		for _, e := range queue[:min(len(queue), h.left)] {
			h.reserved = append(h.reserved, e.url.Key)
		}
		h.left = max(1, len(h.reserved))
	}
	for ; len(h.reserved) > 0; h.reserved = h.reserved[1:] {
		if e := m.entries[h.reserved[0]]; e.state == Pending && !e.waiting && !e.batched && !e.leased {
			return e
		}
	}
	return first
}

func modelBefore(a, b *modelEntry) bool {
	first := a.front || a.drawn
	if first != (b.front || b.drawn) {
		return first
	}
	if !first && a.url.Immediate != b.url.Immediate {
		return a.url.Immediate
	}
	return cmp.Or(cmp.Compare(b.url.Priority, a.url.Priority), cmp.Compare(a.seq, b.seq)) < 0
}

func (m *model) lease(l Lease) {
	e := m.entries[l.Key]
	h := m.hosts[e.host]
	e.leased = true
	h.leases++
	if h.left--; h.left == 0 {
		m.turns++
		h.turn, h.left, h.reserved = m.turns, m.options.PerTurn, nil
	}
	m.leases[l.ID] = modelLease{l.Key, h.ip, e.drawn || e.state == PutOff, time.Time{}}
}

// answered states what Answered changes.
func (m *model) answered(id uint64) {
	l := m.leases[id]
	e := m.entries[l.key]
	h := m.hosts[e.host]
	_, rule := m.rule(e.host)
	if !l.ended.IsZero() || l.ip == "" || m.options.InDegree.Base > 0 || rule.Budget > 0 {
		return
	}
	l.ended = m.now
	m.leases[id] = l
	h.answered++
	m.over(e, h, l.ip, m.now)
}

// over is what the end of an exchange changes.
func (m *model) over(e *modelEntry, h *modelHost, ip string, end time.Time) {
	if end.After(h.lastEnd) {
		h.lastEnd = end
	}
	hold := func(due map[string]time.Time, name string, wait time.Duration) {
		if until := end.Add(min(wait, m.floor(e.host))); name != "" && until.After(due[name]) {
			due[name] = until
		}
	}
	hold(m.ipDue, ip, m.options.IPDelay)
	hold(m.ipDue, h.ip, m.options.IPDelay)
	hold(m.domDue, e.domain, m.options.DomainDelay)
}

func (m *model) done(id uint64, o Outcome) {
	e := m.entries[m.leases[id].key]
	h := m.hosts[e.host]
	l := m.leases[id]
	leasedIP := l.ip
	delete(m.leases, id)
	h.leases--
	e.leased = false
	end := m.now
	if !l.ended.IsZero() {
		h.answered--
		end = l.ended
	}
	if o.HostDelay != 0 {
		h.delay = max(0, o.HostDelay)
	}
	if o.HostNotBefore.After(h.notBefore) {
		h.notBefore = o.HostNotBefore
	}
	h.ip = cmp.Or(o.IP, h.ip)
	if !o.NoRequest {
		h.requests++
		if l.drawn {
			h.drawn++
		}
		m.over(e, h, leasedIP, end)
	}
	if o.HostNote != nil {
		h.note = string(o.HostNote)
	}
	m.verdict(e, h, o)
	m.alias(e, o.Aliases)
	m.add(o.Links, e.url.URL, m.options.Batch > 0)
	m.changeFamilies(o.Families)
	if o.State == Fetched {
		m.pages++
	}
	if m.options.Batch > 0 && m.pages >= m.options.Batch {
		m.release()
	}
	for name, n := range o.Counters {
		m.counters[name] += n
	}
	for _, mark := range o.Marks {
		if !m.marks[mark.Key] {
			m.marks[mark.Key] = true
			m.counters[mark.Counter]++
		}
	}
}

// committed does what follows each transaction.
func (m *model) committed() {
	m.forgetFamilies()
	m.sweep()
}

func (m *model) verdict(e *modelEntry, h *modelHost, o Outcome) {
	state, wait := o.State, o.RetryAfter
	switch {
	case state == PutOff:
		if e.state == Pending && e.drawn {
			m.drew(e, -1)
		}
		if e.state == Pending || e.state == PutOff {
			e.url.Family, e.drawn = o.Family, false
			e.front, e.waiting, e.due, e.reason = false, false, time.Time{}, o.Reason
			m.postpone(e)
		}
		return
	case e.state == PutOff:
		e.state, e.drawn = Pending, true
		m.drew(e, 1)
	}
	if state != Excluded && state != Defer {
		e.tries++
	}
	if state == Retry && e.tries >= m.options.MaxTries {
		state = Failed
	}
	if state == Retry && wait == 0 {
		wait = max(min(m.options.MaxBackoff, m.options.Backoff<<(e.tries-1)), 2*m.options.Delay, 2*h.delay)
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
		case k == e.url.Key || a != nil && a.state != Pending && a.state != PutOff:
		case a == nil:
			m.entries[k] = &modelEntry{url: URL{URL: k, Key: k, Via: e.url.URL}, state: Aliased, reason: "captured as " + e.url.URL}
		default:
			if a.state == PutOff {
				a.url.Family = ""
			}
			a.state, a.front, a.waiting, a.batched, a.due, a.reason = Aliased, false, false, false, time.Time{}, "captured as "+e.url.URL
		}
	}
}

func (m *model) exclude(u URL, reason string) (excluded int) {
	switch e := m.entries[u.key()]; {
	case e == nil:
		u.Key = u.key()
		u.Family = ""
		m.entries[u.Key] = &modelEntry{url: u, state: Excluded, reason: reason}
	case e.state != Pending && e.state != PutOff:
		return 0
	default:
		if e.state == PutOff {
			e.url.Family = ""
		}
		e.state, e.front, e.waiting, e.batched, e.due, e.reason = Excluded, false, false, false, time.Time{}, reason
	}
	return 1
}

// crash forgets what a frontier keeps in memory only.
func (m *model) crash() {
	m.opened = m.now
	clear(m.leases)
	clear(m.ipDue)
	clear(m.domDue)
	m.pages = 0
	for _, e := range m.entries {
		e.leased = false
	}
	m.turns = 0
	for _, h := range m.hosts {
		h.leases, h.answered, h.turn = 0, 0, 0
	}
	var names []string
	for _, e := range m.entries {
		e.batched = false
		if e.state == Pending || m.drawable(e) {
			names = append(names, e.host)
		}
	}
	slices.Sort(names)
	for _, name := range names {
		m.turn(name)
	}
}

// ended counts the entries in a state.
func (m *model) ended(state State) (n int) {
	for _, e := range m.entries {
		if e.state == state {
			n++
		}
	}
	return n
}

func (m *model) stats() Stats {
	s := Stats{Leased: len(m.leases), Seen: len(m.entries)}
	for _, e := range m.entries {
		switch e.state {
		case Pending:
			if !e.leased {
				s.Pending++
			}
			if e.batched {
				s.Batched++
			} else if !e.leased && m.stopped(e.host) {
				s.Stopped++
			}
		case PutOff:
			if !e.leased {
				s.PutOff++
			}
			if m.held(e.url.Family) {
				s.Held++
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
