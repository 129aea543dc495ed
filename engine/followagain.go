package engine

import (
	"context"
	"errors"
	"fmt"

	"github.com/awarc/awarc/engine/fetch"
	"github.com/awarc/awarc/frontier"
)

// FollowAgain reads archived answers again without a request and schedules their links: the options that select the followed links have
// changed since. It returns how many answers it read. Objects and page counts stay as they are. A revisit whose payload is in another
// archive counts as a fault. The error is context.Canceled if ctx or the crawl ends first.
func (e *Engine) FollowAgain(ctx context.Context, lines []Exchanged) (answers int, err error) {
	for i := range lines {
		x := &lines[i]
		switch {
		case x.Record == "" || x.Pending || IsService(x.Expected):
			continue
		}
		if ctx.Err() != nil || e.interrupted() {
			return answers, context.Canceled
		}
		err := e.followAgain(ctx, x)
		switch {
		case errors.Is(err, errReread):
			e.warn("an archived answer cannot be read again; pages that only it links to are missing", "url", x.URL, "record", x.Record,
				"error", err.Error())
			err = e.frontier.Amend(x.URL, frontier.Outcome{Counters: map[string]int64{countFaults + "reread": 1},
				Meta: map[string][]byte{metaExample + "reread": []byte(x.URL)}})
		case err == nil:
			answers++
		}
		if err != nil {
			return answers, err
		}
	}
	return answers, nil
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
	if x.Revisit != "" && ex.Redirect() == "" { // a redirect is in the head, which each record has
		return fmt.Errorf("%w: its payload is in another archive", errReread)
	}
	r, err := e.readSafely(ctx, lease, ex, readSteps{})
	if err != nil {
		return err
	}
	return e.frontier.Amend(x.URL, frontier.Outcome{
		Links: r.links, Exclude: r.exclusions(), Counters: r.counters, Meta: r.settings, Families: e.families(r.suspects),
	})
}

// UncountLinks returns the changes that reset the counters of links, before all archived answers are followed again.
func UncountLinks(counters map[string]int64) map[string]int64 {
	back := map[string]int64{countOffered: -counters[countOffered], countOutOfScope: -counters[countOutOfScope],
		countSkipped: -counters[countSkipped]}
	for rule, n := range family(counters, countScope) {
		back[countScope+rule] = -n
	}
	return back
}

// Readmits reports whether the options of this session admit an excluded URL. agent is set if the user agent for robots.txt has changed.
// Blacklisted URLs stay excluded.
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

// UncountExcluded returns the changes that take back the counters of a URL that robots.txt excluded.
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
