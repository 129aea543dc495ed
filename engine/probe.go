package engine

import (
	"context"
	"time"

	"github.com/awarc/awarc/engine/fetch"
	"github.com/awarc/awarc/frontier"
)

// hostDown decides whether a URL may be asked for, as far as it is known whether its host is down. nil means yes; otherwise the outcome
// says what becomes of the lease, which went to a probe of the host, or of which an earlier failure counts now.
func (e *Engine) hostDown(ctx context.Context, lease leased) (*frontier.Outcome, error) {
	if _, over := e.outages.refusing(lease.Host); over {
		out := e.refusedForLong(lease)
		out.NoRequest = true
		return &out, nil
	}
	if e.outages.inDoubt(lease.Host) {
		return e.probe(ctx, lease)
	}
	if cause := e.outages.unsettled(lease.Host, lease.Key); cause != nil {
		out := e.tryAgain(lease, errorKind(cause), cause.Error())
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
		out.IP, err = bareIP(ex.IP), statusError(ex)
	}
	if err != nil {
		out.Reason = "its host is down: " + err.Error()
		e.rest(&out, lease, e.outages.probeFailed(lease.Host), err)
		return &out, nil
	}
	e.outages.answered(lease.Host, "", !retryable[ex.Status], e.options.Now())
	if cause := e.outages.unsettled(lease.Host, lease.Key); cause != nil {
		verdict := e.tryAgain(lease, errorKind(cause), cause.Error())
		out.State, out.Reason = verdict.State, verdict.Reason
		for name, n := range verdict.Counters {
			out.Counters[name] += n
		}
	}
	out.IP = bareIP(ex.IP)
	if retryable[ex.Status] {
		e.obey(&out, ex, lease)
	}
	return &out, nil
}

// rest leaves the host of a lease alone for pause, if there is one.
func (e *Engine) rest(out *frontier.Outcome, lease leased, pause time.Duration, cause error) {
	if pause <= 0 {
		return
	}
	out.HostNotBefore = e.options.Now().Add(pause)
	e.warn("a host stopped answering; its URLs wait", "host", lease.Host, "wait", pause.String(), "error", cause.Error())
}
