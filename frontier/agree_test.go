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

	bolt "go.etcd.io/bbolt"
)

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
	f.db.NoSync = true // what is cut off here was written
	c.f = f
}

func (c *checker) url() URL {
	hosts := []string{"a.test", "b.test", "c.test:8080", "d.test", "x.b.test", "y.b.test"}
	u := URL{
		URL:      fmt.Sprintf("http://%s/%d", hosts[c.r.IntN(len(hosts))], c.r.IntN(60)),
		Priority: c.r.IntN(5) - 2,
		Hops:     c.r.IntN(4),
		Path:     "LRLE"[:c.r.IntN(5)],
		Modified: int64(max(0, c.r.IntN(8)-5)),
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
	case 3:
		u.Immediate = c.r.IntN(3) == 0
	case 4:
		u.Seed = c.r.IntN(20) == 0
	case 5:
		u.Decisive = true
	case 6, 7, 8:
		u.Family = c.family()
	}
	return u
}

func (c *checker) family() string { return fmt.Sprint("family ", c.r.IntN(4)*c.r.IntN(3)) }

func (c *checker) families() map[string]FamilyChange {
	if c.r.IntN(6) > 0 {
		return nil
	}
	note, closed := fmt.Sprint("note ", c.r.IntN(3)), c.r.IntN(2) == 0
	return map[string]FamilyChange{c.family(): {Note: &note}, c.family(): {Closed: &closed}}
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
		State:     []State{Fetched, Fetched, Fetched, Failed, Excluded, Retry, Retry, Defer, PutOff}[c.r.IntN(9)],
		Reason:    fmt.Sprint("reason ", c.r.IntN(9)),
		NoRequest: c.r.IntN(4) == 0,
		Links:     c.urls(6),
		Counters:  map[string]int64{"pages": 1},
		Families:  c.families(),
	}
	if o.State == PutOff {
		o.Family = c.family()
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
		if want := c.add(urls, "", false); err != nil || added != want {
			c.t.Fatalf("Add = %d, %v; want %d", added, err, want)
		}
		c.committed()
	case n < 50:
		c.take()
	case n < 82 && len(c.held) > 0:
		i := c.r.IntN(len(c.held))
		l, o := c.held[i], c.outcome()
		if l.Seed && o.State == PutOff {
			o.State = Fetched
		}
		if !c.leases[l.ID].ended.IsZero() {
			o.NoRequest = false // there was one
		}
		if err := c.f.Done(l, o); err != nil {
			c.t.Fatal(err)
		}
		c.done(l.ID, o)
		c.committed()
		c.held = slices.Delete(c.held, i, i+1)
	case n < 86 && len(c.held) > 0:
		l := c.held[c.r.IntN(len(c.held))]
		c.f.Answered(l)
		c.answered(l.ID)
	case n < 95:
		c.now = c.now.Add(time.Duration(c.r.IntN(20)) * time.Second / 2)
	case n < 96:
		c.failedCommit()
	case n < 97 && c.r.IntN(2) == 0:
		u := c.url()
		u.Immediate, u.Seed, u.Decisive = false, false, false
		excluded, err := c.f.Exclude(ctx, []URL{u}, "blacklisted")
		if want := c.exclude(u, "blacklisted"); err != nil || excluded != want {
			c.t.Fatalf("Exclude = %d, %v; want %d", excluded, err, want)
		}
		c.committed()
	case n < 97:
		c.rule(ctx)
	case n < 98:
		c.restart(true)
	case n < 99:
		c.restart(false)
	case c.r.IntN(2) == 0:
		if err := c.f.Reopen(); err != nil {
			c.t.Fatal(err)
		}
		c.reopen()
		c.committed()
	default:
		o := Outcome{Links: c.urls(4), Families: c.families()}
		if err := c.f.Amend("http://via.test/", o); err != nil {
			c.t.Fatal(err)
		}
		c.add(o.Links, "http://via.test/", c.options.Batch > 0)
		c.changeFamilies(o.Families)
		c.committed()
	}
}

// domains are those that rules are given for.
var ruleDomains = []string{"a.test", "b.test", "x.b.test", "test"}

func (c *checker) rule(ctx context.Context) {
	c.t.Helper()
	domain := ruleDomains[c.r.IntN(len(ruleDomains))]
	var r *Rule
	switch c.r.IntN(4) {
	case 0:
		d := time.Duration(c.r.IntN(3)) * time.Second
		r = &Rule{Delay: &d, Priority: c.r.IntN(3) - 1}
	case 1:
		r = &Rule{Budget: 1 + c.r.IntN(30)}
	case 2:
		r = &Rule{Off: true}
	}
	if err := c.f.SetRule(ctx, domain, r); err != nil {
		c.t.Fatal(err)
	}
	if delete(c.rules, domain); r != nil {
		c.rules[domain] = r
	}
	c.committed()
}

// take compares one lease, or its absence, and what Next would say to it.
func (c *checker) take() {
	c.t.Helper()
	c.f.mu.Lock()
	l, found, err := c.f.take()
	c.f.mu.Unlock()
	want := c.next()
	stats := c.stats()
	drained := stats.Pending+stats.Leased == 0 && stats.PutOff == stats.Held
	if !drained && stats.Leased == 0 && stats.Pending == stats.Stopped && !c.draws() {
		_, waits := c.f.mu.schedule.wake()
		drained = !waits // a gate may have to close first
	}
	c.starve(stats)
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
	if l.Tries != e.tries || l.Host != e.host || string(l.Note) != c.hosts[e.host].note || l.Drawn != (e.drawn ||
		e.state == PutOff) || l.URL != e.url {
		c.t.Fatalf("lease %+v, want %+v of host %+v", l, *e, *c.hosts[e.host])
	}
	c.lease(l)
	c.held = append(c.held, l)
}

// starve ends the batch where Next would, and checks that it would where nothing
// else is left.
func (c *checker) starve(s Stats) {
	c.t.Helper()
	c.f.mu.Lock()
	starved := c.f.starved()
	c.f.mu.Unlock()
	if must := s.Batched > 0 && s.Leased == 0 && s.Pending == s.Batched && !c.draws(); must && !starved {
		if _, waits := c.f.mu.schedule.wake(); !waits {
			c.t.Fatal("the batch does not end although nothing else is left")
		}
	}
	if starved && (s.Leased > 0 || c.next() != "") {
		c.t.Fatalf("the batch would end although there is %q", c.next())
	}
	if starved {
		if err := c.f.commit((*batch).release, nil); err != nil {
			c.t.Fatal(err)
		}
		c.model.release()
		c.committed()
	}
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
		o := c.outcome()
		if l.Seed && o.State == PutOff {
			continue
		}
		if err := c.f.Done(l, o); !errors.Is(err, c.fail) {
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
		if seen := filepath.Join(c.dir, seenName); c.r.IntN(2) == 0 {
			if _, err := os.Stat(seen); err == nil {
				copyFile(c.t, seen, filepath.Join(next, seenName))
			}
		}
		c.dir = next
	}
	if err := c.f.Close(); err != nil {
		c.t.Fatal(err)
	}
	c.crash()
	c.held = nil
	if c.r.IntN(3) == 0 {
		c.options.PutOffLimit = c.r.IntN(2) * c.r.IntN(9)
	}
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
	ends := make(map[State]int)
	found, err := c.f.All(func(e Entry) error { ends[e.State]++; return nil })
	if sum := len(c.entries); err != nil || found != sum {
		c.t.Fatalf("%d URLs were found, want %d (%v)", found, sum, err)
	}
	for state, n := range ends {
		if want := c.ended(state); n != want {
			c.t.Fatalf("%d URLs are %v, want %d", n, state, want)
		}
		found -= n
	}
	if found != 0 {
		c.t.Fatalf("%d URLs have no end: %v", found, ends)
	}
	c.comparePlaces()
	c.compareFamilies()
	for key, want := range c.entries {
		have, ok := c.f.Lookup(key)
		if !ok || have.State != want.state || have.Tries != want.tries || have.Reason != want.reason ||
			have.URL != want.url || have.Batched != want.batched || !have.NotBefore.Equal(want.due) || have.Settled.IsZero() !=
			(want.state == Pending || want.state == PutOff) {
			c.t.Fatalf("entry %s is %+v (%v), want %+v", key, have, ok, *want)
		}
	}
}

// comparePlaces checks that memory has the recent URLs that Open would find, and that Pending
// yields what the model has scheduled.
func (c *checker) comparePlaces() {
	c.t.Helper()
	again := newRecent(usualMerging)
	if err := c.f.view(func(tx *bolt.Tx) error { return again.load(tx, new(mapped)) }); err != nil {
		c.t.Fatal(err)
	}
	if have := c.f.recent; have.n != again.n || have.mark != again.mark || !maps.EqualFunc(have.hosts, again.hosts, slices.Equal) ||
		!maps.EqualFunc(have.vacated, again.vacated, slices.Equal) || !maps.Equal(have.gone, again.gone) {
		c.t.Fatalf("recent URLs are %v from %d on, vacated places %v, want %v from %d on, %v", have.hosts, have.mark, have.vacated,
			again.hosts, again.mark, again.vacated)
	}
	pending := make(map[string]int)
	if err := c.f.Pending(func(e Entry) error {
		pending[e.Key]++
		return nil
	}); err != nil {
		c.t.Fatal(err)
	}
	for key, e := range c.entries {
		if want := e.state == Pending && !e.batched; want != (pending[key] == 1) {
			c.t.Fatalf("Pending yields %s %d times, state %v", key, pending[key], e.state)
		}
	}
}

// compareFamilies checks all that can be read about families, and that memory has what Open would find.
func (c *checker) compareFamilies() {
	c.t.Helper()
	var want []Family
	for _, name := range slices.Sorted(maps.Keys(c.model.families)) {
		f, limit := c.model.families[name], 0
		if c.options.PutOffLimit > 0 {
			limit = c.options.PutOffLimit + f.added
		}
		want = append(want, Family{name, f.note, c.waiting(name), f.drawnInAll(), f.closed, limit})
		var urls, wanted []string
		if err := c.f.EachPutOff(name, 3, func(e Entry) error {
			urls = append(urls, e.Key)
			return nil
		}); err != nil {
			c.t.Fatal(err)
		}
		waiting := slices.DeleteFunc(slices.Collect(maps.Values(c.entries)),
			func(e *modelEntry) bool { return e.state != PutOff || e.url.Family != name })
		slices.SortFunc(waiting, func(a, b *modelEntry) int { return cmp.Or(cmp.Compare(a.host, b.host), cmp.Compare(a.seq, b.seq)) })
		for _, e := range waiting[:min(len(waiting), 3)] {
			wanted = append(wanted, e.url.Key)
		}
		if !slices.Equal(urls, wanted) {
			c.t.Fatalf("in %s wait %q, want %q", name, urls, wanted)
		}
	}
	if have := c.f.Families(); !slices.Equal(have, want) {
		c.t.Fatalf("families %+v, want %+v", have, want)
	}
	c.compareDraws()
}

// compareDraws checks what the file counts of the requests to each host.
func (c *checker) compareDraws() {
	c.t.Helper()
	for name, want := range c.hosts {
		var have *hostRecord
		if err := c.f.view(func(tx *bolt.Tx) (err error) { have, err = hostOnDisk(tx, name); return err }); err != nil {
			c.t.Fatal(err)
		}
		if have.requests != want.requests || have.draws.requests != want.drawn {
			c.t.Fatalf("%s counts %d requests, %d of them for drawn URLs, want %d and %d", name, have.requests, have.draws.requests,
				want.requests, want.drawn)
		}
	}
}

func TestFrontierAgreesWithModelThroughCrashes(t *testing.T) { agree(t, 0, 12) }

func TestLongAgreementWithModelThroughCrashes(t *testing.T) {
	if os.Getenv("AWARC_LONG") == "" {
		t.Skip("set AWARC_LONG=1: more of what TestFrontierAgreesWithModelThroughCrashes does")
	}
	agree(t, 12, 200)
}

// agree does random operations on a frontier and its model, with each seed from one to below the other.
func agree(t *testing.T, from, to int) {
	const steps = 600
	for seed := from; seed < to; seed++ {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			c := &checker{t: t, r: rand.New(rand.NewPCG(uint64(seed), 1)), dir: filepath.Join(t.TempDir(), "f")}
			c.model = &model{
				now:     time.Unix(1e9, 0),
				entries: make(map[string]*modelEntry), hosts: make(map[string]*modelHost),
				ipDue: make(map[string]time.Time), domDue: make(map[string]time.Time), rules: make(map[string]*Rule),
				links: make(map[string]map[string]bool), seeded: make(map[string]bool),
				families: make(map[string]*modelFamily),
				leases:   make(map[uint64]modelLease), counters: make(map[string]int64), marks: make(map[string]bool),
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
				Update:       Update(c.r.IntN(len(updateNames))),
				PerTurn:      1 + c.r.IntN(2)*c.r.IntN(4),
				PerDomain:    1 + c.r.IntN(3),
				BestFirst:    c.r.IntN(2) == 0,
				IPDelay:      time.Duration(c.r.IntN(3)) * time.Second,
				DomainDelay:  time.Duration(c.r.IntN(3)) * time.Second,
				Batch:        c.r.IntN(2) * c.r.IntN(8),
				PutOffShare:  []float64{0, 0.1, 0.3, 1}[c.r.IntN(4)],
				PutOffLimit:  c.r.IntN(2) * c.r.IntN(9),
				merging:      merging{after: 1 + c.r.IntN(60), tail: 10 + c.r.IntN(60), slice: 1 + c.r.IntN(8), host: 3 + c.r.IntN(20)},
			}
			if c.r.IntN(3) == 0 {
				c.options.InDegree = InDegree{Base: 1 + c.r.IntN(10), Each: c.r.IntN(5), Until: c.r.IntN(4)}
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
