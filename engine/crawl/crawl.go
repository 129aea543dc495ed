package crawl

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/awarc/awarc/engine"
	"github.com/awarc/awarc/engine/archive"
	"github.com/awarc/awarc/engine/browser"
	"github.com/awarc/awarc/engine/fetch"
	"github.com/awarc/awarc/engine/rankmass"
	"github.com/awarc/awarc/frontier"
	"github.com/awarc/awarc/frontier/cluster"
	"github.com/awarc/awarc/plugins"
)

// metaSpent names the seconds spent in earlier sessions, in the frontier.
const metaSpent = "seconds spent"

// checkpointEvery is how often report.json is renewed.
const checkpointEvery = 15 * time.Second

// Crawl is a session over the folder of a crawl: the only place that puts the parts of a crawl together. Its methods may be
// called while [Crawl.Run] runs, but for Close.
type Crawl struct {
	dir       string
	settings  Settings
	software  string
	passwords secrets // of the crawl
	events    Events
	parts
	logs
	scopeData []byte                   // of the scope file, as it was at the start
	domains   map[string]frontier.Rule // of the file, as last applied
	pool      *Pool                    // nil: the crawl is alone
	member    *frontier.Member         // of the pool; nil without one
	stopping  context.Context          // ends with stop
	stop      context.CancelFunc
	began     time.Time
	spent     float64      // seconds of earlier sessions
	damage    []string     // of the archive, found in this session and in earlier ones
	faults    int64        // finished files of the archive that are missing or have changed
	made      atomic.Int64 // exchanges of this session
	activity  activity
	final     atomic.Pointer[engine.Report]
}

// parts are what a crawl is put together from.
type parts struct {
	rules    rules
	frontier queue
	shared   *cluster.Store // the same, if other nodes take from it, too; else nil
	lock     io.Closer      // of the folder, which the file of a frontier is otherwise
	archive  *archive.Writer
	requesting
	watch   *watching // nil: the crawl is not a watch
	engine  *engine.Engine
	topic   *topic       // nil: none
	plugins *plugins.Set // nil: none
	learned learnedEntries
	scope   *engine.Scope
	lookups lookups
	edited  editedPages
	drafts  drafts

	evidence    evidence // of the nodes
	contents    sharedContents
	nodePlugins *nodePlugins // nil: none, or the crawl is of one machine
}

// requesting makes the requests of a crawl.
type requesting struct {
	fetcher  *fetch.Client
	signedIn *signedIn          // nil: the crawl does not log in
	browser  *browser.Browser   // nil: no page is rendered
	cookies  []fetch.FileCookie // of the user's file
}

// logs are the files of DIR/log.
type logs struct {
	rank      *rankmass.Mass // nil: not computed
	log       *crawlLog
	adapted   *crawlLog
	pluginLog *pluginLog
	avoided   *os.File // in DIR/state
	texts     *os.File // likewise
}

// Pool is what crawls in one process share: how many URLs are fetched at a time, and the politeness towards hosts, addresses
// and domains that they have in common.
type Pool struct {
	shared *frontier.Shared
	gate   fetch.Gate
}

// NewPool makes a pool of crawls that have so many URLs in work at a time, all together.
func NewPool(atOnce int) *Pool { return &Pool{shared: frontier.NewShared(atOnce)} }

// New begins a crawl in a folder that is absent or empty. Where the options cannot be it changes nothing and returns an
// [*OptionsError] with all complaints.
func New(dir string, o Options) (*Crawl, error) {
	p, err := plan(dir, o)
	if err != nil {
		return nil, err
	}
	if o.Contact == "" {
		o.Events.filled().Noted("no %s: site owners cannot reach you about this crawl", option("Contact"))
	}
	if err := claimDir(dir, p); err != nil {
		return nil, err
	}
	c, err := Resume(dir, ResumeOptions{Software: o.Software, FrontierPassword: o.FrontierPassword, Pool: o.Pool, Events: o.Events})
	if err != nil || o.joins {
		return c, err
	}
	if err := c.samePlugins(); err != nil {
		return nil, errors.Join(err, c.Close())
	}
	return c, nil
}

// ResumeOptions are the options of a resumed session.
type ResumeOptions struct {
	Changes
	Traps bool // fetch the deferred URLs of suspected traps
	// Failed retries all failed URLs, with all tries.
	Failed bool
	GoOn   bool // let a crawl of several nodes that was stopped as a whole go on, on all of them

	FrontierPassword string // as in [Nodes]

	Software string // as in [Options]
	Pool     *Pool
	Events   Events
}

// Resume opens the crawl in a folder to go on with it, mending what a killed session left. Changes that cannot be change nothing.
func Resume(dir string, o ResumeOptions) (*Crawl, error) {
	c := &Crawl{dir: dir, software: o.Software, pool: o.Pool, events: o.Events.filled(), began: time.Now()}
	c.edited.more, c.drafts.more = make(chan struct{}, 1), make(chan struct{}, 1)
	c.stopping, c.stop = context.WithCancel(context.Background())
	if err := c.takeOver(o); err != nil {
		return nil, err
	}
	if err := c.begin(o); err != nil {
		return nil, errors.Join(err, c.Close())
	}
	return c, nil
}

// takeOver reads what the crawl was begun with, and changes it for this session.
func (c *Crawl) takeOver(o ResumeOptions) (err error) {
	if c.settings, err = ReadSettings(c.dir); err != nil {
		return err
	}
	c.settings.Flags.Software = o.Software
	if c.passwords, err = readLogins(c.dir); err != nil {
		return err
	}
	c.passwords.frontier = o.FrontierPassword
	if err := c.hide(); err != nil {
		return err
	}
	if err := o.apply(&c.settings, &c.passwords); err != nil {
		return err
	}
	if o.change("Cookies", "Login") {
		return c.forgetClient()
	}
	return nil
}

// begin opens the crawl and does what the session is to do differently.
func (c *Crawl) begin(o ResumeOptions) error {
	if err := c.open(); err != nil {
		return err
	}
	if c.signedIn != nil && o.change("Cookies", "Login") {
		c.signedIn.entered = entered{}
	}
	if err := c.keepChanges(o.Changes); err != nil {
		return err
	}
	if c.shared != nil {
		if err := c.goOn(o); err != nil {
			return err
		}
	}
	traps := o.Traps || o.change("NoTraps") && o.Options.NoTraps
	if traps {
		if err := c.frontier.Reopen(); err != nil {
			return err
		}
	}
	var robotsSince time.Time
	if o.Failed {
		robotsSince = c.began
		if err := c.requestFailed(); err != nil {
			return err
		}
	}
	if traps || o.Failed {
		return c.assemble(robotsSince) // the engine is made anew, to know of it
	}
	return nil
}

func (c *Crawl) open() (err error) {
	flags := c.settings.Flags
	if flags.adapts() || flags.Draft {
		if err := os.MkdirAll(c.store().Learned, 0o755); err != nil {
			return err
		}
	}
	base, err := c.store().Load()
	if err != nil {
		return err
	}
	c.rules.set(base)
	if err := c.openFrontier(); err != nil {
		return err
	}
	c.sweep()
	_ = json.Unmarshal(c.frontier.Meta(metaSpent), &c.spent) // absent in a first session
	if err := c.openFetcher(); err != nil {
		return err
	}
	if flags.adapts() {
		if c.adapted, err = c.openLog("adaptation.jsonl"); err != nil {
			return err
		}
	}
	if c.topic, err = keptTopic(c.dir, flags); err != nil {
		return err
	}
	if len(flags.Plugin) > 0 {
		if c.pluginLog, err = openPluginLog(filepath.Join(c.dir, "log"), maxPluginLog); err != nil {
			return err
		}
		if err := c.sharePlugins(c.stopping); err != nil {
			return err
		}
		files := c.settings.PluginFiles(c.dir)
		if c.plugins, err = c.openPlugins(files, c.pluginEvents()); err != nil {
			return fmt.Errorf("a plugin of the crawl cannot be used; restore the file that it was started with: %w", err)
		}
	}
	archived := flags.archiveOptions()
	archived.Prefix, archived.Info = c.settings.filePrefix(), c.archiveInfo()
	if c.archive, err = archive.Open(c.dir, archived); err != nil {
		return err
	}
	if c.log, err = c.openLog("crawl.jsonl"); err != nil {
		return err
	}
	if err := errors.Join(c.verify(), c.putBack()); err != nil {
		return err
	}
	c.noteEarlier()
	return c.assemble(time.Time{})
}

// openFetcher makes the client, with the passwords of the seeds and the guard of the crawl's addresses.
func (c *Crawl) openFetcher() (err error) {
	o := c.settings.Flags.fetchOptions(filepath.Join(c.dir, "state"))
	o.State = filepath.Join(c.dir, clientFile)
	c.passwords.into(&o)
	if o.Guard, err = c.settings.Flags.guard(c.settings.Seeds, c.frontier); err != nil {
		return err
	}
	if own, alone := c.frontier.(*frontier.Frontier); alone && c.pool != nil {
		c.member, o.Gate = c.pool.shared.Join(own), &c.pool.gate
	}
	o.Resolved = c.resolved
	if c.fetcher, err = fetch.New(o); err != nil {
		return err
	}
	if c.settings.Flags.Cookies != "" {
		c.noteCookies(c.fetcher.FileCookies())
	}
	if c.settings.Flags.Login == "" {
		return nil
	}
	if c.signedIn, err = newSignedIn(c.settings.Flags.Login, c.fetcher, c.events.Warned); err == nil {
		c.signedIn.count, c.signedIn.keep = c.countRequests, c.keepEntered
		_ = json.Unmarshal(c.frontier.Meta(metaEntered), &c.signedIn.entered) // absent in a first session
	}
	return err
}

// Run crawls until nothing is left, a limit is reached, or Stop is called, and writes the report. When ctx ends, exchanges are
// broken off; their URLs come again in the next session. The status says how it ended; the error is one that made going on
// senseless, or says why no seed was archived. A crawl that was finished before stays as it is. A session runs once.
func (c *Crawl) Run(ctx context.Context) (Status, error) {
	if r := c.finished(); r != nil && c.watch == nil {
		c.final.Store(r)
		c.note("the crawl is already finished; no URL is left")
		switch status := Status(r.Exit); {
		case status == Failed:
			return status, c.seedsFailed()
		case status == Done && c.faults > 0:
			return WithFaults, nil
		default:
			return status, nil
		}
	}
	if err := c.checkpoint(); err != nil {
		return c.refused(err)
	}
	if err := c.applyDomains(ctx); err != nil {
		return c.refused(err)
	}
	graceful, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(c.stopping, cancel)()
	if c.watch != nil {
		c.watch.stopping = graceful
	}
	if err := c.signIn(graceful); err != nil {
		return c.refused(err)
	}
	if err := c.recallPages(); err != nil {
		return c.refused(err)
	}
	stopFollowing := c.followFiles(ctx)
	if err := c.events.Started(); err != nil {
		stopFollowing()
		return c.refused(err)
	}
	c.tellBegin()
	reason, err := c.engine.Run(ctx, graceful)
	if c.member != nil {
		c.member.Leave()
	}
	stopFollowing()
	c.saveSession() // while a commit can still make the archive durable
	status, err := c.finish(reason, err)
	c.endIndex(ctx, reason)
	return status, err
}

// drained is called when no URL is left.
func (c *Crawl) drained() {
	c.lastDrafts()
	if c.watch != nil {
		c.watch.sessions(c)
	}
}

// signIn logs in before anything is requested. Where ctx ends meanwhile, the session ends without a URL,
// and not as one that failed.
func (c *Crawl) signIn(ctx context.Context) error {
	if c.signedIn == nil {
		return nil
	}
	switch err := c.signedIn.first(ctx); {
	case err != nil && ctx.Err() != nil:
		c.engine.Stop()
	case err != nil:
		return fmt.Errorf("logging in: %w", err)
	}
	return nil
}

// followFiles takes over edits of files and renews the report and the index until the function that it returns is called.
func (c *Crawl) followFiles(ctx context.Context) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	done := make(chan struct{})
	var following sync.WaitGroup
	following.Go(func() { c.reload(ctx) })
	c.recallEdited()
	following.Go(func() { c.readEdited(ctx) })
	if todo := c.toFollow(); todo.From < todo.To {
		release := c.engine.HoldEnd() // before the crawl can end for want of URLs
		following.Go(func() {
			defer release()
			c.followAgain(ctx, todo)
		})
	}
	following.Go(func() { c.draft(ctx) })
	following.Go(func() { c.checkpoints(done) })
	following.Go(func() { c.watchDomains(ctx) })
	following.Go(func() { c.watchScope(ctx) })
	following.Go(func() { c.keepIndex(ctx) })
	following.Go(func() { c.followNodes(ctx) })
	following.Go(func() { c.shareLearning(ctx) })
	following.Go(func() { c.followPlugins(ctx) })
	following.Go(func() { c.shareTraps(ctx) })
	following.Go(func() { c.present(ctx) })
	following.Go(func() { c.shareEvidence(ctx) })
	return func() {
		close(done)
		cancel()
		following.Wait()
	}
}

// refused reports a session that an error ended before it requested a page.
func (c *Crawl) refused(err error) (Status, error) {
	reason := engine.Reason("")
	if engine.IsDiskFull(err) {
		reason = engine.DiskLimit
	}
	return c.conclude(c.report(reason, err), reason, err)
}

// conclude writes the last report of a session.
func (c *Crawl) conclude(r *engine.Report, reason engine.Reason, err error) (Status, error) {
	werr := r.Write(c.reportFile())
	if werr != nil && r.Exit == int(Done) {
		c.judge(r, reason, werr)
	}
	c.final.Store(r)
	return Status(r.Exit), errors.Join(err, werr)
}

// finish closes the files of the session and writes the report.
func (c *Crawl) finish(reason engine.Reason, err error) (Status, error) {
	c.respectFiles()
	closing := c.closeLogs()
	if derr := c.describe(); derr != nil {
		c.note("the archive is complete, but its knowledge base could not be added: %v", derr)
	}
	if cerr := c.archive.Close(); cerr != nil {
		closing = errors.Join(closing, fmt.Errorf("closing the archive: %w", cerr))
	}
	c.tellEnd(reason)
	report := c.report(reason, err)
	if reason == engine.Drained && err == nil && closing == nil {
		if report.Outcomes, err = c.outcomes(); err != nil {
			err = fmt.Errorf("counting the outcomes of URLs: %w", err)
		} else {
			if report.Outcomes.Lost > 0 {
				c.reportLost(report)
			}
			err = report.FillSeeds(report.Outcomes, c.frontier)
		}
		if c.toFollow().encode() != nil {
			report.AddFault("unfollowed", 1)
		}
		c.judge(report, reason, err)
	}
	if reason == engine.Drained && err == nil && report.Verdict.State == engine.VerdictFailed {
		err = c.seedsFailed()
	}
	if closing != nil && report.Exit == int(Done) { // otherwise the damage is counted already
		c.judge(report, reason, closing)
	}
	return c.conclude(report, reason, errors.Join(err, closing))
}

// reportLost counts URLs that have no outcome as a fault, and names some.
func (c *Crawl) reportLost(r *engine.Report) {
	var named []string
	for _, u := range r.Outcomes.Named.Lost[:min(len(r.Outcomes.Named.Lost), lostNamed)] {
		named = append(named, u.URL)
	}
	c.note("internal error: %d of %d URLs have no outcome (please report it); report.json names them: %s",
		r.Outcomes.Lost, r.Outcomes.Found, strings.Join(named, ", "))
	r.AddFault("lost", int64(r.Outcomes.Lost))
	if len(named) > 0 {
		r.Examples["lost"] = named[0]
	}
}

// Stop ends the session on this node gracefully: no new URL is started, and URLs in flight are finished. Run then returns. It may be
// called at any time, and again.
func (c *Crawl) Stop() {
	c.stop()
	c.engine.Stop()
	if c.shared == nil {
		c.frontier.Pause(false) // nobody is to wait in it
	}
}

// closeLogs closes the logs, or does nothing if they are closed.
func (c *Crawl) closeLogs() error {
	var errs []error
	for _, log := range []*crawlLog{c.log, c.adapted} {
		if log != nil {
			errs = append(errs, log.Close())
		}
	}
	if c.pluginLog != nil {
		errs = append(errs, c.pluginLog.Close())
	}
	return errors.Join(errs...)
}

// Close gives back what is open. It is called once Run has returned, or instead of it.
func (c *Crawl) Close() error {
	c.stop()
	var errs []error
	if c.fetcher != nil {
		c.fetcher.Close()
	}
	if c.browser != nil {
		errs = append(errs, c.browser.Close())
	}
	if c.plugins != nil {
		errs = append(errs, c.plugins.Close()) // it may still log
	}
	errs = append(errs, c.closeLogs())
	_ = os.Remove(filepath.Join(c.dir, LearnedFolder))               // where nothing was learned
	_ = os.Remove(filepath.Dir(filepath.Join(c.dir, LearnedFolder))) // likewise
	if c.archive != nil {
		if err := c.archive.Close(); !errors.Is(err, archive.ErrClosed) {
			errs = append(errs, err)
		}
	}
	errs = append(errs, c.closeAvoided())
	if c.rank != nil {
		errs = append(errs, c.rank.Close())
	}
	if c.texts != nil {
		errs = append(errs, c.texts.Close())
	}
	if c.frontier != nil {
		errs = append(errs, c.frontier.Close())
	}
	if c.lock != nil {
		errs = append(errs, c.lock.Close())
	}
	return errors.Join(errs...)
}
