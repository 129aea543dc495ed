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

// Options configure a frontier. The zero value has no least wait between requests, so use it only
// for your own hosts.
type Options struct {
	// Delay is the least wait between two requests to one host, from the end of one to the
	// start of the next. A longer delay of the host itself replaces it.
	Delay time.Duration

	// PerHost bounds the concurrent leases for one host and for one IP address; PerDomain, for
	// one pay-level domain, see DomainOf. Defaults: 1 and PerHost.
	PerHost, PerDomain int

	// IPDelay and DomainDelay are the least waits between two requests to one IP address and to
	// one pay-level domain, over all hosts. If a Rule makes a host's least wait shorter, the
	// shorter wait applies.
	IPDelay, DomainDelay time.Duration

	// PerTurn is the number of URLs of one turn of a host: b_l of section 5.1 of the paper. They
	// are chosen when the turn starts. The turn is shorter if the host has fewer. Default: 1.
	PerTurn int

	// BestFirst prefers the host with the URL of the highest priority among the hosts that may
	// be requested; hosts take turns only if these are equal. Without it, they take turns for
	// any priority.
	BestFirst bool

	// Update combines a further priority with the priority of a scheduled URL. Default: Max.
	Update Update

	// Batch, if positive, is the number of fetched pages whose links are scheduled together;
	// until then each link receives further priorities. A batch ends early when there is
	// nothing else to lease, and when the frontier is opened.
	Batch int

	// InDegree gives domains budgets by the number of other domains that link to them. The zero
	// value gives none.
	InDegree InDegree

	// PutOffShare, from 0 to 1, is the share of the requests to a host for deferred URLs while
	// other URLs of the host are due. With 0 they wait until the host has nothing else.
	PutOffShare float64

	// PutOffLimit bounds the URLs that are drawn from one family, see Reopen; 0: unlimited.
	PutOffLimit int

	// MustExist makes Open refuse a file that is missing, empty or without a frontier, instead
	// of making a new one: otherwise a crawl that has started would silently start again.
	MustExist bool

	// MaxTries bounds the tries of a URL: after the last one Retry makes it Failed. Default: 5.
	MaxTries int

	// Backoff is the wait after the first failed try of a URL; it doubles with each further
	// try up to MaxBackoff. Defaults: 10 s and 1 h.
	Backoff, MaxBackoff time.Duration

	// MinSpace is the free space on the disk, in bytes, that a commit needs; with less, the
	// commit fails as on a full disk. 0: no check.
	MinSpace int64

	// BeforeCommit, if set, is called once before each commit, after Done received all outcomes
	// of the commit. It makes their captures durable. On error the commit does not happen and
	// the callers get that error.
	BeforeCommit func() error

	// Now and After are the clock. Defaults: time.Now and time.After. Set both or neither.
	// Times are stored in nanoseconds since 1970.
	Now   func() time.Time
	After func(time.Duration) <-chan time.Time

	merging merging // the zero value is usualMerging
}

// Complete fills in the defaults and reports all invalid options in one error.
func (o *Options) Complete() error {
	var errs []error
	for name, n := range map[string]int64{
		"Delay": int64(o.Delay), "PerHost": int64(o.PerHost), "PerDomain": int64(o.PerDomain), "MaxTries": int64(o.MaxTries),
		"IPDelay": int64(o.IPDelay), "DomainDelay": int64(o.DomainDelay), "PerTurn": int64(o.PerTurn), "Batch": int64(o.Batch),
		"InDegree.Base": int64(o.InDegree.Base), "InDegree.Each": int64(o.InDegree.Each), "InDegree.Until": int64(o.InDegree.Until),
		"PutOffLimit": int64(o.PutOffLimit), "Backoff": int64(o.Backoff), "MaxBackoff": int64(o.MaxBackoff), "MinSpace": o.MinSpace,
	} {
		if n < 0 {
			errs = append(errs, fmt.Errorf("frontier: option %s is negative", name))
		}
	}
	if (o.Now == nil) != (o.After == nil) {
		errs = append(errs, errors.New("frontier: options Now and After need each other"))
	}
	if !(o.PutOffShare >= 0 && o.PutOffShare <= 1) {
		errs = append(errs, errors.New("frontier: option PutOffShare is not from 0 to 1"))
	}
	if o.PerHost == 0 {
		o.PerHost = 1
	}
	if o.PerDomain == 0 {
		o.PerDomain = o.PerHost
	}
	if o.PerTurn == 0 {
		o.PerTurn = 1
	}
	if int(o.Update) >= len(updateNames) {
		errs = append(errs, errors.New("frontier: option Update is unknown"))
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
	if o.merging == (merging{}) {
		o.merging = usualMerging
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
	file    *os.File  // of db, for reading
	readers sync.Pool // of *entryPages
	seen    *seen
	recent  recent
	mapped  mapped
	work    chan struct{} // tells the committer that mu.queue has grown or mu.closed is set
	ended   chan struct{} // closed when the committer has returned

	snapshots snapshots

	closing  sync.Once
	closeErr error

	mu struct {
		sync.Mutex
		closed      bool
		paused      bool
		broken      error     // set when disk and memory may differ
		queue       []*change // accepted, not yet taken by the committer
		uncommitted int       // accepted, not yet durable: queue and what the committer is at
		batched     int       // pending URLs whose batch is not complete
		batchPages  int       // fetched since the last batch was complete
		totals      totals
		held        int            // URLs in families that are held
		drawing     map[string]int // URLs that wait in families and are leased, by family
		counters    map[string]int64
		schedule    *schedule
		lastLease   uint64
		leases      map[uint64]*held // by Lease.ID
		byEntry     map[entryID]*held
		stale       []*host       // found empty on disk by Next while a commit was under way
		changed     chan struct{} // closed and renewed when Next may find something new
	}
}

// Open opens the frontier in dir and makes it if there is none. URLs that were leased when the last
// process ended are pending again. The file is locked until Close.
//
// Errors are of type *Error when the file is locked, foreign, damaged, of another layout, or with
// Options.MustExist missing. Files up to 64 MiB are checked completely, see Check.
func Open(dir string, options Options) (*Frontier, error) {
	if err := options.Complete(); err != nil {
		return nil, err
	}
	if !options.MustExist {
		if err := os.MkdirAll(dir, 0o777); err != nil {
			return nil, fmt.Errorf("frontier: %w", err)
		}
	}
	f, err := open(dir, options, false)
	if err == nil {
		go f.commitLoop()
	}
	return f, err
}

// OpenReadOnly opens the frontier in dir, which must exist, and changes nothing there. URLs that
// were leased when the last process ended are pending, and every change fails with ErrClosed.
// Several processes may read a file at a time while none has it open for writing. Errors are as of
// Open.
func OpenReadOnly(dir string) (*Frontier, error) {
	options := Options{MustExist: true}
	if err := options.Complete(); err != nil {
		return nil, err
	}
	f, err := open(dir, options, true)
	if err == nil {
		f.mu.closed = true
		close(f.ended)
	}
	return f, err
}

func open(dir string, options Options, readOnly bool) (*Frontier, error) {
	f := &Frontier{
		options: options,
		path:    filepath.Join(dir, FileName),
		seen:    newSeen(),
		recent:  newRecent(options.merging),
		work:    make(chan struct{}, 1),
		ended:   make(chan struct{}),
	}
	f.mu.leases = make(map[uint64]*held)
	f.mu.byEntry = make(map[entryID]*held)
	f.mu.drawing = make(map[string]int)
	f.mu.changed = make(chan struct{})
	f.readers.New = func() any { return new(entryPages) }
	var err error
	if f.db, f.file, err = openFile(f.path, options.MustExist, readOnly); err != nil {
		return nil, err
	}
	if err := f.load(); err != nil {
		f.db.Close()
		f.seen.free()
		return nil, err
	}
	return f, nil
}

// Pause keeps Next from leasing until it is called with false. Held leases are not affected, and an
// empty frontier is still drained.
func (f *Frontier) Pause(paused bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.mu.paused = paused
	f.announce()
}

// Paused reports whether the frontier is paused.
func (f *Frontier) Paused() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.mu.paused
}

// Close commits the accepted changes, ends all waiting calls with ErrClosed and closes the file.
// URLs still leased are pending at the next Open.
func (f *Frontier) Close() error {
	f.closing.Do(func() {
		f.mu.Lock()
		f.mu.closed = true
		f.announce()
		f.mu.Unlock()
		f.nudge()
		<-f.ended
		if f.mu.broken == nil && !f.db.IsReadOnly() {
			f.saveSeenAtEnd()
		}
		f.closeErr = storageError(f.path, f.db.Close())
		f.seen.free() // nobody reads any more
	})
	return f.closeErr
}

// announce wakes all calls of Next. The caller holds mu.
func (f *Frontier) announce() {
	close(f.mu.changed)
	f.mu.changed = make(chan struct{})
}

// Stats are the current counts.
type Stats struct {
	Pending int // URLs accepted, not leased and not settled
	Batched int // of these, waiting for their batch to be complete
	Stopped int // of these, in domains that are off or have used up their budget
	Leased  int // leases held
	PutOff  int // URLs waiting in families and not leased
	Held    int // of these, in families that are closed or at their limit
	Seen    int // keys known, in any state
	Hosts   int // hosts with pending or leased URLs

	Fetched, Failed, Excluded, Aliased int // keys settled in each state
}

// Stats returns the counts of the last commit and of the current leases.
func (f *Frontier) Stats() Stats {
	f.mu.Lock()
	defer f.mu.Unlock()
	s := Stats{
		Pending:  f.mu.totals[Pending],
		Batched:  f.mu.batched,
		Stopped:  f.mu.schedule.stoppedURLs(),
		Leased:   len(f.mu.leases),
		PutOff:   f.mu.totals[PutOff],
		Seen:     f.mu.totals.sum(),
		Held:     f.mu.held,
		Hosts:    f.mu.schedule.count,
		Fetched:  f.mu.totals[Fetched],
		Failed:   f.mu.totals[Failed],
		Excluded: f.mu.totals[Excluded],
		Aliased:  f.mu.totals[Aliased],
	}
	for _, l := range f.mu.leases {
		switch {
		case !l.queued:
		case l.deferred():
			s.PutOff--
		default:
			s.Pending--
		}
	}
	return s
}
