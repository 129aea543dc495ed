package crawl

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/awarc/awarc/engine"
	"github.com/awarc/awarc/engine/fetch"
	"github.com/awarc/awarc/frontier"
)

const (
	// metaDamage names, in the frontier, what was found damaged so far.
	metaDamage = "archive damage"
	// damageKept is how many such findings are kept, the first ones.
	damageKept = 50
	// lostNamed is how many lost URLs a finding names; the crawl log names all.
	lostNamed = 10
	// lostAtOnce is how many lost URLs are made pending in one transaction.
	lostAtOnce = 1000
	// longestWait is longer than any wait that a crawl keeps to.
	longestWait = 48 * time.Hour
)

// begun reports whether the crawl has archived something, so that without its frontier all of it would be fetched again.
func (c *Crawl) begun() bool {
	found, _ := filepath.Glob(filepath.Join(c.dir, "archive", "*.warc.gz*")) // the pattern is well-formed
	return len(found) > 0
}

// verify compares what the frontier takes for archived with what the archive
// holds, and has fetched again what is not there any more.
func (c *Crawl) verify() error {
	_ = json.Unmarshal(c.frontier.Meta(metaDamage), &c.damage) // absent where there was none
	known := len(c.damage)
	damaged := false
	for _, r := range c.archive.Recovered() {
		c.note("repaired after an interruption: %s", r)
		damaged = damaged || len(r.Saved) > 0 || r.Missing
	}
	faults, err := c.archive.Faults()
	if err != nil {
		return err
	}
	for _, f := range faults {
		c.faults++
		c.note("%s: %s", f.File, f.Reason)
	}
	damaged = damaged || len(faults) > 0
	lost, err := c.lost(damaged)
	if len(lost) > 0 && !damaged {
		lost, err = c.lost(true)
	}
	if err != nil || len(lost) == 0 {
		return err
	}
	for _, r := range c.archive.Recovered() {
		if len(r.Saved) > 0 || r.Missing {
			c.damage = append(c.damage, r.String())
		}
	}
	var names []string
	for _, e := range lost[:min(len(lost), lostNamed)] {
		names = append(names, e.URL.URL)
	}
	text := fmt.Sprintf("%s missing from the archive and fetched again: %s", engine.Counted(len(lost), "capture|captures is|are"),
		strings.Join(names, ", "))
	if len(lost) > lostNamed {
		text += " and others, see log/crawl.jsonl"
	}
	c.note("%s", text)
	c.damage = append(c.damage, text)
	data, err := json.Marshal(c.damage[:min(len(c.damage), max(known, damageKept))])
	if err != nil {
		return err
	}
	if err := c.frontier.PutMeta(metaDamage, data); err != nil {
		return err
	}
	return c.fetchAgain(lost, "the capture is not in the archive any more; the URL is fetched again",
		"its capture was lost", engine.Uncount)
}

// requestFailed makes pending what failed, each URL with all its tries, and takes back the errors that
// were counted for it.
func (c *Crawl) requestFailed() error {
	if n, err := c.frontier.EndWaits(context.Background(), 0); err != nil {
		return err
	} else if n > 0 {
		c.note("%d waits of hosts and URLs (such as Retry-After) are cancelled", n)
	}
	failed, elsewhere, err := c.failed()
	if err != nil {
		return err
	}
	if elsewhere > 0 {
		c.note("%d faulty pages were archived by other nodes: run awarc resume --failed in their folders",
			elsewhere)
	}
	if len(failed) == 0 {
		c.note("no failed URL can be retried")
		return nil
	}
	c.note("%d failed URLs are retried", len(failed))
	return c.fetchAgain(failed, "the URL failed and is requested again", "it failed before", engine.UncountFailed)
}

// failed lists the entries that another request may cure. elsewhere counts those that other nodes
// archived: only their logs tell which counters to change.
func (c *Crawl) failed() (failed []frontier.Entry, elsewhere int, err error) {
	look := func(e frontier.Entry) error {
		if len(engine.Failures(e)) > 0 {
			failed = append(failed, e)
		}
		return nil
	}
	err = c.frontier.Each(frontier.Failed, look)
	if err != nil || c.shared == nil {
		return failed, 0, errors.Join(err, c.frontier.Each(frontier.Fetched, look))
	}
	err = c.shared.Each(frontier.Fetched, func(e frontier.Entry) error {
		if len(engine.Failures(e)) > 0 {
			elsewhere++
		}
		return nil
	})
	before := len(failed)
	err = errors.Join(err, c.shared.EachHere(frontier.Fetched, look))
	return failed, max(0, elsewhere-(len(failed)-before)), err
}

// putBack ends waits that were set while the clock was ahead.
func (c *Crawl) putBack() error {
	n, err := c.frontier.EndWaits(context.Background(), longestWait)
	if n > 0 {
		c.note("the clock was set back since the last session: %d waits of more than %v are cancelled", n, longestWait)
	}
	return err
}

// lost lists the entries that say that an answer was archived, and have no capture. Where the archive was damaged, that includes
// URLs that were given up, and the robots.txt files of hosts, of which the frontier has no entries.
func (c *Crawl) lost(damaged bool) ([]frontier.Entry, error) {
	if c.frontier.Stats().Fetched == 0 {
		return nil, nil
	}
	captured, err := c.archive.Captured(damaged)
	if err != nil {
		return nil, err
	}
	var lost []frontier.Entry
	hosts := map[string]bool{}
	look := func(e frontier.Entry) error {
		status, archived := engine.Archived(e)
		if archived && !captured.Has(e.URL.URL, status) && (status > 0 || !captured.HasAny(e.URL.URL)) {
			lost = append(lost, e)
		}
		if !damaged {
			return nil
		}
		if robots, known := c.robotsOf(e, hosts); known && !captured.HasAny(robots.URL.URL) {
			lost = append(lost, robots)
		}
		return nil
	}
	each := c.frontier.Each
	if c.shared != nil {
		each = c.shared.EachHere // the other nodes have archives of their own
	}
	err = each(frontier.Fetched, look)
	if err == nil && damaged {
		err = each(frontier.Failed, look)
	}
	return lost, err
}

// robotsOf gives the robots.txt of an entry's host, if it was archived and not asked for here before.
func (c *Crawl) robotsOf(e frontier.Entry, hosts map[string]bool) (robots frontier.Entry, known bool) {
	u, err := url.Parse(e.URL.URL)
	if err != nil || hosts[u.Scheme+u.Host] {
		return robots, false
	}
	hosts[u.Scheme+u.Host] = true
	host, err := frontier.HostOf(e.URL.URL)
	if err != nil {
		return robots, false
	}
	r := engine.RobotsOf(c.frontier.Note(host), u)
	robots.URL = frontier.URL{URL: u.Scheme + "://" + u.Host + "/robots.txt", Via: e.URL.URL, Forced: true}
	return robots, r != nil && r.Access() != fetch.RobotsUnreachable
}

// fetchAgain makes URLs pending, with why in the log and reason in the frontier, and changes the counters
// by what uncount says of each and of the last line of the log about a capture of it.
func (c *Crawl) fetchAgain(lost []frontier.Entry, why, reason string,
	uncount func(frontier.Entry, *engine.Exchanged) map[string]int64) error {
	return c.makePending(lost, why, reason, uncount, c.frontier.Again)
}

func (c *Crawl) makePending(lost []frontier.Entry, why, reason string,
	uncount func(frontier.Entry, *engine.Exchanged) map[string]int64,
	again func(ctx context.Context, entries []frontier.Requeue, reason string) (int, error),
) error {
	if len(lost) == 0 {
		return nil
	}
	lines, err := c.lastLines(lost)
	if err != nil {
		return err
	}
	ctx := context.Background()
	for len(lost) > 0 {
		some := lost[:min(len(lost), lostAtOnce)]
		lost = lost[len(some):]
		counters := map[string]int64{} // of what the frontier has no entries of
		var entries []frontier.Requeue
		var added []frontier.URL
		for _, e := range some {
			back := uncount(e, lines[e.URL.URL])
			if e.Key != "" {
				entries = append(entries, frontier.Requeue{Key: e.Key, Settled: e.Settled, Counters: back})
			} else {
				added = append(added, e.URL)
				for name, n := range back {
					counters[name] += n
				}
			}
			c.log.write(engine.Exchanged{Time: time.Now().UTC(), URL: e.URL.URL, Error: why})
		}
		if _, err := c.frontier.Add(ctx, added); err != nil {
			return err
		}
		if err := c.frontier.Amend("", frontier.Outcome{Counters: counters}); err != nil {
			return err
		}
		if _, err := again(ctx, entries, reason); err != nil {
			return err
		}
	}
	return nil
}

// lastLines gives, of each lost URL, the last line of the crawl log about a
// capture of it.
func (c *Crawl) lastLines(lost []frontier.Entry) (map[string]*engine.Exchanged, error) {
	wanted := map[string]bool{}
	for _, e := range lost {
		wanted[e.URL.URL] = true
	}
	f, err := os.Open(filepath.Join(c.dir, "log", "crawl.jsonl"))
	if err != nil {
		return nil, err
	}
	defer f.Close()
	lines := map[string]*engine.Exchanged{}
	in := bufio.NewReaderSize(f, 1<<16)
	for {
		line, err := in.ReadBytes('\n')
		if err != nil {
			return lines, nil // what follows the last line break is no line
		}
		e := new(engine.Exchanged)
		if bytes.Contains(line, []byte(`"record":`)) && json.Unmarshal(line, e) == nil && wanted[e.URL] {
			lines[e.URL] = e
		}
	}
}
