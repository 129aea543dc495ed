package engine

import (
	"context"
	"errors"

	"github.com/awarc/awarc/engine/fetch"
	"github.com/awarc/awarc/frontier"
)

// FollowedAgain sums up what came of following archived answers again.
type FollowedAgain struct {
	Answers int // that were read again
	Without int // revisits, whose payload another record has: they were not read
}

// FollowAgain reads answers of the crawl's log again from the archive, without a request, for where they lead: options that say which links
// are followed have changed since. Objects and pages stay as they are. The error is context.Canceled where ctx or the crawl
// ends before all are read.
func (e *Engine) FollowAgain(ctx context.Context, lines []Exchanged) (sum FollowedAgain, err error) {
	for i := range lines {
		x := &lines[i]
		switch {
		case x.Record == "" || x.Pending || IsService(x.Expected):
			continue
		case x.Revisit != "" && x.Status/100 == 2:
			sum.Without++
			continue
		}
		if ctx.Err() != nil || e.interrupted() {
			return sum, context.Canceled
		}
		err := e.followAgain(ctx, x)
		switch {
		case errors.Is(err, errReread):
			e.warn("an answer could not be read again from the archive; what only it leads to is missing", "url", x.URL, "record", x.Record,
				"error", err.Error())
			err = e.frontier.Amend(x.URL, frontier.Outcome{Counters: map[string]int64{countFaults + "reread": 1}})
		case err == nil:
			sum.Answers++
		}
		if err != nil {
			return sum, err
		}
	}
	return sum, nil
}

func (e *Engine) followAgain(ctx context.Context, x *Exchanged) error {
	p := e.archived(x)
	lease := p.lease()
	if x.Robots {
		host, err := frontier.HostOf(x.URL)
		known := RobotsOf(e.frontier.Note(host), lease.at)
		if err != nil || known == nil {
			return nil
		}
		return e.frontier.Amend(x.URL, frontier.Outcome{Links: e.sitemaps(prerequisite(lease, lease.at), known.Sitemaps())})
	}
	ex, err := e.answer(p)
	if err != nil {
		return err
	}
	defer ex.Close()
	r, err := e.readSafely(ctx, lease, ex, readSteps{})
	if err != nil {
		return err
	}
	return e.frontier.Amend(x.URL, frontier.Outcome{
		Links: r.links, Exclude: r.exclusions(), Counters: r.counters, Meta: r.settings, Families: e.families(r.suspects),
	})
}

// UncountLinks are the changes of counters that take back what was counted of links, before all archived answers are followed again.
func UncountLinks(counters map[string]int64) map[string]int64 {
	back := map[string]int64{countOffered: -counters[countOffered], countOutOfScope: -counters[countOutOfScope],
		countSkipped: -counters[countSkipped]}
	for rule, n := range family(counters, countScope) {
		back[countScope+rule] = -n
	}
	return back
}

// Readmits reports whether a URL that was excluded may be fetched by the options of this session. agent says that the name by which
// robots.txt files are obeyed has changed. What is blacklisted stays out.
func (e *Engine) Readmits(x frontier.Entry, agent bool) bool {
	u := parseURL(x.URL.URL)
	lease := leased{frontier.Lease{URL: x.URL}, u}
	host, err := frontier.HostOf(x.URL.URL)
	if err != nil || isBlacklisted(x.Reason) || e.options.Scope.decide(u, x.Hops, named(lease)).out {
		return false
	}
	if !excludedByRobots(x.Reason) {
		return true
	}
	known := RobotsOf(e.frontier.Note(host), u)
	return agent && (e.options.Agent == "" || known == nil || known.Allowed(e.options.Agent, fetch.Escape(x.URL.URL)))
}

// UncountExcluded are the changes of counters that take back what was counted of a URL that robots.txt excluded.
func UncountExcluded(x frontier.Entry, _ *Exchanged) map[string]int64 {
	back := map[string]int64{}
	if excludedByRobots(x.Reason) {
		back[countExcluded] = -1
		if x.Seed {
			back[countFaults+"seed_excluded_by_robots"] = -1
		}
	}
	return back
}
