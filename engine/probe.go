package engine

import (
	"context"
	"time"

	"github.com/awarc/awarc/engine/fetch"
	"github.com/awarc/awarc/frontier"
)

// failuresSince is the time before which failures of hosts and of their robots.txt do not count: each session
// of a watch tries them again.
func (e *Engine) failuresSince() time.Time {
	if e.options.Watch != nil {
		return e.options.Watch.Began()
	}
	return e.options.RobotsSince
}

// hostDown decides whether a URL may be asked for, as far as it is known whether its host is down. nil means yes; otherwise the outcome
// says what becomes of the lease, which went to a probe of the host, or of which an earlier failure counts now.
func (e *Engine) hostDown(ctx context.Context, lease leased) (*frontier.Outcome, error) {
	if failed := lease.Health.Failed; !failed.IsZero() && !failed.Before(e.failuresSince()) {
		out := e.refusedForLong(lease)
		out.NoRequest, out.Host = true, frontier.HostSilent
		return &out, nil
	}
	if e.outages.inDoubt(lease.Host) {
		return e.probe(ctx, lease)
	}
	if cause := e.outages.unsettled(lease.Host, lease.Key); cause != nil {
		out := e.troubledBy(lease, cause)
		out.NoRequest = true
		return &out, nil
	}
	return nil, nil
}

// probe asks a host that may be down for its robots.txt, which any host has an answer to, and archives it. What it says is not
// obeyed before it is due.
func (e *Engine) probe(ctx context.Context, lease leased) (*frontier.Outcome, error) {
	out := frontier.Outcome{State: frontier.Defer, Counters: map[string]int64{}}
	l := prerequisite(lease, robotsURL(lease.at))
	ex, err := e.fetcher.Do(fetch.WithMaxBody(ctx, maxRobotsBody), l.URL.URL, nil)
	defer closeExchange(ex)
	if err := fatal(ctx, err); err != nil {
		return nil, err
	}
	if err := e.keepRobots(&out, visited{lease: l, ex: ex, err: err}); err != nil {
		return nil, err
	}
	if ex != nil && (failing(ex.Status) || refuses(ex.Status)) {
		out.IP, err = bareIP(ex.IP), statusError(ex.Status)
	}
	if err != nil {
		verdict := e.isDown(lease, err)
		verdict.IP = out.IP
		if ex != nil {
			e.obey(&verdict, ex, lease)
		}
		addCounters(verdict.Counters, out.Counters)
		return &verdict, nil
	}
	e.outages.answered(lease.Host, "", !retryable[ex.Status])
	if !retryable[ex.Status] {
		out.Host = frontier.HostServes
	}
	if cause := e.outages.unsettled(lease.Host, lease.Key); cause != nil {
		verdict := e.troubledBy(lease, cause)
		out.State, out.Reason, out.RetryAfter = verdict.State, verdict.Reason, verdict.RetryAfter
		addCounters(out.Counters, verdict.Counters)
	}
	out.IP = bareIP(ex.IP)
	if retryable[ex.Status] {
		e.obey(&out, ex, lease)
	}
	return &out, nil
}

// isDown rests the host of a lease. If the patience is over, the host fails.
func (e *Engine) isDown(lease leased, cause error) frontier.Outcome {
	now := e.options.Now()
	pause, over := e.outages.down(lease.Host, lease.Health, now)
	if over {
		return e.refusedForLong(lease)
	}
	e.warn("a host stopped responding; its URLs wait", "host", lease.Host, "wait", pause.String(), "error", cause.Error())
	return frontier.Outcome{State: frontier.Defer, Reason: "its host is down: " + cause.Error(), Host: frontier.HostRefuses,
		HostNotBefore: now.Add(pause), Counters: map[string]int64{}}
}
