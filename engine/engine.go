package engine

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"runtime"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/awarc/awarc/engine/archive"
	"github.com/awarc/awarc/engine/assess"
	"github.com/awarc/awarc/engine/detect"
	"github.com/awarc/awarc/engine/extract"
	"github.com/awarc/awarc/engine/fetch"
	"github.com/awarc/awarc/engine/ways"
	"github.com/awarc/awarc/frontier"
	"github.com/awarc/awarc/kb"
)

// Frontier is what the engine needs of a frontier.
type Frontier interface {
	Add(ctx context.Context, urls []frontier.URL) (int, error)
	Exclude(ctx context.Context, urls []frontier.URL, reason string) (int, error)
	Next(ctx context.Context) (frontier.Lease, error)
	Done(frontier.Lease, frontier.Outcome) error
	Stats() frontier.Stats
	Counters() map[string]int64
	Lookup(key string) (frontier.Entry, bool)
	Families() []frontier.Family
	Meta(key string) []byte
	Note(host string) []byte
	PutMeta(key string, value []byte) error
	EachMeta(prefix string, fn func(key string, value []byte) error) error
	Amend(via string, o frontier.Outcome) error
	Each(state frontier.State, fn func(frontier.Entry) error) error
	Again(ctx context.Context, entries []frontier.Requeue, reason string) (int, error)
}

// Shared is a frontier that other nodes take from, too. A lease may be lost to one of them: then its visit is broken off.
type Shared interface {
	Frontier
	// During gives a context that ends when the lease is lost, and a function to be called when that does not matter any more.
	During(ctx context.Context, lease frontier.Lease) (context.Context, context.CancelFunc)
}

// Pipelined is a frontier that accepts the end of an exchange before its lease is settled.
type Pipelined interface {
	Answered(frontier.Lease)
}

// Pooled is a frontier that shares a bound on concurrent fetches with others. It accepts that
// a lease does not count for now, since its exchange stalls.
type Pooled interface {
	Stalled(frontier.Lease)
}

// Fetcher makes one HTTP exchange, or one of an answer that was archived.
type Fetcher interface {
	Do(ctx context.Context, rawURL string, header http.Header) (*fetch.Exchange, error)
	Stored(url string, block io.Reader, start time.Time) (*fetch.Exchange, error)
}

// Archiver keeps captures, gives them back and takes what is added to them later.
type Archiver interface {
	Write(archive.Capture) (archive.Location, error)
	Response(file string, offset, most int64) (block []byte, id string, err error)
	Rendered(file string, offset, most int64) (html []byte, err error)
	Amend(archive.Amendment) error
	Earlier(url string) (*archive.Earlier, error)
}

// CounterRequests counts HTTP requests.
const CounterRequests = "requests"

// The counters that limits bound.
const (
	CounterPages = "pages"
	CounterBytes = "bytes_in"
)

// Events are callbacks of a running crawl. Nil functions are skipped. They are
// called by several goroutines at once and must be quick.
type Events struct {
	// Exchanged is called after each HTTP exchange, once it is archived.
	Exchanged func(Exchanged)
	// Extracted receives the objects of a URL, once they are in the graph. They must not be changed or kept.
	Extracted func(url string, objects []extract.Object)
	// Warned receives warnings for the operator.
	Warned func(slog.Record)
	// Adapted receives the results of adaptation.
	Adapted func(Adapted)
	// Drained is called from one goroutine when no URL is left; [Engine.HoldEnd] keeps the crawl open for its results.
	Drained func()
}

// Reason says why Run returned.
type Reason string

// The reasons.
const (
	Drained     Reason = "drained"     // nothing is left to fetch
	Interrupted Reason = "interrupted" // the caller asked it to stop
	PageLimit   Reason = "page limit"
	ByteLimit   Reason = "size limit"
	TimeLimit   Reason = "time limit"
	DiskLimit   Reason = "disk limit"
	RankLimit   Reason = "rank covered"
	DomainLimit Reason = "domain limit" // what is left is in domains that are off or have used up their budget
)

// Engine runs one crawl.
type Engine struct {
	options  Options
	detector atomic.Pointer[detect.Detector]
	frontier Frontier
	fetcher  watched
	archiver Archiver
	events   Events

	widening sync.Mutex // of the scope, by redirected seeds
	outages  outages
	reporting
	adapting adapting
	assessor *assess.Assessor
	follower follower
	unvalued earlyLinks
	poison   poison

	renderings renderings
	totals
	spent spent

	unreadEarlier atomic.Int64 // records of earlier crawls
	asked         sync.Map     // APIs of sites that are asked for what pages missed

	stop struct {
		sync.Mutex
		reason   Reason
		handOut  context.CancelFunc // ends the handing out of leases
		exchange context.CancelFunc // breaks off what is under way
		grace    *time.Timer
	}
}

// totals are of this session and earlier ones.
type totals struct{ pages, bytes atomic.Int64 }

// New makes an engine over a detector, a frontier, a fetcher and an archiver.
func New(o Options, d *detect.Detector, f Frontier, c Fetcher, a Archiver, ev Events) (*Engine, error) {
	o, err := o.withDefaults()
	if err != nil {
		return nil, err
	}
	e := &Engine{options: o, frontier: f, fetcher: watched{c, o.Limits.Stall, new(downloads), o.Clock}, archiver: a, events: ev}
	e.adapting.Adaptation = o.Adaptation
	if o.Blind {
		e.adapting.Learner = nil
	}
	e.renderings.init()
	e.use(d)
	e.outages.first, e.outages.row, e.outages.patience = o.Pause, min(maxRow, o.MaxTries), o.Patience
	if e.assessor, err = assess.Open(o.Scoring, f, e.warn); err != nil {
		return nil, fmt.Errorf("scoring: %w", err)
	}
	e.follower.options, e.follower.types = &e.options, e.typ
	if e.assessor.On() {
		e.follower.lift = e.assessor.Lift
	}
	if !o.Blind {
		e.follower.ways = &ways.Learner{Reward: RewardOf(o.Targets != nil, e.assessor.On())}
	}
	if o.Reading != "" {
		if err := e.poison.open(o.Reading); err != nil {
			return nil, fmt.Errorf("reading the notes of pages in progress: %w", err)
		}
	}
	counters := f.Counters()
	e.follower.traps.Now, e.follower.traps.Via = o.Now, e.ledTo
	e.restoreTraps()
	if err := errors.Join(e.restoreWays(), e.restoreExamples()); err != nil {
		return nil, err
	}
	e.pages.Store(counters[countPages])
	e.bytes.Store(counters[countBytesIn])
	return e, e.restoreSeeds()
}

// Seed adds seed URLs to the frontier. Known URLs change
// nothing, so a resumed crawl may be seeded again.
func (e *Engine) Seed(ctx context.Context, seeds []*url.URL) error {
	var urls []frontier.URL
	for _, s := range seeds {
		urls = append(urls, frontier.URL{URL: s.String(), Key: e.follower.rules(s, e.typ(e.options.Force)).Key(s), Priority: prioritySeed,
			Seed: true})
	}
	if e.options.Agent == "" && e.options.Sitemaps == AllSitemaps { // no robots.txt leads to them
		for _, s := range seeds {
			urls = append(urls, e.sitemaps(leased{at: s}, nil)...)
		}
	}
	if _, err := e.frontier.Add(ctx, urls); err != nil {
		return fmt.Errorf("adding %d seeds: %w", len(seeds), err)
	}
	return nil
}

// Use makes all pages that are read from now on be read with another knowledge
// base, and with what this session learned besides. A page is read with one base
// from its first step to its last.
func (e *Engine) Use(d *detect.Detector) { e.use(d) }

// typ gives the type with an id in the knowledge base in use, or nil.
func (e *Engine) typ(id kb.TypeID) *kb.Type { return e.detector.Load().Base().Type(id) }

// Run crawls until nothing is left, a limit is reached, or graceful ends: then
// no new URL is started and URLs in flight are finished, after a limit within its
// grace. When ctx ends, exchanges are broken off; their URLs come again in the
// next session. The error is one that makes going on senseless: the archive or
// the frontier cannot be written. An engine runs once.
func (e *Engine) Run(ctx, graceful context.Context) (Reason, error) {
	defer e.poison.close()
	ctx, breakOff := context.WithCancel(ctx)
	defer breakOff()
	next, cancel := context.WithCancel(ctx)
	defer cancel()
	e.stop.Lock()
	e.stop.handOut, e.stop.exchange = cancel, breakOff
	if e.stop.reason != "" {
		cancel()
	}
	e.stop.Unlock()
	defer context.AfterFunc(graceful, func() { e.End(Interrupted) })()
	if t := e.options.Limits.Time; t > 0 {
		timer := time.AfterFunc(t, func() { e.End(TimeLimit) })
		defer timer.Stop()
	}
	e.checkLimits()
	last := lastTries{Engine: e}
	err := e.replay(ctx)
	for err == nil {
		if err = e.workers(ctx, next, cancel); err != nil || e.interrupted() {
			break
		}
		var more bool
		if more, err = last.search(next); err != nil || more {
			continue
		}
		was := e.inFamilies()
		if next.Err() == nil && e.events.Drained != nil {
			e.events.Drained()
		}
		// Nothing more will come that could confirm what still waits; it may lead on.
		if err = e.conclude(ctx); err != nil || next.Err() != nil || e.waiting() == 0 && e.inFamilies() <= was {
			break
		}
	}
	if errors.Is(err, errBrokenOff) {
		err = nil
	}
	stopped := e.stopped()
	left := e.frontier.Stats()
	switch {
	case IsDiskFull(err):
		return DiskLimit, err
	case err != nil:
		return "", err
	case left.Pending+left.Leased == 0 && left.PutOff == left.Held: // also when a limit was reached with the last URL
		return Drained, nil
	case stopped != "":
		return stopped, nil
	case left.Pending+left.Leased == left.Stopped:
		return DomainLimit, nil
	}
	return Interrupted, nil
}

// waiting counts the URLs that may still be fetched.
func (e *Engine) waiting() int {
	s := e.frontier.Stats()
	return s.Pending - s.Stopped
}

// inFamilies counts the URLs that are put off and may still be fetched, or are in domains that may not.
func (e *Engine) inFamilies() int {
	s := e.frontier.Stats()
	return s.PutOff - s.Held
}

// workers runs the workers until they have no more to do. There are some more than may ask at a time, so that reading an answer
// does not keep the next one from being asked for, and stand-ins for those whose exchange stalls.
func (e *Engine) workers(ctx, next context.Context, cancel context.CancelFunc) error {
	var group errgroup.Group
	workers := e.options.Workers
	at := &places{seats: make(chan struct{}, workers), stalled: make(chan struct{}, stalledMost*workers), next: next}
	at.standIn = func() {
		group.Go(func() error {
			err := e.work(ctx, at)
			if err != nil {
				cancel() // the others finish what they have
			}
			return err
		})
	}
	for range e.mostInWork() {
		at.standIn()
	}
	return group.Wait()
}

// IsDiskFull reports whether an error of the archive, of the frontier or of a file
// beside them means that the disk is full.
func IsDiskFull(err error) bool {
	var fe *frontier.Error
	return errors.Is(err, archive.ErrDiskFull) || errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) ||
		errors.As(err, &fe) && fe.Kind == frontier.Full
}

// End stops the handing out of leases, whether the engine runs already or not; the first reason given counts.
func (e *Engine) End(r Reason) {
	e.stop.Lock()
	defer e.stop.Unlock()
	if e.stop.reason != "" {
		return
	}
	e.stop.reason = r
	if e.stop.handOut == nil {
		return
	}
	e.stop.handOut()
	if r != Interrupted {
		e.stop.grace = time.AfterFunc(e.options.Limits.Grace, e.stop.exchange)
	}
}

// stopped gives the reason that end was given, "" for none.
func (e *Engine) stopped() Reason {
	e.stop.Lock()
	defer e.stop.Unlock()
	if e.stop.grace != nil {
		e.stop.grace.Stop()
	}
	return e.stop.reason
}

// interrupted reports whether the caller asked the crawl to stop: it will go on.
func (e *Engine) interrupted() bool {
	e.stop.Lock()
	defer e.stop.Unlock()
	return e.stop.reason == Interrupted
}

func (e *Engine) checkLimits() {
	l := e.options.Limits
	switch {
	case l.Pages > 0 && e.pages.Load() >= l.Pages:
		e.End(PageLimit)
	case l.Bytes > 0 && e.bytes.Load() >= l.Bytes:
		e.End(ByteLimit)
	case l.Rank != nil:
		if covered, _ := l.Rank.Covered(); covered >= l.RankShare {
			e.End(RankLimit)
		}
	}
}

// nearLimit reports whether what is in work may reach a limit.
func (e *Engine) nearLimit() bool {
	l, most := e.options.Limits, int64(e.mostInWork())
	return l.Pages > 0 && e.pages.Load()+most >= l.Pages || l.Bytes > 0 && e.bytes.Load()+most*fetch.MaxPage >= l.Bytes
}

// mostInWork is how many URLs are in work at a time: those that are asked for, and where there are several of these
// some that are being read, of which more than twice the processors do not make it faster.
func (e *Engine) mostInWork() int {
	asking := e.options.Workers
	return asking + min(asking-1, 2*runtime.GOMAXPROCS(0))
}

// work takes URLs through all steps until the frontier has no more for it, or a stand-in has its
// place.
func (e *Engine) work(ctx context.Context, at *places) error {
	for {
		if more, err := e.workOne(ctx, at); err != nil || !more {
			return err
		}
	}
}

// workOne takes one URL through all steps, and reports whether the worker is to go on. It holds a seat while it waits for the URL and
// asks for it.
func (e *Engine) workOne(ctx context.Context, at *places) (bool, error) {
	select {
	case at.seats <- struct{}{}:
	case <-at.next.Done():
		return false, nil
	}
	leave := sync.OnceFunc(func() { <-at.seats })
	defer leave()
	lease, err := e.frontier.Next(at.next)
	switch {
	case errors.Is(err, frontier.ErrDrained), err != nil && errors.Is(err, at.next.Err()):
		return false, nil
	case err != nil:
		return false, fmt.Errorf("taking a URL from the frontier: %w", err)
	}
	p := &place{places: at, leave: leave, stalling: func() { e.stalled(lease) }}
	err = e.settle(ctx, lease, p)
	if p.stood {
		<-at.stalled
	}
	return !p.stood, err
}

// settle turns one lease into one outcome: the only place where a lease ends. A
// lease that is not settled, because the archive failed or the crawl was broken
// off, comes again in the next session. The place is left when another URL may be asked for meanwhile.
func (e *Engine) settle(ctx context.Context, lease frontier.Lease, p *place) error {
	defer e.adapting.visits.begin()()
	at := leased{lease, parseURL(lease.URL.URL)}
	during := ctx // what is learned comes after the lease
	if shared, ok := e.frontier.(Shared); ok {
		held, release := shared.During(ctx, lease)
		defer release()
		during = held
	}
	during, p.abandon = context.WithCancel(context.WithValue(during, placeKey{}, p))
	defer p.abandon()
	end, err := e.visitSafely(during, at, p.leave)
	if err == nil {
		err = e.archiveFailure(at, end)
	}
	switch {
	case errors.Is(err, errBrokenOff):
		return nil
	case err != nil:
		return err
	}
	e.checkLimits() // before another worker can have the next URL of this host
	e.examples(at, &end.outcome)
	start := time.Now()
	err = e.frontier.Done(lease, end.outcome)
	e.spent[stepFrontier].Add(int64(time.Since(start)))
	switch {
	case errors.Is(err, frontier.ErrLost):
		e.warn("the lease ended before the page was settled: another node fetches the URL again", "url", lease.URL.URL, "error", err)
		return nil
	case err != nil:
		return fmt.Errorf("acknowledging %s: %w", lease.URL.URL, err)
	}
	if err := e.learn(ctx, end.lesson); err != nil && !errors.Is(err, errBrokenOff) {
		return err
	}
	return nil
}

// visitSafely keeps a page that makes a step panic from ending the crawl. It is tried again, since the page may have had no part in it.
func (e *Engine) visitSafely(ctx context.Context, lease leased, answered func()) (end settled, err error) {
	defer func() {
		if p := recover(); p != nil {
			e.warn("internal error on a URL; it is retried or fails", "url", lease.URL.URL, "panic", fmt.Sprint(p))
			end, err = settled{outcome: e.tryAgain(lease, "panic", fmt.Sprint(p))}, nil
		}
	}()
	return e.visit(ctx, lease, answered)
}

func (e *Engine) warn(msg string, args ...any) {
	if e.events.Warned == nil {
		return
	}
	r := slog.NewRecord(e.options.Now(), slog.LevelWarn, msg, 0)
	r.Add(args...)
	e.events.Warned(r)
}
