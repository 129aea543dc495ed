package frontier

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"

	bolt "go.etcd.io/bbolt"
)

// FileName is the name of the frontier's file in its directory.
const FileName = "frontier.db"

// Options say how a frontier behaves. The zero value is a frontier without a least
// wait, which suits hosts of one's own only.
type Options struct {
	// Delay is the least wait between two requests to one host, from the end of
	// one to the start of the next. A host's own delay counts where it is longer.
	Delay time.Duration

	// PerHost is how many leases may exist at a time for one host and for one
	// IP address. Default 1.
	PerHost int

	// MaxTries is how often a URL is tried before Retry makes it Failed. Default 5.
	MaxTries int

	// Backoff is the wait after the first try of a URL that is to be retried; it
	// doubles with each further one up to MaxBackoff. Defaults 10 s and 1 h.
	Backoff, MaxBackoff time.Duration

	// BeforeCommit, if set, is called once before each commit, after all captures
	// whose outcomes it holds were handed to Done. It makes them durable. On
	// error the commit does not happen and the callers get that error.
	BeforeCommit func() error

	// Now and After are the clock. Defaults time.Now and time.After; who sets
	// one sets both. Times are stored with nanoseconds, from 1970 on.
	Now   func() time.Time
	After func(time.Duration) <-chan time.Time
}

// complete fills in the defaults and reports all that is wrong together.
func (o *Options) complete() error {
	var errs []error
	for name, n := range map[string]int64{
		"Delay": int64(o.Delay), "PerHost": int64(o.PerHost), "MaxTries": int64(o.MaxTries),
		"Backoff": int64(o.Backoff), "MaxBackoff": int64(o.MaxBackoff),
	} {
		if n < 0 {
			errs = append(errs, fmt.Errorf("frontier: option %s is negative", name))
		}
	}
	if (o.Now == nil) != (o.After == nil) {
		errs = append(errs, errors.New("frontier: options Now and After belong together"))
	}
	if o.PerHost == 0 {
		o.PerHost = 1
	}
	if o.MaxTries == 0 {
		o.MaxTries = 5
	}
	if o.Backoff == 0 {
		o.Backoff = 10 * time.Second
	}
	if o.MaxBackoff == 0 {
		o.MaxBackoff = time.Hour
	}
	if o.Now == nil {
		o.Now, o.After = time.Now, time.After
	}
	return errors.Join(errs...)
}

// Frontier is an open frontier. All methods may be called at the same time.
type Frontier struct {
	options Options
	path    string
	db      *bolt.DB
	work    chan struct{} // tells the committer that mu.queue has grown or mu.closed is set
	ended   chan struct{} // closed when the committer has returned

	closing  sync.Once
	closeErr error

	mu struct {
		sync.Mutex
		closed      bool
		broken      error     // set when disk and memory may differ
		queue       []*change // accepted, not yet taken by the committer
		uncommitted int       // accepted, not yet durable: queue and what the committer is at
		totals      totals
		counters    map[string]int64
		schedule    *schedule
		lastLease   uint64
		leases      map[uint64]*held // by Lease.ID
		bySeq       map[uint64]*held
		stale       []*host       // found empty on disk by Next while a commit was under way
		changed     chan struct{} // closed and renewed when Next may find something new
	}
}

// Open opens the frontier in dir and makes it if there is none. What was leased
// when the last process ended is pending again. The file is locked until Close.
//
// Errors are of type *Error when the file is locked, foreign, damaged or of another
// layout. Files up to 64 MiB are checked completely, see Check.
func Open(dir string, options Options) (*Frontier, error) {
	if err := options.complete(); err != nil {
		return nil, err
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, fmt.Errorf("frontier: %w", err)
	}
	f := &Frontier{
		options: options,
		path:    filepath.Join(dir, FileName),
		work:    make(chan struct{}, 1),
		ended:   make(chan struct{}),
	}
	f.mu.leases = make(map[uint64]*held)
	f.mu.bySeq = make(map[uint64]*held)
	f.mu.changed = make(chan struct{})
	var err error
	if f.db, err = openFile(f.path); err != nil {
		return nil, err
	}
	if err := f.load(); err != nil {
		f.db.Close()
		return nil, err
	}
	go f.commitLoop()
	return f, nil
}

// load makes a new file's buckets, or reads an old file's hosts into the schedule.
func (f *Frontier) load() error {
	now := f.options.Now()
	opened := now
	err := f.update(func(tx *bolt.Tx) error {
		fresh, err := checkLayout(f.path, tx)
		if err != nil || !fresh {
			return err
		}
		opened = time.Time{}
		return createLayout(tx)
	})
	if err != nil {
		return err
	}
	if err := f.checkIfSmall(); err != nil {
		return err
	}
	f.mu.schedule = newSchedule(f.options.PerHost, f.options.Delay, opened)
	return f.view(func(tx *bolt.Tx) error {
		var err error
		if f.mu.totals, err = readTotals(tx); err != nil {
			return err
		}
		if f.mu.counters, err = readCounters(tx); err != nil {
			return err
		}
		return bucket(tx, bucketHosts).ForEach(func(name, value []byte) error {
			r, err := decodeHost(value)
			if err != nil {
				return err
			}
			if r.ready+r.waiting > 0 {
				f.mu.schedule.place(f.mu.schedule.set(string(name), r), now)
			}
			return nil
		})
	})
}

// Close commits what was accepted, ends all waiting calls with ErrClosed and
// closes the file. URLs still leased are pending at the next Open.
func (f *Frontier) Close() error {
	f.closing.Do(func() {
		f.mu.Lock()
		f.mu.closed = true
		f.announce()
		f.mu.Unlock()
		f.nudge()
		<-f.ended
		f.closeErr = storageError(f.path, f.db.Close())
	})
	return f.closeErr
}

// announce wakes all calls of Next. The caller holds mu.
func (f *Frontier) announce() {
	close(f.mu.changed)
	f.mu.changed = make(chan struct{})
}

// Stats are counts of the moment.
type Stats struct {
	Pending int // URLs accepted, not leased and not settled
	Leased  int // leases held
	Seen    int // keys known, in any state
	Hosts   int // hosts with pending or leased URLs

	Fetched, Failed, Excluded, Aliased int // keys settled that way
}

// Stats returns the counts of the last commit and the leases of now.
func (f *Frontier) Stats() Stats {
	f.mu.Lock()
	defer f.mu.Unlock()
	s := Stats{
		Pending:  f.mu.totals[Pending],
		Leased:   len(f.mu.leases),
		Hosts:    len(f.mu.schedule.hosts),
		Fetched:  f.mu.totals[Fetched],
		Failed:   f.mu.totals[Failed],
		Excluded: f.mu.totals[Excluded],
		Aliased:  f.mu.totals[Aliased],
	}
	for _, n := range f.mu.totals {
		s.Seen += n
	}
	for _, l := range f.mu.leases {
		if l.queued {
			s.Pending--
		}
	}
	return s
}
