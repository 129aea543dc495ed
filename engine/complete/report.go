package complete

import (
	"context"
	"errors"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"github.com/awarc/awarc/engine"
	"github.com/awarc/awarc/engine/crawl"
	"github.com/awarc/awarc/engine/quads"
	"github.com/awarc/awarc/frontier"
)

// States of a crawl.
const (
	Running  = "running"
	Stopped  = "stopped" // something is left
	Finished = "finished"
)

// Report is a crawl and its completeness.
type Report struct {
	Dir          string         `json:"dir"`
	CrawlID      string         `json:"crawl_id"`
	Software     string         `json:"software"` // that made the report
	State        string         `json:"state"`
	Crawl        *engine.Report `json:"crawl"`
	Activity     []Interval     `json:"activity"` // requests over time, robots.txt and retries included
	Completeness *Result        `json:"completeness"`
}

// Options say what a report is to have.
type Options struct {
	Software string
	Noted    func(text string) // told of what cannot be read
	Most     int               // as in [Source]
}

// Look returns the report of the crawl in a folder, or in the folders of its nodes, which are not changed. For a running crawl,
// the counts are from its last checkpoint, and the reasons for missing pages are unknown.
func Look(ctx context.Context, dirs []string, o Options) (_ *Report, err error) {
	settings, err := crawl.ReadNodes(dirs)
	if err != nil {
		return nil, err
	}
	dir := dirs[0]
	r := &Report{Dir: strings.Join(dirs, " "), CrawlID: settings.CrawlID, Software: o.Software, State: Stopped}
	from := Source{Noted: o.Noted, Most: o.Most}
	var locked *frontier.Error
	reading, err := crawl.Read(dir, o.Software)
	switch {
	case errors.As(err, &locked) && locked.Kind == frontier.Locked:
		r.State = Running
		if from.Base, err = settings.Store(dir).Load(); err != nil {
			return nil, err
		}
		r.Crawl, err = checkpoint(dir, settings)
	case err == nil:
		defer reading.Close()
		from.Base = reading.Base
		r.Crawl, err = reading.Counts()
	}
	if err != nil {
		return nil, err
	}
	if reading != nil {
		switch {
		case slices.ContainsFunc(dirs, func(dir string) bool { return frontier.Held(filepath.Join(dir, "state")) }):
			r.State = Running // on a node
		case r.Crawl.Finished:
			r.State = Finished
		}
		if r.State == Stopped && r.Crawl.Stopped == string(crawl.Running) {
			r.Crawl.Stopped = crawl.Killed
			r.Crawl.Judge(dir, nil)
		}
		from.Stopped, from.Unscoped = r.Crawl.Stopped, r.Crawl.Links.OutOfScope
		outcomes := engine.NewOutcomes()
		found := 0
		from.Each = func(fn func(frontier.Entry) error) error {
			return reading.Each(func(e frontier.Entry) error {
				found++
				outcomes.Add(e)
				return fn(e)
			})
		}
		defer func() {
			outcomes.Close(found)
			err = errors.Join(err, r.fill(reading, outcomes))
		}()
	}
	if err := r.join(dirs[1:]); err != nil {
		return nil, err
	}
	var logs []string
	for _, dir := range dirs {
		logs = append(logs, filepath.Join(dir, "log", "crawl.jsonl"))
		files, err := graphFiles(dir)
		if err != nil {
			return nil, err
		}
		from.Files = append(from.Files, files...)
	}
	if r.Activity, err = activity(settings.Started, logs...); err != nil {
		return nil, err
	}
	r.Completeness, err = Of(ctx, from)
	return r, err
}

// fill adds the outcomes and the seeds that the crawl's own report lacks, since it did not finish.
func (r *Report) fill(reading *crawl.Reading, o *engine.Outcomes) error {
	if r.Crawl.Outcomes == nil {
		r.Crawl.Outcomes = o
	}
	if r.Crawl.SeedsReport != nil {
		return nil
	}
	return reading.FillSeeds(r.Crawl, o)
}

// checkpoint reads the report that a running crawl wrote last; one without a report has just started.
func checkpoint(dir string, s crawl.Settings) (*engine.Report, error) {
	r, err := engine.ReadReport(filepath.Join(dir, "report.json"))
	if errors.Is(err, fs.ErrNotExist) {
		r, err = &engine.Report{Started: s.Started, Seeds: s.Seeds, Stopped: string(crawl.Running)}, nil
		r.Judge(dir, nil)
	}
	return r, err
}

// join adds what further nodes know of themselves alone.
func (r *Report) join(dirs []string) error {
	for _, dir := range dirs {
		node, err := engine.ReadReport(filepath.Join(dir, "report.json"))
		if errors.Is(err, fs.ErrNotExist) { // it has just begun
			continue
		}
		if err != nil {
			return err
		}
		r.Crawl.WARCBytes += node.WARCBytes
		r.Crawl.Damage = append(r.Crawl.Damage, node.Damage...)
		if node.Ended.After(r.Crawl.Ended) {
			r.Crawl.Ended = node.Ended
		}
	}
	return nil
}

// graphFiles lists the files of a crawl's graph: none where it has archived nothing yet.
func graphFiles(dir string) ([]string, error) {
	files, _ := filepath.Glob(filepath.Join(dir, "graph", "*.nq.gz*")) // the pattern is well formed
	if len(files) == 0 {
		return nil, nil
	}
	return quads.Files(dir)
}
