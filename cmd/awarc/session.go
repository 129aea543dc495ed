package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/awarc/awarc/engine"
	"github.com/awarc/awarc/engine/archive"
	"github.com/awarc/awarc/engine/detect"
	"github.com/awarc/awarc/engine/fetch"
	"github.com/awarc/awarc/frontier"
	"github.com/awarc/awarc/kb"
	"github.com/awarc/awarc/plugins"
)

// settings are what a crawl was started with; resume goes on with them.
type settings struct {
	Flags   crawlFlags
	Seeds   []string
	CrawlID string
	Started time.Time

	logins []string // seeds with a user and a password; they have a file of their own
}

// settingsFile is where a crawl's settings are, below its folder.
const settingsFile = "state/settings.json"

// metaSpent names the seconds spent in earlier sessions, in the frontier.
const metaSpent = "seconds spent"

// checkpointEvery is how often report.json is renewed.
const checkpointEvery = 15 * time.Second

// session is one run over a crawl directory: the only place that puts the parts
// of a crawl together.
type session struct {
	dir       string
	settings  settings
	streams   streams
	rules     rules
	frontier  *frontier.Frontier
	archive   *archive.Writer
	fetcher   *fetch.Client
	engine    *engine.Engine
	log       *crawlLog
	adapted   *crawlLog
	topic     *topic       // nil: none
	plugins   *plugins.Set // nil: none
	pluginLog *crawlLog
	learned   learnedEntries
	scope     *engine.Scope
	scopeData []byte                   // of the scope file, as it was at the start
	domains   map[string]frontier.Rule // of the file, as last applied
	token     string                   // of the API; never on disk
	progress  *progress
	pool      *pool            // nil: the crawl is alone
	member    *frontier.Member // of the pool; nil without one
	began     time.Time
	spent     float64  // seconds of earlier sessions
	damage    []string // of the archive, found in this session and in earlier ones
	faults    int64    // finished files of the archive that are missing or have changed
}

// newCrawl makes a crawl directory and opens it.
func newCrawl(dir string, set settings, t *topic, s streams, p *pool) (*session, error) {
	if err := claimDir(dir, set, t); err != nil {
		return nil, statusOfDisk(err)
	}
	return openCrawl(dir, s, p)
}

// statusOfDisk gives an error that a full disk caused the exit status of a limit.
func statusOfDisk(err error) error {
	if engine.IsDiskFull(err) {
		return &statusError{exitLimit, err}
	}
	return err
}

// retryAfter is the wait before the second try of a URL; it doubles.
const retryAfter = 5 * time.Second

// openCrawl opens the crawl in a directory, mending what a killed session left.
func openCrawl(dir string, s streams, p *pool) (*session, error) {
	x := &session{dir: dir, streams: s, pool: p}
	var err error
	if x.settings, err = readSettings(dir); err != nil {
		return nil, err
	}
	if err := x.open(); err != nil {
		return nil, statusOfDisk(errors.Join(err, x.close()))
	}
	return x, nil
}

// setLimits replaces limits of the crawl, for this session and those after it.
func (x *session) setLimits(change func(*crawlFlags)) error {
	change(&x.settings.Flags)
	if err := writeSettings(filepath.Join(x.dir, settingsFile), x.settings); err != nil {
		return err
	}
	return x.assemble(x.settings.Flags)
}

func (x *session) open() (err error) {
	flags := x.settings.Flags
	if flags.adapts() {
		if err := os.MkdirAll(x.store().Learned, 0o755); err != nil {
			return err
		}
	}
	base, err := x.store().Load()
	if err != nil {
		return err
	}
	x.rules.set(base)
	options, err := flags.frontierOptions(frontier.Options{
		Delay: flags.Delay, IPDelay: flags.Delay, DomainDelay: flags.Delay, MaxTries: flags.MaxTries, Backoff: retryAfter,
		BeforeCommit: func() error { return x.archive.Sync() },
		PutOffShare:  flags.TrapShare, PutOffLimit: flags.TrapLimit,
		MinSpace: int64(flags.MinSpace) / 2, // what is under way when the archive stops can be settled
	})
	if err != nil {
		return err
	}
	options.MustExist = x.begun()
	if x.frontier, err = frontier.Open(filepath.Join(x.dir, "state"), options); err != nil {
		return err
	}
	x.sweep()
	_ = json.Unmarshal(x.frontier.Meta(metaSpent), &x.spent) // absent in a first session
	fetching := flags.fetchOptions(filepath.Join(x.dir, "state"))
	if fetching.Logins, err = readLogins(x.dir); err != nil {
		return err
	}
	if fetching.Guard, err = flags.guard(x.settings.Seeds, x.frontier); err != nil {
		return err
	}
	if x.pool != nil {
		x.member, fetching.Gate = x.pool.shared.Join(x.frontier), &x.pool.gate
	}
	if x.fetcher, err = fetch.New(fetching); err != nil {
		return err
	}
	if x.archive, err = archive.Open(x.dir, flags.archiveOptions(x.settings, x.fetcher.UserAgent())); err != nil {
		return err
	}
	x.progress = newProgress(x.streams.err)
	logs := filepath.Join(x.dir, "log")
	if x.log, err = openLog(logs, "crawl.jsonl"); err != nil {
		return err
	}
	if err := errors.Join(x.verify(), x.putBack()); err != nil {
		return err
	}
	if flags.adapts() {
		if x.adapted, err = openLog(logs, "adaptation.jsonl"); err != nil {
			return err
		}
	}
	if x.topic, err = keptTopic(x.dir, flags); err != nil {
		return err
	}
	if len(flags.Plugin) > 0 {
		if x.pluginLog, err = openLog(logs, "plugins.jsonl"); err != nil {
			return err
		}
		if x.plugins, err = flags.openPlugins(context.Background(), x.topic, x.settings, x.pluginEvents()); err != nil {
			return fmt.Errorf("a plugin of the crawl cannot be used; put back the file that it was started with: %w", err)
		}
	}
	return x.assemble(flags)
}

// assemble puts the engine together.
func (x *session) assemble(flags crawlFlags) error {
	seeds, err := parseSeeds(x.settings.Seeds)
	if err != nil {
		return err
	}
	if x.scopeData, err = readScope(flags.Scope); err != nil {
		return usageError("--scope: %v", err)
	}
	if x.scope, err = flags.scope(seeds, x.scopeData); err != nil {
		return err
	}
	o := engine.Options{
		Scope: x.scope, Workers: flags.Workers, Blind: flags.Blind, Optional: flags.Optional, Requisites: flags.Requisites, Speculative: flags.Speculative,
		Sitemaps: flags.Sitemaps, Agent: fetch.ProductToken(userAgent(flags)),
		MaxTries: flags.MaxTries, NoTraps: flags.NoTraps, CrawlID: x.settings.CrawlID, Reading: filepath.Join(x.dir, "state", "reading"),
		Limits: engine.Limits{Pages: flags.Limit, Bytes: int64(flags.SizeLimit), Time: flags.TimeLimit},
	}
	if flags.IgnoreRobots {
		o.Agent = ""
	}
	o.Scoring = flags.scoring(x.topic, x.settings.Seeds)
	o.Scoring.Plugins = x.plugins
	if flags.adapts() {
		if o.Adaptation, err = x.adaptation(); err != nil {
			return err
		}
	}
	if flags.Type != "" {
		if o.Force = kb.TypeID(flags.Type); x.rules.get().Type(o.Force) == nil {
			return usageError("--type %q is not in the knowledge base; see awarc kb list", flags.Type)
		}
	}
	events := engine.Events{
		Exchanged: func(e engine.Exchanged) {
			x.log.write(e)
			x.progress.exchanged(e)
		},
		Warned:  func(r slog.Record) { x.progress.warn(r) },
		Adapted: x.tellAdapted,
	}
	var queue engine.Frontier = x.frontier
	if x.member != nil {
		queue = x.member
	}
	x.engine, err = engine.New(o, detect.New(x.rules.get()), queue, x.fetcher, x.archive, events)
	if err != nil {
		return err
	}
	return x.engine.Seed(context.Background(), seeds)
}

// run crawls until the end of the session and returns its exit status. A crawl
// that was finished before stays as it is.
func (x *session) run(ctx, graceful context.Context) (int, error) {
	x.began = time.Now()
	if r := x.finished(); r != nil {
		x.progress.note("the crawl was finished before; nothing is left to fetch")
		switch {
		case r.Exit == exitFailed:
			return r.Exit, x.seedsFailed()
		case r.Exit == exitDone && x.faults > 0:
			return exitWithFaults, nil
		}
		return r.Exit, nil
	}
	if err := x.checkpoint(); err != nil {
		return x.status("", err), err
	}
	if err := x.applyDomains(ctx); err != nil {
		return exitUsage, err
	}
	done := make(chan struct{})
	var background sync.WaitGroup
	watching, stopWatching := context.WithCancel(ctx)
	defer stopWatching()
	background.Go(func() { x.reload(watching) })
	background.Go(func() { x.checkpoints(done) })
	background.Go(func() { x.watchDomains(watching) })
	background.Go(func() { x.watchScope(watching) })
	stopAPI, err := x.serveAPI()
	if err != nil {
		close(done)
		stopWatching()
		background.Wait()
		return exitUsage, err
	}
	defer stopAPI()
	background.Go(func() {
		x.progress.run(done, func() (frontier.Stats, map[string]int64, int) {
			return x.frontier.Stats(), x.frontier.Counters(), x.engine.Saved()
		})
	})
	reason, err := x.engine.Run(ctx, graceful)
	if x.member != nil {
		x.member.Leave()
	}
	close(done)
	stopWatching()
	background.Wait()
	x.saveSpent() // while a commit can still make the archive durable
	status := x.status(reason, err)
	for _, log := range []*crawlLog{x.log, x.adapted, x.pluginLog} {
		if log == nil {
			continue
		}
		if cerr := log.Close(); cerr != nil {
			err = errors.Join(err, cerr)
			status = max(status, exitFailed)
		}
	}
	if cerr := x.archive.Close(); cerr != nil {
		err = errors.Join(err, fmt.Errorf("closing the archive: %w", cerr))
		status = max(status, exitFailed)
	}
	if reason == engine.Drained && status == exitFailed && err == nil {
		err = x.seedsFailed()
	}
	report := x.report(reason, status)
	if werr := report.Write(filepath.Join(x.dir, "report.json")); werr != nil {
		err = errors.Join(err, werr)
	}
	return status, err
}

// finished gives the report of a crawl with nothing left to fetch, when it was
// written at its end.
func (x *session) finished() *engine.Report {
	if s := x.frontier.Stats(); s.Pending+s.Leased+s.PutOff-s.Held > 0 {
		return nil
	}
	r, err := engine.ReadReport(filepath.Join(x.dir, "report.json"))
	if err != nil || !r.Finished {
		return nil
	}
	return r
}

// status turns the end of a crawl into an exit status.
func (x *session) status(reason engine.Reason, err error) int {
	counters := x.frontier.Counters()
	switch {
	case reason == engine.DiskLimit || engine.IsDiskFull(err):
		return exitLimit
	case err != nil:
		return exitFailed
	case reason == engine.Interrupted:
		return exitInterrupted
	case reason != engine.Drained:
		return exitLimit
	case engine.SeedsAnswered(counters) == 0:
		return exitFailed
	}
	if len(x.report(reason, 0).Errors) > 0 || x.frontier.Stats().PutOff > 0 {
		return exitWithFaults
	}
	return exitDone
}

// seedsFailed says why no seed was archived.
func (x *session) seedsFailed() error {
	var why []string
	note := func(e frontier.Entry) error {
		if e.Seed && len(why) < 10 {
			why = append(why, e.URL.URL+": "+e.Reason)
		}
		return nil
	}
	for _, state := range []frontier.State{frontier.Failed, frontier.Excluded, frontier.Fetched} {
		if err := x.frontier.Each(state, note); err != nil {
			return err
		}
	}
	return fmt.Errorf("no seed was answered with success:\n  %s", strings.Join(why, "\n  "))
}

func (x *session) report(reason engine.Reason, status int) *engine.Report {
	now := time.Now()
	r := &engine.Report{
		Started: x.settings.Started, Ended: now.UTC().Truncate(time.Millisecond), Duration: x.spent + now.Sub(x.began).Seconds(),
		Finished: reason == engine.Drained, Exit: status, Seeds: x.settings.Seeds, KB: engine.KBReport{Version: kb.Version, Hash: x.rules.get().Hash},
		WARCBytes: warcBytes(x.dir),
	}
	if reason != engine.Drained {
		r.Stopped = string(reason)
	}
	r.FillCounts(x.frontier.Counters(), x.frontier.Stats())
	if err := r.FillTraps(x.frontier.Counters(), x.frontier); err != nil {
		x.progress.note(err.Error())
	}
	r.Damage = x.damage
	if x.faults > 0 {
		r.Errors["archive_file"] = x.faults
	}
	if x.engine != nil {
		r.Learned = x.engine.Learned()
	}
	return r
}

// warcBytes is the size of all WARC files of a crawl.
func warcBytes(dir string) int64 {
	files, _ := filepath.Glob(filepath.Join(dir, "archive", "*.warc.gz*")) // the pattern is well-formed
	var n int64
	for _, f := range files {
		if info, err := os.Stat(f); err == nil && !strings.Contains(f, ".gz.damaged") {
			n += info.Size()
		}
	}
	return n
}

func (x *session) saveSpent() {
	data, _ := json.Marshal(x.spent + time.Since(x.began).Seconds()) // a number
	if err := x.frontier.PutMeta(metaSpent, data); err != nil {
		x.progress.note("the time spent could not be saved: " + err.Error())
	}
}

// checkpoints renews report.json until done is closed.
func (x *session) checkpoints(done <-chan struct{}) {
	tick := time.NewTicker(checkpointEvery)
	defer tick.Stop()
	for {
		select {
		case <-done:
			return
		case <-tick.C:
			x.saveSpent()
			if err := x.checkpoint(); err != nil {
				x.progress.note(err.Error())
			}
		}
	}
}

// checkpoint renews report.json.
func (x *session) checkpoint() error {
	return x.report("running", 0).Write(filepath.Join(x.dir, "report.json"))
}

// close gives back what is open. It is safe on a half-opened session.
func (x *session) close() error {
	var errs []error
	if x.fetcher != nil {
		x.fetcher.Close()
	}
	if x.plugins != nil {
		errs = append(errs, x.plugins.Close()) // it may still log
	}
	for _, log := range []*crawlLog{x.log, x.adapted, x.pluginLog} {
		if log != nil {
			errs = append(errs, log.Close())
		}
	}
	_ = os.Remove(filepath.Join(x.dir, learnedFolder))               // where nothing was learned
	_ = os.Remove(filepath.Dir(filepath.Join(x.dir, learnedFolder))) // likewise
	if x.archive != nil {
		if err := x.archive.Close(); !errors.Is(err, archive.ErrClosed) {
			errs = append(errs, err)
		}
	}
	if x.frontier != nil {
		errs = append(errs, x.frontier.Close())
	}
	return errors.Join(errs...)
}

// parseSeeds makes seeds absolute; a seed without a scheme is taken as http, as
// browsers and wget do.
func parseSeeds(texts []string) ([]*url.URL, error) {
	var seeds []*url.URL
	for _, t := range texts {
		u, err := engine.SeedURL(t)
		if err != nil {
			return nil, usageError("seed %q: %v", t, err)
		}
		seeds = append(seeds, u)
	}
	return seeds, nil
}

func newCrawlID() string { return archive.NewID() }
