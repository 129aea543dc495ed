package frontier

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"
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
	key := m.leases[id].key
	e := m.entries[key]
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
	for _, k := range o.Aliases {
		a := m.entries[k]
		switch {
		case k == key || a != nil && a.state != Pending:
		case a == nil:
			m.entries[k] = &modelEntry{url: URL{URL: k, Key: k, Via: e.url.URL}, state: Aliased, reason: "captured as " + e.url.URL}
		default:
			a.state, a.front, a.waiting, a.due, a.reason = Aliased, false, false, time.Time{}, "captured as "+e.url.URL
		}
	}
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

// checker holds the pair and the random source.
type checker struct {
	*model
	t     *testing.T
	r     *rand.Rand
	f     *Frontier
	dir   string
	lives int
	held  []Lease
	fail  error // what BeforeCommit says
}

func (c *checker) open() {
	c.t.Helper()
	f, err := Open(c.dir, c.options)
	if err != nil {
		c.t.Fatal(err)
	}
	c.f = f
}

func (c *checker) url() URL {
	hosts := []string{"a.test", "b.test", "c.test:8080", "d.test"}
	u := URL{
		URL:      fmt.Sprintf("http://%s/%d", hosts[c.r.IntN(len(hosts))], c.r.IntN(60)),
		Priority: c.r.IntN(5) - 2,
		Hops:     c.r.IntN(4),
		Anchor:   fmt.Sprint("anchor ", c.r.IntN(100)),
		Level:    fmt.Sprint("level ", c.r.IntN(3)),
	}
	switch c.r.IntN(12) {
	case 0:
		u.Key = "key:" + u.URL // another identity for the same address
	case 1:
		u.URL = fmt.Sprint("mailto:", c.r.IntN(5))
	case 2:
		u.Via = "http://via.test/"
	}
	return u
}

func (c *checker) urls(n int) []URL {
	urls := make([]URL, c.r.IntN(n))
	for i := range urls {
		urls[i] = c.url()
	}
	return urls
}

func (c *checker) outcome() Outcome {
	seconds := func(n int) time.Duration { return time.Duration(c.r.IntN(n)) * time.Second }
	o := Outcome{
		State:     []State{Fetched, Fetched, Fetched, Failed, Excluded, Retry, Retry, Defer}[c.r.IntN(8)],
		Reason:    fmt.Sprint("reason ", c.r.IntN(9)),
		NoRequest: c.r.IntN(4) == 0,
		Links:     c.urls(6),
		Counters:  map[string]int64{"pages": 1},
	}
	if c.r.IntN(2) == 0 {
		o.RetryAfter = seconds(30)
	}
	switch c.r.IntN(8) {
	case 0:
		o.HostDelay = seconds(9) - time.Second
	case 1:
		o.HostNotBefore = c.now.Add(seconds(60) - 10*time.Second)
	case 2, 3:
		o.IP = []string{"10.0.0.1", "10.0.0.2"}[c.r.IntN(2)]
	case 4:
		o.HostNote = fmt.Append(nil, "note ", c.r.IntN(9))
	case 5:
		o.Aliases = []string{c.url().key(), c.url().key()}
	case 6:
		o.Marks = []Mark{{Key: fmt.Sprint("object ", c.r.IntN(30)), Counter: "objects"}}
	}
	return o
}

// step does one random operation on both sides.
func (c *checker) step() {
	c.t.Helper()
	ctx := context.Background()
	switch n := c.r.IntN(100); {
	case n < 15:
		urls := c.urls(8)
		added, err := c.f.Add(ctx, urls)
		if want := c.add(urls, ""); err != nil || added != want {
			c.t.Fatalf("Add = %d, %v; want %d", added, err, want)
		}
	case n < 50:
		c.take()
	case n < 82 && len(c.held) > 0:
		i := c.r.IntN(len(c.held))
		l, o := c.held[i], c.outcome()
		if err := c.f.Done(l, o); err != nil {
			c.t.Fatal(err)
		}
		c.done(l.ID, o)
		c.held = slices.Delete(c.held, i, i+1)
	case n < 95:
		c.now = c.now.Add(time.Duration(c.r.IntN(20)) * time.Second / 2)
	case n < 97:
		c.failedCommit()
	case n < 98:
		c.restart(true)
	case n < 99:
		c.restart(false)
	}
}

// take compares one lease, or its absence, and what Next would say to it.
func (c *checker) take() {
	c.t.Helper()
	c.f.mu.Lock()
	l, found, err := c.f.take()
	c.f.mu.Unlock()
	want := c.next()
	stats := c.stats()
	drained := stats.Pending+stats.Leased == 0
	if drained != errors.Is(err, ErrDrained) || err != nil && !drained {
		c.t.Fatalf("take: error %v, drained %v", err, drained)
	}
	if found != (want != "") || l.Key != want {
		c.t.Fatalf("leased %q, want %q", l.Key, want)
	}
	if !found {
		return
	}
	e := c.entries[l.Key]
	if l.Tries != e.tries || l.Host != e.host || string(l.Note) != c.hosts[e.host].note || l.URL != e.url {
		c.t.Fatalf("lease %+v, want %+v of host %+v", l, *e, *c.hosts[e.host])
	}
	c.lease(l)
	c.held = append(c.held, l)
}

// failedCommit tries to change much while the archive cannot be synced.
func (c *checker) failedCommit() {
	c.t.Helper()
	c.fail = errors.New("archive: no space")
	defer func() { c.fail = nil }()
	if added, err := c.f.Add(context.Background(), []URL{c.url()}); !errors.Is(err, c.fail) || added != 0 {
		c.t.Fatalf("Add = %d, %v", added, err)
	}
	for _, l := range c.held {
		if err := c.f.Done(l, c.outcome()); !errors.Is(err, c.fail) {
			c.t.Fatalf("Done = %v", err)
		}
	}
}

// restart opens the file anew: after Close, or, as after a crash, a copy of the file as it was.
func (c *checker) restart(clean bool) {
	c.t.Helper()
	if !clean {
		c.lives++
		next := fmt.Sprint(c.dir, ".", c.lives)
		copyFile(c.t, filepath.Join(c.dir, FileName), filepath.Join(next, FileName))
		c.dir = next
	}
	if err := c.f.Close(); err != nil {
		c.t.Fatal(err)
	}
	c.crash()
	c.held = nil
	c.open()
}

func copyFile(t *testing.T, from, to string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(to), 0o777); err != nil {
		t.Fatal(err)
	}
	in, err := os.Open(from)
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	out, err := os.Create(to)
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	if _, err := io.Copy(out, in); err != nil {
		t.Fatal(err)
	}
}

// compare checks all that can be read.
func (c *checker) compare() {
	c.t.Helper()
	if have, want := c.f.Stats(), c.stats(); have != want {
		c.t.Fatalf("stats %+v, want %+v", have, want)
	}
	if have := c.f.Counters(); !maps.Equal(have, c.counters) {
		c.t.Fatalf("counters %v, want %v", have, c.counters)
	}
	if err := c.f.Check(); err != nil {
		c.t.Fatal(err)
	}
	for key, want := range c.entries {
		have, ok := c.f.Lookup(key)
		if !ok || have.State != want.state || have.Tries != want.tries || have.Reason != want.reason ||
			have.URL != want.url || !have.NotBefore.Equal(want.due) || have.Settled.IsZero() != (want.state == Pending) {
			c.t.Fatalf("entry %s is %+v (%v), want %+v", key, have, ok, *want)
		}
	}
}

func TestFrontierAgreesWithModelThroughCrashes(t *testing.T) {
	runs, steps := 30, 600
	if testing.Short() {
		runs = 6
	}
	for seed := range runs {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			c := &checker{t: t, r: rand.New(rand.NewPCG(uint64(seed), 1)), dir: filepath.Join(t.TempDir(), "f")}
			c.model = &model{
				now:     time.Unix(1e9, 0),
				entries: make(map[string]*modelEntry), hosts: make(map[string]*modelHost),
				leases: make(map[uint64]modelLease), counters: make(map[string]int64), marks: make(map[string]bool),
			}
			c.options = Options{
				Delay:        time.Duration(c.r.IntN(3)) * time.Second,
				PerHost:      1 + c.r.IntN(2),
				MaxTries:     1 + c.r.IntN(4),
				Backoff:      2 * time.Second,
				MaxBackoff:   6 * time.Second,
				Now:          func() time.Time { return c.now },
				After:        time.After,
				BeforeCommit: func() error { return c.fail },
			}
			c.open()
			for i := range steps {
				c.step()
				if have, want := c.f.Stats(), c.stats(); have != want {
					t.Fatalf("step %d: stats %+v, want %+v", i, have, want)
				}
				if i%50 == 0 {
					c.compare()
				}
			}
			c.compare()
			if err := c.f.Close(); err != nil {
				t.Fatal(err)
			}
		})
	}
}
