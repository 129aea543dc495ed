package main

import (
	"cmp"
	"context"
	"errors"
	"os"
	"slices"
	"sync"
	"time"

	"github.com/awarc/awarc/engine"
	"github.com/awarc/awarc/engine/cockpit"
	"github.com/awarc/awarc/engine/crawl"
	"github.com/awarc/awarc/frontier"
)

// session is a crawl as the program runs it: its progress is shown, and its API served.
type session struct {
	crawl    *crawl.Crawl
	progress *progress
	feed     cockpit.Feed
	token    string // of the API; never on disk
	ended    []func()
}

func newSession(s streams, token string) *session {
	// A resumed crawl has only the variable.
	return &session{progress: newProgress(s.err), token: cmp.Or(token, os.Getenv(tokenVariable))}
}

func (x *session) events() crawl.Events {
	return crawl.Events{
		Started: x.started, Warned: x.progress.warn,
		Exchanged: func(e engine.Exchanged) {
			x.progress.exchanged(e)
			x.feed.Exchanged(e)
		},
		Extracted: x.feed.Extracted,
		Noted: func(format string, args ...any) {
			text := crawl.Sprintf(flagOf, format, args...)
			x.progress.note(text)
			x.feed.Noted(text)
		},
	}
}

// started serves the API and shows the progress until the session ends.
func (x *session) started() error {
	stopAPI, err := x.serveAPI()
	if err != nil {
		return err
	}
	stopFolder, err := x.serveFolder()
	if err != nil {
		stopAPI()
		return err
	}
	done := make(chan struct{})
	var showing sync.WaitGroup
	showing.Go(func() {
		x.progress.run(done, x.progressLine)
	})
	x.ended = []func(){func() { close(done) }, showing.Wait, stopFolder, stopAPI}
	return nil
}

// progressLine returns the line of progress of now.
func (x *session) progressLine() string {
	p, stats, counters, saved := x.progress, x.crawl.Stats(), x.crawl.Counters(), x.crawl.Saved()
	now, idle := time.Now(), stats.Leased == 0 && stats.Pending > 0
	retry := time.Duration(0)
	var queues []frontier.Queue
	look := idle || now.Sub(p.looked) >= lookEvery
	if look {
		queues = x.crawl.Queues(hostsSeen)
	}
	if idle {
		retry = untilRetry(stats, queues, now)
	}
	loading := x.crawl.Downloads()
	p.mu.Lock() // those who note something wait for it
	defer p.mu.Unlock()
	if look {
		p.looked, p.rests = now, resting(queues, now)
	}
	p.loading = loading
	return p.line(stats, counters, saved, retry)
}

// run crawls until the end of the session and returns its exit status.
func (x *session) run(ctx context.Context) (int, error) {
	status, err := x.crawl.Run(ctx)
	for _, end := range x.ended {
		end()
	}
	var wrong *statusError
	if err = inFlags(err); errors.As(err, &wrong) && wrong.status == exitUsage {
		return exitUsage, err
	}
	return int(status), err
}

// runSessions opens crawls and runs them side by side: the first Ctrl-C ends them gracefully, the
// second at once. What each came to is printed when all have ended, in the order given. Crawls of
// which there are none leave nothing to do.
func runSessions(ctx context.Context, s streams, format string, open func() ([]*session, error)) error {
	stop := newStopper(ctx, s.err, stopGrace)
	defer stop.release()
	crawls, err := open()
	if err != nil || len(crawls) == 0 {
		return err
	}
	stop.onFirst(func() {
		crawls[0].progress.note("finishing the requests in flight, for " + stopGrace.String() + " at most; Ctrl-C again stops at once")
		for _, x := range crawls {
			x.crawl.Stop()
		}
	})
	statuses, errs, summaries := make([]int, len(crawls)), make([]error, len(crawls)), make([]summary, len(crawls))
	var all sync.WaitGroup
	for i, x := range crawls {
		all.Go(func() {
			statuses[i], errs[i] = x.run(stop.abandoned)
			summaries[i] = x.summary()
			if err := x.crawl.Close(); errs[i] == nil {
				errs[i] = err
			}
		})
	}
	all.Wait()
	for i := range crawls {
		if err := summaries[i].print(s.out, format); errs[i] == nil {
			errs[i] = err
		}
		if errs[i] != nil && statuses[i] == exitDone {
			statuses[i] = exitFailed
		}
	}
	if status := worst(statuses); status != exitDone {
		return &statusError{status, errors.Join(errs...)}
	}
	return nil
}

// lone is open for a single crawl, which may be nil.
func lone(x *session, err error) ([]*session, error) {
	if x == nil || err != nil {
		return nil, err
	}
	return []*session{x}, nil
}

// worst is the exit status of several crawls: what keeps most from being done.
func worst(statuses []int) int {
	for _, status := range []int{exitInterrupted, exitUsage, exitFailed, exitLimit, exitWithFaults} {
		if slices.Contains(statuses, status) {
			return status
		}
	}
	return exitDone
}
