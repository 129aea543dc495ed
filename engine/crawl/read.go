package crawl

import (
	"context"
	"errors"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"

	"github.com/awarc/awarc/engine"
	"github.com/awarc/awarc/frontier"
	"github.com/awarc/awarc/kb"
)

// Reading is a crawl of which no session is open. Nothing is changed in its folder. One goroutine uses it at a time.
type Reading struct {
	Settings Settings
	Base     *kb.Base // as the next session would have it
	dir      string
	queue    queue
}

// Read opens the crawl in a folder to look at it. software is as in [Options]. The error is a [*frontier.Error] of kind
// [frontier.Locked] while a session has the crawl open.
func Read(dir, software string) (*Reading, error) {
	s, err := ReadSettings(dir)
	if err != nil {
		return nil, err
	}
	s.Flags.Software = software
	r := &Reading{Settings: s, dir: dir}
	if r.Base, err = s.Store(dir).Load(); err != nil {
		return nil, err
	}
	if s.Node == "" {
		r.queue, err = frontier.OpenReadOnly(filepath.Join(dir, "state"))
	} else {
		r.queue, err = s.openQueue(context.Background(), dir, frontier.Options{}, os.Getenv(PasswordVariable), true)
	}
	if err != nil {
		return nil, err
	}
	return r, nil
}

// Each calls fn for what the frontier has of every URL, in the order in which they were found, until fn returns an error.
func (r *Reading) Each(fn func(frontier.Entry) error) error {
	_, err := r.queue.All(fn)
	return err
}

// Counts is what the crawl has come to: its report.json, with the counts of now.
func (r *Reading) Counts() (*engine.Report, error) {
	report, err := engine.ReadReport(filepath.Join(r.dir, "report.json"))
	if errors.Is(err, fs.ErrNotExist) {
		report, err = &engine.Report{Started: r.Settings.Started, Seeds: r.Settings.Seeds, WARCBytes: warcBytes(r.dir)}, nil
	}
	if err == nil {
		faults := report.Errors[archiveFault] // which the frontier does not count
		report.FillCounts(r.queue.Counters(), r.queue.Stats())
		report.AddFault(archiveFault, faults)
		told, _ := countQuads(filepath.Join(r.dir, activityFile)) // there is none, or it is noted when the crawl goes on
		report.Triples += told
		report.Watch = storedWatch(r.queue)
		avoided := 0
		avoided, err = avoidedOf(r.dir, r.queue)
		report.Saved = max(report.Saved, int64(avoided)) // crawls of early versions have no sketch
	}
	return report, err
}

// Explain is as the function of that name.
func (r *Reading) Explain(u *url.URL) (Explanation, error) {
	return r.Settings.explain(r.queue, r.dir, u)
}

// FillSeeds adds what became of each seed to a report.
func (r *Reading) FillSeeds(report *engine.Report, o *engine.Outcomes) error {
	return report.FillSeeds(o, r.queue)
}

// Close ends reading.
func (r *Reading) Close() error { return r.queue.Close() }
