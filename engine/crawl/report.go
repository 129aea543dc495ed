package crawl

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/awarc/awarc/engine"
	"github.com/awarc/awarc/engine/archive"
	"github.com/awarc/awarc/engine/rankmass"
	"github.com/awarc/awarc/frontier"
	"github.com/awarc/awarc/kb"
)

// Status says how a session ended. It is the number that the report keeps, and with which awarc exits.
type Status int

// How sessions end.
const (
	Done         Status = 0   // nothing is left
	Failed       Status = 1   // no seed was archived, or going on made no sense
	WithFaults   Status = 3   // no URL is left, but some failed or were deferred
	LimitReached Status = 4   // of pages, bytes, time or disk space
	Interrupted  Status = 130 // by Stop
)

// Report is what came of the crawl so far, and of a session that has ended the report that it wrote.
func (c *Crawl) Report() *engine.Report {
	if r := c.final.Load(); r != nil {
		return r
	}
	return c.report(Running, nil)
}

func (c *Crawl) reportFile() string { return filepath.Join(c.dir, "report.json") }

// finished gives the report of a crawl with nothing left to fetch, when it was
// written at its end.
func (c *Crawl) finished() *engine.Report {
	if s := c.frontier.Stats(); s.Pending+s.Leased+s.PutOff-s.Held > 0 || c.toFollow().encode() != nil {
		return nil
	}
	r, err := engine.ReadReport(c.reportFile())
	if err != nil || !r.Finished {
		return nil
	}
	return r
}

// judge sets the verdict of a report and the exit status that follows from it.
func (c *Crawl) judge(r *engine.Report, reason engine.Reason, err error) {
	full := reason == engine.DiskLimit || engine.IsDiskFull(err)
	if full {
		err = nil
		r.Finished, r.Stopped = false, string(engine.DiskLimit) // also if all was fetched: a file is not whole
	}
	r.Judge(c.dir, err)
	r.Exit = int(func() Status {
		switch {
		case full:
			return LimitReached
		case err != nil:
			return Failed
		case reason == engine.Interrupted || reason == Running:
			return Interrupted
		case reason != engine.Drained:
			return LimitReached
		case r.Verdict.State == engine.VerdictFailed:
			return Failed
		case r.Verdict.State == engine.VerdictIncomplete:
			return WithFaults
		}
		return Done
	}())
}

// seedsFailed says why no seed was archived.
func (c *Crawl) seedsFailed() error {
	var why []string
	note := func(e frontier.Entry) error {
		if e.Seed && len(why) < 10 {
			why = append(why, e.URL.URL+": "+e.Reason)
		}
		return nil
	}
	for _, state := range []frontier.State{frontier.Failed, frontier.Excluded, frontier.Fetched} {
		if err := c.frontier.Each(state, note); err != nil {
			return err
		}
	}
	return fmt.Errorf("no seed could be fetched:\n  %s", strings.Join(why, "\n  "))
}

// Running is why a crawl has not ended by the report of a checkpoint: where no session has it open, its process was killed.
const Running engine.Reason = "running"

// Killed is why such a crawl has ended, for reports of others.
const Killed = "killed"

// archiveFault counts, among the errors of a report, what was wrong with files of the archive.
const archiveFault = "archive_file"

// report returns the counts of now and their verdict; err is the error that ended the session.
func (c *Crawl) report(reason engine.Reason, err error) *engine.Report {
	now := time.Now()
	r := &engine.Report{
		Started: c.settings.Started, Ended: now.UTC().Truncate(time.Millisecond), Duration: c.spent + now.Sub(c.began).Seconds(),
		Finished: reason == engine.Drained, Seeds: c.settings.Seeds,
		KB: engine.KBReport{Version: kb.Version, Hash: c.rules.get().Hash}, WARCBytes: warcBytes(c.dir),
	}
	if reason != engine.Drained {
		r.Stopped = string(reason)
	}
	r.FillCounts(c.frontier.Counters(), c.frontier.Stats())
	if len(c.settings.Flags.Targets) > 0 {
		r.FillTargets(c.frontier.Counters())
	}
	c.reportPlugins(r, now)
	if c.rank != nil {
		covered, full := c.rank.Covered()
		r.Rank = &engine.RankReport{Covered: covered, Damping: rankmass.Damping, Full: full}
	}
	if err := errors.Join(r.FillTraps(c.frontier.Counters(), c.frontier), r.FillLeft(c.frontier)); err != nil {
		c.note("the report lacks the URLs that wait or were deferred: %v", err)
	}
	r.Triples += c.activity.quads.Load()
	r.Watch = c.WatchReport()
	r.Damage = c.damage
	r.AddFault(archiveFault, c.faults)
	if err := r.FillExamples(c.frontier); err != nil {
		c.note("the report lacks examples: %v", err)
	}
	if c.engine != nil {
		r.Learned, r.Saved = c.engine.Learned(), int64(c.Saved())
		r.Steps = map[string]float64{}
		for name, took := range c.engine.Steps() {
			r.Steps[name] = took.Seconds()
		}
	}
	c.judge(r, reason, err)
	return r
}

// outcomes returns the outcome of every URL that was found. The archive, which is closed, has to
// hold each URL that the frontier has as fetched.
func (c *Crawl) outcomes() (*engine.Outcomes, error) {
	outcomes := engine.NewOutcomes()
	found, err := c.frontier.All(func(e frontier.Entry) error {
		outcomes.Add(e)
		return nil
	})
	if err != nil {
		return nil, err
	}
	lost, err := c.lost(false)
	for _, e := range lost {
		outcomes.Lose(e.URL.URL)
	}
	outcomes.Close(found)
	return outcomes, err
}

// warcBytes is the size of all WARC files of a crawl, without the one that says what it was made with.
func warcBytes(dir string) int64 {
	files, _ := filepath.Glob(filepath.Join(dir, "archive", "*.warc.gz*")) // the pattern is well-formed
	var n int64
	for _, f := range files {
		if info, err := os.Stat(f); err == nil && !strings.Contains(f, ".gz.damaged") && !strings.HasSuffix(f, archive.MetaSuffix) {
			n += info.Size()
		}
	}
	return n
}

// saveSession keeps what the next session goes on counting from.
func (c *Crawl) saveSession() {
	c.syncClient()
	data, _ := json.Marshal(c.spent + time.Since(c.began).Seconds()) // a number
	if c.shared != nil {
		_ = c.mergeAvoided() // of the other nodes, or at the next checkpoint
	}
	err := errors.Join(c.frontier.PutMeta(metaSpent, data), c.keepAvoided())
	if err != nil {
		c.note("the time spent and the requests avoided could not be stored: %v", err)
	}
}

// checkpoints renews report.json until done is closed.
func (c *Crawl) checkpoints(done <-chan struct{}) {
	tick := time.NewTicker(checkpointEvery)
	defer tick.Stop()
	for {
		select {
		case <-done:
			return
		case <-tick.C:
			c.saveSession()
			if err := c.checkpoint(); err != nil {
				c.note("%v", err)
			}
		}
	}
}

// checkpoint renews report.json. What it says is what a kill leaves: a crawl that was interrupted.
func (c *Crawl) checkpoint() error {
	c.syncClient()
	return c.report(Running, nil).Write(c.reportFile())
}
